"""Turn the measurements of `benchmarks.meaning` into docs/evidence/meaning.md."""

from __future__ import annotations

from typing import Any

from benchmarks.harness import ROOT
from benchmarks.nearest import MOST_QUERIES, NEAREST, OURS, PROBED, SAMPLE, SUBJECTS, WIDTH
from tonmf.experiments.measured import markdown_table

PAGE = ROOT / "docs" / "evidence" / "meaning.md"

Figures = dict[str, Any]


def page_text(saved: Figures | None) -> str:
    """Return the page about what benchmarks/results/meaning.json holds, if there is such a file."""
    title = "# What embeddings cost"
    if saved is None:
        return f"{title}\n\nNot measured yet: `python -m benchmarks meaning` writes this page.\n"
    machine, results = saved["machine"], saved["results"]
    collections, searches = results["collections"], results["searches"]
    return f"""{title}

`python -m benchmarks meaning` writes this page and prints every figure on it. It ran on {machine["cores"]} cores of
{_article(machine["cpu"])} with {machine["memory_gb"]:g} GB. [Quality](quality.md) has what embeddings gain.

## To make them

MiniLM (`all-MiniLM-L6-v2`, on the CPU, 64 texts at once) reads the first 256 word pieces of a text. Beside it stand a fit by
words alone and scores of the same documents, all in documents a second.

{_rates(collections)}

{_rate_sentences(collections)}

## To fit and to score with them

The same documents by words alone, and with embeddings that are there already: seconds, medians of {results["runs"]} runs, in
turn.

{_added(collections)}

## To find the nearest

tonmf compares every document with a sample of at most {SAMPLE:,} ordinary ones, and takes the mean over the {NEAREST} nearest
([how](../method/detector.md#8-embeddings)). An index of faiss holds all vectors, and finds the {NEAREST} nearest among these:
`IndexFlatIP` all of them, `IndexIVFFlat` (√n lists, of which {PROBED} are searched) most. It answers another question, since
the nearest of an outlier may be outliers too.

Vectors are made up, {WIDTH} wide, around {SUBJECTS} subjects. Each search runs in a new process, on all cores. faiss looks for
the neighbours of at most {MOST_QUERIES:,} vectors; the seconds are those for all in proportion. *Added* is the memory that the
search takes beside the vectors.

{_searches(searches)}

{_search_sentences(searches)}
"""


def _article(cpu: str) -> str:
    return f"{'an' if cpu[:1] in 'AEIOU' else 'a'} {cpu}"


def _rates(collections: list[Figures]) -> str:
    columns = ["collection", "documents", "read by MiniLM", "MiniLM", "fit by words", "score by words"]
    rows = [
        [
            c["collection"],
            c["documents"],
            c["encoded"],
            _rate(c["encoded"], c["encode_s"]),
            _rate(c["documents"], c["fit_words_s"]),
            _rate(c["documents"], c["score_words_s"]),
        ]
        for c in collections
    ]
    return markdown_table(columns, rows)


def _rate(n_documents: int, seconds: float) -> str:
    rate = n_documents / seconds
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"


def _rate_sentences(collections: list[Figures]) -> str:
    return "\n".join(
        f"- {c['collection']}: MiniLM takes {_times(c['encode_s'] / c['encoded'], c['fit_words_s'] / c['documents'])} "
        f"a fit by words, document for document."
        for c in collections
    )


def _times(seconds: float, others: float) -> str:
    ratio = seconds / others
    return f"{ratio:,.0f} times as long as" if ratio >= 10 else f"{ratio:.2g} times as long as"


def _added(collections: list[Figures]) -> str:
    columns = ["collection", "documents", "fit, words", "fit, both", "added", "score, words", "score, both", "added"]
    rows = [
        [
            c["collection"],
            c["documents"],
            *(cell for job in ("fit", "score") for cell in _pair(c[f"{job}_words_s"], c[f"{job}_both_s"])),
        ]
        for c in collections
    ]
    return markdown_table(columns, rows)


def _pair(words: float, both: float) -> tuple[float, float, str]:
    return words, both, f"{both / words - 1:+.0%}"


def _searches(searches: list[Figures]) -> str:
    columns = ["vectors", "search", "prepare (s)", "search (s)", "vectors (MB)", "added (MB)", "peak (MB)"]
    fields = ("vectors", "method", "prepare_s", "search_s", "vectors_mb", "added_mb", "peak_mb")
    return markdown_table(columns, ([search[field] for field in fields] for search in searches))


def _search_sentences(searches: list[Figures]) -> str:
    """Compare the peers with ours, among the largest number of vectors."""
    most = max(search["vectors"] for search in searches)
    total = {s["method"]: s["prepare_s"] + s["search_s"] for s in searches if s["vectors"] == most}
    return "\n".join(
        f"- {most:,} vectors: {method} takes {_times(seconds, total[OURS])} tonmf, preparation included."
        for method, seconds in total.items()
        if method != OURS
    )
