"""The detector on a GPU beside the same detector on the CPU; and what can be tested of it where there is no GPU."""

import numpy as np
import pytest
from gpu import on_gpu

from tonmf import TextOutlierDetector
from tonmf.datasets import load_noticeboard
from tonmf.detector.scores import ladder
from tonmf.errors import ParameterError
from tonmf.nmf.ops.cuda import device

BOARD = load_noticeboard()


def here():
    device.open_device("cuda")
    return "cuda"


GPU = pytest.mark.parametrize("gpu", [on_gpu(here)])


@GPU
@pytest.mark.parametrize("many", [ladder.MANY, 200], ids=["all documents", "a sample first"])
def test_scores_and_reasons_agree_with_those_of_the_cpu(gpu, many, monkeypatch):
    monkeypatch.setattr(ladder, "MANY", many)
    monkeypatch.setattr(ladder, "SAMPLE", 150)
    cpu, on_gpu = (TextOutlierDetector(device=name).fit(BOARD.texts, names=BOARD.ids) for name in ("cpu", gpu))
    np.testing.assert_allclose(on_gpu.outlier_scores_, cpu.outlier_scores_, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(on_gpu.threshold_, cpu.threshold_, rtol=1e-4)
    new = ["Which fork is best for turning compost?", "zxcv qwer asdf", ""]
    np.testing.assert_allclose(on_gpu.outlier_score(new), cpu.outlier_score(new), rtol=1e-4, atol=1e-4)
    words = [
        [word.word for word in model.explain(BOARD.texts, ids=["post-065"])[0].unexpected] for model in (cpu, on_gpu)
    ]
    assert words[0] == words[1]


@GPU
def test_a_model_of_the_gpu_is_used_on_the_cpu_and_the_other_way_round(gpu, tmp_path):
    from tonmf import load

    fitted = TextOutlierDetector(device=gpu).fit(BOARD.texts)
    fitted.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.device == "cpu"
    scores = loaded.outlier_score(BOARD.texts[:20])
    np.testing.assert_allclose(scores, fitted.outlier_scores_[:20], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(
        loaded.set_params(device=gpu).outlier_score(BOARD.texts[:20]), scores, rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": "gpu"}, r"device must be 'cpu', or the name of a GPU: 'cuda', 'cuda:1' and so on; got 'gpu'"),
        ({"device": "cuda", "backend": "numpy"}, r"backend='numpy' has no effect with device='cuda'"),
        ({"device": "cuda", "memory": "1GB"}, r"device='cuda' has no effect beside memory"),
    ],
)
def test_options_that_do_not_go_with_a_gpu_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        TextOutlierDetector(**options).fit(BOARD.texts)
