"""Files that are no saved model, or no longer one: an error of ours each time, and nothing executed or allocated."""

import json
import os
import random
import struct

import numpy as np
import pytest
from saved_models import CORPUS, NEW, SMALL
from tampered import arrays_of, changed, copy_of, fields_of, first, mutate_fields, mutated, put_arrays, sign

from tonmf import InputError, TextOutlierDetector, TonmfError, load


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    """A saved detector with marks."""
    folder = tmp_path_factory.mktemp("marked") / "model"
    TextOutlierDetector(**SMALL).fit(CORPUS.texts).mark(strange=[0], fine=[1]).save(folder)
    return folder


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
    (
        "a parameter that was removed",
        lambda f: f["parameters"].update(n_buckets=65536),
        r"fitted with n_buckets=65536, an option that has been removed\. Fit again without it\.",
    ),
    ("a wrong parameter", lambda f: f["parameters"].update(min_df=-3), "min_df must be"),
    ("an unknown language", lambda f: f["parameters"].update(stop_words="klingon"), "stop_words must be"),
    ("a broken pattern", lambda f: f["parameters"].update({"token_pattern": "("}), "token_pattern must be"),
    ("a seed of text", lambda f: f["parameters"].update(random_state="x"), "random_state must be"),
    (
        "embeddings that are not there",
        lambda f: f.update(meaning={"width": 7, "weight": 0.4, "scale": {"median": 0, "spread": 1}}),
        r"meaning\.rows is missing",
    ),
    (
        "embeddings of an earlier version",
        lambda f: f.update(embedding_width=7),
        "by an earlier version.*; fit it again",
    ),
    (
        "a regular expression without a bottom",
        lambda f: f["parameters"].update({"token_pattern": "(" * 5000}),
        "token_pattern",
    ),
    (
        "a regular expression that may take for ever",
        lambda f: f["parameters"].update({"token_pattern": r"(\w+)*!", "mask": None}),
        r"token_pattern is '\(\\\\w\+\)\*!', and the time that this regular expression takes may grow much faster than a text",
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


HOSTILE_MARKS = [
    ("no marks", lambda f: f["marks"].update(ids=[], marks=[]), "marks.ids must be different strings, at least one"),
    ("an id twice", lambda f: f["marks"].update(ids=["a", "a"]), "marks.ids must be different strings"),
    ("another mark", lambda f: f["marks"].update(marks=["strange", "evil"]), "marks.marks must be 'strange' or 'fine'"),
    ("a mark too few", lambda f: f["marks"].update(marks=["fine"]), "marks.marks must be 'strange' or 'fine'"),
    ("a document more", lambda f: f["marks"].update(ids=list("abc"), marks=["fine"] * 3), "marks.ends must be of 3"),
    ("a threshold of text", lambda f: f["marks"].update(threshold="x"), "marks.threshold must be a number"),
]


@pytest.mark.parametrize(("change", "says"), [case[1:] for case in HOSTILE_MARKS], ids=[c[0] for c in HOSTILE_MARKS])
def test_marks_that_cannot_be_are_refused(marked, tmp_path, change, says):
    copy = copy_of(marked, tmp_path)
    fields = fields_of(copy)
    change(fields)
    sign(copy, fields)
    with pytest.raises(InputError, match="(?s)cannot be used.*" + says):
        load(copy)


HOSTILE_MARK_ARRAYS = [
    ("columns outside", changed("marks.columns", first(10**6)), "marks.columns holds a number of"),
    ("gaps beyond measure", changed("marks.gaps", first(1e20)), "beyond"),
    ("gaps of others", changed("marks.gaps", lambda a: a[:-1].copy()), "must have shape"),
    ("effects of others", changed("marks.training", lambda a: a[:-1].copy()), "must have shape"),
    ("rows below zero", changed("marks.values", first(-0.5)), "negative"),
]


@pytest.mark.parametrize(
    ("change", "says"), [c[1:] for c in HOSTILE_MARK_ARRAYS], ids=[c[0] for c in HOSTILE_MARK_ARRAYS]
)
def test_arrays_of_marks_that_cannot_be_are_refused(marked, tmp_path, change, says):
    copy = copy_of(marked, tmp_path)
    arrays = arrays_of(copy)
    change(arrays)
    put_arrays(copy, arrays)
    with pytest.raises(InputError, match="(?s)cannot be used.*" + says):
        load(copy)


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
    ("p-values above 1", changed("p_values", first(1.5)), "p_values holds numbers that are not finite, or beyond"),
    ("falling scores to compare with", changed("reference.0.values", lambda a: a[::-1].copy()), "rising numbers"),
    ("too many classes", changed("reference.cuts", lambda a: np.arange(9)), "reference.cuts must hold at most 2"),
    ("a class that is not there", changed("reference.cuts", lambda a: np.array([20])), "reference.1.values is missing"),
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
