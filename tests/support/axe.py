"""axe, which checks a page for what keeps readers out: contrast, names, roles, the order of headings, and more."""

import os
from pathlib import Path

import pytest
from repository import ROOT

RUN = """async () => {
    const { violations } = await axe.run(document, { preload: false, resultTypes: ["violations"] });
    return violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, any }) =>
        `${id} (${help}): ${target.join(" ")} ${any.map(({ message }) => message).join(" ")}`));
}"""


def axe():
    """Return the script; without it a test skips, or fails if it is required."""
    path = Path(os.environ.get("TONMF_AXE") or ROOT / ".venv" / "axe" / "axe.min.js")
    if path.is_file():
        return path
    if os.environ.get("TONMF_REQUIRE_AXE"):
        pytest.fail(f"TONMF_REQUIRE_AXE is set, but there is no {path}: make .venv/axe")
    return pytest.skip("needs axe: make .venv/axe, or name axe.min.js in TONMF_AXE")


def bring_axe(page):
    """Let the pages that this one shows be checked; their own policies allow no script but theirs."""
    page.add_init_script(path=axe())


def violations(page):
    """Return what axe finds in a page, in light colours and in dark ones."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found += [f"{scheme}: {violation}" for violation in page.evaluate(RUN)]
    return found
