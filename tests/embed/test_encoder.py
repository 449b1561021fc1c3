"""Texts in, rows out: in order, each text once, empty ones as zeros, whatever the model does refused or borne."""

import tracemalloc

import numpy as np
import pytest
from embedders import HashEmbedder
from hypothesis import given
from hypothesis import strategies as st

from tonmf import InputError, ParameterError
from tonmf.embed import make_encoder, same_model
from tonmf.embed.probe import SENTENCES

TEXTS = ["a red house by the sea", "the blue door", "", "a red house by the sea", " \n", "rates rose again and again"]


class Returns:
    """A model that returns what it was given, whatever the texts."""

    def __init__(self, *values):
        self.values = list(values)

    def encode(self, texts):
        value = self.values.pop(0)
        return value(texts) if callable(value) else value


@given(st.lists(st.text(max_size=6), max_size=20), st.integers(1, 7))
def test_rows_are_those_of_the_model_in_the_order_of_the_texts(texts, batch_size):
    E = make_encoder(HashEmbedder(), batch_size=batch_size).encode(texts)
    expected = HashEmbedder().encode([text if text.strip() else "" for text in texts])
    assert E.dtype == np.float32
    np.testing.assert_array_equal(E, expected)


def test_empty_texts_are_zeros_and_no_text_is_embedded_twice():
    model = HashEmbedder()
    encoder = make_encoder(model)
    E = encoder.encode(TEXTS)
    np.testing.assert_array_equal(E, HashEmbedder().encode(TEXTS))
    assert not E[[2, 4]].any()
    assert sorted(model.calls[0]) == sorted({text for text in TEXTS if text.strip()})
    assert (encoder.n_encoded, encoder.n_from_cache, encoder.n_truncated) == (3, 0, None)


def test_zeros_for_empty_texts_do_not_ask_the_model_what_it_thinks_of_nothing():
    encoder = make_encoder(HashEmbedder(width=7))
    assert encoder.encode(["", " "]).shape == (2, 7)
    assert encoder.encode([]).shape == (0, 7)


def test_what_was_given_can_be_told_by_its_name():
    encoder = make_encoder(HashEmbedder(5))
    assert (encoder.name, encoder.named, encoder.width) == ("embedders.HashEmbedder", False, 5)
    assert repr(encoder) == "Encoder('embedders.HashEmbedder')"


def test_texts_of_like_length_share_a_batch():
    model = HashEmbedder()
    make_encoder(model, batch_size=2).encode(["a" * n for n in (3, 90, 1, 80)])
    assert [[len(text) for text in call] for call in model.calls] == [[90, 80], [3, 1]]


def test_progress_rises_to_one():
    shares = []
    make_encoder(HashEmbedder(), batch_size=2).encode([f"text {n}" for n in range(7)], progress=shares.append)
    assert shares == sorted(set(shares))
    assert shares[-1] == 1
    assert len(shares) == 4


def test_batches_of_a_stream_are_embedded_one_by_one():
    encoder, taken = make_encoder(HashEmbedder()), []

    def stream():
        for number in range(3):
            taken.append(number)
            yield [f"text {number}", f"more {number}"]

    rows = encoder.batches(stream())
    assert next(rows).shape == (2, 32)
    assert taken == [0]
    assert [E.shape for E in rows] == [(2, 32)] * 2


def test_a_stream_takes_no_more_memory_than_its_batches(tmp_path):
    model = HashEmbedder(width=2_000)
    model.encode = lambda texts: np.ones((len(texts), 2_000), np.float32)
    encoder = make_encoder(model, cache=tmp_path)
    stream = ([f"{batch} {number}" for number in range(100)] for batch in range(60))
    next(batches := encoder.batches(stream))
    tracemalloc.start()
    try:
        for _ in batches:
            pass
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * 100 * 2_000 * 4  # all of them are 60 batches


def test_halves_of_surrogate_pairs_are_borne():
    given_to = []
    encoder = make_encoder(Returns(lambda texts: given_to.extend(texts) or [[1.0]]))
    assert encoder.encode(["half \ud800 pair"]).tolist() == [[1]]
    assert given_to == ["half ? pair"]


@pytest.mark.parametrize("dtype", ["int64", "int8", "float16", "float64", "bool"])
def test_numbers_of_any_type_become_float32(dtype):
    E = make_encoder(Returns(np.ones((1, 3), dtype))).encode(["text"])
    assert E.dtype == np.float32
    assert E.tolist() == [[1, 1, 1]]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ([[1.0, np.nan], [1, 1]], "finite numbers; 1 of 2 rows hold NaN"),
        (np.full((2, 2), 1e300), "too large for float32"),
        (np.ones((3, 4)), r"one row for each of 2 texts; it returned an array of shape \(3, 4\)"),
        (np.ones(2), r"one row for each of 2 texts; it returned an array of shape \(2,\)"),
        (np.ones((2, 0)), r"an array of shape \(2, 0\)"),
        (np.ones((2, 3, 4)), r"an array of shape \(2, 3, 4\)"),
        ([["a", "b"], ["c", "d"]], "dense matrix of real numbers; it returned values of type <U1"),
        (None, "values of type object"),
        ([[1, 2], [1]], "cannot be made one: setting an array element"),
    ],
)
def test_what_is_no_row_a_text_is_refused(returned, message):
    with pytest.raises(InputError, match=rf"^encode of Returns must return .*{message}"):
        make_encoder(Returns(returned)).encode(["one", "another"])


def test_rows_of_another_width_than_before_are_refused():
    encoder = make_encoder(Returns(np.ones((1, 3)), np.ones((1, 4))))
    encoder.encode(["text"])
    with pytest.raises(InputError, match="it returned 3 columns before, and 4 now"):
        encoder.encode(["another"])


@pytest.mark.parametrize("model", [object(), HashEmbedder, 3, None, b"model"])
def test_what_cannot_embed_is_refused(model):
    with pytest.raises(InputError, match=r"name of a model, or an object with a method encode\(list of texts\)"):
        make_encoder(model)


def test_errors_of_a_users_model_stay_as_they_are():
    def fails(texts):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        make_encoder(Returns(fails)).encode(["text"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "batch_size must be a whole number of at least 1; got 0"),
        ({"device": 1}, "device must be a name such as 'cpu' or 'cuda'; got 1"),
        ({"device": "cpu"}, "device is for models that are named"),
        ({"cache": 1}, "cache must be a folder, 'auto' or None; got 1"),
        ({"cache": ""}, "cache must be a folder"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        make_encoder(HashEmbedder(), **options)


def test_an_empty_name_is_refused():
    with pytest.raises(ParameterError, match="embedder must name a model; got an empty name"):
        make_encoder(" ")


@pytest.mark.parametrize(
    ("texts", "message"),
    [("one text", "got one text: 'one text'. Put it into a list"), (["a", None], "number 1 is None"), ([b"a"], "b'a'")],
)
def test_what_is_no_list_of_texts_is_refused(texts, message):
    with pytest.raises(InputError, match=message):
        make_encoder(HashEmbedder()).encode(texts)


def test_a_probe_tells_models_apart_but_not_precisions():
    probe = make_encoder(HashEmbedder(384)).probe
    np.testing.assert_array_equal(probe, HashEmbedder(384).encode(SENTENCES))
    rng = np.random.default_rng(0)
    noise = rng.normal(size=probe.shape) * np.abs(probe)
    in_bfloat16 = (probe.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    for same in (probe, probe.astype(np.float16), probe + 1e-6 * noise, in_bfloat16):
        assert same_model(probe, same)
    for other in (
        2 * probe,
        -probe,
        probe[::-1],
        probe[:, ::-1],
        probe + 0.2 * noise,
        probe[:, :-1],
        np.zeros_like(probe),
    ):
        assert not same_model(probe, other)
