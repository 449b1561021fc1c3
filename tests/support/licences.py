"""The licences of everything that tonmf and its extras install, as their packages state them.

``python tests/support/licences.py`` writes docs/project/licences.md.
"""

import re
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from repository import ROOT

PAGE = ROOT / "docs/project/licences.md"
NOT_FOR_USERS = {"test", "lint", "bench", "docs"}
FROM_NVIDIA = {"cuda12", "cuda13"}  # named in the text: they are too large to install only to read their licences

SPDX = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "MIT, BSD": "MIT AND BSD",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}

HEAD = """# Licences

tonmf is under the [BSD 3-Clause licence](../../LICENSE). This is what it installs with all its extras, and the licence that
each package states. `.venv/bin/python tests/support/licences.py` writes the table.

The extras `cuda12` and `cuda13` are not in it. They install CuPy (MIT), and with `cuda13` parts of NVIDIA's CUDA, which are
under NVIDIA's own licence. The pages of reports and of the server hold
[uPlot](../../src/tonmf/report/web/vendor/uPlot.LICENSE) (MIT).

| package | licence | installed with |
|---|---|---|
"""


def licence_of(metadata):
    """Return the licence of a package in a few words: its SPDX expression, or what its metadata says instead."""
    if metadata.get("License-Expression"):
        return metadata.get("License-Expression")
    stated = (metadata.get("License") or "").strip()
    if stated and "\n" not in stated and len(stated) < 60:
        return SPDX.get(stated, stated)
    classified = [each.split(" :: ")[-1] for each in metadata.get_all("Classifier") or () if each.startswith("License")]
    return " AND ".join(SPDX.get(each, each) for each in classified) or stated.splitlines()[0]


def wanted_by(requirement):
    """Return what a requirement installs here: pairs of package and extras, without the package itself."""
    found = distribution(requirement.name)
    for line in found.requires or ():
        inner = Requirement(line)
        if any(not inner.marker or inner.marker.evaluate({"extra": extra}) for extra in ("", *requirement.extras)):
            yield inner


def closure(requirements):
    """Return the names of all that requirements install, as far as it is installed here."""
    names, left = set(), list(requirements)
    while left:
        requirement = left.pop()
        name = canonicalize_name(requirement.name)
        if (name, *sorted(requirement.extras)) in names:
            continue
        names.add((name, *sorted(requirement.extras)))
        try:
            left += wanted_by(requirement)
        except PackageNotFoundError:
            continue
    return {name for name, *_ in names} - {"tonmf"}


def extras():
    """Return the extras that users name."""
    named = distribution("tonmf").metadata.get_all("Provides-Extra")
    return sorted(set(named) - NOT_FOR_USERS - FROM_NVIDIA)


def table():
    """Return the licence of each package that is installed here, and what installs it, by the package's name."""
    always = closure([Requirement("tonmf")])
    brought = {extra: closure([Requirement(f"tonmf[{extra}]")]) - always for extra in extras()}
    rows = {}
    for name in sorted(always.union(*brought.values())):
        try:
            metadata = distribution(name).metadata
        except PackageNotFoundError:
            continue
        by = "tonmf" if name in always else ", ".join(f"`{extra}`" for extra, names in brought.items() if name in names)
        rows[name] = (licence_of(metadata), by)
    return rows


def listed():
    """Return the rows of the page, as `table` does."""
    rows = re.findall(r"^\| ([a-z0-9-]+) \| (.*) \| (.*) \|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {name: (licence, by) for name, licence, by in rows}


if __name__ == "__main__":
    PAGE.write_text(
        HEAD + "".join(f"| {name} | {' | '.join(row)} |\n" for name, row in table().items()), encoding="utf-8"
    )
