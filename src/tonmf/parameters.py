"""Checks of parameters: a `Rule` for each, in a table beside the estimator, checked in ``fit``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from numbers import Integral, Real
from typing import Any

from tonmf.errors import InPython, Message, Param, ParameterError


@dataclass(frozen=True)
class Rule:
    """The words for what a parameter must be (perhaps a `Message`), and the test for it."""

    expected: str
    holds: Callable[[Any], bool]


def is_auto(value: Any) -> bool:
    """Return True for "auto"."""
    return isinstance(value, str) and value == "auto"


def _not_bool(value: Any) -> bool:
    return not isinstance(value, bool)  # NumPy's is no number to begin with


def is_number(value: Any, low: float, high: float = math.inf) -> bool:
    """Return True for a number from `low` to `high`."""
    return _not_bool(value) and isinstance(value, Real) and low <= float(value) <= high


def is_whole(value: Any, low: int) -> bool:
    """Return True for a whole number of at least `low`."""
    return _not_bool(value) and isinstance(value, Integral) and int(value) >= low


def one_of(names: Any) -> Rule:
    """Return the rule of a parameter with a fixed set of names."""
    listed = ", ".join(repr(name) for name in names)
    return Rule(f"one of {listed}", lambda value: isinstance(value, str) and value in names)


def whole_or_none(low: int, otherwise: str) -> Rule:
    """Return the rule of a whole number that may be None."""
    expected = Message(f"a whole number of at least {low}", InPython(f", or None for {otherwise}"))
    return Rule(expected, lambda v: v is None or is_whole(v, low))


RUNNING: Mapping[str, Rule] = {
    "contamination": Rule(
        "a number above 0 and up to 0.5, or 'auto'",
        lambda v: is_auto(v) or (is_number(v, 0, 0.5) and v > 0),
    ),
    "n_jobs": Rule(
        Message("a whole number of threads other than 0 (-1 for all cores)", InPython(", or None for all cores")),
        lambda v: v is None or (is_whole(v, -(2**31)) and v != 0),
    ),
    "callback": Rule("None or a function of one argument", lambda v: v is None or callable(v)),
}
"""Rules of parameters that several estimators share."""

MAX_ITER = Rule("a whole number of at least 1", lambda v: is_whole(v, 1))
TOL = Rule("a finite number of at least 0", lambda v: is_number(v, 0) and math.isfinite(v))


def check_unused(values: Mapping[str, Any], defaults: Mapping[str, Any], names: Iterable[str], because: str) -> None:
    """Raise `ParameterError` if a parameter is set that would have no effect; `because` may be a `Message`."""
    for name in names:
        if values[name] != defaults[name]:
            value, default = (InPython(f"={values[name]!r}"), InPython(f"at {defaults[name]!r}", elsewhere="out"))
            raise ParameterError(Param(name), value, " has no effect ", because, ". Leave it ", default, ".")


def check_parameters(values: Mapping[str, Any], rules: Mapping[str, Rule]) -> None:
    """Raise `ParameterError` for the first value that breaks its rule."""
    for name, rule in rules.items():
        if not rule.holds(values[name]):
            raise ParameterError(Param(name), " must be ", rule.expected, f"; got {values[name]!r}.")


def check_at_least(value: Any, low: int, name: str) -> None:
    """Raise `ParameterError` for anything but a whole number from `low` up."""
    if not is_whole(value, low):
        raise ParameterError(Param(name), f" must be a whole number of at least {low}; got {value!r}.")


def defaults_of(estimator: type) -> dict[str, Any]:
    """Return the defaults of an estimator's parameters."""
    return {name: parameter.default for name, parameter in signature(estimator).parameters.items()}


def contamination_of(text: str) -> float | str:
    """Parse a share as people write it, or "auto".

    >>> contamination_of("5%"), contamination_of("0.05"), contamination_of("auto")
    (0.05, 0.05, 'auto')
    """
    return text if text == "auto" else _share_of(text, "contamination", 0.5, "auto")


def check_rate(value: Any, name: str) -> None:
    """Raise `ParameterError` for anything but a false-discovery rate."""
    if not (is_number(value, 0, 1) and 0 < value < 1):
        raise ParameterError(Param(name), f" must be a number above 0 and below 1; got {value!r}.")


def rate_of(text: str) -> float:
    """Parse a false-discovery rate as people write it.

    >>> rate_of("10%"), rate_of("0.1")
    (0.1, 0.1)
    """
    try:
        rate = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        rate = math.nan
    if not 0 < rate < 1:
        raise ParameterError(
            Param("fdr"), f" must be a rate above 0 and below 1, such as 0.1 or 10%; got {text!r:.60}."
        )
    return rate


def boilerplate_of(text: str) -> float | None:
    """Parse a share as people write it, or "none".

    >>> boilerplate_of("5%"), boilerplate_of("none")
    (0.05, None)
    """
    return None if text == "none" else _share_of(text, "boilerplate", 1.0, "none")


def _share_of(text: str, name: str, most: float, otherwise: str) -> float:
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise ParameterError(
            Param(name), f" must be a share such as 0.05 or 5%, or {otherwise}; got {text!r:.60}."
        ) from None
    if not 0 < share <= most:
        raise ParameterError(Param(name), f" must be above 0 and at most {most:g} ({100 * most:g}%); got {text!r:.60}.")
    return share
