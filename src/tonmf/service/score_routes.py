"""``POST /v1/score`` and ``/v1/explain``: documents in, answers out, as JSON or JSON lines."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Hashable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from starlette.requests import ClientDisconnect

from tonmf.metrics import discoveries
from tonmf.service import schemas
from tonmf.service.any_model import any_model
from tonmf.service.bodies import JSON, LINES, chunks, content_type, parse, wants_lines
from tonmf.service.described import DescribedBodies
from tonmf.service.documents import (
    DocumentReader,
    check_keys,
    false_discovery_rate,
    size_of,
    slices,
    whole_number,
    yes_or_no,
)
from tonmf.service.errors import ServiceError, encoded
from tonmf.service.json_lines import (
    BrokenOffError,
    IncomingLines,
    LinesResponse,
    StreamedResponse,
    as_lines,
    read_lines,
)
from tonmf.service.json_parts import AT_ONCE, Take, parse_in_parts
from tonmf.service.limits import Limits
from tonmf.service.metrics import Metrics
from tonmf.service.model import Named, ServedModel
from tonmf.service.model_queue import JOINED, Admission, Admitted, ModelQueue, Run
from tonmf.service.parsing_thread import ParsingThread

SCORED_AT_ONCE, EXPLAINED_AT_ONCE = (500, 200_000), (32, 50_000)
"""Documents of one request, and their size, that are handled before other requests get their turn: about 30 ms."""

EMBEDDED_AT_ONCE = (32, 50_000)
"""The same for a model that embeds documents, which takes about a second."""

MOST_WORDS, MOST_NEAREST = 1000, 100


@dataclass(frozen=True)
class Question:
    """What is asked about documents; equal keys mean equal questions.

    With `fdr`, documents are flagged at that false-discovery rate, among all of the request together. `envelope` returns
    what the answer says besides, once the first documents are answered.
    """

    key: Hashable
    run: Run
    at_once: tuple[int, int]
    fdr: float | None = None
    envelope: Callable[[], Mapping[str, Any]] = dict


@dataclass(frozen=True)
class Scoring:
    """Answers questions about documents, by one model."""

    model: ServedModel
    queue: ModelQueue
    limits: Limits
    metrics: Metrics
    admission: Admission
    parsing: ParsingThread

    @property
    def reader(self) -> DocumentReader:
        """Return a reader for documents of the model's kind."""
        return DocumentReader.of(self.model, self.limits)

    async def answer(
        self,
        request: Request,
        question_of: Callable[[dict[str, Any]], Question],
        keys: Sequence[str],
    ) -> Response:
        """Answer a request, in either form."""
        kind = content_type(request)
        with ExitStack() as held:
            admitted = held.enter_context(self.admission.arriving())
            if kind == LINES:
                admitted.begin(in_lines=True)
                return await self._answer_lines(request, _answerable_in_lines(question_of({})), admitted, held)
            question, documents, parts = await self._asked(request, admitted, question_of, keys)
            if self.model.waiting:  # all documents are scored by the same marks
                await self.queue.ask(object(), self.model.meet, documents)
            answers = self._answers(request, parts, question)
            if question.fdr is not None:
                answers = self._flagged_together(answers, question.fdr)
            if wants_lines(request):
                in_lines = (as_lines(some) async for some in answers)
                return LinesResponse(await anext(in_lines), in_lines, held.pop_all())
            of_first = encoded(await anext(answers))[1:-1]
            start, end = encoded({**question.envelope(), "documents": []}).removesuffix(b"]}"), b"]}"
            first = start + of_first
            if len(parts) == 1:
                return Response(first + end, media_type=JSON)
            return StreamedResponse(first, _rest_of_list(answers, end), held.pop_all(), JSON)

    async def json(self, request: Request, admitted: Admitted) -> Any:
        """Read the body of a request, within the limits."""
        body = await self._body(request, admitted)
        return await self.parsing.run(len(body), lambda: _parsed(body, self.limits))

    async def _body(self, request: Request, admitted: Admitted) -> bytearray:
        """Receive a body; the request is under way once it is complete."""
        body = bytearray()
        async for chunk in chunks(request, self.limits.body, self.limits.idle_seconds, "--max-body"):
            admitted.hold(len(chunk))
            body += chunk
        admitted.begin(in_lines=False)
        return body

    async def _asked(
        self,
        request: Request,
        admitted: Admitted,
        question_of: Callable[[dict[str, Any]], Question],
        keys: Sequence[str],
    ) -> tuple[Question, Sequence[Named], Sequence[Sequence[Named]]]:
        """Return what a request asks, its documents, and these in slices."""
        body, reader = await self._body(request, admitted), self.reader

        def read() -> tuple[Question, Sequence[Named], Sequence[Sequence[Named]]]:
            documents: list[Named] = []

            def take(key: str, values: list[Any]) -> list[Any]:
                if key == "documents":
                    documents.extend(reader.read_some(values, len(documents)))
                return []

            value = check_keys(_parsed(body, self.limits, take), keys)
            question = question_of(value)
            if value["documents"] or not documents:  # they were too few to be taken in parts
                documents[:] = reader.read_all(value["documents"])
            return question, documents, list(slices(documents, *question.at_once))

        return await self.parsing.run(len(body), read)

    async def _answers(
        self, request: Request, parts: Sequence[Sequence[Named]], question: Question
    ) -> AsyncIterator[Sequence[Any]]:
        for number, some in enumerate(parts):
            if number > 0 and await request.is_disconnected():
                raise ClientDisconnect
            yield await self._ask(question, some)

    async def _flagged_together(
        self, answers: AsyncIterator[Sequence[Any]], fdr: float
    ) -> AsyncIterator[Sequence[Any]]:
        """Wait for all answers, then yield them as they came, flagged at a false-discovery rate."""
        parts = [some async for some in answers]
        judged = [answer for some in parts for answer in some if answer["judged"]]
        flagged = discoveries([answer["p_value"] for answer in judged], fdr)
        outliers = iter(flagged.tolist())
        self.metrics.count_documents(sum(map(len, parts)), int(flagged.sum()))
        for some in parts:
            yield [{**answer, "outlier": answer["judged"] and next(outliers)} for answer in some]

    async def _ask(self, question: Question, documents: Sequence[Named]) -> Sequence[Any]:
        size = sum(size_of(document) for _, document in documents) if len(documents) < JOINED else 0
        answers = await self.queue.ask(question.key, question.run, documents, size)
        if question.fdr is None:  # otherwise it is not known yet which are outliers
            self.metrics.count_documents(len(answers), sum(answer["outlier"] for answer in answers))
        return answers

    async def _answer_lines(
        self, request: Request, question: Question, admitted: Admitted, held: ExitStack
    ) -> Response:
        incoming = IncomingLines(request, self.limits, admitted)
        held.callback(incoming.stop)
        answers = self._answers_to_lines(incoming, question)
        try:
            first = await anext(answers, None)
        except BrokenOffError as error:
            raise error.cause from None
        if first is None:
            raise ServiceError(422, "Expected a document a line, got none.")
        return LinesResponse(first, answers, held.pop_all())

    async def _answers_to_lines(self, incoming: IncomingLines, question: Question) -> AsyncIterator[bytes]:
        """Yield answers to lines as they arrive. A bad line in the first batch fails the whole request."""
        done, reader = 0, self.reader
        while True:
            try:
                lines = await incoming.next(question.at_once[0])
            except ServiceError as error:
                raise BrokenOffError(error, incoming.number + 1) from None
            if incoming.gone:
                raise ClientDisconnect
            if not lines:
                return
            size = sum(len(line) for _, line in lines)
            documents, wrong, line = await self.parsing.run(size, partial(read_lines, lines, reader, done))
            if documents and not (wrong and done == 0):
                for some in slices(documents, *question.at_once):
                    yield as_lines(await self._ask(question, some))
                done += len(documents)
            if wrong is not None:
                raise BrokenOffError(wrong, line)


def router(scoring_by: Callable[[str | None], Scoring], described: DescribedBodies) -> APIRouter:
    """Return the routes; `scoring_by` returns what scores by the model with a name, or by the served one."""
    routes = APIRouter(tags=["documents"])

    @any_model(
        routes,
        "POST",
        "score",
        "Score documents",
        schemas.Scores,
        body=partial(described.documents, explaining=False),
        lines=schemas.Score,
        response_class=Response,
    )
    async def score(
        request: Request,
        fdr: Annotated[
            float | None,
            Query(
                gt=0,
                lt=1,
                description="Flag at this false-discovery rate, among the documents of the request together. It assumes that "
                "the model was fitted on mostly ordinary documents, and that new ordinary ones are of their kind.",
            ),
        ] = None,
        topics: Annotated[
            bool, Query(description="Whether to name the topic and the alarm that say most about each document.")
        ] = False,
    ) -> Response:
        """Score documents on the scale of the training documents; those above the threshold are outliers.

        With `fdr`, outliers are those that stand out at that false-discovery rate. Options in the body take precedence over
        those in the address.
        """
        scoring = scoring_by(request.path_params.get("name"))
        model = scoring.model
        at_once = SCORED_AT_ONCE if model.embedder is None else EMBEDDED_AT_ONCE

        def question_of(body: dict[str, Any]) -> Question:
            rate = false_discovery_rate(body.get("fdr", fdr), "fdr")
            with_topics = yes_or_no(body.get("topics", topics), "topics")

            def envelope() -> dict[str, Any]:
                return {"threshold": float(model.detector.threshold_), "fdr": rate}

            key, run = ("score and topics", model.score_with_topics) if with_topics else ("score", model.score)
            return Question((key, id(model)), run, at_once, rate, envelope)

        return await scoring.answer(request, question_of, ("documents", "fdr", "topics"))

    @any_model(
        routes,
        "POST",
        "explain",
        "Explain documents",
        schemas.Explanations,
        body=partial(described.documents, explaining=True),
        lines=schemas.Explained,
        response_class=Response,
    )
    async def explain(
        request: Request,
        n_words: Annotated[int, Query(ge=1, le=MOST_WORDS, description="Unexpected words to list, at most.")] = 10,
        n_nearest: Annotated[int, Query(ge=0, le=MOST_NEAREST, description="Ordinary documents most like it.")] = 3,
        pieces: Annotated[
            bool, Query(description="Whether to send the document back, unexpected words marked.")
        ] = True,
    ) -> Response:
        """Explain the scores of documents. Options in the body take precedence over those in the address."""
        scoring = scoring_by(request.path_params.get("name"))
        model = scoring.model
        at_once = EXPLAINED_AT_ONCE if model.embedder is None else EMBEDDED_AT_ONCE

        def question_of(body: dict[str, Any]) -> Question:
            options = (
                whole_number(body.get("n_words", n_words), "n_words", 1, MOST_WORDS),
                whole_number(body.get("n_nearest", n_nearest), "n_nearest", 0, MOST_NEAREST),
                yes_or_no(body.get("pieces", pieces), "pieces"),
            )
            run = partial(_explain, model, options)
            return Question(("explain", id(model), *options), run, at_once)

        return await scoring.answer(request, question_of, ("documents", "n_words", "n_nearest", "pieces"))

    return routes


def _parsed(body: bytearray, limits: Limits, take: Take | None = None) -> Any:
    """Parse a body; `take` is what `parse_in_parts` has it for."""
    try:
        if len(body) <= AT_ONCE:
            return parse(body)
        return parse_in_parts(body, limits) if take is None else parse_in_parts(body, limits, take)
    except ValueError as error:
        raise ServiceError(422, f"The body is not JSON: {error}.") from None


def _answerable_in_lines(question: Question) -> Question:
    """Reject a question about all documents together if they are answered as they come."""
    if question.fdr is not None:
        raise ServiceError(
            422, "fdr is about all documents together, and lines are answered as they come. Send JSON, or leave it out."
        )
    return question


async def _rest_of_list(answers: AsyncIterator[Sequence[Any]], end: bytes) -> AsyncIterator[bytes]:
    """Yield the rest of a JSON list after its first answers."""
    async for some in answers:
        yield b"," + encoded(some)[1:-1]
    yield end


def _explain(model: ServedModel, options: tuple[int, int, bool], documents: Sequence[Named]) -> Sequence[Any]:
    return model.explain(documents, *options)
