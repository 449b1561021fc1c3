"""A real browser for tests of pages; conftest.py makes the fixtures known."""

import json
import os
import shutil
from contextlib import contextmanager

import pytest
from repository import DOCS
from waiting import PATIENCE

OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
IMAGES = DOCS / "images"

LARGEST_PICTURE = 300_000
"""Bytes of a picture in the docs."""

WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 360, "height": 740}


def chromium() -> str:
    """Where Chromium is; without it a test skips, or fails if it is required."""
    path = os.environ.get("TONMF_CHROMIUM") or shutil.which("chromium")
    if path and os.path.exists(path):
        return path
    if os.environ.get("TONMF_REQUIRE_BROWSER"):
        pytest.fail("TONMF_REQUIRE_BROWSER is set, but there is no Chromium: install it, or name it in TONMF_CHROMIUM.")
    return pytest.skip("needs Chromium: install it, or name it in TONMF_CHROMIUM")


def picture(name, folder):
    """Where a picture for the docs goes: into a folder of the test, or, if TONMF_SCREENSHOTS is set, into the docs."""
    return (IMAGES if os.environ.get("TONMF_SCREENSHOTS") else folder) / name


@pytest.fixture(scope="module")
def browser():
    """A browser that the tests of a module share; not more of them, since its event loop is in the way of others."""
    path = chromium()
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install playwright")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=path, args=list(OPTIONS))
        yield running
        _contexts.clear()
        running.close()


_contexts = {}


def context_of(browser, **options):
    """Return the browser's context with these options: to make a new one takes as long as to show a page."""
    key = json.dumps(options, sort_keys=True)
    if key not in _contexts:
        _contexts[key] = browser.new_context(**options)
        _contexts[key].set_default_timeout(1000 * PATIENCE)
    return _contexts[key]


@contextmanager
def watched_page(browser, allowed=("file:", "blob:", "data:"), notes=None, **options):
    """A page of its own; at the end an error if it complained or ran into one, or asked for what is not `allowed`.

    A test that brings on a complaint puts part of it into the list `page.expected`; it must come, and once. What the console
    says that begins with `notes` is no complaint.
    """
    options = {"viewport": WIDE, "reduced_motion": "reduce", "color_scheme": "light", **options}
    context = context_of(browser, **options)
    page = context.new_page()
    page.expected, complaints = [], []
    page.on(
        "console", lambda said: said.text.startswith(notes or "\0") or complaints.append(f"{said.type}: {said.text}")
    )
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda asked: asked.url.startswith(allowed) or complaints.append(f"request: {asked.url}"))
    try:
        yield page
        for part in page.expected:
            complaints.remove(next((said for said in complaints if part in said), f"nothing about {part}"))
        assert complaints == []
    finally:
        context.clear_cookies()
        for shown in context.pages:
            shown.evaluate("() => { try { localStorage.clear(); } catch { /* blocked */ } }")
            shown.close()


@pytest.fixture
def page(browser):
    """A page of a wide window in light colours, whose console must stay empty and which may not use the network."""
    with watched_page(browser) as watched:
        yield watched


@pytest.fixture
def narrow_page(browser):
    """The same in a window as narrow as a telephone."""
    with watched_page(browser, viewport=NARROW) as watched:
        yield watched
