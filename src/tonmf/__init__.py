"""tonmf: find the documents that do not belong, and say why."""

from tonmf.detector import TextOutlierDetector
from tonmf.errors import InputError, MissingExtraError, ParameterError, TonmfError
from tonmf.estimator import TONMF
from tonmf.groups import Group
from tonmf.solver import Progress

__all__ = [
    "TONMF",
    "Group",
    "InputError",
    "MissingExtraError",
    "ParameterError",
    "Progress",
    "TextOutlierDetector",
    "TonmfError",
]

__version__ = "0.1.0"
