"""Two runs compared: documents are found again whatever became of their ids, and topics by their words."""

import base64
import copy
import gzip
import json

import pytest
from command import run
from report_page import opened, summary_of, written
from saved_models import CORPUS, SMALL

from tonmf import InputError, TextOutlierDetector
from tonmf.ranking import Ranking
from tonmf.report import compare, read_summary, summarise, write_html, write_summary
from tonmf.report.runs import Run


def report_of(*documents, topics=(), **analysed):
    """The summary of documents given by id, content and whether they are flagged."""
    said = [{"id": name, "content": content, "outlier": flagged} for name, content, flagged in documents]
    changes = {"topics": list(topics)} if topics else {}
    return summary_of(said, analysed=analysed, **changes)


def changes(new, old):
    """What is newly strange, and what no longer is, by id."""
    found = compare(new, old)
    return (
        [(document["id"], document["was"]) for document in found["newly_strange"]],
        [(document["id"], document["is"]) for document in found["no_longer_strange"]],
    )


def topic(number, *words, share=0.5):
    terms = [[word, 1 / len(words) ** 0.5] for word in words]
    return {"number": number, "share": share, "words": list(words), "terms": terms, "documents": 1, "typical": []}


@pytest.fixture(scope="module")
def ranking():
    detector = TextOutlierDetector(**SMALL).fit(CORPUS.texts, names=CORPUS.ids)
    return Ranking.of(detector, CORPUS.texts, CORPUS.ids, detector.outlier_scores_)


@pytest.fixture(scope="module")
def summary(ranking):
    return summarise(ranking, title="Today")


# ------------------------------------------------------------------ documents


def test_what_is_newly_strange_and_what_no_longer_is():
    old = report_of(("a", "A", True), ("b", "B", False), ("c", "C", True), ("gone", "G", True), ("d", "D", False))
    new = report_of(("a", "A", True), ("b", "B", True), ("new", "N", True), ("c", "C", False), ("d", "D", False))
    assert changes(new, old) == ([("b", "not flagged"), ("new", "absent")], [("c", "not flagged"), ("gone", "absent")])
    found = compare(new, old)
    assert found["strange"] == {"newly": 2, "no_longer": 2, "still": 1}
    assert found["documents"] == {"in_both": 4, "only_new": 1, "only_old": 1, "by_content": True}
    assert found["newly_strange"][0]["place"] == 2
    assert found["newly_strange"][0]["old_rank"] == 2
    assert found["no_longer_strange"][0]["place"] == 4
    assert found["no_longer_strange"][1]["place"] is None


def test_numbers_of_rows_tell_nothing_and_contents_do():
    old = report_of(("day.csv:2", "A", True), ("day.csv:3", "B", False))
    new = report_of(("day.csv:2", "N", True), ("day.csv:3", "A", True), ("day.csv:4", "B", False))
    assert changes(new, old) == ([("day.csv:2", "absent")], [])
    numbered = report_of(("0", "N", True), ("1", "A", True), ("2", "B", False))
    assert changes(numbered, report_of(("0", "A", True), ("1", "B", False))) == ([("0", "absent")], [])


def test_a_document_of_an_own_id_is_the_same_when_its_text_has_changed():
    old = report_of(("device 7", "as usual", False), ("device 9", "fine", False))
    new = report_of(("device 7", "on fire", True), ("device 9", "fine", False))
    assert changes(new, old) == ([("device 7", "not flagged")], [])


def test_a_document_under_another_id_is_the_same_by_its_content():
    old, new = report_of(("mail-1", "A", True), ("x", "B", False)), report_of(("msg-9", "A", True), ("x", "B", False))
    assert changes(new, old) == ([], [])


def test_copies_are_matched_one_by_one():
    old = report_of(("a", "A", True), ("b", "A", True))
    new = report_of(("c", "A", True), ("b", "A", True), ("d", "A", True))
    assert changes(new, old) == ([("d", "absent")], [])


def test_reports_without_contents_are_matched_by_id():
    old, new = report_of(("a", None, False), ("b", None, False)), report_of(("a", "A", True), ("b", "B", False))
    assert changes(new, old) == ([("a", "not flagged")], [])
    assert not compare(new, old)["documents"]["by_content"]


def test_of_a_report_that_lists_some_documents_others_may_have_been_ordinary():
    old = report_of(("a", "A", True), ("b", "B", False), documents=10)
    assert changes(report_of(("n", "N", True), ("a", "A", True)), old)[0] == [("n", "absent or not listed")]


def test_many_changes_are_counted_and_the_first_are_named(monkeypatch):
    monkeypatch.setattr("tonmf.report.comparison.MOST_NAMED", 2)
    found = compare(report_of(*((f"n{i}", f"N{i}", True) for i in range(5))), report_of(("a", "A", False)))
    assert found["strange"]["newly"] == 5
    assert [document["id"] for document in found["newly_strange"]] == ["n0", "n1"]


# ------------------------------------------------------------------ topics


def test_topics_came_and_went_by_the_cosine_of_their_words():
    documents = [("a", "A", False)]
    old = report_of(*documents, topics=[topic(1, "garden", "soil", "seed"), topic(2, "ship", "sail")])
    new = report_of(*documents, topics=[topic(1, "oven", "dough"), topic(2, "garden", "soil", "rake")])
    found = compare(new, old)["topics"]
    assert [(one["number"], one["old"]["number"], one["cosine"]) for one in found["kept"]] == [(2, 1, 0.6667)]
    assert [(one["words"], one["old"]) for one in found["came"]] == [(["oven", "dough"], None)]
    assert [one["words"] for one in found["went"]] == [["ship", "sail"]]


def test_a_topic_that_was_divided_neither_came_nor_went():
    documents = [("a", "A", False)]
    old = report_of(*documents, topics=[topic(1, "garden", "soil", "seed", "rake")])
    new = report_of(*documents, topics=[topic(1, "garden", "soil"), topic(2, "seed", "rake")])
    found = compare(new, old)["topics"]
    assert (len(found["kept"]), found["came"], found["went"]) == (2, [], [])


def test_topics_of_reports_without_weights_are_told_by_their_words():
    old = report_of(("a", "A", False), topics=[topic(1, "garden", "soil")])
    del old["topics"][0]["terms"]
    found = compare(report_of(("a", "A", False), topics=[topic(1, "soil", "garden")]), old)["topics"]
    assert [one["cosine"] for one in found["kept"]] == [1.0]


# ------------------------------------------------------------------ rankings, summaries and files


def test_a_run_is_the_same_as_itself_in_every_form(ranking, summary, tmp_path):
    write_html(tmp_path / "a.html", summary)
    write_summary(tmp_path / "a.json", summary)
    for form in (ranking, summary, read_summary(tmp_path / "a.html"), read_summary(tmp_path / "a.json")):
        found = compare(form, summary)
        assert found["documents"]["in_both"] == len(CORPUS.texts)
        assert (found["strange"]["newly"], found["strange"]["no_longer"]) == (0, 0)
        assert [one["cosine"] for one in found["topics"]["kept"]] == [1.0] * len(summary["topics"])


def test_a_report_is_read_again_as_it_was_written(summary, tmp_path):
    write_html(tmp_path / "a.html", summary)
    write_summary(tmp_path / "a.json", summary)
    known = {name: value for name, value in summary.items() if name != "marking"}
    assert read_summary(tmp_path / "a.html") == read_summary(tmp_path / "a.json") == known


def bomb(page):
    packed = base64.b64encode(gzip.compress(b"[" + b" " * 100_000 + b"]")).decode()
    return page.replace('data-name="documents-0">', f'data-name="documents-0">{packed}</script><script>', 1)


DAMAGED = {
    "no report at all": lambda page: "<html></html>",
    "a part that is missing": lambda page: page.replace("documents-0", "elsewhere"),
    "a part that is cut off": lambda page: page.replace(
        'data-name="documents-0">', 'data-name="documents-0">H4sI</script>'
    ),
    "numbers that are none": lambda page: page.replace('"threshold":', '"threshold":NaN,"x":', 1),
    "a part that unpacks to far too much": bomb,
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_page_gets_one_clear_error(damage, summary, tmp_path, monkeypatch):
    monkeypatch.setattr("tonmf.report.earlier.LARGEST_PART", 50_000)
    write_html(tmp_path / "a.html", summary_of([{}]))
    path = tmp_path / "a.html"
    path.write_text(damage(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.html is no report of tonmf"):
        read_summary(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda report: report["documents"][0].pop("score"), "it has no 'score'"),
        (lambda report: report["documents"][0].update(score=float("inf")), "expected a number, got inf"),
        (lambda report: report.update(topics=3), "not iterable"),
    ],
    ids=["no score", "an endless score", "no topics"],
)
def test_a_summary_of_another_form_gets_one_clear_error(change, said):
    report = copy.deepcopy(report_of(("a", "A", False)))
    change(report)
    with pytest.raises(InputError, match=f"old.json is no report of tonmf that can be compared: .*{said}"):
        Run.of_summary(report, "old.json")


@pytest.mark.parametrize("content", ["[]", "{}", "[" * 100_000, '{"documents": 3}', "nothing"])
def test_other_json_is_no_report(content, tmp_path):
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(InputError, match=r"a\.json is no report"):
        read_summary(tmp_path / "a.json")


# ------------------------------------------------------------------ the command


@pytest.fixture(scope="module")
def days(tmp_path_factory):
    """Yesterday's documents and today's, their models, and yesterday's report; today has two more strange ones, on top."""
    folder = tmp_path_factory.mktemp("days")
    strange = [text for text, label in zip(CORPUS.texts, CORPUS.labels, strict=True) if label]
    ordinary = [text for text, label in zip(CORPUS.texts, CORPUS.labels, strict=True) if not label]
    for day, texts in (("old", [*ordinary, *strange[2:]]), ("new", [*strange[:2], *ordinary, *strange[2:]])):
        (folder / f"{day}.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in texts))
        options = ("--topics", "6", "--save", f"{day}-model", "--report", f"{day}.html")
        ran = run("detect", f"{day}.jsonl", *options, cwd=folder)
        assert ran.code == 0, ran.err
    return folder


def test_the_command_compares_with_the_report_of_yesterday(days):
    ran = run("report", "new-model", "new.jsonl", "--against", "old.html", "-o", "both.json", cwd=days)
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0].startswith("Compared with old.jsonl (20")
    assert lines[0].endswith("118 documents are in both, 2 only here, 0 only there.")
    assert lines[1].startswith("  Newly strange: ")
    assert {"new.jsonl:1 (new)", "new.jsonl:2 (new)"} <= set(lines[1].split(": ", 1)[1].split(": ", 1)[1].split(", "))
    assert lines[4].startswith("  Topics that came: ")
    comparison = json.loads((days / "both.json").read_text(encoding="utf-8"))["comparison"]
    assert comparison["strange"]["newly"] == len(comparison["newly_strange"])
    assert comparison["newly_strange"][0]["sentence"].startswith("Flagged: ")


def test_the_command_compares_two_models_on_the_same_documents(days):
    ran = run("report", "new-model", "new.jsonl", "--against", "old-model", "-o", "models.html", cwd=days)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("Compared with old-model: 120 documents are in both, 0 only here, 0 only there.")
    assert read_summary(days / "models.html")["comparison"]["old"]["title"] == "old-model"


@pytest.mark.parametrize(
    ("against", "said"),
    [
        ("none.html", "There is no none.html. Expected an earlier report, or the folder of a saved model."),
        ("old.jsonl", "old.jsonl: expected an earlier report (.html, or .json for its content), or the folder of a"),
        (".", ". is no saved model: expected a folder with"),
        ("out.html", "out.html is one of the files to read, and would be lost. Give another name."),
    ],
)
def test_what_there_is_nothing_to_compare_with_is_refused(days, against, said):
    (days / "out.html").write_text("an earlier report")
    ran = run("report", "new-model", "new.jsonl", "--against", against, "-o", "out.html", cwd=days)
    assert ran.code != 0
    assert said in ran.err


# ------------------------------------------------------------------ the page


def test_the_page_shows_what_changed_and_opens_the_documents(page, tmp_path):
    old = report_of(("a", "A", False), ("gone", "G", True), topics=[topic(1, "ship", "sail")])
    new = report_of(("<b>n</b>", "N", True), ("a", "A", False), topics=[topic(1, "garden", "soil")])
    new["topics"][0] |= {"x": 0.0, "y": 1.0}
    opened(page, written(tmp_path, {**new, "comparison": compare(new, old)}))
    section = page.locator("#compared")
    assert "1 document in both, 1 only here, 1 only there." in section.text_content()
    rows = section.locator("tbody tr").all_text_contents()
    assert [text[: len(start)] for text, start in zip(rows, ("<b>n</b>", "gone", "came", "went"), strict=True)] == [
        "<b>n</b>", "gone", "came", "went",
    ]  # fmt: skip
    section.get_by_role("link", name="<b>n</b>").click()
    page.locator("#document-0 article.document").wait_for()


def test_the_page_shows_more_of_many_changes_when_asked(page, tmp_path):
    new = report_of(*((f"n{i}", f"N{i}", True) for i in range(15)))
    opened(page, written(tmp_path, {**new, "comparison": compare(new, report_of(("a", "A", False)))}))
    assert page.locator("#compared tbody tr").count() == 10
    page.get_by_role("button", name="Show all 15").click()
    assert page.locator("#compared tbody tr").count() == 15


def test_a_document_without_reasons_says_how_to_get_them(page, tmp_path):
    opened(page, written(tmp_path, summary_of([{"id": "a b", "sentence": None}])))
    page.get_by_role("button", name="a b", exact=True).click()
    assert "tonmf explain MODEL FILES --id 'a b'" in page.locator("article.document").text_content()
