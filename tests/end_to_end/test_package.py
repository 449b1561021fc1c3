"""The package as users get it: built, installed elsewhere without the repository, checked by their type checkers."""

import email
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from licences import NOT_FOR_USERS, listed, table
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from repository import ROOT

import tonmf

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SOURCES = ("src", "tests/support", "docs/project", "README.md", "LICENSE", "pyproject.toml", "CHANGELOG.md")


def build(tree, folder, *targets):
    command = [sys.executable, "-m", "hatchling", "build", "-d", folder, *(f"-t{target}" for target in targets)]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The source distribution, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    [archive] = build(ROOT, folder, "sdist").values()
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    """The wheel, built from the source distribution alone."""
    [path] = build(sdist, tmp_path_factory.mktemp("wheel"), "wheel").values()
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The interpreter of a new environment that has the wheel, and of the repository nothing but what the wheel depends on."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "install", "--no-deps"]
    subprocess.run([*command, "--no-index", "--no-compile", "--quiet", wheel], check=True)
    home = next((folder / "lib").glob("python*/site-packages"))
    share_kernels(home / "tonmf")
    (home / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return python


def share_kernels(package):
    """Give an installed package the kernels that the repository has compiled; numba takes those of sources of the same age."""
    ours = ROOT / "src" / "tonmf"
    for path in ours.rglob("*.nb[ci]"):
        copy = package / path.relative_to(ours)
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(path, copy)
        source = path.parent.parent / f"{path.name.partition('.')[0]}.py"
        if source.exists():
            shutil.copystat(source, package / source.relative_to(ours))


def run(*command, cwd):
    """Run a command without what would lead back to the repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TONMF"))}
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=kept)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_is_small_and_holds_the_package_alone(wheel):
    assert wheel.stat().st_size < 2_000_000
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    assert {name.split("/")[0] for name in names} == {"tonmf", f"tonmf-{tonmf.__version__}.dist-info"}
    assert not [name for name in names if "__pycache__" in name]
    files = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src" / "tonmf").rglob("*") if path.is_file()}
    assert set(names) >= {name for name in files if "__pycache__" not in name}


def test_the_source_distribution_has_what_make_needs(sdist):
    for name in (*SOURCES, "Makefile", "constraints.txt", "tests", "benchmarks", "docs", "CITATION.cff", "SECURITY.md"):
        assert (sdist / name).exists(), name
    assert not list(sdist.glob(".venv*"))


def test_the_description_of_the_package_is_complete(wheel):
    with zipfile.ZipFile(wheel) as packed:
        metadata = email.message_from_bytes(packed.read(f"tonmf-{tonmf.__version__}.dist-info/METADATA"))
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata["Description-Content-Type"] == "text/markdown"
    core = {Requirement(line).name for line in metadata.get_all("Requires-Dist") if "extra ==" not in line}
    assert core == {"numpy", "scipy", "scikit-learn", "numba"}


def test_the_command_runs_from_the_wheel(installed, tmp_path):
    command = installed.with_name("tonmf")
    assert run(command, "--version", cwd=tmp_path) == f"tonmf {tonmf.__version__}\n"
    where = run(installed, "-c", "import tonmf; print(tonmf.__file__)", cwd=tmp_path).strip()
    assert installed.parents[1] in Path(where).parents
    shown = run(command, "demo", "--report", "demo.html", cwd=tmp_path)
    assert "All 12 are among the first 16" in shown
    assert (tmp_path / "demo.html").stat().st_size > 100_000


PROGRAM = """
from tonmf import TONMF, Explanation, TextOutlierDetector, load
from tonmf.datasets import load_noticeboard

board = load_noticeboard()
detector: TextOutlierDetector = TextOutlierDetector(n_restarts=1).fit(board.texts or [])
first: Explanation = detector.explain(board.texts or [], ids=[1])[0]
words: list[str] = [each.word for each in first.unexpected]
print(detector.threshold_ + 1.0, words, TONMF(n_topics=3).fit([[1.0, 2.0]]).n_topics_ + 1, load("model"))
"""
WRONG = """
from tonmf import TextOutlierDetector

TextOutlierDetector(stop_wrods="german").fit(["one"])
"""


NOT_FOLLOWED = """
[mypy]
[mypy-dask.*,distributed.*,huggingface_hub.*,mcp.*,sentence_transformers.*,torch.*,transformers.*]
follow_imports = skip
"""
"""Packages of extras, which need not be there: torch and transformers alone have 3,500 modules."""


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    (folder / "wrong.py").write_text(WRONG, encoding="utf-8")
    (folder / "mypy.ini").write_text(NOT_FOLLOWED, encoding="utf-8")
    return folder


def assert_finds_only_the_mistake(command, folder, mistake):
    """Check that a type checker finds the mistake in one program, and nothing in the other."""
    found = subprocess.run([*command, "program.py", "wrong.py"], cwd=folder, capture_output=True, text=True)
    assert found.returncode == 1, found.stderr
    errors = [line for line in found.stdout.splitlines() if re.search(r"\berror: ", line)]
    assert len(errors) == 1, found.stdout
    assert "wrong.py" in errors[0]
    assert mistake in errors[0]


def test_mypy_knows_the_types_from_outside(installed, programs):
    mypy = Path(sys.executable).with_name("mypy")
    if not mypy.exists():
        pytest.skip("needs mypy: pip install 'tonmf[lint]'")
    command = [mypy, "--strict", "--python-executable", installed, "--cache-dir", programs / "cache"]
    assert_finds_only_the_mistake(command, programs, 'Unexpected keyword argument "stop_wrods"')


def pyright():
    script = Path(os.environ.get("TONMF_PYRIGHT") or ROOT / ".venv" / "pyright" / "index.js")
    if script.is_file() and shutil.which("node"):
        return ["node", script]
    if os.environ.get("TONMF_REQUIRE_PYRIGHT"):
        pytest.fail(f"TONMF_REQUIRE_PYRIGHT is set, but there is no {script}: make .venv/pyright")
    return pytest.skip("needs node and pyright: make .venv/pyright, or name its index.js in TONMF_PYRIGHT")


def test_pyright_knows_the_types_from_outside(installed, programs):
    assert_finds_only_the_mistake([*pyright(), "--pythonpath", installed], programs, 'No parameter named "stop_wrods"')


def test_the_page_of_licences_lists_all_that_users_install():
    rows = listed()
    for name, (licence, _) in table().items():
        assert rows[name][0] == licence, f"{name}: run .venv/bin/python tests/support/licences.py"
    extras = PROJECT["optional-dependencies"]
    for extra in set(extras) - NOT_FOR_USERS - {"cuda12", "cuda13"}:
        for line in extras[extra]:
            name = canonicalize_name(Requirement(line).name)
            assert name == "tonmf" or name in rows, f"{name} of {extra}"


def test_the_citation_names_this_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(rf"^version: {re.escape(tonmf.__version__)}$", citation, flags=re.MULTILINE)
    assert "Outlier Detection for Text Data" in citation
