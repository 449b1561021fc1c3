"""Which files are meant, and what their bytes are: paths, patterns, folders, standard input, compression."""

import bz2
import gzip
import io
import lzma
import os
import sys

import pyarrow as pa
import pytest
from files_to_read import as_somebody_else, put, read, refusal

from tonmf.errors import MissingExtraError, ParameterError
from tonmf.io import FORMATS
from tonmf.text.documents import ITEMS, TEXTS


def zstd(data):
    return pa.compress(data, "zstd", asbytes=True)


def test_a_text_file_is_a_document_a_line(tmp_path):
    documents = read(put(tmp_path, "notes.txt", "first\nsecond\n"))
    assert documents.kind == TEXTS
    assert documents.content == ["first", "second"]
    assert documents.ids == ["notes.txt:1", "notes.txt:2"]
    assert documents.terms is None
    assert documents.notes == []


@pytest.mark.parametrize("name", ["a.text", "a.log", "A.TXT"])
def test_other_extensions_of_lines(tmp_path, name):
    assert read(put(tmp_path, name, "first\nsecond")).content == ["first", "second"]


def test_blank_lines_are_left_out_and_counted(tmp_path):
    documents = read(put(tmp_path, "notes.txt", "first\n\n \t\nfourth\n"))
    assert documents.ids == ["notes.txt:1", "notes.txt:4"]
    assert documents.notes == ["2 of 4 documents in notes.txt have no text and were left out (first: notes.txt:2)."]


def test_baskets_are_items_by_white_space(tmp_path):
    documents = read(put(tmp_path, "retail.dat", "1 2 3 \n\n4\t5\n"))
    assert documents.kind == ITEMS
    assert documents.content == [["1", "2", "3"], ["4", "5"]]
    assert documents.notes == ["1 of 3 documents in retail.dat has no items and was left out (first: retail.dat:2)."]


def test_an_unknown_extension_is_refused_with_the_formats_there_are(tmp_path):
    message = refusal(put(tmp_path, "a.xyz", "text"))
    assert "the extension .xyz is not known. Give format, one of " in message
    assert all(name in message for name in FORMATS)
    assert "the name has no extension" in refusal(put(tmp_path, "readme", "text"))


def test_a_given_format_overrules_the_extension(tmp_path):
    assert read(put(tmp_path, "a.dat", "a text\n"), format="lines").content == ["a text"]


def test_an_unknown_format_is_refused(tmp_path):
    message = refusal(put(tmp_path, "a.txt", "text"), format="xml", error=ParameterError)
    assert message.startswith("format must be one of lines, files,")
    assert message.endswith("got 'xml'.")


every_compression = pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress), (".zst", zstd)]
)


@every_compression
def test_compressed_files_have_the_format_of_the_name_before(tmp_path, suffix, compress):
    path = put(tmp_path, f"a.jsonl{suffix}", compress(b'{"text": "one"}\n{"text": "two"}\n'))
    documents = read(path)
    assert documents.content == ["one", "two"]
    assert documents.ids == [f"a.jsonl{suffix}:1", f"a.jsonl{suffix}:2"]


@every_compression
def test_the_bytes_tell_without_the_extension(tmp_path, suffix, compress):
    assert read(put(tmp_path, "a.txt", compress(b"one\ntwo\n"))).content == ["one", "two"]


@every_compression
def test_standard_input_may_be_compressed(suffix, compress):
    assert read("-", stdin=io.BytesIO(compress(b"one\ntwo\n"))).content == ["one", "two"]


@every_compression
@pytest.mark.parametrize("form", ["lines", "csv", "jsonl", "parquet", "matrix", "files"])
def test_data_that_is_cut_short_is_refused(tmp_path, suffix, compress, form):
    rows = b'{"text": "words"}\n' if form == "jsonl" else b"some words,1\n"
    data = compress(rows * 50_000 + os.urandom(200_000).hex().encode())
    path = put(tmp_path, f"a.txt{suffix}", data[: len(data) // 2])
    message = refusal(path, format=form, skip_bad=True)
    assert message.startswith(f"a.txt{suffix}: its ")
    assert "data is damaged or cut short" in message


@every_compression
def test_an_extension_that_lies_is_refused(tmp_path, suffix, compress):
    message = refusal(put(tmp_path, f"a.txt{suffix}", "plain text"))
    assert message.startswith(f"a.txt{suffix}: expected ")
    assert f"data, by the extension {suffix}, but it starts differently" in message


def test_gzip_in_several_members_is_read_to_the_end(tmp_path):
    path = put(tmp_path, "a.txt.gz", gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    assert read(path).content == ["one", "two"]


def test_a_text_that_starts_like_bzip2_is_a_text(tmp_path):
    assert read(put(tmp_path, "a.txt", "BZh is a word here\n")).content == ["BZh is a word here"]


def test_a_missing_file_is_refused(tmp_path):
    message = refusal(str(tmp_path / "nothing.txt"))
    assert message.endswith("nothing.txt cannot be read: No such file or directory. Check the name.")


def test_a_dangling_link_is_refused(tmp_path):
    (tmp_path / "link.txt").symlink_to(tmp_path / "nowhere.txt")
    assert "link.txt cannot be read: No such file" in refusal(str(tmp_path / "link.txt"))


def test_a_path_through_a_file_is_refused(tmp_path):
    path = put(tmp_path, "a.txt", "text")
    assert "cannot be read: Not a directory. Check the path" in refusal(f"{path}/b.txt")


def test_a_path_with_a_nul_is_refused():
    assert "cannot be read: " in refusal("a\0b.txt")


def test_a_file_without_access_rights_is_refused():
    with as_somebody_else() as (folder, without_power):
        path = put(folder, "a.txt", "text")
        os.chmod(path, 0)
        with without_power():
            assert "cannot be read: Permission denied. Check the access rights." in refusal(path)


def test_no_path_is_refused():
    assert refusal().startswith("Expected files to read, got none.")


@pytest.mark.parametrize(
    ("name", "says"), [("a.7z", "Unpack it"), ("a.pkl", "as .parquet"), ("a.docx", "into plain text")]
)
def test_files_that_are_often_met_are_refused_with_what_to_do(tmp_path, name, says):
    message = refusal(put(tmp_path, name, "text"))
    assert "files are not read" in message
    assert says in message


def test_the_same_file_by_another_name_is_read_once(tmp_path, monkeypatch):
    put(tmp_path, "a.txt", "one\n")
    monkeypatch.chdir(tmp_path)
    assert read("a.txt", "./a.txt", str(tmp_path / "a.txt")).content == ["one"]


def test_many_files_with_documents_without_text_have_one_note(tmp_path):
    for number in range(5):
        put(tmp_path, f"{number}.txt", "one\n\ntwo\n")
    notes = read(str(tmp_path / "*.txt")).notes
    assert notes == ["5 of 15 documents have no text and were left out, in 5 files (first: 0.txt:2)."]


def test_patterns_are_expanded_in_order_of_name(tmp_path):
    put(tmp_path, "b.txt", "from b\n")
    put(tmp_path, "a.txt", "from a\n")
    put(tmp_path, "c.csv", "text\nfrom c\n")
    assert read(str(tmp_path / "*.txt")).content == ["from a", "from b"]


def test_two_stars_reach_into_folders(tmp_path):
    put(tmp_path, "x/deep/a.txt", "deep\n")
    put(tmp_path, "b.txt", "above\n")
    assert read(str(tmp_path / "**" / "*.txt")).content == ["above", "deep"]
    assert read(str(tmp_path / "**")).content == ["above", "deep"]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path):
    put(tmp_path, "a1.txt", "matches\n")
    assert read(put(tmp_path, "a[1].txt", "is\n")).content == ["is"]


def test_a_pattern_that_matches_nothing_is_refused(tmp_path):
    assert "expected files that match this pattern, found none" in refusal(str(tmp_path / "*.txt"))


def test_a_file_named_twice_is_read_once(tmp_path):
    path = put(tmp_path, "a.txt", "once\n")
    assert read(path, str(tmp_path / "*.txt")).content == ["once"]


def test_files_of_one_name_go_by_their_path(tmp_path):
    one, two, other = put(tmp_path, "x/a.txt", "1\n"), put(tmp_path, "y/a.txt", "2\n"), put(tmp_path, "b.txt", "3\n")
    assert read(one, two, other).ids == [f"{one}:1", f"{two}:1", "b.txt:1"]


def test_inputs_of_two_kinds_are_refused(tmp_path):
    message = refusal(put(tmp_path, "a.txt", "text\n"), put(tmp_path, "b.dat", "1 2\n"))
    assert message == "Inputs must all be of one kind: a.txt holds texts, b.dat rows of items. Read them separately."


def test_an_empty_file_is_refused(tmp_path):
    assert refusal(put(tmp_path, "a.txt", "")) == "a.txt is empty: expected a document a line."


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv", "a.dat", "a.npz", "a.mtx"])
def test_an_empty_file_of_any_format_is_refused(tmp_path, name):
    assert refusal(put(tmp_path, name, "")).startswith(f"{name} is empty: expected ")


def test_an_empty_file_among_others_is_noted(tmp_path):
    documents = read(put(tmp_path, "a.txt", ""), put(tmp_path, "b.txt", "text\n"))
    assert documents.content == ["text"]
    assert documents.notes == ["a.txt is empty: expected a document a line."]


def test_nothing_but_blank_lines_is_refused(tmp_path):
    message = refusal(put(tmp_path, "a.txt", "\n\n"))
    assert message == "2 of 2 documents in a.txt have no text and were left out (first: a.txt:1)."


def test_many_text_files_are_perhaps_a_document_each(tmp_path):
    paths = [put(tmp_path, f"{number:02}.txt", "one\ntwo\n") for number in range(21)]
    expected = (
        "21 .txt files were read as a document a line; if each file is one document, give the folder or format='files'."
    )
    assert read(*paths).notes == [expected]
    assert read(*paths[:20]).notes == []
    assert read(*paths, format="lines").notes == []


def test_files_as_a_document_each(tmp_path):
    documents = read(put(tmp_path, "b.txt", "one\r\ntwo\r\n"), put(tmp_path, "a.md", "other"), format="files")
    assert documents.content == ["one\ntwo\n", "other"]
    assert documents.ids == ["b.txt", "a.md"]


def test_in_a_folder_each_file_is_a_document(tmp_path):
    put(tmp_path, "data/sport/2.txt", "goal")
    put(tmp_path, "data/arts/1", "song\nand dance")
    put(tmp_path, "data/b.txt.gz", gzip.compress(b"packed"))
    documents = read(str(tmp_path / "data"))
    assert documents.kind == TEXTS
    assert documents.ids == ["arts/1", "b.txt.gz", "sport/2.txt"]
    assert documents.content == ["song\nand dance", "packed", "goal"]
    assert documents.notes == []


def test_in_a_folder_hidden_files_and_clutter_are_not_seen(tmp_path):
    for name in ("a.txt", ".hidden", ".git/config", "__MACOSX/a.txt", "x/.b.txt"):
        put(tmp_path, name, "text")
    assert read(str(tmp_path)).ids == ["a.txt"]


def test_in_a_folder_tables_and_binary_files_are_left_out_with_a_note(tmp_path):
    put(tmp_path, "a.txt", "text")
    put(tmp_path, "b.csv", "text\nrow\n")
    put(tmp_path, "c.jpg", b"\xff\xd8\xff\0\0")
    put(tmp_path, "d.pdf", b"%PDF-1.5 letters")
    put(tmp_path, "e.jsonl.gz", gzip.compress(b"{}"))
    documents = read(str(tmp_path))
    assert documents.ids == ["a.txt"]
    (note,) = documents.notes
    assert note.startswith(f"4 files in {tmp_path} are not plain text and were left out (first: b.csv).")


def test_in_a_folder_a_link_that_leads_nowhere_is_left_out(tmp_path):
    put(tmp_path, "a.txt", "text")
    (tmp_path / "b.txt").symlink_to(tmp_path / "nowhere")
    assert "(first: b.txt)" in read(str(tmp_path)).notes[0]


def test_in_a_folder_empty_files_are_left_out_and_counted(tmp_path):
    put(tmp_path, "a.txt", "text")
    put(tmp_path, "b.txt", "")
    put(tmp_path, "c.txt", " \n")
    assert read(str(tmp_path)).notes == [
        f"2 of 3 documents in {tmp_path} have no text and were left out (first: b.txt)."
    ]


def test_several_folders_are_told_apart(tmp_path, monkeypatch):
    put(tmp_path, "x/a.txt", "one")
    put(tmp_path, "y/a.txt", "two")
    monkeypatch.chdir(tmp_path)
    assert read("x", "y/").ids == ["x/a.txt", "y/a.txt"]


def test_an_empty_folder_is_refused(tmp_path):
    assert refusal(str(tmp_path)) == f"{tmp_path} is empty: expected a file for each document."


def test_in_a_folder_of_tables_each_is_read(tmp_path):
    put(tmp_path, "b.csv", "text\nfirst row\n")
    put(tmp_path, "a/c.jsonl", '{"text": "second"}')
    put(tmp_path, "README.md", "About these tables")
    put(tmp_path, "d.jpg", b"\xff\xd8\xff\0\0")
    documents = read(str(tmp_path))
    assert documents.content == ["second", "first row"]
    assert documents.ids == ["a/c.jsonl:1", "b.csv:2"]
    note = f"{tmp_path} holds 2 tables, which were read; 2 other files were left out (first: README.md)."
    assert note in documents.notes


def test_a_folder_has_no_other_format(tmp_path):
    put(tmp_path, "b.csv", "text\nrow\n")
    assert "is a folder, which is read as one document a file. For format='csv' give the files" in refusal(
        str(tmp_path), format="csv"
    )


def test_in_a_folder_bytes_that_are_no_text_are_noted_once_for_all_files(tmp_path):
    put(tmp_path, "a.txt", "fine")
    put(tmp_path, "b.txt", b"one\ncaf\xe9")
    put(tmp_path, "c.txt", b"\xe9")
    (note,) = read(str(tmp_path), encoding="utf-8").notes
    assert note.startswith(f"In 2 of 3 files of {tmp_path} bytes that are not utf-8 were replaced by U+FFFD")
    assert "(first: b.txt, line 2)" in note


def test_in_a_folder_file_names_that_are_no_text_get_ids_that_are(tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9\n.txt"
    with open(path, "wb") as file:
        file.write(b"text")
    assert read(str(tmp_path)).ids == ["caf\ufffd\\n.txt"]


def test_standard_input_is_read_as_lines():
    documents = read("-", stdin=io.BytesIO(b"one\ntwo\n"))
    assert documents.content == ["one", "two"]
    assert documents.ids == ["stdin:1", "stdin:2"]
    assert documents.notes == ["Standard input was read as lines; if that is wrong, give format."]


@pytest.mark.parametrize("start", [b"", b"\n  ", b"\xef\xbb\xbf"])
def test_json_lines_on_standard_input_are_seen_by_their_brace(start):
    documents = read("-", stdin=io.BytesIO(start + b'{"text": "one"}\n'))
    assert documents.content == ["one"]
    assert documents.notes[0] == "Standard input was read as jsonl; if that is wrong, give format."


def test_standard_input_has_any_format_that_is_given(tmp_path):
    assert read("-", stdin=io.BytesIO(b"id,text\n7,one\n"), format="csv").ids == ["7"]
    assert read("-", stdin=io.BytesIO(b"1 2\n"), format="baskets").content == [["1", "2"]]
    assert read("-", stdin=io.BytesIO(b"one\ntwo\n"), format="files").content == ["one\ntwo\n"]


def test_standard_input_is_not_closed():
    stdin = io.BytesIO(b"one\n")
    read("-", stdin=stdin)
    assert not stdin.closed


def test_nothing_on_standard_input_is_refused():
    assert "stdin is empty" in refusal("-", stdin=io.BytesIO(b""))


def test_a_binary_file_is_refused(tmp_path):
    message = refusal(put(tmp_path, "a.txt", b"\x00\x01\x02 words"))
    assert message.startswith("a.txt: expected text, but it is a binary file.")


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.dat"])
def test_a_binary_file_of_another_extension_is_refused(tmp_path, name):
    assert "it is a binary file" in refusal(put(tmp_path, name, b"PAR1 words"))


def test_options_that_say_nothing_about_the_files_are_refused(tmp_path):
    path = put(tmp_path, "a.txt", "text\n")
    assert "text_column 'body' needs files with columns" in refusal(path, text_column="body", error=ParameterError)
    assert "id_column 'id' needs files with columns" in refusal(path, id_column="id", error=ParameterError)
    assert "no input is a matrix" in refusal(path, vocabulary="terms.txt", error=ParameterError)


def test_plain_formats_need_no_pyarrow_and_others_say_so(tmp_path, monkeypatch):
    for module in ("pyarrow", "pyarrow.csv", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    for name, content in (("a.txt", "one"), ("a.jsonl", '"one"'), ("a.dat", "one")):
        read(put(tmp_path, name, content))
    for name in ("a.csv", "a.tsv", "a.parquet"):
        message = refusal(put(tmp_path, name, "text\none\n"), error=MissingExtraError)
        assert message == "Reading CSV and Parquet needs pyarrow: pip install 'tonmf[cli]'."
    message = refusal(put(tmp_path, "a.txt.zst", b"\x28\xb5\x2f\xfd"), error=MissingExtraError)
    assert message == "Reading .zst files needs pyarrow: pip install 'tonmf[cli]'."
