"""A look at a file before a job reads it, and what a server says of drift."""

import pytest
from saved_models import CORPUS

from tonmf.ranking import drift_of

TABLE = "id,text,more\n" + "".join(f"{id_},{text},short\n" for id_, text in zip(CORPUS.ids, CORPUS.texts, strict=True))


def look(server, content, name="posts.csv", **options):
    return server.post("/v1/preview", params={"name": name, **options}, content=content)


def test_the_columns_of_a_table_are_shown_with_their_first_values(server):
    found = look(server, TABLE.encode()).json()
    assert [column["name"] for column in found["columns"]] == ["id", "text", "more"]
    assert found["columns"][0]["values"] == CORPUS.ids[:5]
    assert found["text_column"] == "text"
    assert found["kind"] == "texts"
    assert [text[:199] for text in CORPUS.texts[:5]] == [text[:199] for text in found["documents"]]
    assert max(map(len, found["documents"])) <= 200
    assert found["notes"][0] == "The text was taken from column 'text' of posts.csv."


def test_a_table_whose_text_column_cannot_be_told_is_shown_all_the_same(server):
    two = "one,two\n" + "".join(f"{text},{text} again\n" for text in CORPUS.texts[:10])
    found = look(server, two.encode()).json()
    assert found["text_column"] is None
    assert found["message"] == "posts.csv: several columns may hold the text: one, two. Give text_column."
    assert [column["name"] for column in found["columns"]] == ["one", "two"]
    assert look(server, two.encode(), text_column="two").json()["text_column"] == "two"


def test_a_file_without_columns_shows_its_documents(server):
    found = look(server, b"one line\nanother line\n", "lines.txt").json()
    assert (found["columns"], found["documents"]) == ([], ["one line", "another line"])


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.pdf", b"%PDF", "a.pdf: .pdf files are not read. Turn it into plain text, .txt."),
        ("a.xlsx", b"nothing", "a.xlsx: expected a workbook"),
        ("a.csv", b"", "a.csv is empty: expected a file with documents."),
    ],
)
def test_a_file_that_cannot_be_read_says_why_and_leaves_nothing(server, name, content, says):
    answer = look(server, content, name)
    assert answer.status_code == 422
    assert answer.json()["error"].startswith(says)
    assert str(server.log.parent) not in answer.text
    assert not [
        entry for entry in (server.log.parent / "jobs").iterdir() if entry.name.startswith(".") and entry.is_dir()
    ]


def test_drift_is_told_from_counts(server, saved):
    expected = drift_of(saved[0], 400, 200)
    answer = server.get("/v1/drift", params={"judged": 400, "flagged": 200}).json()
    assert (answer["warning"], answer["p_value"]) == (expected.warning, expected.p_value)
    assert answer["is_far"] is True
    assert server.get("/v1/drift", params={"judged": 400, "flagged": 2}).json()["warning"] is None
    assert server.get("/v1/drift", params={"judged": 10**9, "flagged": 5 * 10**8}).json()["is_far"] is True
    refused = server.get("/v1/drift", params={"judged": 4, "flagged": 5})
    assert (refused.status_code, refused.json()["error"]) == (422, "flagged must be at most judged, 4; got 5.")
