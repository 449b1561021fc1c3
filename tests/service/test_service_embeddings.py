"""A server whose model compares embeddings, made by a model behind an address."""

import pytest
from embedders import HashEmbedder
from embedding_server import embedding_server
from serving import serving

from tonmf import TextOutlierDetector
from tonmf.datasets import make_corpus

CORPUS = make_corpus(n_docs=120, n_outliers=3, random_state=0)
NEW = make_corpus(n_docs=10, n_outliers=2, random_state=1).texts
SMALL = {"n_restarts": 1, "topic_shares": (0.02,)}
GIVEN = TextOutlierDetector(**SMALL).fit(CORPUS.texts, embeddings=HashEmbedder(8).encode(CORPUS.texts))


@pytest.fixture(scope="module")
def host():
    with embedding_server() as server:
        yield server


@pytest.fixture(scope="module")
def embedding(tmp_path_factory, host):
    folder = tmp_path_factory.mktemp("served")
    GIVEN.save(folder / "model")
    changes = {"TONMF_CACHE": str(folder / "cache"), "NO_PROXY": "127.0.0.1"}
    with serving(folder / "model", folder, "--embed", host.name, **changes) as server:
        yield server


def test_documents_are_scored_and_explained_by_their_embeddings(embedding):
    expected = GIVEN.outlier_score(NEW, embeddings=HashEmbedder(8).encode(NEW))
    answer = embedding.post("/v1/score", json={"documents": NEW}).json()
    assert [one["score"] for one in answer["documents"]] == pytest.approx(expected.tolist(), abs=1e-5)
    (why,) = embedding.post("/v1/explain", json={"documents": NEW[:1]}).json()["documents"]
    assert why["score"] == pytest.approx(expected[0], abs=1e-5)


def test_the_model_says_which_embedder_without_its_address(embedding):
    about = embedding.get("/v1/model").json()
    assert (about["embedder"], about["job_embedder"]) == ("hashes", "hashes")


def test_a_failing_embedder_is_no_fault_of_the_request_and_its_address_stays_inside(embedding, host):
    host.first += [(403, {}, {"error": "no"})]
    answer = embedding.post("/v1/score", json={"documents": ["Something quite new about a lighthouse."]})
    assert answer.status_code == 503
    assert answer.json()["error"].startswith("The server's embedding model fails")
    assert str(host.server_port) not in answer.text
    assert embedding.post("/v1/score", json={"documents": NEW[:1]}).status_code == 200


def test_a_job_embeds_by_the_embedder_of_the_server(embedding, host):
    before = len(host.requests)
    content = "text\n" + "".join(f'"{text} again"\n' for text in CORPUS.texts)
    job = embedding.upload(content.encode(), embed="true").json()
    assert embedding.wait_for(job["id"])["state"] == "done", embedding.job(job["id"])
    assert len(host.requests) > before
    assert embedding.get(f"/v1/jobs/{job['id']}/summary").json()["map"] == "meaning"


def test_a_request_cannot_name_an_embedder_nor_ask_a_server_without_one(embedding, server):
    for wrong in ({"embed": "https://elsewhere/v1#x"}, {"embedder": "https://elsewhere/v1#x"}):
        assert embedding.upload(b"text\na\n", **wrong).status_code == 422
    answer = server.upload(b"text\na\n", embed="true")
    assert answer.status_code == 422
    assert "started without --embed" in answer.json()["error"]
    assert server.get("/v1/model").json()["embedder"] is None


def test_the_log_does_not_repeat_what_a_failing_embedder_says_of_a_document(embedding, host):
    text = "A diary that nobody else is to read."
    host.first += [(400, {}, {"error": {"message": f"cannot embed {text!r}"}})]
    assert embedding.post("/v1/score", json={"documents": [text]}).status_code == 503
    log = embedding.log.read_text(encoding="utf-8")
    assert "answers 400" in log
    assert "diary" not in log
