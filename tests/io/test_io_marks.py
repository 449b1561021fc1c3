"""Files of marks: an id and a mark on each line."""

import os
import re

import pytest

from tonmf import InputError
from tonmf.io import read_marks
from tonmf.io.marks import append_marks, check_appendable, marks_so_far


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


@pytest.mark.parametrize(
    "text",
    [
        "ID,Mark\npost-1,strange\nb,fine\n",
        "id;mark\npost-1;strange\nb;fine\n",
        "post-1\tstrange\nb\tfine\n",
        "sep=;\nid;mark\npost-1;strange\nb;fine\n",
        "sep=;\r\npost-1;strange\r\nb;fine\r\n",
        "post-1,strange,,\nb,fine,,\n",
        "id,mark,,\npost-1,strange,,\nb,fine\n",
        'Mark,note,ID\nstrange,"so, so",post-1\nfine,,b\n',
        '\n"post-1", "strange"\n"b", "fine"\n',
        "post-1,strange\rb,fine\r",
    ],
)
def test_files_as_people_make_them_are_read_and_go_on_in_their_own_form(tmp_path, text):
    expected = {"post-1": "strange", "b": "fine"}
    path = tmp_path / "marks.csv"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert marks_of(tmp_path, text, encoding) == expected
        assert marks_so_far(path.read_bytes()) == (expected, [])
        append_marks(path, [("c, d; e\tf", "fine"), ("größe", "strange"), ("b", "")])
        assert read_marks(path) == {"post-1": "strange", "c, d; e\tf": "fine", "größe": "strange"}
        assert path.read_bytes().decode(encoding).startswith(text)


def test_an_apostrophe_of_our_own_is_kept_apart_in_any_form(tmp_path):
    assert marks_of(tmp_path, "id;mark\n'=1+1;fine\n") == {"=1+1": "fine"}


def test_the_first_line_with_a_mark_tells_the_separator(tmp_path):
    assert marks_of(tmp_path, "a;b,fine\nc;d,strange\n") == {"a;b": "fine", "c;d": "strange"}


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("a", "1 column, expected an id and a mark, such as post-17,strange; got 'a'"),
        ("a;fine", "1 column, expected an id and a mark, such as post-17,strange; got 'a;fine'"),
        ("a,yes", "'yes' is no mark; use strange or fine"),
        (",fine", "the id is missing"),
        (
            "a, b,fine",
            '3 columns, expected an id and a mark; put quotation marks around an id with a comma, such as "a, b",fine',
        ),
        ('"a" b,fine', "there is something between a closing quotation mark and the end of the cell"),
        ('"a,fine', "a quotation mark is not closed"),
    ],
)
def test_a_line_that_is_no_mark_is_named(tmp_path, line, what):
    with pytest.raises(InputError, match=re.escape(f"marks.csv, line 2: {what}.")):
        marks_of(tmp_path, f"b,fine\n{line}\n")


def test_a_line_with_too_few_cells_for_its_header_is_named(tmp_path):
    with pytest.raises(InputError, match=r"line 2: 2 columns, expected 3, as in the header\."):
        marks_of(tmp_path, "id,score,mark\na,fine\n")


def test_files_that_cannot_be_read_say_why(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.csv cannot be read: No such file"):
        read_marks(tmp_path / "nothing.csv")
    (tmp_path / "bad.csv").write_bytes("größe,fine\nschön,fine\n".encode() + b"\xff,fine\n")
    with pytest.raises(InputError, match=r"bad\.csv cannot be read as UTF-8: .* Save it as CSV in UTF-8\."):
        read_marks(tmp_path / "bad.csv")


def test_files_of_old_encodings_are_read_but_not_mixed_with_others(tmp_path):
    assert marks_of(tmp_path, "café,fine\n", "latin-1") == {"café": "fine"}
    before = (tmp_path / "marks.csv").read_bytes()
    assert marks_so_far(before) == ({"café": "fine"}, [])
    for refuse in (check_appendable, lambda path: append_marks(path, [("größe", "fine")])):
        with pytest.raises(
            InputError, match=r"marks\.csv is in cp1252, and marks can be added only in UTF-8 or UTF-16"
        ):
            refuse(tmp_path / "marks.csv")
    assert (tmp_path / "marks.csv").read_bytes() == before


def test_appended_marks_are_read_again(tmp_path):
    path = tmp_path / "marks.csv"
    append_marks(path, [("post-1", "strange"), ('a, "b"\nc', "fine")])
    append_marks(path, [("post-1", "")])
    append_marks(path, [("größe", "strange"), ("d\re", "fine")])
    assert path.read_text(encoding="utf-8").startswith("id,mark\npost-1,strange\n")
    assert read_marks(path) == {'a, "b"\nc': "fine", "größe": "strange", "d\re": "fine"}
    assert marks_so_far(path.read_bytes()) == ({**read_marks(path), "post-1": ""}, [])


def test_marks_are_appended_on_a_line_of_their_own(tmp_path):
    path = tmp_path / "marks.csv"
    path.write_text("post-1,strange")
    append_marks(path, [("post-2", "fine")])
    assert path.read_text() == "post-1,strange\npost-2,fine\n"


def test_marks_that_do_not_fit_on_the_disk_leave_the_file_as_it_was(tmp_path, monkeypatch):
    path, write = tmp_path / "marks.csv", os.write
    append_marks(path, [("post-1", "fine")])
    before = path.read_bytes()
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[:3]))
    with pytest.raises(InputError, match=r"marks\.csv cannot be written: No space left on device"):
        append_marks(path, [("post-2", "fine")])
    assert path.read_bytes() == before


def test_a_growing_file_is_read_up_to_what_is_whole():
    whole = b'id,mark\npost-1,strange\n"a ""b""",fine\npost-1,\npost-2,fine\n'
    expected = marks_so_far(whole)[0]
    assert list(expected.items()) == [('a "b"', "fine"), ("post-1", ""), ("post-2", "fine")]
    for end in range(len(whole)):
        marks, wrong = marks_so_far(whole[:end])
        assert not wrong
        assert all(mark in ("strange", "fine", "") for mark in marks.values())
        assert all(
            marks[name] == "strange" for name in marks if name == "post-1" and end < whole.index(b"post-1,\n") + 8
        )


def test_a_last_line_without_its_end_counts_if_its_mark_is_whole():
    assert marks_so_far(b"a,fine\nb,strange") == ({"a": "fine", "b": "strange"}, [])
    assert marks_so_far(b"a,fine\na,") == ({"a": "fine"}, [])
    assert marks_so_far(b"a,fine\na,\n") == ({"a": ""}, [])


def test_wrong_lines_of_a_growing_file_do_not_hide_the_others():
    marks, wrong = marks_so_far(b'a,odd\n"b,fine\nc,strange\n\xff,fine\nd,fine,e\n' + "größe,fine\n".encode())
    assert marks == {"c": "strange", "\ufffd": "fine", "größe": "fine"}
    assert [line.split(":")[0] for line in wrong] == ["line 1", "line 2", "line 5"]
