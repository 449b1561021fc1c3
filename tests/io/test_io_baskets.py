"""Baskets: what separates their items, and tables that are baskets."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from files_to_read import put, read, refusal
from hypothesis import given, settings
from hypothesis import strategies as st

from tonmf.errors import ParameterError
from tonmf.io import DocumentFiles
from tonmf.text.documents import ITEMS, TEXTS

GROCERIES = """citrus fruit,semi-finished bread,margarine,ready soups
tropical fruit,yogurt,coffee
whole milk
pip fruit,yogurt,cream cheese ,meat spreads
other vegetables,whole milk,condensed milk,long life bakery product
whole milk,butter,yogurt,rice,abrasive cleaner
rolls/buns
other vegetables,UHT-milk,rolls/buns,bottled beer,liquor (appetizer)
pot plants
whole milk,cereals
tropical fruit,other vegetables,white bread,bottled water,chocolate
citrus fruit,tropical fruit,whole milk,butter,curd,yogurt,flour,bottled water,dishes
beef
frankfurter,rolls/buns,soda
chicken,tropical fruit
butter,sugar,fruit/vegetable juice,newspapers
fruit/vegetable juice
packaged fruit/vegetables
chocolate
specialty bar
other vegetables
butter milk,pastry
whole milk
tropical fruit,cream cheese ,processed cheese,detergent,newspapers
"""

BASKETS = [[item.strip() for item in line.split(",")] for line in GROCERIES.splitlines()]


def test_groceries_are_baskets_without_further_ado(tmp_path):
    path = put(tmp_path, "groceries.csv", GROCERIES)
    documents = read(path)
    assert (documents.kind, documents.content) == (ITEMS, BASKETS)
    assert documents.ids[0] == "groceries.csv:1"
    (note,) = documents.notes
    assert note == (
        "groceries.csv was read as baskets, with commas between the items, since its columns hold the same things; if it is a "
        "table, give format='csv'."
    )
    files = DocumentFiles([path])
    assert [basket for batch in files for basket in batch.content] == BASKETS
    assert files.notes == documents.notes


def test_baskets_that_are_filled_up_with_empty_cells(tmp_path):
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows([basket + [""] * (9 - len(basket)) for basket in BASKETS])
    assert read(put(tmp_path, "a.csv", buffer.getvalue())).content == BASKETS


def test_the_format_can_be_given(tmp_path):
    path = put(tmp_path, "groceries.csv", GROCERIES)
    documents = read(path, format="baskets")
    assert documents.content == BASKETS
    assert documents.notes == [
        "groceries.csv has commas between its items, and was read that way; if that is wrong, give separator."
    ]
    assert "cells, expected" in refusal(path, format="csv")


@pytest.mark.parametrize(
    ("separator", "given_as"),
    [(",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "bar"), (" & ", " & "), ("\t", "\\t"), (",", ",")],
)
def test_a_separator_that_is_given(tmp_path, separator, given_as):
    path = put(tmp_path, "a.dat", "\n".join(separator.join(basket) for basket in BASKETS))
    documents = read(path, separator=given_as)
    assert (documents.content, documents.notes) == (BASKETS, [])


@pytest.mark.parametrize(("separator", "called"), [(",", "commas"), (";", "semicolons"), ("\t", "tabs"), ("|", "bars")])
def test_a_separator_that_is_seen(tmp_path, separator, called):
    path = put(tmp_path, "a.dat", "\n".join(separator.join(basket) for basket in BASKETS))
    documents = read(path)
    assert documents.content == BASKETS
    assert f"has {called} between its items" in documents.notes[0]


@pytest.mark.parametrize("space", [" ", "\t", " \t"])
def test_white_space_between_numbers(tmp_path, space):
    baskets = [["32", "41", "59"], ["30"], ["31", "32"]]
    documents = read(put(tmp_path, "retail.dat", "\n".join(space.join(basket) for basket in baskets)))
    assert documents.content == baskets
    assert read(put(tmp_path, "a.dat", "a,b c\nd"), separator="space").content == [["a,b", "c"], ["d"]]


def test_spaces_around_items_and_empty_items_are_none(tmp_path):
    assert read(put(tmp_path, "a.dat", "beef, grapes,, detergent\nbeef,\n,\n")).content == [
        ["beef", "grapes", "detergent"],
        ["beef"],
    ]


def test_quotes_around_an_item_that_holds_the_separator(tmp_path):
    path = put(tmp_path, "a.dat", '"milk, skimmed",bread\n24" screen,"cable\nbread,cable\n')
    assert read(path).content == [["milk, skimmed", "bread"], ['24" screen', '"cable'], ["bread", "cable"]]


def test_a_header_above_baskets_is_dropped_if_the_user_says_so(tmp_path):
    path = put(tmp_path, "a.csv", "basket\n" + GROCERIES)
    assert read(path, header=True).content == BASKETS
    assert read(put(tmp_path, "a.dat", "basket\n" + GROCERIES), header=True).content == BASKETS


@pytest.mark.parametrize("separator", [",", ";", "|", "\t"])
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_baskets_are_known_by_many_lines_where_the_first_has_one_item(tmp_path, ending, separator):
    baskets = [["whole milk"], *BASKETS]
    path = put(tmp_path, f"a.{ending}", "\n".join(map(separator.join, baskets)))
    documents = read(path)
    assert (documents.kind, documents.content) == (ITEMS, baskets)
    assert len(documents.notes) == 1
    assert [basket for batch in DocumentFiles([path]) for basket in batch.content] == baskets


def test_a_later_file_may_have_another_separator(tmp_path):
    one, two = put(tmp_path, "1.csv", GROCERIES), put(tmp_path, "2.csv", "beef\nbeef;soda\n")
    assert read(one, two).content == [*BASKETS, ["beef"], ["beef", "soda"]]


def padded(*leading):
    """Rows of baskets filled up with empty cells, after the cells that a function of number and basket gives."""
    rows = [[*(lead(number, basket) for lead in leading), *basket] for number, basket in enumerate(BASKETS)]
    width = max(map(len, rows))
    return [row + [""] * (width - len(row)) for row in rows]


def as_csv(rows, **options):
    buffer = io.StringIO(newline="")
    csv.writer(buffer, **options).writerows(rows)
    return buffer.getvalue()


@pytest.mark.parametrize("header", [None, True])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_padded_baskets_below_numbered_names_and_beside_their_number(tmp_path, delimiter, header):
    names = ["Item(s)", *(f"Item {number}" for number in range(1, 10))]
    path = put(tmp_path, "a.csv", as_csv([names, *padded(lambda _, basket: len(basket))], delimiter=delimiter))
    documents = read(path, header=header)
    assert (documents.kind, documents.content) == (ITEMS, BASKETS)
    assert documents.ids[0] == "a.csv:2"
    assert documents.notes[-1] == "The first column of a.csv holds the number of items, and was left out."
    told = [
        note for note in documents.notes if "was taken for the names of the columns; if it is a basket, give" in note
    ]
    assert len(told) == (header is None)
    assert read(path, format="baskets").content == BASKETS


@pytest.mark.filterwarnings("ignore:Constructing a DataFrame from a list of sequences")
@pytest.mark.parametrize("index", [True, False])
def test_baskets_that_pandas_wrote(tmp_path, index):
    pd.DataFrame(BASKETS).to_csv(tmp_path / "a.csv", index=index)
    documents = read(str(tmp_path / "a.csv"))
    assert documents.content == BASKETS
    assert documents.ids[:2] == (["0", "1"] if index else ["a.csv:2", "a.csv:3"])


@pytest.mark.parametrize("names", ["Items", "TID,Items", "Transaction ID,Item(s)", "basket"])
def test_usual_names_above_baskets_are_no_basket(tmp_path, names):
    with_ids = "," in names
    rows = [f"{100 + number},{line}" if with_ids else line for number, line in enumerate(GROCERIES.splitlines())]
    documents = read(put(tmp_path, "a.csv", "\n".join([names, *rows])))
    assert documents.content == BASKETS
    assert documents.ids[0] == ("100" if with_ids else "a.csv:2")
    assert f"The first row of a.csv, '{names.replace(',', ', ')}', was taken for the names" in documents.notes[1]


def test_the_user_may_say_that_usual_names_are_items(tmp_path):
    assert read(put(tmp_path, "a.csv", f"Items\n{GROCERIES}"), header=False).content == [["Items"], *BASKETS]


def test_numbers_are_items_among_numbers(tmp_path):
    path = put(tmp_path, "a.dat", "0 1 2\n3 7\n4 8 9\n5 1\n")
    assert read(path).content == [["0", "1", "2"], ["3", "7"], ["4", "8", "9"], ["5", "1"]]


def test_the_first_file_decides_for_all(tmp_path):
    one = put(tmp_path, "1.csv", GROCERIES)
    two = put(tmp_path, "2.csv", "beef,soda\nwhole milk\n")
    assert read(one, two).content == [*BASKETS, ["beef", "soda"], ["whole milk"]]


TABLES = {
    "short texts": "id,class,text\n" + "".join(f"{n},ham,some text of {n}\n" for n in range(20)),
    "empty last cells": "id,name,note\n" + "".join(f"{n},Ann,{'' if n % 2 else 'late'}\n" for n in range(20)),
    "tags": "id,tags\n" + "1,red;green;blue\n2,red\n3,green;red\n4,blue;green\n" * 5,
    "answers": "q1,q2,text\n" + "yes,no,a word or two\nno,no,a word more\n" * 10,
}


@pytest.mark.parametrize("table", TABLES)
def test_tables_are_no_baskets(tmp_path, table):
    documents = read(put(tmp_path, "a.csv", TABLES[table]))
    assert documents.kind == TEXTS
    assert len(documents.content) in (10, 20)


def test_tables_of_numbers_and_tables_with_rows_cut_short_are_no_baskets(tmp_path):
    rows = "x1,2001-01-02,2003-04-05\nx2,2001-01-02,2001-01-02,2003-04-05\n" * 10
    message = refusal(put(tmp_path, "a.csv", f"code,name,since,until\n{rows}"))
    assert "row 2: 3 cells, expected 4" in message
    assert "expected a column of text" in refusal(put(tmp_path, "b.csv", "1,2,3\n2,3,1\n3,2,2\n" * 10))


def test_numbered_questions_are_no_baskets(tmp_path):
    path = put(tmp_path, "a.csv", "q1,q2,q3\n" + "yes,no,yes\nno,yes,yes\n" * 10)
    assert "several columns may hold the text: q1, q2, q3" in refusal(path)


def test_texts_with_commas_that_lack_quotes_are_refused_as_ever(tmp_path):
    draw = np.random.default_rng(0)
    words = ["market", "plane", "school", "river", "team", "early", "often", "built", "said", "near"]
    texts = [", ".join(" ".join(draw.choice(words, 7)) for _ in range(draw.integers(1, 5))) for _ in range(40)]
    message = refusal(put(tmp_path, "a.csv", "id,text\n" + "".join(f"{n},{text}\n" for n, text in enumerate(texts))))
    assert "cells, expected 2" in message


def test_a_separator_of_cells(tmp_path):
    path = put(tmp_path, "a.csv", "id^text\n1^one, two; three\n2^four, five\n")
    assert read(path, separator="^").content == ["one, two; three", "four, five"]
    assert refusal(path, separator="::", error=ParameterError) == (
        "separator must be one character in a csv file; got '::'."
    )


ITEM = st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=8)


@settings(max_examples=60)
@given(
    st.lists(
        st.lists(st.lists(ITEM, min_size=1, max_size=2).map(" ".join), min_size=2, max_size=6), min_size=1, max_size=20
    )
)
def test_no_basket_is_lost_and_no_item(tmp_path_factory, baskets):
    folder = tmp_path_factory.mktemp("a")
    for separator in (",", ";", "|"):
        path = put(folder, "a.dat", "\n".join(separator.join(basket) for basket in baskets))
        assert read(path).content == baskets
