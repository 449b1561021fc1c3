"""The home of `TONMF` in earlier versions; `tonmf.TONMF` is the public name."""

from tonmf.nmf.estimator import TONMF

__all__ = ["TONMF"]
