"""A server that follows a running watch: the answers as events, from the last ones on, whatever becomes of the file."""

import asyncio
import json
import os
import signal
from contextlib import contextmanager

import pytest
from app_page import expect, opened
from command import run, start
from saved_models import CORPUS
from serving import serving
from waiting import PATIENCE

from tonmf.service.live import KEPT, LiveFile, event_in


def answer(name, score=0.5, **more):
    return {
        "id": name,
        "score": score,
        "outlier": False,
        "judged": True,
        "unexpected_terms": ["one"],
        "text": "a",
        **more,
    }


def append(path, *lines):
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(line)}\n" for line in lines)


@pytest.fixture
def following(saved, tmp_path):
    """A server that follows a file, which is not there yet, and that file."""
    file = tmp_path / "answers.jsonl"
    with serving(saved[1], tmp_path / "server", "--watch", file) as server:
        yield server, file


@contextmanager
def events(server, **headers):
    """The events of a server as they come: id, name and data."""
    with server.client() as client, client.stream("GET", "/v1/watch", headers=headers, timeout=PATIENCE) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")

        def each():
            found = {}
            for line in stream.iter_lines():
                name, _, value = line.partition(": ")
                if name in ("id", "event", "data"):
                    found[name] = value
                elif not line and "data" in found:
                    yield found["id"], found["event"], json.loads(found["data"])
                    found = {}

        yield each()


def test_events_come_as_they_are_written(following):
    server, file = following
    with events(server) as coming:
        append(file, answer("a", 1.5), answer("b"))
        assert [data["id"] for _, _, data in (next(coming), next(coming))] == ["a", "b"]
        append(file, {"alert": "new topic", "words": ["lava"], "documents": ["a"], "since": "2026-05-04", "size": 3})
        last, name, data = next(coming)
        assert (name, data["words"], data["size"]) == ("topic", ["lava"], 3)
    append(file, answer("c"))
    with events(server, **{"Last-Event-ID": last}) as coming:
        assert next(coming)[2]["id"] == "c", "a reader who comes back gets what it has missed"


def follow(file, read):
    """What a coroutine returns that gets a file that is followed, and a function that returns the next events of a reader."""

    async def run():
        live = LiveFile(file)
        following = asyncio.create_task(live.follow())

        async def some(n_events, reader):
            found = []
            async with asyncio.timeout(PATIENCE):
                while len(found) < n_events:
                    said = (await anext(reader)).decode()
                    if "data: " in said:
                        number, _, data = said.strip().split("\n")
                        found.append((number.removeprefix("id: "), json.loads(data.removeprefix("data: "))["id"]))
            return found

        try:
            return await read(live, some)
        finally:
            following.cancel()

    return asyncio.run(run())


def test_a_reader_gets_the_last_events_or_those_after_the_one_that_it_has(tmp_path):
    append(tmp_path / "answers", *(answer(str(number)) for number in range(KEPT + 10)))

    async def read(live, some):
        first = await some(1, live.events())
        last = await some(KEPT, live.events())
        later = await some(1, live.events(last[-2][0]))
        of_another_run = await some(1, live.events(f"another-{KEPT}"))
        return first, [name for _, name in last], later, of_another_run

    first, last, later, of_another_run = follow(tmp_path / "answers", read)
    assert last == [str(number) for number in range(10, KEPT + 10)]
    assert first[0][1] == of_another_run[0][1] == "10"
    assert later[0][1] == str(KEPT + 9)


def test_a_file_that_is_cut_or_replaced_is_followed_from_its_beginning(tmp_path):
    file = tmp_path / "answers"

    async def read(live, some):
        reader = live.events()
        append(file, answer("before"), answer("another"))
        found = await some(2, reader)
        file.write_text(json.dumps(answer("cut")) + "\n")
        found += await some(1, reader)
        append(file.with_name("other"), answer("replaced"), answer("and on"))
        os.replace(file.with_name("other"), file)
        return found + await some(2, reader)

    assert [name for _, name in follow(file, read)] == ["before", "another", "cut", "replaced", "and on"]


def test_a_line_that_is_not_complete_yet_is_waited_for_and_others_are_passed_over(tmp_path):
    file = tmp_path / "answers"
    first, whole = (json.dumps(answer(name)).encode() for name in ("first", "good"))

    async def read(live, some):
        reader = live.events()
        file.write_bytes(b'[1]\n{"id": "no score"}\n\xff\n{"cut of\n' + first + b"\n" + whole[:20])
        found = await some(1, reader)
        with file.open("ab") as more:
            more.write(whole[20:] + b"\n")
        return found + await some(1, reader)

    assert [name for _, name in follow(file, read)] == ["first", "good"]


NO_EVENTS = [b"", b"{}", b"[" * 100_000, b'{"id": 1, "score": NaN}', b'{"id": "a", "score": "1"}', b"1e999"]


@pytest.mark.parametrize("line", NO_EVENTS)
def test_such_a_line_is_no_event(line):
    assert event_in(line) is None


def test_an_event_has_no_more_than_it_may():
    name, data = event_in(
        json.dumps(answer("a" * 10_000, text="b" * 10_000, unexpected_terms=["c" * 999] * 99)).encode()
    )
    assert name == "document"
    assert max(len(data["id"]), len(data["text"]), len(data["unexpected_terms"][0])) == 500
    assert len(data["unexpected_terms"]) == 20


def test_a_server_that_follows_none_says_so(server):
    refused = server.get("/v1/watch")
    assert refused.status_code == 404
    assert refused.json()["error"].startswith("The server follows no watch. Start it with --watch")
    assert server.get("/v1/model").json()["watch"] is False


def test_a_folder_cannot_be_followed(saved, tmp_path):
    refused = run("serve", saved[1], "--watch", tmp_path, "--jobs-folder", tmp_path / "jobs", cwd=tmp_path)
    assert refused.code == 1
    assert "is no file. Let tonmf watch write its answers to a file, and name that with --watch." in refused.err


def test_a_reader_does_not_hold_up_a_server_that_is_to_stop(following):
    server, file = following
    append(file, answer("a"))
    with events(server) as coming:
        next(coming)
        server.signal(signal.SIGTERM)
        assert list(coming) == []
        assert server.ended() == 0


def test_the_page_shows_what_a_real_watch_answers(browser, saved, tmp_path):
    answers, posts = tmp_path / "answers.jsonl", tmp_path / "posts.jsonl"
    append(posts, {"id": "first", "text": CORPUS.texts[0]})
    with (
        start("watch", saved[1], posts, cwd=tmp_path, stdout=answers) as watch,
        serving(saved[1], tmp_path / "server", "--watch", answers) as server,
        opened(browser, server, "live") as page,
    ):
        expect(page.locator(".live tbody tr")).to_have_count(1)
        append(posts, {"id": "odd", "text": "zxcv qwer asdf uiop"})
        expect(page.locator(".live tbody tr")).to_have_count(2)
        first = page.locator(".live tbody tr").first
        expect(first).to_contain_text("odd")
        expect(first.locator(".flag")).to_have_text(" flagged")
        expect(page.locator("#live .lead")).to_have_text("2 documents on this page so far, 1 of them flagged.")
        page.get_by_role("button", name="Pause").click()
        append(posts, {"id": "later", "text": CORPUS.texts[1]})
        page.get_by_role("button", name="Go on (1 new)").click()
        expect(page.locator(".live tbody tr")).to_have_count(3)
        append(
            answers,
            {"alert": "new topic", "words": ["lava", "volcano"], "documents": ["odd"], "since": None, "size": 2},
        )
        expect(page.locator(".new-topics")).to_contain_text("lava, volcano 2 documents; such as odd")
        watch.send_signal(signal.SIGTERM)
        watch.wait(PATIENCE)
