"""Counted documents on disk.

First every document is counted by provisional numbers of words (files ``raw-…``), and its name and excerpt are written
(``names-…``). Then, when all documents are counted, the words of boilerplate are taken away from the counts, and when the
vocabulary is known, the counts become shards (``shard-…``, `tonmf.detector.disk.shards`). The vocabulary and the files of fits
(``H``, ``among``, ``kept``, ``fits-…``) are beside them. ``store.json`` is written last: a store without it is made anew.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.disk.budget import Budget
from tonmf.detector.disk.release import release_memory
from tonmf.detector.disk.shards import TOTALS, ShardSource, write_shard
from tonmf.detector.explain.profile import excerpt_of
from tonmf.detector.scores.corpus import Corpus
from tonmf.errors import InputError
from tonmf.nmf.blocks import SerialExecutor
from tonmf.storage.array_file import ArrayFile, DamagedFileError, write_arrays
from tonmf.storage.json_file import read_json, write_json
from tonmf.text.batches import Batch, Batches
from tonmf.text.counts import OUTSIDE, PASSED_OVER, NumberedCounts, OwnCounts, counts_by_column, threads_for
from tonmf.text.passages import NOTHING, Boilerplate, GrowingTally, PassageKeys, PassageTally
from tonmf.text.side_by_side import in_order
from tonmf.text.totals import WordTotals
from tonmf.text.vocabulary.growing import GrowingVocabulary, LearntTerms
from tonmf.text.vocabulary.terms import TermCounter
from tonmf.text.weighting import damped, idf_of, term_weights, unit_rows

VERSION = 5

FILES = re.compile(
    r"(store\.json|vocabulary\.json|boilerplate\.json|embeddings|H|terms-0|(names|raw|shard)-\d{5,})(\.part)?"
)
FOLDERS = re.compile(r"among|kept|fits-[0-9a-f]{16}")
"""All files of a store and of the fits in it; nothing else in the folder is ever removed."""

SHARD_DOCS, SHARD_VALUES = 32_768, 3_000_000
"""Documents and stored counts after which a shard is full."""


@dataclass(frozen=True)
class StoreFacts:
    """The contents of ``store.json``; `memory` is the memory limit that documents were counted with."""

    memory: int
    shards: list[tuple[str, int]]
    n_docs: int
    n_terms: int
    any_words: bool
    forgotten_up_to: int
    n_left_out: int

    def lacks_words(self, budget: Budget) -> bool:
        """Check whether words were left out that would fit into memory now."""
        left_out = self.n_left_out > 0 and budget.terms(self.n_docs) > self.n_terms
        return budget.n_bytes > self.memory and (self.forgotten_up_to > 0 or left_out)


class Store:
    """A folder of counted documents.

    Parameters
    ----------
    folder : Path
        An empty folder, or one that holds a store.
    identity : dict
        What must be the same for a store to be used again, in terms of JSON.
    """

    def __init__(self, folder: Path, identity: dict[str, Any]) -> None:
        self.folder, self._identity = folder, json.loads(json.dumps(identity))

    def open(self) -> StoreFacts | None:
        """Read what the store holds; None if it is not made yet."""
        path = self.folder / "store.json"
        if not path.exists():
            return None
        stored = read_json(path)
        version, identity = stored.pop("version"), stored.pop("identity")
        if version != VERSION or identity != self._identity:
            what = "by another version of tonmf" if version != VERSION else _difference(identity, self._identity)
            raise InputError(
                f"The cache folder {self.folder} was made {what}. Give another folder, or remove this one to begin anew."
            )
        return StoreFacts(**{**stored, "shards": [tuple(shard) for shard in stored["shards"]]})

    def make(
        self, batches: Batches, counter: TermCounter, min_df: float, budget: Budget, n_threads: int = 1
    ) -> StoreFacts:
        """Count documents and write them, in place of what is there."""
        self._clear()
        words, passages = GrowingVocabulary(budget.words, counter.passes_over), GrowingTally()
        any_words = False
        shards: list[tuple[str, int]] = []
        for number, group in enumerate(_groups(batches, counter, words, passages, n_threads)):
            counted = group.joined()
            any_words = any_words or bool(counted.n_words.any())
            write_names(self.folder / f"names-{number:05}", group.ids, group.excerpts)
            write_arrays(self.folder / f"raw-{number:05}", {**vars(counted), **group.keys()})
            shards.append((f"shard-{number:05}", len(counted.n_words)))
            budget.check(words.n_docs)
        share = counter.boilerplate_share
        boilerplate = NOTHING if share is None else passages.total().boilerplate(share, counter.analyze)
        del passages
        if len(boilerplate):
            any_words = self._leave_out(boilerplate, counter, words, shards)
        write_json(self.folder / "boilerplate.json", _listed(boilerplate))
        vocabulary = words.finished(min_df, counter.rules, budget.terms(words.n_docs))
        write_json(self.folder / "vocabulary.json", {"terms": vocabulary.terms})
        forgotten, n_docs, n_terms = words.forgotten_up_to, words.n_docs, len(vocabulary.terms)
        # Their memory is needed for what follows, and a few words here and there would keep that of all.
        del words
        vocabulary = replace(vocabulary, terms=[])
        counter.forget_tables()
        release_memory()
        self._weigh(vocabulary, n_docs, shards, n_threads)
        facts = StoreFacts(budget.n_bytes, shards, n_docs, n_terms, any_words, forgotten, vocabulary.n_left_out)
        write_json(self.folder / "store.json", {"version": VERSION, "identity": self._identity, **vars(facts)})
        return facts

    def _clear(self) -> None:
        """Remove a store, finished or not, and the fits in it."""
        (self.folder / "store.json").unlink(missing_ok=True)  # first, so that no half of a store is taken for one
        for path in list(self.folder.iterdir()):
            if path.is_dir() and FOLDERS.fullmatch(path.name):
                shutil.rmtree(path)
            elif path.is_file() and FILES.fullmatch(path.name):
                path.unlink()

    def _leave_out(
        self,
        boilerplate: Boilerplate,
        counter: TermCounter,
        words: GrowingVocabulary,
        shards: Sequence[tuple[str, int]],
    ) -> bool:
        """Take the words of boilerplate away from all counts; return whether any document has words left."""
        any_words = False
        for name, _ in shards:
            raw = self.folder / name.replace("shard", "raw")
            file = ArrayFile(raw)
            counted, keys = _counts_in(file), PassageKeys(file.map("passage_ends"), file.map("passage_keys"))
            left = counter.without_boilerplate(counted, keys, boilerplate, words.number_of)
            words.replace(counted, left)
            write_arrays(raw, vars(left))
            any_words = any_words or bool(left.n_words.any())
        return any_words

    def _weigh(self, vocabulary: LearntTerms, n_docs: int, shards: Sequence[tuple[str, int]], n_threads: int) -> None:
        """Turn provisional numbers into columns, and counts into unit rows."""
        idf = idf_of(vocabulary.document_frequencies, n_docs)
        weights, background = term_weights(idf), np.zeros(len(idf))
        columns_of = _ColumnsOfNumbers(vocabulary)

        def weigh(name: str) -> Array:
            """Write a shard, and return its part of the background."""
            raw = self.folder / name.replace("shard", "raw")
            counted = _counts_in(ArrayFile(raw))
            columns = columns_of.of(counted.numbers)
            counts = counts_by_column(counted.ends, counted.counts, columns, len(idf), counted.n_words)
            C = damped(counts.matrix)
            write_shard(self.folder / name, unit_rows(C, weights), C, _small(counts.totals))
            raw.unlink()
            return np.bincount(C.indices, C.data, len(idf)).astype(np.float64)

        for part in in_order(weigh, (name for name, _ in shards), n_threads):
            background += part
        write_arrays(self.folder / "terms-0", {"idf": idf, "background": background})

    def terms(self, facts: StoreFacts) -> list[str]:
        """Return the terms of the vocabulary."""
        terms: list[str] = read_json(self.folder / "vocabulary.json")["terms"]
        if len(terms) != facts.n_terms:
            raise DamagedFileError(
                f"{self.folder} is damaged: its parts do not belong together. Remove it and run again."
            )
        return terms

    def boilerplate(self) -> Boilerplate:
        """Return what is left out of the documents."""
        stored = read_json(self.folder / "boilerplate.json")
        texts, terms = tuple(stored["texts"]), tuple(map(tuple, stored["terms"]))
        return Boilerplate(texts, terms, np.array(stored["keys"], np.int64), np.array(stored["shares"], np.float64))

    def corpus(self, facts: StoreFacts, terms: list[str]) -> Corpus:
        """Return the documents as a corpus."""
        source = ShardSource(self.folder, facts.shards, facts.n_terms)
        file = ArrayFile(self.folder / "terms-0")
        totals = WordTotals.joined([_held(block.totals) for block in source.blocks()])
        names = [(name.replace("shard", "names"), n_docs) for name, n_docs in facts.shards]

        def describe(rows: NDArray[np.int64]) -> tuple[list[str], list[str]]:
            return ids_and_excerpts(self.folder, names, rows)

        idf, background = (np.array(file.map(name)) for name in ("idf", "background"))
        return Corpus(source, SerialExecutor(), terms, idf, term_weights(idf), background, totals, describe)


@dataclass(frozen=True)
class _CountedBatch:
    """A batch, without its texts, which may be long: names, excerpts, counts, and passages if there is to be boilerplate."""

    ids: list[str]
    excerpts: list[str]
    own: OwnCounts
    passages: PassageKeys | None
    tally: PassageTally | None

    @classmethod
    def of(cls, batch: Batch, counter: TermCounter) -> Self:
        """Count a batch."""
        excerpts = list(map(excerpt_of, batch.content))
        own, passages = counter.own(batch.content, counter.boilerplate_share is not None)
        tally = None if passages is None else counter.tally(batch.content, passages)
        return cls(batch.ids, excerpts, own, passages, tally)


@dataclass
class _Group:
    """Documents of one shard: names, excerpts and counts by the numbers of words."""

    ids: list[str] = field(default_factory=list)
    excerpts: list[str] = field(default_factory=list)
    counted: list[NumberedCounts] = field(default_factory=list)
    passages: list[PassageKeys] = field(default_factory=list)

    def add(self, batch: _CountedBatch, counted: NumberedCounts) -> None:
        """Add a batch."""
        self.ids += batch.ids
        self.excerpts += batch.excerpts
        self.counted.append(counted)
        self.passages += [] if batch.passages is None else [batch.passages]

    def is_full(self) -> bool:
        """Check whether the shard is full."""
        return len(self.ids) >= SHARD_DOCS or sum(len(part.numbers) for part in self.counted) >= SHARD_VALUES

    def joined(self) -> NumberedCounts:
        """Join all counts."""
        return NumberedCounts.joined(self.counted)

    def keys(self) -> dict[str, NDArray[np.int64]]:
        """Join the keys of all passages, to be written beside the counts."""
        if not self.passages:
            return {}
        joined = PassageKeys.joined(self.passages)
        return {"passage_ends": joined.ends, "passage_keys": joined.keys}


def _groups(
    batches: Batches, counter: TermCounter, words: GrowingVocabulary, tally: GrowingTally, n_threads: int
) -> Iterator[_Group]:
    group, n_threads = _Group(), threads_for(counter.analyze, n_threads)
    for batch in in_order(lambda batch: _CountedBatch.of(batch, counter), batches, n_threads):
        if batch.tally is not None:
            tally.add(batch.tally)
        group.add(batch, words.add(batch.own))
        if group.is_full():
            yield group
            group = _Group()
    if group.ids:
        yield group


def _counts_in(file: ArrayFile) -> NumberedCounts:
    return NumberedCounts(*(file.map(part) for part in NumberedCounts.__dataclass_fields__))


def _listed(boilerplate: Boilerplate) -> dict[str, Any]:
    return {
        "texts": boilerplate.texts,
        "terms": boilerplate.terms,
        "keys": boilerplate.keys.tolist(),
        "shares": boilerplate.shares.tolist(),
    }


class _ColumnsOfNumbers:
    """The columns of the terms of a vocabulary, by the numbers of words; `OUTSIDE` for other words, or `PASSED_OVER`."""

    def __init__(self, vocabulary: LearntTerms) -> None:
        columns = np.arange(len(vocabulary.numbers), dtype=np.int32)
        passed_over = np.full(len(vocabulary.passed_over), PASSED_OVER, np.int32)
        numbers = np.concatenate([vocabulary.numbers, vocabulary.passed_over])
        order = np.argsort(numbers)
        self._numbers, self._columns = numbers[order], np.concatenate([columns, passed_over])[order]
        self._table: NDArray[np.int32] | None = None
        largest = int(self._numbers[-1]) if len(self._numbers) else -1
        if largest < LARGEST_TABLE:
            self._table = np.full(largest + 2, OUTSIDE, np.int32)  # the last is for all numbers that are larger
            self._table[self._numbers] = self._columns

    def of(self, numbers: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the columns of words, given by number."""
        if self._table is not None:
            return self._table[np.minimum(numbers, len(self._table) - 1)]
        places = np.minimum(np.searchsorted(self._numbers, numbers), len(self._numbers) - 1)
        return np.where(self._numbers[places] == numbers, self._columns[places], OUTSIDE).astype(np.int32)


LARGEST_TABLE = 16_000_000
"""Numbers of words up to which their columns are looked up in a table; it takes four bytes for each."""


def _small(totals: WordTotals) -> WordTotals:
    """Store totals in half the space."""
    n_words, n_distinct, n_outside = (getattr(totals, name).astype(np.int32) for name in TOTALS[:3])
    return WordTotals(n_words, n_distinct, n_outside, totals.outside_weight)


def _held(totals: WordTotals) -> WordTotals:
    """Copy totals, so that they keep no file open."""
    return WordTotals(*(np.array(getattr(totals, name)) for name in TOTALS))


def _difference(one: Any, other: Any) -> str:
    if not isinstance(one, dict):
        return "for other documents or with other options"
    changed = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    if changed == ["documents"]:
        return "for other documents, or they have changed or are read with other options since"
    return f"with other options ({', '.join(sorted(set(changed) - {'documents'}))})"


def write_names(path: Path, ids: Sequence[str], excerpts: Sequence[str]) -> None:
    """Write the names and excerpts of some documents."""
    arrays = {}
    for name, texts in (("ids", ids), ("excerpts", excerpts)):
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        arrays[f"{name}_ends"] = np.cumsum([0, *map(len, encoded)])
        arrays[name] = np.frombuffer(b"".join(encoded), np.uint8)
    write_arrays(path, arrays)


def ids_and_excerpts(
    folder: Path, files: Sequence[tuple[str, int]], rows: NDArray[np.int64]
) -> tuple[list[str], list[str]]:
    """Read the names and excerpts of documents with rising numbers; `files` are pairs of a name and a number of documents."""
    found: dict[str, list[str]] = {"ids": [], "excerpts": []}
    first = 0
    for name, n_docs in files:
        low, high = np.searchsorted(rows, [first, first + n_docs])
        if low < high:
            file = ArrayFile(folder / name)
            for part, texts in found.items():
                texts += _texts(file, part, rows[low:high] - first)
        first += n_docs
    return found["ids"], found["excerpts"]


def _texts(file: ArrayFile, part: str, rows: NDArray[np.int64]) -> list[str]:
    ends, encoded = file.map(f"{part}_ends"), file.map(part)
    try:
        return [encoded[ends[row] : ends[row + 1]].tobytes().decode("utf-8", "surrogatepass") for row in rows]
    except UnicodeDecodeError as error:
        raise file.damaged(f"its {part} are no text") from error
