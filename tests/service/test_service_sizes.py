"""Models and files that claim more than they hold: the server takes no memory for claims."""

import tracemalloc

import numpy as np
import pytest
from tampered import copy_of, fields_of, sign

from tonmf import TextOutlierDetector
from tonmf.service import job_memory
from tonmf.service.model import ServedModel

N_COLUMNS = 2**24


@pytest.fixture(scope="module")
def counts(tmp_path_factory):
    """A saved model of 30 columns without names."""
    folder = tmp_path_factory.mktemp("counts") / "model"
    matrix = np.random.default_rng(0).poisson(0.5, (40, 30))
    TextOutlierDetector(max_topics=3, n_restarts=1, topic_shares=(0.03,)).fit(matrix).save(folder)
    return folder


def test_a_model_that_claims_millions_of_columns_takes_no_memory_for_them(counts, tmp_path):
    folder = copy_of(counts, tmp_path)
    fields = fields_of(folder)
    fields["vocabulary"]["n_columns"] = N_COLUMNS
    sign(folder, fields)
    ServedModel.load(str(counts)).warm_up([None])
    documents = [("a", {0: 3.0, N_COLUMNS - 1: 4.0}), ("b", {1: 1.0, 2: 1.0})]
    tracemalloc.start()
    try:
        model = ServedModel.load(str(folder))
        scores = model.score(documents)
        model.explain(documents, 10, 3, True)
        model.mark(documents, {"a": "strange"})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < N_COLUMNS
    assert scores[1] == ServedModel.load(str(counts)).score(documents[1:])[0] | {"rank": scores[1]["rank"]}
    assert model.columns[str(N_COLUMNS - 1)] == N_COLUMNS - 1
    assert [name for name in (str(N_COLUMNS), "-1", "00", "٣", "1.0", "", "9" * 5000) if name in model.columns] == []


def test_a_job_gets_a_share_of_what_its_container_or_service_may_use(tmp_path, monkeypatch):
    inner = tmp_path / "groups" / "system.slice" / "tonmf.service"
    inner.mkdir(parents=True)
    (tmp_path / "own").write_text("0::/system.slice/tonmf.service\n")
    monkeypatch.setattr(job_memory, "GROUPS", tmp_path / "groups")
    monkeypatch.setattr(job_memory, "OWN_GROUP", tmp_path / "own")
    machine = job_memory.available_memory()
    (inner / "memory.max").write_text("max\n")
    assert job_memory.available_memory() == machine
    (inner.parent / "memory.max").write_text(f"{2**28}\n")
    assert job_memory.available_memory() == 2**28
    (inner / "memory.max").write_text(f"{2**27}\n")
    assert job_memory.memory_of_a_job(2) == 3 * 2**24
