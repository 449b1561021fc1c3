"""The options of the estimators: what each may be, in one table for each, checked in ``fit``."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from numbers import Integral, Real
from typing import Any

import numpy as np

from tonmf.analysis import WORD_RULES
from tonmf.backends import BACKENDS
from tonmf.errors import ParameterError
from tonmf.forgetting import EXPECTED, is_half_life
from tonmf.init import STARTS
from tonmf.inner import INNER_METHODS

SOLVERS = ("reweighted", "paper")
MIXTURE_SCORES = ("unexplained", "lift")
SCORES = ("residual", "paper", *MIXTURE_SCORES)


@dataclass(frozen=True)
class Rule:
    """What a parameter must be, in words, and the test for it."""

    expected: str
    holds: Callable[[Any], bool]


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def _not_bool(value: Any) -> bool:
    return not isinstance(value, bool | np.bool_)


def _number(value: Any, low: float, high: float = np.inf) -> bool:
    return _not_bool(value) and isinstance(value, Real) and low <= float(value) <= high


def _whole(value: Any, low: int) -> bool:
    return _not_bool(value) and isinstance(value, Integral) and int(value) >= low


def _all(values: Any, kind: Any, holds: Callable[[Any], bool]) -> bool:
    return isinstance(values, kind) and all(map(holds, values))


def _is_str(value: Any) -> bool:
    return isinstance(value, str)


def _is_pattern(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(re.compile(value))
    except (re.error, RecursionError, OverflowError):
        return False


def _one_of(names: Any) -> Rule:
    listed = ", ".join(repr(name) for name in names)
    return Rule(f"one of {listed}", lambda value: isinstance(value, str) and value in names)


def _whole_rule(low: int, otherwise: str) -> Rule:
    return Rule(f"a whole number of at least {low}, or None for {otherwise}", lambda v: v is None or _whole(v, low))


def _is_start(value: Any) -> bool:
    if isinstance(value, str):
        return value in STARTS
    return isinstance(value, tuple) and len(value) == 2


_RUNNING: Mapping[str, Rule] = {
    "contamination": Rule(
        "a number above 0 and up to 0.5, or 'auto'",
        lambda v: _is_auto(v) or (_number(v, 0, 0.5) and v > 0),
    ),
    "backend": _one_of(BACKENDS),
    "n_jobs": Rule(
        "a whole number of threads other than 0 (-1 for all cores), or None for all cores",
        lambda v: v is None or (_whole(v, -(2**31)) and v != 0),
    ),
    "half_life": Rule(EXPECTED, is_half_life),
    "callback": Rule("None or a function of one argument", lambda v: v is None or callable(v)),
}

MODEL_RULES: Mapping[str, Rule] = {
    "n_topics": Rule(
        "a whole number of at least 1, 'auto', or None for 10 or fewer if the matrix is smaller",
        lambda v: v is None or _is_auto(v) or _whole(v, 1),
    ),
    "max_topics": Rule("a whole number of at least 1", lambda v: _whole(v, 1)),
    "topic_share": Rule("a number above 0 and below 1", lambda v: _number(v, 0, 1) and 0 < v < 1),
    "alpha": Rule(
        "a number above 0 (np.inf for plain NMF) or 'auto'",
        lambda v: _is_auto(v) or (_number(v, 0) and v > 0),
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
    "block_size": _whole_rule(1, "a size that fits the caches"),
    "executor": Rule(
        "a dask.distributed Client, or None for this process", lambda v: v is None or hasattr(v, "scheduler_info")
    ),
    **_RUNNING,
}


LONGEST_SEQUENCE = 100
"""Words or characters that a term may have: every document would have nearly all its sequences up to any greater length."""

FEWEST_BUCKETS, MOST_BUCKETS = 2**8, 2**28

DETECTOR_RULES: Mapping[str, Rule] = {
    "analyzer": Rule(
        "'word', 'char', 'char_wb' or a function from a document to its terms",
        lambda v: callable(v) or (isinstance(v, str) and v in ("word", "char", "char_wb")),
    ),
    "lowercase": Rule("True or False", lambda v: not _not_bool(v)),
    "stop_words": Rule(
        "the name of a language, a list of words, or None",
        lambda v: v is None or isinstance(v, str) or _all(v, list | tuple | set | frozenset, _is_str),
    ),
    "ngram_range": Rule(
        f"a tuple (low, high) of whole numbers with 1 <= low <= high <= {LONGEST_SEQUENCE}",
        lambda v: (
            _all(v, list | tuple, lambda n: _whole(n, 1)) and len(v) == 2 and bool(v[0] <= v[1] <= LONGEST_SEQUENCE)
        ),
    ),
    "token_pattern": Rule("a regular expression, or None for Unicode words", lambda v: v is None or _is_pattern(v)),
    "min_df": Rule(
        "a whole number of documents from 1 up, or a share of them above 0.0 and up to 1.0",
        lambda v: _whole(v, 1) or (isinstance(v, float | np.floating) and bool(0 < v <= 1)),
    ),
    "stemmer": Rule("the name of a language, or None", lambda v: v is None or isinstance(v, str)),
    "word_rules": Rule(f"one of {', '.join(map(repr, WORD_RULES))}, or None", lambda v: v is None or v in WORD_RULES),
    "topic_shares": Rule(
        "a tuple of numbers above 0 and below 1",
        lambda v: _all(v, list | tuple, lambda share: _number(share, 0, 1) and 0 < share < 1) and len(v) > 0,
    ),
    "n_restarts": Rule("a whole number of at least 1", lambda v: _whole(v, 1)),
    "max_topics": MODEL_RULES["max_topics"],
    "n_buckets": Rule(
        f"a whole number from {FEWEST_BUCKETS} to {MOST_BUCKETS}, or None",
        lambda v: v is None or (_whole(v, FEWEST_BUCKETS) and v <= MOST_BUCKETS),
    ),
    "memory": Rule("a number of bytes, a text such as '2GB', or None", lambda v: v is None or isinstance(v, int | str)),
    "cache": Rule("the name of a folder, or None", lambda v: v is None or isinstance(v, str | os.PathLike)),
    **_RUNNING,
}

KNN_RULES: Mapping[str, Rule] = {
    "n_neighbors": Rule("a whole number of at least 1", lambda v: _whole(v, 1)),
    "metric": _one_of(("euclidean", "cosine")),
    "score_by": _one_of(("kth", "mean")),
    "contamination": _RUNNING["contamination"],
    "n_jobs": Rule(
        "a whole number of threads other than 0 (-1 for all cores), or None for one", _RUNNING["n_jobs"].holds
    ),
}

SVD_RULES: Mapping[str, Rule] = {
    "n_components": Rule("a whole number of at least 1", lambda v: _whole(v, 1)),
    "score_by": _one_of(("paper", "residual")),
    "contamination": _RUNNING["contamination"],
}

NMF_RULES: Mapping[str, Rule] = {
    "n_components": SVD_RULES["n_components"],
    "max_iter": MODEL_RULES["max_iter"],
    "tol": MODEL_RULES["tol"],
    "contamination": _RUNNING["contamination"],
}

ROBUST_PCA_RULES: Mapping[str, Rule] = {
    "lam": Rule(
        "a finite number above 0, or None for 1/√(the longer side of X)",
        lambda v: v is None or (_number(v, 0) and 0 < v < np.inf),
    ),
    "tol": Rule("a finite number above 0", lambda v: _number(v, 0) and 0 < v < np.inf),
    "max_iter": MODEL_RULES["max_iter"],
    "max_rank": _whole_rule(1, "no bound"),
    "contamination": _RUNNING["contamination"],
    "n_jobs": _RUNNING["n_jobs"],
}

TEXT_OPTIONS = ("analyzer", "lowercase", "stop_words", "ngram_range", "token_pattern", "stemmer", "word_rules")
"""Options that say how a text is cut into terms."""


def check_unused(values: Mapping[str, Any], defaults: Mapping[str, Any], names: Iterable[str], because: str) -> None:
    """Raise `ParameterError` if an option is set that would have no effect."""
    for name in names:
        if values[name] != defaults[name]:
            raise ParameterError(f"{name}={values[name]!r} has no effect {because}. Leave it at {defaults[name]!r}.")


def check_parameters(values: Mapping[str, Any], rules: Mapping[str, Rule]) -> None:
    """Raise `ParameterError` for the first value that breaks its rule."""
    for name, rule in rules.items():
        if not rule.holds(values[name]):
            raise ParameterError(f"{name} must be {rule.expected}; got {values[name]!r}.")


def check_at_least(value: Any, low: int, name: str) -> None:
    """Raise `ParameterError` for anything but a whole number from `low` up."""
    if not _whole(value, low):
        raise ParameterError(f"{name} must be a whole number of at least {low}; got {value!r}.")


def defaults_of(estimator: type) -> dict[str, Any]:
    """The defaults of an estimator's options."""
    return {name: parameter.default for name, parameter in signature(estimator).parameters.items()}


def check_model_parameters(values: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Those of `tonmf.TONMF`, one by one and together."""
    check_parameters(values, MODEL_RULES)
    if values["inner_iter"] is not None and values["inner"] == "anls" and values["solver"] == "reweighted":
        raise ParameterError("inner_iter counts sweeps, and inner='anls' solves each factor at once. Leave it at None.")
    if not _is_auto(values["n_topics"]):
        check_unused(values, defaults, ("max_topics", "topic_share"), "unless n_topics='auto'")
    if _is_auto(values["n_topics"]) and values["solver"] != "reweighted":
        raise ParameterError(
            f"n_topics='auto' is for solver='reweighted'; got solver={values['solver']!r}. Give a number of topics, or "
            "leave the solver at its default."
        )
    if values["inner_tol"] is not None and values["solver"] != "paper":
        raise ParameterError(
            f"inner_tol stops the inner loop of solver='paper'; solver={values['solver']!r} has none. Leave it at None."
        )


def contamination_of(text: str) -> float | str:
    """A share in writing, as commands and addresses have it, or "auto".

    >>> contamination_of("5%"), contamination_of("0.05"), contamination_of("auto")
    (0.05, 0.05, 'auto')
    """
    if text == "auto":
        return text
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise ParameterError(f"contamination must be a share such as 0.05 or 5%, or auto; got {text!r:.60}.") from None
    if not 0 < share <= 0.5:
        raise ParameterError(f"contamination must be above 0 and at most 0.5 (50%); got {text!r:.60}.")
    return share
