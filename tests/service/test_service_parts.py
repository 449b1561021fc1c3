"""Parts of the server on their own: what cannot be seen from outside, or not at will."""

import asyncio
import errno
import io
import json
import zipfile

import numpy as np
import pytest
import uvloop
from starlette.requests import Request

from tonmf.errors import InputError
from tonmf.service import job_process, job_store, uploads
from tonmf.service.connections import FROM_ONE_ADDRESS, OPEN_FILES, Connections, allow_open_files
from tonmf.service.documents import slices
from tonmf.service.errors import ServiceError
from tonmf.service.job_queue import JobRunner
from tonmf.service.job_routes import policy_of
from tonmf.service.job_store import Job, JobStore
from tonmf.service.json_lines import IncomingLines
from tonmf.service.limits import Limits
from tonmf.service.metrics import Metrics
from tonmf.service.model_queue import FREE, JOINED, Admission, ModelQueue
from tonmf.service.schemas import Explained
from tonmf.service.security import Access, Guard


def run_queue(asked):
    """The answers of a queue to calls that all wait before it begins, and the documents of each call of the model."""
    seen = []

    def run(documents):
        seen.append(list(documents))
        if "bad" in documents:
            raise ValueError("bad")
        return [document.upper() for document in documents]

    async def ask_all():
        queue = ModelQueue(lambda seconds, n_docs: None)
        waiting = [asyncio.create_task(queue.ask(key, run, documents)) for key, documents in asked]
        await asyncio.sleep(0)
        queue.start()
        answers = await asyncio.gather(*waiting, return_exceptions=True)
        await asyncio.to_thread(queue.stop)
        return answers

    return asyncio.run(ask_all()), seen


def test_small_calls_that_wait_are_joined():
    answers, seen = run_queue([("score", ["a"]), ("score", ["b", "c"]), ("score", ["d"])])
    assert answers == [["A"], ["B", "C"], ["D"]]
    assert seen == [["a", "b", "c", "d"]]


def test_calls_of_different_kinds_are_not_joined_and_keep_their_order():
    answers, seen = run_queue([("score", ["a"]), ("explain", ["b"]), ("score", ["c"]), ("explain", ["d"])])
    assert answers == [["A"], ["B"], ["C"], ["D"]]
    assert seen == [["a", "c"], ["b", "d"]]


def test_large_calls_are_not_joined():
    large = ["x"] * JOINED
    answers, seen = run_queue([("score", large), ("score", ["a"]), ("score", large)])
    assert [len(answer) for answer in answers] == [JOINED, 1, JOINED]
    assert [len(documents) for documents in seen] == [JOINED, 1, JOINED]


def test_a_call_that_fails_spoils_no_other():
    answers, _ = run_queue([("score", ["a"]), ("score", ["bad"]), ("score", ["b"])])
    assert answers[0] == ["A"]
    assert isinstance(answers[1], ValueError)
    assert answers[2] == ["B"]


def test_a_call_that_nobody_waits_for_any_more_is_left_out():
    seen = []

    async def leave():
        queue = ModelQueue(lambda seconds, n_docs: None)
        gone = asyncio.create_task(queue.ask("a", lambda documents: seen.append("gone"), ["x"]))
        stays = asyncio.create_task(queue.ask("b", lambda documents: documents, ["y"]))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        queue.start()
        answer = await stays
        await asyncio.to_thread(queue.stop)
        return answer

    assert asyncio.run(leave()) == ["y"]
    assert seen == []


def test_slices_are_of_so_many_documents_and_not_much_longer_than_so_many_characters():
    documents = [(str(number), "x" * length) for number, length in enumerate([1, 1, 1, 9, 9, 1, 1])]
    cut = list(slices(documents, 3, 10))
    assert [[len(text) for _, text in part] for part in cut] == [[1, 1, 1], [9], [9, 1], [1]]
    assert [name for part in cut for name, _ in part] == [name for name, _ in documents]


def test_bytes_that_cannot_be_held_are_refused_and_given_back_later():
    admission = Admission(10, 100)
    with admission.arriving() as first:
        first.begin(in_lines=False)
        first.hold(FREE + 80)
        with admission.arriving() as second, pytest.raises(ServiceError, match="Try again"):
            second.hold(FREE + 30)
        assert (admission.requests, admission.bytes) == (1, 80)
    assert (admission.requests, admission.bytes) == (0, 0)


def test_the_bytes_of_uploads_that_are_not_complete_are_bounded(tmp_path):
    admission = Admission(10, 2 * FREE)
    steps = []

    async def endless(name):
        while True:
            steps.append(name)
            yield b"x" * FREE
            await asyncio.sleep(0)

    async def receive(name):
        with admission.arriving() as admitted:
            await uploads.receive_file(admitted.each(endless(name)), tmp_path / name)

    async def both():
        return await asyncio.gather(receive("a"), receive("b"), return_exceptions=True)

    assert [error.status for error in asyncio.run(both())] == [503, 503]
    assert len(steps) <= 8, "what the one has sent counts for the other, until it is given up"
    assert admission.bytes == 0


def test_lines_are_read_ahead_though_nobody_takes_answers():
    """Most clients read nothing before they have sent everything: a server that stops reading would wait for ever."""
    left = [b'"line"\n' * 1000] * 50

    async def receive():
        if not left:
            await asyncio.sleep(3600)
        return {"type": "http.request", "body": left.pop(), "more_body": True}

    async def read():
        request = Request({"type": "http", "headers": []}, receive)
        lines = IncomingLines(request, Limits(), Admission(1, 10**9).arriving())
        while left:
            await asyncio.sleep(0)
        taken = await lines.next(3)
        lines.stop()
        return taken

    assert asyncio.run(read()) == [(1, b'"line"'), (2, b'"line"'), (3, b'"line"')]


def ask_guard(app, idle_seconds=60, send=None):
    """What an app behind the guard sends."""
    sent = []

    async def keep(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/healthz", "headers": [(b"host", b"localhost")]}
    guard = Guard(app, Access(None, ["localhost"]), Metrics(), idle_seconds)
    asyncio.run(guard(scope, None, send or keep))
    return sent


def test_a_client_that_does_not_take_its_answer_is_given_up():
    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise AssertionError("nobody took the head of the answer")

    async def stuck(message):
        await asyncio.sleep(3600)

    assert ask_guard(app, 0.01, stuck) == []


def test_a_fault_is_answered_by_a_plain_sentence_and_logged_without_its_message(caplog):
    async def app(scope, receive, send):
        raise RuntimeError(scope["path"])

    start, body = ask_guard(app)
    assert start["status"] == 500
    assert json.loads(body["body"]) == {"error": "Unexpected error, a fault in tonmf. The server's log says more."}
    assert (b"x-content-type-options", b"nosniff") in start["headers"]
    assert "unexpected RuntimeError at" in caplog.text
    assert "in app" in caplog.text
    assert "/healthz" not in caplog.text


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("reviews.csv", "reviews.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\reviews.csv", "reviews.csv"),
        ("a\x00b\nc\u202e.csv", "abc.csv"),
        ("", "upload"),
        ("...", "upload"),
        ("x" * 500 + ".csv.gz", "x" * 93 + ".csv.gz"),
    ],
)
def test_names_of_uploads_are_shown_without_surprises(given, shown):
    assert uploads.display_name(given) == shown


@pytest.mark.parametrize(
    ("name", "form", "stored"),
    [
        ("reviews.csv", None, "id.csv"),
        ("reviews.CSV.gz", None, "id.csv.gz"),
        ("notes.log", None, "id.txt"),
        ("export", "jsonl", "id.jsonl"),
        ("export.zip.xz", "lines", "id.txt.xz"),
        ("reviews.zip", None, "id.zip"),
        ("reviews.zip", "csv", "id.zip"),
        ("reviews.ods", None, "id.xlsx"),
        ("reviews.sqlite3", None, "id.db"),
    ],
)
def test_uploads_are_stored_under_a_name_of_our_own(name, form, stored):
    assert uploads.stored_name("id", name, form) == stored


@pytest.mark.parametrize("name", ["page.html", "mail.eml"])
def test_a_page_or_a_mail_alone_is_not_taken(name):
    with pytest.raises(
        InputError, match=r"is one document, and a model is fitted on many\. Upload a \.zip of such files\."
    ):
        uploads.stored_name("id", name, None)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_told(number, tmp_path, monkeypatch):
    def full(file):
        raise OSError(number, "full")

    async def body():
        yield b"some bytes"

    monkeypatch.setattr(uploads, "_flush", full)
    with pytest.raises(ServiceError, match="The server's disk is full") as raised:
        asyncio.run(uploads.receive_file(body(), tmp_path / "upload.csv"))
    assert raised.value.status == 507


def work_that_raises(error, tmp_path, monkeypatch):
    """What a job's process says when something is raised in it."""

    def fail(folder, job, report):
        raise error

    out = io.StringIO()
    monkeypatch.setattr(job_process, "work", fail)
    monkeypatch.setattr(job_process, "_own_output", lambda: out)
    monkeypatch.setattr(job_process, "_end_with_server", lambda: None)
    monkeypatch.setattr(job_process, "_step_back", lambda memory: None)
    payload = json.dumps({"file": "0123.csv", "name": "mine.csv", "memory": 3 * 2**30})
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{payload}\n"))
    job_process.main([str(tmp_path)])
    return json.loads(out.getvalue())


def test_a_job_that_fails_for_the_disk_or_memory_says_so(tmp_path, monkeypatch):
    said = work_that_raises(OSError(errno.ENOSPC, "No space left on device"), tmp_path, monkeypatch)
    assert said == {"error": "The server's disk or system failed: No space left on device."}


def caused_by(error, cause):
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        RuntimeError("can't start new thread"),
        RuntimeError("[enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can't allocate memory"),
        caused_by(InputError("a.npz cannot be read"), MemoryError()),
    ],
    ids=str,
)
def test_a_job_that_reaches_its_limit_of_memory_says_so(error, tmp_path, monkeypatch):
    said = work_that_raises(error, tmp_path, monkeypatch)
    assert said == {
        "error": "The job reached its limit of memory of 3,072 megabytes. Upload fewer or shorter documents, or start the "
        "server with a higher --job-memory."
    }


def test_a_fault_in_a_job_names_the_place_but_not_the_message(tmp_path, monkeypatch):
    said = work_that_raises(RuntimeError("a document's text"), tmp_path, monkeypatch)
    assert said["fault"].startswith("RuntimeError at\n")
    assert "a document's text" not in said["fault"]


def run_job(folder, limits, loop=None, content=b"text", suffix=".csv"):
    """What becomes of a job of a file, on an event loop."""

    async def run():
        with JobStore(folder) as store:
            job_id, job_folder = store.begin()
            job = Job(job_id, f"mine{suffix}", f"{job_id}{suffix}", {})
            (job_folder / job.file).write_bytes(content)
            store.add(job)
            runner = JobRunner(store, limits, None)
            runner.add(job)
            await asyncio.wait(runner._tasks.values())
            return job

    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(run())


@pytest.mark.usefixtures("processes")
def test_a_job_cannot_take_more_memory_than_its_limit(tmp_path):
    """The file claims arrays of 4 GB, for which memory is asked before they turn out to be short."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        for name, array in (("format", np.array(b"coo")), ("shape", np.array([3, 3]))):
            with packed.open(f"{name}.npy", "w") as file:
                np.save(file, array)
        for name in ("row", "col", "data"):
            with packed.open(f"{name}.npy", "w") as file:
                header = {"descr": "<f8", "fortran_order": False, "shape": (2**29,)}
                np.lib.format.write_array_header_1_0(file, header)
    job = run_job(tmp_path, Limits(job_memory=2**30), content=content.getvalue(), suffix=".npz")
    assert job.state == job_store.FAILED
    assert job.message.startswith("The job reached its limit of memory of 1,024 megabytes.")


@pytest.mark.usefixtures("processes")
def test_a_job_that_takes_too_long_is_stopped(tmp_path):
    job = run_job(tmp_path, Limits(job_seconds=1))
    assert job.state == job_store.FAILED
    assert job.message.startswith("The job took longer than 1 second. Upload less, or start the server with a higher")


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_process_that_is_killed_before_it_is_told_its_job_is_no_fault(loop, tmp_path, monkeypatch, caplog):
    start = asyncio.create_subprocess_exec

    async def start_and_kill(*arguments, **options):
        process = await start(*arguments, **options)
        process.kill()
        await process.wait()
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start_and_kill)
    job = run_job(tmp_path, Limits(), loop)
    assert job.state == job_store.FAILED
    assert job.message.startswith("The system stopped the job, perhaps for want of memory.")
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_the_process_of_a_job_that_ends_without_a_word_is_a_fault(tmp_path, caplog):
    with JobStore(tmp_path) as store:
        job_id, _ = store.begin()
        job = Job(job_id, "mine.csv", f"{job_id}.csv", {})
        store.add(job)
        asyncio.run(JobRunner(store, Limits(), None)._conclude(job, {}, 3))
        assert job.state == job_store.FAILED
        assert job.message == "Unexpected error, a fault in tonmf. The server's log says more."
        assert "ended with code 3" in caplog.text


def test_a_job_whose_result_was_written_before_the_server_was_killed_is_done(tmp_path):
    with JobStore(tmp_path) as store:
        job_id, _ = store.begin()
        job = Job(job_id, "mine.csv", f"{job_id}.csv", {}, state=job_store.RUNNING)
        store.add(job)
        (store.path(job_id) / job_store.RESULT).write_text('{"documents": 7, "flagged": 1, "notes": []}')
    with JobStore(tmp_path) as store:
        assert store.jobs[job_id].state == job_store.DONE
        assert store.jobs[job_id].documents == 7


def test_a_job_that_was_changed_by_others_is_left_out(tmp_path, caplog):
    with JobStore(tmp_path) as store:
        job_id, _ = store.begin()
        store.add(Job(job_id, "mine.csv", "../../../etc/passwd", {}))
    with JobStore(tmp_path) as store:
        assert store.jobs == {}
    assert "cannot be read, and is left out" in caplog.text


def test_a_report_without_a_policy_may_do_nothing(tmp_path):
    policy = policy_of(io.BytesIO(b"<!doctype html><title>no policy</title>"))
    assert policy.startswith("default-src 'none'; ")
    assert policy.endswith("sandbox allow-scripts allow-downloads")


def test_every_field_of_an_explanation_is_described():
    described = {name: field.description for name, field in Explained.model_fields.items()}
    assert all(described.values())
    assert (
        described["other_topics"] == "The share of the document that topics outside `topics` explain, a little by each."
    )
    assert not [name for name, text in described.items() if text.startswith("Return")]


@pytest.mark.parametrize(
    ("most", "address", "n_stay"),
    [(None, "127.0.0.1", 1000), (None, "::1", 1000), (None, "192.0.2.7", FROM_ONE_ADDRESS), (7, "127.0.0.1", 7)],
)
def test_an_address_has_so_many_connections_by_default_and_this_machine_any_number(most, address, n_stay):
    connections = Connections(most, 60)
    assert sum(connections.enter(address) for _ in range(1000)) == n_stay
    connections.leave(address)
    assert connections.enter(address)
    assert connections.enter("192.0.2.8")


def test_the_server_may_open_as_many_files_as_the_system_lets_it():
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (512, before[1]))
        allow_open_files()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        assert soft == (OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard))
        assert hard == before[1]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
