"""Embeddings in files: arrays and tables, by id or by order."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tonmf import InputError
from tonmf.io import ReadOptions, read_documents
from tonmf.io.vectors import check_vectors, read_vectors

E = np.arange(12, dtype=np.float32).reshape(4, 3)
IDS = ["a", "b", "c", "d"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs.jsonl").write_text(
        "".join(json.dumps({"id": name, "text": f"Text number {name} here"}) + "\n" for name in IDS)
    )
    (tmp_path / "docs.txt").write_text("one text\n\na second text\nanother\n")
    return tmp_path


def write_jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_arrays_are_in_the_order_of_the_documents_and_mapped(here):
    np.save("E.npy", E)
    np.savez("E.npz", E)
    documents = read_documents(["docs.jsonl"])
    vectors = read_vectors("E.npy", documents)
    assert isinstance(vectors, np.memmap)
    np.testing.assert_array_equal(vectors, E)
    np.testing.assert_array_equal(read_vectors("E.npz", documents), E)


def test_tables_are_matched_by_id(here):
    order = [2, 0, 3, 1]
    rows = [{"id": IDS[row], "tokens": [1, 2], "embedding": E[row].tolist()} for row in order]
    write_jsonl(here / "E.jsonl", rows)
    pq.write_table(pa.Table.from_pylist(rows), "E.parquet")
    fixed = pa.FixedSizeListArray.from_arrays(pa.array(E[order].ravel()), 3)
    pq.write_table(pa.table({"id": [IDS[row] for row in order], "v": fixed}), "fixed.parquet")
    documents = read_documents(["docs.jsonl"])
    for name in ("E.jsonl", "E.parquet", "fixed.parquet"):
        np.testing.assert_array_equal(read_vectors(name, documents), E)


def test_documents_that_are_left_out_shift_no_row(here):
    """The second line is blank and the last one short; vectors may be of all lines, or of those that were read."""
    np.save("all.npy", E)
    documents = read_documents(["docs.txt"], ReadOptions(min_words=2))
    assert documents.ids == ["docs.txt:1", "docs.txt:3"]
    np.testing.assert_array_equal(read_vectors("all.npy", documents), E[[0, 2]])
    np.save("read.npy", E[:2])
    np.testing.assert_array_equal(read_vectors("read.npy", documents), E[:2])
    np.save("three.npy", E[:3])
    with pytest.raises(
        InputError, match=r"has 3 embeddings; expected 2, one for each document that was read, or 4, with"
    ):
        read_vectors("three.npy", documents)


def test_several_files_go_on_where_the_last_ended_also_after_one_without_documents(here):
    (here / "blank.txt").write_text("\n\n")
    (here / "more.txt").write_text((here / "docs.txt").read_text())
    rows = np.arange(30, dtype=np.float32).reshape(10, 3)
    np.save("E.npy", rows)
    documents = read_documents(["docs.txt", "blank.txt", "more.txt"])
    assert len(documents.ids) == 6
    np.testing.assert_array_equal(read_vectors("E.npy", documents), rows[[0, 2, 3, 6, 8, 9]])


def test_rows_that_could_not_be_read_leave_only_one_way_to_count(here):
    (here / "bad.jsonl").write_text('{"text": "one text"}\n{"text": \n{"text": ""}\n{"text": "another text"}\n')
    documents = read_documents(["bad.jsonl"], ReadOptions(skip_bad=True))
    np.save("E.npy", E[:3])
    with pytest.raises(
        InputError, match=r"expected 2, one for each document that was read, without those that could not"
    ):
        read_vectors("E.npy", documents)
    np.save("E.npy", E[:2])
    np.testing.assert_array_equal(read_vectors("E.npy", documents), E[:2])


def test_ids_in_the_table_alone_do_not_matter(here):
    write_jsonl(here / "E.jsonl", [{"id": number, "vector": row.tolist()} for number, row in enumerate(E)])
    documents = read_documents(["docs.txt"])
    np.testing.assert_array_equal(read_vectors("E.jsonl", documents), E[[0, 2, 3]])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "a", "vector": [1, 2]}], r"3 documents have no embedding there by the column 'id' \(first: 'b'\)"),
        ([{"id": "x", "vector": [1, 2]}] * 4, r"4 documents have no embedding there"),
        ([{"id": name, "vector": [1]} for name in "abcda"], r"several embeddings have the id 'a'"),
        ([{"id": "a", "vector": [1, 2]}, {"id": "b", "vector": [1]}], r"line 2: expected 2 numbers, .* got 1"),
        ([{"id": "a", "vector": [1, 2]}, {"id": "b"}], r"line 2: expected a list of numbers in 'vector', got None"),
        ([{"id": "a", "words": ["x"]}], r"expected a column with lists of numbers; its columns are id, words"),
        ([{"id": "a", "one": [1], "two": [2]}], r"one, two all hold lists of numbers\. Call the one"),
        ([[1, 2]], r"line 1: expected an object"),
        ([], r"is empty"),
    ],
)
def test_tables_that_do_not_fit(here, rows, message):
    write_jsonl(here / "E.jsonl", rows)
    with pytest.raises(InputError, match=message):
        read_vectors("E.jsonl", read_documents(["docs.jsonl"]))


def test_no_array_can_execute_anything(here):
    np.save("E.npy", np.array([{"a": 1}] * 4, dtype=object), allow_pickle=True)
    np.savez("E.npz", np.array([{"a": 1}] * 4, dtype=object))
    for name in ("E.npy", "E.npz"):
        with pytest.raises(InputError, match=r"cannot be read as such .* without pickles"):
            read_vectors(name, read_documents(["docs.jsonl"]))


@pytest.mark.parametrize(
    ("name", "write", "message"),
    [
        ("E.npz", lambda path: np.savez(path, a=E, b=E), r"expected one array, got 2 \(a, b\)"),
        ("E.npy", lambda path: np.save(path, E[0]), r"a row for each document; got an array of shape \(3,\)"),
        ("E.npy", lambda path: path.write_bytes(b"no array"), r"expected an array as numpy.save writes it"),
        ("E.parquet", lambda path: path.write_bytes(b"no table"), r"expected a Parquet file"),
        ("E.csv", lambda path: path.write_text("a,b\n"), r"expected embeddings as \.npy, \.npz, \.parquet or \.jsonl"),
        ("none.npy", lambda path: None, r"none\.npy cannot be read: No such file"),
    ],
)
def test_files_that_hold_no_vectors(here, name, write, message):
    write(here / name)
    with pytest.raises(InputError, match=message):
        read_vectors(name, read_documents(["docs.jsonl"]))


def test_beside_a_memory_limit_only_a_mapped_file_will_do(here):
    np.save("E.npy", E)
    np.savez("E.npz", E)
    check_vectors("E.npy", mapped=True)
    with pytest.raises(InputError, match=r"Save the embeddings as \.npy"):
        check_vectors("E.npz", mapped=True)
