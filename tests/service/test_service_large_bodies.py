"""Large bodies, and long documents: they hold up nobody else, and what is too much is refused before it is parsed."""

import asyncio
import json
import re
import signal
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from serving import serving
from starlette.requests import Request
from test_service_limits import JSON, LINES, refused

from tonmf import TextOutlierDetector
from tonmf.service import json_parts
from tonmf.service.documents import DocumentReader
from tonmf.service.errors import ServiceError
from tonmf.service.json_lines import SKIPPED, IncomingLines
from tonmf.service.json_outline import IN_A_PART, outline_of
from tonmf.service.json_parts import AT_ONCE, parse_in_parts, parse_line
from tonmf.service.limits import Limits
from tonmf.service.model_queue import JOINED_SIZE, Admission, ModelQueue
from tonmf.service.parsing_thread import ParsingThread
from tonmf.text.documents import COUNTS, ITEMS, TEXTS

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('a",:[]{}\\é会\n'),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("ab"), inner),
    max_leaves=10,
)


def in_small_parts(monkeypatch, n_values):
    monkeypatch.setattr(json_parts, "outline_of", lambda body: outline_of(body, n_values))


@given(st.dictionaries(st.text("ab"), VALUES), st.lists(VALUES, min_size=1), st.booleans(), st.integers(1, 6))
def test_json_in_parts_is_what_it_is_at_once(more, documents, is_ascii, n_values):
    text = json.dumps({**more, "documents": documents, "fdr": 0.1}, ensure_ascii=is_ascii)
    with pytest.MonkeyPatch.context() as monkeypatch:
        in_small_parts(monkeypatch, n_values)
        assert parse_in_parts(text.encode(), Limits()) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"documents": ["a", "b",, "c"]}',
        '{"documents": ["a", "b", "c",]}',
        '{"documents": [,"a", "b", "c"]}',
        '{"documents": ["a", "b", "c"}}',
        '{"documents": ["a", "b", "c"]',
        '{"documents": ["a", "b", "c"]}]',
        '{"documents": ["é", "b", "c" "d"]}',
        '{"documents": ["a", "b", NaN]}',
        '{"documents": ["a", "b", "c]}',
        '{"documents": ["a", "b"}, "c"]}',
    ],
)
def test_what_is_no_json_is_refused_in_parts_too(text, monkeypatch):
    in_small_parts(monkeypatch, 1)
    with pytest.raises(ValueError, match=r"at character \d+$|is no number"):
        parse_in_parts(text.encode(), Limits())


def test_an_error_names_its_place_in_the_whole_body(monkeypatch):
    in_small_parts(monkeypatch, 1)
    text = '{"documents": ["é", "b", "c" "d", "e"]}'
    place = text.index('"d"')
    with pytest.raises(ValueError, match=f"at character {place}$"):
        parse_in_parts(text.encode(), Limits())
    with pytest.raises(ValueError, match="byte 20 is not UTF-8"):
        parse_in_parts(b'{"documents": ["a", \xff, "c"]}', Limits())


def test_no_part_has_many_more_values_than_it_may_have():
    body = json.dumps({"documents": [{"items": [1] * 50, "id": "a"}] * 5000}).encode()
    sizes = []
    parse_in_parts(body, Limits(), lambda key, elements: sizes.append(len(elements)) or [])
    assert sum(sizes) == 5000
    assert max(sizes) <= IN_A_PART / 50
    assert outline_of(body).most_values <= IN_A_PART + 100


MANY = {
    "numbers": (b'{"documents": [[' + b"1," * 1_000_000 + b"1]]}", "A document has far more values than"),
    "empty items": (b'{"documents": [[' + b'"",' * 1_000_000 + b'""]]}', "A document has far more values than"),
    "empty lists in a document": (b'{"documents": [[' + b"[]," * 100_000 + b"[]]]}", "A document has far more values"),
    "empty documents": (b'{"documents": [' + b"[]," * 100_000 + b"[]]}", "Got more than 10,000 documents at once."),
    "keys that nobody asked for": (
        b'{"documents": ["a"], "x": [' + b"1," * 1_000_000 + b"1]}",
        "Got more than 10,000 documents at once.",
    ),
}


@pytest.mark.parametrize("case", MANY)
def test_far_too_many_values_are_refused_before_they_are_parsed(case, monkeypatch):
    body, says = MANY[case]
    monkeypatch.setattr(json_parts, "parse", None)
    with pytest.raises(ServiceError, match=re.escape(says)) as raised:
        parse_in_parts(body, Limits())
    assert raised.value.status == 413


def test_far_too_many_values_in_a_line_are_refused_before_they_are_parsed(monkeypatch):
    monkeypatch.setattr(json_parts, "parse", None)
    with pytest.raises(ServiceError, match="Line 7 has far more values than 100,000 words"):
        parse_line(b"[" + b"1," * 1_000_000 + b"1]", Limits(), "Line 7")


def test_large_bodies_are_parsed_in_a_thread_and_small_ones_at_once():
    async def where(n_bytes):
        parsing = ParsingThread()
        name = await parsing.run(n_bytes, lambda: threading.current_thread().name)
        parsing.stop()
        return name

    assert asyncio.run(where(AT_ONCE)) == threading.current_thread().name
    assert asyncio.run(where(AT_ONCE + 1)).startswith("parsing")


def test_others_have_their_turn_while_millions_of_blank_lines_are_skipped():
    left = [b'"last"\n', b"\n" * (4 * SKIPPED)]

    async def receive():
        return {"type": "http.request", "body": left.pop(), "more_body": bool(left)}

    async def count_turns(turns):
        while True:
            turns.append(1)
            await asyncio.sleep(0)

    async def read():
        lines = IncomingLines(
            Request({"type": "http", "headers": []}, receive), Limits(), Admission(1, 10**9).arriving()
        )
        turns = []
        counting = asyncio.create_task(count_turns(turns))
        taken = await lines.next(3)
        counting.cancel()
        lines.stop()
        return taken, len(turns)

    taken, n_turns = asyncio.run(read())
    assert taken == [(4 * SKIPPED + 1, b'"last"')]
    assert n_turns >= 4


@pytest.mark.parametrize(
    ("kind", "document", "says"),
    [
        (TEXTS, "dog " * 11, "Document 0 has more than 10 words"),
        (TEXTS, "会议将于明天上午十点开始", "Document 0 has more than 10 words"),
        (ITEMS, [""] * 11, "Document 0 has more than 10 items"),
        (COUNTS, {"counts": {str(number): 1 for number in range(11)}}, "Document 0 has more than 10 terms"),
    ],
)
def test_a_document_of_too_many_words_is_refused(kind, document, says):
    reader = DocumentReader(kind, {str(number): number for number in range(20)}, Limits(words=10))
    with pytest.raises(ServiceError, match=f"{says}, and that is the most.*--max-words") as raised:
        reader.read_all([document])
    assert raised.value.status == 413


def test_a_document_of_as_many_words_as_may_be_is_taken():
    reader = DocumentReader(TEXTS, {}, Limits(words=10))
    for text in ("dog " * 10, "d " * 100, "会议将于明天上午十点开", "x" * 1000):
        assert reader.read_all([text]) == [("0", text)]


def test_characters_are_words_where_terms_are_made_of_them():
    reader = DocumentReader(TEXTS, {}, Limits(words=10), by_characters=True)
    with pytest.raises(ServiceError, match="more than 10 words"):
        reader.read_all(["x" * 11])


def test_long_documents_are_not_joined():
    seen = []

    def run(documents):
        seen.append(list(documents))
        return documents

    async def ask_all():
        queue = ModelQueue(lambda seconds, n_docs: None)
        sizes = {"long": JOINED_SIZE, "a": 10, "long too": JOINED_SIZE, "b": 10}
        waiting = [asyncio.create_task(queue.ask("score", run, [name], size)) for name, size in sizes.items()]
        await asyncio.sleep(0)
        queue.start()
        await asyncio.gather(*waiting)
        await asyncio.to_thread(queue.stop)

    asyncio.run(ask_all())
    assert seen == [["long"], ["a", "b"], ["long too"]]


@pytest.fixture(scope="module")
def baskets(tmp_path_factory):
    """A server of a model of baskets."""
    folder = tmp_path_factory.mktemp("baskets")
    TextOutlierDetector(n_restarts=1).fit([["milk", "bread", str(i % 7)] for i in range(60)]).save(folder / "model")
    with serving(folder / "model", folder / "server") as running:
        yield running


def test_millions_of_empty_items_are_refused(baskets):
    body = b'{"documents": [[' + b'"",' * 5_000_000 + b'""]]}'
    refused(baskets.post("/v1/score", content=body, headers=JSON), 413, "--max-words")
    refused(baskets.post("/v1/score", content=body[15:-2], headers=LINES), 413, "--max-words")


def test_large_requests_are_answered_like_small_ones(baskets):
    documents = [{"id": f"d{i}", "items": ["milk", i % 7, "extra" * (i % 3)] * 5} for i in range(3000)]
    answer = baskets.post("/v1/score", json={"documents": documents, "fdr": 0.5})
    assert answer.json()["fdr"] == 0.5
    scores = answer.json()["documents"]
    assert [score["id"] for score in scores] == [document["id"] for document in documents]
    few = baskets.post("/v1/score", json={"documents": documents[100:103]}).json()["documents"]
    assert [score["score"] for score in scores[100:103]] == [score["score"] for score in few]
    refused(baskets.post("/v1/score", json={"documents": [*documents, 7]}), 422, "Document 3000: expected a list")
    refused(baskets.post("/v1/score", json={"documents": documents, "top": 3}), 422, "There is no 'top'")
    twice = (
        json.dumps({"documents": documents})[:-1] + ', "documents": [["milk"]]}'
    )  # the last one counts, as in small bodies
    assert len(baskets.post("/v1/score", content=twice.encode(), headers=JSON).json()["documents"]) == 1


def test_a_request_that_is_not_done_when_the_server_must_stop_is_told_so(saved, tmp_path):
    long = "".join(chr(0x4E00 + number % 20_000) for number in range(400_000))
    answers = []
    with serving(saved[1], tmp_path / "server", "--grace", "1", "--max-words", "1000000") as running:
        asking = threading.Thread(
            target=lambda: answers.append(running.post("/v1/explain", json={"documents": [long] * 5}))
        )
        asking.start()
        metrics = re.compile(r"^tonmf_requests_under_way 1", re.MULTILINE)
        while not metrics.search(running.get("/metrics").text):
            pass
        running.signal(signal.SIGTERM)
        assert running.ended() == 0
        asking.join()
    refused(answers[0], 503, "The server is stopping")
    assert "Traceback" not in running.log.read_text()
