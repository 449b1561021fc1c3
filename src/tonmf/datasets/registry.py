"""The archives of the real collections: what each is, where it is published, and how to recognise it.

Copies are often repacked, so their bytes prove little. What must agree is the content, as our reader returns it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.datasets.archives import (
    Document,
    read_bbc,
    read_biography_sections,
    read_newsgroups,
    read_reuters_matrix,
    read_reuters_sgml,
)

Content = TypeVar("Content")
Matrix = tuple[sp.csr_matrix, NDArray[np.int64]]


@dataclass(frozen=True)
class Archive(Generic[Content]):
    """A file with a collection.

    Attributes
    ----------
    file : str
        Its name.
    what : str
        The collection, in words.
    digest : str
        `content_digest` of what `read` returns.
    read : callable
        From a path to the content.
    address : str, optional
        The URL that it is published at; None if nowhere.
    sha256 : str, optional
        Digest of the published file, if known.
    """

    file: str
    what: str
    digest: str
    read: Callable[[Path], Content] = field(repr=False)
    address: str | None = None
    sha256: str | None = None


def content_digest(content: list[Document] | Matrix) -> str:
    """Return the SHA-256 digest of ids, labels and texts, or of the entries of a matrix and the classes of its rows."""
    digest = hashlib.sha256()
    for part in _texts_in(content) if isinstance(content, list) else _arrays_in(*content):
        digest.update(b"%d:" % len(part))  # with lengths, no two contents look the same
        digest.update(part)
    return digest.hexdigest()


def _texts_in(documents: list[Document]) -> Any:
    for document in documents:
        for text in (document.id, document.label, document.text):
            yield text.encode("utf-8", "surrogatepass")


def _arrays_in(counts: sp.csr_matrix, classes: NDArray[np.int64]) -> Any:
    counts = counts.sorted_indices()
    for array in (np.array(counts.shape), counts.indptr, counts.indices, classes):
        yield array.astype("<i8").tobytes()
    yield counts.data.astype("<f8").tobytes()


NEWSGROUPS = Archive(
    "20news-bydate.tar.gz",
    "20 Newsgroups",
    "7c8e2ab5e84eb10524ba4640a391f9ea0fe797c8b1465db280cdc181add5161a",
    read_newsgroups,
    "https://ndownloader.figshare.com/files/5975967",
    "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
)
REUTERS_TEXTS = Archive(
    "reuters21578.tar.gz",
    "Reuters-21578",
    "e4ba51554132e23110397e1dc40a2e7df64500ddefacb060ccad76966b2dfa61",
    read_reuters_sgml,
    "https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
    "3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30",
)
REUTERS_MATRIX = Archive(
    "Reuters21578.mat",
    "Reuters-21578 as term counts",
    "cb15c177d19cada583764ace6634e8f5875343dcbab3732c673df9f94aad101d",
    read_reuters_matrix,
    "http://www.cad.zju.edu.cn/home/dengcai/Data/Reuters21578/Reuters21578.mat",
)
BBC = Archive(
    "bbc-fulltext.zip",
    "BBC news",
    "01eb1982102eb0614c5fc50aa7b76aa5b736c388ac6a9502c8a255ddcce67bb9",
    read_bbc,
    "http://mlg.ucd.ie/files/datasets/bbc-fulltext.zip",
    "a351031a62325b3d7ff13146eeb035c22feca8290913b5183d1ff3be35109495",
)
WIKI_PEOPLE = Archive(
    "wiki-featured-bios.jsonl.gz",
    "sections of Wikipedia's featured biographies",
    "d2aefad017f66ec03c2cb38e33d8a15790c5c4dd713daf6691d7bc9ec4283ab4",
    read_biography_sections,
)

ARCHIVES: dict[str, Archive[Any]] = {
    archive.file: archive for archive in (NEWSGROUPS, REUTERS_TEXTS, REUTERS_MATRIX, BBC, WIKI_PEOPLE)
}
"""All archives by file name."""
