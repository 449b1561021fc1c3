"""The site of the documentation: links lead somewhere, nothing is loaded from elsewhere, and anybody can read it."""

import re
from urllib.parse import urlsplit

import pytest
from axe import bring_axe, violations
from browser import NARROW, watched_page
from site_pages import SITE, built, is_elsewhere, parts, target

SHOWN = [
    "index",
    "guide/index",
    "method/closed-form",
    "evidence/quality",
    "reference/estimators/TextOutlierDetector",
    "reference/command/detect",
    "reference/http/documents",
    "project/changelog",
    "search",
]
"""Pages of every kind."""


@pytest.fixture(scope="module")
def pages():
    """All pages but the report of the demo, which has tests of its own."""
    return [
        path
        for path in sorted(built().rglob("*.html"))
        if "_static" not in path.parts and "demo-report" not in path.name
    ]


def test_every_link_leads_to_a_page_and_a_place_in_it(pages):
    broken = []
    for page in pages:
        for link in parts(page).links:
            if is_elsewhere(link):
                continue
            path, place = target(page, link)
            found = path.is_file() and (not place or path.suffix != ".html" or place in parts(path).places)
            if not found and link != "#":
                broken.append(f"{page.relative_to(SITE)}: {link}")
    assert not broken


def test_no_words_around_a_colon_become_a_link(pages):
    assert {urlsplit(link).scheme for page in pages for link in parts(page).links} <= {"", "http", "https", "mailto"}


def test_no_page_loads_anything_from_another_host(pages):
    loaded = {(page, link) for page in pages for link in parts(page).loaded}
    assert [(str(page), link) for page, link in loaded if is_elsewhere(link) and urlsplit(link).scheme != "data"] == []
    assert [
        (str(page), link) for page, link in loaded if not is_elsewhere(link) and not target(page, link)[0].is_file()
    ] == []


def test_no_style_sheet_loads_anything_from_another_host():
    sheets = sorted(built().rglob("*.css"))
    assert sheets
    for sheet in sheets:
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
        addresses = re.findall(r"url\(\s*['\"]?([^'\")\s]+)|@import\s+['\"]([^'\"]+)", text)
        assert [address for pair in addresses for address in pair if re.match(r"(https?:)?//", address)] == []


def test_formulas_are_in_the_page_itself():
    page = (built() / "method" / "closed-form.html").read_text(encoding="utf-8")
    assert page.count("<math ") == page.count("</math>") > 10
    assert "\\" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)  # no TeX is left


def test_bars_of_a_norm_do_not_stretch():
    page = (built() / "method" / "closed-form.html").read_text(encoding="utf-8")
    assert page.count('<mo stretchy="false">‖</mo>') == page.count("‖</mo>") > 10


@pytest.fixture
def opened(browser):
    """A function that opens a page of the site, whose console may only say which colours it took."""

    def open_page(page, name):
        page.goto((built() / f"{name}.html").as_uri())
        page.locator("main").wait_for()

    return open_page


@pytest.mark.parametrize("name", SHOWN)
def test_axe_finds_nothing_in_light_or_dark_colours(browser, opened, name):
    with watched_page(browser, notes="[PST]") as page:
        bring_axe(page)
        opened(page, name)
        assert violations(page) == []


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_fits_a_phone(browser, opened, name):
    with watched_page(browser, viewport=NARROW, notes="[PST]") as page:
        opened(page, name)
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_search_works_from_files_and_without_a_network(browser, opened):
    with watched_page(browser, notes="[PST]") as page:
        opened(page, "index")
        page.keyboard.press("Control+k")
        page.keyboard.type("false-discovery")
        page.keyboard.press("Enter")
        page.locator("#search-results li a").first.wait_for()
        assert "fdr" in " ".join(
            page.locator("#search-results li a").evaluate_all("links => links.map(({ href }) => href)")
        )


def test_every_public_name_and_every_command_has_a_place_in_the_reference():
    import typer

    import tonmf
    from tonmf.cli.app import app

    places = {place for path in (built() / "reference").rglob("*.html") for place in parts(path).places}
    assert {f"tonmf.{name}" for name in tonmf.__all__} <= places
    for name, command in typer.main.get_command(app).commands.items():
        page = built() / "reference" / "command" / f"{name}.html"
        for option in getattr(command, "commands", {name: command}).values():
            flags = [flag for parameter in option.params for flag in parameter.opts if flag.startswith("--")]
            text = page.read_text(encoding="utf-8")
            assert [flag for flag in flags if flag not in text] == []
