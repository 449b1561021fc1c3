"""Checks of texts, and of what a model returns for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.errors import InputError
from tonmf.wording import one_line, shown


def check_texts(texts: Iterable[str]) -> list[str]:
    """Return texts as a list that every tokenizer can take: halves of surrogate pairs become question marks."""
    if isinstance(texts, str):
        raise InputError(f"Expected a list of texts to embed, got one text: {shown(texts)}. Put it into a list.")
    checked = list(texts)
    for number, text in enumerate(checked):
        if not isinstance(text, str):
            raise InputError(f"Only texts can be embedded; number {number} is {shown(text)}.")
        if not text.isascii():
            checked[number] = text.encode("utf-8", "replace").decode("utf-8")
    return checked


def check_rows(returned: Any, n_texts: int, width: int | None, model: str) -> NDArray[np.float32]:
    """Return what a model returned as float32, one finite row a text; `width` is that of earlier calls, if there were any."""
    try:
        given = np.asarray(returned)
    except (TypeError, ValueError, RuntimeError) as error:  # rows of unequal length; tensors that are not on the CPU
        raise InputError(
            f"{model} must return a matrix of numbers; what it returned cannot be made one: {one_line(error)}."
        ) from error
    if given.dtype.kind not in "biuf":
        raise InputError(
            f"{model} must return a dense matrix of real numbers; it returned values of type {given.dtype}."
        )
    if given.ndim != 2 or len(given) != n_texts or given.shape[1] == 0:
        raise InputError(
            f"{model} must return one row for each of {n_texts} texts; it returned an array of shape {given.shape}."
        )
    if width is not None and given.shape[1] != width:
        raise InputError(
            f"{model} must return rows of one width; it returned {width} columns before, and {given.shape[1]} now."
        )
    with np.errstate(over="ignore"):
        rows = given.astype(np.float32)
    if not (finite := np.isfinite(rows).all(axis=1)).all():
        raise InputError(
            f"{model} must return finite numbers; {int((~finite).sum())} of {n_texts} rows hold NaN, infinity or numbers too "
            "large for float32."
        )
    return rows
