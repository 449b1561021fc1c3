"""Text outlier detection on a Dask cluster (``pip install 'tonmf[dask]'``; docs/guide/cluster.md).

`fit_detector`, `score` and `to_frame` are here; `tonmf.dask.texts` makes a corpus of partitions, whose blocks stay on the
workers, and `tonmf.nmf.cluster` runs them.

Examples
--------
::

    from dask.distributed import Client
    import dask.bag as db
    from tonmf import dask as tonmf_dask

    client = Client("tcp://scheduler:8786")
    texts = db.read_text("s3://bucket/reviews-*.txt")
    detector = tonmf_dask.fit_detector(client, texts, contamination=0.01)
    scores = tonmf_dask.score(client, detector, new_texts)      # stay on the workers
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tonmf.arrays import Array
from tonmf.dask.texts import Inputs, TextOptions, in_this_process, learn_vocabulary, list_of, to_read_again
from tonmf.detector.detector import TextOutlierDetector
from tonmf.detector.options import DETECTOR_RULES
from tonmf.detector.recipe import Recipe
from tonmf.detector.scores import ladder
from tonmf.errors import InputError, ParameterError
from tonmf.nmf.cluster.client import Cluster
from tonmf.nmf.cluster.rows import is_collection, together
from tonmf.nmf.cluster.worker import threads_of_this_worker
from tonmf.nmf.threads import make_ops
from tonmf.parameters import check_parameters, check_unused, defaults_of
from tonmf.text.choose import check_no_option_idle, make_counter
from tonmf.text.documents import check_names
from tonmf.text.frames import names_for
from tonmf.text.vocabulary.terms import TermCounter

__all__ = ["fit_detector", "score", "to_frame"]

SIDE_BY_SIDE = 2
"""Fits at a time: while this process updates the topics of one, workers go over the documents for the other."""


def fit_detector(
    client: Any,
    documents: Any,
    *,
    column: str | None = None,
    names: Sequence[Any] | None = None,
    **options: Any,
) -> TextOutlierDetector:
    """Fit a `TextOutlierDetector` on documents in partitions.

    The result is that of ``TextOutlierDetector(**options).fit(texts)``, to rounding, for any number of partitions, and
    whichever workers are lost meanwhile. Workers count the documents. From 16,000 documents on, they keep them and do the
    passes over all of them; fewer are learnt from in this process, which is faster.

    Parameters
    ----------
    client : dask.distributed.Client
    documents : dask bag, series or dataframe, list of delayed objects, futures or tables, or documents in memory
        Texts, or rows of items. Some partitions may be empty.
    column : str, optional
        The column with the texts, if partitions are tables.
    names : sequence of shape (n_docs,), optional
        Names of the documents for explanations; their numbers if not given.
    **options
        Options of `TextOutlierDetector`, but for ``vectorizer``, ``memory``, ``cache`` and ``embedder``.

    Returns
    -------
    detector : TextOutlierDetector
        Fitted; its scores have come back from the workers.
    """
    values = TextOutlierDetector(**options).get_params(deep=False)
    check_parameters(values, DETECTOR_RULES)
    for name in ("vectorizer", "memory", "cache", "embedder"):
        if values.get(name) is not None:
            raise ParameterError(f"{name} is for documents in one process, and these are in partitions. Leave it out.")
    check_unused(values, defaults_of(TextOutlierDetector), ("device",), "on a cluster")
    recipe = Recipe.of(values)
    cluster = Cluster(client)
    given = to_read_again(documents)
    names = names if is_collection(documents) else names_for(documents, names)
    text_options = TextOptions({name: value for name, value in values.items() if name != "callback"}, column)
    rules = getattr(make_counter(values, "texts", None).analyze, "rules", None)

    def counted() -> Any:
        texts = learn_vocabulary(cluster, given, text_options, rules)
        found = texts.vocabulary
        check_no_option_idle(values, defaults_of(TextOutlierDetector), found.kind)
        recipe.check_vocabulary(found.n_docs, found.any_words, found.terms, found.kind)
        return found, texts.boilerplate, texts.corpus(names)

    with cluster.freeing():
        vocabulary, boilerplate, corpus = cluster.persist(counted)
    kind, plain = vocabulary.kind, make_counter(values, vocabulary.kind, None)
    assert isinstance(plain, TermCounter)  # noqa: S101 (there are no others of texts without a vectorizer)
    counter = plain.with_terms(vocabulary.terms).with_boilerplate(boilerplate)
    with corpus.executor.session(corpus.source):
        if corpus.n_docs >= ladder.MANY:
            state = recipe.learn_from(corpus, kind, counter, side_by_side=SIDE_BY_SIDE)
            return TextOutlierDetector.from_state(state, **values)
        corpus = in_this_process(corpus, recipe.max_topics, make_ops(recipe.backend, recipe.n_jobs))
    state = recipe.learn_from(corpus, kind, counter, ids=check_names(names, corpus.n_docs))
    return TextOutlierDetector.from_state(state, **values)


def score(client: Any, model: Any, documents: Any, *, column: str | None = None, compute: bool = False) -> Any:
    """Score documents in partitions by a fitted `TextOutlierDetector` or `TONMF`.

    Parameters
    ----------
    client : dask.distributed.Client
    model : TextOutlierDetector or TONMF
    documents : as in `fit_detector`; for `TONMF`, as in its ``fit`` with an executor
    column : str, optional
        The column with the texts, if partitions are tables.
    compute : bool
        Whether to collect the scores in this process.

    Returns
    -------
    scores : list of futures, or ndarray of shape (n_docs,)
        An array of scores for each partition, on the worker that made it; or all scores, in this process.
    """
    cluster, of_texts = Cluster(client), isinstance(model, TextOutlierDetector)
    used = copy.copy(model).set_params(callback=None, **({} if of_texts else {"executor": None}))
    given = to_read_again(documents) if of_texts else documents

    def attempt() -> Any:
        inputs = Inputs.of(cluster, given) if of_texts else Inputs.of_rows(cluster, given)
        there = cluster.constant("model", used)
        scores = [
            cluster.task(f"score-{number}", score_partition, number, there, inputs.reference(number), column, of_texts)
            for number in range(inputs.n_partitions)
        ]
        return np.concatenate(cluster.read(scores)) if compute else scores

    with cluster.freeing():
        return cluster.persist(attempt)


def to_frame(model: TextOutlierDetector, table: Any, column: str | None = None) -> Any:
    """Return a Dask dataframe with the results of its documents, by `TextOutlierDetector.to_frame` of each partition.

    Nothing is computed yet. Who computes or writes the dataframe, as by its ``to_parquet``, lets workers score the documents,
    and those that are lost meanwhile are scored again.

    Parameters
    ----------
    model : TextOutlierDetector
        Fitted.
    table : dask dataframe
    column : str, optional
        The column with the texts, as in `TextOutlierDetector.to_frame`.

    Returns
    -------
    frame : dask dataframe
        All columns of the table, and ``score``, ``flagged``, ``topic`` and ``reason``. There is no ``rank``, which needs the
        scores of all partitions.
    """
    from dask import delayed
    from dask.dataframe.dispatch import make_meta

    check_is_fitted(model)
    used = copy.copy(model).set_params(callback=None)
    known = results_of_partition(make_meta(table), used, column)
    return table.map_partitions(results_of_partition, delayed(used, pure=False), column, meta=known)


def results_of_partition(part: Any, model: TextOutlierDetector, column: str | None) -> Any:
    """Return a partition with the results of its documents, on the worker's threads."""
    results = model.set_params(n_jobs=threads_of_this_worker()).to_frame(part, column).drop(columns="rank")
    return results.astype({"topic": "Int64"})  # the same in all partitions, whether some document has no topic or not


def score_partition(number: int, model: Any, given: Any, column: str | None, of_texts: bool) -> Array:
    """Score one partition, on the worker's threads."""
    documents: Any = list(list_of(given, column)) if of_texts else together(given)
    if documents is None or (len(documents) if of_texts else documents.shape[0]) == 0:
        return np.zeros(0)
    try:
        scores: Array = model.set_params(n_jobs=threads_of_this_worker()).outlier_score(documents)
    except InputError as error:
        raise InputError(f"Partition {number}: ", error.message) from error
    return scores
