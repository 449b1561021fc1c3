"""What `tonmf watch` has gathered for new topics outlives the watch: it is in the snapshot, checked, and told exactly once."""

import json
import os
import random
import shutil
import signal
from collections import Counter
from contextlib import suppress

import numpy as np
import pytest
from command import run_into_files, start
from planted import SUBJECT, stream
from tampered import arrays_of, changed, copy_of, fields_of, first, mutate_fields, mutated, put_arrays, sign
from waiting import wait_until
from watched import BATCH, Reader, last_snapshot, run_watch

from tonmf import InputError, TextOutlierDetector, TonmfError, load
from tonmf.cli.watching.documents import JSON, DocumentParser
from tonmf.cli.watching.new_topics import NewTopics
from tonmf.cli.watching.output import Output
from tonmf.cli.watching.snapshots import Snapshots
from tonmf.detector.scores.scoring import Scorer
from tonmf.io.options import ReadOptions
from tonmf.text.analysis import Analysis
from tonmf.text.documents import TEXTS
from tonmf.timeline import nursery as nursery_module
from tonmf.timeline.nursery import NewTopic, Nursery, _digest

TOPIC = NewTopic(["lava", "ash"], ["a", "b"], 2, 5.0, 9.0, 1e-4)


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A detector on plain numpy, so that processes can be forked, the documents that come after, and the saved model."""
    texts, times, _, n_before = stream(n_before=150, n_quiet=96, n_after=64, every=5)
    detector = TextOutlierDetector(max_topics=6, n_restarts=1, backend="numpy").fit(texts[:n_before])
    rows = range(n_before, len(texts))
    documents = [{"id": f"n{row - n_before}", "text": texts[row], "at": times[row]} for row in rows]
    model = tmp_path_factory.mktemp("planted") / "model"
    detector.save(model)
    return detector, documents, model


def gather(nursery, detector, documents, scores):
    """New topics, with the document that completed each."""
    taken = [
        (one["id"], nursery.take(detector, one["text"], score, one["id"], one["at"]))
        for one, score in zip(documents, scores, strict=True)
    ]
    return [(name, found) for name, found in taken if found is not None]


@pytest.fixture(scope="module")
def gathered(planted, tmp_path_factory):
    """A saved nursery of all documents, in which a topic has been found and another waits to be told of."""
    detector, documents, _ = planted
    nursery = Nursery()
    assert gather(nursery, detector, documents, detector.outlier_score([one["text"] for one in documents]))
    folder = tmp_path_factory.mktemp("gathered") / "nursery"
    NewTopics(nursery, [TOPIC]).save(folder)
    return folder


# ------------------------------------------------------------------ a watch


class Finds(NewTopics):
    """Finds one in the first documents."""

    def search(self, detector, batch, read):
        super().search(detector, batch, read)
        self.unannounced.append(TOPIC)


def last_of(folder):
    return folder / (folder / "latest").read_text()


def n_lines_kept(folder):
    """How many lines the last snapshot has; none while it is replaced by the next."""
    try:
        return json.loads((last_of(folder) / "place.json").read_text())["lines"]
    except FileNotFoundError:
        return None


def test_a_watch_that_is_stopped_and_killed_announces_what_one_that_is_not_does(planted, tmp_path):
    """Stopped within a batch, and killed after a snapshot, both while the subject grows: the same answers to the bit."""
    _, documents, model = planted
    path, out, lines = tmp_path / "new.jsonl", tmp_path / "out", [json.dumps(one) + "\n" for one in documents]
    arguments = ("watch", model, path, "--learn-every", BATCH, "--snapshot-every", 10, "--time-column", "at")
    arguments += ("--snapshot", "kept")

    def grow(start, end):
        with path.open("a") as file:
            file.writelines(lines[start:end])

    def watch(number, n_lines, n_kept):
        """Until so many documents are answered, and so many are in the snapshot; then end it by a signal."""
        watching = start(*arguments, cwd=tmp_path, stdout=out)
        wait_until(lambda: out.exists() and f'"n{n_lines - 1}"' in out.read_text())
        wait_until(lambda: n_lines_kept(tmp_path / "kept") == n_kept)
        assert watching.stop(number) == (0 if number == signal.SIGTERM else -number)

    grow(0, 107)
    watch(signal.SIGTERM, 107, 107)
    assert [one.document.id for one in last_snapshot(tmp_path, "kept").pending] == [f"n{i}" for i in range(96, 107)]
    grow(107, 131)
    watch(signal.SIGKILL, 131, 128)
    grow(131, len(lines))
    assert run_into_files(*arguments, "--until-end", cwd=tmp_path, stdout=out) == 0

    reader = Reader(True)
    run_watch(tmp_path, "whole", reader, load(model), NewTopics())
    expected, found = reader.lines, [json.loads(line) for line in out.read_text().splitlines()]
    assert [answer["id"] for answer in found[128:134]] == ["n128", "n129", "n130"] * 2
    assert found[:131] + found[134:] == expected
    (alert,) = [answer for answer in expected if "alert" in answer]
    assert expected.index(alert) > 131
    assert set(alert["words"][:5]) <= set(SUBJECT)
    assert alert["documents"][0] == "n96"
    for name in ("model.json", "arrays.safetensors"):
        one, other = (last_of(tmp_path / folder) / "nursery" / name for folder in ("kept", "whole"))
        assert one.read_bytes() == other.read_bytes()


def test_each_document_is_analyzed_and_scored_once(planted, tmp_path, monkeypatch):
    """Also when words join the vocabulary."""
    _, documents, model = planted
    documents = [{**one, "text": f"{one['text']} unheard"} for one in documents[: 2 * BATCH + 3]]
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(one) + "\n" for one in documents))
    analyzed, scored = [], []
    analyze, score = Analysis.__call__, Scorer.score

    def analyzing(self, text):
        analyzed.append(text)
        return analyze(self, text)

    def scoring(self, ops, corpus, *more):
        scored.append(corpus.n_docs)
        return score(self, ops, corpus, *more)

    monkeypatch.setattr(Analysis, "__call__", analyzing)
    monkeypatch.setattr(Scorer, "score", scoring)
    after = run_watch(tmp_path, "kept", Reader(True), load(model), NewTopics())
    assert "unheard" in after.detector.terms_
    strange = [one.document for one in after.new_topics._nursery.state.strange]
    assert Counter(analyzed) == Counter([one["text"] for one in documents] + strange), "those of a nursery, on loading"
    assert sum(scored) == len(documents)


def test_terms_that_were_read_are_those_of_the_analysis(planted):
    detector, documents, _ = planted
    texts = [*(one["text"] for one in documents), "", "unheard of unheard of"]
    read = detector.read(texts)
    assert [read.terms(row) for row in range(len(texts))] == [Counter(detector.analyze(text)) for text in texts]


class Gone(Reader):
    """Hangs up when a new topic comes."""

    def take_alert(self, line):
        raise BrokenPipeError


class Stalled(Reader):
    """Has stopped reading when a new topic comes, and somebody asks the watch to stop."""

    def take_alert(self, line):
        read, write = os.pipe()
        os.set_blocking(write, False)
        with suppress(BlockingIOError):
            while True:
                os.write(write, b"x" * 4096)
        taken = Output(write, read, stopping=lambda: True, patience=0.01).write(line)
        os.close(read)
        os.close(write)
        return taken


class Full(Reader):
    """A disk on which a new topic finds no room."""

    def take_alert(self, line):
        raise InputError("No space left on device")


@pytest.mark.parametrize("reader", [Reader(False), Gone(False), Stalled(False), Full(False)], ids=type)
def test_a_new_topic_that_could_not_be_told_is_told_by_the_next_watch_and_only_once(planted, tmp_path, reader):
    _, documents, model = planted
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(one) + "\n" for one in documents[:8]))
    with suppress(BrokenPipeError, InputError):
        run_watch(tmp_path, "kept", reader, load(model), Finds())
    after = last_snapshot(tmp_path, "kept")
    assert (list(after.new_topics.unannounced), after.place.lines) == ([TOPIC], 8)
    second, third = Reader(True), Reader(True)
    after = run_watch(tmp_path, "kept", second)
    assert second.lines == [TOPIC.to_dict()]
    assert (list(after.new_topics.unannounced), after.place.lines) == ([], 8)
    run_watch(tmp_path, "kept", third)
    assert third.lines == []


def test_the_columns_that_were_taken_are_taken_again(tmp_path, planted):
    """A first line without them must not end a watch that goes on, nor make it read something else."""
    _, documents, model = planted
    path = tmp_path / "new.jsonl"
    path.write_text(json.dumps({"name": "x", "story": documents[0]["text"], "at": 5}) + "\n")
    after = run_watch(tmp_path, "kept", Reader(True), load(model), NewTopics())
    assert (after.columns.text, after.columns.id) == (("story",), None)
    with path.open("a") as file:
        file.write(
            '{"name": "A name that is no story", "at": 6}\n' + json.dumps({"story": documents[1]["text"], "at": 7})
        )
    reader = Reader(True)
    run_watch(tmp_path, "kept", reader)
    assert [answer["id"] for answer in reader.lines] == ["new.jsonl:3"]
    given = DocumentParser("new", JSON, TEXTS, ReadOptions(text_column="name"), None, print, after.columns)
    assert given.columns is None, "what the user says comes first"


# ------------------------------------------------------------------ what is kept


def test_a_nursery_that_is_saved_and_loaded_on_the_way_finds_the_same(planted, tmp_path):
    detector, documents, _ = planted
    scores = detector.outlier_score([one["text"] for one in documents])
    expected = gather(Nursery(), detector, documents, scores)
    assert expected
    topics, found = NewTopics(), []
    for low in range(0, len(documents), 20):
        part = slice(low, low + 20)
        found += gather(topics._nursery, detector, documents[part], scores[part])
        topics.save(tmp_path / "nursery")
        topics = NewTopics.load(tmp_path / "nursery", detector)
    assert found == expected


def test_what_is_recent_strange_and_announced_comes_back(planted, gathered):
    topics = NewTopics.load(gathered, planted[0])
    memory = topics._nursery.state
    assert (memory.n_taken, len(memory.recent), len(memory.announced)) == (160, 160, 1)
    assert list(topics.unannounced) == [TOPIC]
    kept = [*(recent.words for recent in memory.recent), *(strange.terms for strange in memory.strange)]
    assert len(topics._nursery._kept_words) == len({word for words in kept for word in words})
    assert os.path.getsize(gathered / "arrays.safetensors") < 200_000


def test_baskets_come_back_and_are_bounded(planted, tmp_path, monkeypatch):
    baskets = [one["text"].split() for one in planted[1][:60]]
    detector = TextOutlierDetector(max_topics=3, n_restarts=1, backend="numpy").fit(baskets)
    topics = NewTopics()
    monkeypatch.setattr(nursery_module, "LONGEST", 50)
    topics._nursery.take(detector, ["x" * 30, "y" * 20, "z"], 9.0, "long", 1.0)
    topics.save(tmp_path / "nursery")
    (strange,) = NewTopics.load(tmp_path / "nursery", detector)._nursery.state.strange
    assert strange.document == ["x" * 30, "y" * 20]
    assert strange == topics._nursery.state.strange[0]
    with pytest.raises(InputError, match="kind must be 'texts', as that of the detector; got 'rows of items'"):
        NewTopics.load(tmp_path / "nursery", planted[0])


def test_strange_documents_without_times_come_back(planted, tmp_path):
    topics = NewTopics()
    for score, time in enumerate((None, 0.0, 5.0)):
        topics._nursery.take(planted[0], f"{planted[1][0]['text']} {time}", score, str(time), time)
    topics.save(tmp_path / "nursery")
    strange = NewTopics.load(tmp_path / "nursery", planted[0])._nursery.state.strange
    assert [one.time for one in strange] == [one.time for one in topics._nursery.state.strange] == [None, 0.0, 5.0]


def test_copies_are_known_in_other_processes():
    """Python's own hash of a text is another in each."""
    assert _digest({"b": 1, "a": 2}) == _digest({"a": 2, "b": 1}) == 6966316578057145877


# ------------------------------------------------------------------ nurseries that cannot be

HOSTILE = [
    ("another thing", lambda f: f.update(model="TextOutlierDetector"), "model must be 'Nursery'"),
    ("another kind", lambda f: f.update(kind="../../etc"), "kind must be 'texts'"),
    ("few make a topic", lambda f: f.update(least=0), "least must be from 2 to 800"),
    ("fewer documents", lambda f: f.update(n_taken=3), "at most 3 numbers|n_waiting must be"),
    ("more waiting than came", lambda f: f.update(n_waiting=10**9), "n_waiting must be from 0"),
    ("a model of the future", lambda f: f["rarities"][0].update(number=10**6), "rarities.0.number must be"),
    ("no rarity outside", lambda f: f["rarities"][0].update(outside=-1), "outside must be a number above 0"),
    ("the same model twice", lambda f: f["rarities"].append(f["rarities"][0]), "rising numbers"),
    ("text for a topic", lambda f: f.update(unsaid=["x"]), "unsaid must be a list of objects"),
    ("a topic beyond time", lambda f: f["unsaid"][0].update(since=1e20), "year 9999"),
    ("half a character", lambda f: f["unsaid"][0].update(words=["\ud800"]), "whole characters"),
    ("a topic of numbers", lambda f: f["unsaid"][0].update(documents=[1]), "must be a list of strings"),
]

HOSTILE_ARRAYS = [
    ("words outside", changed("recent.words.numbers", first(10**6)), "recent.words.numbers holds a number of"),
    ("words below zero", changed("announced.words.numbers", first(-1)), "negative"),
    ("rows that do not begin at 0", changed("recent.words.ends", first(1)), "rising numbers from 0"),
    ("a row less", changed("recent.words.ends", lambda a: np.append(a[:-2], a[-1])), "must hold 161 numbers; got 160"),
    ("more recent ones", changed("recent.scores", lambda a: np.tile(a, 9)), "must hold at most 160"),
    ("nan for a score", changed("recent.scores", first(np.nan)), "not finite"),
    ("a weight beyond one", changed("announced.weights", first(1e9)), "beyond"),
    ("a weight less", changed("announced.weights", lambda a: a[1:].copy()), "a weight for each word"),
    ("numbers that fall", changed("strange.numbers", lambda a: a[::-1].copy()), "rising numbers"),
    ("numbers that never came", changed("strange.numbers", lambda a: a + 10**6), "holds a number of"),
    ("times beyond time", changed("strange.times", first(1e20)), "year 9999"),
    ("times that are half there", changed("strange.timed", first(2)), "strange.timed holds a number of 2 or more"),
    ("a name less", changed("strange.ids.ends", lambda a: np.append(a[:-2], a[-1])), "strange.ids must be"),
    ("bytes that are no text", changed("strange.documents.parts.bytes", first(255)), "not UTF-8"),
    ("ends beyond the bytes", changed("words.ends", lambda a: a + a[-1] * (a == a[-1])), "rising numbers from 0 to"),
    ("documents of no text", changed("strange.documents.ends", lambda a: np.append(a[:-2], a[-1])), "of up to 20000"),
    ("an idf beyond measure", changed("rarities.0.idf", first(1e9)), "beyond"),
    ("a missing array", lambda arrays: arrays.pop("words.bytes"), "words.bytes is missing"),
]


@pytest.mark.parametrize(("change", "says"), [case[1:] for case in HOSTILE], ids=[case[0] for case in HOSTILE])
def test_fields_that_cannot_be_are_refused(planted, gathered, tmp_path, change, says):
    copy = copy_of(gathered, tmp_path)
    fields = fields_of(copy)
    change(fields)
    sign(copy, fields)
    with pytest.raises(InputError, match=f"(?s)The nursery in .* cannot be used.*({says}).*or start with an empty one"):
        NewTopics.load(copy, planted[0])


@pytest.mark.parametrize(("change", "says"), [c[1:] for c in HOSTILE_ARRAYS], ids=[c[0] for c in HOSTILE_ARRAYS])
def test_arrays_that_cannot_be_are_refused(planted, gathered, tmp_path, change, says):
    copy = copy_of(gathered, tmp_path)
    arrays = arrays_of(copy)
    change(arrays)
    put_arrays(copy, arrays)
    with pytest.raises(InputError, match="(?s)The nursery in .* cannot be used.*" + says):
        NewTopics.load(copy, planted[0])


def test_mutated_nurseries_load_or_are_refused_but_never_crash(planted, gathered, tmp_path):
    """Those that load must go on as well."""
    detector, documents, _ = planted
    rng = random.Random(0)  # noqa: S311
    copy, outcomes = copy_of(gathered, tmp_path), {"loaded": 0, "refused": 0}
    originals = {name: (gathered / name).read_bytes() for name in os.listdir(gathered)}
    for number in range(240):
        for name, content in originals.items():
            (copy / name).write_bytes(content)
        if number % 2:
            mutate_fields(copy, rng, signed=number % 3 > 0)
        else:
            (copy / "arrays.safetensors").write_bytes(mutated(originals["arrays.safetensors"], rng))
            sign(copy, fields_of(copy))
        try:
            topics = NewTopics.load(copy, detector)
        except TonmfError as error:
            assert "\n" not in str(error)  # noqa: PT017
            outcomes["refused"] += 1
            continue
        outcomes["loaded"] += 1
        [topic.to_dict() for topic in topics.unannounced]
        if outcomes["loaded"] % 10 == 0:
            gather(topics._nursery, detector, documents[-16:], [9.0] * 16)
    assert min(outcomes.values()) > 10


def test_a_snapshot_with_a_damaged_nursery_says_what_to_do(planted, tmp_path):
    _, documents, model = planted
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(one) + "\n" for one in documents[:8]))
    run_watch(tmp_path, "kept", Reader(True), load(model), NewTopics())
    snapshots = Snapshots(tmp_path / "kept")
    nursery = tmp_path / "kept" / (tmp_path / "kept" / "latest").read_text() / "nursery"
    (nursery / "model.json").write_text("{}")
    with pytest.raises(InputError, match="To go on without new topics, give --no-new-topics; to start over, remove"):
        snapshots.last(True)
    assert snapshots.last(False).new_topics is None
    shutil.rmtree(nursery)
    with pytest.raises(InputError, match=r"There is no .*nursery.*--no-new-topics"):
        snapshots.last(True)
    snapshots.close()
