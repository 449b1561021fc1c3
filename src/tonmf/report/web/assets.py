"""The scripts and styles of our pages, as text.

A page is a folder here, ``report/`` or ``app/``; ``shared/`` holds what both use. Sources are ES modules. A page gets one
script, its entry module ``PAGE/PAGE.js`` and all that it imports, because a report is a single file that must work from disk,
where modules cannot import one another. So a module may only

- import names from its own folder or from ``shared/``: ``import { element } from "../shared/dom.js";``,
- export functions, classes and constants where they are defined: ``export function …``,

and no two modules may define the same name at the top level. The plotting library, uPlot, is a script of its own that comes
first, and is the global ``uPlot``.
"""

from __future__ import annotations

import base64
import hashlib
import posixpath
import re
from functools import cache
from importlib.resources import files

IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[\w./]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) )", re.MULTILINE)

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
BLANKS = re.compile(r"\s*([{}:;,])\s+|\s+")
"""What a style sheet does not need: blanks around these characters, and all but one elsewhere."""

LIBRARY, LIBRARY_STYLE = "vendor/uPlot.iife.min.js", "vendor/uPlot.min.css"
"""The plotting library, as its makers publish it; ``make front`` brings another version."""

SHEETS = {
    "shared": (
        "colours",
        "page",
        "controls",
        "header",
        "charts",
        "tables",
        "list",
        "document",
        "topics",
        "narrow",
        "marks",
        "print",
    ),
    "report": ("page", "strangest", "map", "panel", "groups", "curves", "compare"),
    "app": ("page", "controls", "score", "fit", "sign_in", "narrow"),
    "notebook": ("card",),
}
"""The style sheets of each folder, in the order in which they apply: a later rule overrides an earlier one."""


@cache
def script(page: str, entry: str | None = None) -> str:
    """Return the script of a page, "report" or "app": its entry module and all that it imports, in a scope of their own.

    `entry` names another entry module of the folder, for a small page beside the main one.
    """
    order: list[str] = []
    _visit(f"{page}/{entry or page}.js", order)
    body = "\n".join(EXPORT.sub("", IMPORT.sub("", _read(path))) for path in order)
    return f'"use strict";\n(() => {{\n{body}}})();\n'


@cache
def library() -> str:
    """Return the plotting library's script."""
    return _read(LIBRARY)


@cache
def style(page: str) -> str:
    """Return the styles of a page, "report" or "app": the plotting library's, those of all pages, then its own."""
    sheets = [f"{folder}/{name}.css" for folder in ("shared", page) for name in SHEETS[folder]]
    return "\n".join(_read(path) for path in (LIBRARY_STYLE, *sheets))


@cache
def within(scope: str, paths: tuple[str, ...]) -> str:
    """Return style sheets, without comments and blanks, that apply only within what a selector finds; ``:root`` is that itself.

    A browser that does not know nested rules applies none of them.
    """
    text = COMMENT.sub("", "".join(map(_read, paths))).replace(":root", "&")
    return f"{scope}{{{BLANKS.sub(lambda found: found[1] or ' ', text).strip()}}}"


def source_of(text: str) -> str:
    """Return a script or style by its digest, as a content security policy names what may run or apply.

    >>> source_of("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def imports_of(path: str) -> list[str]:
    """Return the paths of the modules that a module imports; all paths are relative to this folder.

    >>> imports_of("report/map_labels.js")
    ['shared/dom.js', 'shared/topic_marks.js']
    """
    folder = posixpath.dirname(path)
    return [posixpath.normpath(posixpath.join(folder, found)) for found in IMPORT.findall(_read(path))]


def _visit(path: str, order: list[str]) -> None:
    """Append a module to `order`, after all that it imports."""
    if path in order:
        return
    for needed in imports_of(path):
        _visit(needed, order)
    order.append(path)


@cache
def _read(path: str) -> str:
    return files(__package__).joinpath(path).read_text(encoding="utf-8")
