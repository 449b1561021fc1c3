"""The scripts and styles of our pages, as text.

Sources are ES modules, ``NAME.js`` in this folder. A page gets one script with the modules that it needs, since a report is a
single file that must work from disk, where modules cannot import one another. So a module may only

- import names from its neighbours: ``import { element } from "./dom.js";``,
- export functions, classes and constants where they are defined: ``export function …``,

and what modules define at the top must have different names. The plotting library, uPlot, comes before as a script of its own,
and is the global ``uPlot``.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files

IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) )", re.MULTILINE)

LIBRARY, LIBRARY_STYLE = "vendor/uPlot.iife.min.js", "vendor/uPlot.min.css"
"""The plotting library, as its makers publish it; ``make front`` brings another version."""


@cache
def script(entry: str) -> str:
    """The module `entry` and all that it imports, as one script that leaves no names behind."""
    order: list[str] = []
    _visit(entry, order)
    body = "\n".join(EXPORT.sub("", IMPORT.sub("", _read(f"{name}.js"))) for name in order)
    return f'"use strict";\n(() => {{\n{body}}})();\n'


@cache
def library() -> str:
    """The plotting library's script."""
    return _read(LIBRARY)


@cache
def style(*sheets: str) -> str:
    """Styles of the plotting library and of all pages, then those of further sheets, ``NAME.css`` in this folder."""
    names = [LIBRARY_STYLE, "page.css", *(f"{name}.css" for name in sheets)]
    return "\n".join(_read(name) for name in names)


def source_of(text: str) -> str:
    """A script or style by its digest, as a content security policy names what may run or apply.

    >>> source_of("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _visit(name: str, order: list[str]) -> None:
    """Modules before those that import them."""
    if name in order:
        return
    for needed in IMPORT.findall(_read(f"{name}.js")):
        _visit(needed, order)
    order.append(name)


@cache
def _read(name: str) -> str:
    return files("tonmf.report.web").joinpath(name).read_text(encoding="utf-8")
