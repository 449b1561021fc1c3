"""Fits in the background: what they leave, what can go wrong, and that they outlive the server."""

import csv
import io
import json
import os
import signal
import sqlite3
import zipfile
from contextlib import ExitStack, closing

import httpx
import numpy as np
import openpyxl
import pytest
from serving import Conversation, is_alive, serving
from waiting import wait_until

from tonmf import TextOutlierDetector, load
from tonmf.datasets import make_corpus
from tonmf.ranking import COLUMNS

CORPUS = make_corpus(n_docs=60, n_outliers=3, random_state=4)
LARGER = make_corpus(n_docs=1500, n_outliers=20, random_state=4)


def as_csv(corpus):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["id", "text", "odd"])
    writer.writerows(zip(corpus.ids, corpus.texts, corpus.labels.tolist(), strict=True))
    return out.getvalue().encode()


@pytest.fixture(scope="module")
def jobs(saved, tmp_path_factory):
    """A server for jobs, and one that is done."""
    options = ("--max-upload", "0.5", "--max-waiting-jobs", "1", "--max-jobs", "5")
    with serving(saved[1], tmp_path_factory.mktemp("jobs"), *options) as running:
        answer = running.upload(as_csv(CORPUS), "reviews.csv", label_column="odd", topics=6)
        assert answer.status_code == 202
        yield running, running.wait_for(answer.json()["id"])


def unfinished(running):
    """The folders of uploads that are no jobs yet."""
    entries = (running.log.parent / "jobs").iterdir()
    return [entry for entry in entries if entry.name.startswith(".") and entry.is_dir()]


def ended(running, *args, **parameters):
    """A job at its end, which is deleted."""
    answer = running.upload(*args, **parameters)
    assert answer.status_code == 202, answer.text
    job = running.wait_for(answer.json()["id"])
    assert running.ask("DELETE", f"/v1/jobs/{job['id']}").status_code == 204
    return job


def test_a_job_tells_what_it_found(jobs):
    _, job = jobs
    detector = TextOutlierDetector(max_topics=6).fit(CORPUS.texts, names=CORPUS.ids)
    assert (job["state"], job["step"], job["progress"], job["message"]) == ("done", "Done", 1.0, None)
    assert (job["name"], job["documents"], job["flagged"]) == ("reviews.csv", 60, int((detector.labels_ == -1).sum()))
    assert job["created"] <= job["started"] <= job["ended"]
    assert any("column 'text' of reviews.csv" in note for note in job["notes"])


def test_a_job_leaves_scores(jobs):
    running, job = jobs
    answer = running.get(f"/v1/jobs/{job['id']}/scores")
    assert answer.headers["content-disposition"] == 'attachment; filename="reviews-scores.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    detector = TextOutlierDetector(max_topics=6).fit(CORPUS.texts)
    assert tuple(rows[0]) == COLUMNS
    assert [float(row["score"]) for row in rows] == sorted(detector.outlier_scores_.tolist(), reverse=True)


def test_a_job_leaves_a_model_that_can_be_loaded(jobs, tmp_path):
    running, job = jobs
    answer = running.get(f"/v1/jobs/{job['id']}/model")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        packed.extractall(tmp_path)
    detector = TextOutlierDetector(max_topics=6).fit(CORPUS.texts)
    assert load(tmp_path / "model").outlier_score(CORPUS.texts).tolist() == detector.outlier_scores_.tolist()


def test_a_job_leaves_a_summary(jobs):
    running, job = jobs
    summary = running.get(f"/v1/jobs/{job['id']}/summary").json()
    assert summary["title"] == "reviews.csv"
    assert summary["analysed"]["documents"] == 60
    assert summary["curves"]["outliers"] == 3


def test_a_report_runs_in_a_sandbox_with_its_own_policy(jobs):
    running, job = jobs
    answer = running.get(f"/v1/jobs/{job['id']}/report")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = [part.strip() for part in answer.headers["content-security-policy"].split(";")]
    assert "sandbox allow-scripts allow-downloads" in policy
    assert "default-src 'none'" in policy
    assert "allow-same-origin" not in answer.headers["content-security-policy"]
    scripts = next(part for part in policy if part.startswith("script-src"))
    assert "'sha256-" in scripts
    assert scripts in answer.text


def test_jobs_are_listed_the_newest_first(jobs):
    running, job = jobs
    second = running.upload(as_csv(CORPUS), "second.csv").json()
    running.post(f"/v1/jobs/{second['id']}/cancel")
    assert [listed["id"] for listed in running.get("/v1/jobs").json()["jobs"]] == [second["id"], job["id"]]
    assert running.ask("DELETE", f"/v1/jobs/{second['id']}").status_code == 204
    assert running.get(f"/v1/jobs/{second['id']}").status_code == 404
    assert [listed["id"] for listed in running.get("/v1/jobs").json()["jobs"]] == [job["id"]]


def packed(files):
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return written.getvalue()


def test_an_archive_of_pages_is_a_corpus(jobs):
    pages = {
        f"{number:02}.html": f"<html><body><p>{text}</p></body></html>" for number, text in enumerate(CORPUS.texts)
    }
    job = ended(jobs[0], packed(pages), "pages.zip", topics=6)
    assert (job["state"], job["documents"]) == ("done", 60)


def test_workbooks_and_databases_are_a_corpus(jobs, tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["nothing"])
    sheet = book.create_sheet("Reviews")
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("create table reviews (id, text)")
        for row in (("id", "text"), *zip(CORPUS.ids, CORPUS.texts, strict=True)):
            sheet.append(row)
            connection.execute("insert into reviews values (?, ?)", row)
        connection.commit()
    book.save(tmp_path / "a.xlsx")
    job = ended(jobs[0], (tmp_path / "a.xlsx").read_bytes(), "reviews.xlsx", sheet="Reviews", topics=6)
    assert (job["state"], job["documents"]) == ("done", 60)
    sql = "select * from reviews where id != 'id'"
    job = ended(jobs[0], (tmp_path / "a.db").read_bytes(), "reviews.db", sql=sql, topics=6)
    assert (job["state"], job["documents"]) == ("done", 60)
    job = ended(jobs[0], (tmp_path / "a.db").read_bytes(), "reviews.db", sql="drop table reviews")
    assert job["message"] == "reviews.db: the query (sql) failed: only SELECT is allowed. Correct it."


def test_nothing_but_results_is_left_on_disk(jobs):
    running, job = jobs
    folder = running.log.parent / "jobs"
    assert {entry.name for entry in folder.iterdir()} == {".lock", job["id"]}
    results = {"job.json", "result.json", "model", "model.zip", "scores.csv", "summary.json", "report.html"}
    assert {entry.name for entry in (folder / job["id"]).iterdir()} == results
    assert folder.stat().st_mode & 0o077 == 0


def test_ids_without_a_column_begin_with_the_name_of_the_file(jobs):
    running, _ = jobs
    answer = running.upload("\n".join(CORPUS.texts).encode(), "some/where/my notes.txt")
    job = running.wait_for(answer.json()["id"])
    assert job["name"] == "my notes.txt"
    rows = list(csv.DictReader(io.StringIO(running.get(f"/v1/jobs/{job['id']}/scores").text)))
    assert {row["id"] for row in rows} == {f"my notes.txt:{number}" for number in range(1, 61)}
    running.ask("DELETE", f"/v1/jobs/{job['id']}")


FAILURES = {
    "too little": (b"text\nuno\ndue\n", {}, "nothing can be learnt"),
    "a damaged file": (b"PAR1" + b"x" * 50, {"name": "d.parquet"}, "d.parquet"),
    "columns with names of parameters": (
        b"confidence,stemmer,max_topics\nA house,B. Bee,no\nThe red door,C. Cee,yes\n",
        {},
        "several columns may hold the text: confidence, stemmer, max_topics. Give text_column.",
    ),
}


@pytest.mark.parametrize("case", FAILURES)
def test_a_job_that_fails_says_why_without_paths_of_the_server(case, jobs):
    running, _ = jobs
    content, parameters, says = FAILURES[case]
    job = ended(running, content, **parameters)
    assert job["state"] == "failed"
    assert says in job["message"]
    assert str(running.log.parent) not in job["message"]
    assert job["id"] not in job["message"]
    assert "--" not in job["message"]


REFUSED = {
    "no extension": (
        {"name": "docs"},
        422,
        "docs: cannot tell the format, since the name has no extension. Give format",
    ),
    "an archive": ({"name": "docs.7z"}, 422, ".7z files are not read. Unpack it"),
    "a page": ({"name": "page.html"}, 422, "page.html is one document, and a model is fitted on many."),
    "a folder's format": (
        {"format": "files"},
        422,
        "format must be one of lines, jsonl, json, csv, tsv, parquet,",
    ),
    "an unknown format": ({"format": "klingon"}, 422, "format must be one of"),
    "an unknown encoding": ({"encoding": "klingon"}, 422, "encoding must be auto, or an encoding of text"),
    "a share that is none": (
        {"contamination": "half"},
        422,
        "contamination must be a share such as 0.05 or 5%, or auto; got 'half'",
    ),
    "a share of nothing": ({"contamination": "0"}, 422, "contamination must be"),
    "no number": ({"contamination": "nan"}, 422, "contamination must be"),
    "boilerplate that is no share": (
        {"boilerplate": "some"},
        422,
        "boilerplate must be a share such as 0.05 or 5%, or none",
    ),
    "a stemmer whose name is not ASCII": ({"stem": "naïve"}, 422, "stem must be one of"),
    "no documents for a word": ({"min_df": 0}, 422, "min_df: input should be greater than or equal to 1."),
    "the same column twice": ({"text_column": "a", "id_column": "a"}, 422, "text_column and id_column must differ"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_uploads_that_make_no_sense_are_refused_at_once(case, jobs):
    running, _ = jobs
    parameters, status, says = REFUSED[case]
    answer = running.upload(as_csv(CORPUS), **{"name": "docs.csv", **parameters})
    assert answer.status_code == status
    assert says in answer.json()["error"]


def test_an_empty_file_is_refused(jobs):
    running, _ = jobs
    answer = running.upload(b"")
    assert (answer.status_code, answer.json()["error"]) == (
        422,
        "docs.csv is empty: expected a file with documents.",
    )


def test_a_file_that_is_too_large_is_refused_whatever_its_head_says(jobs):
    running, _ = jobs
    for content in (b"x" * 600_000, (b"x" * 100_000 for _ in range(6))):
        answer = running.upload(content)
        assert answer.status_code == 413
        assert "The body is larger than 524,288 bytes." in answer.json()["error"]
    assert not unfinished(running)


def test_results_are_there_when_a_job_is_done_and_not_before(jobs):
    running, done = jobs
    job = running.upload(as_csv(LARGER), "larger.csv").json()
    answer = running.get(f"/v1/jobs/{job['id']}/report")
    assert answer.status_code == 409
    assert "it has results only when it is done" in answer.json()["error"]
    assert running.ask("DELETE", f"/v1/jobs/{job['id']}").status_code == 409
    assert running.post(f"/v1/jobs/{done['id']}/cancel").status_code == 409
    cancelled = running.post(f"/v1/jobs/{job['id']}/cancel").json()
    assert (cancelled["state"], cancelled["message"]) == ("cancelled", None)
    assert running.ask("DELETE", f"/v1/jobs/{job['id']}").status_code == 204


def test_jobs_wait_for_their_turn_and_too_many_are_sent_away(jobs):
    running, _ = jobs
    first = running.upload(as_csv(LARGER), "first.csv").json()
    second = running.upload(as_csv(CORPUS), "second.csv").json()
    assert (first["state"], second["state"], second["step"]) == ("running", "queued", "Waiting")
    third = running.upload(as_csv(CORPUS), "third.csv")
    assert third.status_code == 429
    assert third.headers["retry-after"]
    assert third.json()["error"] == "1 job waits already, and that is the most. Try again when one is done."
    assert running.post(f"/v1/jobs/{second['id']}/cancel").json()["state"] == "cancelled"
    follows = running.upload(as_csv(CORPUS), "fourth.csv").json()
    worker = wait_until(running.children)[0]
    assert running.post(f"/v1/jobs/{first['id']}/cancel").json()["state"] == "cancelled"
    assert not is_alive(worker)
    assert running.wait_for(follows["id"])["state"] == "done"
    for job in (first, second, follows):
        assert running.ask("DELETE", f"/v1/jobs/{job['id']}").status_code == 204


def test_uploads_that_are_not_complete_keep_no_other_out(jobs):
    running, _ = jobs
    with ExitStack() as stack:
        slow = [stack.enter_context(Conversation(running, f"/v1/jobs?name={name}.csv")) for name in "abc"]
        for talk in slow:
            talk.send(b"id,text\n")
        wait_until(lambda: len(unfinished(running)) == len(slow))
        first = running.upload(as_csv(LARGER), "first.csv").json()
        second = running.upload(as_csv(CORPUS), "second.csv").json()
        assert (first["state"], second["state"]) == ("running", "queued")
        slow[0].finish()
        assert slow[0].object()["error"].startswith("1 job waits already"), "its place was taken while it came"
        for job in (second, first):
            running.post(f"/v1/jobs/{job['id']}/cancel")
        slow[1].send(b"1,a text\n")
        slow[1].finish()
        late = slow[1].object()
        assert running.wait_for(late["id"], lambda job: job["state"] not in ("queued", "running"))
    wait_until(lambda: not unfinished(running))
    for job in (first, second, late):
        assert running.ask("DELETE", f"/v1/jobs/{job['id']}").status_code == 204


def test_the_oldest_jobs_that_are_over_make_room_and_those_without_results_first(jobs):
    running, done = jobs
    made = []
    for number in range(6):
        made.append(running.upload(as_csv(LARGER), f"{number}.csv").json()["id"])
        running.post(f"/v1/jobs/{made[-1]}/cancel")
    kept = [job["id"] for job in running.get("/v1/jobs").json()["jobs"]]
    assert kept == [*made[:1:-1], done["id"]], "five are kept, and the one with results is not the first to go"
    assert running.get(f"/v1/jobs/{made[0]}").status_code == 404
    folders = {entry.name for entry in (running.log.parent / "jobs").iterdir() if entry.is_dir()}
    assert folders == set(kept)
    assert "made room for another" in running.log.read_text()
    for job_id in made[2:]:
        running.ask("DELETE", f"/v1/jobs/{job_id}")


def test_a_refused_upload_makes_no_room(jobs):
    running, _ = jobs
    made = [running.upload(as_csv(LARGER), f"{number}.csv").json()["id"] for number in range(2)]
    for job_id in made:
        running.post(f"/v1/jobs/{job_id}/cancel")
    before = running.get("/v1/jobs").json()["jobs"]
    assert running.upload(b"", "empty.csv").status_code == 422
    assert running.upload(b"x" * 600_000).status_code == 413
    assert running.get("/v1/jobs").json()["jobs"] == before
    for job_id in made:
        running.ask("DELETE", f"/v1/jobs/{job_id}")


def test_jobs_that_are_not_over_are_never_deleted_for_others(saved, tmp_path):
    with serving(saved[1], tmp_path, "--max-jobs", "1") as running:
        job = running.upload(as_csv(LARGER)).json()
        answer = running.upload(as_csv(CORPUS))
        says = "The server keeps at most 1 job, and none of them is over. Cancel one, or try again later."
        assert (answer.status_code, answer.json()["error"]) == (429, says)
        running.post(f"/v1/jobs/{job['id']}/cancel")
        other = running.upload(as_csv(CORPUS)).json()
        assert [job["id"] for job in running.get("/v1/jobs").json()["jobs"]] == [other["id"]]


def test_the_server_answers_while_a_job_runs(jobs):
    running, _ = jobs
    job = running.upload(as_csv(LARGER), "larger.csv").json()
    running.wait_for(job["id"], lambda job: job["progress"] > 0.05)
    assert running.post("/v1/score", json={"documents": ["a text"]}).status_code == 200
    assert running.job(job["id"])["state"] == "running"
    running.post(f"/v1/jobs/{job['id']}/cancel")
    running.ask("DELETE", f"/v1/jobs/{job['id']}")


def test_a_server_that_was_killed_comes_back_with_its_jobs(saved, tmp_path):
    with serving(saved[1], tmp_path / "server") as running:
        done = running.wait_for(running.upload(as_csv(CORPUS), "done.csv").json()["id"])
        scores = running.get(f"/v1/jobs/{done['id']}/scores").text
        under_way = running.upload(as_csv(LARGER), "under way.csv").json()
        waiting = running.upload(as_csv(CORPUS), "waiting.csv").json()
        worker = wait_until(running.children)[0]
        running.signal(signal.SIGKILL)
        running.ended()
    wait_until(lambda: not is_alive(worker))
    half_uploaded = tmp_path / "server" / "jobs" / ".0123456789abcdef"
    half_uploaded.mkdir()
    damaged = tmp_path / "server" / "jobs" / "0123456789abcdef"
    damaged.mkdir()
    (damaged / "job.json").write_text("{")
    with serving(saved[1], tmp_path / "server") as running:
        jobs = {job["name"]: job for job in running.get("/v1/jobs").json()["jobs"]}
        assert jobs["done.csv"] == done
        assert running.get(f"/v1/jobs/{done['id']}/scores").text == scores
        interrupted = jobs["under way.csv"]
        assert (interrupted["id"], interrupted["state"]) == (under_way["id"], "interrupted")
        assert interrupted["message"] == "The server was stopped while the job was under way. Upload the file again."
        assert jobs["waiting.csv"]["id"] == waiting["id"]
        assert jobs["waiting.csv"]["state"] in ("queued", "running")
        assert set(jobs) == {"done.csv", "under way.csv", "waiting.csv"}
        assert not half_uploaded.exists()


def test_a_server_that_is_stopped_stops_its_jobs_and_says_so(saved, tmp_path):
    with serving(saved[1], tmp_path / "server") as running:
        job = running.upload(as_csv(LARGER)).json()
        worker = wait_until(running.children)[0]
        running.signal(signal.SIGTERM)
        assert running.ended() == 0
    assert not is_alive(worker)
    kept = json.loads((tmp_path / "server" / "jobs" / job["id"] / "job.json").read_text())
    assert kept["state"] == "interrupted"


def test_a_job_that_the_system_kills_is_told_so(jobs):
    running, _ = jobs
    job = running.upload(as_csv(LARGER)).json()
    os.kill(wait_until(running.children)[0], signal.SIGKILL)
    job = running.wait_for(job["id"])
    assert job["state"] == "failed"
    assert job["message"].startswith("The system stopped the job, perhaps for want of memory.")
    running.ask("DELETE", f"/v1/jobs/{job['id']}")


def test_an_upload_that_breaks_off_leaves_nothing(jobs):
    running, _ = jobs

    def half():
        yield b"x" * 10_000
        raise RuntimeError

    with pytest.raises(RuntimeError), httpx.Client(base_url=running.address) as client:
        client.post("/v1/jobs?name=a.csv", content=half())
    wait_until(lambda: not unfinished(running))
    assert "ERROR" not in running.log.read_text()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"text_colum": "text"}, "There is no option 'text_colum'; expected name, text_column, "),
        ({"stop_words": "../../etc"}, "stop_words"),
        ({"stem": "klingon"}, "stem"),
        ({"mask": "url,verb"}, "mask must be some of url, email, "),
        ({"contamination": "90%"}, "contamination must be above 0 and at most 0.5 (50%); got '90%'."),
    ],
)
def test_options_that_cannot_be_are_refused_before_the_file_is_taken(jobs, parameters, message):
    answer = jobs[0].upload(as_csv(CORPUS), **parameters)
    assert answer.status_code == 422
    assert message in answer.json()["error"]


def test_a_job_reads_tables_as_the_command_line_does(jobs):
    rows = zip(CORPUS.labels.tolist(), CORPUS.ids, CORPUS.texts, strict=True)
    table = "".join(f"{'odd' if odd else 'usual'}\t{name}\t{text}\n" for odd, name, text in rows).encode()
    job = ended(jobs[0], table, "plain.tsv", topics=6)
    assert job["documents"] == 60
    assert any(note.endswith("if it names the columns, give header=true.") for note in job["notes"])
    assert ended(jobs[0], table, "plain.tsv", header=True, text_column="3", topics=6)["documents"] == 59
    options = {"text_column": ["2", "3"], "label_column": "1", "label_outlier": ["odd", "very odd"], "header": False}
    job = ended(jobs[0], table, "plain.tsv", topics=6, **options)
    assert (job["documents"], job["notes"]) == (60, [])


def test_a_job_reads_baskets_with_commas(jobs):
    draw = np.random.default_rng(0)
    items = ["whole milk", "soda", "citrus fruit", "rolls/buns", "yogurt", "rice"]
    lines = [",".join(draw.choice(items, draw.integers(1, 6), replace=False)) for _ in range(60)]
    baskets = "\n".join(lines).encode()
    for options in ({}, {"format": "baskets"}, {"format": "baskets", "separator": "comma"}):
        job = ended(jobs[0], baskets, "groceries.csv", topics=4, **options)
        assert job["documents"] == 60
    assert (
        "label_outlier has no effect without label_column" in jobs[0].upload(b"x", label_outlier="odd").json()["error"]
    )


def test_a_share_can_be_in_per_cent(jobs):
    assert ended(jobs[0], as_csv(CORPUS), contamination="5%", topics=6)["flagged"] == 3


def test_a_result_that_is_being_read_comes_whole_though_its_job_is_deleted(jobs):
    running, _ = jobs
    job = running.wait_for(running.upload(as_csv(CORPUS), topics=6).json()["id"])
    whole = running.get(f"/v1/jobs/{job['id']}/report").content
    with running.client() as client, client.stream("GET", f"/v1/jobs/{job['id']}/report") as answer:
        assert running.ask("DELETE", f"/v1/jobs/{job['id']}").status_code == 204
        assert b"".join(answer.iter_bytes()) == whole
    assert running.get(f"/v1/jobs/{job['id']}/report").status_code == 404


def test_a_report_of_few_documents_says_so(jobs):
    running, _ = jobs
    content = b"text\n" + b"".join(f"the cat and dog number {n} met a bird\n".encode() for n in range(12))
    job = running.wait_for(running.upload(content).json()["id"])
    notes = running.get(f"/v1/jobs/{job['id']}/summary").json()["notes"]
    assert any("With 12 documents there is little to learn from" in note for note in notes)
    running.ask("DELETE", f"/v1/jobs/{job['id']}")
