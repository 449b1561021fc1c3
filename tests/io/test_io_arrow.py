"""Arrow and Feather files, as pyarrow writes them, and datasets that Hugging Face's library has saved.

The datasets in the folder files were written by ``save_to_disk`` of datasets 5.2. If that is installed, it writes more of them.
"""

import gzip
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pytest
from files_to_read import put, read, refusal

from tonmf.io import DocumentFiles, ReadOptions

FILES = Path(__file__).parent / "files"
TABLE = pa.table({"id": ["a", "b", "c"], "text": ["first", None, "third"], "n": [1, 2, 3]})
TIMES = [f"The committee met for the {n}th time." for n in range(5)]


def arrow_file(folder, table=TABLE, name="a.arrow", new=pa.ipc.new_file):
    with pa.OSFile(str(folder / name), "wb") as file, new(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return str(folder / name)


@pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream])
def test_files_and_streams(tmp_path, new):
    path = arrow_file(tmp_path, new=new)
    documents = read(path)
    assert documents.content == ["first", "third"]
    assert documents.ids == ["a", "c"]
    assert "1 of 3 documents in a.arrow has no text and was left out (first: a.arrow:2)." in documents.notes
    assert read(put(tmp_path, "b.arrow.gz", gzip.compress(Path(path).read_bytes()))).content == documents.content


def test_feather(tmp_path):
    pa.feather.write_feather(TABLE, str(tmp_path / "a.feather"))
    assert read(str(tmp_path / "a.feather")).content == ["first", "third"]
    message = refusal(put(tmp_path, "old.feather", b"FEA1...."))
    assert message == "old.feather is in the first version of Feather. Save it as .parquet, and read that."


def test_lists_are_baskets(tmp_path):
    path = arrow_file(tmp_path, pa.table({"items": [["milk", "bread"], ["salt"]]}))
    assert read(path).content == [["milk", "bread"], ["salt"]]


def test_a_damaged_file_is_refused(tmp_path):
    data = Path(arrow_file(tmp_path)).read_bytes()
    for content in (data[: len(data) // 2], b"no arrow", b"ARROW1\0\0"):
        message = refusal(put(tmp_path, "broken.arrow", content))
        assert message.startswith("broken.arrow: expected an Arrow or Feather file, but it cannot be read as one (")
    assert refusal(put(tmp_path, "nothing.arrow", b"")) == "nothing.arrow is empty: expected a row for each document."
    assert "is empty" in refusal(arrow_file(tmp_path, TABLE.slice(0, 0)))


def test_a_saved_dataset_is_a_table():
    documents = read(str(FILES / "dataset"), label_column="label")
    assert documents.content == [TIMES[4], TIMES[0], TIMES[2]]
    assert documents.ids == ["r4", "r0", "r2"]
    assert documents.labels == [0, 0, 0]
    assert documents.notes[0] == f"The text was taken from column 'text' of {FILES / 'dataset'}."


@pytest.mark.parametrize("spam", ["spam", "1"])
def test_classes_of_a_saved_dataset_go_by_name_or_number(spam):
    documents = read(str(FILES / "shards"), label_column="label", label_outlier=spam)
    assert documents.labels == [0, 1, 0, 1, 0]
    message = refusal(str(FILES / "shards"), label_column="label", label_outlier="eggs")
    assert message == "No document is labelled eggs (label_outlier); column 'label' holds ham, spam."


def test_the_files_of_a_saved_dataset_are_read_in_order(monkeypatch):
    monkeypatch.setattr("tonmf.text.batches.BATCH", 2)
    path = str(FILES / "shards")
    assert read(path).content == TIMES
    files = DocumentFiles([path], ReadOptions())
    for _ in range(2):
        assert [one for batch in files for one in batch.content] == TIMES
    assert len(files.fingerprint) == 3


def test_all_splits_are_read_and_one_if_it_is_given():
    documents = read(str(FILES / "splits"))
    assert documents.content == [*TIMES, *TIMES[:2]]
    assert documents.notes[-1] == "2 documents share their id with an earlier one (first: 'r0')."
    assert read(str(FILES / "splits" / "test")).content == TIMES[:2]


def test_a_damaged_dataset_is_refused(tmp_path):
    folder = tmp_path / "dataset"
    shutil.copytree(FILES / "dataset", folder)
    expected = f"{folder}: expected a dataset as save_to_disk writes it, but state.json is damaged ("
    (folder / "state.json").write_text('{"_data_files": [{"filename": "data-7.arrow"}]}')
    assert refusal(str(folder)) == f"{expected}it names data-7.arrow, which is not there). Save it again."
    (folder / "state.json").write_text("{")
    assert refusal(str(folder)).startswith(expected)
    (folder / "state.json").write_text("{}")
    assert refusal(str(folder)).startswith(expected + "it names no data files)")
    (folder / "dataset_dict.json").write_text('{"splits": ["train"]}')
    assert "cannot be read: No such file or directory" in refusal(str(folder))


def test_a_selection_saved_by_an_old_version_is_refused(tmp_path):
    folder = tmp_path / "dataset"
    shutil.copytree(FILES / "dataset", folder)
    state = (
        (folder / "state.json").read_text().replace("{", '{"_indices_data_files": [{"filename": "indices.arrow"}],', 1)
    )
    (folder / "state.json").write_text(state)
    assert refusal(str(folder)).endswith("Save dataset.flatten_indices(), and give that.")


def test_what_the_library_saves_now(tmp_path):
    datasets = pytest.importorskip("datasets")
    if not hasattr(datasets, "Dataset"):
        pytest.skip("Hugging Face's datasets is not installed")  # our own tests are in a folder of that name
    dataset = datasets.Dataset.from_dict({"text": TIMES, "n": list(range(5))})
    dataset.shuffle(seed=0).select(range(3)).save_to_disk(str(tmp_path / "some"))
    documents = read(str(tmp_path / "some"))
    assert sorted(documents.content) == sorted(dataset.shuffle(seed=0)["text"][:3])
