"""Saved models: what comes back is what was saved, to the bit; and nothing that was tampered with gets through."""

import hashlib
import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

import tonmf
from tonmf import TONMF, InputError, ParameterError, TextOutlierDetector, TonmfError, load
from tonmf.datasets import make_corpus

CORPUS = make_corpus(n_docs=120, n_outliers=4, random_state=1)
NEW = [*make_corpus(n_docs=20, n_outliers=2, random_state=2).texts, "", "zxcv qwer", "goal " * 100]
SMALL = {"max_topics": 6, "n_restarts": 1}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    detector = TextOutlierDetector(**SMALL).fit(CORPUS.texts, names=CORPUS.ids)
    folder = tmp_path_factory.mktemp("saved") / "model"
    detector.save(folder)
    return detector, folder


def check_same(detector, other, training, new, **kwargs):
    np.testing.assert_array_equal(other.outlier_score(new, **kwargs), detector.outlier_score(new, **kwargs))
    assert other.explain(new, **kwargs) == detector.explain(new, **kwargs)
    for name in ("outlier_scores_", "labels_", "scores_before_alarms_", "empty_"):
        np.testing.assert_array_equal(getattr(other, name), getattr(detector, name))
    for name, values in detector.alarms_.items():
        np.testing.assert_array_equal(other.alarms_[name], values)
    assert (other.threshold_, other.offset_, other.kind_) == (detector.threshold_, detector.offset_, detector.kind_)
    assert other.terms_ == detector.terms_
    assert other.topics() == detector.topics()
    assert [group.words for group in other.groups_] == [group.words for group in detector.groups_]
    for mine, its in zip(other.groups_, detector.groups_, strict=True):
        np.testing.assert_array_equal(mine.documents, its.documents)


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
        {"stop_words": "german", "n_jobs": 1, "random_state": np.random.RandomState(0)},
    ],
    ids=str,
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
        try:
            load(tmp_path / "model")
        except InputError as error:  # for a moment there is none
            assert "There is no" in str(error)  # noqa: PT017
        else:
            n_loaded += 1
    assert saver.returncode == 0
    assert n_loaded > 5


def test_code_of_the_users_own_is_not_saved(tmp_path):
    for options in ({"vectorizer": CountVectorizer()}, {"analyzer": str.split}):
        detector = TextOutlierDetector(**SMALL | options).fit(CORPUS.texts)
        with pytest.raises(ParameterError, match="a saved model holds no code"):
            detector.save(tmp_path / "model")
    assert not os.listdir(tmp_path)


# ---------------------------------------------------------------------- what is not a model, or no longer one


def copy_of(folder, tmp_path):
    copy = tmp_path / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    return copy


def sign(folder, fields):
    """Write fields with the digests that belong to them, as somebody would who means harm."""
    fields.pop("digest", None)
    fields["arrays_digest"] = hashlib.sha256((folder / "arrays.safetensors").read_bytes()).hexdigest()
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
    fields["digest"] = hashlib.sha256(canonical).hexdigest()
    (folder / "model.json").write_text(json.dumps(fields))


def fields_of(folder):
    return json.loads((folder / "model.json").read_text())


def test_what_is_no_model_is_told_from_one(tmp_path):
    with pytest.raises(InputError, match=r"There is no .*nowhere"):
        load(tmp_path / "nowhere")
    with pytest.raises(
        InputError, match=r"is no saved model: expected a folder with model\.json and arrays\.safetensors"
    ):
        load(tmp_path)
    (tmp_path / "arrays.safetensors").write_bytes(b"")
    for content, says in [
        (b"\x80\x04.", "not JSON"),
        (b"[1, 2]", "not from tonmf"),
        (b'{"format": "other"}', "not from"),
    ]:
        (tmp_path / "model.json").write_bytes(content)
        with pytest.raises(InputError, match=says):
            load(tmp_path)


@pytest.mark.parametrize(
    ("schema", "says"), [(2, "Update tonmf"), (0, "Fit it again"), ("1", "whole number"), (True, "whole")]
)
def test_other_schemas_say_exactly_what_to_do(saved, tmp_path, schema, says):
    copy = copy_of(saved[1], tmp_path)
    sign(copy, fields_of(copy) | {"schema": schema})
    with pytest.raises(InputError, match=says):
        load(copy)


def test_edited_and_damaged_files_are_noticed(saved, tmp_path):
    copy = copy_of(saved[1], tmp_path)
    (copy / "model.json").write_text(json.dumps(fields_of(copy) | {"threshold": 1.0}))
    with pytest.raises(InputError, match=r"model\.json was changed after it was saved"):
        load(copy)
    copy = copy_of(saved[1], tmp_path)
    content = (copy / "arrays.safetensors").read_bytes()
    (copy / "arrays.safetensors").write_bytes(content[:-1])
    with pytest.raises(InputError, match="damaged or belongs to another model"):
        load(copy)


HOSTILE = [
    ("a kind of its own", lambda f: f.update(kind="../../etc/passwd"), "kind must be one of"),
    ("another class", lambda f: f.update(model="os.system"), "model must be one of TONMF, TextOutlierDetector"),
    ("no terms", lambda f: f["vocabulary"].update(terms=[]), "different strings"),
    (
        "a term twice",
        lambda f: f["vocabulary"]["terms"].__setitem__(0, f["vocabulary"]["terms"][1]),
        "different strings",
    ),
    ("a term more", lambda f: f["vocabulary"]["terms"].append("more"), "idf must have shape"),
    ("numbers for terms", lambda f: f["vocabulary"].update(terms=[1, 2]), "must be a list of strings"),
    ("more documents", lambda f: f["documents"].update(n_docs=10**15), "must have shape 1000000000000000"),
    ("documents less than none", lambda f: f["documents"].update(n_docs=-1), "must be from 1 to"),
    ("a number as large as a page", lambda f: f.update(threshold=10**400), "must be a number above"),
    ("a spread of zero", lambda f: f["remoteness_scale"].update(spread=0), "must be a number above"),
    ("a width below zero", lambda f: f["alarms"]["rare"].update(widths=-1), "must be a number above"),
    ("no rungs", lambda f: f.update(rungs=[]), "no rungs"),
    ("a rung too many", lambda f: f["rungs"].append(f["rungs"][0]), "rungs.3.topics is missing"),
    ("text for a rung", lambda f: f.update(rungs=["x"]), "must be a list of objects"),
    ("a parameter more", lambda f: f["parameters"].update(evil="x"), "parameters that no saved model has: evil"),
    (
        "a callback",
        lambda f: f["parameters"].update(callback="os.system"),
        "parameters that no saved model has: callback",
    ),
    ("a wrong parameter", lambda f: f["parameters"].update(min_df=-3), "min_df must be"),
    ("an unknown language", lambda f: f["parameters"].update(stop_words="klingon"), "stop_words must be"),
    ("a broken pattern", lambda f: f["parameters"].update({"token_pattern": "("}), "token_pattern must be"),
    ("a seed of text", lambda f: f["parameters"].update(random_state="x"), "random_state must be"),
    ("embeddings that are not there", lambda f: f.update(embedding_width=7), "embeddings is missing"),
    (
        "a regular expression without a bottom",
        lambda f: f["parameters"].update({"token_pattern": "(" * 5000}),
        "token_pattern",
    ),
    ("sequences without an end", lambda f: f["parameters"].update(ngram_range=[1, 10**9]), "ngram_range must be"),
    (
        "a vectorizer",
        lambda f: f["parameters"].update(vectorizer="x"),
        "parameters that no saved model has: vectorizer",
    ),
    ("a spread next to nothing", lambda f: f["remoteness_scale"].update(spread=5e-324), "must be a number above"),
    ("ids of another length", lambda f: f["documents"].update(ids=["x"]), "strings"),
]


@pytest.mark.parametrize(("change", "says"), [case[1:] for case in HOSTILE], ids=[case[0] for case in HOSTILE])
def test_fields_that_cannot_be_are_refused_though_the_digest_is_right(saved, tmp_path, change, says):
    copy = copy_of(saved[1], tmp_path)
    fields = fields_of(copy)
    change(fields)
    sign(copy, fields)
    with pytest.raises(InputError, match="(?s)cannot be used.*" + says):
        load(copy)


def arrays_of(folder):
    from safetensors.numpy import load_file

    return load_file(folder / "arrays.safetensors")


def put_arrays(folder, arrays):
    from safetensors.numpy import save_file

    save_file(arrays, folder / "arrays.safetensors")
    sign(folder, fields_of(folder))


def changed(name, change):
    def do(arrays):
        arrays[name] = change(arrays[name].copy())

    return do


def first(value):
    def put(array):
        array.flat[0] = value
        return array

    return put


HOSTILE_ARRAYS = [
    ("columns outside", changed("sample.columns", first(10**6)), "sample.columns holds a number of"),
    ("columns below zero", changed("sample.columns", first(-1)), "holds negative numbers"),
    ("ends that do not begin at 0", changed("sample.ends", first(5)), "rising numbers from 0"),
    ("ends that fall", changed("sample.ends", lambda a: a[::-1].copy()), "rising numbers from 0"),
    ("ends beyond the values", changed("sample.ends", lambda a: np.append(a[:-1], a[-1] + 9)), "must have shape"),
    ("unsorted columns", changed("sample.columns", lambda a: a[::-1].copy()), "rising numbers in each row"),
    ("nan in topics", changed("rungs.0.topics", first(np.nan)), "not finite"),
    ("topics below zero", changed("rungs.0.topics", first(-1)), "negative"),
    ("other shape", changed("rungs.0.ratios", lambda a: a[:-1].copy()), "must have shape"),
    ("other type", changed("idf", lambda a: a.astype(np.float32)), "must be of float64; got float32"),
    ("no topics", changed("rungs.0.topics", lambda a: a[:, :0].copy()), "has no column"),
    ("idf of zero", changed("idf", first(0)), "not above 0"),
    ("a prior of zero", changed("rungs.0.prior", first(0)), "above 0"),
    ("a prior beyond measure", changed("rungs.0.prior", first(1e308)), "beyond"),
    ("idf beyond measure", changed("idf", first(1e308)), "beyond"),
    ("idf next to nothing", changed("idf", first(1e-300)), "not above 0"),
    ("topics that are not of unit norm", changed("rungs.0.topics", first(1e20)), "beyond"),
    ("a missing array", lambda arrays: arrays.pop("outlier_scores"), "outlier_scores is missing"),
    ("typical documents that are not there", changed("documents.typical", first(10**9)), "holds a number of"),
]


@pytest.mark.parametrize(("change", "says"), [c[1:] for c in HOSTILE_ARRAYS], ids=[c[0] for c in HOSTILE_ARRAYS])
def test_arrays_that_cannot_be_are_refused_though_the_digest_is_right(saved, tmp_path, change, says):
    copy = copy_of(saved[1], tmp_path)
    arrays = arrays_of(copy)
    change(arrays)
    put_arrays(copy, arrays)
    with pytest.raises(InputError, match="(?s)cannot be used.*" + says):
        load(copy)


def test_a_huge_declared_shape_is_refused_without_reading(saved, tmp_path):
    copy = copy_of(saved[1], tmp_path)
    header = json.dumps({"idf": {"dtype": "F64", "shape": [2**40], "data_offsets": [0, 2**43]}}).encode()
    (copy / "arrays.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + b"\0" * 64)
    sign(copy, fields_of(copy))
    with pytest.raises(InputError, match="damaged"):
        load(copy)
    (copy / "arrays.safetensors").write_bytes(struct.pack("<Q", 2**60) + header)
    sign(copy, fields_of(copy))
    with pytest.raises(InputError, match="damaged"):
        load(copy)


def test_a_bottomless_json_is_an_error_of_ours(saved, tmp_path):
    copy = copy_of(saved[1], tmp_path)
    (copy / "model.json").write_text('{"format": "tonmf model", "x": ' + "[" * 100_000)
    with pytest.raises(InputError, match="not JSON"):
        load(copy)


def test_links_and_devices_in_place_of_files_are_refused(saved, tmp_path):
    copy = copy_of(saved[1], tmp_path)
    (copy / "arrays.safetensors").unlink()
    (copy / "arrays.safetensors").symlink_to("/dev/zero")
    with pytest.raises(InputError, match=r"arrays\.safetensors is missing"):
        load(copy)


MUTANTS = 3000


def test_thousands_of_mutated_files_load_or_are_refused_but_never_crash(saved, tmp_path):
    """Some with the right digests, so that they reach the checks behind; those that load must score as well."""
    rng = random.Random(0)  # noqa: S311
    _, folder = saved
    originals = {name: (folder / name).read_bytes() for name in os.listdir(folder)}
    copy = copy_of(folder, tmp_path)
    outcomes = {"loaded": 0, "refused": 0}
    for number in range(MUTANTS):
        for name, content in originals.items():
            (copy / name).write_bytes(content)
        signed = number % 3 > 0
        if number % 2:
            mutate_fields(copy, rng, signed)
        else:
            (copy / "arrays.safetensors").write_bytes(mutated(originals["arrays.safetensors"], rng))
            if signed:
                sign(copy, fields_of(copy))
        try:
            model = load(copy)
        except TonmfError as error:
            assert "\n" not in str(error)  # noqa: PT017
            outcomes["refused"] += 1
        else:
            outcomes["loaded"] += 1
            if outcomes["loaded"] % 10 == 0:
                with np.errstate(all="ignore"):
                    model.outlier_score(NEW)
                    model.explain(NEW[:3])
    assert outcomes["refused"] > MUTANTS / 2


def mutate_fields(folder, rng, signed):
    """Change a value somewhere in the JSON, or some of its bytes."""
    if not signed:
        (folder / "model.json").write_bytes(mutated((folder / "model.json").read_bytes(), rng))
        return
    fields = fields_of(folder)
    inside, key = fields, rng.choice([k for k in fields if k != "provenance"])
    while isinstance(inside[key], dict | list) and inside[key] and rng.random() < 0.8:
        inside = inside[key]
        key = rng.choice(list(inside)) if isinstance(inside, dict) else rng.randrange(len(inside))
    strange = [None, True, -1, 0, 2**70, -1e308, 1e-320, "", "x" * 1000, [], {}, [[]], {"a": 1}, "../../x", [None], 1.5]
    if rng.random() < 0.2:
        del inside[key]
    else:
        inside[key] = rng.choice(strange)
    sign(folder, fields)


def mutated(content, rng):
    """Bytes flipped, cut off, doubled, or put in."""
    data = bytearray(content)
    kind = rng.randrange(5)
    if kind == 0:
        return bytes(data[: rng.randrange(len(data))])
    for _ in range(rng.randint(1, 8)):
        # The header is short, and its bytes matter most.
        place = rng.randrange(min(len(data), 3000) if rng.random() < 0.5 else len(data))
        if kind == 1:
            data[place] ^= 1 << rng.randrange(8)
        elif kind == 2:
            data[place] = rng.choice(b'\0\xff"{}[]0919,:-')
        elif kind == 3:
            del data[place : place + rng.randint(1, 20)]
        else:
            data[place:place] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 9)))
    return bytes(data)


def test_load_is_public():
    assert tonmf.load is load
