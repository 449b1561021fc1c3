"""Encodings, byte-order marks, bytes that are no text, and what ends a line."""

import pytest
from files_to_read import put, read, refusal

from tonmf.errors import ParameterError
from tonmf.io import DocumentFiles
from tonmf.io.streams import HEAD


def test_carriage_returns_before_line_feeds_are_dropped(tmp_path):
    assert read(put(tmp_path, "a.txt", "one\r\ntwo\r\nthree")).content == ["one", "two", "three"]


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x85", "\r"])
def test_only_a_line_feed_ends_a_line(tmp_path, character):
    assert read(put(tmp_path, "a.txt", f"one{character}still\ntwo\n")).content == [f"one{character}still", "two"]


TWO_LINES = {
    "a.txt": ("one é\rtwo\r", ["one é", "two"]),
    "a.csv": ('n,text\r1,"one\ré"\r2,two\r', ["one\né", "two"]),
    "a.tsv": ("n\ttext\r1\tone é\r2\ttwo", ["one é", "two"]),
    "a.jsonl": ('{"text": "one é"}\r{"text": "two"}\r', ["one é", "two"]),
    "a.json": ('[{"text": "one é"},\r{"text": "two"}]\r', ["one é", "two"]),
    "a.dat": ("one é\rtwo\r", [["one", "é"], ["two"]]),
    "a.html": ("one é\rtwo\r", ["one é\ntwo\n"]),
    "a.eml": ("Subject: one\r\ré\rtwo", ["one\n\né\ntwo"]),
    "a.mbox": ("From a\rSubject: 1\r\rone é\r\rFrom b\rSubject: 2\r\rtwo", ["1\n\none é\n", "2\n\ntwo"]),
}


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
@pytest.mark.parametrize("name", TWO_LINES)
def test_carriage_returns_end_the_lines_of_a_file_without_line_feeds(tmp_path, name, encoding):
    content, documents = TWO_LINES[name]
    if (name, encoding) == ("a.mbox", "utf-16"):
        pytest.skip("no program writes one")
    path = put(tmp_path, name, content.encode(encoding))
    assert read(path).content == documents
    assert [document for batch in DocumentFiles([path]) for document in batch.content] == documents
    if name not in ("a.eml", "a.html"):
        with open(path, "rb") as stdin:
            assert read("-", stdin=stdin, format=read_format(name)).content == documents


def read_format(name):
    return {"a.txt": "lines", "a.dat": "baskets"}.get(name, name[2:])


def test_a_first_line_that_is_longer_than_what_is_looked_at_may_end_in_a_carriage_return(tmp_path):
    assert list(map(len, read(put(tmp_path, "a.txt", "x" * 100_000 + "\rtwo\r")).content)) == [100_000, 3]


def test_a_windows_line_end_may_lie_where_the_first_bytes_end(tmp_path):
    content = "x" * (HEAD - 1) + "\r\ntwo\r\n"
    assert list(map(len, read(put(tmp_path, "a.txt", content)).content)) == [HEAD - 1, 3]


def test_a_utf8_mark_is_dropped(tmp_path):
    documents = read(put(tmp_path, "a.txt", b"\xef\xbb\xbfone\n"))
    assert documents.content == ["one"]
    assert documents.notes == []


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_a_utf8_mark_is_no_part_of_a_column_name(tmp_path, name):
    content = '{"text": "one"}\n' if name == "a.jsonl" else "text,n\none,1\n"
    assert read(put(tmp_path, name, b"\xef\xbb\xbf" + content.encode()), text_column="text").content == ["one"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.csv"])
def test_a_wide_mark_is_obeyed_whatever_the_option(tmp_path, encoding, name):
    rows = {"a.txt": "Ċafé\n漢字\n", "a.jsonl": '{"text": "Ċafé"}\n{"text": "漢字"}\n', "a.csv": "text\nĊafé\n漢字\n"}
    path = put(tmp_path, name, ("\ufeff" + rows[name]).encode(encoding))
    documents = read(path, encoding="latin-1")
    assert documents.content == ["Ċafé", "漢字"]
    assert f"{name} was read as {encoding[:6].upper()}." in documents.notes


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_text_is_known_without_a_mark(tmp_path, encoding):
    documents = read(put(tmp_path, "a.txt", "one café\ntwo\n".encode(encoding)))
    assert documents.content == ["one café", "two"]
    assert documents.notes == [f"a.txt was read as {encoding}, since it is not UTF-8; if that is wrong, give encoding."]


def test_wide_text_without_a_mark_may_need_the_option(tmp_path):
    path = put(tmp_path, "a.txt", "漢字かな交じり文を書く\n".encode("utf-16-le"))
    assert "if it is text in UTF-16, give encoding='utf-16'" in refusal(path)
    assert read(path, encoding="utf-16-le").content == ["漢字かな交じり文を書く"]


def test_wide_text_with_the_option(tmp_path):
    path = put(tmp_path, "a.txt", "one\ntwo\n".encode("utf-16-le"))
    assert read(path, encoding="utf-16-le").content == ["one", "two"]
    assert read(path, encoding="UTF16").content == ["one", "two"]


def test_another_encoding(tmp_path):
    assert read(put(tmp_path, "a.txt", "café\n".encode("latin-1")), encoding="latin-1").content == ["café"]
    assert read(put(tmp_path, "b.txt", "漢字\nかな\n".encode("shift_jis")), encoding="shift_jis").content == [
        "漢字",
        "かな",
    ]


MIXED = "café\nfine\n".encode() + b"caf\xe9 and \xff\xfe\n" + "naïve\n".encode("latin-1") + "漢字".encode()


def test_bytes_that_do_not_decode_are_replaced_and_noted(tmp_path):
    documents = read(put(tmp_path, "a.txt", MIXED))
    assert documents.content == ["café", "fine", "caf\ufffd and \ufffd\ufffd", "na\ufffdve", "漢字"]
    (note,) = documents.notes
    assert note.startswith("On 2 lines of a.txt bytes that are not utf-8 were replaced by U+FFFD (first: line 3).")
    assert note.endswith("If that is wrong, try encoding='latin-1' or cp1252.")


def test_bytes_that_do_not_decode_are_refused_if_so_asked(tmp_path):
    message = refusal(put(tmp_path, "a.txt", MIXED), encoding_errors="refuse")
    assert message.startswith("a.txt, line 3: byte 0xE9 is not valid utf-8. Give encoding, perhaps latin-1 or cp1252")


def test_text_that_is_right_passes_where_wrong_bytes_are_refused(tmp_path):
    assert read(put(tmp_path, "a.txt", "café \ufffd\n"), encoding_errors="refuse").content == ["café \ufffd"]


def test_a_replacement_character_of_the_text_itself_is_no_bad_byte(tmp_path):
    assert read(put(tmp_path, "a.txt", "caf\ufffd\n")).notes == []


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.dat", "a.tsv"])
def test_bad_bytes_are_noted_in_every_text_format(tmp_path, name):
    rows = b'{"text": "caf\xe9"}\n' if name == "a.jsonl" else b"text\ncaf\xe9\n"
    documents = read(put(tmp_path, name, rows), encoding="utf-8")
    assert documents.content[-1] in ("caf\ufffd", ["caf\ufffd"])
    assert any(note.startswith(f"On 1 line of {name} bytes that are not utf-8") for note in documents.notes)


def test_a_character_cut_at_the_end_is_replaced(tmp_path):
    assert read(put(tmp_path, "a.txt", "café".encode()[:-1])).content == ["caf\ufffd"]


def test_half_a_surrogate_pair_in_utf16_is_replaced(tmp_path):
    path = put(tmp_path, "a.txt", b"\xff\xfea\x00\x00\xd8b\x00\n\x00c\x00\n\x00")
    documents = read(path)
    assert documents.content == ["a\ufffdb", "c"]
    assert any("On 1 line of a.txt bytes that are not utf-16" in note for note in documents.notes)


@pytest.mark.parametrize("encoding", ["utf-9", "rot13", "base64", "", "a\0b"])
def test_an_unknown_encoding_is_refused(tmp_path, encoding):
    message = refusal(put(tmp_path, "a.txt", "text"), encoding=encoding, error=ParameterError)
    assert message.startswith("encoding must be auto, or an encoding of text such as utf-8, latin-1 or cp1252; got ")


def test_an_unknown_way_with_errors_is_refused(tmp_path):
    message = refusal(put(tmp_path, "a.txt", "text"), encoding_errors="ignore", error=ParameterError)
    assert message == "encoding_errors must be 'replace' or 'refuse'; got 'ignore'."


N_WORDS = 20_000_000


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.txt", b"short\n", b"\nlast\n"),
        ("a.jsonl", b'{"text": "short"}\n{"text": "', b'"}\n{"text": "last"}\n'),
        ("a.csv", b'n,text\n1,short\n2,"', b'"\n3,last\n'),
    ],
    ids=["lines", "jsonl", "csv"],
)
def test_a_line_of_100_megabytes(tmp_path, name, before, after):
    documents = read(put(tmp_path, name, before + b"word " * N_WORDS + after))
    assert [len(text) for text in documents.content] == [5, 5 * N_WORDS, 4]
