"""Outliers among embeddings alone."""

import pickle
import random

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.utils.estimator_checks as checks
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from tampered import arrays_of, changed, copy_of, fields_of, first, mutate_fields, mutated, put_arrays, sign

from tonmf import EmbeddingOutlierDetector, InputError, ParameterError, TonmfError, load
from tonmf.datasets import load_bbc
from tonmf.detector.scores.likeness import POWER, ByMeaning
from tonmf.detector.vectors.rows import UnitRows

WIDTH = 24


def clusters(n_docs=400, seed=0, n_clusters=4):
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(99).normal(size=(n_clusters, WIDTH))
    return (centres[np.arange(n_docs) % n_clusters] + 0.4 * rng.normal(size=(n_docs, WIDTH))).astype(np.float32)


SINGLE = [5, 77, 310]
"""Documents of `E` that are like no other."""

E = clusters()
E[SINGLE] = np.random.default_rng(1).normal(size=(3, WIDTH))


@pytest.fixture(scope="module")
def fitted():
    return EmbeddingOutlierDetector().fit(E)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A saved detector in which documents vouch for others."""
    folder = tmp_path_factory.mktemp("vectors") / "model"
    EmbeddingOutlierDetector().fit(with_group()[0], names=[f"image-{n}" for n in range(600)]).save(folder)
    return folder


def with_group():
    """Embeddings with a group of 24 documents between two clusters, and the numbers of these."""
    rows, group = clusters(600), np.arange(0, 600, 25)
    rows[group] = clusters(len(group), seed=5, n_clusters=1) + 1.2 * np.random.default_rng(6).normal(size=WIDTH)
    return rows, group


def test_single_outliers_are_found(fitted):
    assert set(np.argsort(-fitted.outlier_scores_)[:3]) == set(SINGLE)
    assert (fitted.labels_[SINGLE] == -1).all()
    assert (fitted.labels_ == -1).mean() < 0.05
    assert (fitted.fit_predict(E) == fitted.labels_).all()


def test_strange_documents_vouch_for_a_group():
    rows, group = with_group()
    detector = EmbeddingOutlierDetector().fit(rows)
    parts = [why.parts for why in detector.explain(rows)]
    company = np.array([one["company"] for one in parts])
    assert np.median(company[group]) > detector.threshold_ / 2
    assert np.median(company) == 0
    labels = np.isin(np.arange(600), group)
    assert roc_auc_score(labels, detector.outlier_scores_) > 0.99
    meaning = np.array([one["meaning"] for one in parts])
    np.testing.assert_allclose(meaning + company, detector.outlier_scores_, atol=1e-9)


def test_likeness_by_meaning_is_a_power_of_the_positive_cosine():
    rows = UnitRows.of(E)[:50]
    expected = np.maximum(rows.astype(float) @ rows.T.astype(float), 0) ** POWER
    np.testing.assert_allclose(ByMeaning(rows).alike(ByMeaning(rows)), expected, atol=1e-12)


def test_articles_on_another_subject_are_found_by_embeddings_that_know_the_subject(data_folder):
    """The model has learnt from all articles, as one that was trained elsewhere knows all subjects."""
    every = load_bbc(inliers=("business", "politics", "entertainment", "sport"), n_outliers=400)
    words = TfidfVectorizer(min_df=2, stop_words="english", sublinear_tf=True)
    model = make_pipeline(words, TruncatedSVD(50, random_state=0)).fit(every.texts)
    task = load_bbc()
    detector = EmbeddingOutlierDetector().fit(model.transform(task.texts))
    assert roc_auc_score(task.labels, detector.outlier_scores_) > 0.95


def test_training_documents_given_again_have_their_scores(fitted):
    np.testing.assert_allclose(fitted.outlier_score(E), fitted.outlier_scores_, rtol=1e-9)
    np.testing.assert_allclose(fitted.outlier_score(E[SINGLE]), fitted.outlier_scores_[SINGLE], rtol=1e-9)
    np.testing.assert_array_equal(fitted.predict(E), fitted.labels_)
    np.testing.assert_allclose(fitted.decision_function(E), -fitted.outlier_scores_ + fitted.threshold_, atol=1e-9)
    np.testing.assert_allclose(fitted.score_samples(E), -fitted.outlier_scores_, rtol=1e-9)


@pytest.mark.parametrize("n_docs", [400, 3000])
def test_neither_threads_nor_order_nor_scale_matter(n_docs):
    """More than 2,000 documents are compared with a sample, which is drawn by what they are."""
    rows = clusters(n_docs)
    rows[SINGLE] = E[SINGLE]
    detector = EmbeddingOutlierDetector(n_jobs=1).fit(rows)
    threads = EmbeddingOutlierDetector(n_jobs=3).fit(rows)
    np.testing.assert_array_equal(threads.outlier_scores_, detector.outlier_scores_)
    order = np.random.default_rng(0).permutation(n_docs)
    shuffled = EmbeddingOutlierDetector().fit(rows[order])
    np.testing.assert_allclose(shuffled.outlier_scores_, detector.outlier_scores_[order], rtol=1e-6, atol=1e-6)
    assert shuffled.threshold_ == pytest.approx(detector.threshold_)
    larger = EmbeddingOutlierDetector().fit(rows * np.float32(2**40))
    np.testing.assert_array_equal(larger.outlier_scores_, detector.outlier_scores_)


def test_only_some_of_very_many_documents_are_scored_at_first(monkeypatch):
    monkeypatch.setattr("tonmf.detector.vectors.scorer.MOST_AT_FIRST", 500)
    rows = clusters(3000)
    rows[SINGLE] = E[SINGLE]
    detector = EmbeddingOutlierDetector().fit(rows)
    assert set(np.argsort(-detector.outlier_scores_)[:3]) == set(SINGLE)
    order = np.random.default_rng(0).permutation(3000)
    shuffled = EmbeddingOutlierDetector().fit(rows[order])
    np.testing.assert_allclose(shuffled.outlier_scores_, detector.outlier_scores_[order], rtol=1e-6, atol=1e-6)


class Tensor:
    """What a library of tensors has in common with NumPy."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        if self.values is None:
            raise RuntimeError("it is on a GPU")
        return np.asarray(self.values, dtype)


@pytest.mark.parametrize(
    ("given", "rounding"),
    [
        (E.astype(np.float64), 1e-4),
        (E.astype(np.float16), 0.1),
        (E.astype(np.float64) * 1e-200, 1e-4),
        (E.astype(np.float64) * 1e200, 1e-4),
        (E.tolist(), 1e-4),
        (Tensor(E), 0),
        (np.asfortranarray(E), 0),
    ],
    ids=["float64", "float16", "tiny", "huge", "lists", "tensor", "by columns"],
)
def test_any_floating_point_format_will_do(fitted, given, rounding):
    found = EmbeddingOutlierDetector().fit(given)
    np.testing.assert_allclose(found.outlier_scores_, fitted.outlier_scores_, atol=rounding)


def test_a_memory_map_is_read_a_block_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr("tonmf.detector.vectors.scorer.MOST_AT_FIRST", 2000)
    stored = np.lib.format.open_memmap(tmp_path / "e.npy", "w+", np.float32, (3000, WIDTH))
    stored[:] = clusters(3000)
    stored.flush()
    taken = []
    plain = UnitRows.__getitem__

    def take(rows, which):
        taken.append(out := plain(rows, which))
        return out

    monkeypatch.setattr(UnitRows, "__getitem__", take)
    mapped = EmbeddingOutlierDetector().fit(np.load(tmp_path / "e.npy", mmap_mode="r"))
    assert sorted({len(rows) for rows in taken})[-1] <= 2500 < sum(len(rows) for rows in taken)
    np.testing.assert_array_equal(
        mapped.outlier_scores_, EmbeddingOutlierDetector().fit(clusters(3000)).outlier_scores_
    )


def row(number, value):
    rows = E.copy()
    rows[number] = value
    return rows


WRONG = [
    (row(7, np.nan), "row 7 has NaN or infinity"),
    (row([7, 9], np.inf), "row 7 and 1 more have NaN or infinity"),
    (row([3, 4, 8], 0), "row 3 and 2 more have nothing but zeros. Leave them out"),
    (row(3, 0), "row 3 has nothing but zeros"),
    (E[0], r"got an array of shape \(24,\)\. Reshape your data"),
    (E[None], r"got an array of shape \(1, 400, 24\)"),
    (E[:, :0], r"0 feature\(s\) \(shape=\(400, 0\)\)"),
    (np.ones((5, 3), int), "got values of type int64, as counts or labels have"),
    (np.ones((5, 3), bool), "got values of type bool, as counts or labels have"),
    (np.full((5, 3), "a"), "got values of type <U1"),
    (np.full((5, 3), None), "got values of type object"),
    (E.astype(complex), "Complex data not supported"),
    (sp.csr_matrix(E), "got a sparse matrix, as counts of words are in"),
    ([[1.0, 2.0], [1.0]], "what came cannot be made one"),
    (Tensor(None), "cannot be made one .it is on a GPU"),
    ("text", "got values of type <U4"),
]


@pytest.mark.parametrize(("wrong", "says"), WRONG, ids=[case[1][:30] for case in WRONG])
def test_embeddings_that_cannot_be_used_are_refused_by_fit_and_by_scores(fitted, wrong, says):
    with pytest.raises(InputError, match=says):
        EmbeddingOutlierDetector().fit(wrong)
    with pytest.raises(InputError, match=says):
        fitted.outlier_score(wrong)


def test_the_width_must_be_that_of_the_fit(fitted):
    with pytest.raises(
        InputError, match=r"X has 4 features, .* expecting 24 features as input: use the embedding model"
    ):
        fitted.predict(E[:, :4])


def test_two_documents_are_too_few():
    with pytest.raises(InputError, match="at least 3 documents, to compare them with one another; got n_samples=2"):
        EmbeddingOutlierDetector().fit(E[:2])
    three = EmbeddingOutlierDetector().fit(E[:3])
    assert np.isfinite(three.outlier_scores_).all()
    assert len(three.explain(E[:3])) == 3


def test_copies_of_one_embedding_say_nothing():
    detector = EmbeddingOutlierDetector().fit(np.repeat(E[:1], 50, axis=0))
    assert not detector.outlier_scores_.any()
    assert (detector.labels_ == 1).all()
    assert (detector.p_values_ == 1).all()


def test_a_fit_that_fails_changes_nothing():
    detector = EmbeddingOutlierDetector().fit(E)
    with pytest.raises(InputError):
        detector.fit(E[:2, :3])
    with pytest.raises(InputError, match="names must have one for each of the 5 documents"):
        detector.fit(E[:5, :3], names=["a"])
    np.testing.assert_allclose(detector.outlier_score(E), detector.outlier_scores_, rtol=1e-9)


def test_wrong_parameters_are_refused():
    with pytest.raises(
        ParameterError, match=r"contamination must be a number above 0 and up to 0\.5, or 'auto'; got 2"
    ):
        EmbeddingOutlierDetector(contamination=2).fit(E)
    with pytest.raises(ParameterError, match="n_jobs must be"):
        EmbeddingOutlierDetector(n_jobs=0).fit(E)


def test_contamination_is_the_share_that_is_flagged():
    detector = EmbeddingOutlierDetector(contamination=0.1).fit(E)
    assert (detector.labels_ == -1).sum() == 40
    assert detector.offset_ == -detector.threshold_


def test_p_values_say_which_share_of_ordinary_documents_is_as_strange(fitted):
    new = fitted.p_value(clusters(seed=7))
    assert 0.02 < (new < 0.1).mean() < 0.12  # p-values err on the side of ordinary
    assert fitted.p_value(E[SINGLE]).max() < 0.02
    assert fitted.p_values_[SINGLE].max() < 0.001
    assert np.median(fitted.p_values_) > 0.4


def test_an_explanation_names_the_nearest_ordinary_documents():
    names = [f"image-{number}.png" for number in range(400)]
    detector = EmbeddingOutlierDetector().fit(E, names=names)
    strange, ordinary = detector.explain(E, ids=["image-5.png", 8], n_nearest=5)
    assert (strange.id, strange.outlier, strange.rank <= 3) == ("image-5.png", True, True)
    assert (ordinary.id, ordinary.outlier) == ("image-8.png", False)
    assert strange.score == pytest.approx(sum(strange.parts.values()))
    assert strange.score > strange.threshold == detector.threshold_ > ordinary.score
    assert strange.closeness < ordinary.closeness
    assert strange.p_value < 0.02 < ordinary.p_value
    cosines = [near.cosine for near in ordinary.nearest]
    assert len(cosines) == 5
    assert cosines == sorted(cosines, reverse=True)
    places = [names.index(near.id) for near in ordinary.nearest]
    assert 8 not in places
    assert {place % 4 for place in places} == {0}  # of its own cluster
    unit = E / np.linalg.norm(E, axis=1, keepdims=True)
    np.testing.assert_allclose(cosines, unit[places] @ unit[8], rtol=1e-5)
    assert strange.reason.startswith(
        f"It is far from ordinary documents: its closeness to them is {strange.closeness:.2f}"
    )
    assert ordinary.reason.startswith("It is about as close to ordinary documents as most")


def test_the_reason_names_company():
    rows, group = with_group()
    detector = EmbeddingOutlierDetector().fit(rows)
    why = max(detector.explain(rows, ids=group.tolist()), key=lambda why: why.parts["company"])
    assert f"Strange documents are like it, which adds {why.parts['company']:.2f} to its score." in why.reason


def test_documents_are_called_as_they_are_named_or_numbered(fitted):
    pandas = pytest.importorskip("pandas")
    detector = EmbeddingOutlierDetector().fit(E, names=[f"n{i}" for i in range(400)])
    assert [why.id for why in detector.explain(E, ids=[3])] == ["n3"]
    assert [why.id for why in detector.explain(E[::-1], ids=[3])] == ["3"]  # other documents
    assert [why.id for why in detector.explain(E[:4], ids=["x"], names=list("wxyz"))] == ["x"]
    assert [why.id for why in fitted.explain(E, ids=[3])] == ["3"]
    with pytest.raises(InputError, match="ids must be numbers of the 400 documents, or their names; got 'nobody'"):
        fitted.explain(E, ids=["nobody"])
    frame = pandas.DataFrame(E, index=[f"row{i}" for i in range(400)]).add_prefix("e")
    framed = EmbeddingOutlierDetector().fit(frame)
    assert framed.explain(frame, ids=["row2"])[0].id == "row2"
    assert framed.feature_names_in_.tolist()[:2] == ["e0", "e1"]
    assert fitted.explain(E, ids=[]) == []


def test_a_pickled_detector_is_the_same(fitted):
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.outlier_score(E), fitted.outlier_score(E))


@pytest.mark.parametrize("company", [True, False])
def test_a_loaded_detector_is_the_same(tmp_path, company):
    rows = with_group()[0] if company else clusters(60, n_clusters=1)
    detector = EmbeddingOutlierDetector(contamination=0.05, random_state=3).fit(rows, names=np.arange(len(rows)) + 100)
    detector.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert isinstance(loaded, EmbeddingOutlierDetector)
    assert loaded.get_params() == detector.get_params()
    new = clusters(50, seed=3)
    np.testing.assert_array_equal(loaded.outlier_score(new), detector.outlier_score(new))
    np.testing.assert_array_equal(loaded.p_value(new), detector.p_value(new))
    assert loaded.explain(new) == detector.explain(new)
    for name in ("outlier_scores_", "labels_", "p_values_", "threshold_", "offset_", "n_features_in_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(detector, name))


def test_a_saved_model_keeps_the_names_of_columns(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(E).add_prefix("e")
    EmbeddingOutlierDetector().fit(frame).save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.feature_names_in_.tolist() == frame.columns.tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        loaded.predict(frame.add_prefix("x"))


HOSTILE_FIELDS = [
    ("another class", lambda f: f.update(model="os.system"), "model must be one of TONMF"),
    ("documents less than three", lambda f: f["documents"].update(n_docs=2), "must be from 3 to"),
    ("more documents", lambda f: f["documents"].update(n_docs=10**15), "must have shape 1000000000000000"),
    ("no names", lambda f: f["documents"].update(ids=[]), "documents.ids must be 1 to 600 strings"),
    ("names of another length", lambda f: f["documents"].update(ids=["x"]), "meaning.rows must have shape 1 × 24"),
    ("numbers for names", lambda f: f["documents"].update(ids=[1]), "must be a list of strings"),
    ("another width", lambda f: f["meaning"].update(width=7), "meaning.rows must have shape"),
    ("a spread of zero", lambda f: f["meaning"]["scale"].update(spread=0), "must be a number above"),
    ("a threshold of text", lambda f: f.update(threshold="x"), "threshold must be a number"),
    ("company that takes away", lambda f: f["company"].update(most=-1), "must be a number above"),
    ("a parameter more", lambda f: f["parameters"].update(evil="x"), "parameters that no saved model has: evil"),
    ("a wrong parameter", lambda f: f["parameters"].update(contamination=3), "contamination must be"),
    ("a seed of text", lambda f: f["parameters"].update(random_state="x"), "random_state must be"),
    ("names of a few columns", lambda f: f.update(feature_names=["x"]), "must be a list of 24 strings"),
]


@pytest.mark.parametrize(("change", "says"), [case[1:] for case in HOSTILE_FIELDS], ids=[c[0] for c in HOSTILE_FIELDS])
def test_fields_that_cannot_be_are_refused(folder, tmp_path, change, says):
    copy = copy_of(folder, tmp_path)
    fields = fields_of(copy)
    change(fields)
    sign(copy, fields)
    with pytest.raises(InputError, match="(?s)cannot be used.*" + says):
        load(copy)


HOSTILE_ARRAYS = [
    ("NaN in a row", changed("meaning.rows", first(np.nan)), "meaning.rows holds numbers that are not finite"),
    (
        "a long row",
        changed("meaning.rows", first(2.0)),
        "meaning.rows holds numbers that are not finite, or beyond 1.01",
    ),
    ("a far centre", changed("meaning.centre", first(5.0)), "meaning.centre holds numbers"),
    ("mistrust", changed("sample.trust", first(-0.5)), "sample.trust holds negative numbers"),
    ("too much trust", changed("sample.trust", first(3.0)), "sample.trust holds numbers"),
    ("infinite scores", changed("outlier_scores", first(np.inf)), "outlier_scores holds numbers that are not finite"),
    ("fewer scores", changed("outlier_scores", lambda a: a[1:]), "outlier_scores must have shape 600"),
    ("negative weights", changed("company.weights", first(-1.0)), "company.weights holds negative numbers"),
    ("fewer weights", changed("company.weights", lambda a: a[1:]), "company.weights must have shape"),
    ("company of nobody", changed("company.rows", lambda a: a[:0]), "company.rows must be of 1 to 2000 documents"),
    ("another type", changed("company.rows", lambda a: a.astype(np.float64)), "company.rows must be of float32"),
    ("nothing", lambda arrays: arrays.pop("meaning.centre"), "meaning.centre is missing"),
]


@pytest.mark.parametrize(("change", "says"), [case[1:] for case in HOSTILE_ARRAYS], ids=[c[0] for c in HOSTILE_ARRAYS])
def test_arrays_that_cannot_be_are_refused(folder, tmp_path, change, says):
    copy = copy_of(folder, tmp_path)
    arrays = arrays_of(copy)
    change(arrays)
    put_arrays(copy, arrays)
    with pytest.raises(InputError, match="(?s)cannot be used.*" + says):
        load(copy)


@pytest.mark.parametrize("seed", range(60))
def test_a_mutated_model_loads_and_works_or_raises_our_error(folder, tmp_path, seed):
    copy, rng = copy_of(folder, tmp_path), random.Random(seed)  # noqa: S311
    if seed % 3:
        mutate_fields(copy, rng, signed=seed % 3 == 1)
    else:
        (copy / "arrays.safetensors").write_bytes(mutated((copy / "arrays.safetensors").read_bytes(), rng))
        sign(copy, fields_of(copy))
    try:
        loaded = load(copy)
        assert np.isfinite(loaded.outlier_score(E[:3])).all()
        assert loaded.explain(E[:3])
    except TonmfError:
        pass


WHOLE_NUMBERS, OBJECTS = "gives whole numbers, which we take for counts or labels", "gives numbers as objects"
EXCEPTIONS = {
    "check_estimators_dtypes": WHOLE_NUMBERS,
    "check_classifier_data_not_an_array": WHOLE_NUMBERS,
    "check_dtype_object": OBJECTS,
}
"""Checks of scikit-learn that ask for what we refuse."""


@pytest.mark.filterwarnings("ignore")
def test_check_estimator():
    results = checks.check_estimator(
        EmbeddingOutlierDetector(), expected_failed_checks=EXCEPTIONS, on_fail="raise", on_skip=None
    )
    assert {r["check_name"] for r in results if r["status"] == "xfail"} == set(EXCEPTIONS)
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= {"check_array_api_input"}
