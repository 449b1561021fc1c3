"""Zip archives: documents and tables in them, and archives that are damaged, encrypted or made to fill the disk."""

import gzip
import io
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest
from files_to_read import put, read, refusal
from test_io_spreadsheets import ROWS, workbook

from tonmf.io import DocumentFiles, ReadOptions, archives


def zipped(folder, files, name="files.zip", compression=zipfile.ZIP_DEFLATED):
    """An archive of these files."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", compression) as archive:
        for inside, content in files.items():
            archive.writestr(inside, content)
    return put(folder, name, written.getvalue())


def test_each_text_in_an_archive_is_a_document(tmp_path):
    files = {
        "b/2.txt": "second",
        "b/1.txt": "first\nline",
        "a": "no extension",
        "c.txt.gz": gzip.compress(b"packed twice"),
    }
    documents = read(zipped(tmp_path, files))
    assert documents.ids == ["a", "b/1.txt", "b/2.txt", "c.txt.gz"]
    assert documents.content == ["no extension", "first\nline", "second", "packed twice"]
    assert documents.notes == []


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_every_compression_of_archives(tmp_path, compression):
    assert read(zipped(tmp_path, {"a.txt": "one", "b.txt": "two"}, compression=compression)).content == ["one", "two"]


def test_what_a_folder_leaves_out_an_archive_leaves_out_too(tmp_path):
    files = {
        ".hidden": "x",
        "__MACOSX/._a.txt": "x",
        "a.txt": "text",
        "b.jpg": b"\xff\xd8\xff\0",
        "c.csv": "text\nrow\n",
        "d/": "",
    }
    documents = read(zipped(tmp_path, files))
    assert documents.ids == ["a.txt"]
    assert documents.notes[0].startswith("2 files in files.zip are not plain text and were left out (first: b.jpg).")


def test_a_lone_file_is_read_as_if_it_were_given_itself(tmp_path):
    documents = read(zipped(tmp_path, {"data/reviews.csv": "id,text\nx,one\ny,two\n"}))
    assert documents.content == ["one", "two"]
    assert documents.ids == ["x", "y"]
    assert read(zipped(tmp_path, {"notes.txt": "one\ntwo\n"})).ids == ["notes.txt:1", "notes.txt:2"]
    message = refusal(zipped(tmp_path, {"notes": "one\ntwo\n"}))
    assert message.startswith("notes: cannot tell the format, since the name has no extension.")
    assert read(zipped(tmp_path, {"notes": "one\ntwo\n"}), format="lines").content == ["one", "two"]


def test_tables_in_an_archive_are_read_where_there_are_no_texts(tmp_path):
    book = workbook(tmp_path)
    with open(book, "rb") as file:
        files = {
            "a.csv": "text\nfirst\n",
            "b.xlsx": file.read(),
            "README.txt": "About the data",
            "image.png": b"\x89PNG\0",
        }
    documents = read(zipped(tmp_path, files))
    assert documents.content == ["first", *(row[1] for row in ROWS[1:])]
    assert documents.ids == ["a.csv:2", "a", "b"]
    note = "files.zip holds 2 tables, which were read; 2 other files were left out (first: README.txt)."
    assert note in documents.notes


def test_a_format_chooses_among_the_files_of_an_archive(tmp_path):
    files = {"a.csv": "text\nfirst\n", "b.txt": "a text", "c.csv": "text\nsecond\n"}
    assert read(zipped(tmp_path, files), format="csv").content == ["first", "second"]
    assert read(zipped(tmp_path, {"a": "one\n", "b": "two\n"}), format="lines").content == ["one", "two"]


def test_pages_and_mails_in_an_archive(tmp_path):
    mail = EmailMessage()
    mail["Subject"] = "Grüße"
    mail.set_content("Übermorgen.")
    documents = read(zipped(tmp_path, {"a.html": "<p>A page", "b.eml": bytes(mail)}))
    assert documents.content == ["<p>A page", "Grüße\n\nÜbermorgen.\n"]


def test_several_archives_and_folders_are_told_apart(tmp_path, monkeypatch):
    zipped(tmp_path, {"a.txt": "one", "b.txt": "two"}, "x.zip")
    put(tmp_path, "y/a.txt", "three")
    monkeypatch.chdir(tmp_path)
    assert read("x.zip", "y").ids == ["x.zip/a.txt", "x.zip/b.txt", "y/a.txt"]


def test_an_archive_is_read_in_batches_again_and_again(tmp_path, monkeypatch):
    monkeypatch.setattr("tonmf.text.batches.BATCH", 2)
    path = zipped(tmp_path, {f"{number}.txt": f"text {number}" for number in range(5)})
    files = DocumentFiles([path], ReadOptions())
    for _ in range(2):
        batches = list(files)
        assert [len(batch.ids) for batch in batches] == [2, 2, 1]
        assert [one for batch in batches for one in batch.content] == read(path).content
    assert files.fingerprint[1][0] == path
    assert len(files.fingerprint) == 2


def test_names_that_lead_out_of_an_archive_lead_nowhere(tmp_path):
    path = zipped(tmp_path / "inner", {"../../evil.txt": "text", "/etc/passwd": "another", "c:\\evil": "third"})
    assert sorted(read(path).content) == ["another", "text", "third"]
    assert [found.name for found in tmp_path.rglob("*")] == ["inner", "files.zip"]


def test_an_archive_within_an_archive_is_refused_by_what_it_is(tmp_path):
    inner = zipped(tmp_path, {"a.txt": "one"}, "inner.zip")
    outer = zipped(tmp_path, {"inner.zip": Path(inner).read_bytes()}, "outer.zip")
    assert refusal(outer) == (
        "inner.zip: .zip files within an archive are not read. Unpack the archive that holds it, and give it itself."
    )


def test_a_damaged_archive_is_refused(tmp_path):
    message = refusal(put(tmp_path, "a.zip", "no archive"))
    assert message.startswith("a.zip: expected a zip archive, but it cannot be read as one (File is not a zip file).")
    with open(
        zipped(tmp_path, {"a.txt": "words " * 1000, "b.txt": "others"}, compression=zipfile.ZIP_STORED), "rb"
    ) as file:
        data = file.read()
    message = refusal(put(tmp_path, "b.zip", data.replace(b"words", b"wards", 3)))
    assert message.startswith("a.txt cannot be read (Bad CRC-32")
    assert refusal(put(tmp_path, "c.zip", data[:-30])).startswith("c.zip: expected a zip archive")


def test_an_empty_archive_is_refused(tmp_path):
    assert refusal(zipped(tmp_path, {})) == "files.zip is empty: expected a file for each document."


def test_an_encrypted_file_is_refused(tmp_path):
    with open(zipped(tmp_path, {"a.txt": "one", "b.txt": "two"}, compression=zipfile.ZIP_STORED), "rb") as file:
        data = bytearray(file.read())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # set the bit that says so
        at = data.find(signature)
        data[at + flags] |= 1
    message = refusal(put(tmp_path, "secret.zip", bytes(data)))
    assert message == "a.txt in secret.zip is encrypted. Unpack the archive with its password, and give the folder."


def test_an_archive_that_would_fill_the_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "LARGE", 100_000)
    path = zipped(tmp_path, {"a.txt": "0" * 500_000, "b.txt": "text"})
    message = refusal(path)
    assert message.startswith("files.zip would grow from ")
    assert "500,004 bytes, as no documents do." in message
