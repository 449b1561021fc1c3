"""Mails as Python's email package writes them, and pages: a document a file, in folders and in .mbox files."""

import mailbox
from email.header import Header
from email.message import EmailMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import numpy as np
import pytest
from files_to_read import put, read, refusal
from hypothesis import given
from hypothesis import strategies as st

from tonmf.errors import ParameterError
from tonmf.io import DocumentFiles, ReadOptions
from tonmf.io.mails import header_text
from tonmf.io.part import Part
from tonmf.text.documents import TEXTS


def mail(subject="Grüße aus Wien", text="Übermorgen fängt der Kurs an.", **headers):
    message = EmailMessage()
    message["From"], message["Subject"], message["Date"] = "ann@example.org", subject, "Mon, 19 Oct 1987 15:01:01 +0000"
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(text)
    return message


WRITTEN = "Grüße aus Wien\n\nÜbermorgen fängt der Kurs an.\n"


@pytest.mark.parametrize("cte", ["8bit", "quoted-printable", "base64"])
@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1"])
def test_a_mail_is_its_subject_and_its_text_however_encoded(tmp_path, cte, charset):
    message = mail()
    message.set_content("Übermorgen fängt der Kurs an.", charset=charset, cte=cte)
    documents = read(put(tmp_path, "a.eml", bytes(message)))
    assert documents.content == [WRITTEN]
    assert documents.ids == ["a.eml"]
    assert documents.notes == []


def test_of_two_ways_to_write_it_the_plain_text_is_read(tmp_path):
    message = mail()
    message.add_alternative("<p>Übermorgen <b>fängt</b> der Kurs an.</p>", subtype="html")
    message.add_attachment(b"\x89PNG\0", maintype="image", subtype="png", filename="a.png")
    message.add_attachment("attached notes", filename="notes.txt")
    assert read(put(tmp_path, "a.eml", bytes(message))).content == [WRITTEN]


def test_html_is_read_where_there_is_no_plain_text(tmp_path):
    message = mail()
    message.set_content("<p>Übermorgen <b>fängt</b> der Kurs an.</p>", subtype="html")
    (content,) = read(put(tmp_path, "a.eml", bytes(message))).content
    assert content == "Grüße aus Wien\n\n<p>Übermorgen <b>fängt</b> der Kurs an.</p>\n"


def test_several_texts_are_read_one_after_the_other(tmp_path):
    message = MIMEMultipart()
    message["Subject"] = Header("Zwei Teile – für alle", "utf-8")
    message.attach(MIMEText("first", "plain", "utf-8"))
    message.attach(MIMEText("zweitens: für später", "plain", "iso-8859-15"))
    assert read(put(tmp_path, "a.eml", message.as_bytes())).content == [
        "Zwei Teile – für alle\n\nfirst\n\nzweitens: für später"
    ]


@pytest.mark.parametrize("named", ["", "Content-Type: text/plain; charset=klingon\n", "Content-Type: text/plain\n"])
def test_a_mail_that_says_nothing_or_nonsense_about_its_charset(tmp_path, named):
    body = "Übermorgen fängt der Kurs für alle Anfänger an."
    data = f"From: ann@example.org\nSubject: Bees\n{named}\n{body}".encode("cp1252")
    assert read(put(tmp_path, "a.eml", data)).content == [f"Bees\n\n{body}"]


def test_a_folder_of_mails_has_times_ids_and_labels_from_headers(tmp_path):
    put(tmp_path, "a.eml", bytes(mail(Message_ID="<1@example.org>", X_Spam_Flag="YES")))
    put(tmp_path, "b/b.eml", bytes(mail(text="Second", Message_ID="<2@example.org>", X_Spam_Flag="NO")))
    documents = read(str(tmp_path), time_column="Date", id_column="message-id", label_column="X-Spam-Flag")
    assert documents.times == [561654061.0] * 2
    assert documents.ids == ["<1@example.org>", "<2@example.org>"]
    assert documents.labels == [1, 0]
    message = refusal(str(tmp_path), time_column="X-Time")
    assert message.startswith(f"{tmp_path}, file a.eml: expected a time")
    assert message.endswith("(time_column), got nothing. Fix it, or skip such files with skip_bad=True.")
    assert "text_column 'body' needs files with columns" in refusal(
        str(tmp_path), text_column="body", error=ParameterError
    )


def test_files_without_an_extension_are_mails_if_so_given(tmp_path):
    message = mail()
    message.set_content("Übermorgen fängt der Kurs an.", cte="base64")
    put(tmp_path, "cur/1", bytes(message))
    assert read(str(tmp_path), format="mail").content == [WRITTEN]
    assert read(str(tmp_path / "cur" / "1"), format="mail").content == [WRITTEN]
    assert "base64" in read(str(tmp_path)).content[0]


def test_mails_and_texts_in_one_folder(tmp_path):
    put(tmp_path, "a.eml", bytes(mail()))
    put(tmp_path, "b.txt", "a text")
    assert read(str(tmp_path)).content == [WRITTEN, "a text"]


def test_mails_and_pages_that_are_named_are_a_document_each(tmp_path):
    paths = [
        put(tmp_path, "a.html", "<p>One"),
        put(tmp_path, "b.eml", bytes(mail())),
        put(tmp_path, "c.txt", "line\nline\n"),
        put(tmp_path, "d.htm", "<p>Two"),
    ]
    assert read(*paths).ids == ["a.html", "d.htm", "b.eml", "c.txt:1", "c.txt:2"]
    assert read(paths[2], paths[1], paths[0]).ids == ["c.txt:1", "c.txt:2", "b.eml", "a.html"]


def test_an_mbox_is_read_mail_by_mail(tmp_path, monkeypatch):
    monkeypatch.setattr("tonmf.text.batches.BATCH", 2)
    box = mailbox.mbox(tmp_path / "box.mbox")
    for number in range(5):
        box.add(mail(f"Number {number}", f"Hello\n\nFrom now on, text {number}", Message_ID=f"<{number}@example.org>"))
    box.close()
    documents = read(str(tmp_path / "box.mbox"))
    assert documents.content == [f"Number {n}\n\nHello\n\n>From now on, text {n}\n" for n in range(5)]
    assert documents.ids == [f"box.mbox:{n}" for n in range(1, 6)]
    files = DocumentFiles([str(tmp_path / "box.mbox")], ReadOptions(id_column="Message-ID"))
    assert [batch.ids for batch in files] == [
        ["<0@example.org>", "<1@example.org>"],
        ["<2@example.org>", "<3@example.org>"],
        ["<4@example.org>"],
    ]


def test_a_binary_file_without_a_zero_byte_is_refused_under_any_name(tmp_path):
    data = bytes(np.random.default_rng(0).integers(1, 256, 3000, np.uint8))
    for name in ("a.eml", "a.txt", "a.csv", "a.html"):
        assert "it is a binary file" in refusal(put(tmp_path, name, data))
    put(tmp_path, "folder/image.eml", data)
    put(tmp_path, "folder/mail.eml", "Subject: bees\n\nin the garden")
    assert read(str(tmp_path / "folder")).content == ["bees\n\nin the garden"]


def test_a_mail_that_is_binary_or_nested_without_end_is_refused(tmp_path):
    message = refusal(put(tmp_path, "a.eml", b"\0\1\2"))
    assert message.startswith("a.eml, file a.eml: expected a mail, but it is a binary file.")
    nested = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000))
    message = refusal(put(tmp_path, "b.eml", nested))
    assert "b.eml" in message


def test_a_mail_without_text_is_left_out(tmp_path):
    put(tmp_path, "a.eml", bytes(mail()))
    put(tmp_path, "b.eml", b"From: ann@example.org\n\n")
    assert read(str(tmp_path)).notes == [f"1 of 2 documents in {tmp_path} has no text and was left out (first: b.eml)."]


@given(st.binary(max_size=400))
def test_any_bytes_are_a_mail_or_refused(data):
    from tonmf.io.mails import add_mail

    part = Part("box", "mail", TEXTS)
    add_mail(
        part, 1, b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n" + data, ReadOptions(skip_bad=True)
    )
    for text in part.content:
        text.encode()


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=60))
def test_what_a_header_says_survives_its_encoding(text):
    assert header_text(Header(text, "utf-8").encode()) == text
