"""The served model: loaded and checked once; answers for documents."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.detector import TextOutlierDetector
from tonmf.detector.explain.explanation import main_alarm_of
from tonmf.errors import InputError, Param, unquoted
from tonmf.io.marks import MARKS
from tonmf.persist import load_detector
from tonmf.ranking import judged_among
from tonmf.service.errors import ServiceError
from tonmf.storage.bundles import read_bundle
from tonmf.text.documents import COUNTS, ITEMS
from tonmf.text.vocabulary.matrix import column_numbers

Named = tuple[str, Any]
"""A document's id and the document: a text, a list of items, or a dictionary of counts by column."""

log = logging.getLogger("tonmf.service")

EMBEDDER_FAILS = "The server's embedding model fails, so documents cannot be scored now. Try again later."

WARM_UP_TERMS = 30
"""Terms of the document that is scored before the first request."""


@dataclass
class ServedModel:
    """A detector, with what every request needs of it.

    ============ ======================================================================
    detector     a fitted one, which embeds documents itself if it compares embeddings; marks put another in its place
    provenance   when and with what it was saved
    columns      of a model of counts: the numbers of its columns by name
    waiting      marks on documents that were not sent yet, by their ids
    ============ ======================================================================
    """

    detector: TextOutlierDetector
    provenance: dict[str, Any]
    columns: Mapping[str, int]
    waiting: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, path: str, threads: int | None = None, embedder: str | None = None) -> ServedModel:
        """Load a saved model, and what embeds its documents; raise `InputError` if it cannot be served."""
        detector = load_detector(path).set_params(n_jobs=threads)
        if detector.uses_embeddings_:
            if embedder is not None:
                detector.set_params(embedder=embedder)
            if detector.embedder is None:
                raise InputError(
                    f"{path} was fitted with embeddings, which the server cannot make for new documents. Name the model that "
                    "makes them (",
                    Param("embedder"),
                    "), or fit without them.",
                )
            detector.embed([""])  # loads the embedder, and refuses another
        return cls.of(detector, dict(read_bundle(path).part("provenance").fields))

    @classmethod
    def of(cls, detector: TextOutlierDetector, provenance: dict[str, Any]) -> ServedModel:
        """Serve a fitted detector."""
        return cls(detector, provenance, column_numbers(detector.column_names_, detector.n_columns_ or 0))

    @property
    def kind(self) -> str:
        """Return the kind of documents: texts, rows of items, or a matrix of counts."""
        kind: str = self.detector.kind_
        return kind

    def score(self, documents: Sequence[Named]) -> list[dict[str, Any]]:
        """Return each document's score, p-value and rank among the training documents, and whether it is flagged and judged."""
        self.meet(documents)
        content = self.content(documents)
        scores, p_values = self.detector.score_with_p_value(content, embeddings=self.embedded(content))
        return self._scored(documents, scores, p_values, judged_among(self.detector, content, scores))

    def score_with_topics(self, documents: Sequence[Named]) -> list[dict[str, Any]]:
        """Return the same, and each document's main topic and main alarm, which takes as long."""
        self.meet(documents)
        content = self.content(documents)
        read = self.detector.read(content, embeddings=self.embedded(content))
        found = read.scores
        alarms = [
            main_alarm_of({name: value for name, value in zip(found.alarms, values, strict=True) if value > 0})
            for values in np.column_stack(list(found.alarms.values())).tolist()
        ]
        return [
            {**answer, "topic": topic, "main_alarm": alarm}
            for answer, topic, alarm in zip(
                self._scored(documents, found.total, read.p_values, found.judged),
                read.main_topics(),
                alarms,
                strict=True,
            )
        ]

    def _scored(
        self, documents: Sequence[Named], scores: Array, p_values: Array, judged: NDArray[np.bool_]
    ) -> list[dict[str, Any]]:
        flagged, ranks = judged & (scores > self.detector.threshold_), self.detector.rank(scores, judged)
        return [
            {"id": name, "score": score, "p_value": p_value, "outlier": outlier, "rank": rank, "judged": is_judged}
            for (name, _), score, p_value, outlier, rank, is_judged in zip(
                documents,
                scores.tolist(),
                p_values.tolist(),
                flagged.tolist(),
                ranks.tolist(),
                judged.tolist(),
                strict=True,
            )
        ]

    def explain(self, documents: Sequence[Named], n_words: int, n_nearest: int, pieces: bool) -> list[dict[str, Any]]:
        """Return an explanation for each document."""
        self.meet(documents)
        names, content = [name for name, _ in documents], self.content(documents)
        reasons = self.detector.explain(
            content, embeddings=self.embedded(content), names=names, n_words=n_words, n_nearest=n_nearest
        )
        answers = []
        for (_, document), why in zip(documents, reasons, strict=True):
            answer = why.to_dict()
            if pieces:
                shown = None if self.kind == COUNTS else self.detector.pieces(document, why.unexpected)
                answer["pieces"] = shown and [[p.text, p.share] if p.share > 0 else p.text for p in shown]
            answers.append(answer)
        return answers

    def topics(self, n_words: int) -> list[dict[str, Any]]:
        """Return the topics."""
        return [asdict(topic) for topic in self.detector.topics(n_words)]

    def warm_up(self, nothing: Sequence[None]) -> Sequence[None]:
        """Compile the kernels before the first request; runs in the thread that serves requests."""
        terms = self.detector.terms_[:WARM_UP_TERMS]
        document: Any = " ".join(terms)
        if self.kind == ITEMS:
            document = list(terms)
        elif self.kind == COUNTS:
            document = {0: 1}
        self.score([("0", document)])
        self.explain([("0", document), ("1", document)], 10, 3, True)
        return nothing

    def mark(self, documents: Sequence[Named], marks: Mapping[str, str]) -> TextOutlierDetector:
        """Return the detector with marks on some of these documents; the served one stays as it is."""
        detector, names = copy(self.detector), [name for name, _ in documents]
        strange, fine = ([name for name in names if marks.get(name) == mark] for mark in MARKS)
        content = self.content(documents)
        return detector.mark(strange, fine, documents=content, embeddings=self.embedded(content), names=names)

    def meet(self, documents: Sequence[Named]) -> Sequence[Named]:
        """Mark the documents that a mark was waiting for; return all documents."""
        met = {name: (name, content) for name, content in documents if name in self.waiting} if self.waiting else {}
        if not met:
            return documents
        judged = self.detector.alarms(self.content(list(met.values())))["empty"] == 0
        known = [named for named, is_judged in zip(met.values(), judged, strict=True) if is_judged]
        if known:
            self.detector = self.mark(known, self.waiting)
        for name in met:
            del self.waiting[name]
        return documents

    @property
    def embedder(self) -> str | None:
        """Return the name of the model that embeds documents, without the address of a server; None if there is none."""
        name = self.detector.embedder if self.detector.uses_embeddings_ else None
        return None if name is None else str(name).rpartition("#")[2]

    def embedded(self, content: Any) -> Array | None:
        """Return the embeddings of documents, None if there are none; an embedder that fails is no fault of the request."""
        try:
            return self.detector.embed(content)
        except InputError as error:
            log.warning("documents cannot be embedded: %s", unquoted(error.message))
            raise ServiceError(503, EMBEDDER_FAILS, {"Retry-After": "60"}) from error

    def content(self, documents: Sequence[Named]) -> Any:
        """Return documents in the form that the detector takes."""
        content = [document for _, document in documents]
        if self.kind != COUNTS:
            return content
        ends = np.cumsum([0, *map(len, content)])
        columns = [column for counts in content for column in counts]
        values = [count for counts in content for count in counts.values()]
        shape = (len(content), len(self.columns))
        return sp.csr_matrix((np.array(values, float), np.array(columns, np.int64), ends), shape=shape)
