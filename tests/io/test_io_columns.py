"""Which column is taken for the text and which for the ids, in tables and JSON lines alike."""

import json
from datetime import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from files_to_read import put, read, refusal

from tonmf.errors import ParameterError
from tonmf.stream.times import time_text
from tonmf.text.documents import ITEMS


def as_csv(folder, name, columns, delimiter=","):
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    quoted = [['"' + ("" if cell is None else str(cell)).replace('"', '""') + '"' for cell in row] for row in rows]
    return put(folder, name, "".join(delimiter.join(row) + "\n" for row in quoted))


def as_tsv(folder, name, columns):
    return as_csv(folder, name, columns, "\t")


def as_jsonl(folder, name, columns):
    rows = zip(*columns.values(), strict=True)
    return put(folder, name, "".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows))


def as_parquet(folder, name, columns):
    path = folder / name
    pq.write_table(pa.table(columns), path)
    return str(path)


@pytest.fixture(params=["csv", "tsv", "jsonl", "parquet"])
def table(request, tmp_path):
    """Writes columns to a file of one format, and returns its path."""
    write = {"csv": as_csv, "tsv": as_tsv, "jsonl": as_jsonl, "parquet": as_parquet}[request.param]
    return lambda columns, name="a": write(tmp_path, f"{name}.{request.param}", columns)


def text_column_of(documents):
    return documents.notes[0].removeprefix("The text was taken from column '").partition("'")[0]


def test_the_only_column_of_text(table):
    assert text_column_of(read(table({"n": [1, 2], "words": ["one", "two"], "x": [0.5, None]}))) == "words"


def test_a_column_with_the_name_of_text(table):
    path = table({"title": ["one", "two"], "Body": ["a longer one", "or two"], "author": ["me", "you"]})
    assert text_column_of(read(path)) == "Body"


def test_of_several_such_names_the_surest(table):
    columns = {"comment": ["a", "b"], "review": ["c", "d"], "text": ["e", "f"]}
    assert text_column_of(read(table(columns))) == "text"


def test_a_column_that_is_much_longer(table):
    columns = {"headline": ["five words", "four"], "story": ["a long story " * 5, "another story " * 5]}
    assert text_column_of(read(table(columns))) == "story"


def test_columns_that_could_all_be_it_are_named(table):
    message = refusal(table({"title": ["one", "two"], "story": ["three", "four"]}))
    assert message.endswith("several columns may hold the text: title, story. Give text_column.")


def test_no_column_of_text_is_refused_with_what_there_is(table):
    message = refusal(table({"n": [1, 2], "price": [0.5, 1.5]}))
    assert message.endswith("expected a column of text, found n (numbers), price (numbers). Give text_column.")


def test_the_column_that_is_given(table):
    documents = read(table({"title": ["one", "two"], "text": ["three", "four"]}), text_column="title")
    assert documents.content == ["one", "two"]
    assert documents.notes == []


def test_a_column_that_is_not_there_is_refused_with_those_that_are(table):
    path = table({"title": ["one", "two"], "text": ["three", "four"]})
    assert refusal(path, text_column="body").endswith("has no column 'body' (text_column); it has title, text.")
    assert refusal(path, id_column="key").endswith("has no column 'key' (id_column); it has title, text.")


def test_a_column_of_numbers_is_refused_with_those_of_text(table):
    message = refusal(table({"n": [17, 18], "words": ["one", "two"]}), text_column="n")
    assert "expected text in column 'n', but it holds numbers, such as " in message
    assert "17" in message
    assert message.endswith("Give text_column, one of words.")


@pytest.mark.parametrize("number", ["1", "-2.5", "1e-3", "1,234.5", "12%", "NaN", "+.5", "3."])
def test_numbers_in_a_table_of_strings(tmp_path, number):
    assert "it holds numbers" in refusal(
        as_csv(tmp_path, "a.csv", {"x": [number, ""], "y": ["a", "b"]}), text_column="x"
    )


@pytest.mark.parametrize("text", ["1 apple", "3-4", "...", "-", "1" * 50])
def test_what_is_no_number(tmp_path, text):
    assert read(as_csv(tmp_path, "a.csv", {"x": [text, "2"], "y": ["a", "b"]}), text_column="x").content == [text, "2"]


def test_a_column_called_id_gives_the_ids(table):
    documents = read(table({"ID": ["x", "y"], "text": ["one", "two"]}))
    assert documents.ids == ["x", "y"]
    assert documents.notes[1].startswith("The ids were taken from column 'ID' of a.")


def test_numbers_can_be_ids(table):
    assert read(table({"id": [7, 8], "text": ["one", "two"]})).ids == ["7", "8"]


def test_an_id_column_that_is_given(table):
    assert read(table({"id": ["x", "y"], "key": ["k1", "k2"], "text": ["one", "two"]}), id_column="key").ids == [
        "k1",
        "k2",
    ]


def test_an_id_column_without_values_is_not_used(table):
    documents = read(table({"id": [None, None], "text": ["one", "two"]}))
    assert all(document_id.startswith("a.") for document_id in documents.ids)
    assert len(documents.notes) == 1


def test_a_missing_id_gives_way_to_the_place(table):
    path = table({"id": ["x", None], "text": ["one", "two"]})
    row = 3 if path.endswith("sv") else 2
    assert read(path).ids == ["x", f"{path.rpartition('/')[2]}:{row}"]


def test_ids_are_no_text_where_there_is_another_column(table):
    assert text_column_of(read(table({"id": ["x-1", "y-2"], "words": ["one", "two"]}))) == "words"


def test_a_column_called_id_may_hold_the_text(table):
    documents = read(table({"id": ["one text", "two texts"], "n": [1, 2]}))
    assert documents.content == ["one text", "two texts"]
    assert documents.ids[0].startswith("a.")


def test_ids_that_occur_twice_are_kept_and_noted(table):
    documents = read(table({"id": ["x", "y", "x", "x"], "text": ["1 a", "2 b", "3 c", "4 d"]}))
    assert documents.ids == ["x", "y", "x", "x"]
    assert documents.notes[-1] == "2 documents share their id with an earlier one (first: 'x')."


def test_missing_texts_are_left_out_and_counted(table):
    documents = read(table({"text": ["one", None, " ", "two"], "n": [1, 2, 3, 4]}))
    assert documents.content == ["one", "two"]
    assert "2 of 4 documents in a." in documents.notes[-1]


def test_the_choice_of_the_first_file_holds_for_all(table):
    one = table({"title": ["a", "b"], "text": ["one", "two"]}, "1")
    two = table({"text": ["three", "four"], "story": ["c", "d"]}, "2")
    documents = read(one, two)
    assert documents.content == ["one", "two", "three", "four"]
    assert len(documents.notes) == 1


def test_a_file_without_the_column_of_the_first_is_refused(table):
    message = refusal(table({"words": ["one", "two"]}, "1"), table({"story": ["three", "four"]}, "2"))
    assert message.startswith("2.")
    assert "has no column 'words', which holds the text in 1." in message
    assert "it has story." in message


def test_text_and_id_must_differ(tmp_path):
    path = as_csv(tmp_path, "a.csv", {"text": ["one"]})
    assert "must differ" in refusal(path, text_column="text", id_column="text", error=ParameterError)


def test_lists_beside_a_column_of_text_make_a_choice(tmp_path):
    path = put(tmp_path, "a.jsonl", '{"tags": ["a", "b"], "customer": "Ann"}\n{"tags": ["c"], "customer": "Bob"}\n')
    assert "several columns may hold the text: tags, customer" in refusal(path)
    assert read(path, text_column="tags").content == [["a", "b"], ["c"]]


def test_ids_are_not_taken_for_the_text_where_there_are_lists(tmp_path):
    path = put(tmp_path, "a.jsonl", '{"id": "x1", "tags": ["a", "b"]}\n{"id": "x2", "tags": ["c"]}\n')
    found = read(path)
    assert (found.kind, found.ids) == (ITEMS, ["x1", "x2"])


def test_an_id_column_that_holds_no_ids_is_refused(tmp_path):
    path = put(tmp_path, "a.jsonl", '{"key": [1], "text": "one"}\n{"key": [2], "text": "two"}\n')
    assert "it holds neither strings nor numbers" in refusal(path, id_column="key")


def test_labels_are_read_from_the_column_that_the_user_names(table):
    path = table({"id": ["a", "b", "c"], "text": ["one text", "another text", ""], "strange": ["yes", "0", "1"]})
    documents = read(path, label_column="strange")
    assert (documents.ids, documents.labels) == (["a", "b"], [1, 0])
    assert read(path).labels is None


def test_numbers_and_booleans_are_labels_too(tmp_path):
    texts = ["one text", "another text", "a third"]
    for name, labels in (("numbers", [1, 0, 1]), ("floats", [1.0, 0.0, 1.0]), ("booleans", [True, False, True])):
        for write, extension in ((as_parquet, "parquet"), (as_jsonl, "jsonl"), (as_csv, "csv")):
            path = write(tmp_path, f"{name}.{extension}", {"text": texts, "label": labels})
            assert read(path, label_column="label").labels == [1, 0, 1]


def test_a_label_that_says_nothing_is_refused_or_left_out(table):
    path = table({"text": ["one text", "another text", "a third"], "label": ["1", "maybe", "0"]})
    assert "expected a label such as 1 or 0 (label_column), got 'maybe'" in refusal(path, label_column="label")
    documents = read(path, label_column="label", skip_bad=True)
    assert documents.labels == [1, 0]
    assert documents.content == ["one text", "a third"]
    assert "(first:" in documents.notes[-1]


def test_labels_stay_with_their_documents_where_short_ones_are_left_out(table):
    path = table({"text": ["one two three", "short", "four five six"], "label": ["1", "1", "0"]})
    assert read(path, label_column="label", min_words=3).labels == [1, 0]


def test_a_label_column_needs_columns_and_must_be_there(table, tmp_path):
    path = table({"text": ["one text", "another text"], "label": ["1", "0"]})
    assert "has no column 'other' (label_column)" in refusal(path, label_column="other")
    message = refusal(put(tmp_path, "a.txt", "one\ntwo\n"), error=ParameterError, label_column="label")
    assert "label_column 'label' needs files with columns" in message
    both = refusal(path, error=ParameterError, label_column="text", text_column="text")
    assert both == "text_column and label_column must differ; both are 'text'."


def test_times_are_read_from_the_column_that_the_user_names(table):
    dates = ["1970-01-01 00:01:40", "01-JAN-1970 00:03:20.50", "250"]
    path = table({"text": ["one text", "another text", "a third"], "date": dates})
    documents = read(path, time_column="date")
    assert documents.times == [100.0, 200.5, 250.0]
    assert read(path).times is None


def test_times_of_parquet_files_may_be_of_its_own_type(tmp_path):
    texts, times = ["one text", "another text"], [datetime(1970, 1, 1, 0, 1), datetime(1970, 1, 2)]
    path = as_parquet(tmp_path, "a.parquet", {"text": texts, "when": times})
    assert read(path, time_column="when").times == [60.0, 86400.0]


def test_a_time_that_cannot_be_read_is_refused_or_left_out(table):
    path = table({"text": ["one text", "another text", "a third"], "date": ["1987-02-26", "whenever", "1987-02-27"]})
    message = refusal(path, time_column="date")
    assert "expected a time such as 1987-10-19 15:01" in message
    assert "(time_column), got 'whenever'" in message
    documents = read(path, time_column="date", skip_bad=True)
    assert [time_text(seconds)[:10] for seconds in documents.times] == ["1987-02-26", "1987-02-27"]


def test_times_with_and_without_a_zone_are_refused_together(table):
    path = table(
        {"id": ["a", "b"], "text": ["one text", "another text"], "date": ["1987-02-26T10:00Z", "1987-02-26T10:00"]}
    )
    assert "The time of a has a zone, that of b has none" in refusal(path, time_column="date")


def test_times_stay_with_their_documents_where_short_ones_are_left_out(table):
    path = table({"text": ["one two three", "short", "four five six"], "date": ["10", "20", "30"]})
    assert read(path, time_column="date", min_words=3).times == [10.0, 30.0]


def test_several_columns_make_one_text(table):
    path = table({"title": ["One", "Two", None], "n": [1, 2, 3], "body": ["first", None, None]})
    documents = read(path, text_column=["title", "body"])
    assert documents.content == ["One\nfirst", "Two"]
    assert "1 of 3 documents" in documents.notes[-1]
    assert read(path, text_column=("body", "title")).content == ["first\nOne", "Two"]
    assert refusal(path, text_column=["title", "text"]).endswith(
        "has no column 'text' (text_column); it has title, n, body."
    )
    assert "expected text in column 'n'" in refusal(path, text_column=["title", "n"])


def test_several_columns_of_lists_make_one_basket(tmp_path):
    path = as_parquet(
        tmp_path, "a.parquet", {"fruit": [["apple"], []], "drinks": [["milk"], ["tea"]], "who": ["A", "B"]}
    )
    assert read(path, text_column=["fruit", "drinks"]).content == [["apple", "milk"], ["tea"]]
    assert "some hold texts and some lists" in refusal(path, text_column=["fruit", "who"])


def test_a_column_cannot_be_text_twice(tmp_path):
    path = as_csv(tmp_path, "a.csv", {"text": ["one"]})
    assert refusal(path, text_column=["text", "text"], error=ParameterError) == (
        "text_column names 'text' twice. Name each column once."
    )


def test_labels_in_words(table):
    path = table({"class": ["ham", "Spam", "ham", "junk"], "text": ["a b", "c d", "e f", "g h"]})
    assert read(path, label_column="class", label_outlier="spam").labels == [0, 1, 0, 0]
    assert read(path, label_column="class", label_outlier=["spam", "junk"]).labels == [0, 1, 0, 1]
    assert "got 'ham'; for labels in words, name those of outliers (label_outlier)" in refusal(
        path, label_column="class"
    )
    assert refusal(path, label_column="class", label_outlier="ad") == (
        "No document is labelled ad (label_outlier); column 'class' holds ham, Spam, junk."
    )
    assert refusal(path, label_outlier="spam", error=ParameterError) == (
        "label_outlier has no effect without label_column. Give both, or leave it out."
    )


def test_a_document_without_a_label_is_read_and_noted(table):
    path = table({"class": ["ham", None, "spam"], "text": ["a b", "c d", "e f"]})
    documents = read(path, label_column="class", label_outlier="spam")
    assert (documents.labels, documents.content) == ([0, None, 1], ["a b", "c d", "e f"])
    assert "1 of 3 documents in" in documents.notes[-1]
    assert "has no label and counts neither as outliers nor as ordinary (first:" in documents.notes[-1]
    path = table({"class": ["1", "", "0", None], "text": ["a b", "c d", "e f", "g h"]})
    assert read(path, label_column="class").labels == [1, None, 0, None]


def test_a_column_without_any_label_is_refused(table):
    path = table({"class": [None, ""], "text": ["a b", "c d"]})
    assert refusal(path, label_column="class") == "No document has a label: column 'class' (label_column) is empty."
