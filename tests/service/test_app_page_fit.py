"""Models on the page of a server, in a real browser: upload, fit, cancel, delete."""

import re

from app_page import (
    CORPUS_CSV,
    choose,
    drop,
    expect,
    shared_page,  # noqa: F401 (the fixture page)
    start_job,
)


def test_a_corpus_is_fitted_and_its_report_opens(page, server):
    job = start_job(page)
    expect(job).to_have_attribute("data-state", "done")
    job_id = job.get_attribute("data-id")
    found = server.job(job_id)
    assert found["documents"] == 120
    expect(job).to_contain_text(f"{found['flagged']} of 120 documents flagged")
    expect(job).to_contain_text("column 'body'")
    with page.context.expect_page() as tab:
        job.get_by_role("link", name="Open the report").click()
    report = tab.value
    summary = server.get(f"/v1/jobs/{job_id}/summary").json()
    expect(report.locator("#documents button.open").first).to_have_text(summary["documents"][0]["id"])
    expect(report.get_by_role("heading", name="posts.csv")).to_be_visible()
    for name, end in [("Scores", "-scores.csv"), ("Model", "-model.zip"), ("Summary", "-summary.json")]:
        with page.expect_download() as download:
            job.get_by_role("link", name=name).click()
        assert download.value.suggested_filename.startswith("posts")
        assert download.value.suggested_filename.endswith(end)


def test_a_job_under_way_shows_its_step_and_progress(page, server):
    """The server's answers are made up, so that each can be seen."""
    job = {"id": "a" * 16, "name": "posts.csv", "created": "2026-01-02T03:04:05+00:00", "started": None, "ended": None}
    job |= {"message": None, "notes": [], "documents": None, "flagged": None}
    states = [
        ("queued", "Waiting", 0),
        ("running", "Learning", 0.25),
        ("running", "Writing scores", 0.6),
        ("done", "Done", 1),
    ]
    asked = []

    def answer(route):
        state, step, progress = states[min(len(asked), len(states) - 1)]
        asked.append(state)
        route.fulfill(json={"jobs": [job | {"state": state, "step": step, "progress": progress}]})

    page.route("**/v1/jobs", answer)
    page.clock.install()
    page.goto(f"{server.address}/#fit")
    page.reload()
    bar = page.get_by_role("progressbar", name="Progress of posts.csv")
    expect(bar).to_have_attribute("aria-valuetext", "Waiting in the queue")
    expect(page.get_by_role("navigation")).to_contain_text("1 in progress")
    for text in ("Learning, 25 %", "Writing scores, 60 %"):
        page.clock.run_for(1000)
        expect(bar).to_have_attribute("aria-valuetext", text)
    expect(bar).to_have_attribute("aria-valuenow", "60")
    page.clock.run_for(1000)
    expect(page.locator(".job")).to_have_attribute("data-state", "done")
    expect(page.get_by_role("status").filter(has_text="posts.csv: done.")).to_be_attached()
    page.clock.run_for(20_000)
    assert len(asked) == 4  # there is nothing left to ask for


def test_a_dropped_corpus_and_its_options_reach_the_server(page):
    page.get_by_role("link", name="Fit a model").click()
    drop(page, "#fit .drop", "posts.tsv", CORPUS_CSV.replace(",", "\t"))
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Text column").fill("body")
    page.get_by_label("Share to flag").fill("0.1")
    page.get_by_label("Stop words").select_option("German")
    page.get_by_label("Maximum topics").fill("3")
    with page.expect_request(re.compile(r"/v1/jobs\?")) as sent:
        page.get_by_role("button", name="Start").click()
    options = sent.value.url.partition("?")[2].split("&")
    assert set(options) == {"name=posts.tsv", "text_column=body", "contamination=0.1", "stop_words=german", "topics=3"}
    job = page.locator(".job").first
    expect(job).to_have_attribute("data-state", "done")
    expect(job).to_contain_text("12 of 120 documents flagged")


def test_all_languages_that_are_offered_are_known(page):
    import Stemmer
    import stop_words

    def offered(name):
        values = page.locator(f"#option-{name} option").evaluate_all("options => options.map(option => option.value)")
        return set(values) - {"", "none"}

    assert offered("stop_words") == set(stop_words.AVAILABLE_LANGUAGES)
    assert offered("stem") <= set(Stemmer.algorithms())


def test_an_option_that_makes_no_sense_is_refused_with_the_servers_sentence(page):
    page.expected.append("status of 422")
    page.get_by_role("link", name="Fit a model").click()
    choose(page, "#corpus-file", "posts.csv", CORPUS_CSV)
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Share to flag").fill("most")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#fit form .problem")).to_contain_text(
        "contamination must be a share such as 0.05 or 5%, or auto"
    )


def test_a_file_larger_than_the_server_takes_is_not_sent(page):
    page.get_by_role("link", name="Fit a model").click()
    choose(page, "#corpus-file", "large.txt", "market " * 100_000)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#fit form .problem")).to_have_text(
        "The file has 684 KB, but this server accepts 512 KB at most."
    )


def test_no_file_at_all_says_so(page):
    page.get_by_role("link", name="Fit a model").click()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#fit form .problem")).to_have_text("Choose a file first.")


def test_an_upload_can_be_cancelled(page):
    page.get_by_role("link", name="Fit a model").click()
    page.route("**/v1/jobs?*", lambda route: None)  # no answer ever comes
    choose(page, "#corpus-file", "posts.csv", CORPUS_CSV)
    page.get_by_role("button", name="Start").click()
    page.locator("#fit form").get_by_role("button", name="Cancel").click()
    expect(page.locator("#fit form .problem")).to_have_text("Cancelled.")
    expect(page.locator("#fit .chosen")).to_contain_text("posts.csv")


def test_a_running_job_is_cancelled(page, server):
    job = start_job(page)
    job.get_by_role("button", name="Cancel").click()
    expect(job).to_have_attribute("data-state", "cancelled")
    expect(job.get_by_role("heading")).to_be_focused()
    assert server.job(job.get_attribute("data-id"))["state"] == "cancelled"


def test_a_job_that_fails_says_why(page):
    job = start_job(page, "numbers.csv", "a,b\n1,2\n3,4\n")
    expect(job).to_have_attribute("data-state", "failed")
    expect(job.locator(".job-message")).to_contain_text("numbers.csv")


def test_a_job_is_deleted_after_asking_once(page, server):
    job = start_job(page, "gone.csv")
    job_id = job.get_attribute("data-id")
    job.get_by_role("button", name="Cancel").click()
    job.get_by_role("button", name="Delete").click()
    expect(job.get_by_role("button", name="Keep")).to_be_focused()
    job.get_by_role("button", name="Keep").click()
    job.get_by_role("button", name="Delete").click()
    job.get_by_role("button", name="Delete for good").click()
    expect(job).to_have_count(0)
    expect(page.get_by_role("heading", name="Jobs")).to_be_focused()
    assert server.get(f"/v1/jobs/{job_id}").status_code == 404


def test_an_answer_that_comes_late_does_not_hide_a_new_job(page):
    page.get_by_role("link", name="Fit a model").click()
    held = []
    page.route("**/v1/jobs", lambda route: held.append(route), times=1)
    with page.expect_request("**/v1/jobs"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # has the page ask for jobs
    job = start_job(page, "new.csv")
    held[0].fulfill(json={"jobs": []})
    job.get_by_role("button", name="Cancel").click()
    expect(job).to_have_attribute("data-state", "cancelled")
    expect(job.get_by_role("heading")).to_be_focused()


def test_jobs_are_still_there_after_a_reload(page):
    job = start_job(page, "kept.csv")
    page.reload()
    expect(job.get_by_role("heading")).to_have_text("kept.csv")
    job.get_by_role("button", name="Cancel").click()
    expect(job).to_have_attribute("data-state", "cancelled")
