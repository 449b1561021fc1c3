"""Marks over HTTP: on the served model and on jobs; what follows them, what is kept, and what is refused."""

import csv
import io
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from app_page import CORPUS_CSV, TOKEN
from command import run
from repository import ROOT
from saved_models import CORPUS, NEW, SMALL
from serving import serving

from tonmf import TextOutlierDetector, load

STRANGE, FINE = NEW[20 - 1], NEW[3]
MARKS = [{"id": "a", "mark": "strange", "text": STRANGE}, {"id": "b", "mark": "fine", "text": FINE}]


def marked_alike(saved, strange=(STRANGE,), fine=(FINE,)):
    """A detector with the same marks, by the library."""
    detector = load(saved[1])
    documents = [*strange, *fine]
    names = [f"mark-{number}" for number in range(len(documents))]
    return detector.mark(names[: len(strange)], names[len(strange) :], documents=documents, names=names)


@pytest.fixture
def own(saved, tmp_path):
    """A server whose marks no other test sees."""
    with serving(saved[1], tmp_path / "served") as running:
        yield running


@pytest.fixture(scope="module")
def done(saved, tmp_path_factory):
    """A server with a job that is done, and the job's id."""
    with serving(saved[1], tmp_path_factory.mktemp("jobs"), "--max-body", "0.01", "--max-batch", "20") as running:
        job = running.upload(CORPUS_CSV, "posts.csv", text_column="body", id_column="name", topics=6).json()["id"]
        assert running.wait_for(job)["state"] == "done"
        yield running, job


def scores(server, documents=CORPUS.texts):
    answer = server.post("/v1/score", json={"documents": documents}).json()
    return [document["score"] for document in answer["documents"]], answer["threshold"]


def test_scores_follow_marks_as_in_the_library(own, saved):
    before = scores(own)
    answer = own.post("/v1/marks", json={"marks": MARKS}).json()
    detector = marked_alike(saved)
    assert answer == {
        "job": None,
        "threshold": detector.threshold_,
        "strange": 1,
        "fine": 1,
        "marks": {"a": "strange", "b": "fine"},
        "waiting": {},
        "marked": ["a", "b"],
    }
    after, threshold = scores(own)
    assert after == pytest.approx(detector.outlier_score(CORPUS.texts).tolist(), abs=1e-9)
    assert threshold == detector.threshold_ == own.get("/v1/model").json()["threshold"]
    (why,) = own.post("/v1/explain", json={"documents": [STRANGE]}).json()["documents"]
    assert why["marks"][0]["id"] == "a"
    assert own.get("/v1/marks").json() == {**answer, "marked": []}
    assert own.ask("DELETE", "/v1/marks").json()["marks"] == {}
    assert scores(own) == before


def test_a_mark_is_changed_or_taken_back_by_id(own, saved):
    own.post("/v1/marks", json={"marks": MARKS})
    assert own.post("/v1/marks", json={"marks": {"a": "fine", "b": None}}).json()["marks"] == {"a": "fine"}
    detector = marked_alike(saved, strange=(), fine=(STRANGE,))
    assert scores(own)[0] == pytest.approx(detector.outlier_score(CORPUS.texts).tolist(), abs=1e-9)
    assert own.post("/v1/marks", json={"marks": {"never": None}}).status_code == 200, "nothing to take back"


def test_a_document_without_an_id_is_called_by_its_content(own):
    (first,) = own.post("/v1/marks", json={"marks": [{"mark": "fine", "text": FINE}]}).json()["marked"]
    again = own.post("/v1/marks", json={"marks": [{"mark": "strange", "text": FINE}]}).json()
    assert first.startswith("new-")
    assert again["marks"] == {first: "strange"}


def test_marks_outlive_a_server_that_was_killed(saved, tmp_path):
    with serving(saved[1], tmp_path / "served") as first:
        first.post("/v1/marks", json={"marks": MARKS})
        first.post("/v1/marks", json={"marks": {"b": None}})
        before = scores(first)
        first.signal(9)
        first.ended()
    with serving(saved[1], tmp_path / "served") as second:
        assert second.get("/v1/marks").json()["marks"] == {"a": "strange"}
        assert scores(second) == before
        (kept,) = (tmp_path / "served" / "jobs").glob("marks-*.json")
        assert json.dumps(STRANGE) in kept.read_text()
        assert json.dumps(FINE) not in kept.read_text(), "its mark was taken back"


def test_marks_on_one_model_are_not_those_on_another(saved, tmp_path):
    other = tmp_path / "other"
    TextOutlierDetector(**SMALL).fit(CORPUS.texts[:100], names=CORPUS.ids[:100]).save(other)
    with serving(saved[1], tmp_path / "served") as server:
        server.post("/v1/marks", json={"marks": MARKS})
    with serving(other, tmp_path / "served") as server:
        assert server.get("/v1/marks").json()["marks"] == {}


def test_damaged_marks_stop_the_server_with_a_reason(saved, tmp_path):
    with serving(saved[1], tmp_path) as server:
        server.post("/v1/marks", json={"marks": MARKS})
    (kept,) = (tmp_path / "jobs").glob("marks-*.json")
    kept.write_text('{"marks": [{"id": "a", "mark": "odd", "document": ""}]}')
    ran = run("serve", saved[1], "--port", "0", "--jobs-folder", tmp_path / "jobs", cwd=tmp_path)
    assert ran.code == 1
    assert "cannot be read. Bring the file back from a copy" in ran.err
    assert "Traceback" not in ran.err


def test_marks_that_come_at_once_are_all_kept(own):
    def post(number):
        text = f"{NEW[number % 20]} number{number}"
        return own.post("/v1/marks", json={"marks": [{"id": f"d{number}", "mark": "fine", "text": text}]}).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(post, range(40))) == {200}
    assert sorted(own.get("/v1/marks").json()["marks"]) == sorted(f"d{number}" for number in range(40))


def test_a_model_that_was_saved_with_marks_begins_with_them(saved, tmp_path):
    detector = load(saved[1]).mark(strange=["a"], documents=[STRANGE], names=["a"])
    detector.save(tmp_path / "model")
    with serving(tmp_path / "model", tmp_path / "served") as server:
        assert server.get("/v1/marks").json()["marks"] == {"a": "strange"}
        assert server.post("/v1/marks", json={"marks": {"a": None}}).json()["marks"] == {}


def test_marks_in_a_file_wait_for_their_documents(saved, tmp_path):
    (tmp_path / "marks.csv").write_text("id,mark\na,strange\nb,fine\nempty,fine\n")
    with serving(saved[1], tmp_path / "served", "--marks", tmp_path / "marks.csv") as server:
        before = server.get("/v1/marks").json()
        assert (before["marks"], before["waiting"]) == ({}, {"a": "strange", "b": "fine", "empty": "fine"})
        assert (
            "3 marks read from the file of --marks; they count once their documents are sent." in server.log.read_text()
        )
        named = [{"id": "a", "text": STRANGE}, {"id": "b", "text": FINE}, {"id": "empty", "text": ""}]
        server.post("/v1/score", json={"documents": named})
        after = server.get("/v1/marks").json()
        assert (after["marks"], after["waiting"]) == ({"a": "strange", "b": "fine"}, {})
        expected = marked_alike(saved).outlier_score(CORPUS.texts).tolist()
        assert scores(server)[0] == pytest.approx(expected, abs=1e-9)


def test_the_answer_that_meets_waiting_marks_has_their_threshold_and_all_its_scores_follow(saved, tmp_path):
    (tmp_path / "marks.csv").write_text("a,strange\nb,fine\n")
    with serving(saved[1], tmp_path / "served", "--marks", tmp_path / "marks.csv") as server:
        marked = [{"id": "a", "text": STRANGE}, {"id": "b", "text": FINE}]
        texts = [*(5 * CORPUS.texts)[:600], *marked]  # the marked ones come after the first that are scored at once
        first, second = scores(server, texts), scores(server, texts)
        assert first == second
        assert first[1] == marked_alike(saved).threshold_


def test_marks_that_wait_are_taken_back_with_all_others(saved, tmp_path):
    (tmp_path / "marks.csv").write_text("a,strange\nb,fine\n")
    with serving(saved[1], tmp_path / "served", "--marks", tmp_path / "marks.csv") as server:
        assert server.post("/v1/marks", json={"marks": {"a": None}}).json()["waiting"] == {"b": "fine"}
        assert server.ask("DELETE", "/v1/marks").json()["waiting"] == {}


def test_a_model_saved_with_its_rows_knows_the_ids_in_a_file(tmp_path):
    detector = TextOutlierDetector(**SMALL).fit(CORPUS.texts, names=CORPUS.ids)
    detector.save(tmp_path / "model", rows=True)
    name = CORPUS.ids[4]
    (tmp_path / "marks.csv").write_text(f"{name},fine\n")
    with serving(tmp_path / "model", tmp_path / "served", "--marks", tmp_path / "marks.csv") as server:
        assert server.get("/v1/marks").json()["marks"] == {name: "fine"}
        assert scores(server)[0] == pytest.approx(detector.mark(fine=[name]).outlier_scores_.tolist(), abs=1e-6)


def test_documents_of_a_job_are_marked_by_id_and_its_results_follow(done, tmp_path):
    server, job = done
    plain = [server.get(f"/v1/jobs/{job}/{part}").content for part in ("scores", "model", "report")]
    strange, fine = CORPUS.ids[7], CORPUS.ids[2]
    answer = server.post("/v1/marks", json={"job": job, "marks": {strange: "strange", fine: "fine"}}).json()
    assert (answer["job"], answer["marks"]) == (job, {strange: "strange", fine: "fine"})
    detector = TextOutlierDetector(max_topics=6).fit(CORPUS.texts, names=CORPUS.ids).mark([strange], [fine])
    assert answer["threshold"] == pytest.approx(detector.threshold_)

    table = list(csv.DictReader(io.StringIO(server.get(f"/v1/jobs/{job}/scores").text)))
    order = np.argsort(-detector.outlier_scores_, kind="stable")
    assert [row["id"] for row in table] == [CORPUS.ids[number] for number in order]
    assert [float(row["score"]) for row in table] == pytest.approx(detector.outlier_scores_[order].tolist())
    assert [row["outlier"] == "true" for row in table] == (detector.labels_[order] == -1).tolist()
    assert [row["text"] for row in table] == [CORPUS.texts[number] for number in order]

    with zipfile.ZipFile(io.BytesIO(server.get(f"/v1/jobs/{job}/model").content)) as archive:
        archive.extractall(tmp_path)
    assert load(tmp_path / "model").marks_ == answer["marks"]
    assert '<meta name="marks"' in server.get(f"/v1/jobs/{job}/report").text
    assert server.get("/v1/marks").json()["marks"] == {}, "those on the served model are others"

    server.ask("DELETE", "/v1/marks", params={"job": job})
    after = list(csv.DictReader(io.StringIO(server.get(f"/v1/jobs/{job}/scores").text)))
    assert after == list(csv.DictReader(io.StringIO(plain[0].decode())))


def test_marks_on_a_job_outlive_the_server_and_go_with_the_job(saved, tmp_path):
    with serving(saved[1], tmp_path / "served") as first:
        job = first.upload(CORPUS_CSV, "posts.csv", text_column="body", id_column="name").json()["id"]
        first.wait_for(job)
        first.post("/v1/marks", json={"job": job, "marks": {CORPUS.ids[0]: "fine"}})
    with serving(saved[1], tmp_path / "served") as second:
        assert second.get("/v1/marks", params={"job": job}).json()["marks"] == {CORPUS.ids[0]: "fine"}
        assert second.ask("DELETE", f"/v1/jobs/{job}").status_code == 204
        assert second.get("/v1/marks", params={"job": job}).status_code == 404


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ([], 422, 'Expected an object such as {"marks": […], "job": …}; got an empty list.'),
        (
            {"marks": []},
            422,
            "marks must be a list, or an object of marks by id, with one at least; got an empty list.",
        ),
        ({"marks": {}}, 422, "with one at least; got an empty object."),
        (
            {"marks": [{"id": "a", "mark": mark, "text": FINE} for mark in ("strange", "fine")]},
            422,
            "'a' is marked as strange and as fine. Give each document one mark.",
        ),
        ({"marks": {"a": "fine"}, "odd": 1}, 422, 'Expected an object such as {"marks": […], "job": …}'),
        ({"marks": {"a": "odd"}}, 422, 'Mark 0: mark must be "strange", "fine" or null; got'),
        ({"marks": [{"mark": "fine"}]}, 422, "Mark 0: expected the id of a document, or the document; got neither."),
        ({"marks": [{"id": "a"}]}, 422, 'Mark 0: expected an object such as {"id": …, "mark": "strange"}; got'),
        ({"marks": {"a": "fine"}}, 422, "Send the document with its id and mark."),
        ({"marks": [{"id": "a", "mark": "fine", "text": 3}]}, 422, "Mark 0: expected a text"),
        ({"marks": [{"id": "a", "mark": "fine", "text": ""}]}, 422, "has nothing that could be judged"),
        ({"marks": {str(number): None for number in range(21)}}, 413, "Got more than 20 documents at once."),
        ({"marks": [{"id": "a", "mark": "fine", "text": "x" * 20_000}]}, 413, "The body is larger than"),
        ({"job": "nothing", "marks": {"a": "fine"}}, 404, "There is no such job."),
        ({"job": 3, "marks": {"a": "fine"}}, 422, "job must be the id of a job; got 3."),
    ],
)
def test_what_is_wrong_with_marks_is_said(done, body, status, said):
    server, _ = done
    answer = server.post("/v1/marks", json=body)
    assert answer.status_code == status
    assert said in answer.json()["error"]
    assert server.get("/v1/marks").json()["marks"] == {}


def test_marks_may_have_capitals_and_spaces_as_in_a_file(own):
    marks = [{"id": "a", "mark": "Strange", "text": STRANGE}, {"id": "b", "mark": " FINE ", "text": FINE}]
    assert own.post("/v1/marks", json={"marks": marks}).json()["marks"] == {"a": "strange", "b": "fine"}


def test_a_document_without_an_id_is_called_as_the_guide_says(own):
    guide = (ROOT / "docs" / "guide" / "service.md").read_text(encoding="utf-8")
    marks = [{"mark": "fine", "text": "The choir meets on Tuesday."}]
    assert marks[0]["text"] in guide
    (name,) = own.post("/v1/marks", json={"marks": marks}).json()["marked"]
    assert f'"{name}": "fine"' in guide


def test_if_one_mark_is_wrong_none_is_made(done):
    server, job = done
    marks = [{"id": "a", "mark": "fine", "text": FINE}, {"id": "b", "mark": "fine"}]
    assert server.post("/v1/marks", json={"marks": marks}).status_code == 422
    assert server.get("/v1/marks").json()["marks"] == {}
    on_job = {"job": job, "marks": {CORPUS.ids[0]: "fine", "never": "fine"}}
    assert server.post("/v1/marks", json=on_job).status_code == 422
    assert server.get("/v1/marks", params={"job": job}).json()["marks"] == {}


def test_marks_need_the_token(saved, tmp_path):
    with serving(saved[1], tmp_path / "served", "--token", TOKEN) as server:
        for method in ("GET", "POST", "DELETE"):
            body = {"json": {"marks": MARKS}} if method == "POST" else {}
            assert server.ask(method, "/v1/marks", **body).status_code == 401
        headers = {"Authorization": f"Bearer {TOKEN}"}
        assert server.get("/v1/marks", headers=headers).json()["marks"] == {}
        from_elsewhere = {**headers, "Origin": "http://elsewhere"}
        assert server.post("/v1/marks", json={"marks": MARKS}, headers=from_elsewhere).status_code == 403
        assert server.post("/v1/marks", json={"marks": MARKS}, headers=headers).status_code == 200


def test_baskets_and_counts_can_be_marked(tmp_path):
    rng = np.random.default_rng(0)
    baskets = [[str(item) for item in rng.choice(20, 5, replace=False)] for _ in range(60)]
    TextOutlierDetector(**SMALL).fit(baskets).save(tmp_path / "baskets")
    counts = rng.poisson(1.0, (60, 12))
    TextOutlierDetector(**SMALL).fit(counts, terms=[f"t{i}" for i in range(12)]).save(tmp_path / "counts")
    for model, document in (("baskets", {"items": baskets[0]}), ("counts", {"counts": {"t1": 2, "t4": 1}})):
        with serving(tmp_path / model, tmp_path / f"{model}-served") as server:
            mark = {"id": "a", "mark": "strange", **document}
            assert server.post("/v1/marks", json={"marks": [mark]}).json()["marks"] == {"a": "strange"}
        with serving(tmp_path / model, tmp_path / f"{model}-served") as server:
            assert server.get("/v1/marks").json()["marks"] == {"a": "strange"}
            (scored,) = server.post("/v1/score", json={"documents": [document]}).json()["documents"]
            assert scored["outlier"]


def test_the_log_says_nothing_of_marks(own):
    own.post("/v1/marks", json={"marks": MARKS})
    assert STRANGE not in own.log.read_text()
    assert json.dumps(STRANGE) not in own.log.read_text()
