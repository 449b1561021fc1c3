"""The shape of the package: arrows point down, optional dependencies stay out, the public names are the promised ones."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import tonmf

PACKAGE = Path(tonmf.__file__).parent
ROOT = Path(__file__).parents[1]

LEVELS = [
    ["errors", "wording", "arrays", "attached"],
    ["parameters"],
    ["storage"],
    ["stream"],
    ["nmf", "text", "metrics", "embed"],
    ["detector"],
    ["persist", "ranking", "timeline", "dask", "io", "datasets", "baselines", "estimator"],
    ["report"],
    ["plots"],
    [""],  # the package itself: tonmf/__init__.py, which names things of the levels above
    ["pyod", "experiments", "service"],
    ["cli"],
    ["__main__"],
]
"""The rooms, from the ground up: a room imports from lower levels only, never sideways."""

SHELVES = {
    "detector": [
        "scores", "marks", "explain", "state", "marking", "saved", "vectors", "reading", "markable", "fitted", "recipe",
        "learning", "disk", "detector",
    ]
}  # fmt: skip
"""The shelves of a large room, from the ground up; a module that is on none of them lies below all, but for ``__init__``."""

MOST_ENTRIES, MOST_LEVELS = 29, 13


def parts_of(module):
    """The room and the shelf of a module."""
    _, room, shelf, *_ = (*module.split("."), "", "")
    return room, shelf


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        yield ".".join(("tonmf", *(p for p in parts if p != "__init__"))), path


def imports_of(text):
    """The modules of ours that a module imports, anywhere in it: by a statement, or as a string, such as for `importlib`."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"a relative import in line {node.lineno}"
            names = [alias.name for alias in node.names]
            imported = [f"{node.module}.{name}" if is_module(node.module, name) else node.module for name in names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            package, _, name = node.value.rpartition(".")
            imported = [node.value] if re.fullmatch(r"tonmf[\w.]*", package) and is_module(package, name) else []
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
    if shelf == other_shelf or room not in SHELVES or not shelf:
        return False
    shelves = {name: number for number, name in enumerate(SHELVES[room])}
    return shelves.get(other_shelf, -1) > shelves.get(shelf, -1)


def test_arrows_point_down_and_never_sideways():
    wrong = {
        f"{module} imports {imported}"
        for module, path in modules()
        for imported in imports_of(path.read_text(encoding="utf-8"))
        if is_wrong(module, imported)
    }
    assert not wrong, "\n".join(sorted(wrong))


@pytest.mark.parametrize(
    "text",
    [
        "import tonmf.cli.app",
        "import tonmf.cli.app as harmless",
        "from tonmf.cli import app",
        "from tonmf.cli import errors, app",
        "from tonmf.cli.app import app",
        "from tonmf import errors, cli",
        "def f():\n    from tonmf.cli.app import app",
        "if TYPE_CHECKING:\n    from tonmf.cli.app import app",
        "importlib.import_module('tonmf.cli.app')",
        "app = LazyModule('tonmf.cli.app')",
    ],
)
def test_an_import_cannot_hide(text):
    assert any(is_wrong("tonmf.nmf.solver", imported) for imported in imports_of(text))


def test_an_import_of_the_package_cannot_hide_behind_that_of_a_module():
    assert "tonmf" in set(imports_of("from tonmf import errors, TONMF"))


def test_shelves_are_in_order():
    assert is_wrong("tonmf.detector.scores.scoring", "tonmf.detector.state")
    assert not is_wrong("tonmf.detector.state", "tonmf.detector.scores.scoring")
    assert is_wrong("tonmf.detector.options", "tonmf.detector.scores.scoring")  # on no shelf
    assert not is_wrong("tonmf.detector.scores.scoring", "tonmf.detector.options")


def test_the_top_of_the_package_is_small():
    entries = {path.name for path in PACKAGE.iterdir() if path.is_file() or any(path.glob("*.py"))}
    assert len(entries) <= MOST_ENTRIES
    assert len(LEVELS) <= MOST_LEVELS
    assert {name.removesuffix(".py") for name in entries} - {"__init__", "py.typed"} | {""} == {
        n for row in LEVELS for n in row
    }


def rooms():
    """Every package below ours: its folder, its docstring, and the names of its modules."""
    for path in PACKAGE.glob("*/**/__init__.py"):
        inside = [entry for entry in path.parent.iterdir() if entry.name != "__init__.py"]
        names = {entry.stem for entry in inside if entry.suffix == ".py" or (entry / "__init__.py").exists()}
        yield path.parent, ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "", names


def test_the_map_of_a_room_names_its_modules_and_no_others():
    wrong = []
    for folder, text, names in rooms():
        assert text, folder
        table = "\n".join(re.findall(r"^=+ =+$.*^=+ =+$", text, flags=re.DOTALL | re.MULTILINE))
        if len(names) > 3:
            wrong += [f"{folder} lacks {name}" for name in sorted(names - quoted(text) - first_words(table))]
        defined = set(re.findall(r"^(?:def|class) (\w+)", source_of(folder), re.MULTILINE))
        wrong += [f"{folder} has no {name}" for name in sorted(quoted(table) - names - defined)]
    assert not wrong, "\n".join(wrong)


def quoted(text):
    return set(re.findall(r"(?<!`)`(\w+)/?`(?!`)", text))


def first_words(text):
    return set(re.findall(r"^(\w+)/? ", text, flags=re.MULTILINE))


def source_of(folder):
    return "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))


SEAM = ["persist", "ranking", "timeline", "dask", "plots", "report", "pyod", "experiments", "service", "cli"]
"""The rooms that use the detector, and may use its public names only."""


BY_NAME = {"getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller"}
"""Functions that take the name of an attribute."""


def private_uses(text):
    """Every use of a private name of something else, or of ``self``, as (line, name, whether it is one of ``self``)."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute):
            found = [(node.attr, isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))]
        elif isinstance(node, ast.ImportFrom):
            found = [(alias.name, False) for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in BY_NAME:
            found = [(name.value, False) for name in node.args if isinstance(name, ast.Constant)]
        else:
            continue
        yield from ((node.lineno, name, own) for name, own in found if re.match(r"_[^_]", str(name)))


def test_nobody_reaches_into_the_detector():
    """A module may use what its own classes set on ``self``, but no private name of the detector, nor of anything else."""
    texts = {module: path.read_text(encoding="utf-8") for module, path in modules()}
    of_detectors = {
        name
        for module in ("detector", "fitted", "reading")
        for _, name, own in private_uses(texts[f"tonmf.detector.{module}"])
        if own
    }
    assert "_state" in of_detectors
    found = [
        f"{module}, line {line}: {name}"
        for module, text in texts.items()
        if parts_of(module)[0] in SEAM
        for line, name in private_uses_of_others(text, of_detectors)
    ]
    assert not found, "\n".join(found)


def private_uses_of_others(text, of_detectors):
    uses = list(private_uses(text))
    ours = {name for _, name, own in uses if own} - of_detectors | {"_exit"}  # os._exit
    return [(line, name) for line, name, own in uses if not own and name not in ours]


@pytest.mark.parametrize(
    "text",
    [
        "detector._state",
        "class A:\n    def f(self, detector):\n        self._state = detector._state",
        "read.reader.state._x",
        "getattr(detector, '_state')",
        "operator.attrgetter('_state')(detector)",
        "from tonmf.detector.saved.scorer import _read_rung",
    ],
)
def test_a_use_of_a_private_name_cannot_hide(text):
    assert private_uses_of_others(text, {"_state"})


def arrows():
    """The levels and shelves as text, from the top down, as CONTRIBUTING shows them."""
    lines = ["  ".join(name or "tonmf" for name in row) for row in reversed(LEVELS)]
    shelves = [f"{room}: " + " > ".join(reversed(names)) for room, names in SHELVES.items()]
    return "\n".join([*lines, "", *shelves])


def test_contributing_shows_the_arrows_as_they_are():
    assert f"```text\n{arrows()}\n```" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_contributing_shows_the_whole_tree():
    (tree,) = re.findall(
        r"```text\nsrc/tonmf/\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), flags=re.DOTALL
    )
    names = set(re.findall(r"(\w+)(?:/|\.py)", tree))
    assert not {name for row in LEVELS for name in row if name not in ("", "__main__")} - names


def test_contributing_names_files_that_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:nmf|cli|detector|experiments|tests|src|shared)/[\w/.-]+)`", text))
    there = [PACKAGE, ROOT, PACKAGE / "report" / "web"]
    assert named
    assert not [name for name in named if not any((folder / name).exists() for folder in there)]


def test_no_two_classes_have_the_same_name():
    """But for those in ``tonmf.pyod``, each called after the one that it stands for."""
    names = Counter(
        node.name
        for module, path in modules()
        if module != "tonmf.pyod"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert not [name for name, n in names.items() if n > 1]


def test_no_module_is_called_after_nothing():
    forbidden = {"utils", "helpers", "common", "misc"}
    assert not [module for module, _ in modules() if module.rsplit(".", 1)[-1] in forbidden]


OPTIONAL = {"Stemmer", "stop_words", "safetensors", "narwhals", "pandas", "polars", "pyarrow", "typer", "rich"}
OPTIONAL |= {"anyio", "dask", "cupy", "matplotlib", "mcp", "pooch", "platformdirs"}
OPTIONAL |= {"huggingface_hub", "model2vec", "sentence_transformers", "torch", "transformers"}
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


def test_importing_the_encoders_loads_no_model_and_nothing_that_calls_the_network():
    assert not loaded_by("import tonmf.embed") & (OPTIONAL | {"http", "sklearn", "sqlite3", "ssl"})


def test_importing_the_detectors_for_pyod_loads_nothing_heavy():
    assert not loaded_by("import tonmf.pyod") & {"matplotlib", "sentence_transformers", "torch", "transformers"}


def test_importing_the_data_sets_loads_nothing_that_downloads():
    assert not loaded_by("import tonmf.datasets") & {"pooch", "requests", "sklearn"}


if __name__ == "__main__":
    print(arrows())  # noqa: T201
