"""What short commands load: a new process each, asked for modules by name, not for their number nor for its time."""

import json
import subprocess
import sys

import pytest

from tonmf import TextOutlierDetector
from tonmf.cli.app import COMMANDS, command
from tonmf.datasets import load_noticeboard

LEARNING = {
    "sklearn",
    "joblib",
    "pandas",
    "scipy.stats",
    "scipy.optimize",
    "scipy.sparse.csgraph",
    "dask",
    "matplotlib",
}
"""What only learning needs, or what scikit-learn brings."""

COMPILED = {"numba", "llvmlite", "scipy.linalg"}
ANSWERS = {"numpy", "scipy", "rich", "pydantic", "pyarrow", "safetensors", "tonmf.errors"}

PROGRAM = """
import json, sys
sys.argv[0] = "tonmf"
from tonmf.cli import main
try:
    main()
finally:
    sys.stderr.write("\\n" + json.dumps(sorted(sys.modules)))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder, board = tmp_path_factory.mktemp("short"), load_noticeboard()
    TextOutlierDetector(n_restarts=1, topic_shares=(0.03,)).fit(board.texts, names=board.ids).save(folder / "model")
    (folder / "one.txt").write_text("A single line about soup, leeks and potatoes.\n")
    return folder


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["--help"], LEARNING | COMPILED | ANSWERS | {"tonmf.cli.commands"}),
        (["--version"], LEARNING | COMPILED | ANSWERS | {"tonmf.cli.commands"}),
        (["detekt"], LEARNING | COMPILED | ANSWERS | {"tonmf.cli.commands"}),
        (["score", "--no-such-option"], LEARNING | COMPILED | ANSWERS - {"tonmf.errors"}),
        (["score"], LEARNING | COMPILED | ANSWERS - {"tonmf.errors"}),
        (["score", "--help"], LEARNING | COMPILED | ANSWERS - {"tonmf.errors"}),
        (["score", "model", "one.txt", "--top", "few"], LEARNING | COMPILED | ANSWERS - {"tonmf.errors"}),
        (["score", "model", "one.txt", "--format", "word"], LEARNING | COMPILED | ANSWERS - {"tonmf.errors"}),
        (["score", "model", "two.txt"], LEARNING | COMPILED | ANSWERS - {"tonmf.errors"}),
        (["score", "model", "two*.txt"], LEARNING | COMPILED | ANSWERS - {"tonmf.errors"}),
        (["detect", "two.csv", "--output", "scores.csv"], LEARNING | COMPILED | ANSWERS - {"tonmf.errors"}),
        (["check", "two.csv", "--max-flagged", "2%", "--json"], LEARNING | COMPILED | ANSWERS - {"tonmf.errors"}),
        (["check", "one.txt"], LEARNING | COMPILED | ANSWERS - {"tonmf.errors"}),
        (["mcp", "--allow", "nowhere"], LEARNING | COMPILED | ANSWERS - {"tonmf.errors"} | {"mcp", "anyio"}),
        (["topics", "model"], LEARNING | COMPILED | {"pyarrow", "tonmf.io"}),
        (
            ["explain", "model", "one.txt"],
            LEARNING | {"pyarrow", "tonmf.detector.detector", "tonmf.cli.commands.score"},
        ),
        (
            ["score", "model", "one.txt"],
            LEARNING | {"pyarrow", "tonmf.detector.detector", "tonmf.cli.commands.explain"},
        ),
    ],
    ids=lambda value: " ".join(value) if type(value) is list else "",
)
def test_a_short_command_loads_nothing_that_it_can_do_without(arguments, unwanted, folder, processes):
    done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 1, 2), done.stderr
    loaded = json.loads(done.stderr.rpartition("\n")[2])
    assert "tonmf.cli.app" in loaded
    assert not unwanted.intersection(loaded)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_sentence_on_a_command_is_the_first_of_its_help(name):
    assert command(name).help.split("\n\n")[0].replace("\n", " ") == COMMANDS[name][0]
