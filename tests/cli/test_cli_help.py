"""Help for every command and option, in the command itself and in the documents; and that it comes at once."""

import re
import shlex
import subprocess
import sys

import pytest
import typer
from command import run, run_installed
from repository import DOCS

import tonmf
from tonmf.cli.app import app
from tonmf.cli.reading import EncodingErrors, Format, _options
from tonmf.io import FORMATS, ReadOptions

DOCUMENT = (DOCS / "guide" / "cli.md").read_text(encoding="utf-8")


def all_commands(group=None, path=()):
    """Every command with the words that lead to it."""
    group = typer.main.get_command(app) if group is None else group
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from all_commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(all_commands())
OPTIONS = [
    (path, parameter)
    for path, command in COMMANDS.items()
    for parameter in command.params
    if parameter.param_type_name == "option" and "--help" not in parameter.opts
]


def test_there_are_the_promised_commands():
    assert {path[0] for path in COMMANDS} == {
        "demo",
        "detect",
        "score",
        "explain",
        "check",
        "mcp",
        "report",
        "review",
        "serve",
        "topics",
        "timeline",
        "watch",
        "generate",
        "paper",
        "bench",
    }


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example_that_parses(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = run(*path, "--help", cwd=tmp_path, COLUMNS="200")
    assert ran.code == 0
    assert COMMANDS[path].help.split(".")[0][:60] in " ".join(ran.out.split())
    example = re.search(r"Example: (tonmf .*)", ran.out).group(1)
    words = shlex.split(example)[1:]
    assert tuple(words[: len(path)]) == path
    for file in (word for word in words if "." in word):  # a file to read must be there
        (tmp_path / file).touch()
    COMMANDS[path].make_context("tonmf", words[len(path) :])  # raises if it does not parse


@pytest.mark.parametrize(
    ("path", "option"), OPTIONS, ids=lambda value: " ".join(value) if isinstance(value, tuple) else value.name
)
def test_every_option_has_help(path, option):
    assert option.help
    assert option.help.endswith((".", ".)"))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_and_option_is_documented(path):
    assert f"tonmf {path[0]}" in DOCUMENT
    section = DOCUMENT[DOCUMENT.index(f"## tonmf {path[0]}") :].split("\n## ", 1)[0]
    assert path[-1] in section
    reading = {f"--{name.replace('_', '-')}" for name in ("format", *_options.__annotations__)}
    for option in COMMANDS[path].params:
        if option.param_type_name != "option" or "--help" in option.opts:
            continue
        for name in (*option.opts, *option.secondary_opts):
            where = DOCUMENT if name in reading or option.opts[0] in reading or not name.startswith("--") else section
            assert f"`{name}`" in where, f"{name} of {' '.join(path)}"


def test_the_options_for_reading_are_those_of_the_library():
    assert {member.value for member in Format} == set(FORMATS)
    assert {member.value for member in EncodingErrors} == {"replace", "refuse"}
    names = {name.replace("file_format", "format") for name in _options.__annotations__ if name != "return"}
    assert names == set(ReadOptions.__dataclass_fields__) - {
        "label_column", "label_outlier", "time_column", "keep_columns"  # of reports, timelines and --output
    }  # fmt: skip


def test_help_and_version_load_nothing_heavy():
    heavy = {"numpy", "scipy", "sklearn", "numba", "pyarrow", "pandas"}
    code = f"import sys; import tonmf.cli.app; print(sorted({heavy!r} & sys.modules.keys()))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "[]"


def test_the_version_is_the_packages(tmp_path):
    ran = run_installed("--version", cwd=tmp_path)
    assert (ran.code, ran.out) == (0, f"tonmf {tonmf.__version__}\n")


def test_it_also_runs_as_a_module(tmp_path):
    done = subprocess.run([sys.executable, "-m", "tonmf", "--version"], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == f"tonmf {tonmf.__version__}\n"


def test_shells_complete_commands_and_options(tmp_path):
    def completed(words):
        changes = {"_TONMF_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        return run_installed(cwd=tmp_path, **changes).out.split()

    assert completed("tonmf de") == ["demo", "detect"]
    assert "--stop-words" in completed("tonmf detect --st")


def test_without_the_extra_the_command_says_what_to_install(tmp_path):
    (tmp_path / "typer.py").write_text("raise ImportError")
    ran = run_installed("--help", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "tonmf: the command line needs typer, rich and pyarrow: pip install 'tonmf[cli]'\n"
