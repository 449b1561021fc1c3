"""A model that is saved with the rows of its training documents can mark them by name."""

import numpy as np
import pytest
from saved_models import CORPUS, SMALL
from tampered import fields_of, sign

from tonmf import TextOutlierDetector, load
from tonmf.errors import InputError


def test_training_documents_of_a_loaded_model_can_be_marked_by_name(tmp_path):
    detector = TextOutlierDetector(**SMALL).fit(CORPUS.texts, names=CORPUS.ids)
    detector.save(tmp_path / "model", rows=True)
    loaded = load(tmp_path / "model").mark(strange=[CORPUS.ids[3]], fine=[CORPUS.ids[8]])
    detector.mark(strange=[CORPUS.ids[3]], fine=[CORPUS.ids[8]])
    np.testing.assert_array_equal(loaded.outlier_scores_, detector.outlier_scores_)
    assert (loaded.threshold_, loaded.marks_) == (detector.threshold_, detector.marks_)


def test_rows_are_not_saved_unless_asked_for(tmp_path):
    TextOutlierDetector(**SMALL).fit(CORPUS.texts, names=CORPUS.ids).save(tmp_path / "model")
    with pytest.raises(InputError, match="does not have its training documents any more"):
        load(tmp_path / "model").mark(strange=[CORPUS.ids[3]])


def test_rows_of_a_detector_with_embeddings_are_saved_with_these(tmp_path):
    embeddings = np.random.default_rng(0).standard_normal((len(CORPUS.texts), 8))
    detector = TextOutlierDetector(**SMALL).fit(CORPUS.texts, embeddings=embeddings, names=CORPUS.ids)
    detector.save(tmp_path / "model", rows=True)
    loaded = load(tmp_path / "model").mark(fine=[CORPUS.ids[3]])
    np.testing.assert_allclose(loaded.outlier_scores_, detector.mark(fine=[CORPUS.ids[3]]).outlier_scores_, atol=1e-6)


def test_a_wrong_number_of_names_is_refused(tmp_path):
    TextOutlierDetector(**SMALL).fit(CORPUS.texts, names=CORPUS.ids).save(tmp_path / "model", rows=True)
    fields = fields_of(tmp_path / "model")
    fields["training"]["ids"].pop()
    sign(tmp_path / "model", fields)
    with pytest.raises(InputError, match=f"must be of {len(CORPUS.ids)} documents"):
        load(tmp_path / "model")
