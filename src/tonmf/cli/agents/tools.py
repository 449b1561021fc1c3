"""The tools. Each is a method whose docstring, annotations and answer an agent sees; an error says what to do instead."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from pydantic import Field

from tonmf.cli.agents.allowed import Allowed
from tonmf.cli.agents.answers import (
    Explained,
    ExplainedDocuments,
    FileEntry,
    Files,
    ModelEntry,
    ModelList,
    ModelTopic,
    ModelTopics,
    Nearest,
    Ranked,
    Saved,
    SmallGroup,
    Strange,
    TopicPart,
    Word,
)
from tonmf.cli.agents.call import progress
from tonmf.cli.agents.shelf import Held, ModelShelf
from tonmf.detector.detector import TextOutlierDetector
from tonmf.detector.explain.explanation import Explanation
from tonmf.detector.explain.quotes import cut
from tonmf.errors import InputError
from tonmf.io import ReadOptions
from tonmf.ranking import Ranking
from tonmf.text.documents import TEXTS, as_documents

MOST_LISTED, MOST_NAMED, EXCERPT, GROUPS = 200, 3, 300, 5
"""Files in a list, documents that a group names, characters of a document, and groups."""

FilePaths = Annotated[
    list[str],
    Field(
        min_length=1,
        max_length=100,
        description="Files or folders, as list_files names them: .txt and .log (a document a line), .csv, .tsv, .jsonl, .json, "
        ".parquet, workbooks, mails, .zip, or a folder (a document a file). May be compressed.",
    ),
]
Column = Annotated[str | None, Field(description="Column or JSON key, if the choice in the notes is wrong.")]
Top = Annotated[int, Field(ge=0, le=50, description="Number of documents to return.")]
Fdr = Annotated[
    float | None,
    Field(gt=0, lt=1, description="Flag at this false-discovery rate, such as 0.1, in place of the threshold."),
]
ModelName = Annotated[str, Field(max_length=100, description="A name from detect or list_models.")]
Ids = Annotated[list[str], Field(max_length=100, description="Ids of documents that the model judged last.")]


class Tools:
    """The tools, on the files that are allowed and the models on a shelf; one runs at a time.

    Parameters
    ----------
    allowed : Allowed
    shelf : ModelShelf
    n_jobs : int or None
        Number of threads.
    """

    def __init__(self, allowed: Allowed, shelf: ModelShelf, n_jobs: int | None = None) -> None:
        self._allowed, self._shelf, self._n_jobs = allowed, shelf, n_jobs
        self._turn = threading.Lock()

    def list_files(
        self,
        folder: Annotated[str | None, Field(description="A folder; by default those that the user allows.")] = None,
    ) -> Files:
        """List the files that can be read, and the folders to list next."""
        found, more = self._allowed.entries(folder, MOST_LISTED)
        entries = [FileEntry(path=one.path, folder=one.is_folder, bytes=one.n_bytes) for one in found]
        return Files(files=entries, more=more)

    def list_models(self) -> ModelList:
        """List the models: those fitted here, which are lost at the end of the session, and saved ones."""
        with self._turn:
            saved, held = self._shelf.saved(), {held.name: held for held in self._shelf.held()}
            loaded = [
                ModelEntry(
                    name=name,
                    saved=name in saved,
                    documents=len(one.detector.outlier_scores_),
                    threshold=one.detector.threshold_,
                    marks=len(one.detector.marks_),
                )
                for name, one in held.items()
            ]
            others = [
                ModelEntry(name=name, saved=True, documents=None, threshold=None, marks=None)
                for name in saved
                if name not in held
            ]
            return ModelList(models=[*loaded, *others])

    def detect(
        self,
        files: FilePaths,
        context: Context[Any, Any],
        text_column: Column = None,
        id_column: Column = None,
        stop_words: Annotated[
            str, Field(description="Language of the documents, such as german, or none.")
        ] = "english",
        top: Top = 10,
        fdr: Fdr = None,
    ) -> Ranked:
        """Find the documents that do not belong among those in files, and say why.

        Fits a model on them, which score, explain, mark and topics take by its name. Needs some tens of documents or more.
        Most flagged documents are worth a look; some are ordinary.
        """
        with self._turn:
            documents = self._allowed.read(files, ReadOptions(text_column=text_column, id_column=id_column))
            _, kind = as_documents(documents.content)
            words = None if stop_words == "none" else stop_words
            detector = TextOutlierDetector(n_jobs=self._n_jobs, callback=progress(context), random_state=0)
            if kind == TEXTS:
                detector.stop_words = words
            detector.fit(documents.content, names=documents.ids)
            detector.callback = None
            ranking = Ranking.of(detector, documents.content, documents.ids, detector.outlier_scores_).at_rate(fdr)
            return self._ranked(self._shelf.add(detector, ranking, documents.notes), top)

    def score(
        self,
        model: ModelName,
        files: FilePaths,
        context: Context[Any, Any],
        text_column: Column = None,
        id_column: Column = None,
        top: Top = 10,
        fdr: Fdr = None,
    ) -> Ranked:
        """Judge other documents by a model, such as new ones by a model of earlier ones."""
        with self._turn:
            held = self._shelf.get(model)
            documents = self._allowed.read(files, ReadOptions(text_column=text_column, id_column=id_column))
            ranking = Ranking.by(held.detector, documents.content, documents.ids, progress(context)).at_rate(fdr)
            held.ranking, held.notes = ranking, documents.notes
            return self._ranked(held, top)

    def explain(
        self,
        model: ModelName,
        ids: Annotated[Ids, Field(min_length=1, max_length=20)],
        words: Annotated[int, Field(ge=1, le=50, description="Number of unexpected words to return.")] = 10,
    ) -> ExplainedDocuments:
        """Explain the scores of documents that detect or score has judged last by this model."""
        with self._turn:
            ranking = _judged(self._shelf.get(model))
            rows = _rows(ranking, ids)
            explained = ranking.explain(rows, n_words=words)
            return ExplainedDocuments(
                documents=[_explained(why, _excerpt(ranking, row)) for why, row in zip(explained, rows, strict=True)]
            )

    def topics(
        self,
        model: ModelName,
        words: Annotated[int, Field(ge=1, le=30, description="Number of words to return of each topic.")] = 8,
    ) -> ModelTopics:
        """Show what is ordinary for a model: its topics, their shares and words."""
        with self._turn:
            found = self._shelf.get(model).detector.topics(words)
            return ModelTopics(
                topics=[
                    ModelTopic(
                        number=topic.number,
                        share=topic.share,
                        words=list(map(cut, topic.words)),
                        typical=[cut(document.id) for document in topic.typical],
                    )
                    for topic in found
                ]
            )

    def mark(
        self,
        model: ModelName,
        strange: Ids | None = None,
        fine: Ids | None = None,
        unmark: Ids | None = None,
        top: Top = 10,
    ) -> Ranked:
        """Tell a model which documents are strange (of interest) or fine, and return the new ranking.

        Documents like those marked rise or fall with them. Marks last as long as this session, unless the model is saved.
        """
        with self._turn:
            held = self._shelf.get(model)
            ranking, detector = _judged(held), held.detector
            if not (strange or fine or unmark):
                raise InputError("There is nothing to mark. Give ids in strange, fine or unmark.")
            unknown = sorted(set(unmark or []) - detector.marks_.keys())
            if unknown:
                raise InputError(f"{cut(unknown[0])} is not marked, so its mark cannot be taken back.")
            _rows(ranking, [*(strange or []), *(fine or [])])
            was_of_training, notes = ranking.is_of_training, []
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                if strange or fine:
                    marks = {"strange": strange or [], "fine": fine or []}
                    detector.mark(**marks, documents=ranking.documents, names=ranking.ids)
            notes += [str(warning.message) for warning in caught]
            if unmark:
                detector.unmark(unmark)
            again = ranking.again() if was_of_training else Ranking.by(detector, ranking.documents, ranking.ids)
            held.ranking = again.at_rate(ranking.fdr)
            ranked = self._ranked(held, top)
            return ranked.model_copy(update={"notes": [*ranked.notes, *notes]})

    def save(
        self,
        model: ModelName,
        name: Annotated[str, Field(max_length=100, description="What to call it: letters, digits, dots, hyphens.")],
        replace: Annotated[bool, Field(description="Whether to replace a saved model of this name.")] = False,
    ) -> Saved:
        """Save a model with its marks in the user's folder of models."""
        with self._turn:
            return Saved(name=name, path=str(self._shelf.save(self._shelf.get(model), name, replace)))

    def _ranked(self, held: Held, top: int) -> Ranked:
        ranking = _judged(held)
        marks = held.detector.marks_
        lines = [line for line in ranking.lines(top + len(marks)) if ranking.ids[line[0]] not in marks][:top]
        rows = [line[0] for line in lines]
        explained = ranking.explain(rows, n_nearest=0, n_missing=0) if rows else []
        strangest = [
            Strange(
                id=why.id,
                score=why.score,
                p_value=why.p_value,
                flagged=why.outlier,
                reason=why.reason,
                unexpected=[cut(word.word) for word in why.unexpected],
                copies=len(line),
                text=_excerpt(ranking, line[0]),
            )
            for why, line in zip(explained, lines, strict=True)
        ]
        groups = [
            SmallGroup(
                words=list(map(cut, group.words[:5])),
                size=group.size,
                copies=group.copies,
                such_as=[ranking.ids[row] for row in group.documents[:MOST_NAMED]],
            )
            for group in ranking.small_groups[:GROUPS]
        ]
        return Ranked(
            model=held.name,
            documents=len(ranking.ids),
            flagged=int(ranking.outliers.sum()),
            threshold=held.detector.threshold_,
            rule=ranking.rule,
            strangest=strangest,
            groups=groups,
            marks=dict(marks),
            notes=[*held.notes, *ranking.observations, *ranking.assumptions, *ranking.unjudged_notes],
        )


def _judged(held: Held) -> Ranking:
    """Return the documents that a model judged last."""
    if held.ranking is None:
        raise InputError(f"The model {held.name} has not judged any documents yet. Call score with it first.")
    return held.ranking


def _rows(ranking: Ranking, ids: Sequence[str]) -> list[int]:
    """Return the numbers of documents, by their ids; of several with one id, the first."""
    places: dict[str, int] = {}
    for row, name in enumerate(ranking.ids):
        places.setdefault(name, row)
    unknown = [name for name in ids if name not in places]
    if unknown:
        raise InputError(
            f"None of the documents that this model judged last has the id {unknown[0]!r:.80}. Give ids as detect and score "
            f"return them, such as {ranking.ids[int(ranking.order[0])]!r:.80}."
        )
    return [places[name] for name in ids]


def _excerpt(ranking: Ranking, row: int) -> str:
    text = " ".join((ranking.text(row) or "")[: 4 * EXCERPT].split())
    return text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "…"


def _explained(why: Explanation, text: str) -> Explained:
    return Explained(
        id=why.id,
        sentence=why.sentence,
        score=why.score,
        threshold=why.threshold,
        flagged=why.outlier,
        rank=why.rank,
        among=why.n_docs,
        parts=why.parts,
        unexplained=why.unexplained.value,
        typical_unexplained=why.unexplained.typical,
        unexpected=[Word(word=cut(word.word), share=word.share, known=word.known) for word in why.unexpected],
        topics=[
            TopicPart(number=topic.number, share=topic.share, words=list(map(cut, topic.words))) for topic in why.topics
        ],
        nearest=[
            Nearest(id=near.document.id, cosine=near.cosine, excerpt=near.document.excerpt) for near in why.nearest
        ],
        text=text,
    )
