"""Read and write a nursery (`tonmf.timeline.nursery`) as a bundle (`tonmf.storage.bundles`).

Words are listed once, and referred to by number. Texts are bytes beside the JSON, one after the other. The word counts of
strange documents are not written, as the detector counts the same again. Documents are texts or items.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.detector import TextOutlierDetector
from tonmf.detector.saved.state import LARGEST_IDF
from tonmf.storage.bundles import UNIT, Bundle
from tonmf.stream.times import EARLIEST, LATEST
from tonmf.text.counts import Numbering
from tonmf.text.documents import ITEMS, TEXTS, without_surrogates
from tonmf.timeline.kept_words import Rarities
from tonmf.timeline.nursery import (
    CAPACITY,
    LONGEST,
    RECENT,
    REMEMBERED,
    NewTopic,
    Nursery,
    NurseryState,
    RecentDocument,
)
from tonmf.timeline.strange_groups import StrangeDocument

MOST_TAKEN = 2**53
"""Most documents of a stream."""

MOST_RARITIES = 4
"""Most sets of idf: one is kept for every half of the recent documents."""


def nursery_fields(nursery: Nursery) -> dict[str, Any]:
    """Return the JSON part of a nursery."""
    state = nursery.state
    items = any(not isinstance(one.document, str) for one in state.strange)
    return {
        "kind": ITEMS if items else TEXTS,
        "least": state.least,
        "n_taken": state.n_taken,
        "n_waiting": state.n_waiting,
        "rarities": [{"number": number, "outside": float(rarities.outside)} for number, rarities in state.rarities],
    }


def nursery_arrays(nursery: Nursery) -> dict[str, NDArray[Any]]:
    """Return the arrays of a nursery."""
    state, numbering = nursery.state, Numbering()
    documents = [[one.document] if isinstance(one.document, str) else one.document for one in state.strange]
    arrays: dict[str, NDArray[Any]] = {
        "recent.texts": np.array([recent.text for recent in state.recent], np.int64),
        "recent.scores": np.array([recent.score for recent in state.recent], np.float64),
        **_rows("recent.words", numbering, [sorted(recent.words) for recent in state.recent]),
        "announced.weights": np.array([w for topic in state.announced for w in topic.values()], np.float64),
        **_rows("announced.words", numbering, state.announced),
        "strange.numbers": np.array([one.number for one in state.strange], np.int64),
        "strange.timed": np.array([one.time is not None for one in state.strange], np.int64),
        "strange.times": np.array([one.time or 0.0 for one in state.strange], np.float64),
        **_packed("strange.ids", [one.id for one in state.strange]),
        "strange.documents.ends": _ends(map(len, documents)),
        **_packed("strange.documents.parts", [part for document in documents for part in document]),
    }
    for i, (_, rarities) in enumerate(state.rarities):
        arrays[f"rarities.{i}.words"] = _numbers(numbering, rarities.known)
        arrays[f"rarities.{i}.idf"] = np.array(list(rarities.known.values()), np.float64)
    return {**arrays, **_packed("words", list(numbering))}


def topic_fields(topic: NewTopic) -> dict[str, Any]:
    """Return the JSON part of a new topic that has not been announced yet."""
    times = {"since": float(topic.since), "raised": float(topic.raised)}
    return {"words": topic.words, "documents": topic.documents, "size": topic.size, **times, "chance": topic.chance}


def read_nursery(bundle: Bundle, detector: TextOutlierDetector) -> Nursery:
    """Read a nursery that goes on with this detector; check each value by itself and against the others."""
    n_taken = bundle.whole("n_taken", high=MOST_TAKEN)
    words = _read_packed(bundle, "words")
    return Nursery.from_state(
        NurseryState(
            bundle.whole("least", low=2, high=CAPACITY),
            n_taken,
            bundle.whole("n_waiting", high=n_taken),
            _read_recent(bundle, words, n_taken),
            _read_strange(bundle, detector, n_taken),
            _read_announced(bundle, words),
            _read_rarities(bundle, words, n_taken),
        )
    )


def read_topic(part: Bundle) -> NewTopic:
    """Read a new topic that has not been announced yet."""
    since, raised = part.number("since"), part.number("raised")
    _check_times(part, np.array([since, raised]), f"{part.prefix}since and {part.prefix}raised")
    words, documents = part.texts("words"), part.texts("documents")
    if any(text != without_surrogates(text) for text in (*words, *documents)):
        raise part.wrong(f"{part.prefix}words and {part.prefix}documents must be strings of whole characters")
    return NewTopic(words, documents, part.whole("size"), since, raised, part.number("chance"))


def _read_recent(bundle: Bundle, words: Sequence[str], n_taken: int) -> list[RecentDocument]:
    scores = bundle.array("recent.scores", np.float64, (None,))
    n_recent = len(scores)
    if n_recent > min(RECENT, n_taken):
        raise bundle.wrong(f"the array recent.scores must hold at most {min(RECENT, n_taken)} numbers")
    texts = bundle.array("recent.texts", np.int64, (n_recent,))
    rows = _read_rows(bundle, "recent.words", words, n_recent)
    return [
        RecentDocument(frozenset(row), *rest) for row, *rest in zip(rows, texts.tolist(), scores.tolist(), strict=True)
    ]


def _read_strange(bundle: Bundle, detector: TextOutlierDetector, n_taken: int) -> list[StrangeDocument]:
    numbers = bundle.indices("strange.numbers", (None,), n_taken)
    if len(numbers) > CAPACITY or (np.diff(numbers) <= 0).any():
        raise bundle.wrong(f"the array strange.numbers must hold up to {CAPACITY} rising numbers")
    seconds, timed = (
        bundle.array("strange.times", np.float64, numbers.shape),
        bundle.indices("strange.timed", numbers.shape, 2),
    )
    _check_times(bundle, seconds, "the array strange.times")
    times = [time if has_time else None for time, has_time in zip(seconds.tolist(), timed.tolist(), strict=True)]
    ids, documents = _read_packed(bundle, "strange.ids"), _read_documents(bundle, detector.kind_, len(numbers))
    if len(ids) != len(numbers):
        raise bundle.wrong(f"strange.ids must be {len(numbers)} strings; got {len(ids)}")
    terms = [detector.count_terms(document) for document in documents]
    return [StrangeDocument(*parts) for parts in zip(numbers.tolist(), ids, times, documents, terms, strict=True)]


def _read_documents(bundle: Bundle, kind: str, n_docs: int) -> list[Any]:
    """Read texts or rows of items, whichever the detector takes."""
    if n_docs and bundle.text("kind") != kind:
        raise bundle.wrong(f"kind must be {kind!r}, as that of the detector; got {bundle.text('kind')!r:.40}")
    parts = _read_packed(bundle, "strange.documents.parts")
    ends = _read_ends(bundle, "strange.documents", len(parts))
    documents = [parts[start:end] for start, end in pairwise(ends)]
    fits = len(documents) == n_docs and all(sum(map(len, document)) <= LONGEST for document in documents)
    if not fits or (kind == TEXTS and any(len(document) != 1 for document in documents)):
        raise bundle.wrong(f"strange.documents must be {n_docs} {kind} of up to {LONGEST} characters")
    return [document[0] for document in documents] if kind == TEXTS else documents


def _read_announced(bundle: Bundle, words: Sequence[str]) -> list[dict[str, float]]:
    weights = bundle.positive("announced.weights", np.float64, (None,), most=UNIT).tolist()
    rows = _read_rows(bundle, "announced.words", words, None)
    if len(rows) > REMEMBERED or sum(map(len, rows)) != len(weights):
        raise bundle.wrong(f"announced.words must be up to {REMEMBERED} topics, with a weight for each word")
    following = iter(weights)
    return [{word: next(following) for word in row} for row in rows]


def _read_rarities(bundle: Bundle, words: Sequence[str], n_taken: int) -> list[tuple[int, Rarities]]:
    parts = bundle.parts("rarities")
    numbers = [part.whole("number", high=n_taken) for part in parts]
    if len(parts) > MOST_RARITIES or numbers != sorted(set(numbers)):
        raise bundle.wrong(f"rarities must be up to {MOST_RARITIES}, with rising numbers")
    return [(number, _read_rarity(part, words)) for number, part in zip(numbers, parts, strict=True)]


def _read_rarity(part: Bundle, words: Sequence[str]) -> Rarities:
    places = part.indices("words", (None,), len(words))
    idf = part.positive("idf", np.float64, places.shape, most=LARGEST_IDF)
    known = {words[place]: value for place, value in zip(places.tolist(), idf.tolist(), strict=True)}
    return Rarities(known, part.number("outside", above=0))


def _check_times(bundle: Bundle, seconds: Array, what: str) -> None:
    if not ((seconds >= -EARLIEST) & (seconds < LATEST)).all():
        raise bundle.wrong(f"{what} must hold times from the year 1 to the year 9999")


def _numbers(numbering: Numbering, words: Iterable[str]) -> NDArray[np.int64]:
    return np.array([numbering[word] for word in words], np.int64)


def _rows(name: str, numbering: Numbering, rows: Iterable[Iterable[str]]) -> dict[str, NDArray[Any]]:
    """Return the numbers of the words of all rows, one after the other, and where each row ends."""
    numbers = [_numbers(numbering, row) for row in rows]
    together = np.concatenate([*numbers, np.zeros(0, np.int64)])
    return {f"{name}.numbers": together, f"{name}.ends": _ends(map(len, numbers))}


def _read_rows(bundle: Bundle, name: str, words: Sequence[str], n_rows: int | None) -> list[list[str]]:
    numbers = bundle.indices(f"{name}.numbers", (None,), len(words))
    ends = _read_ends(bundle, name, len(numbers))
    if n_rows is not None and len(ends) != n_rows + 1:
        raise bundle.wrong(f"the array {name}.ends must hold {n_rows + 1} numbers; got {len(ends)}")
    found = [words[number] for number in numbers.tolist()]
    return [found[start:end] for start, end in pairwise(ends)]


def _packed(name: str, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Pack texts as bytes, one after the other, and where each ends."""
    encoded = [text.encode("utf-8", "replace") for text in texts]
    return {f"{name}.bytes": np.frombuffer(b"".join(encoded), np.uint8), f"{name}.ends": _ends(map(len, encoded))}


def _read_packed(bundle: Bundle, name: str) -> list[str]:
    content = bundle.array(f"{name}.bytes", np.uint8, (None,)).tobytes()
    ends = _read_ends(bundle, name, len(content))
    try:
        return [content[start:end].decode("utf-8") for start, end in pairwise(ends)]
    except UnicodeDecodeError as error:
        raise bundle.wrong(f"the array {name}.bytes holds bytes that are not UTF-8") from error


def _ends(sizes: Iterable[int]) -> NDArray[np.int64]:
    """Return where each begins, and where the last ends."""
    return np.cumsum([0, *sizes], dtype=np.int64)


def _read_ends(bundle: Bundle, name: str, n_values: int) -> list[int]:
    ends = bundle.array(f"{name}.ends", np.int64, (None,))
    if len(ends) == 0 or ends[0] != 0 or ends[-1] != n_values or (np.diff(ends) < 0).any():
        raise bundle.wrong(f"the array {name}.ends must hold rising numbers from 0 to {n_values}")
    found: list[int] = ends.tolist()
    return found
