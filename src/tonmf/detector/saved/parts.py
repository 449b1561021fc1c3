"""Parts of several of the others: rows of documents, and scales."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.detector.scores.scale import Scale
from tonmf.storage.bundles import UNIT, Bundle

SMALLEST_SPREAD = 1e-30
"""Limit that no fit comes near: a spread that small counts as none."""


def row_arrays(name: str, rows: sp.csr_matrix) -> dict[str, NDArray[Any]]:
    """Return the arrays of rows of documents."""
    return {
        f"{name}.values": rows.data,
        f"{name}.columns": rows.indices.astype(np.int64),
        f"{name}.ends": rows.indptr.astype(np.int64),
    }


def read_rows(bundle: Bundle, name: str, n_terms: int) -> sp.csr_matrix:
    """Read unit rows of documents, and check that no index points outside: kernels have no bounds checks."""
    ends = bundle.array(f"{name}.ends", np.int64, (None,))
    n_values = int(ends[-1]) if len(ends) else -1
    if len(ends) == 0 or ends[0] != 0 or (np.diff(ends) < 0).any():
        raise bundle.wrong(f"the array {name}.ends must hold rising numbers from 0 up")
    values = bundle.positive(f"{name}.values", np.float32, (n_values,), most=UNIT)
    columns = bundle.indices(f"{name}.columns", (n_values,), n_terms)
    rows = sp.csr_matrix((len(ends) - 1, n_terms), dtype=np.float32)
    rows.data, rows.indices, rows.indptr = values, columns.astype(np.int32), ends.astype(np.int32)
    if not rows.has_canonical_format:
        raise bundle.wrong(f"the array {name}.columns must hold rising numbers in each row")
    return rows


def scale_fields(scale: Scale) -> dict[str, float]:
    """Return the JSON part of a scale."""
    return {"median": float(scale.median), "spread": float(scale.spread)}


def read_scale(bundle: Bundle, name: str) -> Scale:
    """Read a scale."""
    part = bundle.part(name)
    return Scale(part.number("median"), part.number("spread", above=SMALLEST_SPREAD))
