"""The words that stems and pairs of characters came from."""

import numpy as np
import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st
from tampered import fields_of, sign

from tonmf import TextOutlierDetector, load
from tonmf.datasets import make_corpus
from tonmf.detector.explain.unexpected import UnexpectedWord, joined
from tonmf.ranking import Ranking
from tonmf.report import summarise
from tonmf.text.choose import make_analysis
from tonmf.text.forms import LONGEST, forms_in, forms_of, in_words
from tonmf.text.vocabulary.terms import TermCounter
from tonmf.timeline.follow import follow

FAMILIES = ["Families argue about happiness.", "Two families moved.", "A family and its happiness."]
OUTLIER = "Xylophones and xylophones: a xylophone orchestra rehearses percussion symphonies"
ENGLISH = [f"{text.rstrip(chr(46))} {more}" for text in FAMILIES for more in make_corpus(40, 0).texts]


def analysis(**options):
    return make_analysis({**TextOutlierDetector().get_params(deep=False), **options})


@pytest.fixture(scope="module")
def stemmed():
    return TextOutlierDetector(stemmer="english", n_restarts=1).fit([*ENGLISH, OUTLIER])


def test_a_stem_has_the_form_that_is_most_frequent():
    forms = forms_of(FAMILIES, analysis(stemmer="english"), {"famili", "happi", "move"})
    assert forms == {"famili": "families", "happi": "happiness", "move": "moved"}
    assert forms_of(FAMILIES, analysis(stemmer="english"), {"famili"}) == {"famili": "families"}
    pairs = forms_of(FAMILIES, analysis(stemmer="english", ngram_range=(2, 2)))
    assert pairs["famili argu"] == "families argue"


def test_words_that_are_no_stems_have_no_forms():
    assert forms_of(FAMILIES, analysis()) == {}
    assert forms_of(FAMILIES, str.split) == {}
    assert forms_of([["milk", "eggs"]], analysis(stemmer="english")) == {}


@given(st.permutations(["running runs ran", "runs run", "run running", "running"]))
def test_the_form_does_not_depend_on_the_order_of_the_documents(texts):
    assert forms_of(texts, analysis(stemmer="english"), {"run"}) == {"run": "running"}


CHINESE = [
    "他在人工智能公司工作",
    "人工智能的未来",
    "研究人工智能",
    "学习人工智能吧",
    "天气很好",
    "今天天气不错",
    "天气太冷",
]
JAPANESE = ["東京都に住む", "東京都の人口", "新しいコンピュータを買う", "コンピュータの歴史", "東京都とコンピュータ"]


NOTICE = "会议将于明天上午在北京举行，请准时参加。"


def test_unknown_pairs_that_follow_one_another_are_shown_as_one_string():
    detector = TextOutlierDetector(n_restarts=1).fit(make_corpus(60, 0).texts)
    (why,) = detector.explain([NOTICE])
    assert [word.word for word in why.unexpected] == ["会议将于明天上午在北京举行", "请准时参加"]
    assert sum(word.share for word in why.unexpected) == pytest.approx(1)
    pieces = detector.pieces(NOTICE, why.unexpected)
    assert "".join(piece.text for piece in pieces) == NOTICE
    assert {piece.text for piece in pieces if not piece.share} == {"，", "。"}


def test_a_known_pair_ends_the_string_and_a_lone_pair_stays():
    unknown = {"会议", "议将", "明天", "天上"}
    assert forms_in("会议将于明天上午", analysis(), unknown) == {
        "会议": "会议将", "议将": "会议将", "明天": "明天上", "天上": "明天上",
    }  # fmt: skip
    assert forms_in("会议 and 北京", analysis(), {"会议", "北京"}) == {}
    assert forms_in("会议将于", analysis(), {"会议", "将于"}) == {}


@given(st.text(st.sampled_from("ราคาสินค้า会议将于 a"), max_size=80))
def test_a_string_of_pairs_is_in_the_document_and_no_longer_than_it_may_be(text):
    analyze = analysis()
    for pair, word in forms_in(text, analyze, set(analyze(text))).items():
        assert pair[0] in word
        assert word in text
        assert len(word) <= LONGEST + 8


@pytest.mark.parametrize("letters", ["会议将于", "\u0e31"])
def test_a_string_of_any_length_is_gone_over_once(letters):
    text = "会" + letters * (200_000 // len(letters))
    analyze = analysis()
    forms = forms_in(text, analyze, set(analyze(text)))  # hours if the string were cut again for each of its pairs
    assert all(len(word) <= len(text) for word in forms.values())


@pytest.mark.parametrize(
    ("texts", "forms"),
    [
        (CHINESE, {"人工": "人工智能", "工智": "人工智能", "智能": "人工智能"}),
        (JAPANESE, {"東京": "東京都", "京都": "東京都", "コン": "コンピュータ", "ュー": "コンピュータ"}),
        (["東京", "東京に", "東京都"], {}),
        (["東京都"], {}),
    ],
)
def test_a_pair_of_characters_has_the_word_that_most_of_its_occurrences_are_part_of(texts, forms):
    found = forms_of(texts, analysis())
    assert forms.items() <= found.items()
    if not forms:
        assert found == {}
    assert "天气" not in found, "it is a word itself"


@given(st.lists(st.text("東京都大阪に住むコンピ ", max_size=12), max_size=12))
def test_a_word_has_the_pair_in_it_and_is_in_a_document(texts):
    for pair, word in forms_of(texts, analysis()).items():
        assert pair in word
        assert sum(word in text for text in texts) >= 2


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdef"), st.floats(0, 1), st.integers(1, 5)), max_size=8, unique_by=lambda t: t[0]
    )
)
def test_shares_add_up_when_terms_of_one_word_are_joined(words):
    unexpected = [UnexpectedWord(word, share, count, True, share) for word, share, count in words]
    both = joined(unexpected, {"a": "ab", "b": "ab"}, 10)
    np.testing.assert_allclose(sum(word.share for word in both), sum(word.share for word in unexpected))
    assert len({word.word for word in both}) == len(both)
    assert [word.share for word in both] == sorted((word.share for word in both), reverse=True)
    assert len(joined(unexpected, {}, 2)) == min(2, len(unexpected))


def test_everything_that_is_shown_has_words_and_no_stems(stemmed, tmp_path):
    stems = {"famili", "happi"}
    assert stems <= set(stemmed.terms_)
    assert stemmed.in_words(["famili", "happi"]) == ["families", "happiness"]
    texts = [*ENGLISH, OUTLIER]
    topics = {word for topic in stemmed.topics(200) for word in topic.words}
    assert {"families", "happiness"} <= topics
    assert not stems & topics
    why = stemmed.explain(texts, ids=[len(texts) - 1])[0]
    words = [word.word for word in why.unexpected]
    assert {"xylophones", "orchestra", "percussion"} <= set(words), "unknown stems are shown as the document has them"
    marked = [piece.text for piece in stemmed.pieces(OUTLIER, why.unexpected) if piece.share > 0]
    assert marked[:3] == ["Xylophones", "xylophones", "xylophone"]
    ranking = Ranking.of(stemmed, texts, [str(row) for row in range(len(texts))], stemmed.outlier_scores_)
    table = ranking.columns()
    assert not stems & {word for terms in table["unexpected_terms"] for word in terms}
    summary = summarise(ranking, title="")
    assert [topic["words"] for topic in summary["topics"]] == [topic.words for topic in stemmed.topics(10)]
    assert not stems & {word for group in stemmed.groups_ for word in group.words}


def test_forms_are_saved_and_older_models_show_the_terms(stemmed, tmp_path):
    stemmed.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert [topic.words for topic in loaded.topics()] == [topic.words for topic in stemmed.topics()]
    fields = fields_of(tmp_path / "model")
    fields["vocabulary"].pop("forms")
    sign(tmp_path / "model", fields)
    earlier = load(tmp_path / "model")
    assert "famili" in {word for topic in earlier.topics(200) for word in topic.words}
    np.testing.assert_array_equal(earlier.outlier_scores_, stemmed.outlier_scores_)


def test_forms_change_no_score(stemmed, monkeypatch):
    monkeypatch.setattr("tonmf.text.vocabulary.terms.forms_of", lambda *_: {})
    plain = TextOutlierDetector(stemmer="english", n_restarts=1).fit([*ENGLISH, OUTLIER])
    np.testing.assert_array_equal(plain.outlier_scores_, stemmed.outlier_scores_)


def test_words_that_join_later_have_forms_too(stemmed, tmp_path):
    stemmed.save(tmp_path / "model")
    detector = load(tmp_path / "model").partial_fit([f"Volcanoes erupting, volcanoes {text}" for text in ENGLISH[:20]])
    assert "volcano" in detector.terms_
    assert detector.in_words(["volcano", "famili"]) == ["volcanoes", "families"]


def test_documents_on_disk_have_forms(stemmed):
    detector = TextOutlierDetector(stemmer="english", n_restarts=1, memory="1GB").fit([*ENGLISH, OUTLIER])
    assert detector.in_words(["famili"]) == ["families"]


def test_a_timeline_and_new_topics_have_words():
    later = [f"Volcanoes erupted, ashes, craters and eruptions: {text[:60]}" for text in ENGLISH[:40]]
    detector = TextOutlierDetector(stemmer="english", n_restarts=1).fit(ENGLISH)
    timeline = follow(detector, [*ENGLISH[:80], *later], list(range(120)), window="1 hour")
    shown = {word for words in timeline.words for word in words}
    assert not {"famili", "happi", "volcano", "crater"} & shown


def test_the_command_shows_words(tmp_path):
    (tmp_path / "docs.txt").write_text("\n".join([*ENGLISH, OUTLIER]))
    ran = run("detect", "docs.txt", "--stem", "english", "--top", "1", cwd=tmp_path)
    assert "xylophones" in ran.out


def test_terms_of_one_word_are_listed_once():
    counter = TermCounter(analysis(), 1)
    counter.learn(CHINESE)
    assert in_words(["人工", "工智", "智能", "天气"], counter.forms) == ["人工智能", "天气"]
