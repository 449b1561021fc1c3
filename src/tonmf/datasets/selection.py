"""Make a task of a collection with classes: all documents of the ordinary classes, a few of the strange ones, shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.errors import Param, ParameterError


def choose_documents(
    classes: NDArray[Any], inliers: Sequence[Any], outliers: Sequence[Any], n_outliers: int, random_state: int
) -> NDArray[np.int64]:
    """Return the numbers of all documents of the classes `inliers`, and of `n_outliers` of the classes `outliers`, shuffled.

    >>> choose_documents(np.array(["a", "b", "a", "b", "b"]), ["a"], ["b"], n_outliers=1, random_state=0)
    array([4, 2, 0])
    """
    _check_classes(classes, inliers, outliers)
    there = np.flatnonzero(np.isin(classes, outliers))
    if not _is_whole(n_outliers) or not 0 <= n_outliers <= len(there):
        raise ParameterError(
            Param("n_outliers"),
            f" must be a whole number from 0 to {len(there)}, the documents of {_named(outliers)}; got {n_outliers!r}.",
        )
    if not _is_whole(random_state) or random_state < 0:
        raise ParameterError(Param("random_state"), f" must be a whole number of at least 0; got {random_state!r}.")
    rng = np.random.default_rng(random_state)
    strange = rng.permutation(there)[:n_outliers]
    chosen: NDArray[np.int64] = rng.permutation(np.concatenate([np.flatnonzero(np.isin(classes, inliers)), strange]))
    return chosen


def _check_classes(classes: NDArray[Any], inliers: Sequence[Any], outliers: Sequence[Any]) -> None:
    known = sorted(set(classes.tolist()))
    for name, wanted in (("inliers", inliers), ("outliers", outliers)):
        unknown = [one for one in wanted if one not in known]
        if unknown or not len(wanted):
            got = repr(unknown[0]) if unknown else "none"
            raise ParameterError(Param(name), f" must be classes of the collection, {_named(known)}; got {got}.")
    both = [one for one in inliers if one in outliers]
    if both:
        raise ParameterError(f"A class is either ordinary or strange; {both[0]!r} is among both inliers and outliers.")


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _named(classes: Sequence[Any]) -> str:
    return ", ".join(map(str, classes))
