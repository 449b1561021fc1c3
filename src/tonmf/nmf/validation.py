"""Validation of input: a clean CSR matrix, or one clear error. The caller's data is never changed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import config_context
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import validate_data

from tonmf.arrays import Array
from tonmf.errors import InputError, Param, ParameterError
from tonmf.nmf.threads import n_threads_of

LARGEST = 1e100
"""Larger numbers are refused. The squares of numbers beyond 1e154 overflow, and sums of squares before."""


def check_rows(estimator: Any, X: Any, *, reset: bool, signed: bool = False) -> sp.csr_matrix:
    """Return X as CSR, float32 or float64, sorted and without duplicates, checked against what the model was fitted on.

    Raise ValueError (from scikit-learn, or `InputError`) for anything but a finite, two-dimensional X with at least one row
    and one column, without negative values unless `signed`, and without numbers whose squares overflow.
    """
    is_sparse = sp.issparse(X)
    # Arrays of other libraries become those of numpy, also where scikit-learn would otherwise leave them as they are.
    with config_context(array_api_dispatch=False):
        X = validate_data(
            estimator,
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            reset=reset,
            ensure_all_finite=not is_sparse,
        )
    if not is_sparse:
        X = sp.csr_matrix(X)
    parts = (X.data, X.indices, X.indptr)
    if not X.has_canonical_format or not all(part.flags.c_contiguous for part in parts):
        X = X.copy()
        X.sum_duplicates()
    if X.nnz == 0:
        return X
    smallest, largest = _extremes(X.data, n_threads_of(getattr(estimator, "n_jobs", None)))
    if not np.isfinite(smallest + largest):
        assert_all_finite(X, estimator_name=type(estimator).__name__, input_name="X")
    largest = max(largest, -smallest)
    if largest > LARGEST:
        row = _row_of(X, int(np.abs(X.data).argmax()))
        raise InputError(
            f"Numbers too large in data passed to {type(estimator).__name__}: expected numbers up to {LARGEST:.0e}, got "
            f"{largest:.6g} in row {row}; sums of squares overflow. Divide X by a constant."
        )
    if not signed and smallest < 0:
        row = _row_of(X, int(X.data.argmin()))
        raise InputError(
            f"Negative values in data passed to {type(estimator).__name__}: expected counts, tf-idf or other weights of "
            f"at least 0, got {smallest:.6g} in row {row}. Shift or drop those values; a matrix of signed features is not "
            "for this model."
        )
    return X


VALUES_PER_THREAD = 2**22
"""Values that are worth a thread of their own."""


def _extremes(values: Array, n_threads: int = 1) -> tuple[float, float]:
    """Return the smallest and the largest value; NaN if one of them is.

    >>> _extremes(np.array([2.0, -1.0, 5.0]))
    (-1.0, 5.0)
    """
    parts = np.array_split(values, min(-(-len(values) // VALUES_PER_THREAD), n_threads))
    if len(parts) == 1:
        return float(values.min()), float(values.max())
    with ThreadPoolExecutor(len(parts)) as pool:
        of_parts = list(pool.map(lambda part: (part.min(), part.max()), parts))
    smallest, largest = np.array(of_parts).T
    return float(smallest.min()), float(largest.max())


def _row_of(X: sp.csr_matrix, place: int) -> int:
    """Return the row of a stored value."""
    return int(np.searchsorted(X.indptr, place, side="right")) - 1


def keep_columns(estimator: Any, X: Any, n_terms: int) -> None:
    """Set scikit-learn's attributes of the columns fitted on, for rows that are not in this process."""
    names = list(getattr(X, "columns", ()))
    estimator.n_features_in_ = n_terms
    if names and all(isinstance(name, str) for name in names):
        estimator.feature_names_in_ = np.array(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def as_dtype(X: sp.csr_matrix, dtype: np.dtype[Any]) -> sp.csr_matrix:
    """Return X in the dtype of the model; raise `InputError` if its numbers do not fit."""
    with np.errstate(over="ignore"):
        converted = X.astype(dtype, copy=False)
    if converted is not X and not np.isfinite(converted.data).all():
        raise InputError(
            f"X holds numbers up to {X.data.max():.3g}, too large for a model fitted on {dtype}. Fit it on {X.dtype}, or "
            "scale X."
        )
    return converted


def check_sample_weight(sample_weight: Any, n_docs: int) -> Array:
    """Return weights as float64, one for each document; all 1 if not given."""
    if sample_weight is None:
        return np.ones(n_docs)
    weights = np.array(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n_docs, float(weights))
    if weights.shape != (n_docs,):
        raise InputError(
            f"sample_weight must have one number for each of the {n_docs} rows of X; got an array of shape {weights.shape}."
        )
    if not ((weights >= 0) & (weights <= LARGEST)).all() or not weights.any():
        raise InputError(
            f"sample_weight must hold finite numbers of at least 0 and up to {LARGEST:.0e}, and not every weight may be zero."
        )
    return weights


def check_n_topics(n_topics: int | str | None, max_topics: int, n_docs: int, n_terms: int) -> int:
    """Return the number of topics to start from, which cannot exceed either side of X.

    With "auto" it does not depend on the number of rows: a row of weight 2 must be the same as the row twice.
    """
    most = min(n_docs, n_terms)
    if isinstance(n_topics, str):
        return min(max_topics, n_terms)
    if n_topics is None:
        return min(10, most)
    if n_topics > most:
        raise ParameterError(
            Param("n_topics", n_topics),
            f" is more than the data can hold: X has n_samples={n_docs} rows and n_features={n_terms} columns. Use ",
            Param("n_topics", most),
            " or fewer, or None.",
        )
    return n_topics


def check_start(start: tuple[Any, Any], n_docs: int, n_terms: int, n_topics: int) -> tuple[Array, Array]:
    """Return the user's start (H, W), checked for shape and sign."""
    arrays = []
    for name, array, rows in zip("HW", start, (n_docs, n_terms), strict=True):
        values = np.array(array, dtype=np.float64)
        if values.shape != (rows, n_topics):
            raise ParameterError(
                Param("init"),
                f"=(H, W) needs {name} of shape {(rows, n_topics)} ({'documents' if name == 'H' else 'terms'} × topics); "
                f"got {values.shape}.",
            )
        if not np.isfinite(values).all() or (values < 0).any():
            raise ParameterError(Param("init"), f"=(H, W) needs finite numbers of at least 0; {name} has others.")
        arrays.append(values)
    return arrays[0], arrays[1]
