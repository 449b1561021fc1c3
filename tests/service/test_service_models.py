"""Several models on one server: their addresses, models that jobs have fitted, the served one, and folders that change."""

import csv
import io
import shutil

import pytest
from saved_models import CORPUS, NEW, SMALL
from serving import serving
from waiting import wait_until

from tonmf import TextOutlierDetector, load
from tonmf.datasets import make_corpus

OTHER = make_corpus(n_docs=80, n_outliers=3, random_state=7)


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """Another detector, and the folder in which it is saved."""
    folder = tmp_path_factory.mktemp("other") / "model"
    detector = TextOutlierDetector(**SMALL).fit(OTHER.texts, names=OTHER.ids)
    detector.save(folder)
    return detector, folder


@pytest.fixture(scope="module")
def several(saved, other, tmp_path_factory):
    """A server of two models, one in a folder of models, and that folder."""
    folder = tmp_path_factory.mktemp("several")
    shutil.copytree(other[1], folder / "models" / "other")
    with serving(saved[1], folder / "server", "--models-folder", folder / "models") as running:
        yield running, folder / "models"


def scores(running, prefix="/v1", texts=NEW):
    answer = running.post(f"{prefix}/score", json={"documents": texts})
    assert answer.status_code == 200, answer.text
    return [document["score"] for document in answer.json()["documents"]]


def models(running):
    return {one["name"]: one for one in running.get("/v1/models").json()["models"]}


def has_loaded(running, name, path):
    """Wait until a server answers by the model in a folder."""
    expected = load(path).outlier_score(NEW).tolist()
    wait_until(lambda: name in models(running) and scores(running, f"/v1/models/{name}") == expected)


def test_each_model_answers_at_its_own_address(several, saved, other):
    running, _ = several
    first, second = (detector.outlier_score(NEW).tolist() for detector in (saved[0], other[0]))
    assert scores(running) == scores(running, "/v1/models/model") == first
    assert scores(running, "/v1/models/other") == second != first
    assert running.get("/v1/models/other/model").json()["documents"] == 80
    topics = running.get("/v1/models/other/topics").json()["topics"]
    assert [topic["words"] for topic in topics] == [topic.words for topic in other[0].topics()]
    whys = running.post("/v1/models/other/explain", json={"documents": NEW}).json()["documents"]
    assert [why["sentence"] for why in whys] == [why.sentence for why in other[0].explain(NEW)]


def test_models_are_listed(several, saved, other):
    running, _ = several
    listed = models(running)
    assert list(listed) == ["model", "other"]
    assert [(one["served"], one["own"], one["problem"]) for one in listed.values()] == [
        (True, True, None),
        (False, False, None),
    ]
    assert listed["other"]["threshold"] == other[0].threshold_
    assert listed["model"]["documents"] == len(CORPUS.texts)


def test_a_model_that_there_is_not_is_not_found(several):
    running, _ = several
    for answer in (
        running.post("/v1/models/nothing/score", json={"documents": NEW}),
        running.get("/v1/models/nothing/model"),
        running.get("/v1/models/nothing/marks"),
        running.post("/v1/models/nothing/serve"),
        running.ask("DELETE", "/v1/models/nothing"),
    ):
        assert answer.status_code == 404
        assert answer.json()["error"] == "There is no model 'nothing'. GET /v1/models lists those that there are."


def test_marks_belong_to_a_model(several, saved, other):
    running, _ = several
    marked = running.post(
        "/v1/models/other/marks", json={"marks": [{"id": "a", "mark": "fine", "text": OTHER.texts[0]}]}
    )
    assert marked.json()["marks"] == {"a": "fine"}
    assert running.get("/v1/marks").json()["marks"] == {}
    assert scores(running) == saved[0].outlier_score(NEW).tolist()
    running.ask("DELETE", "/v1/models/other/marks")
    assert scores(running, "/v1/models/other") == other[0].outlier_score(NEW).tolist()


def test_a_model_that_is_added_replaced_and_removed_needs_no_restart(several, saved, other):
    running, folder = several
    shutil.copytree(saved[1], folder / "third")
    has_loaded(running, "third", saved[1])
    other[0].save(folder / "third")
    has_loaded(running, "third", other[1])
    shutil.rmtree(folder / "third")
    wait_until(lambda: "third" not in models(running))
    assert running.get("/v1/models/third/model").status_code == 404


def test_a_model_that_cannot_be_loaded_says_so_and_the_one_before_it_goes_on(several, other):
    running, folder = several
    shutil.copytree(other[1], folder / "damaged")
    has_loaded(running, "damaged", other[1])
    (folder / "damaged" / "arrays.safetensors").write_bytes(b"nothing")
    wait_until(lambda: models(running)["damaged"]["problem"])
    assert str(folder) not in running.get("/v1/models").text
    assert "the model damaged cannot be loaded" in running.log.read_text()
    assert scores(running, "/v1/models/damaged") == other[0].outlier_score(NEW).tolist()
    other[0].save(folder / "damaged")
    wait_until(lambda: models(running)["damaged"]["problem"] is None)
    assert running.ask("DELETE", "/v1/models/damaged").status_code == 204
    assert not (folder / "damaged").exists()


def as_csv(corpus):
    out = io.StringIO()
    csv.writer(out).writerows([("id", "text"), *zip(corpus.ids, corpus.texts, strict=True)])
    return out.getvalue().encode()


def test_the_model_of_a_job_is_named_served_and_there_after_a_restart(saved, tmp_path):
    with serving(saved[1], tmp_path / "server") as running:
        job = running.wait_for(running.upload(as_csv(OTHER), topics=6).json()["id"])
        running.post("/v1/marks", json={"job": job["id"], "marks": {OTHER.ids[5]: "strange"}})
        named = running.ask("PUT", "/v1/models/mine", json={"job": job["id"]})
        assert (named.status_code, named.json()["name"], named.json()["served"]) == (201, "mine", False)
        assert running.get("/v1/models/mine/marks").json()["marks"] == {OTHER.ids[5]: "strange"}
        of_job = scores(running, "/v1/models/mine")
        again = running.ask("PUT", "/v1/models/mine", json={"job": job["id"]})
        assert again.status_code == 409
        assert again.json()["error"].startswith("There is a model 'mine' already.")
        assert scores(running) == saved[0].outlier_score(NEW).tolist()
        assert running.post("/v1/models/mine/serve").json()["served"] is True
        assert scores(running) == of_job
        assert running.get("/v1/model").json()["name"] == "mine"
        for name, says in (("mine", "This is the served model."), ("model", "The server was started with this model")):
            answer = running.ask("DELETE", f"/v1/models/{name}")
            assert answer.status_code == 409
            assert answer.json()["error"].startswith(says)
    with serving(saved[1], tmp_path / "server") as running:
        assert scores(running) == of_job
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(saved[1], elsewhere)
    TextOutlierDetector(**SMALL).fit(OTHER.texts[:60]).save(elsewhere)
    with serving(elsewhere, tmp_path / "server") as running:
        assert running.get("/v1/model").json()["name"] == "elsewhere", "another model was asked for"
        assert "mine" in models(running)


@pytest.mark.parametrize(
    ("name", "body", "status", "says"),
    [
        ("a%20b", {"job": "0123456789abcdef"}, 422, "'a b' cannot be the name of a model: expected up to 64 letters"),
        (".hidden", {"job": "0123456789abcdef"}, 422, "'.hidden' cannot be the name of a model"),
        ("fine", {"job": "0123456789abcdef"}, 404, "There is no such job."),
        (
            "fine",
            {"job": 1},
            422,
            'Expected an object such as {"job": "5c1e0b7d9f3a4e62"}; got an object with \'job\'.',
        ),
        ("fine", [], 422, "Expected an object such as"),
    ],
)
def test_a_model_that_cannot_be_named_says_why(several, name, body, status, says):
    running, _ = several
    answer = running.ask("PUT", f"/v1/models/{name}", json=body)
    assert answer.status_code == status
    assert says in answer.json()["error"]


def test_the_description_follows_the_kind_of_the_served_model(saved, tmp_path):
    baskets = [[f"item{(start + step) % 40}" for step in range(6)] for start in range(40)] * 3
    TextOutlierDetector(max_topics=4, n_restarts=1).fit(baskets).save(tmp_path / "models" / "baskets")
    with serving(saved[1], tmp_path / "server", "--models-folder", tmp_path / "models") as running:

        def example():
            described = running.get("/openapi.json").json()["paths"]["/v1/score"]["post"]
            content = described["requestBody"]["content"]["application/json"]
            return content["examples"]["documents"]["value"]["documents"]

        assert isinstance(example()[0], str)
        running.post("/v1/models/baskets/serve")
        assert example()[0] == ["milk", "bread", 17]
        assert running.post("/v1/score", json={"documents": example()}).status_code == 200


def test_a_file_is_scored_by_a_model_and_gets_the_full_report(several, other):
    running, _ = several
    texts = [*OTHER.texts[:20], *NEW[:5]]
    rows = [("id", "headline", "body"), *((f"r{number}", "same", text) for number, text in enumerate(texts))]
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    asked = running.upload(out.getvalue().encode(), "new.csv", model="other", text_column="body")
    job = running.wait_for(asked.json()["id"])
    assert (job["state"], job["model"], job["documents"]) == ("done", "other", 25)
    table = list(csv.DictReader(running.get(f"/v1/jobs/{job['id']}/scores").text.splitlines()))
    expected = {f"r{row}": score for row, score in enumerate(other[0].outlier_score(texts).tolist())}
    assert {row["id"]: float(row["score"]) for row in table} == expected
    summary = running.get(f"/v1/jobs/{job['id']}/summary").json()
    assert summary["analysed"]["documents"] == 25
    assert all(abs(document["x"]) <= 1.5 for document in summary["documents"]), "each has a place on the map"
    assert "new.csv" in running.get(f"/v1/jobs/{job['id']}/report").text
    for answer in (
        running.get(f"/v1/jobs/{job['id']}/model"),
        running.ask("PUT", "/v1/models/again", json={"job": job["id"]}),
        running.get("/v1/marks", params={"job": job["id"]}),
    ):
        assert answer.status_code == 409
        assert "a file" in answer.json()["error"]


@pytest.mark.parametrize(
    ("parameters", "status", "says"),
    [
        ({"model": "nothing"}, 404, "There is no model 'nothing'."),
        (
            {"model": "other", "topics": 3},
            422,
            "topics is an option of a fit, and changes nothing where a model is given.",
        ),
    ],
)
def test_a_file_that_cannot_be_scored_that_way_is_refused(several, parameters, status, says):
    running, _ = several
    answer = running.upload(as_csv(OTHER), **parameters)
    assert answer.status_code == status
    assert says in answer.json()["error"]
