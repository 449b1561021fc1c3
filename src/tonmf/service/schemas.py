"""Describe requests and answers for ``GET /openapi.json``; with examples."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, Field

from tonmf.detector.explain.explanation import DERIVED, Explanation
from tonmf.detector.explain.topics import Topic
from tonmf.ranking import Drift
from tonmf.service.bodies import JSON, LINES
from tonmf.service.dataclass_models import Answer, model_of
from tonmf.service.limits import Limits
from tonmf.text.documents import COUNTS, ITEMS

Content = dict[str, Any]


class Error(Answer):
    """Why a request was not answered: what was expected, what came, what to do."""

    error: str = Field(examples=["Expected at least one document, got none."])


class Score(Answer):
    """A document's score."""

    id: str = Field(
        description="What the document is called; its number, from 0, if it was not given an id.", examples=["a"]
    )
    score: float = Field(description="Higher is stranger.", examples=[1.32])
    p_value: float = Field(description="Share of ordinary documents that are at least as strange.", examples=[0.08])
    outlier: bool = Field(
        description="Whether the document is judged and its score is above the threshold; with fdr, whether it is flagged "
        "at that false-discovery rate."
    )
    rank: int = Field(
        description="1 + the number of judged training documents with a higher score; after all of these if not judged.",
        examples=[43],
    )
    judged: bool = Field(description="False for a document without words that count; its score is 0.")
    topic: int | None = Field(
        default=None, description="With topics: the number of the topic that explains most of it; null if none does."
    )
    main_alarm: Literal["empty", "unknown", "rare", "repeated"] | None = Field(
        default=None,
        description="With topics: the alarm that says most of those that it raises; null if it raises none.",
    )


class Scores(Answer):
    """Scores, in the order of the documents."""

    threshold: float = Field(examples=[1.94])
    fdr: float | None = Field(description="The false-discovery rate that was asked for.", examples=[None])
    documents: list[Score]


Explained = model_of(
    Explanation,
    DERIVED,
    pieces=(
        list[str | tuple[str, float]] | None,
        Field(
            default=None,
            description="The document; unexpected words as a pair with their share. null for rows of counts.",
        ),
    ),
)


class Explanations(Answer):
    """Explanations, in the order of the documents."""

    documents: list[Explained]  # type: ignore[valid-type]


class Topics(Answer):
    """Topics, the most common first."""

    topics: list[model_of(Topic)]  # type: ignore[valid-type]


DriftAnswer = model_of(Drift, ("is_far", "warning"))


class LimitsInForce(Answer):
    """What the server takes at most."""

    body: int = Field(description="Bytes of a request to score or explain.")
    batch: int = Field(description="Documents in one.")
    text: int = Field(description="Characters of a document.")
    words: int = Field(description="Words of a text, items of a basket, or terms of a row of counts.")
    upload: int = Field(description="Bytes of a file to learn from.")
    jobs: int = Field(description="Jobs that are kept.")
    job_seconds: int = Field(description="Time that a job may take.")


class ModelAnswer(Answer):
    """A model that answers."""

    name: str = Field(description="What it is called: /v1/models/NAME/score is its address too.")
    model: str
    kind: Literal["texts", "rows of items", "a matrix of counts"]
    word: str
    documents: int = Field(description="Training documents.")
    terms: int
    topics: int
    threshold: float
    contamination: float | str
    embedder: str | None = Field(description="The model that embeds documents; null if only their words count.")
    job_embedder: str | None = Field(
        description="The model that embeds the texts of jobs with embed=true; null if none does."
    )
    provenance: dict[str, str] = Field(description="When and with what it was saved.")
    limits: LimitsInForce
    token: bool = Field(description="Whether requests need a token.")
    watch: bool = Field(description="Whether the server follows a watch: GET /v1/watch.")


class NamedModel(Answer):
    """A model at an address of its own."""

    name: str = Field(examples=["reviews"])
    served: bool = Field(description="Whether it answers where no name is given.")
    own: bool = Field(description="Whether the server was started with it; it cannot be deleted then.")
    problem: str | None = Field(description="Why it cannot be loaded, or not as it is now.")
    kind: str | None = Field(description="As in /v1/model; null if it could not be loaded.")
    documents: int | None = Field(description="Training documents.")
    topics: int | None
    threshold: float | None
    loaded: str | None = Field(description="When the server loaded it.")


class NamedModels(Answer):
    """All models, by name."""

    models: list[NamedModel]


class Health(Answer):
    """The server takes requests."""

    status: Literal["ok"]


class MarksAnswer(Answer):
    """The marks that there are now, and the threshold with them."""

    job: str | None = Field(description="The job whose documents are meant; null for the served model.")
    threshold: float
    strange: int = Field(description="Number of documents that are marked so.")
    fine: int = Field(description="Number of documents that are marked so.")
    marks: dict[str, Literal["strange", "fine"]] = Field(description="All marks by id, in the order of marking.")
    waiting: dict[str, Literal["strange", "fine"]] = Field(
        description="Marks of --marks by id that count once their documents are sent."
    )
    marked: list[str] = Field(
        description="The ids of the documents in the request; one without an id is named by its content."
    )


class JobAnswer(Answer):
    """A fit that was asked for, or a file that was to be scored."""

    id: str = Field(examples=["5c1e0b7d9f3a4e62"])
    name: str = Field(examples=["reviews.csv"])
    state: Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]
    step: str = Field(examples=["Learning"])
    progress: float = Field(ge=0, le=1)
    created: str
    started: str | None
    ended: str | None
    message: str | None = Field(description="Why it failed.")
    notes: list[str] = Field(description="What one should know about the file.")
    documents: int | None
    flagged: int | None
    model: str | None = Field(description="The model that scores the file; null if the job fits one.")


class PreviewColumn(Answer):
    """A column of a file."""

    name: str
    values: list[str] = Field(description="Its first values, cut to 200 characters.")


class Preview(Answer):
    """The columns and the first rows of a file."""

    kind: Literal["texts", "rows of items", "a matrix of counts"] | None
    columns: list[PreviewColumn] = Field(description="None if the file has none.")
    documents: list[str] = Field(description="The first documents, cut to 200 characters.")
    text_column: str | None = Field(description="The column that the documents are in; null if that cannot be told.")
    message: str | None = Field(description="Why it cannot be told.")
    notes: list[str] = Field(description="What one should know about the file.")


class Jobs(Answer):
    """All jobs, the newest first."""

    jobs: list[JobAnswer]


NAMED: Content = {
    "parameters": [
        {
            "name": "name",
            "in": "path",
            "required": True,
            "description": "The name of a model.",
            "schema": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},
        }
    ]
}
"""The name of a model in an address."""

MODEL_NAME_IN: Content = {
    "requestBody": {
        "required": True,
        "content": {
            JSON: {
                "schema": {
                    "type": "object",
                    "required": ["job"],
                    "additionalProperties": False,
                    "properties": {
                        "job": {"type": "string", "description": "The id of a job that has fitted a model."}
                    },
                },
                "example": {"job": "5c1e0b7d9f3a4e62"},
            }
        },
    }
}

WHEN = {
    401: "The token is missing or wrong.",
    403: "The request is from another site, or for another host.",
    404: "There is no such thing.",
    408: "The body did not arrive in time.",
    409: "Not while the job is in this state.",
    413: "Too much at once.",
    415: "The content type is not supported.",
    422: "The request is not valid.",
    429: "Too many jobs.",
    503: "Too many requests at once.",
    507: "The server's disk is full.",
}


def answers(
    model: type[BaseModel] | None = None, *also: int, lines: type[BaseModel] | None = None, status: int = 200
) -> Any:
    """Return what a route answers: a model, and errors."""
    said: dict[int | str, Content] = {} if model is None else {status: {"model": model, "description": model.__doc__}}
    if lines is not None:
        said[status]["content"] = {LINES: {"schema": {"type": "string", "description": f"A {lines.__name__} a line."}}}
        also = (408, 413, 415, 503, *also)
    for code in sorted({401, 403, 422, *also}):
        said[code] = {"model": Error, "description": WHEN[code]}
    return said


def files(kind: str, what: str) -> Any:
    """Return what a route answers that hands out a file of a job."""
    schema = {"type": "object" if kind == JSON else "string"}
    as_file = {200: {"description": what, "content": {kind: {"schema": schema}}}}
    return {**as_file, **answers(None, 404, 409)}


SESSION_IN: Content = {
    "requestBody": {
        "required": True,
        "content": {
            JSON: {
                "schema": {
                    "type": "object",
                    "required": ["token"],
                    "properties": {"token": {"type": "string", "maxLength": 500}},
                },
                "example": {"token": "the server's token"},
            }
        },
    }
}


def marks_in(kind: str, limits: Limits) -> Content:
    """Return the body of a request to mark documents of a kind."""
    key = {ITEMS: "items", COUNTS: "counts"}.get(kind, "text")
    marks: Content = {"enum": ["strange", "fine", None]}
    one: Content = {
        "type": "object",
        "required": ["mark"],
        "properties": {
            "id": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
            "mark": marks,
            key: {"description": "The document, as in /v1/score; needed unless the server knows it by its id."},
        },
    }
    schema: Content = {
        "type": "object",
        "required": ["marks"],
        "additionalProperties": False,
        "properties": {
            "job": {
                "description": "The job whose documents are meant.",
                "anyOf": [{"type": "string"}, {"type": "null"}],
            },
            "marks": {
                "anyOf": [
                    {"type": "array", "items": one, "minItems": 1, "maxItems": limits.batch},
                    {"type": "object", "additionalProperties": marks, "minProperties": 1},
                ]
            },
        },
    }
    document: Any = {"items": ["milk", 17], "counts": {}}.get(key, "Kindly forward this chain letter to ten friends.")
    example = {"marks": [{"id": "mail-17", "mark": "strange", key: document}, {"id": "mail-3", "mark": None}]}
    return {"requestBody": {"required": True, "content": {JSON: {"schema": schema, "example": example}}}}


def documents_in(kind: str, limits: Limits, *, explaining: bool) -> Content:
    """Return the body of a request to score or explain, for a kind of documents."""
    whole = {"type": "string", "maxLength": limits.text}
    named: Content = {"type": "integer"}
    identity = {"description": "What the document is called.", "anyOf": [{"type": "string"}, named, {"type": "null"}]}
    key, content, examples = "text", whole, _TEXTS
    if kind == ITEMS:
        items: Content = {"type": "array", "items": {"anyOf": [{"type": "string"}, named]}}
        key, content, examples = "items", items, _ITEMS
    elif kind == COUNTS:
        # Without names: the description is public, and the vocabulary is not.
        counts: Content = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1, "maximum": 1000}}
        key, content, examples = "counts", counts, _COUNTS
    document: Content = {"type": "object", "required": [key], "properties": {"id": identity, key: content}}
    one = document if kind == COUNTS else {"anyOf": [content, document]}
    documents: Content = {"type": "array", "items": one, "minItems": 1, "maxItems": limits.batch}
    schema: Content = {"type": "object", "required": ["documents"], "additionalProperties": False}
    schema["properties"] = {"documents": documents}
    if explaining:
        schema["properties"] |= {
            "n_words": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 10},
            "n_nearest": {"type": "integer", "minimum": 0, "maximum": 100, "default": 3},
            "pieces": {"type": "boolean", "default": True},
        }
    else:
        rate: Content = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
        schema["properties"]["fdr"] = {"anyOf": [rate, {"type": "null"}]}
        schema["properties"]["topics"] = {"type": "boolean", "default": False}
    lines = "\n".join(json.dumps(line) for line in examples[0]["documents"])
    return {
        "requestBody": {
            "required": True,
            "content": {
                JSON: {"schema": schema, "examples": {"documents": {"value": examples[0]}}},
                LINES: {"schema": {"type": "string", "description": "A document a line."}, "example": lines},
            },
        }
    }


_TEXTS: list[Content] = [
    {"documents": ["Which fork is best for turning compost?", {"id": "a", "text": "zxcv qwer asdf"}]},
]
_COUNTS: list[Content] = [
    {"documents": [{"id": "a", "counts": {"term": 3, "another term": 1}}]},
]
_ITEMS: list[Content] = [
    {"documents": [["milk", "bread", 17], {"id": "a", "items": ["anvil"]}]},
]
