"""A report as one HTML file that works offline: the page, its data, and the scripts that show it."""

from __future__ import annotations

import base64
import gzip
import html
import json
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from tonmf.report.web import assets
from tonmf.storage.atomic import replacing
from tonmf.text.side_by_side import in_order

PART = 1000
"""Documents in one part of the data; a page unpacks a part when it shows the first document of it."""

WITHOUT_SCRIPTS = 20
"""Documents to list where scripts do not run."""

LEVEL = 1
"""Level of compression: the highest ones save a sixth of the page, and take three times as long."""

AT_ONCE = 2
"""Parts to compress at the same time."""


def write_html(path: str | os.PathLike[str], summary: dict[str, Any]) -> None:
    """Write the report of a summary (`tonmf.report.summarise`), whole or not at all."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
        file.writelines(_lines(summary))


def page_of(summary: dict[str, Any]) -> str:
    """Return the report of a summary as one text."""
    return "".join(_lines(summary)).encode("utf-8", "replace").decode("utf-8")


def policy() -> str:
    """Return the content security policy of a report, which allows its own scripts and styles only."""
    scripts = " ".join(assets.source_of(text) for text in (assets.library(), assets.script("report")))
    return (
        f"default-src 'none'; script-src {scripts}; style-src {assets.source_of(assets.style('report'))}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _lines(summary: dict[str, Any]) -> Iterator[str]:
    documents, marking = summary["documents"], summary.get("marking")
    n_parts = -(-len(documents) // PART)
    about = {name: value for name, value in summary.items() if name not in ("documents", "marking")}
    about |= {"parts": n_parts, "part_size": PART, "marking": marking is not None}
    title = html.escape(summary["title"])
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy()}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f'<meta name="generator" content="tonmf {html.escape(summary["made"]["tonmf"])}">\n'
        f"<title>{title}: documents that do not belong</title>\n<style>{assets.style('report')}</style>\n</head>\n<body>\n"
    )
    yield _without_scripts(summary)
    yield '<div id="report"></div>\n'
    yield f'<script type="application/json" id="summary">{_json(about, markup=False)}</script>\n'
    yield from in_order(lambda part: _part(*part), _parts(documents, marking), AT_ONCE)
    yield f"<script>{assets.library()}</script>\n<script>{assets.script('report')}</script>\n</body>\n</html>\n"


def _parts(documents: Sequence[dict[str, Any]], marking: dict[str, Any] | None) -> Iterator[tuple[str, Any]]:
    """Yield the data of the page, by name; documents are gone through once, since they may come from a file."""
    index: dict[str, list[Any]] = {}
    for start in range(0, len(documents), PART):
        part = documents[start : start + PART]
        for name, column in _index(part).items():
            index.setdefault(name, []).extend(column)
        yield f"documents-{start // PART}", part
    yield "index", index or _index([])
    if marking is not None:
        yield "marking", marking


def _index(documents: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return what the page needs of all documents at once, by column."""
    columns = {name: [document[name] for document in documents] for name in ("rank", "id", "row", "score", "x", "y")}
    columns["topic"] = [document["topic"] or 0 for document in documents]
    columns["alarm"] = [document["main_alarm"] or "" for document in documents]
    if documents and "label" in documents[0]:
        columns["label"] = [document["label"] for document in documents]
    columns["first"] = [document["copy_of"] - 1 for document in documents]
    return columns


def _part(name: str, content: Any) -> str:
    """Return an element with packed data; only letters and digits, so that no text in it can be markup."""
    packed = base64.b64encode(gzip.compress(_json(content).encode("utf-8", "replace"), LEVEL, mtime=0)).decode()
    return f'<script type="text/plain" class="part" data-name="{name}">{packed}</script>\n'


def _without_scripts(summary: dict[str, Any]) -> str:
    """Return a list of the strangest documents, for mail programs and browsers that run no scripts."""
    analysed = summary["analysed"]
    firsts = (document for place, document in enumerate(summary["documents"], 1) if document["copy_of"] == place)
    rows = "".join(
        f"<tr><td>{document['rank']}</td><td>{_score(document)}</td><td>{html.escape(document['id'])}{_times(document)}</td>"
        f"<td>{html.escape(document['sentence'] or '')}</td></tr>"
        for document in islice(firsts, WITHOUT_SCRIPTS)
    )
    return (
        f"<noscript><h1>{html.escape(summary['title'])}</h1>"
        f"<p>{analysed['flagged']:,} of {analysed['documents']:,} documents are flagged ({html.escape(analysed['rule'])}). "
        "This page shows more where scripts may run. The strangest documents:</p>"
        f"<table><tr><th>rank</th><th>score</th><th>id</th><th>reason</th></tr>{rows}</table></noscript>\n"
    )


def _score(document: dict[str, Any]) -> str:
    return "not judged" if document["main_alarm"] == "empty" else f"{document['score']:.2f}"


def _times(document: dict[str, Any]) -> str:
    return f" ×{document['copies']:,}" if document["copies"] > 1 else ""


def _json(content: Any, markup: bool = True) -> str:
    """Return JSON; if `markup` is false, nothing in it can end the element that it is in."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text if markup else text.replace("<", "\\u003c")
