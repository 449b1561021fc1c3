"""The built site in tests: its pages, and where they lead."""

import os
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from repository import DOCS, ROOT

SITE = DOCS / "_build" / "html"

LOADED = {"audio", "embed", "iframe", "img", "input", "object", "script", "source", "track", "video"}
"""Elements that load what ``src``, ``srcset`` or ``data`` names; ``link`` loads its ``href``, unless it only says something."""

SAID = {"alternate", "author", "canonical", "help", "index", "license", "next", "prev", "search"}


def built():
    """Return the folder of the site; without it a test skips, or fails if it is required."""
    if (SITE / "index.html").is_file():
        return SITE
    if os.environ.get("TONMF_REQUIRE_SITE"):
        pytest.fail(f"TONMF_REQUIRE_SITE is set, but there is no {SITE.relative_to(ROOT)}: make docs")
    return pytest.skip("needs the site: make docs")


class Parts(HTMLParser):
    """What a page has: the names of its places, its links, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.places, self.links, self.loaded = path, set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = {name: value or "" for name, value in attributes}
        self.places |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag == "link" and not SAID & set(values.get("rel", "").split()):
            self.loaded.append(values.get("href", ""))
        if tag in LOADED:
            self.loaded += [values[name] for name in ("src", "data") if values.get(name)]
            self.loaded += [part.split()[0] for part in values.get("srcset", "").split(",") if part.strip()]
        self.loaded += re.findall(r"url\(['\"]?([^'\")]+)", values.get("style", ""))


@cache
def parts(path: Path) -> Parts:
    """Return the parts of a page, which is read once."""
    return Parts(path)


def target(page: Path, link: str) -> tuple[Path, str]:
    """Return the file that a link of a page leads to, and the place in it."""
    found = urlsplit(link)
    path = (page.parent / unquote(found.path)).resolve() if found.path else page
    return (path / "index.html" if path.is_dir() else path), unquote(found.fragment)


def is_elsewhere(link: str) -> bool:
    """Return whether a link leads to another host, or is no address of a file."""
    return bool(urlsplit(link).scheme or urlsplit(link).netloc)
