"""Reports of many documents: pages of bounded size, and the same page from files as from memory."""

import json

import numpy as np
import pytest
from command import run
from report_page import open_document, opened, summary_of, written
from saved_models import CORPUS, SMALL

from tonmf import InputError, TextOutlierDetector
from tonmf.ranking import LargeRanking, Ranking
from tonmf.report import read_summary, summarise, write_html, write_summary
from tonmf.text.batches import BatchesOf

TEXTS = [*CORPUS.texts, "", "zxcv qwer uiop hjkl vbnm", CORPUS.texts[3], "half \ud800 word"]
IDS = [*CORPUS.ids, "empty", "unknown", "copy", "half"]
EMBEDDINGS = np.random.default_rng(0).standard_normal((len(TEXTS), 8)).astype(np.float32)


@pytest.fixture(scope="module")
def detector():
    return TextOutlierDetector(**SMALL).fit(TEXTS, names=IDS)


@pytest.fixture
def few(monkeypatch):
    """Limits that these documents are too many for."""
    for name, value in (("REASONS", 50), ("NEAR", 30), ("LISTED", 100), ("DETAILED", 4)):
        monkeypatch.setattr(f"tonmf.report.plan.{name}", value)


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr("tonmf.text.batches.BATCH", 50)


def in_memory(detector):
    return Ranking.of(detector, TEXTS, IDS, detector.outlier_scores_)


def from_batches(detector, embeddings=None, **how):
    ranking, batches = LargeRanking.of_training(detector, None, embeddings), BatchesOf(TEXTS, IDS)
    ranking.fetch(batches, 5, ())
    return summarise(ranking, title="Many", batches=batches, **how)


def page_of(summary, folder):
    summary["made"]["when"] = ""
    write_html(folder / "page.html", summary)
    return (folder / "page.html").read_bytes()


# ------------------------------------------------------------------ bounded


def test_of_many_documents_those_that_are_flagged_or_near_it_have_reasons(detector, few):
    ranking = in_memory(detector)
    summary = summarise(ranking, title="Many")
    documents, analysed = summary["documents"], summary["analysed"]
    assert (analysed["documents"], analysed["listed"], analysed["with_reasons"]) == (len(TEXTS), 100, 30)
    assert [document["row"] for document in documents] == ranking.order[:100].tolist()
    assert all(document["sentence"] for document in documents[:30])
    assert all(document["sentence"] is None and document["unexpected"] == [] for document in documents[30:])
    assert summary["notes"] == [
        "The 100 strangest of 124 documents are listed, and the numbers of documents by topic are those of the list.",
        "The 30 strangest documents have reasons. Of any other, tonmf explain says why it has its score.",
    ]


def test_documents_without_reasons_have_the_same_topics_places_and_alarms(detector, few, monkeypatch):
    short = summarise(in_memory(detector), title="Many")["documents"]
    monkeypatch.setattr("tonmf.report.plan.REASONS", 200)
    whole = summarise(in_memory(detector), title="Many")["documents"]
    for one, other in zip(short, whole, strict=False):
        for name in (
            "id",
            "score",
            "p_value",
            "outlier",
            "judged",
            "alarms",
            "main_alarm",
            "topic",
            "topics",
            "copies",
        ):
            assert one[name] == other[name]
    assert all("".join(document["pieces"]) == TEXTS[document["row"]] for document in short[30:])


def test_words_are_marked_in_documents_in_full_and_where_a_text_is_cut_to_them(detector, few, monkeypatch):
    documents = summarise(in_memory(detector), title="Many")["documents"]
    n_full = sum("missing" in document for document in documents)
    assert 0 < n_full < 30
    assert all(is_marked(document) for document in documents[:n_full] if document["unexpected"])
    assert not any(is_marked(document) for document in documents[n_full:])
    monkeypatch.setattr("tonmf.report.plan.ALL_TEXT", 4_000)
    cut = summarise(in_memory(detector), title="Many")["documents"][n_full:30]
    assert any(is_marked(document) for document in cut if "cut" in document)


def is_marked(document):
    return any(isinstance(piece, list) for piece in document["pieces"])


def test_the_page_shades_the_words_of_documents_that_the_report_left_unmarked(page, tmp_path):
    words = [
        {"word": word, "share": share, "count": 1, "known": True} for word, share in (("glacier", 0.2), ("京都", 0.1))
    ]
    text = "Glacier, glaciers and a GLACIER (églacier)? 東京都に行く"
    opened(page, written(tmp_path, summary_of([{"id": "a", "unexpected": words, "pieces": [text]}])))
    found = open_document(page, "a")
    assert found.locator("mark.unexpected").all_text_contents() == ["Glacier", "GLACIER", "京都"]
    assert found.locator(".text").text_content() == text


def test_alarms_of_all_documents_are_counted_also_of_those_that_are_not_listed(detector, few):
    for ranking in (in_memory(detector), Ranking.by(detector, TEXTS, IDS)):
        analysed = summarise(ranking, title="Many")["analysed"]
        assert (analysed["empty"], analysed["unknown"]) == (1, int((detector.alarms_["unknown"] > 0).sum()))


def test_groups_name_documents_that_are_listed(detector, few):
    for group in summarise(in_memory(detector), title="Many")["groups"]:
        assert all(1 <= place <= 100 for place in group["documents"])


def test_a_share_of_all_documents_is_one_of_those_that_are_listed(few):
    detector = TextOutlierDetector(**SMALL, contamination=0.1).fit(CORPUS.texts, names=CORPUS.ids)
    ranking = Ranking.of(detector, CORPUS.texts, CORPUS.ids, detector.outlier_scores_)
    assert summarise(ranking, title="Many")["marking"]["rule"]["share"] == pytest.approx(0.12)


# ------------------------------------------------------------------ from files


def test_the_page_from_batches_is_that_from_memory(detector, small_batches, tmp_path):
    assert page_of(from_batches(detector), tmp_path) == page_of(summarise(in_memory(detector), title="Many"), tmp_path)


def test_so_it_is_when_not_all_documents_are_listed(detector, small_batches, few, tmp_path):
    assert page_of(from_batches(detector), tmp_path) == page_of(summarise(in_memory(detector), title="Many"), tmp_path)


def test_with_embeddings_it_says_the_same_to_rounding(small_batches, few):
    detector = TextOutlierDetector(**SMALL).fit(TEXTS, names=IDS, embeddings=EMBEDDINGS)
    expected = summarise(in_memory(detector), title="Many")
    assert expected["map"] == "meaning"
    found = from_batches(detector, EMBEDDINGS)
    assert found["map"] == "meaning"
    for one, other in zip(found["documents"], expected["documents"], strict=True):
        assert (one["id"], one["sentence"]) == (other["id"], other["sentence"])
        assert (one["x"], one["y"], one["score"]) == pytest.approx((other["x"], other["y"], other["score"]), abs=1e-3)


def test_the_summary_from_batches_can_be_written_and_read_again(detector, small_batches, tmp_path):
    write_summary(tmp_path / "a.json", from_batches(detector))
    known = summarise(in_memory(detector), title="Many")["documents"]
    written = read_summary(tmp_path / "a.json")["documents"]
    assert written == [json.loads(json.dumps(document).replace("\\ud800", "?")) for document in known]


def test_progress_of_batches_goes_up_to_one(detector, small_batches):
    done = []
    from_batches(detector, on_done=done.append)
    assert done == sorted(done)
    assert done[-1] == 1


def test_documents_that_have_changed_are_refused(detector):
    ranking = LargeRanking.of_training(detector, None)
    ranking.fetch(BatchesOf(TEXTS, IDS), 5, ())
    with pytest.raises(InputError, match="The documents have changed since they were learnt from: there were 124"):
        summarise(ranking, title="", batches=BatchesOf(TEXTS[:-1]))
    with pytest.raises(InputError, match="does not have its documents"):
        summarise(ranking, title="")


def test_the_command_writes_a_report_within_a_memory_limit(tmp_path):
    lines = [json.dumps({"id": name, "text": text}) for name, text in zip(CORPUS.ids, CORPUS.texts, strict=True)]
    (tmp_path / "docs.jsonl").write_text("\n".join(lines))
    pages = {}
    for name, limit in (("memory", []), ("disk", ["--memory", "1GB"])):
        ran = run("detect", "docs.jsonl", "--topics", "6", "--report", f"{name}.html", *limit, cwd=tmp_path)
        assert ran.code == 0, ran.err
        assert f"note: The report is in {name}.html. Open it in a browser." in ran.err
        pages[name] = read_summary(tmp_path / f"{name}.html")
    memory, disk = pages["memory"]["documents"], pages["disk"]["documents"]
    assert [document["id"] for document in memory] == [document["id"] for document in disk]
    assert [document["pieces"] for document in memory[:4]] == [document["pieces"] for document in disk[:4]]
    np.testing.assert_allclose(
        [document["score"] for document in memory], [document["score"] for document in disk], atol=2e-4
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disk.html", "docs.jsonl", "memory.html"]
