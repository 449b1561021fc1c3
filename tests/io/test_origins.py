"""Where documents come from: the file and the line of each."""

import json
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq

from tonmf.io import ReadOptions, read_documents


def origins(paths, **options):
    documents = read_documents([str(path) for path in paths], ReadOptions(**options))
    return [tuple(documents.origins[row]) for row in range(len(documents.ids))]


def test_documents_of_lines_and_rows_have_the_lines_on_which_they_begin(tmp_path):
    lines, objects, table = (tmp_path / name for name in ("a.txt", "b.jsonl", "c.csv"))
    lines.write_text("one\n\n  \nfour words are here\n")
    objects.write_text("\n" + json.dumps({"text": "x y"}) + "\n" + json.dumps({"text": "z"}) + "\n")
    table.write_text('id,text\n1,"a\nb\nc"\n2,d\n3,\n4,e\n')
    assert origins([lines]) == [(str(lines), 1), (str(lines), 4)]
    assert origins([objects]) == [(str(objects), 2), (str(objects), 3)]
    assert origins([table]) == [(str(table), 2), (str(table), 5), (str(table), 7)]
    found = origins([objects, table], text_column=("text",))
    assert found == [*origins([objects]), *origins([table])]


def test_documents_that_are_left_out_do_not_shift_the_others(tmp_path):
    lines = tmp_path / "a.txt"
    lines.write_text("one\ntwo words\nthree\nfour more words\n")
    assert origins([lines], min_words=2) == [(str(lines), 2), (str(lines), 4)]


def test_files_without_lines_have_paths_only(tmp_path):
    folder, table, archive = tmp_path / "folder", tmp_path / "t.parquet", tmp_path / "z.zip"
    (folder / "in").mkdir(parents=True)
    for name in ("b.txt", "in/a.txt"):
        (folder / name).write_text("some text\nof two lines")
    pq.write_table(pa.table({"text": ["a b", "c d"]}), table)
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("one.md", "some words")
        file.writestr("two.md", "other words")
    assert origins([folder]) == [(str(folder / "b.txt"), None), (str(folder / "in" / "a.txt"), None)]
    assert origins([table]) == [(str(table), None)] * 2
    assert origins([archive]) == [(str(archive), None)] * 2
