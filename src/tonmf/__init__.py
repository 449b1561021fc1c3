"""tonmf: find the documents that do not belong, and say why."""

from tonmf.errors import InputError, ParameterError, TonmfError
from tonmf.estimator import TONMF
from tonmf.solver import Progress

__all__ = ["TONMF", "InputError", "ParameterError", "Progress", "TonmfError"]

__version__ = "0.1.0"
