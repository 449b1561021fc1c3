"""A reader's marks: what they do to the scores of documents, and what they leave alone."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from tonmf import InputError, TextOutlierDetector, load
from tonmf.datasets import load_noticeboard, make_corpus
from tonmf.detector.marks.effects import NOISE, Effects, solve
from tonmf.detector.marks.likeness import Likeness
from tonmf.detector.marks.marks import FINE_SCORE, LEAST_RISE, STRANGE_SCORE, Marks

KITCHEN, COURT, COMMON, *ORDINARY = (
    [f"{name}{number}" for number in range(n_words)]
    for name, n_words in (("kitchen", 20), ("court", 20), ("common", 300), *((name, 60) for name in "abcd"))
)


def text_of(words, rng, n_words=14):
    return " ".join([*rng.choice(words, n_words), *rng.choice(COMMON, 30 - n_words)])


def planted(seed=0, n_ordinary=200, n_each=5):
    """Texts on four ordinary subjects, then some on the kitchen, then some on a court; and where these are."""
    rng = np.random.default_rng(seed)
    texts = [text_of(ORDINARY[i % 4], rng) for i in range(n_ordinary)]
    texts += [text_of(KITCHEN, rng) for _ in range(n_each)]
    texts += [text_of(COURT, rng) for _ in range(n_each)]
    return texts, range(n_ordinary, n_ordinary + n_each), range(n_ordinary + n_each, n_ordinary + 2 * n_each)


TEXTS, OF_KITCHEN, OF_COURT = planted()


def fitted(**options):
    return TextOutlierDetector(n_restarts=1, **options).fit(TEXTS, names=[f"text-{i}" for i in range(len(TEXTS))])


@pytest.fixture(scope="module")
def detector():
    return fitted()


@pytest.fixture
def reader(detector):
    """The same detector, to mark at will."""
    return copy.copy(detector)


def beyond(detector):
    return detector.outlier_scores_ - detector.threshold_


def test_documents_like_a_strange_one_rise_and_those_like_a_fine_one_fall(reader):
    before = beyond(reader)
    reader.mark(strange=[OF_KITCHEN[0]], fine=[OF_COURT[0]])
    change = beyond(reader) - before
    assert change[OF_KITCHEN[1:]].min() > 0 > change[OF_COURT[1:]].max()
    assert reader.labels_[OF_KITCHEN[0]] == -1
    assert reader.labels_[OF_COURT[0]] == 1
    assert reader.outlier_scores_[OF_KITCHEN].min() > reader.outlier_scores_[OF_COURT].max()


def test_a_document_alone_gets_the_score_that_its_mark_stands_for(reader):
    level = reader._state.scorer.level
    reader.mark(fine=[OF_COURT[0]])
    assert reader.outlier_scores_[OF_COURT[0]] == pytest.approx(FINE_SCORE * level, abs=1e-4)
    reader.unmark().mark(strange=[3])
    assert reader.outlier_scores_[3] == pytest.approx(STRANGE_SCORE * level, rel=1e-4)


def test_without_marks_scores_are_to_the_bit_as_before(detector, reader):
    reader.mark(strange=[OF_KITCHEN[0]], fine=[OF_COURT[0]]).unmark()
    for name in ("outlier_scores_", "labels_", "threshold_", "scores_before_alarms_"):
        np.testing.assert_array_equal(getattr(reader, name), getattr(detector, name))
    np.testing.assert_array_equal(reader.outlier_score(TEXTS), detector.outlier_score(TEXTS))
    assert reader.marks_ == {}
    assert all(why.marks == [] and "marks" not in why.parts for why in reader.explain(TEXTS[:3]))


def test_scores_without_marks_stay_available(detector, reader):
    reader.mark(strange=[OF_KITCHEN[0]])
    np.testing.assert_array_equal(reader.unmarked_scores_, detector.outlier_scores_)
    np.testing.assert_array_equal(reader.outlier_score(TEXTS, marks=False), detector.outlier_scores_)
    assert (reader.outlier_scores_ != detector.outlier_scores_).any()


def test_new_documents_follow_like_training_documents(reader):
    new, of_kitchen, of_court = planted(seed=1)
    before = reader.outlier_score(new)
    reader.mark(strange=OF_KITCHEN[:3], fine=OF_COURT[:3])
    change = reader.outlier_score(new) - before
    assert change[of_kitchen].min() > change[of_court].max()
    np.testing.assert_array_equal(reader.outlier_score(TEXTS), reader.outlier_scores_)
    assert (reader.predict(TEXTS) == reader.labels_).all()


def test_marks_are_given_by_number_or_by_name_and_listed_by_name(reader):
    reader.mark(strange=["text-200", 201], fine=np.array([2, -1]))
    assert reader.marks_ == {
        "text-200": "strange",
        "text-201": "strange",
        "text-2": "fine",
        f"text-{len(TEXTS) - 1}": "fine",
    }
    assert reader.unmark(["text-200", 2]).marks_.keys() == {"text-201", f"text-{len(TEXTS) - 1}"}
    assert reader.mark().marks_.keys() == {"text-201", f"text-{len(TEXTS) - 1}"}


def test_a_later_mark_replaces_an_earlier_one(reader):
    reader.mark(strange=[OF_COURT[0]]).mark(fine=[OF_COURT[0]])
    once = reader.outlier_scores_
    assert reader.marks_ == {"text-205": "fine"}
    np.testing.assert_allclose(reader.unmark().mark(fine=[OF_COURT[0]]).outlier_scores_, once)


def test_the_order_of_marks_does_not_matter(reader):
    reader.mark(strange=[OF_KITCHEN[0]]).mark(fine=[OF_COURT[0]])
    one_by_one = reader.outlier_scores_
    together = reader.unmark().mark(strange=[OF_KITCHEN[0]], fine=[OF_COURT[0]]).outlier_scores_
    np.testing.assert_allclose(one_by_one, together, atol=1e-6)


def test_a_document_cannot_be_strange_and_fine_at_once(detector, reader):
    with pytest.raises(InputError, match=r"text-3 is marked as strange and as fine\. Give each document one mark\."):
        reader.mark(strange=[3, 4], fine=["text-3"])
    with pytest.raises(InputError, match=r"text-3 is marked as strange and as fine, and so are 1 more"):
        reader.mark(strange=[3, 4], fine=[4, 3])
    assert reader.marks_ == {}


@pytest.mark.parametrize("wrong", [["nobody"], [10_000], [1.5], [True]])
def test_documents_that_are_not_there_cannot_be_marked(reader, wrong):
    with pytest.raises(InputError, match="ids must be numbers of the 210 documents, or their names"):
        reader.mark(strange=wrong)
    with pytest.raises(InputError, match=r"ids must be those of marked documents, which marks_ lists; got"):
        reader.unmark(wrong)


def test_a_mark_as_strange_always_raises_and_one_as_fine_never_does():
    scores = np.array([-3.0, 0.5, 50.0])
    for strange, gaps in ((True, [11.5, 9.75, LEAST_RISE]), (False, [0, -0.25, -25])):
        marks = Marks.of("abc", np.full(3, strange), sp.csr_matrix((3, 2)), None, scores, level=2.0)
        np.testing.assert_allclose(marks.gaps, gaps)


def test_copies_with_one_mark_are_judged_alike_and_with_contradicting_marks_in_between():
    texts = [*TEXTS, TEXTS[OF_COURT[0]], TEXTS[OF_COURT[0]]]
    copies = [OF_COURT[0], len(texts) - 2, len(texts) - 1]
    detector = TextOutlierDetector(n_restarts=1).fit(texts)
    before = detector.outlier_scores_[copies]
    as_fine = detector.mark(fine=copies).outlier_scores_[copies]
    assert np.ptp(as_fine) < 1e-6
    as_strange = detector.mark(strange=copies).outlier_scores_[copies]
    mixed = detector.mark(strange=copies[:1], fine=copies[1:2]).unmark(copies[2:]).outlier_scores_[copies]
    assert np.ptp(mixed) < 1e-6
    assert as_fine[0] < mixed[0] < as_strange[0]
    assert as_fine[0] <= before[0] < as_strange[0]


def test_thousands_of_marks_are_solved_as_by_a_dense_matrix():
    rng = np.random.default_rng(0)
    rows = normalize(sp.random(3000, 400, 0.03, format="csr", random_state=0, dtype=np.float32))
    marks = Marks.of(
        [str(i) for i in range(3000)], rng.random(3000) < 0.3, rows, None, rng.normal(2, 1, 3000), level=2.0
    )
    likeness = Likeness.among(rows[::2], None)
    effects = Effects(marks, likeness, 2.0)
    K = likeness.between([rows], [rows])
    pulls = 2.0 * (1 + NOISE) * np.linalg.solve(K + NOISE * np.eye(3000), marks.gaps)
    np.testing.assert_allclose(effects.pulls, pulls, atol=1e-3)
    np.testing.assert_allclose(effects.on([rows]), K @ pulls, atol=1e-3)


def test_every_document_of_a_corpus_can_be_marked(reader):
    strange = [*OF_KITCHEN, *OF_COURT]
    reader.mark(strange=strange, fine=range(200))
    assert len(reader.marks_) == len(TEXTS)
    assert np.flatnonzero(reader.labels_ == -1).tolist() == strange


def test_the_likeness_is_positive_semi_definite_and_a_power_of_the_cosine_is_not(reader):
    rows = reader._state.rows.rows
    K = Likeness.among(reader._state.scorer.sample, None).between([rows], [rows])
    np.testing.assert_allclose(np.diag(K), 1, atol=1e-5)
    assert np.linalg.eigvalsh(K)[0] > -1e-5
    cosines = np.clip((rows @ rows.T).toarray().astype(float), 0, 1)
    assert np.linalg.eigvalsh(cosines**0.7)[0] < -0.1


def test_conjugate_gradients_solve_equations():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 30))
    A, right = A @ A.T + np.eye(30), rng.normal(size=30)
    np.testing.assert_allclose(solve(lambda vector: A @ vector, right), np.linalg.solve(A, right), rtol=1e-6)
    assert not solve(lambda vector: A @ vector, np.zeros(30)).any()


def test_documents_without_words_are_not_marked_and_a_warning_says_so():
    detector = TextOutlierDetector(n_restarts=1).fit([*TEXTS, "", "the"])
    before = detector.outlier_scores_
    with pytest.warns(UserWarning, match=r"^2 documents have no words that count and were not marked: 210, 211\.$"):
        detector.mark(strange=[210, 211])
    assert detector.marks_ == {}
    np.testing.assert_array_equal(detector.outlier_scores_, before)
    with pytest.warns(UserWarning, match=r"^1 document has no words that count and was not marked: 210\.$"):
        detector.mark(strange=[210], fine=[OF_COURT[0]])
    assert list(detector.marks_) == [str(OF_COURT[0])]
    assert detector.outlier_scores_[[210, 211]].tolist() == [0, 0]
    assert detector.labels_[[210, 211]].tolist() == [1, 1]


def test_documents_of_unknown_words_alone_are_like_each_other():
    detector = TextOutlierDetector(n_restarts=1).fit([*TEXTS, "qwx zrt vbn plk", "hjk dfg rty uio"])
    assert (detector.labels_[-2:] == -1).all()
    detector.mark(fine=[len(TEXTS)])
    assert (detector.labels_[-2:] == 1).all()
    first, second = detector.explain(["qwx zrt vbn plk", "hjk dfg rty uio"], names=[str(len(TEXTS)), "other"])
    assert first.reason.endswith("You marked it as fine.")
    assert second.reason.endswith(f"Like {len(TEXTS)}, which you marked as fine, it has no known word.")


def test_a_document_is_told_its_own_mark_even_if_many_marked_ones_are_the_same():
    copies = ["qwx zrt vbn plk"] * 6
    names = [f"text-{number}" for number in range(len(TEXTS))] + [f"copy-{number}" for number in range(6)]
    detector = TextOutlierDetector(n_restarts=1).fit([*TEXTS, *copies], names=names)
    detector.mark(fine=[f"copy-{number}" for number in range(5)])
    *own, other = detector.explain(copies, names=names[-6:])
    assert [why.reason.endswith("You marked it as fine.") for why in own] == [True] * 5
    assert other.reason.endswith("Like copy-0, which you marked as fine, it has no known word.")


def test_new_documents_can_be_marked(reader):
    new, of_kitchen, _ = planted(seed=1)
    before = beyond(reader)
    reader.mark(strange=["kitchen"], documents=[new[of_kitchen[0]]], names=["kitchen"])
    assert reader.marks_ == {"kitchen": "strange"}
    assert (beyond(reader) - before)[OF_KITCHEN].min() > 0
    reader.mark(fine=[0], documents=[new[of_kitchen[1]]])
    (called,) = set(reader.marks_) - {"kitchen"}
    assert called.startswith("new-")
    assert set(reader.mark(strange=[0], documents=[new[of_kitchen[1]]]).marks_) == {"kitchen", called}
    assert reader.unmark([called]).marks_ == {"kitchen": "strange"}


def test_names_and_embeddings_belong_to_documents(reader):
    with pytest.raises(InputError, match=r"names are those of documents\. Give both, or leave it out\."):
        reader.mark(strange=[0], names=["a"])
    with pytest.raises(InputError, match=r"embeddings are those of documents"):
        reader.mark(strange=[0], embeddings=np.ones((1, 2)))


def test_training_documents_that_are_given_again_keep_their_names(reader):
    reader.mark(strange=[OF_KITCHEN[0]], documents=TEXTS)
    assert list(reader.marks_) == ["text-200"]


def test_marks_and_their_rows_are_saved(reader, tmp_path):
    reader.mark(strange=OF_KITCHEN[:2], fine=["text-205"]).save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.marks_ == reader.marks_
    for name in ("outlier_scores_", "unmarked_scores_", "labels_", "threshold_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(reader, name))
    new = planted(seed=1)[0]
    np.testing.assert_array_equal(loaded.outlier_score(new), reader.outlier_score(new))
    assert loaded.explain(new[200:202]) == reader.explain(new[200:202])
    np.testing.assert_array_equal(loaded.unmark().outlier_scores_, reader.unmarked_scores_)


def test_a_loaded_detector_needs_the_documents_to_mark_and_follows_once_it_has_seen_all(reader, tmp_path):
    reader.mark(strange=[OF_KITCHEN[0]]).save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    with pytest.raises(InputError, match=r"does not have its training documents any more.*choose from as well \(docu"):
        loaded.mark(fine=[OF_COURT[0]])
    some = TEXTS[OF_COURT[0] :]
    names = [f"text-{i}" for i in range(len(TEXTS))]
    loaded.mark(fine=["text-205"], documents=some, names=names[OF_COURT[0] :])
    np.testing.assert_array_equal(loaded.outlier_scores_, reader.outlier_scores_)  # not all were there
    np.testing.assert_array_equal(loaded.labels_, reader.labels_)
    reader.mark(fine=["text-205"])
    assert loaded.threshold_ == reader.threshold_
    np.testing.assert_array_equal(loaded.outlier_score(some), reader.outlier_score(some))
    loaded.mark(fine=["text-205"], documents=TEXTS, names=names)
    np.testing.assert_array_equal(loaded.outlier_scores_, reader.outlier_scores_)
    np.testing.assert_array_equal(loaded.mark(fine=[3]).outlier_scores_, reader.mark(fine=[3]).outlier_scores_)


def test_a_pickled_detector_keeps_marks_but_not_the_rows_of_documents(reader):
    reader.mark(strange=[OF_KITCHEN[0]])
    for again in (pickle.loads(pickle.dumps(reader)), copy.deepcopy(reader)):
        np.testing.assert_array_equal(again.outlier_scores_, reader.outlier_scores_)
        with pytest.raises(InputError, match="does not have its training documents"):
            again.mark(fine=[OF_COURT[0]])


def test_a_fit_forgets_marks(reader):
    assert reader.mark(strange=[0]).fit(TEXTS).marks_ == {}


def test_a_stream_keeps_marks_and_its_latest_documents_can_be_marked():
    detector = TextOutlierDetector(n_restarts=1, min_df=1).partial_fit(TEXTS[:200] + TEXTS[205:])
    detector.mark(strange=[0, 202])
    before = detector.marks_
    learnt = TextOutlierDetector(n_restarts=1, min_df=1).partial_fit(TEXTS[:200] + TEXTS[205:])
    more = planted(seed=2)[0]
    detector.partial_fit(more)
    learnt.partial_fit(more)
    assert detector.marks_ == before
    np.testing.assert_array_equal(detector.unmarked_scores_, learnt.outlier_scores_)  # marks teach the topics nothing
    assert detector.threshold_ > learnt.threshold_
    new = planted(seed=3)[0]
    np.testing.assert_array_equal(detector.outlier_score(new, marks=False), learnt.outlier_score(new))
    change = detector.outlier_score(new) - learnt.outlier_score(new)
    assert change[OF_COURT].min() > 0
    numbers = [str(205 + i) for i in range(len(more))]
    assert list(detector.unmark().mark(fine=[7, numbers[9]]).marks_) == [numbers[7], numbers[9]]


def test_in_a_stream_documents_are_ranked_among_scores_with_marks():
    detector = TextOutlierDetector(n_restarts=1).fit(TEXTS).mark(strange=[0])
    highest = detector.outlier_scores_.max()
    assert highest > detector.unmarked_scores_.max()
    detector.partial_fit(TEXTS[5:9])
    assert detector.rank(np.array([highest - 1e-3])).tolist() == [2]


def test_an_added_topic_leaves_marks_in_place(reader):
    scores = reader.outlier_scores_
    reader.mark(strange=[OF_KITCHEN[0]], fine=[3])
    reader.add_topic([TEXTS[i] for i in OF_COURT])
    assert list(reader.marks_) == ["text-200", "text-3"]
    np.testing.assert_array_equal(reader.unmarked_scores_, scores)
    assert reader.labels_[[200, 3]].tolist() == [-1, 1]


def test_embeddings_are_part_of_the_likeness():
    rng = np.random.default_rng(0)
    embeddings = rng.normal(0, 0.1, (len(TEXTS), 8))
    embeddings[:200, 0] += 1
    embeddings[200:, 1] += 1  # kitchen and court are alike
    alone = fitted().mark(strange=[OF_KITCHEN[0]])
    words_alone = (alone.outlier_scores_ - alone.unmarked_scores_)[OF_COURT].mean()
    both = TextOutlierDetector(n_restarts=1).fit(TEXTS, embeddings=embeddings).mark(strange=[OF_KITCHEN[0]])
    change = both.outlier_scores_ - both.unmarked_scores_
    assert change[OF_COURT].min() > 2 * abs(words_alone)
    np.testing.assert_allclose(both.outlier_score(TEXTS, embeddings=embeddings), both.outlier_scores_, atol=1e-4)


def test_embeddings_of_marks_are_saved(tmp_path):
    embeddings = np.random.default_rng(0).normal(size=(len(TEXTS), 8))
    detector = TextOutlierDetector(n_restarts=1).fit(TEXTS, embeddings=embeddings).mark(strange=[OF_KITCHEN[0]])
    detector.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    expected = detector.outlier_score(TEXTS[:9], embeddings=embeddings[:9])
    np.testing.assert_array_equal(loaded.outlier_score(TEXTS[:9], embeddings=embeddings[:9]), expected)


def test_a_share_to_flag_is_kept():
    detector = fitted(contamination=0.1).mark(strange=OF_KITCHEN[:3], fine=OF_COURT[:3])
    assert (detector.labels_ == -1).sum() == round(0.1 * len(TEXTS))


def test_baskets_and_rows_of_counts_can_be_marked():
    baskets = [text.split() for text in TEXTS]
    detector = TextOutlierDetector(n_restarts=1).fit(baskets).mark(strange=[OF_KITCHEN[0]])
    assert (detector.outlier_scores_ - detector.unmarked_scores_)[OF_KITCHEN].min() > 0
    words = sorted({word for text in TEXTS for word in text.split()})
    counts = sp.csr_matrix([[text.split().count(word) for word in words] for text in TEXTS])
    by_counts = TextOutlierDetector(n_restarts=1).fit(counts).mark(strange=[0], documents=counts[OF_KITCHEN[0]])
    assert (by_counts.outlier_scores_ - by_counts.unmarked_scores_)[OF_KITCHEN].min() > 0


def test_documents_on_disk_are_marked_by_giving_them():
    detector = TextOutlierDetector(n_restarts=1, memory="1GB").fit(TEXTS)
    with pytest.raises(InputError, match="not kept of documents on disk"):
        detector.mark(strange=[OF_KITCHEN[0]])
    new = planted(seed=1)[0]
    before = detector.outlier_score(new) - detector.threshold_
    detector.mark(strange=[0], documents=[TEXTS[OF_KITCHEN[0]]])
    assert (detector.outlier_score(new) - detector.threshold_ - before)[OF_KITCHEN].min() > 0
    np.testing.assert_array_equal(detector.outlier_scores_, detector.unmarked_scores_)
    detector.mark(strange=[OF_KITCHEN[1]], documents=TEXTS)
    assert (detector.outlier_scores_ != detector.unmarked_scores_).any()


def test_an_explanation_says_what_marks_did(reader):
    reader.mark(strange=["text-200"], fine=["text-205"])
    own, like, unlike, ordinary = reader.explain(TEXTS, ids=[200, 201, 206, 0])
    assert own.reason.endswith("You marked it as strange.")
    assert like.marks[0].id == "text-200"
    assert like.marks[0].mark == "strange"
    assert like.reason.endswith(f"It is {like.marks[0].likeness:.2f} like text-200, which you marked as strange.")
    assert unlike.reason.endswith(f"It is {unlike.marks[0].likeness:.2f} like text-205, which you marked as fine.")
    for why in (own, like, unlike):
        assert why.score == pytest.approx(sum(why.parts.values()), abs=1e-6)
        assert "most like it of the documents that you marked" in why.to_text()
        assert any(row["part"].startswith("like a document marked as") for row in why.to_table())
    assert "you marked" not in ordinary.reason
    assert like.parts["marks"] == pytest.approx(sum(mark.effect for mark in like.marks), abs=0.5)


def test_ranks_follow_marks(reader):
    reader.mark(strange=["text-200"])
    assert reader.explain(TEXTS, ids=[200])[0].rank == 1
    assert reader.rank(reader.outlier_scores_[[200]]).tolist() == [1]


def test_a_strange_document_is_flagged_even_if_half_of_the_documents_are_like_it(reader):
    reader.mark(strange=[0])
    assert reader.labels_[0] == -1
    assert (reader.labels_ == -1).sum() < 30


def test_a_reader_finds_more_of_what_it_looks_for():
    """Show the strangest document, mark it by its label, and go on: more outliers are among the first shown."""
    corpus = make_corpus(n_docs=400, n_outliers=30, random_state=3)
    detector = TextOutlierDetector(n_restarts=1).fit(corpus.texts)
    plain = corpus.labels[np.argsort(-detector.outlier_scores_)[:40]].sum()
    shown = []
    for _ in range(40):
        order = np.argsort(-detector.outlier_scores_)
        row = next(int(row) for row in order if row not in shown)
        shown.append(row)
        detector.mark(**{"strange" if corpus.labels[row] else "fine": [row]})
    assert corpus.labels[shown].sum() >= plain


def test_identical_documents_can_be_marked_though_nothing_tells_them_apart():
    detector = TextOutlierDetector(n_restarts=1).fit(["a dog and a cat"] * 30).mark(strange=[0])
    assert np.isfinite(detector.outlier_scores_).all()


def test_the_noticeboard_learns_from_two_marks():
    board = load_noticeboard()
    detector = TextOutlierDetector().fit(board.texts, names=board.ids)
    detector.mark(fine=["post-111"], strange=["post-065"])
    assert detector.labels_[board.ids.index("post-111")] == 1
    assert detector.labels_[board.ids.index("post-065")] == -1


def test_scores_of_documents_read_once_follow_marks(reader):
    some = TEXTS[:20] + TEXTS[200:]
    followed = reader.follow(some)
    np.testing.assert_array_equal(reader.scores_of(followed), reader.outlier_score(some))
    reader.mark(strange=[OF_KITCHEN[0]], fine=[1, 2])
    np.testing.assert_array_equal(reader.scores_of(followed), reader.outlier_score(some))
    reader.unmark()
    np.testing.assert_array_equal(reader.scores_of(followed), reader.outlier_score(some, marks=False))


def test_what_other_marks_add_is_what_is_left_without_the_own_mark(reader):
    assert reader.effects_of_other_marks() == {}
    reader.mark(strange=[OF_KITCHEN[0], OF_KITCHEN[1]], fine=[1, OF_COURT[0]])
    effects = reader.effects_of_other_marks()
    assert effects.keys() == reader.marks_.keys()
    for name, effect in effects.items():
        without, row = copy.copy(reader).unmark([name]), int(name.removeprefix("text-"))
        assert effect == pytest.approx(without.outlier_scores_[row] - without.unmarked_scores_[row], abs=1e-6)
