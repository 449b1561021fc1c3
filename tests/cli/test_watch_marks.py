"""``tonmf watch --marks``: marks that are given while it runs, by a real process that is stopped and killed."""

import json
import os
import shutil
import signal
import time

import pytest
from command import run, start
from saved_models import SMALL
from waiting import wait_until

from tonmf import InputError, TextOutlierDetector, load
from tonmf.cli.watching.documents import WatchedDocument
from tonmf.cli.watching.following import Place
from tonmf.cli.watching.marks import MOST_CHARACTERS, MOST_RECENT, MarksFile, MarksMemory, Shelf
from tonmf.cli.watching.snapshots import Snapshot, Snapshots
from tonmf.datasets import make_corpus
from tonmf.storage.bundles import read_bundle

CORPUS = make_corpus(n_docs=420, n_outliers=12, random_state=5)
DOCUMENTS = [{"id": name, "text": text} for name, text in zip(CORPUS.ids, CORPUS.texts, strict=True)]
FIRST, COMING = CORPUS.texts[:120], DOCUMENTS[120:]
OFTEN = ("--learn-every", 5, "--snapshot", "kept", "--snapshot-every", "7 documents")


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """On plain numpy, so that processes can be forked."""
    folder = tmp_path_factory.mktemp("fitted") / "model"
    TextOutlierDetector(**SMALL, backend="numpy").fit(FIRST, names=CORPUS.ids[:120]).save(folder)
    return folder


@pytest.fixture
def here(tmp_path, fitted):
    shutil.copytree(fitted, tmp_path / "model")
    (tmp_path / "new.jsonl").touch()
    return tmp_path


def as_lines(documents):
    return "".join(json.dumps(document) + "\n" for document in documents)


def add(here, *documents):
    with open(here / "new.jsonl", "a") as file:
        file.write(as_lines(documents))


def mark(here, text):
    with open(here / "marks.csv", "a") as file:
        file.write(text)


def answers(path):
    """The answers so far that are whole."""
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


class Watching:
    """A watch over new.jsonl that learns in batches of five."""

    def __init__(self, here, *options, out="out"):
        self.here, self.out, self.err = here, here / out, here / "err"
        args = ("watch", "model", "new.jsonl", "--marks", "marks.csv", *options)
        self.out.touch()
        self.err.touch()
        self.n_told = len(self.told())
        self.process = start(*args, cwd=here, stdout=self.out, stderr=self.err)

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.process.stop(signal.SIGKILL)

    def told(self):
        return self.err.read_text().splitlines()

    def give(self, *documents):
        """Add documents, and wait for their answers."""
        n_before = len(answers(self.out))
        add(self.here, *documents)
        wait_until(lambda: len(answers(self.out)) >= n_before + len(documents))
        return answers(self.out)[-len(documents) :]

    def mark(self, text, says="from here on"):
        """Add marks, and wait until a note says what becomes of them."""
        n_before = len(self.told())
        mark(self.here, text)
        return wait_until(lambda: [line for line in self.told()[n_before:] if says in line])


def expected_scores(here, documents, marks_at, learn_every=5):
    """What the library says, of documents that come one by one, with marks before some of them."""
    detector, found, batch = load(here / "model"), [], []
    for number, document in enumerate(documents):
        for name, how in marks_at.get(number, {}).items():
            text = next(one["text"] for one in documents if one["id"] == name)
            detector.mark(**{how: [name]}, documents=[text], names=[name]) if how else detector.unmark([name])
        found.append(float(detector.outlier_score([document["text"]])[0]))
        batch.append(document)
        if len(batch) == learn_every:
            texts, names = ([one[key] for one in batch] for key in ("text", "id"))
            detector.partial_fit(texts, names=names, times=[0.0] * len(texts))
            batch = []
    return found


def test_a_mark_counts_from_the_next_document_on(here):
    documents = [COMING[0], COMING[1], COMING[0] | {"id": "again"}, *COMING[2:20]]
    with Watching(here, "--learn-every", 5, "--no-new-topics") as watching:
        first, *_ = watching.give(*documents[:2])
        watching.mark(f"id,mark\n{COMING[0]['id']},strange\n")
        (again,) = watching.give(documents[2])
        watching.give(*documents[3:8])
        watching.mark(f"{COMING[1]['id']},fine\n")
        watching.give(*documents[8:12])
        watching.mark(f"{COMING[0]['id']},\n")
        watching.give(*documents[12:])
        found = [answer["score"] for answer in answers(watching.out)]
    assert again["score"] > first["score"]
    assert again["outlier"]
    assert f"like {COMING[0]['id']}, which you marked as strange" in again["reason"]
    marks_at = {2: {COMING[0]["id"]: "strange"}, 8: {COMING[1]["id"]: "fine"}, 12: {COMING[0]["id"]: ""}}
    assert found == expected_scores(here, documents, marks_at)


def test_a_mark_that_was_written_before_a_document_counts_for_it(here):
    with Watching(here, "--no-learn") as watching:
        for number in range(10):
            name = COMING[number]["id"]
            watching.give(COMING[number])
            mark(here, f"{name},strange\n")  # and nothing is waited for
            (again,) = watching.give(COMING[number] | {"id": f"again-{number}"})
            assert f"like {name}, which you marked as strange" in again["reason"]


def test_half_a_line_is_no_mark(here):
    name = COMING[0]["id"]
    with Watching(here, "--no-learn") as watching:
        watching.give(COMING[0])
        mark(here, f"{name},stra")
        (before,) = watching.give(COMING[0] | {"id": "before"})
        watching.mark("nge\n")
        (after,) = watching.give(COMING[0] | {"id": "after"})
        mark(here, f"{name},")
        (still,) = watching.give(COMING[0] | {"id": "still"})
        watching.mark("\n")
        (taken_back,) = watching.give(COMING[0] | {"id": "taken back"})
    assert f"{name}, which you marked as strange" in after["reason"]
    assert still["score"] == after["score"] > before["score"] == taken_back["score"]


def test_a_mark_on_a_document_that_is_still_to_come_waits_for_it(here):
    mark(here, f"{COMING[1]['id']},strange\nnobody,fine\n")
    add(here, COMING[0], COMING[1], COMING[1] | {"id": "again"}, *COMING[2:12])
    ran = run("watch", "model", "new.jsonl", "--marks", "marks.csv", "--until-end", "--learn-every", 5, cwd=here)
    assert ran.code == 0, ran.err
    assert (
        f"2 marks are of documents that are not known, and count once they come: {COMING[1]['id']}, nobody." in ran.err
    )
    assert f"1 mark counts from here on: {COMING[1]['id']}." in ran.err
    found = [json.loads(line) for line in ran.out.splitlines()]
    documents = [COMING[0], COMING[1], COMING[1] | {"id": "again"}, *COMING[2:12]]
    assert [one["score"] for one in found] == expected_scores(here, documents, {2: {COMING[1]["id"]: "strange"}})
    assert "marked" not in found[1]["reason"]


def test_marks_in_the_model_stay_and_can_be_taken_back(here):
    name = CORPUS.ids[3]
    detector = load(here / "model").mark(strange=[0], documents=[FIRST[3]], names=[name])
    shutil.rmtree(here / "model")
    detector.save(here / "model")
    mark(here, f"{name},strange\n")
    with Watching(here, "--no-learn") as watching:
        (with_mark,) = watching.give({"id": "a", "text": FIRST[3]})
        watching.mark(f"{name},fine\n", "cannot be changed")
        watching.mark(f"{name},\n")
        (without,) = watching.give({"id": "b", "text": FIRST[3]})
    assert with_mark["score"] == detector.outlier_score([FIRST[3]])[0]
    assert without["score"] == detector.unmark().outlier_score([FIRST[3]])[0]


def test_wrong_lines_are_named_once_and_do_not_hide_others(here):
    with Watching(here, "--no-learn") as watching:
        watching.give(COMING[0], COMING[1])
        watching.mark(f"nonsense\n{COMING[0]['id']},strange\n")
        watching.mark(f"{COMING[1]['id']},fine\n")
        (line,) = [line for line in watching.told() if "nonsense" in line]
    assert line.startswith("tonmf: marks.csv, line 1: 1 column, expected an id and a mark")
    assert line.endswith("The line was left out.")


MARKS = {20: (8, "strange"), 43: (31, "fine"), 61: (49, "strange"), 62: (8, ""), 85: (73, "fine"), 86: (12, "strange")}
"""Before which document which one gets which mark."""


def session(folder, stop, stop_after=()):
    """Give documents and marks in turn; stop the watch after some documents, and start it again."""
    watching = Watching(folder, *OFTEN)
    try:
        for number, document in enumerate(COMING[:110]):
            if number in MARKS:
                marked, how = MARKS[number]
                watching.mark(f"{COMING[marked]['id']},{how}\n")
                wait_until(lambda marked=marked, how=how: heard(folder).get(COMING[marked]["id"]) == how)
            watching.give(document)
            if number in stop_after:
                watching.process.stop(stop)
                n_again, n_before = number + 1 - place_of(folder), len(answers(watching.out))
                watching = Watching(folder, *OFTEN)
                wait_until(lambda n=n_before + n_again, out=watching.out: len(answers(out)) >= n)
        watching.process.stop(signal.SIGTERM)
    finally:
        watching.process.stop(signal.SIGKILL)


@pytest.fixture(scope="module")
def through(fitted, tmp_path_factory):
    """The folder of a watch that ran through."""
    folder = tmp_path_factory.mktemp("through")
    shutil.copytree(fitted, folder / "model")
    (folder / "new.jsonl").touch()
    session(folder, signal.SIGTERM)
    return folder


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGTERM])
def test_after_a_stop_at_any_moment_the_answers_are_those_of_a_watch_that_ran_through(here, stop, through):
    session(here, stop, {9, 20, 22, 44, 61, 63, 84, 86, 88, 104})
    expected = {answer["id"]: answer for answer in answers(through / "out")}
    found = answers(here / "out")
    assert {answer["id"] for answer in found} == expected.keys()
    for answer in found:  # documents after a snapshot are answered again, and alike
        assert answer == expected[answer["id"]]
    same_models(last_model(through), last_model(here))


def place_of(folder):
    name = (folder / "kept" / "latest").read_text()
    return json.loads((folder / "kept" / name / "place.json").read_text())["lines"]


def heard(folder):
    while True:
        try:
            name = (folder / "kept" / "latest").read_text()
            return json.loads((folder / "kept" / name / "marks.json").read_text())["heard"]
        except FileNotFoundError:
            time.sleep(0.01)


def last_model(folder):
    return folder / "kept" / (folder / "kept" / "latest").read_text() / "model"


def same_models(one, other):
    first, second = read_bundle(one), read_bundle(other)
    assert sorted(first.arrays.keys()) == sorted(second.arrays.keys())
    for name in first.arrays.keys():  # noqa: SIM118
        assert first.arrays.get_tensor(name).tobytes() == second.arrays.get_tensor(name).tobytes(), name
    assert first.fields["marks"] == second.fields["marks"]


def test_marks_count_for_documents_from_a_pipe_as_well(here):
    os.mkfifo(here / "pipe")
    with Piped(here) as piped:
        first = piped.give(COMING[0])
        mark(here, f"{COMING[0]['id']},strange\n")
        second = piped.give(COMING[0] | {"id": "again"})
    assert second["score"] > first["score"]


class Piped:
    """A watch over a named pipe."""

    def __init__(self, here):
        self.here = here

    def __enter__(self):
        self.process = start(
            "watch", "model", "pipe", "--format", "jsonl", "--no-learn", "--marks", "marks.csv",
            cwd=self.here, stdout=self.here / "out",
        )  # fmt: skip
        self._pipe = open(self.here / "pipe", "w")
        return self

    def __exit__(self, *raised):
        self._pipe.close()
        self.process.stop(signal.SIGKILL)

    def give(self, document):
        before = len(answers(self.here / "out")) if (self.here / "out").exists() else 0
        self._pipe.write(as_lines([document]))
        self._pipe.flush()
        wait_until(lambda: (self.here / "out").exists() and len(answers(self.here / "out")) > before)
        return answers(self.here / "out")[-1]


@pytest.mark.parametrize("name", ["folder", "pipe"])
def test_a_file_of_marks_that_cannot_be_read_again_is_refused(here, name):
    os.mkfifo(here / "pipe")
    (here / "folder").mkdir()
    ran = run("watch", "model", "new.jsonl", "--marks", name, cwd=here)
    assert ran.code == 1
    (line,) = ran.error_lines
    assert line.startswith(f"tonmf: {name} ")


def test_the_latest_documents_can_be_marked_and_no_others():
    memory = MarksMemory()
    for number in range(MOST_RECENT + 5):
        memory.remember(WatchedDocument(f"plain-{number}", "a text", None, 0.0), flagged=False)
        if number < 3:
            memory.remember(WatchedDocument(f"flagged-{number}", "a text", None, 0.0), flagged=True)
    assert memory.content("plain-4") is None
    assert memory.content("plain-5") == "a text"
    assert memory.content("flagged-0") == "a text"  # flagged ones have a place of their own
    memory.remember(WatchedDocument("flagged-0", "another", None, 0.0), flagged=False)
    assert memory.content("flagged-0") == "another"
    shelf = Shelf([("long", "x" * MOST_CHARACTERS), ("short", "y")])
    assert shelf.get("long") is None


def test_what_is_known_of_marks_comes_back_from_a_snapshot(saved, tmp_path):
    memory = MarksMemory({"a": "strange", "b": ""}, Shelf([("a", "a text")]), Shelf([("b", "another \u2028")]))
    snapshots = Snapshots(tmp_path)
    snapshots.write(Snapshot(saved[0], Place(1, 1), None, None, (), memory))
    assert snapshots.last(False).marks.to_dict() == memory.to_dict()
    snapshots.close()


@pytest.mark.parametrize(
    "fields",
    [
        [],
        {"heard": {}, "flagged": []},
        {"heard": {"a": "odd"}, "flagged": [], "others": []},
        {"heard": {"\ud800": "fine"}, "flagged": [], "others": []},
        {"heard": [], "flagged": [], "others": []},
        {"heard": {}, "flagged": [["a", 1]], "others": []},
        {"heard": {}, "flagged": [["a", ["a", "text"]]], "others": []},
        {"heard": {}, "flagged": [["a"]], "others": []},
        {"heard": {}, "flagged": [], "others": {"a": "text"}},
    ],
    ids=str,
)
def test_marks_that_cannot_be_are_refused(fields, saved, tmp_path):
    snapshots = Snapshots(tmp_path)
    snapshots.write(Snapshot(saved[0], Place(1, 1), None, None, (), MarksMemory()))
    (tmp_path / "snapshot-000001" / "marks.json").write_text(json.dumps(fields))
    with pytest.raises(InputError, match=r"marks.json does not hold marks, and documents \(texts\) with ids"):
        snapshots.last(False)
    snapshots.close()


def test_a_line_that_goes_from_the_file_takes_nothing_back(here):
    detector, notes = load(here / "model"), []
    memory = MarksMemory()
    marks = MarksFile(str(here / "marks.csv"), memory, notes.append, notes.append)
    for document in COMING[:2]:
        memory.remember(WatchedDocument(document["id"], document["text"], None, 0.0), flagged=False)
    assert not marks.look(detector)  # there is no file yet
    first, second = COMING[0]["id"], COMING[1]["id"]
    mark(here, f"{first},strange\n")
    assert marks.look(detector)
    (here / "marks.csv").write_text(f"{second},fine\n")
    assert marks.look(detector)
    assert not marks.look(detector)
    assert detector.marks_ == {first: "strange", second: "fine"}
    (here / "marks.csv").unlink()
    assert not marks.look(detector)
    assert len(detector.marks_) == 2
