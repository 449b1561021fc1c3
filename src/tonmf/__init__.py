"""tonmf: find the documents that do not belong, and say why."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tonmf.detector import TextOutlierDetector as TextOutlierDetector
    from tonmf.errors import ClusterError as ClusterError
    from tonmf.errors import InputError as InputError
    from tonmf.errors import MissingExtraError as MissingExtraError
    from tonmf.errors import ParameterError as ParameterError
    from tonmf.errors import TonmfError as TonmfError
    from tonmf.estimator import TONMF as TONMF
    from tonmf.explain import Explanation as Explanation
    from tonmf.groups import Group as Group
    from tonmf.persist import load as load
    from tonmf.solver import Progress as Progress
    from tonmf.topics import Topic as Topic
    from tonmf.unexpected import UnexpectedWord as UnexpectedWord

__version__ = "0.1.0"

# Where each public name lives. Imported on first use, so that a command line that only prints its help starts at once.
_HOMES = {
    "TONMF": "estimator",
    "ClusterError": "errors",
    "Explanation": "explain",
    "Group": "groups",
    "InputError": "errors",
    "MissingExtraError": "errors",
    "ParameterError": "errors",
    "Progress": "solver",
    "TextOutlierDetector": "detector",
    "TonmfError": "errors",
    "Topic": "topics",
    "UnexpectedWord": "unexpected",
    "load": "persist",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tonmf' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"tonmf.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
