"""``tonmf watch``: documents scored as they come, by a real process that is stopped, killed, stalled and starved."""

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
from command import PIPE, TONMF, environment, run, run_into_files, start
from saved_models import SMALL
from waiting import wait_until

from tonmf import InputError, TextOutlierDetector, load
from tonmf.cli.watching import lines as lines_module
from tonmf.cli.watching.following import FollowedFile, Place
from tonmf.cli.watching.lines import Lines
from tonmf.datasets import make_corpus
from tonmf.storage.bundles import read_bundle

CORPUS = make_corpus(n_docs=420, n_outliers=12, random_state=5)
DOCUMENTS = [{"id": name, "text": text} for name, text in zip(CORPUS.ids, CORPUS.texts, strict=True)]
FIRST, COMING = CORPUS.texts[:120], DOCUMENTS[120:]
OFTEN = ("--learn-every", 5, "--snapshot", "kept", "--snapshot-every", "3 documents")


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """On plain numpy, so that processes can be forked."""
    folder = tmp_path_factory.mktemp("fitted") / "model"
    TextOutlierDetector(**SMALL, backend="numpy").fit(FIRST).save(folder)
    return folder


@pytest.fixture
def here(tmp_path, fitted):
    shutil.copytree(fitted, tmp_path / "model")
    return tmp_path


def as_lines(documents):
    return "".join(json.dumps(document) + "\n" for document in documents)


def answers(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def kept(folder):
    """The detector of the last snapshot, how many documents it has, learnt or to be learnt, and its place."""
    while True:
        name = (folder / "kept" / "latest").read_text()
        try:
            snapshot = folder / "kept" / name
            pending, place = (json.loads((snapshot / file).read_text()) for file in ("pending.json", "place.json"))
            detector = load(snapshot / "model")
            stream = detector._state.stream
            return detector, (120 if stream is None else stream.n_seen) + len(pending), place
        except (InputError, FileNotFoundError):
            if name == (folder / "kept" / "latest").read_text():  # else it was replaced in between
                raise


def same_models(one, other):
    first, second = read_bundle(one), read_bundle(other)
    names = sorted(first.arrays.keys())
    assert names == sorted(second.arrays.keys())
    for name in names:
        np.testing.assert_array_equal(first.arrays.get_tensor(name), second.arrays.get_tensor(name), err_msg=name)
    for fields in (first.fields, second.fields):
        fields["stream"].pop("now")  # documents without a time have that of their arrival
        del fields["provenance"], fields["arrays_digest"]
    assert first.fields == second.fields


def test_every_document_is_answered_by_the_detector_of_the_moment_which_then_learns(here):
    (here / "new.jsonl").write_text(as_lines(COMING[:50]))
    ran = run("watch", "model", "new.jsonl", "--until-end", "--learn-every", 20, "--snapshot", "kept", cwd=here)
    assert ran.code == 0
    found = [json.loads(line) for line in ran.out.splitlines()]
    assert [list(answer) for answer in found] == [
        ["id", "score", "outlier", "judged", "topic", "unexpected_terms", "reason", "text"]
    ] * 50
    detector = load(here / "model")
    expected = []
    for first in range(0, 50, 20):
        batch = COMING[first : min(first + 20, 50)]
        texts, names = [one["text"] for one in batch], [one["id"] for one in batch]
        expected += detector.explain(texts, names=names)
        detector.partial_fit(texts, names=names, times=np.zeros(len(texts)))
    assert [answer["id"] for answer in found] == [why.id for why in expected]
    assert [answer["score"] for answer in found] == [why.score for why in expected]
    assert [answer["reason"] for answer in found] == [why.sentence for why in expected]
    assert [answer["topic"] for answer in found] == [why.topic for why in expected]
    assert kept(here)[0].threshold_ == detector.threshold_
    assert "note: 50 documents scored." in ran.err


def test_documents_without_words_are_answered_but_not_judged(here):
    texts = ["the of and", COMING[0]["text"], "?!"]
    lines = as_lines([{"id": str(number), "text": text} for number, text in enumerate(texts)])
    ran = run("watch", "model", "-", cwd=here, stdin=lines.encode())
    found = [json.loads(line) for line in ran.out.splitlines()]
    assert [answer["judged"] for answer in found] == [False, True, False]
    assert (found[0]["score"], found[0]["outlier"]) == (0.0, False)
    assert found[0]["reason"] == "Not judged: it has no words that count."
    assert "note: 3 documents scored. 2 of them have no words that count and were not judged." in ran.err


def test_documents_cannot_steer_the_terminal_that_shows_the_answers(here):
    nasty = {"id": "a\x9b31m", "text": f"{COMING[0]['text']} \x9d0;owned\x9c \x85 \x7f \u202e zx\u2066cv"}
    ran = run("watch", "model", "-", cwd=here, stdin=as_lines([nasty]).encode())
    assert [character for character in ran.out if not character.isprintable()] == ["\n"]
    answer = json.loads(ran.out)
    assert (answer["id"], answer["text"]) == (nasty["id"], nasty["text"])


def test_it_reads_standard_input_and_need_not_learn(here):
    lines = as_lines(COMING[:40])
    ran = run("watch", "model", "-", "--no-learn", "--only-outliers", "--quiet", cwd=here, stdin=lines.encode())
    detector = load(here / "model")
    scores = detector.outlier_score([one["text"] for one in COMING[:40]])
    expected = [one["id"] for one, score in zip(COMING[:40], scores, strict=True) if score > detector.threshold_]
    assert (ran.code, ran.err) == (0, "")
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == expected
    assert expected


def test_plain_lines_columns_and_times(here):
    (here / "plain.txt").write_text("\n".join(FIRST[:3]) + "\n\n" + FIRST[3])
    assert run_into_files("watch", "model", "plain.txt", "--until-end", cwd=here, stdout=here / "plain") == 0
    assert [answer["id"] for answer in answers(here / "plain")] == [f"plain.txt:{n}" for n in (1, 2, 3, 5)]
    rows = [{"n": n, "body": FIRST[n], "title": "x", "at": f"2026-03-0{n + 1}T00:00:00Z"} for n in range(4)]
    (here / "new.jsonl").write_text(as_lines([*rows, {**rows[0], "at": "noon"}, {"n": 9, "body": FIRST[0]}]))
    columns = ("--text-column", "body", "--id-column", "n", "--time-column", "at", "--half-life", "1 day")
    code = run_into_files(
        "watch", "model", "new.jsonl", "--until-end", *columns, "--snapshot", "kept", cwd=here, stdout=here / "out",
        stderr=here / "err",
    )  # fmt: skip
    assert code == 0
    assert [(answer["id"], answer["time"]) for answer in answers(here / "out")] == [
        (str(r["n"]), r["at"]) for r in rows
    ]
    told = (here / "err").read_text()
    expected = (
        "expected a time such as 1987-10-19 15:01, 'Mon, 19 Oct 1987 15:01:01 +0000', or seconds since 1970 in its 'at'"
    )
    assert f"line 5 was left out: {expected}, got 'noon'." in told
    assert f"line 6 was left out: {expected}, got nothing." in told
    detector = kept(here)[0]
    assert detector.half_life == "1 day"
    assert detector._state.stream.n_docs == pytest.approx(120 + 1 + 0.5 + 0.25 + 0.125)


def test_bad_lines_are_told_and_counted_and_nothing_else_is_lost(here):
    good = [json.dumps(document).encode() for document in COMING[:6]]
    bad = [b'{"text": ', b"\xff\xfe{", b"[1, 2]", b'{"text": 5}', b'{"id": "x"}', b'{"text": "  "}', b"[" * 100_000]
    content = [line for pair in zip(good, [*bad[:5], b""], strict=True) for line in pair]
    (here / "new.jsonl").write_bytes(b"\n".join([*content, *bad[5:], b'{"text": "\xff ' + FIRST[0].encode() + b'"}']))
    code = run_into_files(
        "watch", "model", "new.jsonl", "--until-end", cwd=here, stdout=here / "out", stderr=here / "err"
    )
    assert code == 0
    assert [answer["id"] for answer in answers(here / "out")] == [one["id"] for one in COMING[:6]] + ["new.jsonl:15"]
    told = (here / "err").read_text().splitlines()
    assert sum("was left out" in line for line in told) == 7
    assert told[-1] == "note: 7 documents scored. 7 lines could not be read and were left out."


def test_a_file_that_grows_is_followed_and_sigterm_ends_in_order(here):
    path = here / "new.jsonl"
    path.write_text("")
    watching = start("watch", "model", path, "--snapshot", "kept", cwd=here, stdout=here / "out", stderr=here / "err")
    half = json.dumps(COMING[1])
    for number, text in enumerate([as_lines(COMING[:1]) + half[:20], half[20:] + "\n", as_lines(COMING[2:4])], start=1):
        with path.open("a") as file:
            file.write(text)
        wait_until(lambda n=(1, 2, 4)[number - 1]: len(answers(here / "out")) == n)
    os.rename(path, here / "new.jsonl.1")  # as log rotation does it
    with (here / "new.jsonl.1").open("a") as file:
        file.write(as_lines(COMING[4:5]))
        file.write(json.dumps(COMING[5]))  # the last line has no end
    wait_until(lambda: len(answers(here / "out")) == 5)
    path.write_text(as_lines(COMING[6:8]))
    wait_until(lambda: len(answers(here / "out")) == 8)
    path.write_text(as_lines(COMING[8:9]))  # truncated and written anew
    wait_until(lambda: len(answers(here / "out")) == 9)
    assert watching.stop() == 0
    assert [answer["id"] for answer in answers(here / "out")] == [one["id"] for one in COMING[:9]]
    _, n_docs, place = kept(here)
    assert n_docs == 129
    assert place["lines"] == 1
    told = (here / "err").read_text()
    assert "new.jsonl was replaced by another file: reading that from its start." in told
    assert "new.jsonl was truncated: reading it from its start." in told
    with path.open("a") as file:
        file.write(as_lines(COMING[9:12]))
    assert (
        run_into_files("watch", "model", path, "--until-end", "--snapshot", "kept", cwd=here, stdout=here / "out") == 0
    )
    assert [answer["id"] for answer in answers(here / "out")] == [one["id"] for one in COMING[:12]]


def test_ctrl_c_ends_in_order_too(here):
    (here / "new.jsonl").write_text(as_lines(COMING[:7]))
    watching = start("watch", "model", "new.jsonl", "--snapshot", "kept", cwd=here, stdout=here / "out")
    wait_until(lambda: len(answers(here / "out")) == 7)
    assert watching.stop(signal.SIGINT) == 130
    assert kept(here)[1] == 127


def test_a_watch_that_is_killed_again_and_again_ends_with_the_same_model_as_one_that_is_not(here):
    """After each kill the last snapshot is whole, and what it says of detector and place belongs together."""
    path, rng = here / "new.jsonl", random.Random(0)  # noqa: S311
    path.write_text(as_lines(COMING[:150]))
    arguments = ("watch", "model", path, "--until-end", *OFTEN)
    began = time.monotonic()
    (here / "whole").mkdir()
    shutil.copytree(here / "model", here / "whole" / "model")
    assert run_into_files(*arguments, cwd=here / "whole", stdout=here / "whole" / "out") == 0
    took = time.monotonic() - began
    killed, lines, finished = 0, 0, False
    while killed < 12:
        if finished:
            shutil.rmtree(here / "kept")
            (here / "out").unlink()
            lines, finished = 0, False
        watching = start(*arguments, cwd=here, stdout=here / "out")
        time.sleep(rng.uniform(0, min(took, 6) / 6))
        code = watching.stop(signal.SIGKILL)
        finished = code == 0
        killed += not finished
        if (here / "kept" / "latest").exists():
            _, n_docs, place = kept(here)
            assert place["lines"] >= lines
            lines = place["lines"]
            assert n_docs == 120 + lines
    assert run_into_files(*arguments, cwd=here, stdout=here / "out") == 0
    last = [folder / "kept" / (folder / "kept" / "latest").read_text() / "model" for folder in (here, here / "whole")]
    same_models(*last)
    expected = {answer["id"]: answer["score"] for answer in answers(here / "whole" / "out")}
    found = []
    for line in (here / "out").read_text().splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:  # a line that the kill cut off; the next begins on its own
            continue
    assert {answer["id"] for answer in found} == set(expected)
    assert all(expected[answer["id"]] == answer["score"] for answer in found)


def rss_of(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory is read from /proc")
def test_a_consumer_that_does_not_read_costs_no_memory_and_does_not_keep_it_from_ending(here):
    path = here / "new.jsonl"
    path.write_text(as_lines(COMING))
    os.mkfifo(here / "pipe")
    reader = os.open(here / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    watching = start("watch", "model", path, *OFTEN, cwd=here, stdout=here / "pipe", stderr=here / "err")
    wait_until(lambda: (here / "kept" / "latest").exists())
    time.sleep(0.5)
    before = rss_of(watching.pid)
    block = as_lines(COMING * 30)
    with path.open("a") as file:
        while file.tell() < 150e6:
            file.write(block)
    time.sleep(1.0)
    assert rss_of(watching.pid) - before < 20
    assert watching.stop() == 0
    data = b""
    while chunk := os.read(reader, 1 << 16):
        data += chunk
    os.close(reader)
    seen = [json.loads(line) for line in data.decode().splitlines(keepends=True) if line.endswith("\n")]
    _, n_docs, place = kept(here)
    assert place["lines"] == len(seen) > 0
    assert n_docs == 120 + len(seen)


def test_whoever_has_seen_enough_ends_it_without_a_word(here):
    (here / "new.jsonl").write_text(as_lines(COMING))
    with start(
        "watch", "model", "new.jsonl", "--snapshot", "kept", "--quiet", cwd=here, stdout=PIPE, stderr=PIPE
    ) as watching:
        assert json.loads(watching.stdout.readline())["id"] == COMING[0]["id"]
        watching.stdout.close()
        assert watching.wait() == 0
        assert watching.stderr.read() == ""
    _, n_docs, place = kept(here)
    assert n_docs == 120 + place["lines"]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own, of 3 MB; only root may make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        [shutil.which("mount") or "mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"cannot mount a small file system here: {mounted.stderr.decode().strip()}")
    yield folder
    subprocess.run([shutil.which("umount"), "-l", folder], check=True)


def fill(path):
    """Take all the room that is left."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        while True:
            os.write(fd, b"x" * 4096)
    except OSError as error:
        assert error.errno == errno.ENOSPC  # noqa: PT017
    finally:
        os.close(fd)


@pytest.mark.parametrize("has_earlier", [False, True])
def test_a_watch_without_a_last_snapshot_has_failed(has_earlier, here, processes):
    path = here / "new.jsonl"
    path.write_text(as_lines(COMING[:10]))
    if has_earlier:
        assert run("watch", "model", path, *OFTEN, "--until-end", cwd=here).code == 0
        with path.open("a") as file:
            file.write(as_lines(COMING[10:20]))
    # Files of 4 kB and no more: every snapshot fails, and the answers are written to a pipe.
    limited = [
        "sh",
        "-c",
        'ulimit -f 8; exec "$0" "$@"',
        TONMF,
        "watch",
        "model",
        path,
        *map(str, OFTEN),
        "--until-end",
    ]
    watched = subprocess.run(limited, cwd=here, capture_output=True, env=environment())
    said = watched.stderr.decode()
    assert (watched.returncode, len(watched.stdout.splitlines())) == (1, 10)
    assert "No snapshot: " in said
    assert "File too large" in said
    *before, last = [line for line in said.splitlines() if "No snapshot: " in line]
    earlier = "The last one stays" if has_earlier else "There is none yet"
    assert all(line.endswith(f" {earlier}, and the next is due as usual.") for line in before)
    assert last.endswith(f" {earlier}.")
    assert before
    assert run("watch", "model", path, *OFTEN, "--until-end", cwd=here).code == 0
    assert kept(here)[2]["lines"] == (20 if has_earlier else 10)


def test_a_full_disk_costs_a_snapshot_and_nothing_else(here, small_disk):
    path = here / "new.jsonl"
    path.write_text(as_lines(COMING[:10]))
    watching = start(
        "watch", "model", path, "--learn-every", 5, "--snapshot", "disk/kept", "--snapshot-every", 5,
        cwd=here, stdout=here / "out", stderr=here / "err",
    )  # fmt: skip
    wait_until(lambda: len(answers(here / "out")) == 10 and (small_disk / "kept" / "latest").exists())
    wait_until(lambda: kept(small_disk)[2]["lines"] == 10)
    fill(small_disk / "ballast")
    with path.open("a") as file:
        file.write(as_lines(COMING[10:30]))
    wait_until(lambda: len(answers(here / "out")) == 30)
    wait_until(lambda: "No snapshot: " in (here / "err").read_text())
    assert "No space left on device" in (here / "err").read_text()
    assert "The last one stays, and the next is due as usual." in (here / "err").read_text()
    assert kept(small_disk)[2]["lines"] == 10
    (small_disk / "ballast").unlink()
    with path.open("a") as file:
        file.write(as_lines(COMING[30:40]))
    wait_until(lambda: kept(small_disk)[2]["lines"] == 40)
    assert watching.stop() == 0
    assert sorted(os.listdir(small_disk / "kept"))[:2] == ["latest", "lock"]
    assert len(os.listdir(small_disk / "kept")) == 3
    assert [answer["id"] for answer in answers(here / "out")] == [one["id"] for one in COMING[:40]]


def test_answers_that_find_no_room_end_it_with_a_clear_word_and_are_given_again(here, small_disk):
    (here / "new.jsonl").write_text(as_lines(COMING))
    with (small_disk / "ballast").open("wb") as ballast:
        ballast.write(b"x" * (3 * 2**20 - 60_000))
    arguments = ("watch", "model", "new.jsonl", "--until-end", *OFTEN)
    code = run_into_files(*arguments, cwd=here, stdout=small_disk / "out", stderr=here / "err")
    assert code == 1
    assert "No space left on device" in (here / "err").read_text()
    n_answered = (small_disk / "out").read_text().count("\n")
    assert kept(here)[2]["lines"] == n_answered > 0
    (small_disk / "ballast").unlink()
    assert run_into_files(*arguments, cwd=here, stdout=small_disk / "out") == 0
    lines = (small_disk / "out").read_text().splitlines()
    if len(lines) > len(COMING):
        del lines[n_answered]  # the line that was cut off
    assert [json.loads(line)["id"] for line in lines] == [one["id"] for one in COMING]


def test_what_may_not_be_written_or_read_is_told(here):
    (here / "new.jsonl").write_text(as_lines(COMING[:5]))
    if os.getuid() == 0:
        for path in (here, here.parent, here.parent.parent, here.parent.parent.parent):
            path.chmod(0o755)
        (here / "err").touch()
        (here / "err").chmod(0o666)
        code = run_into_files(
            "watch", here / "model", "new.jsonl", "--until-end", "--snapshot", "kept", cwd=here, uid=65534,
            stderr=here / "err",
        )  # fmt: skip
        assert code == 1
        assert (
            here / "err"
        ).read_text() == "tonmf: kept cannot be written: Permission denied. Check the access rights.\n"
        (here / "err").write_text("")
        (here / "new.jsonl").chmod(0o600)
        code = run_into_files(
            "watch", here / "model", "new.jsonl", "--until-end", cwd=here, uid=65534, stderr=here / "err"
        )
        assert code == 1
        assert (here / "err").read_text() == (
            "tonmf: new.jsonl cannot be read: Permission denied. Check the access rights.\n"
        )


def test_wrong_usage_is_told_in_one_line(here):
    (here / "new.jsonl").write_text(as_lines(COMING[:5]))
    for arguments, code, says in [
        (("model", "nowhere.jsonl"), 1, "nowhere.jsonl cannot be read: No such file or directory"),
        (("model", "."), 1, "cannot be read: Is a directory"),
        (("nothing", "new.jsonl"), 1, "There is no nothing"),
        (("model", "new.jsonl", "--half-life", "soon"), 2, "--half-life must be"),
        (("model", "new.jsonl", "--snapshot-every", "5"), 2, "has no effect without --snapshot"),
        (("model", "new.jsonl", "--snapshot", "k", "--snapshot-every", "soon"), 2, "--snapshot-every must be a time"),
        (
            ("model", "new.jsonl", "--no-learn", "--learn-every", "5"),
            2,
            "--learn-every has no effect beside --no-learn",
        ),
        (("model", "new.jsonl", "--format", "lines", "--id-column", "n"), 2, "Plain lines have no columns"),
        (("model", "new.csv"), 2, "By its name new.csv is not a file of lines"),
        (("model", "new.jsonl", "--snapshot", "model"), 1, "other things in it than snapshots"),
        (("model", "new.jsonl", "--text-column", "body", "--until-end"), 1, "no column 'body'"),
    ]:
        assert run_into_files("watch", *arguments, cwd=here, stderr=here / "err") == code, arguments
        told = (here / "err").read_text()
        (here / "err").unlink()
        assert len([line for line in told.splitlines() if not line.startswith("note: ")]) == 1
        assert says in told


def test_a_model_of_counts_is_refused(here):
    TextOutlierDetector(**SMALL, backend="numpy").fit(np.random.default_rng(0).poisson(1.0, (40, 12))).save(
        here / "counts"
    )
    assert run_into_files("watch", "counts", "-", cwd=here, stderr=here / "err") == 1
    assert "watch reads texts or lists of items" in (here / "err").read_text()


def test_one_folder_of_snapshots_serves_one_watch(here):
    (here / "new.jsonl").write_text(as_lines(COMING[:5]))
    watching = start("watch", "model", "new.jsonl", *OFTEN, cwd=here, stdout=here / "out")
    wait_until(lambda: (here / "kept" / "latest").exists())
    code = run_into_files("watch", "model", "new.jsonl", *OFTEN, cwd=here, stderr=here / "err")
    assert code == 1
    assert "Another watch uses kept for its snapshots" in (here / "err").read_text()
    assert watching.stop() == 0


def test_snapshots_that_were_tampered_with_are_refused(here):
    (here / "new.jsonl").write_text(as_lines(COMING[:10]))
    arguments = ("watch", "model", "new.jsonl", "--until-end", *OFTEN)
    assert run_into_files(*arguments, cwd=here) == 0
    snapshot = here / "kept" / (here / "kept" / "latest").read_text()
    place = json.loads((snapshot / "place.json").read_text())
    hostile = ["", "[]", "{}", json.dumps({**place, "offset": -1}), json.dumps({**place, "offset": "0"}),
               json.dumps({**place, "n_head": 10**12}), json.dumps({**place, "more": 1}), "[" * 100_000]  # fmt: skip
    for content in hostile:
        (snapshot / "place.json").write_text(content)
        assert run_into_files(*arguments, cwd=here, stderr=here / "err") == 1
    assert (here / "err").read_text().count("To start over, remove kept.") == len(hostile)
    (here / "kept" / "latest").write_text("../../etc")
    assert run_into_files(*arguments, cwd=here, stderr=here / "err") == 1
    assert "names no snapshot" in (here / "err").read_text()


def test_a_snapshot_of_another_file_does_not_hide_the_beginning(here):
    (here / "new.jsonl").write_text(as_lines(COMING[:10]))
    assert run_into_files("watch", "model", "new.jsonl", "--until-end", *OFTEN, cwd=here) == 0
    (here / "new.jsonl").write_text(as_lines(COMING[50:80]))
    arguments = ("watch", "model", "new.jsonl", "--until-end", *OFTEN)
    assert run_into_files(*arguments, cwd=here, stdout=here / "out", stderr=here / "err") == 0
    assert [answer["id"] for answer in answers(here / "out")] == [one["id"] for one in COMING[50:80]]
    assert "is no longer the file of the snapshot" in (here / "err").read_text()


def everything(path, notes, place=None):
    """All lines that are there."""
    followed = FollowedFile(str(path), place or Place(), notes.append, until_end=True)
    lines, found = Lines(followed, followed.start), []
    while not lines.ended:
        found += lines.take(3)
    return found


def test_lines_end_where_they_end(tmp_path, monkeypatch):
    monkeypatch.setattr(lines_module, "LONGEST_LINE", 100_000)
    path = tmp_path / "file"
    content = [b"first", b"", b"\xc3\xa9" * 40_000, b"x" * 100_001, b"y" * 100_000, "\u2028".encode(), b"last"]
    for end in (b"", b"\n"):
        path.write_bytes(b"\n".join(content) + end)
        found = everything(path, [])
        assert [line.content for line in found] == [*content[:3], None, *content[4:]]
        assert [line.number for line in found] == list(range(1, 8))
        assert found[-1].place.offset == path.stat().st_size
        for line in found[:-1]:
            assert path.read_bytes()[line.place.offset - 1 : line.place.offset] == b"\n"


def test_carriage_returns_end_the_lines_of_a_file_without_line_feeds(tmp_path):
    path = tmp_path / "file"
    for end in (b"", b"\r"):
        path.write_bytes(b"one\rtwo\r\rthree" + end)
        found = everything(path, [])
        assert [(line.content, line.number) for line in found] == [(b"one", 1), (b"two", 2), (b"", 3), (b"three", 4)]
        assert found[-1].place.offset == path.stat().st_size
    path.write_bytes(b"one\n10 %\r20 %\rdone")
    assert [line.content for line in everything(path, [])] == [b"one", b"10 %\r20 %\rdone"]


def test_reading_goes_on_where_it_stopped(tmp_path):
    path, notes = tmp_path / "file", []
    path.write_bytes(b"".join(b"line %d\n" % number for number in range(1000)))
    followed = FollowedFile(str(path), Place(), notes.append, until_end=True)
    lines = Lines(followed, Place())
    for _ in range(10):
        last = lines.take(7)[-1]
    place = last.place
    rest = everything(path, notes, place)
    assert rest[0].content == b"line %d" % last.number
    assert rest[0].number == last.number + 1
    assert len(rest) == 1000 - last.number
    assert notes == []
    path.write_bytes(b"other" * 2000)
    assert everything(path, notes, place)[0].number == 1
    assert len(notes) == 1
