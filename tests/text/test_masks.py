"""Words that stand for a class: what is masked, what is not, and where it stands in the text."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tonmf import InputError, ParameterError, TextOutlierDetector, UnexpectedWord
from tonmf.text.analysis import WordRules, make_analyzer
from tonmf.text.mask_names import DEFAULT_MASK, MASKS, mask_of, typed
from tonmf.text.masks import MaskedWords, is_mask, shape_of
from tonmf.text.words import words_of

all_masked = MaskedWords(MASKS)

URLS = [
    "http://example.org",
    "https://a.b/c?d=1&e=(2)",
    "ftp://x.y/z",
    "www.example.org/a",
    "HTTP://A.B",
    "svn+ssh://h/p",
]
EMAILS = ["me@example.org", "first.last+tag@sub.example.co.uk", "ME@EXAMPLE.ORG", "a_b-c@d-e.fr"]
HANDLES = ["@name", "@Some_One1", "@東京"]
IDS = [
    "0x7f3a", "0XFF", "3fa85f64-5717-4562-b3fc-2c963f66afa6", "d41d8cd98f00b204e9800998ecf8427e", "10.0.0.1", "10.0.0.1:8080",
    "192.168.0.0/16", "00:1a:2b:3c:4d:5e", "00-1A-2B-3C-4D-5E", "2001:db8:0:0:0:0:2:1", "fe80::1", "dQw4w9WgXcQ",
    "blk_3587508140051953248", "INV20261116", "1234567890123",
]  # fmt: skip
DATES = [
    "2026-11-16", "2026/11/16", "16/11/2026", "16/11/26", "16.11.2026", "16-11-2026", "12:30", "12:30:05", "12:30:05,123",
    "2026-11-16T12:30:05Z", "2026-11-16T12:30:05.123+01:00", "12:30pm", "9:05AM",
    "19/Nov/2026:21:00:20", "9-mar-2026",
]  # fmt: skip
WORDS = [
    "4th",
    "mp3",
    "150p",
    "1990s",
    "windows95",
    "windows2000",
    "sha256sum",
    "x86_64",
    "486dx2",
    "covid19",
    "3d",
    "東京",
]


@pytest.mark.parametrize(
    ("name", "examples"), [("url", URLS), ("email", EMAILS), ("handle", HANDLES), ("id", IDS), ("date", DATES)]
)
def test_a_class_is_known_wherever_it_stands(name, examples):
    for masked in (all_masked, MaskedWords((name,))):
        for example in examples:
            for text in (
                example,
                f"see {example}, then",
                f"({example})",
                f'"{example}".',
                f"a\n{example}\tb",
                example.lower(),
            ):
                words = [word for word in masked(text) if word not in ("see", "then")]
                assert words == [f"<{name}>"], text


@pytest.mark.parametrize(
    ("number", "shape"),
    [
        ("2026", "####"),
        ("1,234,567", "#######"),
        ("3.5", "#.#"),
        ("3,5", "#.#"),
        ("$20", "$##"),
        ("£1,000.50", "£####.##"),
        ("123456", "######"),
        ("0778,148,237", "##########"),
        ("6.02e23", "#.##"),
        ("1.2.3", "#.#.#"),
        ("25:99", "## ##"),
    ],
)
def test_a_number_becomes_its_shape(number, shape):
    assert all_masked(f"it is {number}.") == ["it", "is", *shape.split()]


@pytest.mark.parametrize("word", WORDS)
def test_words_with_digits_stay_words(word):
    assert all_masked(f"({word}), 5") == words_of(word)


@pytest.mark.parametrize("text", ["a @ b", "foo@bar", "a@@b", "5", "://", "@", "www.", "1", "x@.y", "mail.me"])
def test_signs_alone_are_no_class(text):
    assert not [word for word in all_masked(text) if is_mask(word)]


def test_numbers_between_characters_without_spaces_are_found():
    assert all_masked("2026年11月に東京2020へ") == ["####", "年", "##", "月に", "に東", "東京", "####", "へ"]


def test_only_the_classes_that_are_named_are_masked():
    text = "Mail me@example.org on 2026-11-16: 1500 of 0x7f3a"
    assert MaskedWords(("number",))(text) == [
        "Mail",
        "me",
        "example",
        "org",
        "on",
        "####",
        "##",
        "##",
        "####",
        "of",
        "0x7f3a",
    ]
    assert MaskedWords(("email", "id"))(text) == ["Mail", "<email>", "on", "2026", "11", "16", "1500", "of", "<id>"]


SIGNS = [*URLS, *EMAILS, *IDS, *DATES, *WORDS, *"0a@:/.-,$£ \n東é٣", " ", " ", "www."]
signs = st.lists(st.sampled_from(SIGNS), max_size=15)


@given(st.text(max_size=60) | signs.map("".join) | signs.map(" ".join), st.sets(st.sampled_from(MASKS), min_size=1))
def test_spans_are_the_words_in_order_and_plain_words_stand_where_they_say(text, classes):
    masked = MaskedWords(tuple(name for name in MASKS if name in classes))
    spans = list(masked.spans(text))
    assert [word for _, _, word in spans] == masked(text)
    assert all(len(word) > 1 or not word.isascii() for _, _, word in spans)
    for start, end, word in spans:
        assert 0 <= start < end <= len(text)
        assert is_mask(word) or text[start:end] == word


@given(st.text(st.characters(exclude_categories=["Nd"], exclude_characters="@"), max_size=80))
def test_a_text_without_digits_addresses_and_links_has_the_words_it_had(text):
    if "://" not in text and "www." not in text.lower():
        assert all_masked(text) == words_of(text)


@pytest.mark.parametrize(
    "part", ["1", "a1", "@", "a@", "1.", "1,", "1:", "http://", "www.", "1-", "0x1", "a://", "f1:", "1 ", "é1", "a.1"]
)
def test_a_megabyte_of_anything_is_read_in_one_go(part):
    """Were it quadratic, this would take hours."""
    assert isinstance(all_masked(part * (300_000 // len(part))), list)


def test_classes_go_with_stop_words_stems_sequences_case_and_rules():
    options = {
        "analyzer": "word",
        "lowercase": True,
        "stop_words": ["the", "<url>"],
        "token_pattern": None,
        "stemmer": "english",
    }
    analysis = make_analyzer(**options, ngram_range=(1, 2), rules=WordRules(), mask="all")
    text = "The DOGS barking at www.example.org on 12/11/2026, 0XAF"
    terms = ["dog", "bark", "at", "on", "<date>", "<id>", "dog bark", "bark at", "at on", "on <date>", "<date> <id>"]
    assert list(analysis(text)) == terms
    assert [term for _, _, term in analysis.spans(text)] == terms[:6]
    short = make_analyzer(**options, ngram_range=(1, 1), rules=WordRules(min_length=3), mask="all")
    assert list(short("on 12 of 1500")) == ["####"]
    assert list(pickle.loads(pickle.dumps(analysis))(text)) == terms


def test_masked_words_are_marked_where_they_stand():
    detector = TextOutlierDetector(mask="all").fit(["call 555 at www.example.org", "ring 777 at www.example.com"] * 3)
    assert {"###", "<url>"} <= set(detector.terms_)
    pieces = detector.pieces(
        "Look: http://a.b/c (999)", [UnexpectedWord(word, 0.1, 1, True) for word in ("<url>", "###")]
    )
    assert [piece.text for piece in pieces if piece.share] == ["http://a.b/c", "999"]


def test_the_option_is_typed_as_it_is_written():
    assert mask_of(typed(DEFAULT_MASK)) == DEFAULT_MASK
    assert [typed(mask) for mask in (None, (), "all", ["id", "url"])] == ["none", "none", "all", "id,url"]


def test_shapes_have_a_limit():
    assert shape_of("9" * 50) == "#" * 13
    assert MaskedWords(("number",))("9" * 50) == ["#" * 13]


@pytest.mark.parametrize("options", [{"analyzer": "char"}, {"token_pattern": r"\w+"}, {"analyzer": str.split}], ids=str)
def test_masks_are_refused_where_they_have_no_effect(options):
    with pytest.raises(ParameterError, match="mask='all' has no effect"):
        TextOutlierDetector(mask="all", **options).fit(["a text"] * 5)


def test_words_as_they_were_before_masks():
    """What a model without the option does."""
    texts = ["call 5551 or 0x7f3a", "<p>call 5551</p> or 0x7f3a"] * 3
    detector = TextOutlierDetector(mask=None, strip_html=False, stop_words=None).fit(texts)
    assert detector.terms_ == ["0x7f3a", "5551", "call", "or"]


def test_documents_on_disk_are_masked_too_and_a_cache_of_other_masks_is_refused(tmp_path):
    texts = ["call 0x7f3a or www.example.org", "ring 0x7f3a or www.example.org"] * 20
    on_disk = {"memory": "1GB", "cache": tmp_path / "cache", "n_restarts": 1}
    terms = TextOutlierDetector(mask=("id",), **on_disk).fit(texts).terms_
    assert terms == TextOutlierDetector(mask=("id",), n_restarts=1).fit(texts).terms_ == ["<id>", *terms[1:]]
    with pytest.raises(InputError, match=r"made with other options \(mask\)"):
        TextOutlierDetector(mask="all", **on_disk).fit(texts)
