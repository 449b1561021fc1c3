"""Reading the real files as their publishers packed them."""

import csv
import zipfile

import pytest
from files_to_read import read

from tonmf.text.documents import COUNTS, ITEMS, TEXTS


def test_the_retail_baskets(data_folder):
    documents = read(str(data_folder / "retail.dat.gz"))
    assert documents.kind == ITEMS
    assert len(documents.content) == 88_162
    assert len({item for basket in documents.content for item in basket}) == 16_470
    assert documents.ids[-1] == "retail.dat.gz:88162"
    assert documents.notes == []


def test_the_wikipedia_biographies(data_folder):
    documents = read(str(data_folder / "wiki-featured-bios.jsonl.gz"))
    assert documents.kind == TEXTS
    assert documents.ids[0] == "Adolfo_Farsari#0"
    assert documents.content[0].startswith("Adolfo Farsari (11 February 1841")
    assert documents.notes[0] == "The text was taken from column 'text' of wiki-featured-bios.jsonl.gz."
    assert documents.notes[-1].startswith("2,465 of 12,316 documents in wiki-featured-bios.jsonl.gz have no text")


@pytest.fixture(scope="module")
def bbc(data_folder, tmp_path_factory):
    """The folder to which both BBC archives are unpacked."""
    folder = tmp_path_factory.mktemp("bbc")
    for name in ("bbc-fulltext", "bbc-mtx"):
        with zipfile.ZipFile(data_folder / f"{name}.zip") as archive:
            archive.extractall(folder / name)
    return folder


def test_the_bbc_matrix_is_turned_to_documents_by_terms(bbc):
    documents = read(str(bbc / "bbc-mtx" / "bbc" / "bbc.mtx"))
    assert documents.kind == COUNTS
    assert documents.content.shape == (2225, 9635)
    assert documents.content.nnz == 286_774
    assert documents.content.format == "csr"
    assert documents.terms[:3] == ["ad", "sale", "boost"]
    assert documents.ids[0] == "business.001"
    assert any("it was transposed" in note for note in documents.notes)


def test_the_bbc_folder(bbc):
    documents = read(str(bbc / "bbc-fulltext"))
    assert len(documents.content) == 2225 + 1  # and the README
    assert "bbc/business/001.txt" in documents.ids
    assert not any("MACOSX" in document_id for document_id in documents.ids)
    (note,) = documents.notes
    assert note.startswith("1 of 2,226 files of ")
    assert " is not UTF-8 and was read as cp1252 (bbc/sport/199.txt); if that is wrong, give encoding." in note
    assert "£15.8m signing" in documents.content[documents.ids.index("bbc/sport/199.txt")]


def test_the_bbc_file_that_is_latin_1(bbc):
    documents = read(str(bbc / "bbc-fulltext" / "bbc" / "sport" / "199.txt"), format="files", encoding="latin-1")
    assert "£" in documents.content[0]
    assert documents.notes == []


@pytest.mark.parametrize("names", [[["class", "text"]], []], ids=["with a header", "without one"])
def test_tables_of_the_bbc_texts_lose_and_merge_nothing(bbc, tmp_path, names):
    folder = read(str(bbc / "bbc-fulltext" / "bbc"))
    news = [(i.split("/")[0], text) for i, text in zip(folder.ids, folder.content, strict=True) if "/" in i]
    lines = [(name, " ".join(text.split())) for name, text in news]
    with (tmp_path / "quoted.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([*names, *news])
    with (tmp_path / "quoted.tsv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter="\t").writerows([*names, *news])
    # The news are full of quotes, which an unquoted file has as they are.
    (tmp_path / "plain.tsv").write_text("".join("\t".join(row) + "\n" for row in [*names, *lines]), encoding="utf-8")
    for file, rows in (("quoted.csv", news), ("quoted.tsv", news), ("plain.tsv", lines)):
        documents = read(str(tmp_path / file))
        assert documents.content == [text for _, text in rows], file
        assert any("is like the others" in note for note in documents.notes) == (not names), file
        assert not any("look like rows" in note for note in documents.notes), documents.notes
