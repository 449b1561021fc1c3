"""Files of marks: an id and a mark on each line."""

import pytest

from tonmf import InputError
from tonmf.io import read_marks


def marks_of(tmp_path, text, encoding="utf-8"):
    (tmp_path / "marks.csv").write_text(text, encoding=encoding, newline="")
    return read_marks(tmp_path / "marks.csv")


def test_marks_are_read_with_and_without_a_header(tmp_path):
    expected = {"post-1": "strange", "post-2": "fine"}
    assert marks_of(tmp_path, "id,mark\npost-1,strange\npost-2,fine\n") == expected
    assert marks_of(tmp_path, "post-1,strange\npost-2,fine") == expected
    assert marks_of(tmp_path, "id,mark\r\n post-1 , Strange\r\n\r\n post-2,FINE\r\n", "utf-8-sig") == expected
    assert marks_of(tmp_path, "") == {}


def test_ids_may_have_commas_and_quotes(tmp_path):
    assert marks_of(tmp_path, '"a, ""b""",fine\n') == {'a, "b"': "fine"}


def test_the_last_mark_counts_and_an_empty_one_takes_it_back(tmp_path):
    marks = marks_of(tmp_path, "a,strange\nb,fine\nc,fine\na,fine\nb,\nnobody,\n")
    assert list(marks.items()) == [("c", "fine"), ("a", "fine")]


@pytest.mark.parametrize("line", ["a", "a,odd", ",fine", "a,fine,b", "a;fine"])
def test_a_line_that_is_no_mark_is_named(tmp_path, line):
    expected = r"marks\.csv, line 2: expected an id and a mark, such as post-17,strange or post-17,fine; got "
    with pytest.raises(InputError, match=expected):
        marks_of(tmp_path, f"b,fine\n{line}\n")


def test_files_that_cannot_be_read_say_why(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.csv cannot be read: No such file"):
        read_marks(tmp_path / "nothing.csv")
    (tmp_path / "latin.csv").write_bytes(b"caf\xe9,fine\n")
    with pytest.raises(InputError, match=r"latin\.csv cannot be read as a CSV file in UTF-8"):
        read_marks(tmp_path / "latin.csv")
    (tmp_path / "quote.csv").write_text('"a,fine\n')
    with pytest.raises(InputError, match=r"quote\.csv cannot be read as a CSV file in UTF-8: unexpected end of data"):
        read_marks(tmp_path / "quote.csv")
