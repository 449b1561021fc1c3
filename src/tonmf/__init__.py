"""tonmf: find the documents that do not belong, and say why."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tonmf.attached import attach

if TYPE_CHECKING:
    from tonmf.detector.detector import TextOutlierDetector as TextOutlierDetector
    from tonmf.detector.explain.explanation import Explanation as Explanation
    from tonmf.detector.explain.topics import Topic as Topic
    from tonmf.detector.explain.unexpected import UnexpectedWord as UnexpectedWord
    from tonmf.detector.scores.groups import Group as Group
    from tonmf.detector.vectors.detector import EmbeddingOutlierDetector as EmbeddingOutlierDetector
    from tonmf.errors import ClusterError as ClusterError
    from tonmf.errors import InputError as InputError
    from tonmf.errors import MissingExtraError as MissingExtraError
    from tonmf.errors import ParameterError as ParameterError
    from tonmf.errors import TonmfError as TonmfError
    from tonmf.nmf.estimator import TONMF as TONMF
    from tonmf.nmf.solver import Progress as Progress
    from tonmf.persist import load as load

__version__ = "0.1.0"

# Where each public name lives. Imported on first use, so that a command line that only prints its help starts at once.
_HOMES = {
    "TONMF": "nmf.estimator",
    "ClusterError": "errors",
    "EmbeddingOutlierDetector": "detector.vectors.detector",
    "Explanation": "detector.explain.explanation",
    "Group": "detector.scores.groups",
    "InputError": "errors",
    "MissingExtraError": "errors",
    "ParameterError": "errors",
    "Progress": "nmf.solver",
    "TextOutlierDetector": "detector.detector",
    "TonmfError": "errors",
    "Topic": "detector.explain.topics",
    "UnexpectedWord": "detector.explain.unexpected",
    "load": "persist",
}

__all__ = [*_HOMES]

# What rooms above add to classes below.
attach(
    {
        "ranking": ("tonmf.ranking.ranking", "ranking_of"),
        "report": ("tonmf.report.notebook.framed", "report"),
        "html of detector": ("tonmf.report.notebook.detectors", "of_detector"),
        "html of embedding detector": ("tonmf.report.notebook.detectors", "of_embedding_detector"),
        "html of model": ("tonmf.report.notebook.detectors", "of_model"),
        "html of explanation": ("tonmf.report.notebook.explanations", "of_explanation"),
        "html of embedding explanation": ("tonmf.report.notebook.explanations", "of_embedding_explanation"),
        "html of explanations": ("tonmf.report.notebook.explanations", "of_explanations"),
        "html of groups": ("tonmf.report.notebook.groups", "of_groups"),
        "html of ranking": ("tonmf.report.notebook.rankings", "of_ranking"),
        "plots of detector": ("tonmf.plots.accessors", "DetectorPlots"),
        "plots of embedding detector": ("tonmf.plots.accessors", "EmbeddingDetectorPlots"),
        "plots of model": ("tonmf.plots.accessors", "ModelPlots"),
    }
)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tonmf' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"tonmf.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
