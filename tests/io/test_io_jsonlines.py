"""JSON lines: objects, strings or lists, and lines that cannot be read."""

import json

import pytest
from files_to_read import put, read, refusal

from tonmf.text.documents import ITEMS, TEXTS


def lines(*values):
    return "".join(json.dumps(value) + "\n" for value in values)


def test_objects_with_text_and_id(tmp_path):
    documents = read(put(tmp_path, "a.jsonl", lines({"id": "x", "text": "one"}, {"id": 7, "text": "two"})))
    assert documents.kind == TEXTS
    assert documents.content == ["one", "two"]
    assert documents.ids == ["x", "7"]
    assert documents.notes == [
        "The text was taken from column 'text' of a.jsonl.",
        "The ids were taken from column 'id' of a.jsonl.",
    ]


def test_bare_strings(tmp_path):
    documents = read(put(tmp_path, "a.ndjson", lines("one", "two", "", None)))
    assert documents.kind == TEXTS
    assert documents.content == ["one", "two"]
    assert documents.notes == ["2 of 4 documents in a.ndjson have no text and were left out (first: a.ndjson:3)."]


def test_bare_lists_are_items(tmp_path):
    documents = read(put(tmp_path, "a.jsonl", lines(["a", 1, 2.5], [], ["b", None])))
    assert documents.kind == ITEMS
    assert documents.content == [["a", "1", "2.5"], ["b"]]


def test_a_key_with_lists_is_items(tmp_path):
    documents = read(put(tmp_path, "a.jsonl", lines({"n": 1, "basket": ["milk", 7]}, {"n": 2, "basket": ["tea"]})))
    assert documents.kind == ITEMS
    assert documents.content == [["milk", "7"], ["tea"]]


def test_blank_lines_say_nothing(tmp_path):
    assert read(put(tmp_path, "a.jsonl", '"one"\n\n"two"\n\n')).ids == ["a.jsonl:1", "a.jsonl:3"]


def test_missing_null_and_blank_texts_are_left_out_and_counted(tmp_path):
    rows = [{"text": "one"}, {"other": 1}, {"text": None}, {"text": "  "}, {"text": "five"}]
    documents = read(put(tmp_path, "a.jsonl", lines(*rows)))
    assert documents.content == ["one", "five"]
    assert documents.ids == ["a.jsonl:1", "a.jsonl:5"]
    assert documents.notes[-1] == "3 of 5 documents in a.jsonl have no text and were left out (first: a.jsonl:2)."


GOOD = '{"text": "good"}\n'
BAD = {
    "no JSON": ("{text: 1}", "not valid JSON (Expecting property name"),
    "cut": ('{"text": "on', "not valid JSON (Unterminated string"),
    "two values": ('{"text": "a"} {"text": "b"}', "not valid JSON (Extra data at column 15"),
    "a number": ('{"text": 17}', "expected its 'text' to be a string, got a number (17)"),
    "an object": ('{"text": {"a": 1}}', "expected its 'text' to be a string, got an object"),
    "a list": ('{"text": ["a"]}', "expected its 'text' to be a string, got a list"),
    "another shape": ('["a", "b"]', "expected an object, got a list"),
    "a bare number": ("17", "expected an object, got a number"),
    "deep": ("[" * 100_000, "not valid JSON (nested too deeply"),
    "many digits": ('{"text": ' + "1" * 10_000 + "}", "not valid JSON (Exceeds the limit"),
}


@pytest.mark.parametrize(("line", "reason"), BAD.values(), ids=BAD)
def test_a_bad_line_is_refused_by_its_number(tmp_path, line, reason):
    message = refusal(put(tmp_path, "a.jsonl", GOOD + line + "\n" + GOOD))
    assert message.startswith(f"a.jsonl, line 2: {reason}")
    assert message.endswith("Fix it, or skip such lines with skip_bad=True.")


@pytest.mark.parametrize(("line", "reason"), BAD.values(), ids=BAD)
def test_bad_lines_are_left_out_and_counted_if_so_asked(tmp_path, line, reason):
    documents = read(put(tmp_path, "a.jsonl", GOOD + line + "\n" + GOOD + line + "\n"), skip_bad=True)
    assert documents.content == ["good", "good"]
    assert documents.ids == ["a.jsonl:1", "a.jsonl:3"]
    assert documents.notes[-1].startswith(
        f"2 lines of a.jsonl could not be read and were left out (first: line 2, {reason}"
    )


def test_bad_items_are_bad_lines(tmp_path):
    assert "expected the line to be a list of strings or numbers" in refusal(
        put(tmp_path, "a.jsonl", lines(["a"], [{"b": 1}]))
    )


def test_nothing_but_bad_lines_is_refused(tmp_path):
    message = refusal(put(tmp_path, "a.jsonl", "oops\n17\n"), skip_bad=True)
    assert message.startswith("2 lines of a.jsonl could not be read and were left out (first: line 1, not valid JSON")


def test_a_bad_line_far_down_is_found(tmp_path):
    assert "line 12001: not valid JSON" in refusal(put(tmp_path, "a.jsonl", GOOD * 12_000 + "oops\n"))


@pytest.mark.parametrize("value", ["NaN", "null", '""', '" "', "[1]", '{"a": 1}', "true"])
def test_what_can_be_no_id_gives_way_to_the_line_number(tmp_path, value):
    path = put(tmp_path, "a.jsonl", f'{{"id": "x", "text": "one"}}\n{{"id": {value}, "text": "two"}}\n')
    assert read(path).ids == ["x", "a.jsonl:2"]


def test_half_a_surrogate_pair_becomes_the_replacement_character(tmp_path):
    documents = read(put(tmp_path, "a.jsonl", '{"id": "\\ud800", "text": "\\udc00 \\ud83d\\ude00"}\n'))
    assert documents.content == ["\ufffd \U0001f600"]
    assert documents.ids == ["\ufffd"]


def test_columns_of_lines_that_have_none_are_refused(tmp_path):
    message = refusal(put(tmp_path, "a.jsonl", lines("one")), text_column="text")
    assert message == "a.jsonl: expected objects with text, but each line is a string. Leave the columns out."


def test_many_different_keys_are_no_trouble(tmp_path):
    path = put(tmp_path, "a.jsonl", lines(*[{"text": f"text {number}", f"key {number}": 1} for number in range(5_000)]))
    assert len(read(path).content) == 5_000


def test_a_long_bad_value_is_cut_in_the_message(tmp_path):
    assert "…" in refusal(put(tmp_path, "a.jsonl", GOOD + lines({"text": ["word\n"] * 10_000})))
