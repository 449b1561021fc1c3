"""Reuters-21578 in order of time, February to October 1987: new, emerging and fading topics; a plot for docs/images.

The archive has gaps: after April it has only some days in June, and 19 and 20 October.
"""

from __future__ import annotations

import time
from collections import Counter

from benchmarks.harness import ROOT, data_folder, print_table, save
from tonmf import TextOutlierDetector
from tonmf.datasets.archives import read_reuters_dispatches
from tonmf.plots import plot_timeline
from tonmf.stream.times import moment_of, time_text
from tonmf.timeline.follow import follow
from tonmf.timeline.nursery import Nursery

FROM = "1987-03-15"
"""The detector is first fitted on the stories before this day."""

PLOT = ROOT / "docs" / "images" / "newswire.svg"


def main(arguments: list[str]) -> None:
    """Follow the whole archive."""
    stories = read_reuters_dispatches(data_folder() / "reuters21578.tar.gz")
    start = next(number for number, story in enumerate(stories) if story.time >= moment_of(FROM).seconds)
    texts, times, ids = ([getattr(story, name) for story in stories] for name in ("text", "time", "id"))
    begun = time.perf_counter()
    detector, nursery = TextOutlierDetector().fit(texts[:start], names=ids[:start]), Nursery()
    nursery.remember(detector, texts[:start], detector.outlier_scores_, ids[:start], times[:start])
    fitted = time.perf_counter()
    timeline = follow(detector, texts[start:], times[start:], ids=ids[start:], nursery=nursery)
    followed = time.perf_counter()
    subjects = {story.id: story.subjects for story in stories}
    alerts = [
        {
            "raised": time_text(alert.new.raised),
            "since": time_text(alert.new.since),
            "documents": alert.new.size,
            "words": alert.new.words,
            "subjects": dict(Counter(s for name in alert.new.documents for s in subjects[name]).most_common(2)),
        }
        for alert in timeline.alerts
    ]
    windows = [
        [
            time_text(window.start)[:10],
            window.n_docs,
            f"{100 * window.outlier_share:.1f} %",
            *(
                "; ".join(" ".join(timeline.words[t][:3]) for t in topics)
                for topics in (window.emerging, window.fading)
            ),
        ]
        for window in timeline.windows
        if window.n_docs
    ]
    print_table("Windows", ["from", "stories", "outliers", "emerge", "fade"], windows)
    print_table(
        "New topics",
        ["raised", "since", "stories", "words", "Reuters' own subjects"],
        [
            [
                alert["raised"][:16].replace("T", " "),
                alert["since"][:16].replace("T", " "),
                alert["documents"],
                " ".join(alert["words"][:7]),
                ", ".join(f"{subject} {n}" for subject, n in alert["subjects"].items()),
            ]
            for alert in alerts
        ],
    )
    seconds = {"learn_s": fitted - begun, "follow_s": followed - fitted}
    times_taken = f"{seconds['learn_s']:.1f} s, followed {len(timeline.ids):,} in {seconds['follow_s']:.0f} s"
    print(f"\nfitted {start:,} stories in {times_taken}")
    plot_timeline(timeline, PLOT, title="Reuters, 1987: share of each topic in windows of 7 days")
    save("newswire", {"documents": len(timeline.ids), **seconds, "windows": windows, "alerts": alerts})
