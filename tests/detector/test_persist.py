"""Saved models: what comes back is what was saved, to the bit; and nothing that was tampered with gets through."""

import os
import resource
import signal
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from saved_models import CORPUS, NEW, SMALL, check_same
from sklearn.feature_extraction.text import CountVectorizer

import tonmf
from tonmf import TONMF, InputError, ParameterError, TextOutlierDetector, load
from tonmf.storage import atomic


def test_a_detector_comes_back_with_scores_equal_to_the_bit(saved):
    detector, folder = saved
    other = load(folder)
    check_same(detector, other, CORPUS.texts, NEW)
    assert other.get_params() == detector.get_params()
    assert sorted(os.listdir(folder)) == ["arrays.safetensors", "model.json"]


@pytest.mark.parametrize(
    "options",
    [
        {"stop_words": {"goal", "week"}, "ngram_range": (1, 2)},
        {"stop_words": None, "token_pattern": r"[a-z]{3,}", "lowercase": False},
        {"stemmer": "english", "word_rules": "paper", "contamination": 0.05},
        {"analyzer": "char_wb", "ngram_range": (2, 3), "min_df": 0.02},
        {"backend": "numpy", "topic_shares": [0.01, np.float32(0.05)], "random_state": np.int64(3)},
        {"mask": ("number", "id"), "strip_html": False, "strip_headers": False},
        {"mask": None, "min_df": 2},
        {"mask": "all", "min_df": 2},
        {"stop_words": "german", "n_jobs": 1, "random_state": np.random.RandomState(0)},
    ],
    ids=",".join,
)
def test_every_option_comes_back(options, tmp_path):
    detector = TextOutlierDetector(**SMALL | options).fit(CORPUS.texts)
    detector.save(tmp_path / "model")
    check_same(detector, load(tmp_path / "model"), CORPUS.texts, NEW)


def test_baskets_matrices_and_embeddings_come_back(tmp_path):
    baskets = [text.split() for text in CORPUS.texts]
    detector = TextOutlierDetector(**SMALL).fit(baskets)
    detector.save(tmp_path / "baskets")
    check_same(detector, load(tmp_path / "baskets"), baskets, [text.split() for text in NEW])

    counter = CountVectorizer().fit(CORPUS.texts)
    matrix, new = counter.transform(CORPUS.texts), counter.transform(NEW)
    for terms in (None, counter.get_feature_names_out()):
        detector = TextOutlierDetector(**SMALL, min_df=3).fit(matrix, terms=terms)
        detector.save(tmp_path / "matrix")
        check_same(detector, load(tmp_path / "matrix"), matrix, new)

    rows = np.random.default_rng(0).normal(size=(120, 5))
    detector = TextOutlierDetector(**SMALL).fit(CORPUS.texts, embeddings=rows)
    detector.save(tmp_path / "embeddings")
    check_same(detector, load(tmp_path / "embeddings"), CORPUS.texts, NEW, embeddings=rows[: len(NEW)])


@pytest.mark.parametrize(
    "options",
    [{}, {"alpha": np.inf}, {"solver": "paper"}, {"score_by": "lift"}, {"n_topics": "auto", "score_by": "unexplained"}],
    ids=str,
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_model_alone_comes_back_to_the_bit(options, dtype, tmp_path):
    X = sp.random(80, 30, density=0.3, random_state=0, format="csr", dtype=dtype)
    model = TONMF(**{"n_topics": 3, "random_state": 0, "max_iter": 20} | options).fit(X)
    model.save(tmp_path / "model")
    other = load(tmp_path / "model")
    np.testing.assert_array_equal(other.outlier_score(X), model.outlier_score(X))
    np.testing.assert_array_equal(other.transform(X), model.transform(X))
    np.testing.assert_array_equal(other.outlier_scores_, model.outlier_scores_)
    assert other.get_params() == model.get_params()
    assert other.threshold_ == model.threshold_


def test_feature_names_of_the_model_come_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(np.random.default_rng(0).poisson(1.0, (40, 4)) + 0.0, columns=list("abcd"))
    model = TONMF(n_topics=2, random_state=0).fit(X)
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").feature_names_in_.tolist() == list("abcd")
    load(tmp_path / "model").outlier_score(X)


def test_excerpts_of_documents_stay_out_on_request(saved, tmp_path):
    detector, folder = saved
    detector.save(tmp_path / "model", excerpts=False)
    nearest = load(tmp_path / "model").explain(NEW[:1])[0].nearest
    assert [(near.document.id in CORPUS.ids, near.document.excerpt) for near in nearest] == [(True, "")] * 3
    assert load(folder).explain(NEW[:1])[0].nearest[0].document.excerpt


def test_saving_again_replaces_the_model_and_leaves_nothing_beside_it(saved, tmp_path):
    detector, _ = saved
    for _ in range(2):
        detector.save(tmp_path / "model")
    assert os.listdir(tmp_path) == ["model"]
    load(tmp_path / "model")


def test_a_failed_save_leaves_the_old_model_as_it_was(saved, tmp_path):
    detector, _ = saved
    detector.save(tmp_path / "model")
    before = {name: (tmp_path / "model" / name).read_bytes() for name in os.listdir(tmp_path / "model")}
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limit[1]))
        with pytest.raises(InputError, match=r"Cannot save a model at .*File too large"):
            detector.save(tmp_path / "model")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, handler)
    assert os.listdir(tmp_path) == ["model"]
    assert {name: (tmp_path / "model" / name).read_bytes() for name in os.listdir(tmp_path / "model")} == before


def test_nothing_but_a_model_is_overwritten(saved, tmp_path):
    detector, _ = saved
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="is a folder with other things in it"):
        detector.save(tmp_path / "mine")
    with pytest.raises(InputError, match="is a file; a model is saved as a folder"):
        detector.save(tmp_path / "mine" / "thesis.txt")
    with pytest.raises(InputError, match="Cannot save a model"):
        detector.save(tmp_path / "mine" / "thesis.txt" / "model")
    (tmp_path / "mine" / "model.json").write_text('{"format": "another program\'s"}')
    with pytest.raises(InputError, match="is a folder with other things in it"):
        detector.save(tmp_path / "mine")
    (tmp_path / "mine" / "arrays.safetensors").write_text("")
    with pytest.raises(InputError, match="is a folder with other things in it"):
        detector.save(tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"
    assert os.listdir(tmp_path) == ["mine"]


def test_an_interruption_while_a_model_is_replaced_keeps_one_of_the_two(saved, tmp_path, monkeypatch):
    detector, _ = saved
    monkeypatch.setattr(atomic, "exchange", lambda one, other: False)  # as on a file system without
    for stop_at in (1, 2):
        detector.save(tmp_path / "model")
        renamed, original = [], type(tmp_path).rename

        def rename(path, target, original=original, renamed=renamed, stop_at=stop_at):
            result = original(path, target)
            renamed.append(path)
            if len(renamed) == stop_at:
                raise KeyboardInterrupt
            return result

        with monkeypatch.context() as patched:
            patched.setattr(type(tmp_path), "rename", rename)
            with pytest.raises(KeyboardInterrupt):
                detector.save(tmp_path / "model")
        load(tmp_path / "model")
        assert os.listdir(tmp_path) == ["model"]


def test_a_saved_model_has_the_usual_access_rights(saved, tmp_path):
    before = os.umask(0o022)
    try:
        saved[0].save(tmp_path / "model")
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "model", *(tmp_path / "model").iterdir())}
    assert modes == {"model": 0o755, "model.json": 0o644, "arrays.safetensors": 0o644}


def test_a_link_stays_a_link(saved, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for _ in range(2):
        saved[0].save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link", "real"]
    load(tmp_path / "link")


def test_a_model_can_be_loaded_while_it_is_replaced(saved, tmp_path):
    saved[0].save(tmp_path / "model")
    code = "import sys; from tonmf import load; m = load(sys.argv[1])\nfor _ in range(60): m.save(sys.argv[1])"
    saver = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "model")])
    n_loaded = 0
    while saver.poll() is None:
        load(tmp_path / "model")
        n_loaded += 1
    assert saver.returncode == 0
    assert n_loaded > 5


def test_code_of_the_users_own_is_not_saved(tmp_path):
    for options in ({"vectorizer": CountVectorizer()}, {"analyzer": str.split}):
        detector = TextOutlierDetector(**SMALL | options).fit(CORPUS.texts)
        with pytest.raises(ParameterError, match="a saved model holds no code"):
            detector.save(tmp_path / "model")
    assert not os.listdir(tmp_path)


def test_a_pattern_that_may_take_for_ever_is_not_saved(tmp_path):
    options = {"token_pattern": r"(?=\w)\w+"}
    detector = TextOutlierDetector(**SMALL, **options).fit(CORPUS.texts)
    with pytest.raises(
        ParameterError, match=r"token_pattern=.* cannot be saved, as it could not be loaded: the time that"
    ):
        detector.save(tmp_path / "model")
    assert not os.listdir(tmp_path)


def test_load_is_public():
    assert tonmf.load is load
