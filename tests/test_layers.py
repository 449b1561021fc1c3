"""The shape of the package: arrows point down, optional dependencies stay out, the public names are the promised ones."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import tonmf

PACKAGE = Path(tonmf.__file__).parent
ROOT = Path(__file__).parents[1]

LEVELS = [
    ["errors", "wording", "arrays"],
    ["parameters"],
    ["storage"],
    ["stream"],
    ["nmf", "text", "metrics"],
    ["detector"],
    ["persist", "ranking", "timeline", "dask", "io", "datasets", "baselines", "estimator"],
    [""],  # the package itself: tonmf/__init__.py, which names things of the levels above
    ["plots", "report"],
    ["experiments"],
    ["service"],
    ["cli"],
    ["__main__"],
]
"""The rooms, from the ground up: a room imports from lower levels only, never sideways."""

SHELVES = {
    "detector": ["scores", "explain", "state", "saved", "reading", "fitted", "recipe", "learning", "disk", "detector"]
}
"""The shelves of a large room, from the ground up; a module that is on none of them may be imported by all."""

MOST_ENTRIES, MOST_LEVELS = 26, 13


def parts_of(module):
    """The room and the shelf of a module."""
    _, room, shelf, *_ = (*module.split("."), "", "")
    return room, shelf


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        yield ".".join(("tonmf", *(p for p in parts if p != "__init__"))), path


def imports_of(path):
    """The modules of ours that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            imported = [node.module + "." + alias.name for alias in node.names if is_module(node.module, alias.name)]
            imported = imported or [node.module]
        else:
            continue
        yield from (name for name in imported if name.split(".")[0] == "tonmf")


def is_module(package, name):
    place = PACKAGE.joinpath(*package.split(".")[1:], name)
    return package.split(".")[0] == "tonmf" and (place.is_dir() or place.with_suffix(".py").exists())


def level(names, levels):
    return {name: number for number, level in enumerate(levels) for name in level}[names]


def is_wrong(module, imported):
    (room, shelf), (other_room, other_shelf) = parts_of(module), parts_of(imported)
    if room != other_room:
        return level(other_room, LEVELS) >= level(room, LEVELS)
    shelves = SHELVES.get(room, [])
    if shelf == other_shelf or not {shelf, other_shelf} <= set(shelves):
        return False
    return shelves.index(other_shelf) > shelves.index(shelf)


def test_arrows_point_down_and_never_sideways():
    wrong = {
        f"{module} imports {imported}"
        for module, path in modules()
        for imported in imports_of(path)
        if is_wrong(module, imported)
    }
    assert not wrong, "\n".join(sorted(wrong))


def test_the_top_of_the_package_is_small():
    entries = {path.name for path in PACKAGE.iterdir() if path.is_file() or any(path.glob("*.py"))}
    assert len(entries) <= MOST_ENTRIES
    assert len(LEVELS) <= MOST_LEVELS
    assert {name.removesuffix(".py") for name in entries} - {"__init__", "py.typed"} | {""} == {
        n for row in LEVELS for n in row
    }


def test_every_room_has_a_map():
    for path in PACKAGE.rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


SEAM = ["persist", "ranking", "timeline", "dask", "plots", "report", "experiments", "service", "cli"]
"""The rooms that use the detector, and may use its public names only."""


def private_uses(path):
    """Every use of a private attribute, as (node, whether it is one of ``self``)."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            yield node, isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def test_nobody_reaches_into_the_detector():
    """A module may use what its own classes set on ``self``, but no private name of the detector, nor of anything else."""
    of_detectors = {
        node.attr
        for name in ("detector", "fitted", "reading")
        for node, own in private_uses(PACKAGE / "detector" / f"{name}.py")
        if own
    }
    assert "_state" in of_detectors
    found = []
    for module, path in modules():
        if parts_of(module)[0] not in SEAM:
            continue
        uses = list(private_uses(path))
        ours = {node.attr for node, own in uses if own} - of_detectors | {"_exit"}  # os._exit
        found += [
            f"{module}, line {node.lineno}: {ast.unparse(node)}"
            for node, own in uses
            if not own and node.attr not in ours
        ]
    assert not found, "\n".join(found)


def arrows():
    """The levels and shelves as text, from the top down, as CONTRIBUTING shows them."""
    lines = ["  ".join(name or "tonmf" for name in row) for row in reversed(LEVELS)]
    shelves = [f"{room}: " + " > ".join(reversed(names)) for room, names in SHELVES.items()]
    return "\n".join([*lines, "", *shelves])


def test_contributing_shows_the_arrows_as_they_are():
    assert f"```\n{arrows()}\n```" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_contributing_names_files_that_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:nmf|cli|detector|experiments|tests|src|shared)/[\w/.-]+)`", text))
    there = [PACKAGE, ROOT, PACKAGE / "report" / "web"]
    assert named
    assert not [name for name in named if not any((folder / name).exists() for folder in there)]


def test_no_module_is_called_after_nothing():
    forbidden = {"utils", "helpers", "common", "misc"}
    assert not [module for module, _ in modules() if module.rsplit(".", 1)[-1] in forbidden]


OPTIONAL = {"Stemmer", "faiss", "stop_words", "safetensors", "pandas", "polars", "pyarrow", "typer", "rich"}
OPTIONAL |= {"dask", "cupy", "matplotlib", "pooch", "platformdirs"}
OPTIONAL |= {
    "fastapi",
    "httptools",
    "httpx",
    "playwright",
    "prometheus_client",
    "pydantic",
    "starlette",
    "uvicorn",
    "uvloop",
}


def loaded_by(statement):
    code = f"import sys; {statement}; print(*{{name.split('.')[0] for name in sys.modules}})"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_importing_tonmf_loads_no_optional_dependency_and_no_compiler():
    """scikit-learn loads pandas where there is one; tonmf loads nothing beyond what scikit-learn does."""
    loaded = loaded_by("from tonmf import *") - loaded_by(
        "import sklearn.base, sklearn.utils.validation, sklearn.utils.extmath, sklearn.feature_extraction.text"
    )
    assert not loaded & (OPTIONAL | {"numba"})


def test_importing_the_data_sets_loads_nothing_that_downloads():
    assert not loaded_by("import tonmf.datasets") & {"pooch", "requests", "sklearn"}


if __name__ == "__main__":
    print(arrows())  # noqa: T201
