"""Workbooks: as openpyxl, xlwt and odfpy write them. Those in the folder files were made by the latter two and msoffcrypto."""

import datetime as dt
import io
import sys
from pathlib import Path

import openpyxl
import pytest
from files_to_read import put, read, refusal

from tonmf.errors import MissingExtraError, ParameterError
from tonmf.io import DocumentFiles, ReadOptions

FILES = Path(__file__).parent / "files"
ROWS = [["id", "text"], ["a", "The committee met on Tuesday."], ["b", "Grüße aus München, 50 €"]]


def workbook(folder, name="reviews.xlsx", /, **sheets):
    """A workbook with these sheets, each a list of rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in (sheets or {"Reviews": ROWS}).items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    written = io.BytesIO()
    book.save(written)
    return put(folder, name, written.getvalue())


def test_a_sheet_is_a_table(tmp_path):
    documents = read(workbook(tmp_path))
    assert documents.content == [row[1] for row in ROWS[1:]]
    assert documents.ids == ["a", "b"]
    assert documents.notes == [
        "The text was taken from column 'text' of reviews.xlsx.",
        "The ids were taken from column 'id' of reviews.xlsx.",
    ]


@pytest.mark.parametrize("name", ["table.xls", "table.ods"])
def test_older_and_open_workbooks(name):
    documents = read(str(FILES / name))
    assert documents.content == [row[1] for row in ROWS[1:]]
    assert documents.ids == ["a", "b"]


def test_rows_have_the_numbers_that_the_spreadsheet_shows(tmp_path):
    rows = [[], [], ["text", "n"], ["first", 1], [None, None], ["second", 2]]
    documents = read(workbook(tmp_path, Sheet=rows))
    assert documents.ids == ["reviews.xlsx:4", "reviews.xlsx:6"]
    assert "1 of 3 documents in reviews.xlsx has no text and was left out (first: reviews.xlsx:5)." in documents.notes


def test_the_first_sheet_is_read_and_the_others_are_named(tmp_path):
    path = workbook(tmp_path, First=[["text"], ["one"]], Second=[["text"], ["two"]], Third=[["text"], ["three"]])
    documents = read(path)
    assert documents.content == ["one"]
    note = "reviews.xlsx has 3 sheets, of which 'First' was read; for Second, Third give sheet."
    assert note in documents.notes
    assert read(path, sheet="Second").content == ["two"]
    assert read(path, sheet="3").content == ["three"]
    message = refusal(path, sheet="Fourth")
    assert message == "reviews.xlsx has no sheet 'Fourth' (sheet); it has First, Second, Third."
    assert "has no sheet '4'" in refusal(path, sheet="4")


def test_a_sheet_that_is_called_by_a_number_is_meant_by_it(tmp_path):
    sheets = {"2": [["text"], ["called two"]], "1": [["text"], ["called one"]]}
    assert read(workbook(tmp_path, **sheets), sheet="1").content == ["called one"]


def test_numbers_and_times_in_cells(tmp_path):
    rows = [
        ["text", "id", "when", "strange"],
        ["a word", 1, dt.datetime(2024, 1, 4, 12), True],
        [7, 2, dt.date(2024, 1, 5), 0],
    ]
    documents = read(workbook(tmp_path, Sheet=rows), text_column="text", time_column="when", label_column="strange")
    assert documents.content == ["a word", "7"]
    assert documents.ids == ["1", "2"]
    assert documents.times == [1704369600.0, 1704412800.0]
    assert documents.labels == [1, 0]


def test_a_title_above_the_table_is_left_out_and_noted(tmp_path):
    documents = read(workbook(tmp_path, Sheet=[["Reviews of 2026"], [], *ROWS]))
    assert (documents.content, documents.ids) == ([row[1] for row in ROWS[1:]], ["a", "b"])
    assert documents.notes[0] == (
        "The first 2 rows of reviews.xlsx, 'Reviews of 2026', were taken for titles above the table and left out; if the first "
        "row names the columns, give header=True."
    )


def test_blank_cells_are_missing_values(tmp_path):
    day = dt.date(2026, 1, 5)
    rows = [
        ["text", "stars", "day", "sure", "who"],
        ["one", 4, day, True, "Ann"],
        ["two"],
        ["three", 2.5, day, False, ""],
    ]
    kept = read(workbook(tmp_path, Sheet=rows), text_column="text", keep_columns=True).rows
    assert kept == [
        {"stars": 4, "day": day, "sure": True, "who": "Ann"},
        {"stars": None, "day": None, "sure": None, "who": None},
        {"stars": 2.5, "day": day, "sure": False, "who": None},
    ]


def test_a_sheet_without_a_header_keeps_its_first_row(tmp_path):
    rows = [
        ["ham", "See you at the station at eight tonight, then."],
        ["spam", "Call now to claim the prize that you have won!"],
    ]
    documents = read(workbook(tmp_path, Sheet=rows * 10))
    assert len(documents.content) == 20
    assert documents.ids[0] == "reviews.xlsx:1"
    note = "The first row of reviews.xlsx is like the others and was read as a document; if it names the columns, give "
    assert f"{note}header=True." in documents.notes
    assert len(read(workbook(tmp_path, Sheet=rows * 10), header=True).content) == 19
    documents = read(workbook(tmp_path, Sheet=rows * 10), text_column=2, label_column=1, label_outlier="spam")
    assert documents.labels == [0, 1] * 10


def test_several_columns_of_a_sheet(tmp_path):
    rows = [["title", "body", "n"], ["One", "first", 1], [None, "second", 2], ["Three", 3, 3]]
    documents = read(workbook(tmp_path, Sheet=rows), text_column=["title", "body"])
    assert documents.content == ["One\nfirst", "second", "Three\n3"]


def test_a_workbook_is_read_in_batches_as_well(tmp_path, monkeypatch):
    monkeypatch.setattr("tonmf.text.batches.BATCH", 2)
    path = workbook(tmp_path, Sheet=[["text"], *([f"text {number}"] for number in range(5))])
    batches = DocumentFiles([path], ReadOptions())
    assert [len(batch.ids) for batch in batches] == [2, 2, 1]
    assert [one for batch in batches for one in batch.content] == read(path).content


def test_a_password_is_named(tmp_path):
    assert refusal(str(FILES / "password.xlsx")) == "password.xlsx has a password. Save it without one, and read that."


def test_a_broken_workbook_is_refused(tmp_path):
    data = Path(workbook(tmp_path)).read_bytes()
    for content in (
        data[: len(data) // 2],
        b"no workbook at all",
        bytes(byte ^ (0x55 * (1200 < place < 2400)) for place, byte in enumerate(data)),
    ):
        message = refusal(put(tmp_path, "broken.xlsx", content))
        assert message.startswith(
            "broken.xlsx: expected a workbook (.xlsx, .xls, .ods), but it cannot be read as one ("
        )
        assert message.endswith("Check the file and format.")


def test_an_empty_workbook_is_refused(tmp_path):
    expected = "is empty: expected a row for each document."
    assert refusal(workbook(tmp_path, Sheet=[])).endswith(expected)
    assert refusal(workbook(tmp_path, Sheet=[["text"]])).endswith(expected)
    assert refusal(put(tmp_path, "nothing.xlsx", b"")).endswith(expected)


def test_a_workbook_named_csv_is_refused_as_a_binary_file(tmp_path):
    path = put(tmp_path, "a.csv", Path(workbook(tmp_path)).read_bytes())
    assert refusal(path).startswith("a.csv: expected text, but it is a binary file.")
    assert len(read(path, format="spreadsheet").content) == 2


def test_a_sheet_needs_a_workbook(tmp_path):
    message = refusal(put(tmp_path, "a.txt", "text\n"), sheet="1", error=ParameterError)
    assert message == "sheet names a sheet of a workbook, but no input is one; got lines."


def test_the_extra_is_named_when_it_is_missing(tmp_path, monkeypatch):
    path = workbook(tmp_path)
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    message = refusal(path, error=MissingExtraError)
    assert message == "Reading spreadsheets needs python-calamine: pip install 'tonmf[excel]'."
