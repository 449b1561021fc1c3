"""The shape of the package: arrows point down, optional dependencies stay out, the public names are the promised ones."""

import ast
import subprocess
import sys
from pathlib import Path

import tonmf

PACKAGE = Path(tonmf.__file__).parent

# From the bottom up; a module may import from its own layer and from those before it.
LAYERS = [
    ["errors"],
    ["ops", "bundles", "locks"],
    ["sources", "backends", "blas"],
    ["executors"],
    ["objective", "penalty", "pivoting", "inner", "threshold", "mixture", "calibrate", "words", "documents", "metrics"],
    ["quantiles"],
    ["times", "bursts", "trends"],
    ["clock", "digest", "forgetting", "added_topics"],
    ["analysis", "highlight"],
    ["blocks", "text"],
    ["hashing", "init", "solver", "weighting", "alarms", "neighbours", "ordinary"],
    ["streaming"],
    ["parameters", "validation", "corpus", "signs", "model_stream"],
    ["ladder"],
    ["groups", "topics", "scoring", "counting", "saved_parameters"],
    ["unexpected", "vocabulary", "reservoir"],
    ["profile", "explain"],
    ["explaining", "detector_stream"],
    ["new_documents", "stream_state"],
    ["detector_state", "model_state"],
    ["recipe", "relearning"],
    ["cluster", "disk", "learning"],
    ["estimator", "detector"],
    ["persist", "ranking", "gathering", "births", "windows", "walk", "timeline", "datasets", "io", "baselines", "dask"],
    ["large_ranking", "nursery_state"],
    [""],  # the package itself: tonmf/__init__.py, which names things of the layers above
    ["web", "plots"],
    ["experiments", "report", "watching"],
    ["cli", "service"],  # a command starts the service
    ["__main__"],
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def layer_of(module):
    return module.split(".")[1] if "." in module else ""


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        yield ".".join(("tonmf", *(p for p in parts if p != "__init__"))), path


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def test_arrows_point_down():
    wrong = [
        f"{module} imports {imported}"
        for module, path in modules()
        for imported in imports_of(path)
        if imported.split(".")[0] == "tonmf" and LEVEL[layer_of(imported)] > LEVEL[layer_of(module)]
    ]
    assert not wrong


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


def test_the_public_names_are_the_promised_ones():
    assert set(tonmf.__all__) == {
        "TONMF",
        "ClusterError",
        "Explanation",
        "Group",
        "InputError",
        "MissingExtraError",
        "ParameterError",
        "Progress",
        "TextOutlierDetector",
        "TonmfError",
        "Topic",
        "UnexpectedWord",
        "load",
    }
    for name in tonmf.__all__:
        assert getattr(tonmf, name).__doc__
