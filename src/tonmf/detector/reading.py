"""Read documents by a fitted detector: count them, make a corpus of them, and score that.

`Reader` belongs to one state of a detector. `ReadDocuments` are what it returns: all that this state says about documents, for
explanations, for learning and for other rooms (`tonmf.timeline`), each part computed when it is first asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.explainer import Explainer, alarms_of
from tonmf.detector.explain.explanation import Explanation, TopicShare
from tonmf.detector.explain.unexpected import Leftovers, UnexpectedWord
from tonmf.detector.marking import marked
from tonmf.detector.marks.effects import Effects
from tonmf.detector.marks.likeness import known_of
from tonmf.detector.scores.alarms import without_alarm
from tonmf.detector.scores.corpus import Corpus
from tonmf.detector.scores.embeddings import check_new_embeddings
from tonmf.detector.scores.scoring import DocumentScores, mean_score
from tonmf.detector.state import DetectorState
from tonmf.embed import Encoder
from tonmf.errors import InputError
from tonmf.nmf.mixture import Reading
from tonmf.nmf.ops import Ops
from tonmf.nmf.threads import one_blas_thread
from tonmf.text.counts import Counts, Outside
from tonmf.text.documents import as_documents, check_names, is_matrix, n_documents
from tonmf.text.forms import forms_in


@dataclass(frozen=True)
class Reader:
    """One state of a detector, ready to read documents; `max_topics` decides on the size of blocks."""

    state: DetectorState
    explainer: Explainer
    ops: Ops
    max_topics: int
    encoder: Callable[[], Encoder | None] = lambda: None

    def embeddings_of(
        self, documents: Any, embeddings: Any, progress: Callable[[float], object] | None = None
    ) -> Array | None:
        """Return the embeddings of documents at unit norm, given or made; None if the detector was fitted without.

        `documents` are texts if there is an embedder. Those that are given are checked. `progress` gets the share that is made.
        """
        width, by, encoder = self.state.scorer.embedding_width, self.state.embedded_by, None
        if width is not None and embeddings is None:
            encoder = self.encoder()
        if encoder is not None:
            if by is not None:
                by.check(encoder)
            embeddings = encoder.encode(documents, progress)
        return check_new_embeddings(embeddings, n_documents(documents), width, None if by is None else by.name)

    def score(self, documents: Any, embeddings: Any = None, marks: bool = True) -> DocumentScores:
        """Score documents, with or without what marks add."""
        documents = self._checked(documents)
        rows, corpus = self.embeddings_of(documents, embeddings), self.corpus(self._counted(documents))
        with one_blas_thread():
            scores = self.state.scorer.score(self.ops, corpus, rows)
            return self.marked(scores, corpus, rows) if marks else scores

    def score_with_p_values(self, documents: Any, embeddings: Any = None) -> tuple[DocumentScores, Array]:
        """Score documents, with what marks add, and return their p-values as well, which are those without."""
        documents = self._checked(documents)
        rows, corpus = self.embeddings_of(documents, embeddings), self.corpus(self._counted(documents))
        with one_blas_thread():
            unmarked = self.state.scorer.score(self.ops, corpus, rows)
            return self.marked(unmarked, corpus, rows), self.p_values(unmarked, corpus)

    def p_values(self, unmarked: DocumentScores, corpus: Corpus) -> Array:
        """Return the p-values of documents with these scores, without marks; training documents are known again."""
        of_new = self.state.reference.p_of_new(unmarked.total, corpus.totals.n_distinct, unmarked.judged)
        return self.state.known_p_values(unmarked, of_new)

    def marked(self, scores: DocumentScores, corpus: Corpus, embeddings: Array | None) -> DocumentScores:
        """Return scores of documents with what marks add to them; the same scores if there are no marks."""
        if self.state.marking is None:
            return scores
        return marked(scores, self.state.marking.effects.on(known_of(corpus.source.matrix(), embeddings)))

    def follow(self, documents: Any, embeddings: Any = None) -> FollowingScores:
        """Score documents without marks, and keep what marks are measured by."""
        documents = self._checked(documents)
        rows, corpus = self.embeddings_of(documents, embeddings), self.corpus(self._counted(documents))
        with one_blas_thread():
            unmarked = self.state.scorer.score(self.ops, corpus, rows)
        return FollowingScores(unmarked, known_of(corpus.source.matrix(), rows))

    def rows(self, documents: Any) -> sp.csr_matrix:
        """Return the unit rows of documents."""
        return self.corpus(self._counted(self._checked(documents))).source.matrix()

    def alarms(self, documents: Any) -> dict[str, Array]:
        """Return the alarms of documents, without their scores."""
        corpus = self.corpus(self._counted(self._checked(documents)))
        return self.state.scorer.alarms.raised(corpus.totals, corpus.rarity())

    def read(self, documents: Any, embeddings: Array | None, names: Sequence[Any] | None) -> ReadDocuments:
        """Read documents in full.

        `embeddings` have been checked. Without names, documents are called by how many the detector had seen before each.
        """
        documents = self._checked(documents)
        counts, outside = self.state.counter.count_all(documents, self.ops.n_threads)
        n_docs, before = counts.matrix.shape[0], 0 if self.state.stream is None else self.state.stream.n_seen
        ids = check_names(range(before, before + n_docs) if names is None else names, n_docs)
        return ReadDocuments(self, documents, ids, counts, outside, self.corpus(counts), embeddings)

    def _counted(self, documents: Any) -> Counts:
        return self.state.counter.count(documents, self.ops.n_threads)

    def _checked(self, documents: Any) -> Any:
        """Reject documents of another kind than those that the detector was fitted on."""
        documents, kind = as_documents(documents)
        if kind != self.state.kind:
            raise InputError(f"The detector was fitted on {self.state.kind}, but got {kind}.")
        return documents

    def corpus(self, counts: Counts) -> Corpus:
        """Make a corpus in memory of counted documents, weighed by this state."""
        state = self.state
        return Corpus.in_memory(
            counts.matrix,
            counts.totals,
            state.counter.terms,
            state.idf,
            state.weights,
            self.max_topics,
            self.ops,
            background=state.background,
        )


@dataclass(frozen=True)
class FollowingScores:
    """Documents that were read once, and whose scores follow marks: their scores without marks, and what is known of them."""

    unmarked: DocumentScores
    known: Sequence[Any]

    def by(self, effects: Effects | None) -> Array:
        """Return their scores with what marks add; without marks if there are none."""
        if effects is None:
            return self.unmarked.total
        with one_blas_thread():
            return marked(self.unmarked, effects.on(self.known)).total


@dataclass(frozen=True)
class ReadDocuments:
    """Documents as one state of a detector sees them.

    =========== ================ =======================================================================
    field       shape            what
    =========== ================ =======================================================================
    reader                       the state that read them
    documents   n_docs           as they were given
    ids         n_docs           what they are called
    counts                       their counts
    outside     n_docs           words outside the vocabulary, and how often each occurs; with those that do not count
    corpus                       the same as a corpus in memory
    embeddings  n_docs × width   at unit norm, if the detector was fitted with embeddings
    readings    n_rungs          their mixtures, by each rung
    unmarked                     their scores without marks
    scores                       their scores
    p_values    n_docs           the share of ordinary documents that are at least as strange, without marks
    leftovers                    what the topics explain of them, and what not
    =========== ================ =======================================================================
    """

    reader: Reader
    documents: Any
    ids: Sequence[str]
    counts: Counts
    outside: Outside
    corpus: Corpus
    embeddings: Array | None

    @classmethod
    def joined(cls, parts: Sequence[ReadDocuments]) -> ReadDocuments:
        """Join lists of documents that one state has read; readings, scores and leftovers are not computed again."""
        reader = parts[0].reader
        if any(part.reader.state is not reader.state for part in parts):
            raise ValueError("Only documents that one state of a detector has read can be joined.")
        if len(parts) == 1:
            return parts[0]
        leftovers = Leftovers.joined([part.leftovers for part in parts])
        counts = leftovers.counts
        documents, ids, outside = (
            [one for part in parts for one in getattr(part, name)] for name in ("documents", "ids", "outside")
        )
        given = [part.embeddings for part in parts if part.embeddings is not None]
        embeddings = np.concatenate(given) if given else None
        joined = cls(reader, documents, ids, counts, outside, reader.corpus(counts), embeddings)
        # Where a cached property keeps its value.
        joined.__dict__["readings"] = [
            Reading.joined(of_rung) for of_rung in zip(*(part.readings for part in parts), strict=True)
        ]
        joined.__dict__["unmarked"] = DocumentScores.joined([part.unmarked for part in parts])
        joined.__dict__["leftovers"] = leftovers
        return joined

    def terms(self, row: int) -> Counter[str]:
        """Return the term counts of a document, in the vocabulary or not."""
        matrix, names = self.counts.matrix, self.corpus.terms
        inside = slice(matrix.indptr[row], matrix.indptr[row + 1])
        columns, numbers = matrix.indices[inside].tolist(), matrix.data[inside].astype(np.int64).tolist()
        known = zip(map(names.__getitem__, columns), numbers, strict=True)
        return Counter({**dict(known), **self.outside[row]})

    @cached_property
    def readings(self) -> list[Reading]:
        """Return the mixtures of the documents, by each rung."""
        return [self.corpus.read(rung.mixture, self.reader.ops) for rung in self.reader.state.scorer.rungs]

    @cached_property
    def scores(self) -> DocumentScores:
        """Return the scores of the documents."""
        with one_blas_thread():
            return self.reader.marked(self.unmarked, self.corpus, self.embeddings)

    @cached_property
    def unmarked(self) -> DocumentScores:
        """Return the scores of the documents without what marks add."""
        scorer = self.reader.state.scorer
        topics = mean_score(rung.score(reading) for rung, reading in zip(scorer.rungs, self.readings, strict=True))
        with one_blas_thread():
            return scorer.score(self.reader.ops, self.corpus, self.embeddings, topics)

    @cached_property
    def p_values(self) -> Array:
        """Return the p-values of the documents, as new ones."""
        return self.reader.p_values(self.unmarked, self.corpus)

    @cached_property
    def leftovers(self) -> Leftovers:
        """Return what the topics leave of the documents."""
        out = set(filter(self.reader.state.counter.passes_over, set().union(*self.outside)))
        outside = [_without(words, out) for words in self.outside] if out else self.outside
        return Leftovers.of(self.reader.ops, self.counts, outside, self.reader.state.scorer.rungs, self.readings)

    @property
    def explained(self) -> Array:
        """Return the share of each document that each topic of the finest rung explains, n_docs × n_topics."""
        return self.leftovers.explained

    def main_topics(self) -> list[int | None]:
        """Return the number of each document's main topic, None if it leans on none."""
        return self.reader.explainer.main_topics(self.leftovers)

    def topic_shares(self) -> list[list[TopicShare]]:
        """Return for each document the topics that it leans on, the largest share first."""
        return self.reader.explainer.topic_shares(self.leftovers)

    def alarms(self) -> list[dict[str, float]]:
        """Return for each document the alarms that it raises; its score is not needed for them."""
        raised = self.reader.state.scorer.alarms.raised(self.corpus.totals, self.corpus.rarity())
        return alarms_of(raised, len(self.ids))

    @property
    def unit_rows(self) -> sp.csr_matrix:
        """Return the unit rows of the documents."""
        return self.corpus.source.matrix()

    def unexpected_words(self, n_words: int) -> list[list[UnexpectedWord]]:
        """Return the words of each document that say most about what no topic explains."""
        return self.reader.explainer.words(self.reader.ops, self.leftovers, n_words, self.own_forms)

    def own_forms(self, row: int) -> dict[str, str]:
        """Return the words to show for the terms outside the vocabulary that a document has (`tonmf.text.forms`)."""
        if is_matrix(self.documents) or not self.outside[row]:
            return {}
        return forms_in(self.documents[row], self.reader.state.counter.analyze, self.outside[row])

    def explain(self, n_words: int, n_nearest: int, n_missing: int) -> list[Explanation]:
        """Explain the scores of the documents."""
        Y = self.corpus.source.matrix()
        with one_blas_thread():
            return self.reader.explainer.explain(
                self.reader.ops,
                self.ids,
                self.leftovers,
                Y,
                self.readings,
                self.scores,
                self.p_values,
                n_words,
                n_nearest,
                n_missing,
                self.own_forms,
                self.embeddings,
            )

    @property
    def has_words(self) -> NDArray[np.bool_]:
        """Return True for the documents that have a word."""
        return self.counts.n_words > 0

    @property
    def readable(self) -> NDArray[np.bool_]:
        """Return True for the documents that have a word of the vocabulary."""
        return self.corpus.readable

    @property
    def quiet(self) -> NDArray[np.bool_]:
        """Return True for the readable documents that raise no alarm."""
        return self.readable & without_alarm(self.scores.alarms)

    @property
    def topic_scores(self) -> Array:
        """Return z(b) + z(g) of the documents."""
        return self.scores.measures.topics


def _without(words: dict[str, int], out: Set[str]) -> dict[str, int]:
    return words if out.isdisjoint(words) else {word: n for word, n in words.items() if word not in out}
