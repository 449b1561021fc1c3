"""Clients that keep the server waiting: how long it waits, and for how many."""

import select
import socket
from contextlib import suppress

import pytest
from serving import Conversation, serving
from waiting import PATIENCE, wait_until

TOKEN = "0123456789abcdef"  # noqa: S105
DRIP = 0.1
"""Seconds between two bytes: well within the time that a client may be idle."""


@pytest.fixture(scope="module")
def impatient(saved, tmp_path_factory):
    """A server that waits for a second, and takes three connections from an address."""
    options = ("--idle-time", "1", "--max-connections", "3", "--token", TOKEN)
    with serving(saved[1], tmp_path_factory.mktemp("impatient"), *options) as running:
        yield running


def dripped(server, first, drop):
    """What the server answers before it closes a connection on which first something is sent, and then drop by drop."""
    answer = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as line, suppress(ConnectionError):
        line.sendall(first)
        while True:
            if select.select([line], [], [], DRIP)[0]:
                if not (some := line.recv(65536)):
                    break
                answer += some
            line.sendall(drop)
    return answer


def head(path, *headers):
    return "\r\n".join((f"POST {path} HTTP/1.1", "Host: localhost", *headers, "", "")).encode()


BEARER = f"Authorization: Bearer {TOKEN}"
JSON, LINES = "Content-Type: application/json", "Content-Type: application/x-ndjson"


def test_a_refused_request_whose_body_drips_in_is_closed(impatient):
    answer = dripped(impatient, head("/v1/score", JSON, "Content-Length: 10000"), b" ")
    assert answer.startswith(b"HTTP/1.1 401 ")
    wait_until(
        lambda: "the rest of a body that nobody reads did not come within 1 seconds" in impatient.log.read_text()
    )


def test_line_ends_after_a_request_do_not_keep_a_connection(impatient):
    answer = dripped(impatient, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")
    wait_until(lambda: "no further request came within 1.25 seconds" in impatient.log.read_text())


@pytest.mark.parametrize(("first", "drop"), [(b"", b"\r\n"), (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", b"x")])
def test_a_head_that_drips_in_is_closed(first, drop, impatient):
    assert dripped(impatient, first, drop) == b""
    wait_until(lambda: "the head of a request was not complete within 1 seconds" in impatient.log.read_text())


@pytest.mark.parametrize(
    "request_head",
    [
        head("/v1/session", JSON, "Content-Length: 4000"),
        head("/v1/score", JSON, BEARER, "Content-Length: 10000"),
        head("/v1/jobs?name=a.csv", BEARER, "Content-Length: 10000"),
        head("/v1/score", LINES, BEARER, "Content-Length: 10000"),
    ],
)
def test_a_body_that_drips_in_is_given_up(request_head, impatient):
    answer = dripped(impatient, request_head, b" ")
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"Send it again." in answer


def test_lines_that_come_one_by_one_are_no_drops(impatient):
    with Conversation(impatient, "/v1/score", LINES, BEARER) as talk:
        for number in range(20):  # two seconds and more, of which each line takes a part
            select.select([], [], [], DRIP)
            talk.send(b'"a market')
            talk.send(b' day"\n')
            assert talk.object()["id"] == str(number)
        talk.finish()
        assert talk.object() is None


def test_an_address_has_so_many_connections(impatient):
    place = ("127.0.0.1", impatient.port)
    wait_until(lambda: impatient.get("/healthz").status_code == 200)  # connections of other tests are closed
    lines = [socket.create_connection(place, timeout=PATIENCE) for _ in range(3)]
    with socket.create_connection(place, timeout=PATIENCE) as fourth:
        answer = fourth.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 5" in answer
    assert b"This address has too many connections." in answer
    wait_until(lambda: "refused 1 connection from 127.0.0.1, which has 3, the most" in impatient.log.read_text())
    for line in lines:
        line.close()
    wait_until(lambda: impatient.get("/healthz").status_code == 200)
