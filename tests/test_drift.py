"""Whether far more of new documents is flagged than in training."""

import pytest
from command import run
from saved_models import CORPUS
from scipy.stats import binom

from tonmf.ranking import Ranking, drift_of


@pytest.fixture(scope="module")
def detector(saved):
    return saved[0]


def test_the_probability_is_that_of_a_binomial_by_the_share_of_training(detector):
    in_training = int((detector.labels_ == -1).sum())
    expected = (in_training + 1) / (len(CORPUS.texts) + 2)
    for judged, flagged in ((10, 1), (100, 9), (1000, 60)):
        found = drift_of(detector, judged, flagged)
        assert found.expected_share == pytest.approx(expected)
        assert found.p_value == pytest.approx(binom.sf(flagged - 1, judged, expected))


def test_the_training_documents_themselves_have_not_drifted(detector):
    found = drift_of(detector, len(CORPUS.texts), int((detector.labels_ == -1).sum()))
    assert not found.is_far
    assert found.warning is None


@pytest.mark.parametrize(("judged", "flagged"), [(0, 0), (1, 1), (5, 0), (3, 1)])
def test_few_documents_are_no_evidence(detector, judged, flagged):
    assert drift_of(detector, judged, flagged).warning is None


def test_far_more_flagged_documents_than_in_training_are_a_reason_to_warn(detector):
    warning = drift_of(detector, 400, 200).warning
    assert warning.startswith("200 of 400 judged documents (50 %) are flagged, far more than the ")
    assert warning.endswith("fit it again on such as these are.")


def test_a_small_difference_is_no_reason_however_certain(detector):
    share = drift_of(detector, 1, 0).expected_share
    found = drift_of(detector, 10**9, round(1.5 * share * 10**9))
    assert found.p_value < 1e-9
    assert not found.is_far


@pytest.mark.parametrize("command", ["score", "report"])
def test_the_command_warns_of_it(command, saved, tmp_path):
    _, model = saved
    strange, ordinary = tmp_path / "strange.txt", tmp_path / "ordinary.txt"
    strange.write_text("".join(f"qz{n} xv{n} kj{n} wq{n} vb{n}\n" for n in range(40)))
    ordinary.write_text("".join(f"{' '.join(text.split())}\n" for text in CORPUS.texts[:40]))
    options = ["--output", tmp_path / "report.html"] if command == "report" else []
    assert (
        "40 of 40 judged documents (100 %) are flagged, far more"
        in run(command, model, strange, *options, cwd=tmp_path).err
    )
    assert "far more" not in run(command, model, ordinary, *options, cwd=tmp_path).err


def test_the_documents_of_training_are_not_new_ones(detector):
    assert Ranking.by(detector, CORPUS.texts, CORPUS.ids).on_drift == []
