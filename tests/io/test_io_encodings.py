"""Encodings that are detected: text that is not UTF-8, file by file."""

import sys

import pytest
from files_to_read import put, read, refusal
from hypothesis import given
from hypothesis import strategies as st

from tonmf.io import DocumentFiles
from tonmf.io.encodings import LATIN, OTHERS, detected, wide

SENTENCES = [
    ("cp1252", "Die Bundesregierung hat am Freitag beschlossen, die Förderung für Gebäude zu kürzen."),
    ("cp1252", "L’été dernier, la société a annoncé des bénéfices élevés à ses actionnaires."),
    ("cp1252", "“Smart quotes” — and a dash – are all there is in this English sentence."),
    ("cp1252", "It costs £20."),
    ("latin-1", "café"),
    ("latin-1", "WILLCOX AND GIBBS TO MAKE ÀCQÜÎSÎTÎÖN"),  # most letters of a word are not ASCII, but one by one
    ("cp1250", "W Warszawie odbyło się wczoraj posiedzenie rządu w sprawie budżetu państwa na przyszły rok."),
    ("cp1251", "Правительство объявило о новых мерах поддержки экономики, сообщили в министерстве финансов."),
    ("koi8-r", "Правительство объявило о новых мерах поддержки экономики, сообщили в министерстве финансов."),
    ("cp1253", "Η κυβέρνηση ανακοίνωσε νέα μέτρα για την οικονομία της χώρας."),
    ("cp1255", "הממשלה הודיעה על צעדים חדשים לתמיכה בכלכלה"),
    ("cp1256", "أعلنت الحكومة عن إجراءات جديدة لدعم الاقتصاد"),
    ("shift_jis", "政府は金曜日に新しい経済対策を発表しました。詳細は明日公開されます。"),
    ("euc_jp", "政府は金曜日に新しい経済対策を発表しました。詳細は明日公開されます。"),
    ("gb18030", "政府周五宣布了新的经济措施，详情将于明天公布。"),
    ("big5", "政府週五宣布了新的經濟措施，詳情將於明天公布。"),
    ("euc_kr", "정부는 금요일에 새로운 경제 대책을 발표했습니다."),
]


@pytest.mark.parametrize(("encoding", "text"), SENTENCES, ids=lambda value: value[:12])
@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl", "a.json"])
def test_text_in_the_usual_encodings_is_read_as_it_was_written(tmp_path, encoding, text, name):
    rows = {"a.txt": f"plain\n{text}\n", "a.csv": f'text\nplain\n"{text}"\n', "a.jsonl": f'"plain"\n"{text}"\n'}
    rows["a.json"] = f'["plain", "{text}"]'
    documents = read(put(tmp_path, name, rows[name].encode(encoding)))
    assert documents.content == ["plain", text]
    (note,) = [note for note in documents.notes if "since it is not UTF-8" in note]
    assert note.startswith(f"{name} was read as ")
    assert note.endswith("; if that is wrong, give encoding.")


def test_a_folder_of_mixed_encodings_has_one_note(tmp_path):
    text = "Die Förderung für Gebäude wird gekürzt."
    for number, encoding in enumerate(["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"]):
        put(tmp_path, f"{number}.txt", text.encode(encoding))
    put(tmp_path, "5.txt", "Он пошёл домой, и все были рады этому.".encode("cp1251"))
    documents = read(str(tmp_path))
    assert documents.content == [text] * 5 + ["Он пошёл домой, и все были рады этому."]
    files = DocumentFiles([str(tmp_path)])
    assert [one for batch in files for one in batch.content] == documents.content
    note = f"3 of 6 files of {tmp_path} are not UTF-8 and were read as cp1252 (2, first: 3.txt), cp1251 (1, first: 5.txt); "
    assert documents.notes == [note + "if that is wrong, give encoding."]


def test_many_files_that_are_named_have_one_note(tmp_path):
    for number in range(5):
        put(tmp_path, f"{number}.csv", "text\nFörderung\n".encode("cp1252"))
    notes = read(str(tmp_path / "*.csv")).notes
    assert notes[1:] == [
        "5 of 5 files are not UTF-8 and were read as cp1252 (5, first: 0.csv); if that is wrong, give encoding."
    ]


def test_a_given_encoding_is_taken_for_all_files(tmp_path):
    put(tmp_path, "a.txt", "Förderung".encode("cp1252"))
    put(tmp_path, "b.txt", "Förderung".encode())
    assert read(str(tmp_path), encoding="utf-8").content == ["F\ufffdrderung", "Förderung"]
    assert read(str(tmp_path), encoding="cp1252").content == ["Förderung", "FÃ¶rderung"]


def test_nothing_is_guessed_where_bad_bytes_are_refused(tmp_path):
    message = refusal(put(tmp_path, "a.txt", "Förderung".encode("cp1252")), encoding_errors="refuse")
    assert message.startswith("a.txt, line 1: byte 0xF6 is not valid utf-8.")


def test_utf8_with_some_bad_bytes_stays_utf8(tmp_path):
    path = put(tmp_path, "a.txt", b"caf\xe9\n" + "Grüße aus München – für alle\n".encode() * 3)
    documents = read(path)
    assert documents.content[:2] == ["caf\ufffd", "Grüße aus München – für alle"]
    assert documents.notes[0].startswith("On 1 line of a.txt bytes that are not utf-8 were replaced")


def test_the_encoding_may_show_late_in_a_file(tmp_path):
    path = put(tmp_path, "a.txt", b"plain words\n" * 200_000 + "die Förderung für Gebäude\n".encode("cp1252") * 2)
    documents = read(path)
    assert len(documents.content) == 200_002
    assert documents.content[-1] == "die Förderung für Gebäude"


def test_a_page_knows_its_encoding(tmp_path):
    page = (
        '<html><head><meta http-equiv="Content-Type" content="text/html; charset=koi8-r"></head><body>да</body></html>'
    )
    assert read(put(tmp_path, "a.html", page.encode("koi8-r"))).content == [page]
    page = '<?xml version="1.0" encoding="windows-1253"?><html><body>Η</body></html>'
    assert read(put(tmp_path, "a.xhtml", page.encode("cp1253"))).content == [page]


def test_a_page_that_names_an_unknown_encoding_is_still_read(tmp_path):
    page = '<meta charset="klingon"><p>café au lait</p>'
    assert read(put(tmp_path, "a.html", page.encode("cp1252"))).content == [page]


def test_without_charset_normalizer_bytes_are_replaced_as_they_were_before(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    documents = read(put(tmp_path, "a.txt", "die Förderung\n".encode("cp1252")))
    assert documents.content == ["die F\ufffdrderung"]
    assert "If that is wrong, try encoding='latin-1' or cp1252." in documents.notes[0]


@given(st.binary(min_size=1, max_size=300))
def test_any_bytes_get_an_encoding_that_exists_or_none(data):
    if data.isascii():
        return
    found = detected(data.splitlines(keepends=True) or [data], data)
    assert found is None or found in (*LATIN, *OTHERS)


@given(st.text(st.characters(codec="latin-1", exclude_categories=["Cc"]), min_size=4))
def test_wide_text_of_latin_letters_is_known(text):
    assert wide(text.encode("utf-16-le")) == "utf-16-le"
    assert wide(text.encode("utf-16-be")) == "utf-16-be"
    assert wide(text.encode()) is None
