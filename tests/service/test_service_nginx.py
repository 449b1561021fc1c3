"""Behind a real nginx, with the configuration of the docs, answers arrive as they are without it."""

import json
import os
import signal

import pytest
from nginx import proxied
from serving import Conversation, Server, serving
from waiting import wait_until

TOKEN = "0123456789abcdef" * 2
SHOWN = {"Authorization": f"Bearer {TOKEN}"}
JSON = {"Content-Type": "application/json"}
LINES = {"Content-Type": "application/x-ndjson"}
OPTIONS = ("--token", TOKEN, "--max-body", "0.25", "--max-upload", "1", "--max-waiting-jobs", "1")
SIZE = 3_000_000


@pytest.fixture(scope="module")
def behind(saved, tmp_path_factory):
    """A server with small limits, as many waiting jobs as it takes and one that is halted, seen through nginx."""
    folder = tmp_path_factory.mktemp("behind")
    with serving(saved[1], folder, *OPTIONS) as running, proxied(running.port, folder / "nginx") as port:
        for state in ("running", "queued"):
            job = running.post("/v1/jobs?name=a.csv", content=b"text\none two\n", headers=SHOWN).json()
            assert job["state"] == state
        for job in wait_until(running.children):
            os.kill(job, signal.SIGSTOP)
        yield Server(running.process, f"http://127.0.0.1:{port}", running.log)


def whole():
    return b"x" * SIZE


def piece_by_piece():
    return (b"x" * 10_000 for _ in range(SIZE // 10_000))


REFUSED = {
    "without the token": (401, "/v1/score", JSON, "Expected the server's token"),
    "too large a request": (413, "/v1/score", SHOWN | JSON, "The body is larger than 262,144 bytes"),
    "too large a stream": (413, "/v1/score", SHOWN | LINES, "larger than 262,144 bytes"),
    "too many jobs": (429, "/v1/jobs?name=a.csv", SHOWN, "1 job waits already"),
    "another kind of body": (415, "/v1/score", SHOWN | {"Content-Type": "text/html"}, "Expected application/json"),
    "no such address": (404, "/v1/nothing", SHOWN, ""),
}


@pytest.mark.parametrize("body", [whole, piece_by_piece])
@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_arrives_as_it_is_though_the_body_was_not_read(case, body, behind):
    status, path, headers, says = REFUSED[case]
    answer = behind.post(path, content=body(), headers=headers)
    assert answer.status_code == status, answer.text
    assert list(answer.json()) == ["error"]
    assert says in answer.json()["error"]
    assert ("retry-after" in answer.headers) == (status == 429)


def test_a_stream_is_answered_while_it_comes(behind):
    headers = ("Content-Type: application/x-ndjson", f"Authorization: Bearer {TOKEN}")
    with Conversation(behind, "/v1/score", *headers) as talk:
        for number in range(3):
            talk.send(json.dumps({"id": str(number), "text": "Which fork is best?"}).encode() + b"\n")
            assert talk.object()["id"] == str(number)
        talk.finish()
        assert talk.object() is None


@pytest.mark.parametrize("chunked", [False, True])
def test_a_large_body_arrives_whole(chunked, behind):
    line = json.dumps("Which fork is best for turning compost? " * 20).encode() + b"\n"
    lines = [line] * 250
    answer = behind.post("/v1/score", content=iter(lines) if chunked else b"".join(lines), headers=SHOWN | LINES)
    assert answer.status_code == 200
    assert len(answer.text.splitlines()) == 250


def test_the_page_and_its_host_are_passed_on(behind):
    assert behind.get("/").status_code == 200
    same, other = ({"Origin": origin} | SHOWN for origin in (behind.address, "http://evil.example"))
    assert behind.post("/v1/score", json={"documents": ["a fork"]}, headers=same).status_code == 200
    assert behind.post("/v1/score", json={"documents": ["a fork"]}, headers=other).status_code == 403
