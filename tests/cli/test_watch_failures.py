"""A watch that fails half-way, and lines that must not make it fail: what is kept is what was learnt."""

import json

import pytest
from saved_models import NEW
from watched import BATCH, Reader, last_snapshot, run_watch

from tonmf import TextOutlierDetector, load
from tonmf.cli.watching.new_topics import NewTopics

TEXTS = [text for text in NEW if text] * 3


def write_documents(tmp_path, texts, **more):
    rows = [{"id": f"n{number}", "text": text, "at": number, **more} for number, text in enumerate(texts)]
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize(
    ("where", "what"), [(TextOutlierDetector, "learn_from"), (NewTopics, "search")], ids=["learning", "new topics"]
)
def test_documents_that_were_not_learnt_are_not_behind_the_snapshot(where, what, saved, tmp_path, monkeypatch):
    """The second batch fails; to try again with a detector that has half learnt it would be as wrong as to keep that one."""
    write_documents(tmp_path, TEXTS[: 2 * BATCH + 3])
    real, calls = getattr(where, what), []

    def failing(*args, **options):
        calls.append(what)
        if len(calls) == 2:
            raise MemoryError
        return real(*args, **options)

    monkeypatch.setattr(where, what, failing)
    with pytest.raises(MemoryError):
        run_watch(tmp_path, "kept", Reader(True), load(saved[1]), NewTopics())
    after = last_snapshot(tmp_path, "kept")
    assert len(calls) == 2
    assert (after.place.lines, after.detector._state.stream.n_seen) == (BATCH, 120 + BATCH)
    rest = Reader(True)
    assert run_watch(tmp_path, "kept", rest).place.lines == 2 * BATCH + 3
    assert [answer["id"] for answer in rest.lines if "id" in answer] == [f"n{n}" for n in range(BATCH, 2 * BATCH + 3)]


def test_half_characters_in_times_ids_and_keys_end_nothing(saved, tmp_path):
    """JSON may hold half a surrogate pair, and a mail date a comment; neither can be written as UTF-8."""
    half, at = "\ud83d", "Mon, 19 Oct 1987 15:01:01 +0000 (\ud83d)"
    write_documents(tmp_path, [TEXTS[0], f"{half} {TEXTS[1]}"], id=f"a{half}", at=at, **{half: half})
    reader = Reader(True)
    assert run_watch(tmp_path, "kept", reader, load(saved[1]), NewTopics()).place.lines == 2
    assert [(answer["id"], answer["time"]) for answer in reader.lines] == [("a\ufffd", at.replace(half, "\ufffd"))] * 2
    assert reader.lines[1]["text"].startswith("\ufffd ")
