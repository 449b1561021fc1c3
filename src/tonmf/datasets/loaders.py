"""Load real collections as tasks: the data sets of the paper (sections 2 and 4.1).

Each loader finds its archive (`tonmf.datasets.fetching`), reads it, and chooses documents by their classes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from tonmf.datasets.archives import Document, without_header_and_quotes
from tonmf.datasets.fetching import read_archive
from tonmf.datasets.labelled import Dataset
from tonmf.datasets.registry import BBC, NEWSGROUPS, REUTERS_MATRIX, REUTERS_TEXTS, WIKI_PEOPLE
from tonmf.datasets.selection import choose_documents
from tonmf.errors import Param, ParameterError

EARN, ACQ, INTEREST = 1, 2, 6
"""Numbers of classes in the Reuters matrix."""


def load_reuters(
    form: Literal["texts", "matrix"] = "texts", *, n_outliers: int = 100, random_state: int = 0
) -> Dataset:
    """Load newswire stories of 1987 on one topic each: all of earn and acq, and some of interest as outliers.

    Parameters
    ----------
    form : {"texts", "matrix"}
        ``texts``: titles and bodies, from the original archive. ``matrix``: counts of 18,933 terms, which is the paper's
        vocabulary; the terms have no names.
    n_outliers : int
        Stories on interest rates, at most 197.
    random_state : int
        Seed for the choice of outliers and the order; the same seed gives the same documents.

    Returns
    -------
    dataset : Dataset
        5,768 ordinary documents and the outliers. Ids are the numbers of the stories, or those of the rows.
    """
    _check_form(form)
    if form == "texts":
        stories = read_archive(REUTERS_TEXTS)
        return _select_texts("Reuters-21578", stories, ("earn", "acq"), ("interest",), n_outliers, random_state)
    counts, classes = read_archive(REUTERS_MATRIX)
    rows = choose_documents(classes, (EARN, ACQ), (INTEREST,), n_outliers, random_state)
    labels = (classes[rows] == INTEREST).astype(np.int64)
    return Dataset("Reuters-21578", labels, [f"row-{row:04d}" for row in rows], X=counts[rows])


def load_newsgroups(
    *,
    inliers: str | Sequence[str] = ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
    outliers: str | Sequence[str] = ("comp.os.ms-windows.misc",),
    n_outliers: int = 50,
    headers: bool = True,
    random_state: int = 0,
) -> Dataset:
    """Load messages of some of the 20 Newsgroups, and a few of another group as outliers.

    The defaults are the data that the paper calls RCV20; its easier variant has ``outliers="soc.religion.christian"``.

    Parameters
    ----------
    inliers : str or sequence of str
        Groups of which all messages are taken.
    outliers : str or sequence of str
        Groups of which `n_outliers` messages are taken.
    n_outliers : int
    headers : bool
        Keep messages as they were posted. Otherwise headers and quoted lines are removed, which leaves some messages
        empty.
    random_state : int
        Seed for the choice of outliers and the order; the same seed gives the same documents.

    Returns
    -------
    dataset : Dataset
        With the defaults, 1,945 ordinary messages and 50 outliers. Ids have the group: ``<split>/<group>/<number>``.
    """
    clean = None if headers else without_header_and_quotes
    documents = read_archive(NEWSGROUPS)
    return _select_texts("20 Newsgroups", documents, inliers, outliers, n_outliers, random_state, clean)


def load_bbc(
    *,
    inliers: str | Sequence[str] = ("business", "politics"),
    outliers: str | Sequence[str] = ("tech",),
    n_outliers: int = 50,
    random_state: int = 0,
) -> Dataset:
    """Load BBC news of 2004 and 2005 of some classes, and a few of another as outliers.

    Parameters
    ----------
    inliers : str or sequence of str
        Classes of which all texts are taken: business, entertainment, politics, sport, tech.
    outliers : str or sequence of str
        Classes of which `n_outliers` texts are taken.
    n_outliers : int
    random_state : int
        Seed for the choice of outliers and the order; the same seed gives the same documents.

    Returns
    -------
    dataset : Dataset
        With the defaults, 927 ordinary texts and 50 outliers. Ids have the class: ``bbc/<class>/<number>.txt``.
    """
    return _select_texts("BBC news", read_archive(BBC), inliers, outliers, n_outliers, random_state)


def load_wiki_people(
    form: Literal["matrix", "texts"] = "matrix", *, n_outliers: int = 100, random_state: int = 0
) -> Dataset:
    """Load sections of Wikipedia's featured biographies: career and life, and some on death as outliers.

    It stands in for the paper's Wiki People, which is not available: other articles, and fewer, but also with classes from
    section headings. Sections have at least 50 words.

    Parameters
    ----------
    form : {"matrix", "texts"}
        ``matrix``: counts of terms by the paper's rules: English stop words removed, words stemmed, of 3 to 15 characters,
        with at least 4 occurrences in at least 2 of the chosen documents. Needs the extra ``stem``. ``texts``: the sections
        as they are.
    n_outliers : int
        Sections on death, at most 303.
    random_state : int
        Seed for the choice of outliers and the order; the same seed gives the same documents.

    Returns
    -------
    dataset : Dataset
        2,332 ordinary documents and the outliers; ``terms`` has the names of the columns of a matrix.
    """
    _check_form(form)
    counter = _paper_counter() if form == "matrix" else None
    sections = read_archive(WIKI_PEOPLE)
    chosen = _select_texts("Wikipedia people", sections, ("career", "life"), ("death",), n_outliers, random_state)
    if counter is None:
        return chosen
    counts = counter.learn(chosen.texts).matrix
    return Dataset(
        chosen.name, chosen.labels, chosen.ids, X=sp.csr_matrix(counts, dtype=np.float64), terms=counter.terms
    )


def _paper_counter() -> Any:
    """Make a vocabulary by the paper's rules."""
    # Imported here, since it loads scikit-learn, which takes time.
    from tonmf.detector.detector import TextOutlierDetector
    from tonmf.parameters import defaults_of
    from tonmf.text.choose import make_counter
    from tonmf.text.documents import TEXTS

    options = {**defaults_of(TextOutlierDetector), "stemmer": "english", "word_rules": "paper", "boilerplate": None}
    return make_counter(options, TEXTS, None)


def _select_texts(
    name: str,
    documents: list[Document],
    inliers: str | Sequence[str],
    outliers: str | Sequence[str],
    n_outliers: int,
    random_state: int,
    clean: Callable[[str], str] | None = None,
) -> Dataset:
    """Choose documents by their classes, and apply `clean` to them."""
    inliers, outliers = ([one] if isinstance(one, str) else list(one) for one in (inliers, outliers))
    classes = np.array([document.label for document in documents])
    chosen = choose_documents(classes, inliers, outliers, n_outliers, random_state)
    texts = [documents[number].text for number in chosen]
    labels = np.isin(classes[chosen], outliers).astype(np.int64)
    return Dataset(
        name, labels, [documents[number].id for number in chosen], list(map(clean, texts)) if clean else texts
    )


def _check_form(form: object) -> None:
    if form not in ("texts", "matrix"):
        raise ParameterError(Param("form"), f" must be 'texts' or 'matrix'; got {form!r}.")
