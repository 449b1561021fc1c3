"""Documents of files in batches are those that are read at once, with the same ids, notes and errors."""

import json

from files_to_read import put
from hypothesis import given
from hypothesis import strategies as st

from tonmf.errors import TonmfError
from tonmf.io import DocumentFiles, ReadOptions, read_documents
from tonmf.io.notes import SeenBefore


@given(lists=st.lists(st.lists(st.integers(0, 30), max_size=9), max_size=12))
def test_what_came_before_is_known_from_its_hash(lists):
    seen, known = SeenBefore(), set()
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


def both_ways(*paths, **options):
    """What is read at once, and in batches: documents, ids and notes; or the message of the error."""
    try:
        at_once = read_documents(paths, ReadOptions(**options))
        first = (at_once.content, at_once.ids, at_once.notes)
    except TonmfError as error:
        first = str(error)
    try:
        files = DocumentFiles(paths, ReadOptions(**options))
        batches = list(files)
        content, ids = ([one for batch in batches for one in getattr(batch, name)] for name in ("content", "ids"))
        second = (content, ids, files.notes)
    except TonmfError as error:
        second = str(error)
    return first, second


def test_both_ways_to_read_agree_on_documents_notes_and_errors(monkeypatch, tmp_path):
    monkeypatch.setattr("tonmf.text.batches.BATCH", 2)
    lines = put(tmp_path, "a.txt", "one two three\n\nfour\nfive six\n")
    table = put(tmp_path, "b.csv", "id,text\nx,seven eight nine\nx,ten\n,eleven\n")
    baskets = put(tmp_path, "c.dat", "milk bread\nsalt\n")
    empty = put(tmp_path, "d.txt", "")
    many = [put(tmp_path, f"many/{number:02}.txt", f"text {number}") for number in range(21)]
    for paths, options in [
        ((lines, table), {}),
        ((lines, table), {"min_words": 2}),
        ((baskets,), {"min_words": 2}),
        (many, {}),
        ((lines, baskets), {}),
        ((empty,), {}),
        ((empty, lines), {"min_words": 9}),
        ((lines,), {"text_column": "text"}),
        ((table, lines), {"label_column": "text", "skip_bad": True}),
        ((table,), {"text_column": "nowhere"}),
    ]:
        at_once, in_batches = both_ways(*paths, **options)
        assert at_once == in_batches, (paths, options)


def test_notes_on_short_documents_speak_of_words_or_items(tmp_path):
    texts, baskets = put(tmp_path, "a.txt", "one two\nthree"), put(tmp_path, "c.dat", "milk bread\nsalt\n")
    for path, words in ((texts, "words"), (baskets, "items")):
        files = DocumentFiles([path], ReadOptions(min_words=2))
        assert [len(batch.ids) for batch in files] == [1]
        assert files.notes == [f"1 of 2 documents has fewer than 2 {words} and was left out."]
