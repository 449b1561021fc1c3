"""Limits, and requests that make no sense: a clear 4xx for each, and never a fault."""

import json
import socket
from contextlib import suppress

import pytest
from serving import Conversation, serving
from waiting import wait_until

JSON = {"Content-Type": "application/json"}
LINES = {"Content-Type": "application/x-ndjson"}


def refused(answer, status, says):
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert list(answer.json()) == ["error"]
    assert says in answer.json()["error"]


MALFORMED = {
    "no JSON": (b"{", "The body is not JSON: Expecting property name"),
    "nothing": (b"", "The body is not JSON"),
    "not UTF-8": (b'{"documents": ["\xff"]}', "byte 16 is not UTF-8"),
    "NaN": (b'{"documents": [NaN]}', "NaN is no number in JSON"),
    "infinity": (b'{"documents": [-Infinity]}', "-Infinity is no number in JSON"),
    "a float without an end": (b'{"documents": [1e999]}', "got a huge number"),
    "a number without an end": (b'{"documents": [' + b"9" * 5000 + b"]}", "too many digits"),
    "a large number": (b'{"documents": [' + b"9" * 4000 + b"]}", "got a huge number"),
    "deep nesting": (b'{"documents": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
    "a list": (b"[]", "Expected an object"),
    "a string": (b'"text"', "Expected an object"),
    "null": (b"null", "Expected an object"),
    "no documents": (b"{}", 'with the key "documents"'),
    "an empty list": (b'{"documents": []}', "Expected at least one document, got none."),
    "documents that are no list": (b'{"documents": "text"}', "documents must be a list; got a string."),
    "a null document": (b'{"documents": [null]}', "Document 0: expected a text"),
    "a null text": (b'{"documents": [{"text": null}]}', "got an object with 'text'"),
    "a number": (b'{"documents": ["a", 1]}', 'Document 1: expected a text, or {"id": …, "text": …}; got 1.'),
    "a truth": (b'{"documents": [true]}', "got true."),
    "a list of items": (b'{"documents": [["a"]]}', "got a list."),
    "an object without a text": (b'{"documents": [{}]}', "got an empty object."),
    "an id that is no name": (
        b'{"documents": [{"id": [], "text": "a"}]}',
        "id must be a string or a whole number; got an empty list",
    ),
    "an id that is true": (b'{"documents": [{"id": true, "text": "a"}]}', "got true"),
    "an unknown key": (b'{"documents": ["a"], "top": 3}', "There is no 'top'; expected documents, fdr, topics."),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_what_is_malformed_is_refused(case, server):
    body, says = MALFORMED[case]
    refused(server.post("/v1/score", content=body, headers=JSON), 422, says)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"n_words": 0}, "n_words must be a whole number from 1 to 1000; got 0."),
        ({"n_words": "many"}, "n_words must be a whole number from 1 to 1000; got a string."),
        ({"n_words": 10**30}, "n_words must be a whole number"),
        ({"n_nearest": True}, "n_nearest must be a whole number from 0 to 100; got true."),
        ({"pieces": 1}, "pieces must be true or false; got 1."),
    ],
)
def test_options_that_make_no_sense_are_refused(options, says, server):
    refused(server.post("/v1/explain", json={"documents": ["a"], **options}), 422, says)


def test_parameters_of_addresses_that_make_no_sense_are_refused(server):
    refused(server.get("/v1/topics?words=0"), 422, "words: input should be greater than or equal to 1.")
    refused(server.get("/v1/topics?words=many"), 422, "words: input should be a valid integer")
    refused(server.post("/v1/jobs"), 422, "Expected name in the address, such as ?name=…")


FINE = {
    "an empty text": '""',
    "null bytes": '"a\\u0000b"',
    "half a surrogate pair": '"\\ud800 dog"',
    "half a surrogate pair in an id": '{"id": "\\udfff", "text": "dog"}',
    "keys twice": '{"text": "a", "text": "b"}',
    "right-to-left and emoji": '"\\u202e\\ud83d\\ude00 \u0627\u0644"',
    "no id": '{"id": null, "text": "dog"}',
    "further keys": '{"text": "dog", "stars": {"deep": []}}',
    "a long word": json.dumps("x" * 20_000),
}


@pytest.mark.parametrize("case", FINE)
def test_odd_documents_are_answered(case, server):
    for path in ("/v1/score", "/v1/explain"):
        answer = server.post(path, content=f'{{"documents": [{FINE[case]}]}}'.encode(), headers=JSON)
        assert answer.status_code == 200, answer.text
        assert len(answer.json()["documents"]) == 1


def test_a_body_that_is_too_large_by_its_head_is_refused(server):
    refused(server.post("/v1/score", content=b"x" * 300_000, headers=JSON), 413, "larger than 262,144 bytes")


@pytest.mark.parametrize("kind", ["application/json", "application/x-ndjson"])
def test_a_body_that_is_too_large_without_saying_so_is_refused(kind, server):
    def chunks():
        for _ in range(30):
            yield b'"' + b"x" * 10_000

    refused(
        server.post("/v1/score", content=chunks(), headers={"Content-Type": kind}),
        413,
        "start the server with a higher",
    )


def test_a_body_that_lies_about_its_size_harms_nobody(server):
    with Conversation(server, "/v1/score", "Content-Type: application/json", size=100) as talk:
        talk.send(b'{"documents": ')
    assert server.get("/healthz").status_code == 200


def test_a_client_that_stops_sending_is_given_up(saved, tmp_path):
    with (
        serving(saved[1], tmp_path, "--idle-time", "2") as impatient,
        Conversation(impatient, "/v1/score", "Content-Type: application/json") as talk,
    ):
        talk.send(b'{"documents": ')
        answer = talk.rest()
    assert b" 408 " in answer.splitlines()[0]
    assert b"Nothing came for 2 seconds" in answer


def test_too_many_documents_are_refused(server):
    refused(server.post("/v1/score", json={"documents": ["a"] * 201}), 413, "Got more than 200 documents at once.")
    lines = server.post("/v1/score", content=b'"a"\n' * 201, headers=LINES)
    refused(lines, 413, "--max-batch")


def test_a_text_that_is_too_long_is_refused(server):
    answer = server.post("/v1/score", json={"documents": ["a", "b" * 20_001]})
    refused(answer, 413, "Document 1 has 20,001 characters, and 20,000 is the most.")
    answer = server.post("/v1/score", content=json.dumps("b" * 20_001), headers=LINES)
    refused(answer, 413, "Line 1 has 20,001 characters")


def test_other_kinds_of_bodies_are_refused(server):
    body = b'{"documents": ["a"]}'
    refused(server.post("/v1/score", content=body, headers={"Content-Type": "text/plain"}), 415, "application/x-ndjson")
    charset = {"Content-Type": "application/json; charset=utf-16"}
    refused(server.post("/v1/score", content=body, headers=charset), 415, "Expected UTF-8, got 'utf-16'.")
    refused(server.post("/v1/score", content=body, headers={**JSON, "Content-Encoding": "gzip"}), 415, "compressed")
    assert server.post(
        "/v1/score", content=body, headers={"Content-Type": 'Application/JSON; charset="UTF-8"'}
    ).is_success


def test_lines_without_a_document_are_refused(server):
    refused(server.post("/v1/score", content=b" \n\n", headers=LINES), 422, "Expected a document a line, got none.")


def test_addresses_and_methods_that_are_not_there_are_told(server):
    refused(server.get("/v1/scores"), 404, "There is nothing at this address.")
    refused(server.ask("PUT", "/v1/score"), 405, "does not take this method")
    refused(server.get("/v1/jobs/../../etc/passwd"), 404, "There is nothing")
    refused(server.get("/v1/jobs/..%2f..%2fetc"), 404, "There is nothing")
    refused(server.get("/v1/jobs/0123456789abcdef"), 404, "There is no such job.")
    refused(server.get("/assets/..%5c..%5csecret"), 404, "There is no such file.")


def test_clients_that_leave_in_the_middle_harm_nobody(server, saved):
    for _ in range(5):
        with Conversation(server, "/v1/explain", "Content-Type: application/x-ndjson") as talk:
            talk.send(b'"a b c"\n' * 150)
        with Conversation(server, "/v1/explain", "Content-Type: application/json", size=2000) as talk:
            talk.send(json.dumps({"documents": ["a b c"] * 150}).encode().ljust(2000))
    answer = server.post("/v1/score", json={"documents": ["a b c"]})
    assert answer.json()["documents"][0]["score"] == saved[0].outlier_score(["a b c"])[0]
    wait_until(lambda: "tonmf_requests_under_way 0.0" in server.get("/metrics").text)
    assert "ERROR" not in server.log.read_text()


def test_what_is_no_http_harms_nobody(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
        line.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        answer = line.recv(1000)
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert b"nosniff" in answer
        assert answer.endswith(b'{"error":"Invalid HTTP request received."}')
    assert server.get("/healthz").status_code == 200


@pytest.mark.parametrize("endless", [b"a: b\r\n", b"a"])
def test_a_head_without_an_end_is_refused(endless, server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
        line.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\nx: ")
        with suppress(OSError):  # the server closes the connection while we still write
            for _ in range(1000):
                line.sendall(endless * 1000)
        with suppress(OSError):
            assert line.recv(1000).startswith(b"HTTP/1.1 400 ")
    assert server.get("/healthz").status_code == 200


def test_the_largest_head_is_one_of_some_thousand_bytes(server):
    assert server.get("/healthz", headers={"x": "a" * 10_000}).status_code == 200
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
        for some in (b"GET /healthz HTTP/1.1\r\n", b"Host: localhost\r\n", b"x: " + b"a" * 70_000):
            line.sendall(some)
        assert b"larger than 65,536 bytes" in line.makefile("rb").read()


@pytest.fixture(scope="module")
def narrow_server(saved, tmp_path_factory):
    with serving(saved[1], tmp_path_factory.mktemp("narrow"), "--max-requests", "1") as running:
        yield running


def test_lines_beyond_those_that_can_be_held_are_sent_away_for_a_while_and_keep_no_other_request_out(narrow_server):
    with Conversation(narrow_server, "/v1/score", "Content-Type: application/x-ndjson") as talk:
        talk.send(b'"first"\n')
        assert talk.object()["id"] == "0"
        answer = narrow_server.post("/v1/score", content=b'"second"\n', headers=LINES)
        refused(answer, 503, "Try again in a second.")
        assert answer.headers["retry-after"] == "1"
        assert narrow_server.post("/v1/score", json={"documents": ["third"]}).status_code == 200
        talk.finish()
        assert talk.object() is None
    assert narrow_server.post("/v1/score", content=b'"fourth"\n', headers=LINES).status_code == 200


def test_requests_whose_bodies_are_not_complete_keep_no_other_out(narrow_server):
    with Conversation(narrow_server, "/v1/score", "Content-Type: application/json", size=100) as slow:
        slow.send(b'{"documents": ')
        for _ in range(3):
            assert narrow_server.post("/v1/score", json={"documents": ["second"]}).status_code == 200
