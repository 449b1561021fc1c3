"""Turn JSON values into documents of the model's kind, or one clear error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tonmf.service.errors import ServiceError
from tonmf.service.limits import Limits
from tonmf.service.model import Named, ServedModel
from tonmf.text.counts import LARGEST_COUNT
from tonmf.text.documents import COUNTS, ITEMS, TEXTS
from tonmf.text.words import word_spans
from tonmf.wording import shown

KEYS = {TEXTS: "text", ITEMS: "items", COUNTS: "counts"}
"""The key that holds the document, by kind."""

EXPECTED = {
    TEXTS: 'a text, or {"id": …, "text": …}',
    ITEMS: 'a list of items, or {"id": …, "items": […]}',
    COUNTS: '{"id": …, "counts": {"term": 3, …}}',
}

BY_CHARACTERS = ("char", "char_wb")
"""Ways to cut a text whose terms are made of characters."""

WORDS_AT_ONCE = 20_000
"""Characters of a text whose words are counted at a time."""

MOST_DIGITS = 40
"""Longest number accepted as an item or an id, in digits."""


@dataclass(frozen=True)
class DocumentReader:
    """Reads documents of one kind; `columns` maps names to columns for a model of counts.

    `by_characters` says that the terms of texts are made of characters, so that each counts as a word.
    """

    kind: str
    columns: Mapping[str, int]
    limits: Limits
    by_characters: bool = False

    @classmethod
    def of(cls, model: ServedModel, limits: Limits) -> DocumentReader:
        """Return a reader for the documents of a model."""
        return cls(model.kind, model.columns, limits, model.detector.analyzer in BY_CHARACTERS)

    def read_all(self, values: Any) -> list[Named]:
        """Read all documents of a request."""
        if not isinstance(values, list):
            raise ServiceError(422, f"documents must be a list; got {what(values)}.")
        if not values:
            raise ServiceError(422, "Expected at least one document, got none.")
        return self.read_some(values, 0)

    def read_some(self, values: Sequence[Any], before: int) -> list[Named]:
        """Read some documents of a request, after so many others."""
        if before + len(values) > self.limits.batch:
            raise self.too_many()
        return [self.read(value, f"Document {number}", str(number)) for number, value in enumerate(values, before)]

    def too_many(self) -> ServiceError:
        """Return the error for a request with too many documents."""
        return too_many(self.limits.batch)

    def read(self, value: Any, where: str, name: str) -> Named:
        """Read one document; return its id (`name` if it has none) and its content."""
        content = value
        if isinstance(value, dict):
            content = value.get(KEYS[self.kind])
            name = name_of(value["id"], where) if value.get("id") is not None else name
        elif self.kind == COUNTS:
            content = None
        read = {TEXTS: self._text, ITEMS: self._items, COUNTS: self._counts}[self.kind]
        document, size = read(content, where)
        if content is None or document is None:
            raise ServiceError(422, f"{where}: expected {EXPECTED[self.kind]}; got {what(value)}.")
        if size > self.limits.text:
            raise ServiceError(
                413,
                f"{where} has {size:,} characters, and {self.limits.text:,} is the most. Shorten it, or start the server "
                "with a higher --max-text.",
            )
        if isinstance(document, str) and self._has_too_many_words(document):
            raise self._too_long(where, "words")
        return name, document

    def _text(self, content: Any, where: str) -> tuple[str | None, int]:
        return (content, len(content)) if isinstance(content, str) else (None, 0)

    def _has_too_many_words(self, text: str) -> bool:
        most = self.limits.words
        if len(text) <= most or self.by_characters:
            return len(text) > most
        return next(islice(_words(text), most, None), None) is not None

    def _too_long(self, where: str, what_of: str) -> ServiceError:
        return ServiceError(
            413,
            f"{where} has more than {self.limits.words:,} {what_of}, and that is the most. Shorten it, or start the server "
            "with a higher --max-words.",
        )

    def _items(self, content: Any, where: str) -> tuple[list[str] | None, int]:
        if not isinstance(content, list):
            return None, 0
        if len(content) > self.limits.words:
            raise self._too_long(where, "items")
        items = []
        for item in content:
            if not isinstance(item, str | int) or isinstance(item, bool) or _is_huge(item):
                raise ServiceError(422, f"{where}: items must be strings or whole numbers; got {what(item)}.")
            items.append(str(item))
        return items, sum(map(len, items))

    def _counts(self, content: Any, where: str) -> tuple[dict[int, float] | None, int]:
        if not isinstance(content, dict):
            return None, 0
        if len(content) > self.limits.words:
            raise self._too_long(where, "terms")
        counts: dict[int, float] = {}
        for term, count in content.items():
            if term not in self.columns:
                raise ServiceError(
                    422,
                    f"{where}: the model has no term {shown(term)}. Count with the vocabulary that it was fitted on.",
                )
            fits = isinstance(count, int | float) and (count == 0 or 1 <= count <= LARGEST_COUNT)
            if not fits or isinstance(count, bool):
                expected = f"the count of {shown(term)} must be a number from 1 up"
                raise ServiceError(422, f"{where}: {expected}; got {what(count)}.")
            counts[self.columns[term]] = float(count)
        return counts, sum(map(len, content))


def _words(text: str) -> Iterator[tuple[int, int]]:
    """Yield something for each word of a text.

    It is looked at some characters at a time, as Python's lock is held while a pattern is matched. A string of more characters
    without a space is cut somewhere, which may make a word more or less.
    """
    start = 0
    while start < len(text):
        end = start + WORDS_AT_ONCE
        end = max(text.rfind(" ", start, end), text.rfind("\n", start, end)) + 1 or end
        yield from word_spans(text[start:end])
        start = end


def too_many(most: int) -> ServiceError:
    """Return the error for a request with more than so many documents."""
    return ServiceError(
        413, f"Got more than {most:,} documents at once. Send fewer, or start the server with a higher --max-batch."
    )


def size_of(document: Any) -> int:
    """Return a measure of the work that a document makes: the bytes of a text, as words of scripts without spaces are short."""
    if isinstance(document, str):
        return len(document) if document.isascii() else len(document.encode("utf-8", "surrogatepass"))
    return 8 * len(document)


def slices(documents: Sequence[Named], most: int, most_bytes: int) -> Iterator[Sequence[Named]]:
    """Yield slices of at most `most` documents and about `most_bytes` of their size."""
    start = size = 0
    for place, (_, document) in enumerate(documents):
        own = size_of(document)
        if place > start and (place - start == most or size + own > most_bytes):
            yield documents[start:place]
            start, size = place, 0
        size += own
    yield documents[start:]


def whole_number(value: Any, name: str, low: int, high: int) -> int:
    """Check a whole number against its limits."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ServiceError(422, f"{name} must be a whole number from {low} to {high}; got {what(value)}.")
    return value


def false_discovery_rate(value: Any, name: str) -> float | None:
    """Check a false-discovery rate; none if there is none."""
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < 1:
        raise ServiceError(422, f"{name} must be a number above 0 and below 1; got {what(value)}.")
    return float(value)


def yes_or_no(value: Any, name: str) -> bool:
    """Check that a value is true or false."""
    if not isinstance(value, bool):
        raise ServiceError(422, f"{name} must be true or false; got {what(value)}.")
    return value


def check_keys(body: Any, known: Sequence[str]) -> dict[str, Any]:
    """Check that an object has no other keys."""
    if not isinstance(body, dict):
        raise ServiceError(422, f'Expected an object such as {{"documents": […]}}; got {what(body)}.')
    for name in body:
        if name not in known:
            raise ServiceError(422, f"There is no {shown(name)}; expected {', '.join(known)}.")
    if "documents" not in body:
        raise ServiceError(422, 'Expected an object with the key "documents"; it has none.')
    return body


def name_of(value: Any, where: str) -> str:
    """Return the id of a document, given as a string or a whole number."""
    if not isinstance(value, str | int) or isinstance(value, bool) or _is_huge(value):
        raise ServiceError(422, f"{where}: id must be a string or a whole number; got {what(value)}.")
    return str(value)


def _is_huge(value: str | int) -> bool:
    return isinstance(value, int) and abs(value) >= 10**MOST_DIGITS


def what(value: Any) -> str:
    """Describe a JSON value in a word, without quoting any document."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return "a huge number" if _is_huge(int(value) if abs(value) < 1e300 else 10**MOST_DIGITS) else f"{value}"
    if isinstance(value, dict):
        keys = ", ".join(shown(key) for key in list(value)[:5])
        return f"an object with {keys}" if value else "an empty object"
    if isinstance(value, str):
        return "a string"
    return "a list" if value else "an empty list"
