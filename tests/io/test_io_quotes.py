"""Quotes in tables: around cells, in texts, and where they merge rows."""

import csv
import io

import pandas as pd
import polars as pl
import pytest
from files_to_read import put, read
from hypothesis import given, settings
from hypothesis import strategies as st

from tonmf.io import DocumentFiles, records

STRAY = "a.tsv has quotes at the start of cells that do not enclose them, so quotes were read as text."

MESSAGES = [
    ("ham", "Ok lar... Joking wif u oni..."),
    ("ham", '"Wen u miss someone, the person is definitely special'),
    ("spam", "Free entry in 2 a wkly comp to win FA Cup final tkts"),
    ("ham", 'I said "no" and left, so that was that'),
    ("ham", "Nah I don't think he goes to usf, he lives around here though"),
    ("ham", 'And he "said" it again"'),
    ("ham", '"OK"'),
]


def unquoted(rows):
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def test_a_stray_quote_in_a_tsv_merges_no_documents(tmp_path):
    documents = read(put(tmp_path, "a.tsv", unquoted([("class", "text"), *MESSAGES])))
    assert documents.content == [text for _, text in MESSAGES]
    assert STRAY in documents.notes


def test_a_stray_quote_that_another_seems_to_close_merges_none_either(tmp_path):
    rows = [("class", "text"), ("ham", '"one of'), ("ham", "two of them"), ("spam", 'three of them"'), ("ham", "four")]
    assert read(put(tmp_path, "a.tsv", unquoted(rows))).content == [text for _, text in rows[1:]]


def test_without_a_quote_at_the_start_of_a_cell_there_is_nothing_to_tell(tmp_path):
    documents = read(put(tmp_path, "a.tsv", 'n\ttext\n1\ta 5" disk\n2\tthe "best" one\n'))
    assert documents.content == ['a 5" disk', 'the "best" one']
    assert len(documents.notes) == 1


def test_the_same_in_batches_and_wherever_the_quote_comes(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "WINDOW", 200)
    rows = [("class", "text"), *(("ham", f"message {number} of many more") for number in range(500)), *MESSAGES]
    path = put(tmp_path, "a.tsv", unquoted(rows))
    documents = read(path)
    assert documents.content == [text for _, text in rows[1:]]
    files = DocumentFiles([path])
    assert [text for batch in files for text in batch.content] == documents.content
    assert STRAY in files.notes


def test_a_tsv_in_which_all_quotes_enclose_cells_is_read_that_way(tmp_path):
    texts = ['He said "no".', "two\nlines", "a tab\tin it", "plain", '"', "last\r\none"]
    path = tmp_path / "a.tsv"
    pd.DataFrame({"n": range(6), "text": texts}).to_csv(path, sep="\t", index=False)
    assert read(str(path)).content == texts
    pl.DataFrame({"n": range(6), "text": texts}).write_csv(path, separator="\t", quote_style="always")
    assert read(str(path)).content == texts


@pytest.mark.parametrize("n_lines", [1, 3])
def test_rows_within_quotes_are_counted(tmp_path, n_lines):
    rows = [f"{number},ham,message {number} of forty\n" for number in range(40)]
    broken = '7,spam,"unfinished business\n' + "".join(rows[:n_lines]) + '8,ham,and the end"\n'
    documents = read(put(tmp_path, "a.csv", "nr,class,text\n" + "".join(rows) + broken), text_column="text")
    (note,) = documents.notes
    assert note == (
        f"{n_lines + 1} lines of a.csv look like rows but were read as part of a cell in quotes (first: in row 42). If that is "
        "wrong, close the quote before, or double it if it belongs to the text."
    )


def test_lines_of_text_within_quotes_are_no_rows(tmp_path):
    mail = "Dear Bob, how are you?\nFine, thanks\n1, 2, 3\nYours, Ann"
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows([["class", "text"], *([["ham", mail]] * 30)])
    assert not any("look like" in note for note in read(put(tmp_path, "a.csv", buffer.getvalue())).notes)


TEXT = st.text(st.characters(exclude_categories=["C"], exclude_characters="\t\r\n"), min_size=1, max_size=30).filter(
    lambda text: not text.isspace()
)
LINES = st.lists(TEXT, min_size=1, max_size=3).map(lambda lines: "\n".join(["word", *lines]))


@settings(max_examples=100)
@given(st.lists(TEXT, min_size=1, max_size=12))
def test_every_line_of_an_unquoted_tsv_is_a_document(tmp_path_factory, texts):
    # At least one quote that encloses nothing shows that the file is not quoted.
    texts = [*texts, 'a "quote" within']
    rows = [("nr", "text"), *((number, text) for number, text in enumerate(texts))]
    path = put(tmp_path_factory.mktemp("a"), "a.tsv", unquoted(rows))
    assert read(path, text_column="text").content == texts


@settings(max_examples=100)
@given(
    st.lists(LINES, min_size=1, max_size=12),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    st.sampled_from([",", "\t"]),
)
def test_every_record_of_a_quoted_table_is_a_document(tmp_path_factory, texts, quoting, delimiter):
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows(
        [["nr", "text"], *([number, text] for number, text in enumerate(texts))]
    )
    name = "a.csv" if delimiter == "," else "a.tsv"
    path = put(tmp_path_factory.mktemp("a"), name, buffer.getvalue())
    assert read(path, text_column="text").content == texts
