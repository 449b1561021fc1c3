"""The parameters of an estimator in a saved model: plain values only.

Parameters that belong to this process or machine are not saved: ``callback``, ``executor``, ``n_jobs``, ``device``, ``memory``,
``cache``, and a ``random_state`` or ``init`` that is an object. A model with a parameter that is the user's own code, without
which it could not read documents, cannot be saved.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import numpy as np

from tonmf.errors import InputError, Param, ParameterError, TonmfError
from tonmf.parameters import Rule, check_parameters
from tonmf.storage.bundles import Bundle

NOT_KEPT = ("callback", "executor", "n_jobs", "device", "memory", "cache")
OBJECTS = ("random_state", "init")
CODE = ("analyzer", "vectorizer")

ADDED = {"boilerplate": None, "mask": None, "strip_headers": False, "strip_html": False}
"""Options that came later, and what they were before: models saved without them are read as they were fitted."""

RETIRED = ("n_buckets",)
"""Options of earlier versions. Models saved with them unset still load."""


def kept_parameters(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters to save, ready for JSON."""
    kept = {}
    for name, value in values.items():
        plain = _plain(value)
        if name in CODE and value is not None and not isinstance(value, str):
            raise ParameterError(
                "A detector with ",
                Param(name),
                f"={value!r:.60} cannot be saved: a saved model holds no code, and this is an object of yours. Use the "
                "detector's own options for texts, or count yourself and fit on the matrix of counts.",
            )
        if name not in NOT_KEPT and not (name in OBJECTS and plain is None):
            kept[name] = plain
    return kept


def changed_parameters(values: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that differ from their defaults, for display; objects by the name of their class.

    >>> changed_parameters({"min_df": 3, "stemmer": None, "vectorizer": object()}, {"min_df": 2, "stemmer": None})
    {'min_df': 3, 'vectorizer': 'object'}
    """
    changed = {
        name: value
        for name, value in values.items()
        if name not in NOT_KEPT and _plain(value) != _plain(defaults.get(name))
    }
    unlike = {name: value for name, value in values.items() if value is not None and _plain(value) is None}
    objects = {name: type(value).__name__ for name, value in unlike.items() if name not in NOT_KEPT}
    return {name: _plain(value) for name, value in changed.items()} | objects


def _plain(value: Any) -> Any:
    """Return a value as JSON; None for objects."""
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and math.isinf(value):
        return INFINITE
    if isinstance(value, timedelta):
        return f"{value.total_seconds()!r} seconds"
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, list | tuple):
        return (
            [_plain(item) for item in value]
            if all(isinstance(i, str | int | float | np.generic) for i in value)
            else None
        )
    return value if isinstance(value, str | int | float) else None


INFINITE = "inf"


def restored_parameters(bundle: Bundle, defaults: Mapping[str, Any], rules: Mapping[str, Rule]) -> dict[str, Any]:
    """Return the parameters of a saved model, checked by their rules; those not saved have their defaults."""
    fields = dict(bundle.part("parameters").fields)
    for name in RETIRED:
        if (value := fields.pop(name, None)) is not None:
            raise InputError(
                f"The {bundle.called} in {bundle.folder} cannot be used: it was fitted with {name}={value!r:.40}, an option "
                "that has been removed. Fit again without it."
            )
    unknown = fields.keys() - defaults.keys()
    unknown |= {name for name in (*NOT_KEPT, "vectorizer") if fields.get(name) is not None}
    if unknown:
        raise bundle.wrong(f"it has parameters that no saved model has: {', '.join(sorted(unknown)):.60}")
    values = {
        name: _restored(fields.get(name, ADDED.get(name, default)), default) for name, default in defaults.items()
    }
    random_state = values.get("random_state")
    if random_state is not None and not (type(random_state) is int and 0 <= random_state < 2**32):
        raise bundle.wrong(f"random_state must be a whole number from 0 up; got {random_state!r:.40}")
    try:
        check_parameters(values, rules)
    except (TonmfError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise bundle.wrong(str(error).rstrip(".")) from error
    return values


def _restored(value: Any, default: Any) -> Any:
    if value == INFINITE:
        return math.inf
    return tuple(value) if isinstance(default, tuple) and isinstance(value, list) else value
