"""Run the detector's recipe on documents that do not fit into memory."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral
from pathlib import Path
from typing import Any

from tonmf.detector.disk.budget import Budget, bytes_of, in_units
from tonmf.detector.disk.checkpoints import DiskLadderCheckpoints
from tonmf.detector.disk.embedded import DiskEmbeddings
from tonmf.detector.disk.release import release_memory
from tonmf.detector.disk.store import Store, StoreFacts
from tonmf.detector.embedder import check_can_embed
from tonmf.detector.recipe import Recipe
from tonmf.detector.state import DetectorState
from tonmf.errors import InputError, Message, Param, ParameterError
from tonmf.nmf.threads import n_threads_of
from tonmf.parameters import check_unused
from tonmf.storage.locks import hold
from tonmf.text.analysis import TEXT_OPTIONS
from tonmf.text.batches import Batches, check_unchanged, digest_of
from tonmf.text.choose import check_no_option_idle, make_counter
from tonmf.text.documents import as_documents
from tonmf.text.vocabulary.terms import TermCounter

OF_COUNTING = (*TEXT_OPTIONS, "boilerplate", "min_df")
OF_FITTING = ("topic_shares", "n_restarts", "max_topics", "backend", "random_state")
"""Options that a store, and the fits in it, depend on."""


def learn_on_disk(
    recipe: Recipe,
    batches: Batches,
    values: Mapping[str, Any],
    defaults: Mapping[str, Any],
    embeddings: DiskEmbeddings | None = None,
) -> DetectorState:
    """Learn from documents, within the memory limit and in the cache folder that `values` name.

    With ``values["cache"]`` what is done stays in that folder, and another run of the same goes on from there; otherwise it
    is in a temporary folder, which is gone at the end.
    """
    check_unused(values, defaults, ("vectorizer", "device"), Message("beside ", Param("memory")))
    if values["cache"] is not None and not isinstance(values["random_state"], Integral):
        raise ParameterError(
            Param("random_state"),
            " must be a whole number beside ",
            Param("cache"),
            f", so that a run can go on where another stopped; got {values['random_state']!r}.",
        )
    if values["cache"] is not None and callable(values["analyzer"]):
        raise ParameterError(
            Param("analyzer"),
            " must be a name beside ",
            Param("cache"),
            ": functions cannot be told apart in a new run.",
        )
    budget = Budget(bytes_of(values["memory"]), recipe.n_restarts * len(recipe.topic_shares), recipe.max_topics)
    with _folder(values["cache"]) as folder:
        try:
            return _learn(recipe, batches, values, defaults, budget, folder, embeddings)
        except OSError as error:
            if not _is_of_cache(error, folder):
                raise
            kept = " What was done is kept there: run again to go on." if values["cache"] else ""
            raise InputError(
                f"{error.filename or folder} cannot be written: {error.strerror or error}. The cache folder needs about five "
                f"times the room of the documents: make room in {folder.parent}, or give another.{kept}"
            ) from error


def _learn(
    recipe: Recipe,
    batches: Batches,
    values: Mapping[str, Any],
    defaults: Mapping[str, Any],
    budget: Budget,
    folder: Path,
    embeddings: DiskEmbeddings | None,
) -> DetectorState:
    kind = _kind_of(batches)
    if values["embedder"] is not None:
        check_can_embed(None, kind)
    check_no_option_idle(values, defaults, kind)
    counter = make_counter(values, kind, None)
    assert isinstance(counter, TermCounter)  # noqa: S101 (batches hold no matrices)
    options = {name: _written(values[name]) for name in OF_COUNTING}
    fingerprint = batches.fingerprint
    # A temporary folder needs nothing to be known again by.
    documents = fingerprint or (None if values["cache"] is None else digest_of(batches))
    embedded = {} if embeddings is None else {"embeddings": embeddings.identity}
    store = Store(folder, {"documents": documents, **options, **embedded})
    n_threads = n_threads_of(recipe.n_jobs)
    facts = _found(store, budget) or store.make(batches, counter, recipe.min_df, budget, n_threads)
    release_memory()
    check_unchanged(batches, fingerprint)
    terms = store.terms(facts)
    recipe.check_vocabulary(facts.n_docs, facts.any_words, terms, kind)
    _warn(facts)
    checkpoints = DiskLadderCheckpoints(
        folder / f"fits-{_digest({name: _written(values[name]) for name in OF_FITTING})}"
    )
    known = counter.with_terms(terms).with_boilerplate(store.boilerplate())
    rows, progress = None, None
    if values["embedder"] is not None:
        recipe, progress = recipe.after_embedding()
    if embeddings is not None:
        rows = embeddings.of(batches, folder, facts.n_docs, progress)
        check_unchanged(batches, fingerprint)
    state = recipe.learn_from(store.corpus(facts, terms), kind, known, rows, side_by_side=1, checkpoints=checkpoints)
    release_memory()
    return state


def _kind_of(batches: Batches) -> str:
    """Return the kind of documents, judged by the first of them."""
    first = next(iter(batches), None)
    if first is None:
        raise InputError("Expected at least one document, got none.")
    return as_documents(first.content)[1]


def _found(store: Store, budget: Budget) -> StoreFacts | None:
    """Open the store if it can be used with this memory limit; None if documents must be counted."""
    facts = store.open()
    if facts is None:
        return None
    if facts.lacks_words(budget):
        warnings.warn(
            f"The cache folder {store.folder} was made with {in_units(facts.memory)} of memory, in which not all words fitted; "
            f"with {in_units(budget.n_bytes)} documents are counted anew, in its place.",
            stacklevel=6,
        )
        return None
    budget.check(facts.n_docs)
    budget.check_terms(facts.n_terms, facts.n_docs)
    return facts


def _warn(facts: StoreFacts) -> None:
    """Warn of what did not fit into memory."""
    if facts.forgotten_up_to:
        warnings.warn(
            "There were more distinct words than fit into memory, so rare ones were forgotten on the way: those of up to "
            f"{facts.forgotten_up_to} documents at that point. Allow more memory to know them all.",
            stacklevel=6,
        )
    if facts.n_left_out:
        warnings.warn(
            Message(
                f"The vocabulary has the {facts.n_terms:,} words of most documents; {facts.n_left_out:,} rarer ones did not "
                "fit into memory and count as unknown. Allow more memory, or raise ",
                Param("min_df"),
                ".",
            ),
            stacklevel=6,
        )


def _is_of_cache(error: OSError, folder: Path) -> bool:
    """Check that an error is about the cache folder, and not about the documents."""
    if error.filename is None:
        return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EIO)
    return Path(os.fsdecode(error.filename)).is_relative_to(folder)


def _written(value: Any) -> str:
    """Write an option as text, the same in every process."""
    return repr(sorted(value) if isinstance(value, set | frozenset) else value)


def _digest(options: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()[:16]


@contextmanager
def _folder(cache: str | Path | None) -> Iterator[Path]:
    """Lock the cache folder, or make a temporary one that is removed at the end."""
    if cache is None:
        temporary = Path(tempfile.mkdtemp(prefix="tonmf-"))
        try:
            yield temporary
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return
    folder = Path(cache)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        foreign = not (folder / LOCK).exists() and any(folder.iterdir())
        if foreign:
            raise InputError(
                f"The cache folder {folder} holds something else. Give a folder that is empty or not there yet."
            )
        lock = hold(folder / LOCK)
    except BlockingIOError as error:
        raise InputError(
            f"The cache folder {folder} is in use by another run. Wait for it, or give another."
        ) from error
    except OSError as error:
        raise InputError(
            f"The cache folder {folder} cannot be used: {error.strerror or error}. Give another."
        ) from error
    with lock:
        yield folder


LOCK = "tonmf.lock"
"""File in every cache folder that is locked while the folder is in use."""
