"""The headers of mails are recognised and blanked out in place; what is no mail stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tonmf import TextOutlierDetector, UnexpectedWord
from tonmf.detector.explain.profile import excerpt_of
from tonmf.text.mail import without_headers
from tonmf.text.markup import PAD, tidy

MAIL = """Return-Path: <ann@example.org>
Received: from mx.example.org ([192.0.2.7]) by mail.example.com
\twith ESMTPS id 7F3A; Mon, 2 Nov 2026 10:00:00 +0100
From: Ann Baker <ann@example.org>
To: Ben Costa <ben@example.com>,
    Carla Ito <carla@example.com>
Subject: Swarming
 bees
Date: Mon, 2 Nov 2026 10:00:00 +0100
Message-ID: <1234@example.org>
X-Mailer: Pine
List-Unsubscribe: <https://example.org/leave>

Dear Ben,

they left the hive.
"""

FRAGMENTS = [
    *" \t\n\r:ax<", "\n\n", "\r\n", "From: ", "from:", "Subject: a", "\nTo: b", "\nX-y:z", "\nNote: c", "From a@b Mon\n",
    "=?utf-8?q?=C3=BC?=", "\nSubject: =?utf-8?b?w7w=?= =?x?q?a?=", "Message-ID: <1>\nFrom: a\n",
]  # fmt: skip
texts = st.text(max_size=60) | st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join)


def words(text):
    return without_headers(text).replace(PAD, "").split()


@given(texts)
def test_nothing_moves(text):
    shown = without_headers(text)
    assert len(shown) == len(text)
    assert [place for place, letter in enumerate(shown) if letter in "\r\n"] == [
        place for place, letter in enumerate(text) if letter in "\r\n"
    ]


@given(texts)
def test_of_a_mail_the_body_and_the_subject_stay(body):
    assert without_headers(f"From: a\nSubject: Bees\nDate: b\n\n{body}") == f"       \n         Bees\n       \n\n{body}"


def test_addresses_dates_and_ids_are_left_out():
    assert words(MAIL) == ["Swarming", "bees", "Dear", "Ben,", "they", "left", "the", "hive."]
    assert words(MAIL.replace("\n", "\r\n")) == words(MAIL.replace("\n", "\r")) == words(MAIL)
    assert words(f"\n\nFrom ann@example.org Mon Nov  2 10:00:00 2026\n{MAIL}") == words(MAIL)
    assert words(MAIL.upper()) == [word.upper() for word in words(MAIL)]


@pytest.mark.parametrize("name", ["Subject", "Keywords", "Summary", "Comments", "Organization", "SUBJECT"])
def test_what_the_author_wrote_stays(name):
    assert words(f"From: a\n{name}: old bees\nTo: b\n\nc") == ["old", "bees", "c"]


def test_a_line_with_a_name_that_mails_do_not_have_stays_whole():
    assert words("From: a\nTo: b\nProblem: the fridge\n leaks\n\nHelp!") == [
        "Problem:",
        "the",
        "fridge",
        "leaks",
        "Help!",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Note: buy milk",
        "Note: buy milk\n\nand bread",
        "Note: buy milk\nFrom: the shop\n\nand bread",
        "Subject: bees",
        "From: here\n\nto there",
        "Date: today\nSubject: bees\n\nA form, not a mail.",
        "From: a\nTo: b\nand so on\n\nnot only headers",
        "From: a\nTo: b",
        "Hello\n\nFrom: a\nTo: b\n\nquoted further down",
        "From here to there: a story\n\nIt begins.",
        " From: a\n To: b\n\nindented",
        "http://example.org\nhttps://example.org\n\nlinks",
    ],
)
def test_what_is_no_mail_is_left_alone(text):
    assert without_headers(text) == text


@pytest.mark.parametrize(
    ("subject", "read"),
    [
        ("=?utf-8?q?Caf=C3=A9_Z=C3=BCrich?= (1)", "Café Zürich (1)"),
        ("=?ISO-8859-1?B?Q2Fm6Q==?=", "Café"),
        ("=?ISO-8859-1?B?Q2Fm6Q?=", "Café"),
        ("=?utf-8*fr?Q?Caf=C3=A9?=", "Café"),
        ("=?utf-8?q?Ca?=\n =?utf-8?q?f=C3=A9?= au lait", "Café au lait"),
        ("=?utf-8?q?=FF?=", "=?utf-8?q?=FF?="),
        ("=?klingon?q?a?=", "=?klingon?q?a?="),
        ("=?utf-8?b?a?=", "=?utf-8?b?a?="),
        ("=?zlib?b?aaaa?= =?", "=?zlib?b?aaaa?= =?"),
    ],
)
def test_encoded_words_of_a_subject_are_decoded(subject, read):
    text = f"From: a\nSubject: {subject}\n\n"
    assert len(without_headers(text)) == len(text)
    assert " ".join(words(text)) == read


@pytest.mark.parametrize("start", ["", "From: a\n", "From: a\nSubject:"])
@pytest.mark.parametrize(
    "part",
    [
        "\n",
        " ",
        "\t\n",
        "a: b\n",
        "a",
        "From ",
        "From: a\n",
        "\n ",
        "\r",
        "=?",
        "=?a?q?b?= ",
        "a:",
        "=?utf-8?q?" + "a" * 50,
    ],
)
def test_a_megabyte_of_anything_is_read_in_one_go(start, part):
    """Were it quadratic, this would take hours."""
    text = start + part * (1_000_000 // len(part))
    assert len(without_headers(text)) == len(without_headers(f"{text}\n\n")) - 2 == len(text)


def test_mails_and_plain_texts_have_the_same_terms_unless_one_says_otherwise():
    plain = ["One old dog & a cat", "an old dog", "the cat"] * 3
    mails = [f"From: ann{n}\nX-Mailer: Pine{n}\nDistribution: hive\n\n{text}" for n, text in enumerate(plain)]
    html = [mail.replace("\n\n", "\n\n<html><body><p>").replace("&", "&amp;") for mail in mails]
    options = {"boilerplate": None}
    expected = TextOutlierDetector(**options).fit(plain).terms_
    assert TextOutlierDetector(**options).fit(mails).terms_ == expected == ["cat", "dog", "old"]
    assert TextOutlierDetector(**options).fit(html).terms_ == expected
    assert "hive" in TextOutlierDetector(**options, strip_headers=False).fit(mails).terms_
    assert "hive" not in TextOutlierDetector(**options, strip_html=False).fit(mails).terms_
    characters = {**options, "analyzer": "char_wb", "ngram_range": (2, 2)}
    assert "x-" not in TextOutlierDetector(**characters).fit(mails).terms_
    assert "x-" in TextOutlierDetector(**characters, strip_headers=False).fit(mails).terms_
    assert "X-Mailer:" in TextOutlierDetector(analyzer=str.split).fit(mails).terms_


def test_words_are_marked_in_a_mail_and_headers_are_not_shown():
    detector = TextOutlierDetector().fit(["an old dog", "the old cat"] * 3)
    mail = "From: an old café\nSubject: =?utf-8?q?Caf=C3=A9?= time\nTo: b\n\nAn <i>OLD</i> dog<br>of<br>ours"
    pieces = detector.pieces(mail, [UnexpectedWord(word, 0.1, 1, True) for word in ("old", "café")])
    assert "".join(piece.text for piece in pieces).split() == ["Café", "time", "An", "OLD", "dog", "of", "ours"]
    assert [piece.text for piece in pieces if piece.share] == ["Café", "OLD"]
    assert tidy("".join(piece.text for piece in pieces)).count("\n\n") <= 2


def test_an_excerpt_begins_with_the_subject_however_long_the_headers():
    received = "Received: from somewhere\n" * 500
    assert excerpt_of(f"{received}Subject: =?utf-8?q?Caf=C3=A9?=\n{received}\nAt noon.") == "Café At noon."
