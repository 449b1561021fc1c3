"""Reports: the summary agrees with the detector, and the file holds all of it and nothing that could run but our scripts."""

import base64
import gzip
import html.parser
import json
import re

import numpy as np
import pytest
import scipy.sparse as sp
from command import run
from hostile import HOSTILE
from saved_models import CORPUS, SMALL

from tonmf import InputError, TextOutlierDetector
from tonmf.metrics import roc_curve
from tonmf.ranking import Ranking
from tonmf.report import summarise, write_html, write_summary
from tonmf.report.html import policy
from tonmf.text.pieces import Piece


def ranking_of(documents, ids=None, terms=None, **options):
    detector = TextOutlierDetector(**SMALL, **options).fit(documents, terms=terms)
    ids = list(map(str, range(len(detector.outlier_scores_)))) if ids is None else ids
    return Ranking.of(detector, documents, ids, detector.outlier_scores_)


@pytest.fixture(scope="module")
def ranking():
    return ranking_of(CORPUS.texts, CORPUS.ids)


@pytest.fixture(scope="module")
def summary(ranking):
    return summarise(ranking, title="A corpus", notes=["A note."], labels=CORPUS.labels)


def parts_of(page):
    """The data in a report, by name."""
    packed = re.findall(r'<script type="text/plain" class="part" data-name="([\w-]+)">([^<]*)</script>', page)
    parts = {name: json.loads(gzip.decompress(base64.b64decode(text))) for name, text in packed}
    (about,) = re.findall(r'<script type="application/json" id="summary">(.*?)</script>', page, flags=re.DOTALL)
    return {"summary": json.loads(about), **parts}


class Tags(html.parser.HTMLParser):
    """The elements of a page."""

    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))


# ------------------------------------------------------------------ the summary


def test_documents_are_in_order_and_say_what_the_explanations_say(ranking, summary):
    explanations = {why.id: why for why in ranking.detector.explain(CORPUS.texts, names=CORPUS.ids)}
    documents = summary["documents"]
    assert [document["id"] for document in documents] == [CORPUS.ids[row] for row in ranking.order]
    for document in documents:
        why = explanations[document["id"]]
        assert CORPUS.ids[document["row"]] == document["id"]
        assert document["score"] == why.score
        assert document["rank"] == why.rank
        assert document["outlier"] == why.outlier
        assert document["sentence"] == why.sentence
        assert document["reason"] == why.reason
        assert [word["word"] for word in document["unexpected"]] == [word.word for word in why.unexpected]
        assert [topic["number"] for topic in document["topics"]] == [topic.number for topic in why.topics]
        explained = sum(topic["share"] for topic in document["topics"]) + why.other_topics
        assert document["unexplained"]["value"] + explained == pytest.approx(1, abs=1e-3)
        assert document["missing"] == why.missing
        assert document["main_alarm"] == why.main_alarm


def test_topics_are_those_of_the_table_that_detect_writes(ranking, summary):
    columns = ranking.columns()
    assert columns["id"] == [document["id"] for document in summary["documents"]]
    assert columns["topic"] == [document["topic"] for document in summary["documents"]]


def test_the_marked_pieces_of_a_text_are_its_unexpected_words(ranking, summary):
    for document in summary["documents"]:
        text = CORPUS.texts[document["row"]]
        assert "".join(piece if isinstance(piece, str) else piece[0] for piece in document["pieces"]) == text
        marked = {piece[0].lower() for piece in document["pieces"] if not isinstance(piece, str)}
        assert marked == {word["word"] for word in document["unexpected"] if word["share"] > 0}


def test_what_was_analysed_and_how_is_said(ranking, summary):
    analysed = summary["analysed"]
    assert analysed["documents"] == analysed["training"]["documents"] == len(CORPUS.texts)
    assert analysed["flagged"] == int((ranking.detector.labels_ == -1).sum())
    assert analysed["threshold"] == ranking.detector.threshold_
    assert analysed["rule"] == ranking.rule
    assert analysed["training"]["same"]
    assert analysed["seed"] == 0
    assert analysed["options"] == SMALL
    assert analysed["topics"] == len(summary["topics"]) == len(ranking.detector.topics())
    assert summary["notes"] == ["A note."]
    assert {"when", "tonmf", "python", "numpy"} <= set(summary["made"])


def test_topics_count_the_documents_that_lean_on_them_most(summary):
    main = [document["topic"] for document in summary["documents"]]
    assert {topic["number"]: topic["documents"] for topic in summary["topics"]} == {
        topic["number"]: main.count(topic["number"]) for topic in summary["topics"]
    }


def test_groups_name_documents_by_their_places(ranking, summary):
    for group, known in zip(summary["groups"], ranking.small_groups, strict=True):
        rows = [summary["documents"][place - 1]["row"] for place in group["documents"]]
        assert rows == known.documents.tolist()


def test_groups_of_copies_are_marked():
    strange = CORPUS.texts[int(np.flatnonzero(CORPUS.labels)[0])]
    texts = [*CORPUS.texts, *[strange] * 3]
    groups = summarise(ranking_of(texts), title="Copies")["groups"]
    (copied,) = [group for group in groups if group["copies"]]
    assert copied["size"] == len(copied["documents"]) >= 4


def test_labels_give_curves_and_follow_their_documents(summary):
    assert [document["label"] for document in summary["documents"]] == [
        int(CORPUS.labels[document["row"]]) for document in summary["documents"]
    ]
    curves = summary["curves"]
    assert curves["outliers"] == CORPUS.labels.sum()
    assert curves["roc"]["area"] == 1.0
    assert curves["precision_recall"]["average"] == 1.0
    assert curves["roc"]["threshold"][0] is None
    for curve in (curves["roc"], curves["precision_recall"]):
        assert len(curve["x"]) == len(curve["y"]) == len(curve["threshold"])


def test_labels_of_one_kind_give_a_note_in_place_of_curves(ranking):
    summary = summarise(ranking, title="", labels=[0] * len(CORPUS.texts))
    assert summary["curves"] is None
    assert summary["notes"] == ["All labels are the same, so there are no curves."]


def test_documents_without_a_label_have_no_part_in_the_curves(ranking):
    n_docs = len(ranking.ids)
    labels = [1 if row < 3 else 0 for row in range(n_docs)]
    some = [None if row % 3 == 0 else label for row, label in enumerate(labels)]
    summary = summarise(ranking, title="t", labels=some)
    assert summary["curves"]["outliers"] == 2
    assert {document["row"]: document["label"] for document in summary["documents"]} == dict(enumerate(some))
    known = [row for row in range(n_docs) if some[row] is not None]
    expected = roc_curve(np.array([labels[row] for row in known]), ranking.scores[known]).area
    assert summary["curves"]["roc"]["area"] == pytest.approx(expected, abs=1e-6)


def test_labels_must_be_one_for_each_document(ranking):
    with pytest.raises(InputError, match="one label for each of the 120 documents"):
        summarise(ranking, title="", labels=[0, 1])


def test_without_labels_there_are_no_curves_and_no_labels(ranking):
    summary = summarise(ranking, title="")
    assert summary["curves"] is None
    assert "label" not in summary["documents"][0]


def test_a_summary_is_plain_json(ranking, summary, tmp_path):
    write_summary(tmp_path / "summary.json", summary)
    written = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(summary)) == summary
    assert {**written, "marking": summary["marking"]} == summary, "only a page can use what marks need"


def test_baskets_and_counts_have_reports_too():
    rng = np.random.default_rng(0)
    baskets = [[str(item) for item in rng.choice(20, 5, replace=False)] for _ in range(60)]
    of_baskets = summarise(ranking_of(baskets), title="")
    assert of_baskets["analysed"]["word"] == "item"
    assert "".join(piece if isinstance(piece, str) else piece[0] for piece in of_baskets["documents"][0]["pieces"]) == (
        " ".join(baskets[of_baskets["documents"][0]["row"]])
    )
    counts = sp.csr_matrix(rng.poisson(1.0, (60, 12)))
    of_counts = summarise(ranking_of(counts, terms=[f"term{i}" for i in range(12)]), title="")
    assert of_counts["analysed"]["kind"] == "a matrix of counts"
    assert any(piece[0].startswith("term") for piece in of_counts["documents"][0]["pieces"])


def test_empty_documents_and_unknown_words_are_counted():
    texts = [*CORPUS.texts, "", "zxcv qwer uiop hjkl vbnm"]
    summary = summarise(ranking_of(texts), title="")
    assert (summary["analysed"]["empty"], summary["analysed"]["unknown"]) == (1, 1)


def test_documents_that_are_not_judged_come_last_and_are_outliers_at_no_threshold():
    texts, labels = ["the", *CORPUS.texts, ""], [1, *CORPUS.labels.tolist(), 0]
    summary = summarise(ranking_of(texts), title="", labels=labels)
    assert [document["row"] for document in summary["documents"][-2:]] == [0, len(texts) - 1]
    assert [document["judged"] for document in summary["documents"]] == [True] * len(CORPUS.texts) + [False] * 2
    roc = summary["curves"]["roc"]
    n_ordinary = labels.count(0)
    before = [x for x, y in zip(roc["x"], roc["y"], strict=True) if y < 1]
    assert max(before) == pytest.approx((n_ordinary - 1) / n_ordinary, abs=1e-4)  # all judged documents come first


def test_documents_beyond_the_strangest_are_described_in_short(ranking, monkeypatch):
    monkeypatch.setattr("tonmf.report.plan.DETAILED", 1)
    summary = summarise(ranking, title="")
    flagged = summary["analysed"]["flagged"]
    assert all("missing" in document for document in summary["documents"][:flagged])
    assert not any("missing" in document for document in summary["documents"][flagged:])
    assert all(len(document["unexpected"]) <= 5 for document in summary["documents"][flagged:])
    assert summary["documents"][-1]["sentence"]


def test_long_texts_are_cut_where_their_unexpected_words_are_and_a_note_says_so(monkeypatch):
    monkeypatch.setattr("tonmf.report.plan.ALL_TEXT", 10_000)
    long = f"{CORPUS.texts[0]} zxcv qwer uiop hjkl {CORPUS.texts[1]}"
    summary = summarise(ranking_of([*CORPUS.texts[:-1], long]), title="")
    cut = [document for document in summary["documents"] if "cut" in document]
    assert (
        sum(len(Piece(*_pair(piece)).text) for document in summary["documents"] for piece in document["pieces"])
        <= 10_000
    )
    assert len(cut) > 20
    assert f"{len(cut)} texts are cut: to " in summary["notes"][0]
    (longest,) = (document for document in cut if document["cut"] == len(long))
    assert any(piece[0] == "zxcv" for piece in longest["pieces"])


def _pair(piece):
    return (piece,) if isinstance(piece, str) else piece


def test_progress_goes_up_to_one(ranking):
    done = []
    summarise(ranking, title="", on_done=done.append)
    assert done == sorted(done)
    assert done[-1] == 1


# ------------------------------------------------------------------ the file


def test_the_file_holds_the_whole_summary(summary, tmp_path):
    write_html(tmp_path / "report.html", summary)
    parts = parts_of((tmp_path / "report.html").read_text(encoding="utf-8"))
    documents = [document for number in range(parts["summary"]["parts"]) for document in parts[f"documents-{number}"]]
    assert documents == summary["documents"]
    assert {**parts["summary"], "documents": documents, "marking": parts["marking"]} == {
        **summary,
        "parts": parts["summary"]["parts"],
        "part_size": parts["summary"]["part_size"],
    }
    assert parts["index"]["rank"] == [document["rank"] for document in documents]
    assert parts["index"]["id"] == [document["id"] for document in documents]
    assert parts["index"]["score"] == [document["score"] for document in documents]
    assert parts["index"]["label"] == [document["label"] for document in documents]


def test_documents_come_in_parts(summary, tmp_path, monkeypatch):
    monkeypatch.setattr("tonmf.report.html.PART", 50)
    write_html(tmp_path / "report.html", summary)
    parts = parts_of((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert [len(parts[f"documents-{number}"]) for number in range(3)] == [50, 50, 20]


def test_nothing_is_loaded_from_elsewhere_and_only_our_scripts_may_run(summary, tmp_path):
    write_html(tmp_path / "report.html", summary)
    found = Tags()
    found.feed((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert not [attributes for _, attributes in found.tags if "src" in attributes or "href" in attributes]
    (content,) = (
        attributes["content"]
        for tag, attributes in found.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert content == policy()
    assert content.startswith("default-src 'none'; ")
    assert "unsafe" not in content
    scripts = [attributes for tag, attributes in found.tags if tag == "script" and "type" not in attributes]
    assert len(scripts) == content.split("script-src")[1].split(";")[0].count("sha256-") == 2


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda text: ascii(text[:20]))
def test_no_text_can_become_markup(hostile, tmp_path):
    texts, ids = [*CORPUS.texts[:60], hostile], [*CORPUS.ids[:60], hostile[:1000]]
    summary = summarise(ranking_of(texts, ids), title=hostile[:1000], notes=[hostile[:1000]])
    write_html(tmp_path / "report.html", summary)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    harmless = summarise(ranking_of([*CORPUS.texts[:60], "word"]), title="", notes=[""])
    write_html(tmp_path / "harmless.html", harmless)
    found, expected = Tags(), Tags()
    found.feed(page)
    expected.feed((tmp_path / "harmless.html").read_text(encoding="utf-8"))
    assert [tag for tag, _ in found.tags] == [tag for tag, _ in expected.tags]
    assert parts_of(page)["summary"]["title"] == hostile[:1000]


def test_half_a_surrogate_pair_does_no_harm(tmp_path):
    summary = summarise(ranking_of([*CORPUS.texts[:60], "half \ud800 word"]), title="\ud800")
    write_html(tmp_path / "report.html", summary)
    write_summary(tmp_path / "summary.json", summary)
    assert parts_of((tmp_path / "report.html").read_text(encoding="utf-8"))["summary"]["title"] == "?"
    assert json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))["title"] == "?"


def test_the_same_summary_gives_the_same_bytes(summary, tmp_path):
    for name in ("one.html", "two.html"):
        write_html(tmp_path / name, summary)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_a_report_that_cannot_be_written_leaves_the_old_one(summary, tmp_path, monkeypatch):
    target = tmp_path / "report.html"
    target.write_text("old")
    monkeypatch.setattr("tonmf.report.html._part", lambda name, content: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_html(target, summary)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


# ------------------------------------------------------------------ the commands


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shop")
    rows = "".join(
        json.dumps({"id": name, "text": text, "planted": int(label)}) + "\n"
        for name, text, label in zip(CORPUS.ids, CORPUS.texts, CORPUS.labels, strict=True)
    )
    (folder / "reviews.jsonl").write_text(rows)
    return folder


def test_detect_and_report_write_the_same_report(shop):
    options = ("--label-column", "planted")
    done = run("detect", "reviews.jsonl", "--save", "model", "--report", "a.json", *options, "-q", cwd=shop)
    assert done.code == 0, done.err
    again = run("report", "model", "reviews.jsonl", "--output", "b.json", *options, cwd=shop)
    assert again.code == 0, again.err
    first, second = (json.loads((shop / name).read_text(encoding="utf-8")) for name in ("a.json", "b.json"))
    assert first["title"] == "reviews.jsonl"
    assert first["curves"]["roc"]["area"] == 1.0
    for summary in (first, second):
        summary["made"]["when"] = None
    assert first == second
    assert "The report is in b.json." in again.err


def test_report_writes_a_page_called_report_html(shop):
    run("detect", "reviews.jsonl", "--save", "model2", "-q", cwd=shop)
    done = run("report", "model2", "reviews.jsonl", "--title", "Shop <1>", cwd=shop)
    assert done.code == 0, done.err
    assert "<title>Shop &lt;1&gt;: documents that do not belong</title>" in (shop / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--report", "report.pdf"), 1, "expected a name that ends in .html, or in .json"),
        (("--report", "missing/report.html"), 1, "cannot be written"),
        (("--title", "A"), 2, "--title has no effect without --report. Give both, or leave it out."),
        (("--label-column", "planted"), 2, "--label-column has no effect without --report. Give both"),
        (("--report", "r.html", "--label-column", "other"), 1, "has no column 'other' (--label-column)"),
    ],
)
def test_what_cannot_be_is_refused_before_the_work_begins(shop, options, code, message):
    done = run("detect", "reviews.jsonl", *options, cwd=shop)
    assert done.code == code
    assert message in done.err
    assert len(done.error_lines) == 1
    assert "flagged" not in done.out


def test_a_report_never_takes_the_place_of_its_input(shop):
    (shop / "texts.json").write_text("not to be lost")
    done = run("detect", "texts.json", "--format", "lines", "--report", "texts.json", cwd=shop)
    assert done.code == 1
    assert "is one of the files to read, and would be lost" in done.err
    assert (shop / "texts.json").read_text() == "not to be lost"
