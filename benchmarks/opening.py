"""Time to write a report and to open it in Chromium, compared with the same documents in a plain HTML table."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from itertools import cycle, islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import print_table, save
from benchmarks.tasks import newsgroups
from tonmf import TextOutlierDetector
from tonmf.ranking import Ranking
from tonmf.report import summarise, write_html

SIZES = (1_000, 10_000, 100_000)
REPEATS = 5

OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")

READY = "html[data-ready]"
"""Selector that matches when the first page of a report's list is shown."""

DRAG = """async () => {
    const input = document.querySelector("input[type=range]");
    const times = [];
    for (let step = 0; step < 40; step++) {
        const began = performance.now();
        input.value = Number(input.min) + (step / 40) * (input.max - input.min);
        input.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise(requestAnimationFrame);
        times.push(performance.now() - began);
    }
    return times;
}"""
"""Move the threshold over its whole range; return the milliseconds from each step to the next frame."""

ZOOM = """async () => {
    const map = document.querySelector(".map");
    map.scrollIntoView({ behavior: "instant" });
    while (!map.querySelector("canvas")) await new Promise(requestAnimationFrame);
    const { x, y, width, height } = map.getBoundingClientRect();
    const times = [];
    for (let step = 0; step < 40; step++) {
        const clientX = x + width * (0.4 + 0.005 * step);
        const turn = { deltaY: step < 20 ? -60 : 60, clientX, clientY: y + height / 2, bubbles: true, cancelable: true };
        const began = performance.now();
        map.dispatchEvent(new WheelEvent("wheel", turn));
        await new Promise(requestAnimationFrame);
        times.push(performance.now() - began);
    }
    return times;
}"""
"""Zoom in on the map and out again by the wheel; return the milliseconds from each turn to the next frame."""


def main(arguments: list[str]) -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    sizes = parser.parse_args(arguments).sizes
    posts = [post.text for post in newsgroups()]
    measure(posts[:200])  # so that no size loads kernels, modules and the browser
    results = [measure(list(islice(cycle(posts), size))) for size in sizes]
    print_table(
        f"Seconds to write a report of 20 Newsgroups; beyond {len(posts):,} documents, posts repeat",
        ["documents", "time", "fit", "summary", "page", "(summary + page) / fit", "MB"],
        [
            (
                f"{r['documents']:,}",
                what,
                *(f"{seconds:.2f}" for seconds in r[clock]),
                f"{sum(r[clock][1:]) / r[clock][0]:.2f}",
                f"{r['report_mb']:.1f}",
            )
            for r in results
            for what, clock in (("elapsed", "elapsed"), ("of all cores", "cpu"))
        ],
    )
    print_table(
        f"Seconds to open it from disk in Chromium until the list is shown; report: median of {REPEATS}, table: once",
        ["documents", "report", "plain table", "MB of the table"],
        [
            (
                f"{r['documents']:,}",
                f"{np.median(r['opening']):.2f}",
                f"{r['table']:.2f}",
                f"{r['table_mb']:.1f}",
            )
            for r in results
        ],
    )
    print_table(
        "Milliseconds from a step to the next frame",
        ["documents", "threshold, median", "longest", "zoom of the map, median", "longest", "of it scripts, mean"],
        [
            (
                f"{r['documents']:,}",
                *(f"{value:.0f}" for key in ("steps", "zoom") for value in (np.median(r[key]), max(r[key]))),
                f"{np.mean(r['scripts']):.1f}",
            )
            for r in results
        ],
    )
    save("opening", results)


def measure(texts: list[str]) -> dict[str, Any]:
    """Measure one size."""
    ids = [f"post {number}" for number in range(len(texts))]
    began = _now()
    detector = TextOutlierDetector().fit(texts, names=ids)
    fitted = _now()
    ranking = Ranking.of(detector, texts, ids, detector.outlier_scores_)
    summary = summarise(ranking, title="Posts")
    summarised = _now()
    with tempfile.TemporaryDirectory() as folder:
        report, table = Path(folder, "report.html"), Path(folder, "table.html")
        write_html(report, summary)
        written = _now()
        _write_table(table, summary["documents"])
        return {
            "documents": len(texts),
            "elapsed": [after[0] - before[0] for before, after in pairwise((began, fitted, summarised, written))],
            "cpu": [after[1] - before[1] for before, after in pairwise((began, fitted, summarised, written))],
            "report_mb": report.stat().st_size / 1e6,
            "table_mb": table.stat().st_size / 1e6,
            **_in_browser(report, table),
        }


def _now() -> tuple[float, float]:
    """Return the time, and the CPU time of this process."""
    return time.perf_counter(), time.process_time()


def _write_table(path: Path, documents: list[dict[str, Any]]) -> None:
    """Write the peer, as people do without a tool: a pandas table with one row per document."""
    import pandas as pd

    rows = [
        {
            "rank": document["rank"],
            "id": document["id"],
            "score": document["score"],
            "words": ", ".join(word["word"] for word in document["unexpected"]),
            "text": "".join(piece if isinstance(piece, str) else piece[0] for piece in document["pieces"]),
        }
        for document in documents
    ]
    pd.DataFrame(rows).to_html(path, index=False)


def _in_browser(report: Path, table: Path) -> dict[str, Any]:
    """Time opening both, in seconds, and steps of the threshold and of the map's zoom, in milliseconds."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("TONMF_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.exit("opening needs Chromium: install it, or name it in TONMF_CHROMIUM")
    steps: dict[str, list[float]] = {"steps": [], "zoom": [], "scripts": []}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(OPTIONS))
        as_table = _seconds(browser, table)
        opening = [_seconds(browser, report, READY, steps) for _ in range(REPEATS)]
        browser.close()
    return {"opening": opening, "table": as_table, **steps}


def _seconds(browser: Any, path: Path, ready: str = "html", steps: dict[str, list[float]] | None = None) -> float:
    """Time a page until it is ready and a frame is drawn; then add the times of the steps in it to `steps`."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(300_000)
    began = time.perf_counter()
    page.goto(path.as_uri(), wait_until="load")
    page.wait_for_selector(ready, state="attached")
    page.evaluate("() => new Promise(requestAnimationFrame)")
    seconds = time.perf_counter() - began
    if steps is not None:
        steps["steps"] += page.evaluate(DRAG)
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable")
        before = _script_ms(devtools)
        zoom = page.evaluate(ZOOM)
        steps["zoom"] += zoom
        steps["scripts"].append((_script_ms(devtools) - before) / len(zoom))
    page.close()
    return seconds


def _script_ms(devtools: Any) -> float:
    """Return for how long scripts of a page have run."""
    metrics = {metric["name"]: metric["value"] for metric in devtools.send("Performance.getMetrics")["metrics"]}
    return 1000 * float(metrics["ScriptDuration"])


if __name__ == "__main__":
    main(sys.argv[1:])
