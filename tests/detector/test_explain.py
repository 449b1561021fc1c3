"""Explanations: what they hold agrees with the scores, adds up, and can be read."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from tonmf import InputError, ParameterError, TextOutlierDetector, UnexpectedWord
from tonmf.datasets import make_corpus
from tonmf.detector.scores.scale import SAME_SCORE

CORPUS = make_corpus(n_docs=300, n_outliers=6, random_state=1)
DETECTOR = TextOutlierDetector().fit(CORPUS.texts, names=[f"doc {i}" for i in range(300)])
KNOWN = sorted(DETECTOR.terms_)
STRANGEST = int(DETECTOR.outlier_scores_.argmax())

texts = st.lists(st.sampled_from([*KNOWN, "zxcv", "qwer", "the", "and"]), max_size=40).map(" ".join)


@given(st.lists(texts, min_size=1, max_size=5))
def test_shares_of_the_unexpected_words_add_up_to_the_unexplained_share(documents):
    for why in DETECTOR.explain(documents, n_words=1000):
        assert sum(word.share for word in why.unexpected) == pytest.approx(why.unexplained.value, abs=1e-6)
        assert 0 <= why.unexplained.value <= 1 + 1e-9
        assert all(0 <= word.share <= 1 for word in why.unexpected)


@given(st.lists(texts, min_size=1, max_size=5))
def test_what_topics_explain_and_what_none_explains_add_up_to_the_document(documents):
    for why in DETECTOR.explain(documents, n_nearest=0):
        listed = sum(topic.share for topic in why.topics)
        assert why.other_topics >= 0
        assert all(topic.share >= 0.1 for topic in why.topics)
        whole = 0 if "empty" in why.alarms else 1
        assert why.unexplained.value + listed + why.other_topics == pytest.approx(whole, abs=1e-6)
        assert why.topic == (why.topics[0].number if why.topics else None)


@given(st.lists(texts, min_size=1, max_size=5))
def test_the_shares_that_the_text_lists_add_up(documents):
    for why in DETECTOR.explain(documents, n_nearest=0, n_words=3):
        heading, shares = "", {"unexpected": 0.0, "topics": 0.0}
        for line in why.to_text().split("\n")[1:]:
            heading = line.split()[0] if line.endswith("share of the document") else heading if line else ""
            if found := re.match(r" +(\d+\.\d) %", line):
                shares[heading] += float(found[1])
        if "empty" not in why.alarms:
            assert shares["unexpected"] == pytest.approx(100 * why.unexplained.value, abs=0.5)
        assert shares["topics"] == pytest.approx(100 if shares["topics"] else 0, abs=0.5)


@given(st.lists(texts, min_size=1, max_size=5), st.integers(1, 12))
def test_unexpected_words_are_in_the_order_of_their_shares(documents, n_words):
    for why in DETECTOR.explain(documents, n_words=n_words, n_nearest=0):
        shares = [word.share for word in why.unexpected]
        assert shares == sorted(shares, reverse=True)


@given(st.lists(texts, min_size=1, max_size=5))
def test_the_parts_add_up_to_the_score_and_the_score_is_the_detectors(documents):
    scores = DETECTOR.outlier_score(documents)
    for why, score, text in zip(DETECTOR.explain(documents), scores, documents, strict=True):
        assert why.score == score
        assert sum(why.parts.values()) == pytest.approx(score)
        assert why.outlier == (why.judged and score > DETECTOR.threshold_) == (why.beyond > 0)
        above = DETECTOR.outlier_scores_ > (score + SAME_SCORE if why.judged else -np.inf)
        assert why.rank == 1 + above.sum() == DETECTOR.rank(np.array([score]), np.array([why.judged]))[0]
        words = [word for word in text.split() if word not in ("the", "and")]
        assert why.length.value == len(words)
        assert {word.word: word.count for word in why.unexpected}.items() <= {w: words.count(w) for w in words}.items()
        unknown = {word for word in words if word in ("zxcv", "qwer")}
        assert why.unknown.value == pytest.approx(len(unknown) / max(len(set(words)), 1))


@given(texts)
def test_the_unexplained_share_is_the_one_by_which_em_would_go_on(text):
    """One more step of EM from θ gives the background (unexplained · weight + 1) / (weight + all pseudo-counts)."""
    known = " ".join(word for word in text.split() if word in DETECTOR.terms_)
    why = DETECTOR.explain([known], n_words=1000)[0]
    counts = {word.word: word.count for word in why.unexpected}
    weight = sum(1 + math.log(n) for n in counts.values())
    columns = [DETECTOR.terms_.index(word) for word in counts]
    shares = []
    for rung in DETECTOR.rungs_:
        theta = np.array(rung.mixture.prior / rung.mixture.prior.sum())
        theta[:] = 1 / len(theta)
        ratios = np.column_stack([np.ones(len(columns)), rung.mixture.ratios[columns]])
        damped = 1 + np.log(list(counts.values()))
        for _ in range(20):
            posterior = theta * ratios / (ratios @ theta)[:, None]
            theta = damped @ posterior + rung.mixture.prior
            theta /= theta.sum()
        posterior = theta * ratios / (ratios @ theta)[:, None]
        shares.append(damped @ posterior[:, 0] / weight if weight else 0)
    assert why.unexplained.value == pytest.approx(np.mean(shares), abs=1e-4)


def test_a_planted_document_is_explained_by_its_strangers_words():
    why = DETECTOR.explain(CORPUS.texts, ids=[STRANGEST])[0]
    assert (why.id, why.outlier, why.rank, why.n_docs) == (f"doc {STRANGEST}", True, 1, 300)
    assert why.unexplained.value > 0.5 > why.unexplained.typical
    assert why.unexplained.percentile > 95
    ordinary = {word for row in np.flatnonzero(CORPUS.labels == 0) for word in CORPUS.texts[row].split()}
    assert not {word.word for word in why.unexpected[:5]} & ordinary
    assert why.sentence.startswith("Flagged: ")
    assert why.unexpected[0].word in why.sentence


def test_an_ordinary_document_is_explained_by_its_topics_and_neighbours():
    row = int(np.argsort(DETECTOR.outlier_scores_)[150])
    why = DETECTOR.explain(CORPUS.texts, ids=[row], names=[f"n{i}" for i in range(300)], n_nearest=2)[0]
    assert why.id == f"n{row}"
    assert not why.outlier
    topic = DETECTOR.topics(5)[why.topics[0].number - 1]
    assert why.topics[0].words == topic.words
    assert set(why.topics[0].words) & set(CORPUS.texts[row].split())
    assert not set(why.missing) & set(CORPUS.texts[row].split())
    assert len(why.nearest) == 2
    for near in why.nearest:
        number = int(near.document.id.removeprefix("doc "))
        assert number != row
        assert CORPUS.texts[number].startswith(near.document.excerpt.rstrip("…"))
        assert 0 < near.cosine < 1
    assert why.nearest[0].cosine >= why.nearest[1].cosine
    assert why.sentence.startswith("Not flagged: ")


def test_unknown_words_are_listed_first_only_if_there_are_unusually_many():
    few, many = DETECTOR.explain(["goal striker coach league penalty eclipse zxcv", "zxcv qwer asdf goal"])
    assert "zxcv" in [word.word for word in few.unexpected]
    assert [word.known for word in many.unexpected][:3] == [False, False, False]
    assert "outside the vocabulary" in many.sentence


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("goal " * 300, "over and over"),
        ("zxcv qwer asdf yxcv", "100 % of its distinct words are outside the vocabulary"),
    ],
)
def test_the_sentence_names_the_alarm(text, says):
    why = DETECTOR.explain([text])[0]
    assert says in why.sentence
    assert why.outlier


@pytest.mark.parametrize("text", ["", "the and of"])
def test_a_document_without_words_is_not_judged(text):
    why = DETECTOR.explain([text], names=["a"])[0]
    assert why.sentence == "Not judged: it has no words that count."
    assert why.to_text() == "a: Not judged: it has no words that count."
    plain = why.to_dict()
    assert (plain["judged"], plain["outlier"], plain["score"], plain["parts"]) == (False, False, 0.0, {})
    assert why.rank == len(CORPUS.texts) + 1
    assert DETECTOR.explain(CORPUS.texts[:1])[0].to_dict()["judged"]


def test_forms_hold_the_same_and_are_ready_for_use():
    why = DETECTOR.explain(CORPUS.texts, ids=[STRANGEST])[0]
    plain = json.loads(json.dumps(why.to_dict()))
    assert plain["score"] == why.score
    assert plain["unexpected"][0] == {"word": why.unexpected[0].word, "share": why.unexpected[0].share} | {
        "count": why.unexpected[0].count,
        "known": True,
        "telling": why.unexpected[0].telling,
    }
    assert plain["sentence"] == why.sentence
    assert plain["reason"] == why.reason
    table = why.to_table()
    assert {tuple(row) for row in table} == {("id", "part", "what", "value")}
    listed = {row["what"]: row["value"] for row in table if row["part"] == "unexpected word"}
    assert listed == {word.word: word.share for word in why.unexpected}
    assert str(why) == why.to_text()
    for word in why.unexpected:
        assert re.search(rf"\d\.\d %  {word.word}\b", why.to_text())
    assert "\t" not in why.to_text()


def test_numbers_outside_the_documents_and_wrong_options_are_refused():
    for ids in ([300], [-301], ["x3"], [True], [2.0]):
        with pytest.raises(InputError, match="ids must be numbers of the 300 documents, or their names"):
            DETECTOR.explain(CORPUS.texts, ids=ids)
    with pytest.raises(InputError, match="names must have one for each of the 2 documents; got 1"):
        DETECTOR.explain(["a", "b"], names=["a"])
    with pytest.raises(ParameterError, match="n_words must be a whole number of at least 1; got 0"):
        DETECTOR.explain(["a"], n_words=0)
    assert DETECTOR.explain(CORPUS.texts, ids=[]) == []


def test_documents_may_be_named_instead_of_numbered():
    names = [f"n{number}" for number in range(300)]
    by_name = DETECTOR.explain(CORPUS.texts, ids=["n7", -1], names=names)
    assert by_name == DETECTOR.explain(CORPUS.texts, ids=[7, 299], names=names)


def test_baskets_and_matrices_are_explained_by_items_and_terms():
    baskets = [text.split() for text in CORPUS.texts]
    detector = TextOutlierDetector().fit(baskets)
    why = detector.explain(baskets, ids=[STRANGEST])[0]
    assert why.kind == "item"
    assert {word.word for word in why.unexpected} <= set(baskets[STRANGEST])
    assert "items" in why.to_text()
    counter = CountVectorizer().fit(CORPUS.texts)
    matrix = counter.transform(CORPUS.texts)
    names = counter.get_feature_names_out()
    why = TextOutlierDetector().fit(matrix, terms=names).explain(matrix, ids=[STRANGEST])[0]
    assert {word.word for word in why.unexpected} <= set(baskets[STRANGEST])
    assert why.nearest[0].document.excerpt
    own = TextOutlierDetector(vectorizer=CountVectorizer(min_df=2)).fit(CORPUS.texts)
    why = own.explain(["goal zxcv zxcv"])[0]
    assert {(word.word, word.count, word.known) for word in why.unexpected} == {("goal", 1, True), ("zxcv", 2, False)}


def test_embeddings_are_a_part_of_the_score():
    rows = np.random.default_rng(0).normal(size=(300, 4))
    detector = TextOutlierDetector().fit(CORPUS.texts, embeddings=rows)
    why = detector.explain(CORPUS.texts, ids=[7], embeddings=rows)[0]
    assert set(why.parts) - {"company"} == {"topics", "neighbours", "meaning"}
    assert why.score == detector.outlier_scores_[7]
    with pytest.raises(InputError, match="fitted with embeddings"):
        detector.explain(CORPUS.texts, ids=[7])


def test_the_sentence_names_what_the_score_is_made_of():
    rows = np.tile([1.0, 0, 0, 0], (300, 1)) + np.random.default_rng(0).normal(scale=0.01, size=(300, 4))
    ordinary = int(np.argsort(DETECTOR.outlier_scores_)[10])
    rows[ordinary] = [-1, 0, 0, 0]
    detector = TextOutlierDetector().fit(CORPUS.texts, embeddings=rows)
    why = detector.explain(CORPUS.texts, ids=[ordinary], embeddings=rows)[0]
    assert why.outlier
    assert re.search(
        r"By its words alone it would not be flagged, but its meaning is far from that of ordinary documents\.$",
        why.sentence,
    )


def test_topics_explain_an_ordinary_document_and_fail_to_explain_a_strange_one():
    row = int(np.argsort(DETECTOR.outlier_scores_)[150])
    ordinary, strange = DETECTOR.explain(CORPUS.texts, ids=[row, STRANGEST])
    explained = f"{100 * (1 - ordinary.unexplained.value):.0f} %"
    typical = f"{100 * (1 - ordinary.unexplained.typical):.0f} %"
    main = ", ".join(ordinary.topics[0].words[:3])
    assert ordinary.sentence.endswith(
        f". The topics explain {explained} of it (typical: {typical}); its main topic is “{main}”."
    )
    assert "fits no topic" not in ordinary.sentence
    assert f"{100 * strange.unexplained.value:.0f} % of it fits no topic" in strange.sentence


UNEXPLAINED, EXPLAINED = "90 % of it fits no topic (typical: {})", "The topics explain 99 % of it (typical: {})"
FAR = "it is far from every ordinary document"


@pytest.mark.parametrize(
    ("unexplained", "alarms", "parts", "says"),
    [
        (0.9, {}, {"topics": 3.0, "neighbours": 1.0}, f"{UNEXPLAINED}. Unexpected words: “a”."),
        (
            0.01,
            {},
            {"topics": 3.0, "neighbours": 1.0},
            f"{EXPLAINED}, but they fit its words badly. Unexpected words: “a”.",
        ),
        (0.9, {}, {"topics": 1.0, "neighbours": 3.0}, f"{UNEXPLAINED}, and {FAR}. Unexpected words: “a”."),
        (0.01, {}, {"topics": 1.0, "neighbours": 3.0}, f"{EXPLAINED}, but {FAR}. Unexpected words: “a”."),
        (0.9, {"rare": 1.0}, {"topics": 1.0, "alarms": 3.0}, f"{UNEXPLAINED}, and its words are rare: “a”."),
        (0.01, {"rare": 1.0}, {"topics": 1.0, "alarms": 3.0}, f"{EXPLAINED}, but its words are rare: “a”."),
    ],
)
def test_the_sentence_names_what_no_topic_explains_only_where_that_is_a_reason(unexplained, alarms, parts, says):
    why = DETECTOR.explain(CORPUS.texts, ids=[STRANGEST])[0]
    usual = why.unexplained.typical if unexplained == 0.9 else 1 - why.unexplained.typical
    words = [UnexpectedWord("a", 0.01, 1, True)]
    share = replace(why.unexplained, value=unexplained, percentile=100 * unexplained)
    why = replace(why, unexplained=share, unexpected=words, alarms=alarms, parts=parts)
    assert why.sentence.endswith(f". {says.format(f'{100 * usual:.0f} %')}")


@pytest.mark.parametrize("n_words", [10, 1000])
def test_the_sentence_names_the_same_words_however_many_are_listed(n_words):
    few = DETECTOR.explain(CORPUS.texts, n_words=4, n_nearest=0)
    more = DETECTOR.explain(CORPUS.texts, n_words=n_words, n_nearest=0)
    assert any(
        [word.word for word in a.unexpected] != [word.word for word in b.unexpected[:4]]
        for a, b in zip(few, more, strict=True)
    )
    assert [why.sentence for why in more] == [why.sentence for why in few]


@pytest.mark.parametrize(("text", "length"), [("zxcv", "1 word"), ("zxcv qwer", "2 words")])
def test_the_length_is_in_words_one_or_more(text, length):
    assert f"  length      {length} (typical: " in DETECTOR.explain([text])[0].to_text()


def test_documents_with_the_same_score_have_the_same_rank():
    twins = [*CORPUS.texts, CORPUS.texts[STRANGEST], "", ""]
    detector = TextOutlierDetector().fit(twins)
    ranks = [why.rank for why in detector.explain(twins, n_nearest=0)]
    assert ranks[STRANGEST] == ranks[300]
    assert sorted(ranks)[:3] == [1, 1, 3]
    assert ranks[301:] == [302, 302]  # not judged: after all others


HEBREW, ARABIC = "\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627"


def test_words_from_right_to_left_do_not_reorder_the_sentence():
    why = DETECTOR.explain([f"{HEBREW} {ARABIC} zxcv qwer"], names=[f"{HEBREW}.txt"])[0]
    for word in (HEBREW, ARABIC):
        assert f"“\u2068{word}\u2069”" in why.sentence
        assert f" %  \u2068{word}\u2069  (unknown)\n" in why.to_text()
    assert why.to_text().startswith(f"\u2068{HEBREW}.txt\u2069: Flagged")
    assert "“zxcv”" in why.sentence
    assert {HEBREW, ARABIC} <= {word.word for word in why.unexpected}
    latin = DETECTOR.explain(CORPUS.texts, ids=[STRANGEST])[0].to_text()
    assert not re.search("[\u2066-\u2069]", latin)


def test_directional_marks_of_documents_get_into_no_sentence():
    baskets = [text.split() for text in CORPUS.texts]
    detector = TextOutlierDetector().fit(baskets)
    why = detector.explain([[f"\u2067{HEBREW}", "zx\u2068cv", "qw\u202eer", "asdf"]], names=["a\u2069b"])[0]
    assert re.sub(f"\u2068(\ufffd?{HEBREW})\u2069", r"\1", why.to_text()) == re.sub(
        "[\u2066-\u2069]", "", why.to_text()
    )
    assert "“zx\ufffdcv”" in why.sentence
    assert "\u202e" not in why.to_text()


def test_what_is_repeated_over_and_over_is_named():
    why = DETECTOR.explain(["goal " * 200 + "match stadium coach telescope"])[0]
    assert "It repeats the same few words over and over: “goal”." in why.sentence


def test_less_means_less():
    why = DETECTOR.explain([CORPUS.texts[0]])[0]
    assert why.unknown.value == why.unknown.typical == why.unknown.percentile == 0


def test_a_word_without_an_end_does_not_fill_the_screen():
    why = DETECTOR.explain(["z" * 100_000])[0]
    assert len(why.to_text()) < 2000


def test_the_main_alarm_is_the_one_that_goes_furthest_and_rare_words_come_last():
    why = DETECTOR.explain([CORPUS.texts[0]])[0]
    for alarms, main in (
        ({}, None),
        ({"rare": 3.0}, "rare"),
        ({"unknown": 0.2, "rare": 3.0}, "unknown"),
        ({"unknown": 0.2, "repeated": 0.5, "rare": 3.0}, "repeated"),
        ({"unknown": 2.0, "empty": 1.0}, "empty"),
    ):
        assert replace(why, alarms=alarms).main_alarm == main


def test_what_nobody_asks_for_is_not_listed():
    short, whole = (
        DETECTOR.explain(CORPUS.texts[:20], n_nearest=n_nearest, n_missing=n_missing)
        for n_nearest, n_missing in ((0, 0), (3, 5))
    )
    assert all(why.nearest == [] and why.missing == [] for why in short)
    assert any(why.nearest for why in whole)
    assert any(why.missing for why in whole)
    assert [why.sentence for why in short] == [why.sentence for why in whole]


def test_the_nearest_documents_do_not_depend_on_how_many_are_looked_at_together(monkeypatch):
    together = DETECTOR.explain(CORPUS.texts[:20])
    monkeypatch.setattr("tonmf.detector.explain.explainer.AT_ONCE", 3)
    assert [why.nearest for why in DETECTOR.explain(CORPUS.texts[:20])] == [why.nearest for why in together]
