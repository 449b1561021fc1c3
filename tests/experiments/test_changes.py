"""What the benchmark of robustness does to its corpora, and its figures."""

import html
import re
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import grid, robustness
from benchmarks.__main__ import main as run_benchmarks
from benchmarks.changes import CHANGES, FOOTERS, N_COPIES, REPLACED, Copying, fewer
from benchmarks.contenders import CONTENDERS, KNN, NMF_RESIDUAL
from benchmarks.foreign import LANGUAGES
from benchmarks.log_lines import FAULTS, TEMPLATES, log_lines
from benchmarks.robustness import CORPORA, changed, evaluate, listed_group
from tonmf.detector.scores.groups import Group

WORDS = st.text("abcdefghij'é", min_size=1, max_size=9)
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=30).map(" ".join), min_size=12, max_size=25)

IN_PLACE = [name for name, change in CHANGES.items() if change.copying is None and change.family != "few documents"]
COPYING = [name for name, change in CHANGES.items() if change.copying]


def labels_of(texts):
    return (np.arange(len(texts)) % 6 == 0).astype(np.int64)


@pytest.mark.parametrize("name", IN_PLACE)
@settings(max_examples=10)
@given(texts=TEXTS)
def test_a_change_keeps_documents_in_their_places_with_their_labels(name, texts):
    labels = labels_of(texts)
    after, labels_after = CHANGES[name].draw(texts, labels, 3)
    assert len(after) == len(texts)
    np.testing.assert_array_equal(labels_after, labels)
    again, _ = CHANGES[name].draw(texts, labels, 3)
    assert again == after


@pytest.mark.parametrize("name", COPYING)
@settings(max_examples=10)
@given(texts=TEXTS)
def test_copies_are_last_and_the_document_is_no_longer_elsewhere(name, texts):
    labels, copying = labels_of(texts), CHANGES[name].copying
    number = copying.number(labels)
    after, labels_after = CHANGES[name].draw(texts, labels, 0)
    assert labels[number] == copying.label
    assert after[: -copying.n] == texts[:number] + texts[number + 1 :]
    assert (labels_after[-copying.n :] == copying.label).all()
    assert len(after) == len(labels_after) == len(texts) - 1 + copying.n
    words = texts[number].split()
    for copy in after[-copying.n :]:
        same = sum(a == b for a, b in zip(copy.split(), words, strict=True))
        assert same >= len(words) - round(copying.replaced * len(words))


def test_each_draw_copies_another_document():
    labels = CORPORA["demo"]()[1]
    numbers = {Copying(2, 1, which=draw).number(labels) for draw in range(5)}
    assert len(numbers) == 5
    assert labels[list(numbers)].all()


def test_exact_and_near_copies_of_all_sizes_are_made_of_outliers_and_of_ordinary_documents():
    made = {
        (change.copying.n, change.copying.label, change.copying.replaced)
        for change in CHANGES.values()
        if change.copying
    }
    assert made == {(n, label, replaced) for n in N_COPIES for label in (0, 1) for replaced in (0, REPLACED)}


@pytest.mark.parametrize(("n", "n_strange"), [(10, 1), (30, 2), (100, 5)])
def test_a_smaller_corpus_has_outliers_in_proportion_but_at_least_one(n, n_strange):
    texts, labels = CORPORA["demo"]()
    after, labels_after = fewer(texts, labels, np.random.default_rng(0), n=n)
    assert len(after) == n
    assert labels_after.sum() == n_strange
    assert set(after) <= set(texts)


@pytest.mark.parametrize("n_words", FOOTERS)
def test_footers_have_as_many_words_as_their_names_say(n_words):
    assert len(FOOTERS[n_words].split()) == n_words


@pytest.mark.parametrize(("share", "n"), [("100%", 260), ("60%", 156), ("20%", 52)])
def test_a_footer_is_on_its_share_of_the_documents(share, n):
    texts, _ = changed("demo", f"footer of 5 words on {share}")
    assert sum(text.endswith(FOOTERS[5]) for text in texts) == n


def test_a_page_shows_the_words_of_its_document():
    texts, _ = CORPORA["demo"]()
    pages, _ = changed("demo", "HTML")
    for text, page in zip(texts, pages, strict=True):
        assert page.isascii()
        shown = " ".join(re.findall(r"<p>(.*?)</p>", page, re.DOTALL))
        assert html.unescape(shown).split() == text.split()


def test_a_mail_ends_with_its_document_and_no_two_have_the_same_header():
    texts, _ = CORPORA["demo"]()
    mails, _ = changed("demo", "mail headers")
    heads = [mail.removesuffix(f"\n\n{text}") for mail, text in zip(mails, texts, strict=True)]
    assert len(set(heads)) == len(texts)
    assert all(head.startswith("Received: ") and "\n\n" not in head for head in heads)


def test_numbers_come_between_the_words_of_a_document():
    texts, _ = CORPORA["demo"]()
    after, _ = changed("demo", "numbers and ids")
    for text, more in zip(texts, after, strict=True):
        added = Counter(more.split()) - Counter(text.split())
        assert added.total() == max(2, len(text.split()) // 8)


def test_another_language_replaces_ordinary_documents_only():
    texts, labels = CORPORA["demo"]()
    after, _ = changed("demo", "mixed languages")
    replaced = np.array([a != b for a, b in zip(texts, after, strict=True)])
    assert replaced.sum() == round(0.3 * (labels == 0).sum())
    assert not replaced[labels == 1].any()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_other_words_but_as_many_and_as_different(language):
    text = "The quick brown fox, and the lazy dog: jumps over 12 vexed waltzing nymphs!"
    translated = text.translate(language)
    assert all(a != b for a, b in zip(text, translated, strict=True) if a.isalpha())
    assert all(a == b for a, b in zip(text, translated, strict=True) if not a.isalpha())
    assert len(set(translated)) == len(set(text))


def test_files_with_a_mark_or_in_utf_8_are_read_back_whatever_else_is_in_the_folder():
    texts = ["Gardening tools, ½ price – naïve façade"] * 5
    after, labels = CHANGES["mixed encodings"].draw(texts, np.array([0, 0, 0, 0, 1]), 0)
    assert labels.tolist() == [0, 0, 0, 0, 1]
    assert after[0] == after[1] == after[2]
    assert after[0].isprintable()
    assert "½" in after[0]


def test_few_words_get_accents_unless_many_should():
    texts = [" ".join(f"gardener{letter}{n}" for n in range(500)) for letter in "abcde"]
    few, many = (
        sum(word.isascii() for text in CHANGES[name].draw(texts, np.zeros(5, int), 0)[0] for word in text.split())
        / 2500
        for name in ("mixed encodings", "mixed encodings, many accents")
    )
    assert 0.7 < many < 0.9 < 0.96 < few < 1


def test_log_lines_have_frequent_templates_and_faults_in_words_of_their_own():
    lines, labels = log_lines(2000, 10, seed=1)
    assert (len(lines), labels.sum()) == (2000, 10)
    assert log_lines(2000, 10, seed=1)[0] == lines
    assert log_lines(2000, 10, seed=2)[0] != lines
    counts = [sum(bool(re.search(pattern_of(template), line)) for line in lines) for template in TEMPLATES]
    assert sum(counts) == 1990
    assert counts[0] > 5 * counts[-1] > 0
    ordinary = words_of(" ".join(TEMPLATES))
    assert all(len(words_of(fault) - ordinary) >= 4 for fault in FAULTS)
    assert not any("{" in line for line in lines)


def pattern_of(template):
    return re.sub(r"\\\{\w+\\\}", r"\\S+", re.escape(template)) + "$"


def words_of(template):
    return set(re.sub(r"\{\w+\}", " ", template).lower().split())


@pytest.mark.parametrize("name", CONTENDERS)
def test_every_contender_scores_few_documents_and_new_ones(name):
    fitted = CONTENDERS[name]().fit(["a red hat", "a red coat", "a blue hat", "his coat"])
    assert fitted.outlier_scores_.shape == (4,)
    assert np.isfinite(fitted.outlier_score(["a green hat", ""])).all()


@pytest.mark.parametrize("name", [KNN, NMF_RESIDUAL])
def test_peers_read_documents_that_share_no_word(name):
    assert np.isfinite(CONTENDERS[name]().fit(["red", "green", "blue", "the"]).outlier_scores_).all()


def test_copies_count_once_with_the_mean_of_their_scores():
    scores = np.array([0.0, 1.0, 2.0, 5.0, 1.0, 0.9])
    fitted = SimpleNamespace(outlier_scores_=scores, threshold_=1.5, groups_=[])
    figures = evaluate(fitted, np.array([0, 0, 0, 1, 1, 1]), CHANGES["copies of an outlier × 3"])
    assert figures["copies_score"] == pytest.approx(2.3)
    assert (figures["auc"], figures["ap"]) == (1.0, 1.0)
    assert figures["copies_above"] == figures["recall"] == pytest.approx(1 / 3)
    assert figures["false_alarms"] == pytest.approx(1 / 3)
    assert figures["n_flagged"] == 2


@pytest.mark.parametrize(
    ("documents", "size"),
    [([95, 96, 97, 98, 99], 5), ([1, 96, 97, 98, 99], 5), ([97, 98, 99], None), ([*range(85, 100)], None)],
)
def test_a_group_lists_copies_if_it_holds_most_of_them_and_few_others(documents, size):
    group = Group(len(documents), len(documents) / 100, ["word"], np.array(documents), 1.0)
    assert listed_group([group], n_docs=100, n_copies=5) == size


def test_one_cell_is_measured_alone_and_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(grid, "RESULTS", tmp_path)
    monkeypatch.setattr(robustness, "PAGE", tmp_path / "page.md")
    wanted = ["--only", "demo", "--change", "greeting", "--jobs", "1"]
    robustness.main(wanted)
    lines = (tmp_path / "robustness.jsonl").read_text().splitlines()
    assert len(lines) == 2 * len(CONTENDERS)  # the plain corpus too
    printed = capsys.readouterr().out
    assert "greeting" in printed
    assert "| corpus |" in printed
    robustness.main([*wanted, "--report"])
    robustness.main(wanted)
    assert (tmp_path / "robustness.jsonl").read_text().splitlines() == lines
    robustness.main([*wanted, "--again", "k-NN"])
    assert len((tmp_path / "robustness.jsonl").read_text().splitlines()) == len(lines) + 2
    assert not (tmp_path / "page.md").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--report"], "Name the benchmark that --report is for"), (["robust"], "Unknown benchmark: robust. Choose from")],
)
def test_options_need_a_benchmark_and_names_are_checked(arguments, message):
    with pytest.raises(SystemExit, match=message):
        run_benchmarks(arguments)
