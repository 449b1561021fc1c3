"""The options of `tonmf.TONMF`: what each may be, in one table, checked in ``fit``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from tonmf.errors import ParameterError
from tonmf.init import STARTS
from tonmf.inner import INNER_METHODS

SOLVERS = ("reweighted", "paper")
SCORES = ("residual", "paper")
BACKENDS = ("numba", "numpy")


@dataclass(frozen=True)
class Rule:
    """What a parameter must be, in words, and the test for it."""

    expected: str
    holds: Callable[[Any], bool]


def _not_bool(value: Any) -> bool:
    return not isinstance(value, bool | np.bool_)


def _number(value: Any, low: float, high: float = np.inf) -> bool:
    return _not_bool(value) and isinstance(value, Real) and low <= float(value) <= high


def _whole(value: Any, low: int) -> bool:
    return _not_bool(value) and isinstance(value, Integral) and int(value) >= low


def _one_of(names: Any) -> Rule:
    listed = ", ".join(repr(name) for name in names)
    return Rule(f"one of {listed}", lambda value: isinstance(value, str) and value in names)


def _whole_rule(low: int, otherwise: str) -> Rule:
    return Rule(f"a whole number of at least {low}, or None for {otherwise}", lambda v: v is None or _whole(v, low))


def _is_start(value: Any) -> bool:
    if isinstance(value, str):
        return value in STARTS
    return isinstance(value, tuple) and len(value) == 2


RULES: Mapping[str, Rule] = {
    "n_topics": _whole_rule(1, "10 or fewer if the matrix is smaller"),
    "alpha": Rule(
        "a number above 0 (np.inf for plain NMF) or 'auto'",
        lambda v: (isinstance(v, str) and v == "auto") or (_number(v, 0) and v > 0),
    ),
    "beta": Rule("a finite number of at least 0", lambda v: _number(v, 0) and np.isfinite(v)),
    "solver": _one_of(SOLVERS),
    "inner": _one_of(INNER_METHODS),
    "init": Rule(f"one of {', '.join(map(repr, STARTS))}, or a tuple of arrays (H, W)", _is_start),
    "max_iter": Rule("a whole number of at least 1", lambda v: _whole(v, 1)),
    "tol": Rule("a finite number of at least 0", lambda v: _number(v, 0) and np.isfinite(v)),
    "inner_iter": _whole_rule(1, "the solver's default"),
    "inner_tol": Rule("a number of at least 0, or None for the solver's default", lambda v: v is None or _number(v, 0)),
    "score_by": _one_of(SCORES),
    "contamination": Rule(
        "a number above 0 and up to 0.5, or 'auto'",
        lambda v: (isinstance(v, str) and v == "auto") or (_number(v, 0, 0.5) and v > 0),
    ),
    "block_size": _whole_rule(1, "a size that fits the caches"),
    "backend": _one_of(BACKENDS),
    "n_jobs": Rule(
        "a whole number of threads other than 0 (-1 for all cores), or None for all cores",
        lambda v: v is None or (_whole(v, -(2**31)) and v != 0),
    ),
    "callback": Rule("None or a function of one argument", lambda v: v is None or callable(v)),
}


def check_parameters(values: Mapping[str, Any]) -> None:
    """Raise `ParameterError` for the first value that breaks its rule."""
    for name, rule in RULES.items():
        if not rule.holds(values[name]):
            raise ParameterError(f"{name} must be {rule.expected}; got {values[name]!r}.")
    if values["inner_iter"] is not None and values["inner"] == "anls" and values["solver"] == "reweighted":
        raise ParameterError("inner_iter counts sweeps, and inner='anls' solves each factor at once. Leave it at None.")
    if values["inner_tol"] is not None and values["solver"] != "paper":
        raise ParameterError(
            f"inner_tol stops the inner loop of solver='paper'; solver={values['solver']!r} has none. Leave it at None."
        )
