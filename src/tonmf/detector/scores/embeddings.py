"""Check embeddings that a user gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from tonmf.arrays import Array
from tonmf.errors import InputError, Param


def check_embeddings(embeddings: Any, n_docs: int, width: int | None = None) -> Array:
    """Check embeddings, and return them as float32 rows of unit norm; a row of zeros stays zero."""
    given = np.asarray(embeddings)
    if given.dtype.kind not in "biuf":
        raise InputError(f"embeddings must be a dense matrix of real numbers; got values of type {given.dtype}.")
    with np.errstate(over="ignore"):
        rows = given.astype(np.float32)
    if rows.ndim != 2 or len(rows) != n_docs or rows.shape[1] == 0:
        raise InputError(
            f"embeddings must have one row for each of the {n_docs} documents; got an array of shape {rows.shape}."
        )
    if width is not None and rows.shape[1] != width:
        raise InputError(
            f"embeddings have {rows.shape[1]} columns, but the detector was fitted with {width}: use the same embedding model."
        )
    if not (finite := np.isfinite(rows).all(axis=1)).all():
        raise InputError(
            f"embeddings must be finite: row {int(np.argmin(finite))} and {int((~finite).sum()) - 1} more hold NaN, "
            "infinity or numbers too large for float32."
        )
    return to_unit_norm(rows)


def to_unit_norm(rows: Array) -> Array:
    """Return rows at unit norm in float32; a row of zeros stays zero."""
    tiny = np.finfo(rows.dtype).tiny
    scaled = rows / np.maximum(np.abs(rows).max(axis=1, keepdims=True), tiny)  # or squares may overflow or vanish
    norms = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.ascontiguousarray(scaled / np.maximum(norms, tiny), dtype=np.float32)


def check_new_embeddings(embeddings: Any, n_docs: int, width: int | None, embedder: str | None = None) -> Array | None:
    """Check the embeddings of new documents, which must be given if the training documents had some, and only then.

    `width` is that of the embeddings of the training documents, None if they had none; `embedder` what made them, if known.
    """
    if width is None:
        if embeddings is not None:
            raise InputError(
                "The detector was fitted without embeddings, so it has none to compare with. Fit it with them."
            )
        return None
    if embeddings is None:
        if embedder is None:
            raise InputError(
                "The detector was fitted with embeddings: give those of the new documents too (",
                Param("embeddings"),
                ").",
            )
        raise InputError(
            f"The detector was fitted with embeddings of {embedder}, which it does not have at hand: name or give it again (",
            Param("embedder"),
            "), or give the embeddings of the new documents (",
            Param("embeddings"),
            ").",
        )
    return check_embeddings(embeddings, n_docs, width)
