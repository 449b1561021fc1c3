"""JSON arrays, and keys within keys."""

import io
import json

import pandas as pd
import polars as pl
import pytest
from files_to_read import put, read, refusal
from hypothesis import given, settings
from hypothesis import strategies as st

from tonmf.io import DocumentFiles, decoding
from tonmf.text.documents import ITEMS, TEXTS

ROWS = [{"id": f"x{number}", "text": f"text {number}, “quoted” [and] {{so}} on"} for number in range(7)]
TEXT_OF_ROWS = [row["text"] for row in ROWS]


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_of_objects(tmp_path, indent):
    documents = read(put(tmp_path, "a.json", json.dumps(ROWS, indent=indent)))
    assert documents.content == TEXT_OF_ROWS
    assert documents.ids == [row["id"] for row in ROWS]
    assert documents.notes[0] == "The text was taken from column 'text' of a.json."


def test_an_array_of_strings_or_of_lists(tmp_path):
    documents = read(put(tmp_path, "a.json", '["one", "two", "", null, "three"]'))
    assert (documents.kind, documents.content, documents.ids) == (
        TEXTS, ["one", "two", "three"], ["a.json:1", "a.json:2", "a.json:5"],
    )  # fmt: skip
    documents = read(put(tmp_path, "b.json", '[["a", "b"], [1, 2],\n ["c"]]'))
    assert (documents.kind, documents.content) == (ITEMS, [["a", "b"], ["1", "2"], ["c"]])


def test_what_pandas_and_polars_write(tmp_path):
    frame = {"id": [row["id"] for row in ROWS], "text": TEXT_OF_ROWS}
    pd.DataFrame(frame).to_json(tmp_path / "a.json", orient="records")
    pd.DataFrame(frame).to_json(tmp_path / "b.json", orient="records", lines=True)
    pl.DataFrame(frame).write_json(tmp_path / "c.json")
    pl.DataFrame(frame).write_ndjson(tmp_path / "d.json")
    for name in "abcd":
        assert read(str(tmp_path / f"{name}.json")).content == TEXT_OF_ROWS, name
    pd.DataFrame(frame).to_json(tmp_path / "e.json")
    assert refusal(str(tmp_path / "e.json")) == (
        "e.json: expected an array of objects or strings, got one object with id, text. Write the documents as an array (in "
        "pandas: to_json(..., orient='records'))."
    )


def test_lines_of_lists_are_no_array(tmp_path):
    assert read(put(tmp_path, "a.json", '["a", "b"]\n["c"]\n')).content == [["a", "b"], ["c"]]


def test_an_array_under_a_key(tmp_path):
    documents = read(put(tmp_path, "a.json", json.dumps({"count": 7, "next": "page 2", "data": ROWS}, indent=1)))
    assert documents.content == TEXT_OF_ROWS
    assert documents.notes[0] == "The documents were taken from the array 'data' of a.json."


def test_a_single_object_is_a_document(tmp_path):
    paths = [put(tmp_path, f"{number}.json", json.dumps(row, indent=2)) for number, row in enumerate(ROWS)]
    assert read(*paths).content == TEXT_OF_ROWS


def test_arrays_on_standard_input(tmp_path):
    documents = read("-", stdin=io.BytesIO(json.dumps(ROWS).encode()))
    assert documents.content == TEXT_OF_ROWS
    assert documents.notes[0].startswith("Standard input was read as json")
    assert read("-", stdin=io.BytesIO(b"[12:04] started\n[12:05] stopped\n")).content == [
        "[12:04] started",
        "[12:05] stopped",
    ]


@pytest.mark.parametrize("size", [1, 7, 64])
def test_values_that_come_in_pieces(tmp_path, monkeypatch, size):
    monkeypatch.setattr(decoding, "CHUNK", size)
    path = put(tmp_path, "a.json", json.dumps(ROWS, indent=1, ensure_ascii=False))
    assert read(path).content == TEXT_OF_ROWS
    files = DocumentFiles([path])
    assert [text for batch in files for text in batch.content] == TEXT_OF_ROWS
    assert read(put(tmp_path, "b.json", '[[123, "a"], ["b", 45.5e1]]')).content == [["123", "a"], ["b", "455.0"]]


BROKEN = {
    '[{"text": "one"},\n {"text": "two"': "element 2 (line 2): not valid JSON (Expecting ',' delimiter, got the end of",
    '[{"text": "one"},\n {"text": two}]': "element 2 (line 2): not valid JSON (Expecting value, got 't')",
    '[{"text": "one"}\n {"text": "two"}]': "after element 1 (line 2): not valid JSON (expected a comma or the end of the array",
    '[\n{"text": "one"}]\n]': "after the array (line 3): not valid JSON (expected the end of the file, got ']')",
    '[{"text": "one"},\n {"text": "tw': "element 2 (line 2): not valid JSON (Unterminated string",
    '[{"text": "one"},': "element 2 (line 1): not valid JSON (Expecting value, got the end of the file)",
    "[": "element 1 (line 1): not valid JSON (Expecting value, got the end of the file)",
    "text": "value 1 (line 1): not valid JSON (Expecting value, got 't')",
    "[" * 100_000: "element 1 (line 1): not valid JSON (nested too deeply)",
}


@pytest.mark.parametrize("content", BROKEN, ids=range(len(BROKEN)))
def test_what_is_no_json_is_refused_where_it_breaks(tmp_path, content):
    message = refusal(put(tmp_path, "a.json", content))
    assert message.startswith(f"a.json, {BROKEN[content]}")
    assert message.endswith("Fix it, or write it again.")


def test_an_empty_array_and_elements_of_other_kinds(tmp_path):
    assert refusal(put(tmp_path, "a.json", "[]")) == "a.json is empty: expected an array of JSON objects or strings."
    path = put(tmp_path, "b.json", '[{"text": "one"}, 2, {"text": [3]}, {"text": "four"}]')
    assert (
        refusal(path)
        == "b.json, element 2: expected an object, got a number. Fix it, or skip such elements with skip_bad=True."
    )
    documents = read(path, skip_bad=True)
    assert documents.content == ["one", "four"]
    assert documents.notes[-1].startswith("2 elements of b.json could not be read and were left out")


def test_bytes_that_are_not_utf_8_in_an_array(tmp_path):
    path = put(tmp_path, "a.json", b'[{"text": "one"},\n{"text": "caf\xe9"}]')
    assert read(path).content == ["one", "café"]
    documents = read(path, encoding="utf-8")
    assert documents.content == ["one", "caf�"]
    assert "On 1 line of a.json bytes that are not utf-8 were replaced by U+FFFD (first: line 2)" in documents.notes[1]
    assert "a.json, line 2: byte 0xE9" in refusal(path, encoding_errors="refuse")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(), lambda inner: st.lists(inner)
)


@settings(max_examples=60)
@given(
    st.lists(
        st.fixed_dictionaries({"text": st.text(min_size=1).map(lambda text: f"a {text}"), "more": JSON}), min_size=1
    ),
    st.integers(1, 50),
)
def test_no_element_of_an_array_is_lost(tmp_path_factory, rows, size):
    path = put(tmp_path_factory.mktemp("a"), "a.json", json.dumps(rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decoding, "CHUNK", size)
        documents = read(path, text_column="text")
    assert len(documents.content) == len(rows)
    assert documents.content == [row["text"] for row in rows]


PEOPLE = [
    {"id": 1, "user": {"name": "Ann", "bio": "likes rivers"}},
    {"id": 2, "user": {"name": "Bob", "bio": "likes hills"}},
]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_keys_within_keys(tmp_path, name):
    content = json.dumps(PEOPLE) if name == "a.json" else "\n".join(map(json.dumps, PEOPLE))
    path = put(tmp_path, name, content)
    documents = read(path, text_column="user.bio", id_column="user.name")
    assert documents.content == ["likes rivers", "likes hills"]
    assert documents.ids == ["Ann", "Bob"]
    assert refusal(path, text_column="user.age") == (
        f"{name} has no column 'user.age' (text_column); it has user.name, user.bio, id, user."
    )
    assert "several columns may hold the text: user.name, user.bio" in refusal(path)


def test_a_key_with_a_dot_in_it_comes_first(tmp_path):
    rows = [{"user.bio": "this", "user": {"bio": "that"}}] * 2
    assert read(put(tmp_path, "a.json", json.dumps(rows)), text_column="user.bio").content == ["this", "this"]
    rows = [{"user": {"bio.long": "deep"}}, {"user": {"bio.long": "er"}}]
    assert read(put(tmp_path, "b.json", json.dumps(rows)), text_column="user.bio.long").content == ["deep", "er"]


def test_keys_within_keys_are_guessed_only_where_no_other_will_do(tmp_path):
    rows = [{"caption": f"caption {n}", "user": {"text": "long " * 20}} for n in range(3)]
    assert read(put(tmp_path, "a.json", json.dumps(rows))).content == ["caption 0", "caption 1", "caption 2"]
    rows = [{"n": n, "post": {"text": f"text {n}", "tags": {"first": n}}} for n in range(3)]
    documents = read(put(tmp_path, "b.json", json.dumps(rows)))
    assert documents.content == ["text 0", "text 1", "text 2"]
    assert documents.notes == ["The text was taken from column 'post.text' of b.json."]
