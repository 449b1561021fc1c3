"""CSV, TSV and Parquet."""

import gzip
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from files_to_read import put, read, refusal

from tonmf.io import DocumentFiles, records
from tonmf.text.documents import ITEMS, TEXTS


def test_rows_go_by_their_line_and_the_header_is_line_1(tmp_path):
    assert read(put(tmp_path, "a.csv", "n,text\n1,one\n2,two\n")).ids == ["a.csv:2", "a.csv:3"]


def test_quoted_cells_hold_line_breaks_quotes_and_commas(tmp_path):
    documents = read(put(tmp_path, "a.csv", 'n,text\n1,"one,\r\n""two""\n"\n2,three\n'))
    assert documents.content == ['one,\r\n"two"\n', "three"]
    assert documents.ids == ["a.csv:2", "a.csv:3"]


def test_quotes_within_a_cell_are_text(tmp_path):
    assert read(put(tmp_path, "a.csv", 'n,text\n1,a 5" disk\n2,"a"b"\n3,last\n')).content == [
        'a 5" disk',
        'ab"',
        "last",
    ]


def test_carriage_returns_at_line_ends_are_dropped(tmp_path):
    assert read(put(tmp_path, "a.csv", "n,text\r\n1,one\r\n2,two\r\n")).content == ["one", "two"]


def test_a_last_row_without_line_end(tmp_path):
    assert read(put(tmp_path, "a.tsv", "n\ttext\n1\tone, two")).content == ["one, two"]


def test_blank_lines_are_no_rows_but_count_as_lines(tmp_path):
    documents = read(put(tmp_path, "a.csv", "\n\nn,text\n\n1,one\n\n2,two\n\n"))
    assert documents.ids == ["a.csv:5", "a.csv:7"]
    assert len(documents.notes) == 1


def test_in_a_single_column_a_blank_line_is_a_missing_cell(tmp_path):
    documents = read(put(tmp_path, "a.csv", "text\none\n\ntwo\n"))
    assert documents.ids == ["a.csv:2", "a.csv:4"]
    assert documents.notes[-1] == "1 of 3 documents in a.csv has no text and was left out (first: a.csv:3)."


@pytest.mark.parametrize(("delimiter", "called"), [(";", "semicolons"), ("\t", "tabs")])
def test_other_delimiters_are_seen_in_the_header(tmp_path, delimiter, called):
    rows = ["n,text", "1,one", "2,two"]
    documents = read(put(tmp_path, "a.csv", "\n".join(row.replace(",", delimiter) for row in rows)))
    assert documents.content == ["one", "two"]
    assert documents.notes[0] == f"a.csv has {called} between its cells, not commas, and was read that way."


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|", "^"])
def test_a_delimiter_that_the_first_line_declares(tmp_path, delimiter, quote):
    lines = [f"{quote}sep={delimiter}{quote}", f"n{delimiter}text", f"1{delimiter}one two", f"2{delimiter}three four"]
    documents = read(put(tmp_path, "a.csv", "\r\n".join(lines)))
    assert (documents.content, documents.ids) == (["one two", "three four"], ["a.csv:3", "a.csv:4"])


def test_a_table_with_commas_may_be_called_tsv(tmp_path):
    documents = read(put(tmp_path, "a.tsv", "n,text\n1,one\n2,two\n"))
    assert documents.content == ["one", "two"]
    assert documents.notes[0] == "a.tsv has commas between its cells, not tabs, and was read that way."


ONE_COLUMN = ["Hello, world of fine things", "nothing", "this, that, and more of it", '"so" she said, and left']


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_commas_that_lack_quotes_in_a_single_column_are_text(tmp_path, name):
    path = put(tmp_path, name, "\n".join(["comment", *ONE_COLUMN]))
    documents = read(path)
    assert documents.content == ONE_COLUMN
    assert read(path, text_column="comment").content == ONE_COLUMN
    if name == "a.csv":
        assert documents.notes[0] == (
            "a.csv was read as one column, since the commas in it belong to the texts; if they separate cells, give "
            "separator='comma'."
        )
        assert "row 2: 2 cells, expected 1" in refusal(path, separator="comma")
    assert [text for batch in DocumentFiles([path]) for text in batch.content] == ONE_COLUMN


def test_a_single_column_without_a_header_may_begin_with_a_comma_in_the_text(tmp_path):
    texts = ["it came late, as ever, and was not what I had ordered", *ONE_COLUMN]
    assert read(put(tmp_path, "a.csv", "\n".join(texts))).content == texts


TITLED = ["id,text,stars", "7,a good one,4", "8,a bad one,1"]


@pytest.mark.parametrize(
    ("above", "said"),
    [
        (["Reviews of 2026"], "The first row of a.csv, 'Reviews of 2026', was taken for a title above the table"),
        (
            ["Reviews of 2026,,", ",,"],
            "The first 2 rows of a.csv, 'Reviews of 2026', were taken for titles above the table",
        ),
        (["Reviews", "", "of 2026"], "The first 2 rows of a.csv, 'Reviews', were taken for titles above the table"),
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_title_above_a_table_is_left_out_and_noted(tmp_path, above, said, delimiter):
    path = put(tmp_path, "a.csv", "\n".join([*above, *TITLED]).replace(",", delimiter))
    documents = read(path)
    assert (documents.content, documents.ids) == (["a good one", "a bad one"], ["7", "8"])
    assert documents.notes[0] == f"{said} and left out; if the first row names the columns, give header=True."
    assert [text for batch in DocumentFiles([path]) for text in batch.content] == documents.content


def test_a_name_above_one_column_of_several_is_no_title(tmp_path):
    documents = read(put(tmp_path, "a.csv", ",,text\n1,2,some text here\n2,3,more text here\n"))
    assert documents.content == ["some text here", "more text here"]


def test_a_column_that_the_user_names_shows_where_the_table_begins(tmp_path):
    path = put(tmp_path, "a.csv", "Export\nfoo,bar\na,one two\nb,three four\n")
    assert read(path, text_column="bar").content == ["one two", "three four"]


def test_semicolons_within_texts_do_not_matter(tmp_path):
    assert read(put(tmp_path, "a.csv", "n,text\n1,one; two\n")).content == ["one; two"]


def test_a_row_with_too_many_or_too_few_cells_is_refused(tmp_path):
    message = refusal(put(tmp_path, "a.csv", "n,text\n1,one\n2,two,too many\n"))
    assert message == (
        "a.csv, row 3: 3 cells, expected 2: '2,two,too many'. Fix it, or skip such rows with skip_bad=True."
    )
    assert "row 2: 1 cell, expected 2: 'one'" in refusal(put(tmp_path, "b.csv", "n,text\none\n2,two\n"))


def test_bad_rows_are_left_out_and_counted_if_so_asked(tmp_path):
    documents = read(put(tmp_path, "a.csv", "n,text\n1,one\n2,two,3\n\n4\n5,five\n"), skip_bad=True)
    assert documents.ids == ["a.csv:2", "a.csv:6"]
    assert documents.notes[-1].startswith(
        "2 rows of a.csv could not be read and were left out (first: row 3, 3 cells, expected 2"
    )


def test_numbers_of_rows_hold_across_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "BLOCK", 50)
    rows = [f"{number},{'text ' * (number % 7)}x{',bad' * (number % 10 == 3)}\n" for number in range(2, 200)]
    documents = read(put(tmp_path, "a.csv", "n,text\n" + "".join(rows)), skip_bad=True)
    assert documents.ids == [f"a.csv:{number}" for number in range(2, 200) if number % 10 != 3]


def test_quoted_cells_may_be_longer_than_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "BLOCK", 10)
    text = 'many\nlines, and "quotes"\n' * 20
    cell = text.replace('"', '""')
    documents = read(put(tmp_path, "a.csv", f'text,n\n"{cell}",1\nlast,2\n'))
    assert documents.content == [text, "last"]
    assert documents.ids == ["a.csv:2", "a.csv:3"]


def test_a_quote_that_is_never_closed_is_refused_where_it_opens(tmp_path):
    message = refusal(put(tmp_path, "a.csv", 'n,text\n1,"one\ntwo"\n2,"three\n3,four\n4,five\n'))
    assert message.startswith("a.csv, row 3 (line 4): a quoted cell starts here that does not end.")


def test_a_quote_that_is_never_closed_is_refused_even_if_bad_rows_are_left_out(tmp_path):
    assert "does not end" in refusal(put(tmp_path, "a.csv", 'n,text\n1,"one\n2,two\n'), skip_bad=True)


def test_a_header_without_rows_is_refused(tmp_path):
    assert (
        refusal(put(tmp_path, "a.csv", "n,text\n")) == "a.csv is empty: expected a header, and a row for each document."
    )


def test_columns_of_one_name_matter_only_if_they_are_meant(tmp_path):
    path = put(tmp_path, "a.csv", "x,x,words\na,b,one\nc,d,two\n")
    assert read(path).content == ["one", "two"]
    assert refusal(path, text_column="x") == (
        "a.csv: 2 columns are called 'x'. Give the number of the one that is meant, such as 2."
    )


def test_a_column_without_a_name_goes_by_its_number(tmp_path):
    path = put(tmp_path, "a.csv", ",title\none,1\ntwo,2\n")
    assert read(path, text_column="column 1").content == ["one", "two"]


def test_space_around_names_is_no_part_of_them(tmp_path):
    assert read(put(tmp_path, "a.csv", "id, text\nx,one\n"), text_column="text").ids == ["x"]


def test_a_carriage_return_alone_among_line_feeds_is_refused(tmp_path):
    assert "a carriage return outside quotes" in refusal(put(tmp_path, "b.csv", "n,text\n1,one\r2,two\n"))


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
@pytest.mark.parametrize("start", ["<!DOCTYPE html>\n", "\n<html lang='en'>", "<!doctype HTML PUBLIC"])
def test_a_page_in_place_of_a_table_is_refused(tmp_path, name, start):
    message = refusal(put(tmp_path, name, f"{start}<head><title>Sign in</title></head>\n<body>log, in</body></html>\n"))
    assert message == (
        f"{name}: expected a table, but it is a web page, perhaps one that asks to sign in. Get the file again."
    )


def test_a_nul_byte_far_down_is_text(tmp_path):
    assert read(put(tmp_path, "a.csv", "n,text\n" + "1,word\n" * 10_000 + "2,a\0b\n")).content[-1] == "a\0b"


def parquet(folder, name="a.parquet", **columns):
    pq.write_table(pa.table(columns), folder / name)
    return str(folder / name)


def test_parquet_rows_are_numbered_from_1(tmp_path):
    documents = read(parquet(tmp_path, text=["one", None, "three"], n=[1, 2, 3]))
    assert documents.kind == TEXTS
    assert documents.content == ["one", "three"]
    assert documents.ids == ["a.parquet:1", "a.parquet:3"]


def test_parquet_lists_are_items(tmp_path):
    documents = read(parquet(tmp_path, "a.pq", n=[1, 2, 3], basket=[["a", "b"], [], ["c", None]]))
    assert documents.kind == ITEMS
    assert documents.content == [["a", "b"], ["c"]]


def test_parquet_lists_of_numbers_are_items(tmp_path):
    assert read(parquet(tmp_path, basket=[[1, 2], [3]])).content == [["1", "2"], ["3"]]


def test_parquet_categories_are_texts(tmp_path):
    assert read(parquet(tmp_path, text=pa.array(["one", "two", "one"]).dictionary_encode())).content == [
        "one",
        "two",
        "one",
    ]


def test_parquet_columns_of_other_types_are_no_texts(tmp_path):
    times = pa.array([1, 2], pa.timestamp("ns"))
    path = parquet(tmp_path, time=times, text=["one", "two"], gap=pa.array([None, None], pa.int64()))
    assert read(path).content == ["one", "two"]
    assert "expected text in column 'time', but it holds something else" in refusal(path, text_column="time")
    assert "expected text in column 'gap'" in refusal(path, text_column="gap")


def test_parquet_without_rows_is_refused(tmp_path):
    path = parquet(tmp_path, text=pa.array([], pa.string()))
    assert refusal(path) == "a.parquet is empty: expected a row for each document."


def test_parquet_from_standard_input_and_compressed(tmp_path):
    path = parquet(tmp_path, text=["one", "two"])
    with open(path, "rb") as file:
        data = file.read()
    assert read("-", stdin=io.BytesIO(data), format="parquet").content == ["one", "two"]
    assert read(put(tmp_path, "b.parquet.gz", gzip.compress(data))).content == ["one", "two"]


@pytest.mark.parametrize(
    "damage", [lambda data: b"text\none\n", lambda data: data[:50], lambda data: data[-50:], lambda data: b""]
)
def test_what_is_no_parquet_is_refused(tmp_path, damage):
    path = parquet(tmp_path, text=["one", "two"])
    with open(path, "rb") as file:
        data = damage(file.read())
    assert refusal(put(tmp_path, "b.parquet", data)).startswith(
        "b.parquet: expected a Parquet file, but it cannot be read as one ("
    )


def test_parquet_with_strings_that_are_no_text_is_refused(tmp_path):
    buffers = [None, pa.py_buffer(b"\x00\x00\x00\x00\x02\x00\x00\x00"), pa.py_buffer(b"\xff\xfe")]
    path = parquet(tmp_path, text=pa.Array.from_buffers(pa.string(), 1, buffers))
    assert refusal(path, text_column="text").startswith("a.parquet: expected a Parquet file")


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ('"a,b";text\n1;hello there\n', ["hello there"]),
        ('id;"text, full"\n1;hello there\n', ["hello there"]),
        ("id|text\n1|hello, you\n", ["hello, you"]),
    ],
)
def test_commas_in_quotes_do_not_hide_what_keeps_cells_apart(tmp_path, content, texts):
    assert read(put(tmp_path, "a.csv", content)).content == texts


def test_columns_that_cannot_hold_documents_are_not_even_read(tmp_path, monkeypatch):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"text": ["one", "two"], "image": [b"\0" * 10, b"\1" * 10]})
    pq.write_table(table, tmp_path / "a.parquet")
    asked = []
    original = pq.ParquetFile.iter_batches
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", lambda *a, **k: asked.append(k["columns"]) or original(*a, **k))
    assert read(str(tmp_path / "a.parquet")).content == ["one", "two"]
    assert asked == [["text"], ["text"]]
