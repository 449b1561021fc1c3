"""Documents of files in batches are those that are read at once, with the same ids, notes and errors."""

import json

from hypothesis import given
from hypothesis import strategies as st

from tonmf.io import DocumentFiles, read_documents
from tonmf.io.notes import Seen


@given(lists=st.lists(st.lists(st.integers(0, 30), max_size=9), max_size=12))
def test_what_came_before_is_known_from_its_hash(lists):
    seen, known = Seen(), set()
    for some in lists:
        expected = []
        for value in some:
            expected.append(value in known)
            known.add(value)
        assert seen.add(some).tolist() == expected


def test_repeated_ids_and_copies_are_told_of_in_batches_as_elsewhere(monkeypatch, tmp_path):
    monkeypatch.setattr("tonmf.text.batches.BATCH", 4)
    path = tmp_path / "documents.jsonl"
    rows = [{"id": f"d{n % 7}", "text": f"text {n % 9}"} for n in range(12)]
    path.write_text("\n".join(map(json.dumps, rows)))
    files = DocumentFiles([str(path)])
    assert len(list(files)) == 3
    notes = read_documents([str(path)]).notes
    assert notes[-1] == "5 documents share their id with an earlier one (first: 'd0')."
    assert files.notes == [*notes, "3 documents repeat another word for word."]


def test_a_batch_ends_when_its_documents_are_long(monkeypatch, tmp_path):
    monkeypatch.setattr("tonmf.text.batches.BATCH_SIZE", 100)
    texts = ["x" * 60] * 3 + ["y" * 500, "z"]
    (tmp_path / "texts.txt").write_text("\n".join(texts))
    assert [len(batch.ids) for batch in DocumentFiles([str(tmp_path / "texts.txt")])] == [2, 2, 1]
