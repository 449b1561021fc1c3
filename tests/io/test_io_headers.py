"""Tables with a header and without: which rows are documents."""

import csv
import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
from files_to_read import put, read, refusal
from hypothesis import given, settings
from hypothesis import strategies as st

from tonmf.io import DocumentFiles, ReadOptions
from tonmf.io.header import TableProfile

WORDS = [
    "the", "a", "market", "plane", "school", "river", "team", "early", "often", "built", "said", "near",
    "long", "public", "small", "first", "music", "street", "old", "house",
]  # fmt: skip

MESSAGES = [
    [
        "ham",
        "Go until jurong point, crazy.. Available only in bugis n great world la e buffet... Cine there got amore wat...",
    ],
    ["ham", "Ok lar... Joking wif u oni..."],
    [
        "spam",
        "Free entry in 2 a wkly comp to win FA Cup final tkts 21st May 2005. Text FA to 87121 to receive entry question",
    ],
    ["ham", "U dun say so early hor... U c already then say..."],
    ["ham", "Nah I don't think he goes to usf, he lives around here though"],
    ["spam", "WINNER!! As a valued network customer you have been selected to receivea £900 prize reward!"],
]


def sentences(n, seed=0, least=5):
    draw = np.random.default_rng(seed)
    return [" ".join(draw.choice(WORDS, draw.integers(least, 30))).capitalize() + "." for _ in range(n)]


def articles(n=60):
    """Rows such as those of dbpedia.csv: a class, a title, a text."""
    draw = np.random.default_rng(1)
    titles = [" ".join(draw.choice(WORDS, draw.integers(1, 5))).title() for _ in range(n)]
    return [[str(draw.integers(1, 15)), title, f" {text}"] for title, text in zip(titles, sentences(n), strict=True)]


def written(rows, **options):
    buffer = io.StringIO(newline="")
    csv.writer(buffer, **options).writerows(rows)
    return buffer.getvalue()


def batched(path, **options):
    files = DocumentFiles([path], ReadOptions(**options))
    batches = list(files)
    return (
        [text for batch in batches for text in batch.content],
        [name for batch in batches for name in batch.ids],
        files.notes,
    )


NO_HEADER = (
    "The first row of {} is like the others and was read as a document; if it names the columns, give header=True."
)


def test_no_document_of_a_table_without_a_header_is_lost(tmp_path):
    rows = articles()
    documents = read(put(tmp_path, "dbpedia.csv", written(rows, quoting=csv.QUOTE_NONNUMERIC)))
    assert documents.content == [row[2] for row in rows]
    assert documents.ids[0] == "dbpedia.csv:1"
    assert documents.notes == [NO_HEADER.format("dbpedia.csv"), "The text was taken from column '3' of dbpedia.csv."]


def test_classes_and_messages_without_a_header(tmp_path):
    path = put(tmp_path, "SMSSpamCollection", "".join("\t".join(row) + "\n" for row in MESSAGES))
    documents = read(path, format="tsv")
    assert documents.content == [text for _, text in MESSAGES]
    assert documents.notes[0] == NO_HEADER.format("SMSSpamCollection")


def test_a_single_column_of_sentences_without_a_header(tmp_path):
    texts = sentences(20)
    assert read(put(tmp_path, "a.csv", written([[text] for text in texts]))).content == texts


def test_a_first_document_may_be_very_long(tmp_path):
    texts = ['a long, "quoted" story\n' * 20_000, *sentences(5), "short, " * 30_000]
    for delimiter in (",", "\t"):
        path = put(
            tmp_path, "a.csv", written([[number, text] for number, text in enumerate(texts)], delimiter=delimiter)
        )
        documents = read(path)
        assert documents.content == texts
        assert NO_HEADER.format("a.csv") in documents.notes
    path = put(tmp_path, "b.tsv", "".join(f"{number}\t{' '.join(text.split())}\n" for number, text in enumerate(texts)))
    assert read(path).content == [" ".join(text.split()) for text in texts]


def test_any_number_of_blank_lines_may_come_first(tmp_path):
    documents = read(put(tmp_path, "a.csv", "\n" * 3_000 + "n,text\n" + "\n" * 3_000 + "1,one\n"))
    assert (documents.content, documents.ids) == (["one"], ["a.csv:6002"])


def test_quotes_between_tabs_are_text_in_a_csv_file_too(tmp_path):
    path = put(tmp_path, "a.csv", 'n\ttext\n1\t"one of\n2\ttwo "of" them\n3\tthree\n')
    assert read(path).content == ['"one of', 'two "of" them', "three"]


def test_a_file_of_one_row_is_a_document_unless_it_looks_like_names(tmp_path):
    text = "the quick brown fox jumps over the lazy dog"
    assert read(put(tmp_path, "a.csv", f"17,{text}\n")).content == [text]
    assert "is empty" in refusal(put(tmp_path, "b.csv", "id,text\n"))


@pytest.mark.parametrize(
    "names",
    [
        ["class", "title", "content"],
        ["Klasse", "Titel", "Inhalt"],
        ["label", "Review Title", "reviewText"],
        ["x1", "some_title", "the_body"],
        ["", "title", "text"],
        ["0", "1", "2"],
        ["How old are you?", "Who are you?", "What did you think of the new school near the river, and why?"],
        ["2019", "name", "text"],
    ],
)
def test_headers_are_no_documents(tmp_path, names):
    rows = articles()
    documents = read(put(tmp_path, "a.csv", written([names, *rows])), text_column=3)
    assert documents.content == [row[2] for row in rows]
    assert documents.notes == []


def test_a_header_that_recurs_where_files_were_put_together_is_a_header(tmp_path):
    rows = [["kind", "words"], *MESSAGES, ["kind", "words"], *MESSAGES]
    assert read(put(tmp_path, "a.csv", written(rows)), text_column="words").content[0] == MESSAGES[0][1]


def test_the_user_decides(tmp_path):
    path = put(tmp_path, "a.csv", written(MESSAGES))
    documents = read(path, header=True)
    assert documents.content == [text for _, text in MESSAGES[1:]]
    path = put(tmp_path, "b.csv", written([["class", "text"], *MESSAGES]))
    documents = read(path, header=False)
    assert documents.content == ["text", *(text for _, text in MESSAGES)]
    assert documents.notes == ["The text was taken from column '2' of b.csv."]


def test_names_that_might_be_a_document_are_told(tmp_path):
    documents = read(put(tmp_path, "a.csv", "nice one\ngood phone\nbad screen\n"))
    assert documents.content == ["good phone", "bad screen"]
    assert documents.notes[0] == (
        "The first row of a.csv, 'nice one', was taken for the names of the columns; if it is a document, give header=False."
    )


def test_a_column_that_the_user_names_shows_that_there_is_a_header(tmp_path):
    rows = [["17", "18"], ["1", "one two"], ["2", "three four"]]
    path = put(tmp_path, "a.csv", written(rows))
    assert read(path, text_column="18", id_column="17").content == ["one two", "three four"]


def test_the_same_is_read_in_batches(tmp_path):
    for number, rows in enumerate([articles(), [["class", "title", "text"], *articles()], MESSAGES * 20]):
        path = put(tmp_path, f"{number}.csv", written(rows))
        documents = read(path)
        content, ids, notes = batched(path)
        assert (content, ids) == (documents.content, documents.ids)
        assert notes[: len(documents.notes)] == documents.notes


def test_pieces_of_one_table_have_the_names_of_the_first(tmp_path):
    rows = articles(90)
    paths = [
        put(tmp_path, "xaa.csv", written([["class", "title", "text"], *rows[:30]])),
        put(tmp_path, "xab.csv", written(rows[30:60])),
        put(tmp_path, "xac.csv", written(rows[60:])),
    ]
    documents = read(*paths)
    assert documents.content == [row[2] for row in rows]
    assert sum("is like the others" in note for note in documents.notes) == 2


def test_columns_go_by_number_with_a_header_and_without(tmp_path):
    rows = articles()
    path = put(tmp_path, "a.csv", written(rows))
    assert read(path, text_column=2, id_column="1").ids == [row[0] for row in rows]
    assert read(path, text_column="2").content == [row[1] for row in rows]
    path = put(tmp_path, "b.csv", written([["class", "title", "text"], *rows]))
    assert read(path, text_column="2", header=True).content == [row[1] for row in rows]
    assert refusal(path, text_column="4") == "b.csv has no column '4' (text_column); it has class, title, text."
    assert refusal(path, text_column="2", id_column="title", error=ValueError) == (
        "text_column and id_column must differ; both are 'title'."
    )


def test_a_column_that_is_called_by_a_number_comes_first(tmp_path):
    path = put(tmp_path, "a.csv", written([["2", "text"], ["one a", "b"], ["two c", "d"]]))
    assert read(path, text_column="2").content == ["one a", "two c"]


def test_of_columns_with_one_name_each_has_its_number(tmp_path):
    path = put(tmp_path, "a.csv", "text,text\none,a\ntwo,b\n")
    assert read(path, text_column="2").content == ["a", "b"]


def test_parquet_columns_go_by_number(tmp_path):
    pl.DataFrame({"n": [1, 2], "title": ["a", "b"], "story": ["c", "d"]}).write_parquet(tmp_path / "a.parquet")
    assert read(str(tmp_path / "a.parquet"), text_column=2).content == ["a", "b"]


TEXTS = [
    "A first text, with a comma.",
    'He said "no" and\nwent on to the river.',
    "Ünïcode text of some length; yes.",
] * 4


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("writer", ["pandas", "pandas with an index", "polars", "pyarrow", "R", "excel"])
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_files_of_the_usual_writers(tmp_path, writer, header, ending):
    path, separator = str(tmp_path / f"a.{ending}"), "," if ending == "csv" else "\t"
    columns = {"nr": [17 * row for row in range(12)], "story": TEXTS}
    if writer.startswith("pandas"):
        pd.DataFrame(columns).to_csv(path, sep=separator, header=header, index="index" in writer)
    elif writer == "polars":
        pl.DataFrame(columns).write_csv(path, separator=separator, include_header=header)
    elif writer == "pyarrow":
        options = pacsv.WriteOptions(include_header=header, delimiter=separator)
        pacsv.write_csv(pa.table(columns), path, options)
    else:
        rows = [list(columns)] * header + [list(row) for row in zip(*columns.values(), strict=True)]
        quoting = csv.QUOTE_NONNUMERIC if writer == "R" else csv.QUOTE_MINIMAL
        text = written(rows, delimiter=separator, quoting=quoting, lineterminator="\n" if writer == "R" else "\r\n")
        put(tmp_path, f"a.{ending}", text)
    documents = read(path)
    assert documents.content == TEXTS
    assert any("is like the others" in note for note in documents.notes) != header


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(0, 10**9), st.lists(st.sampled_from(WORDS), min_size=4, max_size=12)),
        min_size=2,
        max_size=30,
    ),
    st.booleans(),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from([",", ";", "\t", "|"]),
)
def test_no_document_is_lost_and_none_is_made_up(tmp_path_factory, rows, header, quoting, delimiter):
    texts = [f'{" ".join(words)}, "{number}"\n{words[0]}' for number, words in rows]
    table = [[number, text] for (number, _), text in zip(rows, texts, strict=True)]
    names = [["number", "story"]] if header else []
    path = put(tmp_path_factory.mktemp("a"), "a.csv", written(names + table, quoting=quoting, delimiter=delimiter))
    documents = read(path)
    assert documents.content == texts
    assert documents.ids == [f"a.csv:{row + header}" for row in range(1, len(rows) + 1)]
    assert batched(path)[0] == texts


def test_every_row_is_a_document_or_a_header_whatever_it_holds():
    cell = st.text(max_size=20)

    @given(st.lists(cell, min_size=1, max_size=5), st.lists(st.lists(cell, max_size=5), max_size=20))
    def holds(first, rows):
        profile = TableProfile.of(first, rows)
        assert len(profile.columns) == len(first)
        assert isinstance(profile.has_header, bool)

    holds()
