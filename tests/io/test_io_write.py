"""Tables to files and back: nothing lost, and files whole or not at all."""

import csv
import datetime as dt
import decimal
import gzip
import json
import os
import stat
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
from files_to_read import as_somebody_else, read
from hypothesis import given
from hypothesis import strategies as st

from tonmf.errors import InputError, MissingExtraError, ParameterError
from tonmf.io import check_output, output_format, write_table
from tonmf.io.harmless import as_it_was, harmless
from tonmf.io.write import writing_table
from tonmf.storage.atomic import replacing

EXTENSIONS = [
    "csv",
    "tsv",
    "tab",
    "jsonl",
    "ndjson",
    "parquet",
    "pq",
    "csv.gz",
    "tsv.bz2",
    "jsonl.xz",
    "csv.zst",
    "jsonl.gz",
]

COLUMNS = {
    "id": ["a", "b"],
    "score": [0.1 + 0.2, None],
    "rank": [1, 2],
    "flagged": [True, False],
    "words": [["milk", "tea"], []],
}


@pytest.mark.parametrize("extension", EXTENSIONS)
@given(
    texts=st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")).filter(lambda text: text.strip()),
        min_size=1,
    )
)
def test_what_is_written_is_read_back(tmp_path_factory, extension, texts):
    path = str(tmp_path_factory.mktemp("back") / f"a.{extension}")
    ids = [f"row {number}" for number in range(len(texts) + 1)]
    results = {name: [""] * len(ids) for name in ("score", "outlier", "judged", "topic", "unexpected_terms")}
    write_table(path, {"id": ids, **results, "text": ["no number", *texts]})
    documents = read(path, text_column="text")
    assert documents.content == ["no number", *texts]
    assert documents.ids == ids


def test_csv_as_the_csv_module_reads_it(tmp_path):
    write_table(tmp_path / "a.csv", COLUMNS)
    with open(tmp_path / "a.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows == [
        ["id", "score", "rank", "flagged", "words"],
        ["a", "0.30000000000000004", "1", "true", "milk; tea"],
        ["b", "", "2", "false", ""],
    ]


def test_json_lines_as_the_json_module_reads_them(tmp_path):
    write_table(tmp_path / "a.jsonl", COLUMNS | {"text": ["café\n", "漢字"]})
    content = (tmp_path / "a.jsonl").read_text(encoding="utf-8")
    assert "café" in content
    rows = [json.loads(line) for line in content.splitlines()]
    assert [list(row.values()) for row in rows] == [
        ["a", 0.1 + 0.2, 1, True, ["milk", "tea"], "café\n"],
        ["b", None, 2, False, [], "漢字"],
    ]


def test_parquet_as_pyarrow_reads_it(tmp_path):
    write_table(tmp_path / "a.parquet", COLUMNS | {"nothing": [None, None]})
    table = pq.read_table(tmp_path / "a.parquet")
    assert table.to_pydict() == COLUMNS | {"nothing": [None, None]}
    assert [str(kind) for kind in table.schema.types] == [
        "string", "double", "int64", "bool", "list<element: string>", "string",
    ]  # fmt: skip


@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet"])
def test_values_of_numpy(tmp_path, extension):
    columns = {
        "i": np.array([1, 2]),
        "f": np.array([0.5, 1.5]),
        "b": np.array([True, False]),
        "s": np.array(["x", "y"]),
        "l": [np.array(["p", "q"]), np.array([])],
    }
    plain = {"i": [1, 2], "f": [0.5, 1.5], "b": [True, False], "s": ["x", "y"], "l": [["p", "q"], []]}
    for name, table in (("a", columns), ("b", plain)):
        write_table(tmp_path / f"{name}.{extension}", table)
    assert (tmp_path / f"a.{extension}").read_bytes() == (tmp_path / f"b.{extension}").read_bytes()


def test_nan_is_null_in_json(tmp_path):
    write_table(tmp_path / "a.jsonl", {"score": [float("nan"), float("inf"), 1.0]})
    assert (tmp_path / "a.jsonl").read_text() == '{"score": null}\n{"score": null}\n{"score": 1.0}\n'


def test_a_carriage_return_alone_is_quoted(tmp_path):
    write_table(tmp_path / "a.csv", {"text": ["one\rtwo"], "n": [1]})
    assert (tmp_path / "a.csv").read_bytes() == b'text,n\n"one\rtwo",1\n'


def test_an_empty_cell_in_a_single_column_is_a_row(tmp_path):
    write_table(tmp_path / "a.csv", {"text": ["one", "", None]})
    assert (tmp_path / "a.csv").read_text() == 'text\none\n""\n""\n'


def test_a_table_without_rows_has_its_header(tmp_path):
    write_table(tmp_path / "a.csv", {"id": [], "score": []})
    assert (tmp_path / "a.csv").read_text() == "id,score\n"


@pytest.mark.parametrize("extension", ["csv", "tsv", "jsonl", "parquet"])
def test_half_a_surrogate_pair_is_written_as_the_replacement_character(tmp_path, extension):
    write_table(tmp_path / f"a.{extension}", {"text": ["caf\ud800", "fine"], "words": [["\udc00"], ["x"]]})
    assert read(str(tmp_path / f"a.{extension}"), text_column="text").content == ["caf\ufffd", "fine"]


def test_the_same_table_gives_the_same_bytes_when_compressed(tmp_path):
    for name in ("a", "b"):
        write_table(tmp_path / f"{name}.csv.gz", COLUMNS)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()).startswith(b"id,score")


@pytest.mark.parametrize(
    ("name", "expected"), [("a.csv", "csv"), ("a.tab", "tsv"), ("x/a.JSONL.gz", "jsonl"), ("a.b.pq", "parquet")]
)
def test_the_format_is_that_of_the_extension(name, expected):
    assert output_format(name) == expected


@pytest.mark.parametrize("name", ["a.txt", "a", "a.gz", "a.xlsx", "a.npz", "a.parquet.gz", "csv"])
def test_other_extensions_are_refused(tmp_path, name):
    with pytest.raises(InputError) as raised:
        output_format(tmp_path / name)
    assert "expected a name that ends in .jsonl, .ndjson, .csv, .tsv, .tab, .parquet, .pq" in str(raised.value)
    with pytest.raises(InputError):
        write_table(tmp_path / name, COLUMNS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a.parquet", "a.csv.zst"])
def test_without_pyarrow_the_name_is_refused_before_the_work(monkeypatch, name):
    for module in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"^Writing .* needs pyarrow: pip install 'tonmf\[cli\]'\.$"):
        output_format(name)


def test_columns_of_different_lengths_are_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"Expected columns of one length, got a \(1\), b \(2\)\."):
        write_table(tmp_path / "a.csv", {"a": [1], "b": [1, 2]})
    with pytest.raises(ParameterError, match=r"got none\."):
        write_table(tmp_path / "a.csv", {})


def test_values_that_fit_no_column_of_parquet_are_refused(tmp_path):
    with pytest.raises(InputError, match="Column a: expected values of one type") as raised:
        write_table(tmp_path / "a.parquet", {"a": [1, "x"]})
    assert "\n" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def refusal_to_write(path):
    with pytest.raises(InputError) as raised:
        write_table(path, COLUMNS)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_a_missing_folder_is_refused(tmp_path):
    message = refusal_to_write(tmp_path / "none" / "a.csv")
    assert message.endswith("a.csv cannot be written: No such file or directory. Make the folder first.")


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path):
    (tmp_path / "a.csv").mkdir()
    assert "a.csv cannot be written: it is a folder." in refusal_to_write(tmp_path / "a.csv")


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "a").write_text("")
    assert "cannot be written: Not a directory." in refusal_to_write(tmp_path / "a" / "b.csv")


def test_a_folder_without_access_rights_is_refused():
    with as_somebody_else() as (folder, without_power):
        folder.chmod(0o555)
        with without_power():
            assert "cannot be written: Permission denied" in refusal_to_write(folder / "a.csv")
        folder.chmod(0o755)


def test_a_device_is_not_replaced():
    with pytest.raises(InputError, match="it is no ordinary file"), replacing("/dev/null"):
        pass
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_the_temporary_file_is_in_the_same_folder_with_the_same_extensions(tmp_path):
    with replacing(tmp_path / "a.csv.gz") as temporary:
        assert temporary.parent == tmp_path
        assert temporary.name.endswith(".csv.gz")
        temporary.write_text("new")
        assert not (tmp_path / "a.csv.gz").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv.gz"]


def _write_half_and_raise(path, trouble):
    path.write_text("half")
    raise trouble


@pytest.mark.parametrize("trouble", [ValueError, KeyboardInterrupt, SystemExit])
def test_whatever_goes_wrong_the_old_file_stays_and_the_temporary_one_goes(tmp_path, trouble):
    (tmp_path / "a.csv").write_text("old")
    with pytest.raises(trouble), replacing(tmp_path / "a.csv") as temporary:
        _write_half_and_raise(temporary, trouble)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == "old"


def test_a_full_disk_is_an_input_error(tmp_path):
    full = r"a\.csv cannot be written: No space left on device\. Check the path and the disk\."
    with pytest.raises(InputError, match=full), replacing(tmp_path / "a.csv"):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


class Interrupting:
    """A value at which the user presses Ctrl-C."""

    def __str__(self):
        raise KeyboardInterrupt


def test_a_table_that_is_interrupted_leaves_the_old_one(tmp_path):
    write_table(tmp_path / "a.csv.gz", {"a": [1]})
    with pytest.raises(KeyboardInterrupt):
        write_table(tmp_path / "a.csv.gz", {"a": [1, Interrupting()]})
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()) == b"a\n1\n"
    assert len(list(tmp_path.iterdir())) == 1


def test_access_rights_and_links_stay(tmp_path):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_table(link, {"a": [1]})
    assert link.is_symlink()
    assert real.read_text() == "a\n1\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_new_file_has_ordinary_access_rights(tmp_path):
    (tmp_path / "ordinary").write_text("")
    write_table(tmp_path / "a.csv", {"a": [1]})
    assert (tmp_path / "a.csv").stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def test_a_name_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("x" * 251 + ".csv")
    write_table(path, {"a": [1]})
    assert path.exists()


def test_an_output_is_refused_before_the_work_begins(tmp_path):
    (tmp_path / "in.csv").write_text("text\none\n")
    (tmp_path / "folder.csv").mkdir()
    for path, says in [
        ("", "empty"),
        (tmp_path / "none" / "a.csv", "Make the folder first"),
        (tmp_path / "folder.csv", "it is a folder"),
        (tmp_path / "a.xls", "expected a name that ends in"),
        (tmp_path / "in.csv", "is one of the files to read, and would be lost"),
    ]:
        with pytest.raises(InputError, match=says):
            check_output(path, [str(tmp_path / "in.csv"), "-"])
    check_output(tmp_path / "a.csv", [str(tmp_path / "in.csv")])
    assert sorted(os.listdir(tmp_path)) == ["folder.csv", "in.csv"]


FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "- milk", "=HYPERLINK(A1)", "'=1", "''-x"]
HARMLESS = ["", "-", "+", "=", "-3.5", "+4", "-1,5", "-.5", "-12 %", "+1e-3", "-inf", "'tis", "text", "1-1", " =1"]


@pytest.mark.parametrize("extension", ["csv", "tsv"])
def test_cells_that_a_spreadsheet_would_run_have_an_apostrophe_and_numbers_stay_numbers(tmp_path, extension):
    texts = FORMULAS + HARMLESS
    columns = {"=name": texts, "words": [[text, "more"] for text in texts], "n": [-3.5] * len(texts)}
    write_table(tmp_path / f"a.{extension}", columns)
    with open(tmp_path / f"a.{extension}", newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file, delimiter="," if extension == "csv" else "\t")
    assert names == ["'=name", "words", "n"]
    assert [row[0] for row in rows] == [f"'{text}" for text in FORMULAS] + HARMLESS
    assert [row[1][0] for row in rows[: len(FORMULAS)]] == ["'"] * len(FORMULAS)
    assert {row[2] for row in rows} == {"-3.5"}


@given(st.text(st.sampled_from("'=+-@\t\rx1.")))
def test_a_cell_that_was_made_harmless_is_known_again(text):
    cell = harmless(text)
    assert as_it_was(cell) == text
    runs = len(cell) > 1 and cell[0] in "=+-@\t\r"
    assert not runs or cell.lstrip("+-").replace(".", "").isdigit()


def test_apostrophes_of_other_tables_are_the_users_own(tmp_path):
    write_table(tmp_path / "a.csv", {"id": ["a", "b"], "text": ["=1 and more", "text"]})
    assert read(str(tmp_path / "a.csv")).content == ["'=1 and more", "text"]


@pytest.mark.parametrize("extension", ["jsonl", "parquet"])
def test_only_cells_for_spreadsheets_are_changed(tmp_path, extension):
    write_table(tmp_path / f"a.{extension}", {"id": ["a", "b"], "text": ["=1 and more", "text"]})
    assert read(str(tmp_path / f"a.{extension}")).content == ["=1 and more", "text"]


# ------------------------------------------------------------------ users' columns


MANY_TYPES = {
    "date": [dt.date(2026, 11, 16), None, dt.date(2026, 11, 17)],
    "price": [decimal.Decimal("1.50"), decimal.Decimal("-2"), None],
    "tags": [["a", "b"], [], None],
    "author": [{"name": "=x", "age": 3}, None, {"name": "y", "age": None}],
    "mixed": [1, "x", [2.5, None]],
    "empty": [{}, None, {}],
    "large": [2**70, 1, None],
    "none": [None, None, None],
    "number": [1, 2.5, float("nan")],
    "bytes": [b"caf\xc3\xa9", b"\xff", None],
}
OF_ANY_TYPE = dict.fromkeys(MANY_TYPES, "any")


def test_users_values_in_csv(tmp_path):
    write_table(tmp_path / "a.csv", MANY_TYPES, OF_ANY_TYPE)
    with open(tmp_path / "a.csv", newline="", encoding="utf-8") as file:
        first, second, third = csv.DictReader(file)
    assert list(first.values()) == [
        "2026-11-16", "1.50", '["a", "b"]', '{"name": "=x", "age": 3}', "1", "{}", str(2**70), "", "1", "café",
    ]  # fmt: skip
    assert (second["price"], second["mixed"], second["bytes"]) == ("-2", "x", "\\xff")
    assert (third["mixed"], third["number"]) == ("[2.5, null]", "nan")


def test_users_values_in_json_lines(tmp_path):
    write_table(tmp_path / "a.jsonl", MANY_TYPES, OF_ANY_TYPE)
    first, second, third = map(json.loads, (tmp_path / "a.jsonl").read_text().splitlines())
    assert first["author"] == {"name": "=x", "age": 3}
    assert (first["tags"], first["date"], first["price"], first["large"]) == (["a", "b"], "2026-11-16", "1.50", 2**70)
    assert (second["mixed"], second["empty"]) == ("x", None)
    assert (third["mixed"], third["number"]) == ([2.5, None], None)


def test_users_values_in_parquet(tmp_path):
    write_table(tmp_path / "a.parquet", MANY_TYPES, OF_ANY_TYPE)
    got = pq.read_table(tmp_path / "a.parquet").to_pydict()
    for name in ("date", "price", "tags", "author", "bytes", "none"):
        assert got[name] == MANY_TYPES[name]
    assert got["mixed"] == ["1", "x", "[2.5, null]"]
    assert got["empty"] == ["{}", None, "{}"]
    assert got["large"] == [str(2**70), "1", None]
    assert got["number"][:2] == [1.0, 2.5]


def test_types_that_only_later_rows_reveal(tmp_path):
    parts = [
        {"n": [1, 2], "a": [None], "b": [1], "c": [{"x": 1}], "d": [[]]},
        {"n": [3], "a": [2.5], "b": ["x"], "c": [{"y": "z"}], "d": [["w"]]},
    ]
    types = {"n": "whole", "a": "any", "b": "any", "c": "any", "d": "any"}
    with writing_table(tmp_path / "a.parquet", types) as write:
        for part in parts:
            write({name: values + values[:1] * (len(part["n"]) - len(values)) for name, values in part.items()})
    table = pq.read_table(tmp_path / "a.parquet")
    assert table.column("n").to_pylist() == [1, 2, 3]
    assert table.column("a").to_pylist() == [None, None, 2.5]
    assert table.column("b").to_pylist() == ["1", "1", "x"]
    assert [row["x"] for row in table.column("c").to_pylist()] == [1, 1, None]
    assert table.column("d").to_pylist() == [[], [], ["w"]]


@pytest.mark.parametrize("dates_first", [True, False])
@pytest.mark.parametrize("together", [True, False])
def test_dates_among_times_are_midnight_and_times_are_kept(tmp_path, dates_first, together):
    values = [dt.date(2026, 1, 1), None, dt.datetime(2026, 1, 2, 3, 4)]
    midnight = [dt.datetime(2026, 1, 1), None, dt.datetime(2026, 1, 2, 3, 4)]
    order = slice(None) if dates_first else slice(None, None, -1)
    with writing_table(tmp_path / "a.parquet", {"when": "any"}) as write:
        for some in [values[order]] if together else [[value] for value in values[order]]:
            write({"when": some})
    assert pq.read_table(tmp_path / "a.parquet").column("when").to_pylist() == midnight[order]
