"""The front end's sources: modules become one script for each page, sheets one style, and folders keep apart."""

import re
from collections import Counter
from pathlib import Path

import pytest
from repository import ROOT

from tonmf.report.web import assets

FOLDER = Path(assets.__file__).parent
MODULES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.glob("*/*.js") if path.parent.name != "vendor")
PAGES = ["report", "app"]

MAY_IMPORT = {"shared": {"shared"}, "report": {"report", "shared"}, "app": {"app", "shared"}}


@pytest.mark.parametrize("page", PAGES)
def test_modules_become_one_script(page):
    script = assets.script(page)
    assert not re.search(r"^\s*(import|export)\b", script, flags=re.MULTILINE)
    defined = re.findall(r"^(?:async )?(?:function\*?|class|const|let) (\w+)", script, flags=re.MULTILINE)
    assert len(defined) == len(set(defined))


def test_modules_define_different_names():
    """They become one script, in which a second function of a name would quietly replace the first."""
    defined = re.compile(r"^(?:export )?(?:async )?(?:function\*?|class|const|let) (\w+)", re.MULTILINE)
    names = Counter(name for path in MODULES for name in defined.findall((FOLDER / path).read_text(encoding="utf-8")))
    assert [name for name, count in names.items() if count > 1] == []


def test_shared_modules_know_no_page_and_pages_do_not_know_each_other():
    wrong = [
        f"{path} imports {imported}"
        for path in MODULES
        for imported in assets.imports_of(path)
        if imported.split("/")[0] not in MAY_IMPORT[path.split("/")[0]]
    ]
    assert not wrong


def test_a_module_is_shared_exactly_if_both_pages_need_it():
    def needed(path):
        return {path}.union(*map(needed, assets.imports_of(path)))

    of_report, of_app = needed("report/report.js"), needed("app/app.js")
    beside = needed("app/sign_in_page.js") | needed("app/docs_page.js")  # small pages of the server
    assert sorted(of_report | of_app | beside) == MODULES
    assert sorted(of_report & of_app) == [path for path in MODULES if path.startswith("shared/")]


def test_every_style_sheet_is_used():
    used = sorted(f"{folder}/{name}.css" for folder, names in assets.SHEETS.items() for name in names)
    assert used == sorted(
        path.relative_to(FOLDER).as_posix() for path in FOLDER.glob("*/*.css") if path.parent.name != "vendor"
    )


def test_a_page_has_the_shared_styles_before_its_own():
    shared = (FOLDER / "shared" / "print.css").read_text(encoding="utf-8")
    for page, own, other in (("report", "#report {", "#app {"), ("app", "#app {", "#report {")):
        style = assets.style(page)
        assert style.index(shared) < style.index(own)
        assert other not in style


def test_the_plotting_library_is_the_published_one():
    """Figures of version 1.6.32; ``make front`` brings another."""
    version = re.search(r"^UPLOT := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)[1]
    assert f"v{version}" in assets.library()[:200]
    assert assets.source_of(assets.library()) == "'sha256-GcjUxq2Ikpp59K5J1vcWFWbf0Lo9FcxJXpdPeH63jx8='"


def test_pages_never_turn_text_into_markup():
    script = assets.script("report") + assets.script("app")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", script)


def luminance(colour):
    """Relative luminance of a colour such as #c2ad2f, as WCAG defines it."""
    shares = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("topic", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("dark", [0, 1])
def test_what_is_written_on_the_colour_of_a_topic_can_be_read(topic, dark):
    """White digits on two of the colours had a contrast of 2.3 to 1. axe passes over them, as screen readers do."""
    sheet = (FOLDER / "shared" / "colours.css").read_text(encoding="utf-8")

    def colour(name):
        colours = re.findall("#[0-9a-f]{6}", re.search(rf"--{name}: ([^;]*);", sheet)[1])
        return colours[min(dark, len(colours) - 1)]

    darker, lighter = sorted([luminance(colour(f"topic-{topic}")), luminance(colour(f"topic-{topic}-ink"))])
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5
