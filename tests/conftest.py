"""What the tests share: where the real data is, and small matrices of every kind."""

from __future__ import annotations

import os
from pathlib import Path

import clusters
import numpy as np
import pytest
import scipy.sparse as sp
from browser import browser, narrow_page, page  # noqa: F401 (fixtures)
from clusters import client  # noqa: F401 (a fixture)
from hypothesis import settings
from report_page import demo, report  # noqa: F401 (fixtures)
from resources import arrange, is_last_on_cluster, scheduler
from saved_models import CORPUS, SMALL
from sentence_model import minilm  # noqa: F401 (a fixture)
from serving import serving

from tonmf import TextOutlierDetector
from tonmf.datasets import load_reuters

settings.register_profile("tonmf", deadline=None, max_examples=25, derandomize=True)
settings.load_profile("tonmf")


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their markers
def pytest_collection_modifyitems(items):
    arrange(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return scheduler(config, log)


@pytest.hookimpl(trylast=True)  # after the fixtures of the test
def pytest_runtest_teardown(item, nextitem):
    if is_last_on_cluster(item, nextitem):
        clusters.close()


@pytest.fixture
def processes():
    """For a test that starts processes without a helper of ours, so that it is not taken for a quick one."""


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with the real data sets; tests that need it skip only where it is absent."""
    folder = Path(os.environ.get("TONMF_DATA", ""))
    if os.environ.get("TONMF_DATA") and folder.is_dir():
        return folder
    if os.environ.get("TONMF_REQUIRE_DATA"):
        pytest.fail(f"TONMF_REQUIRE_DATA is set, but TONMF_DATA={os.environ.get('TONMF_DATA')!r} is no folder.")
    return pytest.skip("needs the real data: set TONMF_DATA to the folder that holds it")


@pytest.fixture(scope="session")
def reuters(data_folder):
    """The paper's Reuters task: all of earn and acq, 100 of interest, as (term counts, labels)."""
    task = load_reuters("matrix")
    return task.X, task.labels


@pytest.fixture
def small():
    """Three groups of terms and 60 documents, the last four of which repeat a few terms of no one group; float64 CSR."""
    rng = np.random.default_rng(5)
    groups = np.kron(np.eye(3), np.ones(8))
    X = rng.poisson(5 * groups[rng.integers(3, size=60)] + 0.05).astype(float)
    for row in X[-4:]:
        row[:] = 0
        row[rng.choice(24, 3, replace=False)] = 9
    return sp.csr_matrix(X)


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """A fitted detector, and the folder in which it is saved."""
    detector = TextOutlierDetector(**SMALL).fit(CORPUS.texts, names=CORPUS.ids)
    folder = tmp_path_factory.mktemp("saved") / "model"
    detector.save(folder)
    return detector, folder


LIMITS = ("--max-body", "0.25", "--max-batch", "200", "--max-text", "20000", "--max-upload", "0.5")


@pytest.fixture(scope="session")
def server(saved, tmp_path_factory):
    """A server of that detector, with small limits and without a token, which tests share."""
    with serving(saved[1], tmp_path_factory.mktemp("server"), *LIMITS) as running:
        yield running
