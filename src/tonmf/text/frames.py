"""Series and frames of pandas, polars, pyarrow and the like: as documents, and with results beside their rows.

A Series, or a frame of one column, is a list of documents, in which missing values are empty documents. The index of pandas
names them, unless it only numbers them. narwhals, which knows the frames of all these libraries, is loaded only to add columns.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from tonmf.errors import InputError, Message, MissingExtraError, Param
from tonmf.wording import listed, shown

Name = TypeVar("Name", bound=Hashable)

PREFIX = "input_"
"""Put before the name of a user's column that has the name of one of ours."""

TEXT = "text"
"""The name of a column that has none."""


def is_series(documents: Any) -> bool:
    """Return whether this is a Series of pandas, polars and the like, or an array of pyarrow."""
    if hasattr(documents, "to_list"):
        return hasattr(documents, "dtype")
    return hasattr(documents, "to_pylist") and not is_frame(documents)


def is_frame(documents: Any) -> bool:
    """Return whether this is a table with named columns; the columns of a lazy one are not computed for that."""
    return hasattr(type(documents), "columns")


def column_of(documents: Any) -> Any:
    """Return a Series as it is, and a frame of one column as a Series; anything else as it is."""
    if not is_frame(documents) or is_lazy(documents) or len(documents.columns) != 1:
        return documents
    for get in ("to_series", "column"):  # of polars and narwhals, of pyarrow
        if hasattr(documents, get):
            return getattr(documents, get)(0)
    return documents.iloc[:, 0] if hasattr(documents, "iloc") else documents


def is_lazy(documents: Any) -> bool:
    """Return whether this is a frame that is yet to be computed, such as one of polars."""
    return hasattr(documents, "collect") and not hasattr(documents, "to_numpy")


def values_of(series: Any) -> list[Any]:
    """Return the documents of a Series; missing ones are empty texts, or empty rows among rows of items."""
    values = list(series.to_list() if hasattr(series, "to_list") else series.to_pylist())
    present = next((value for value in values if not is_missing(value)), "")
    empty: Any = "" if isinstance(present, str) or not isinstance(present, Iterable) else []
    return [empty if is_missing(value) else value for value in values]


def is_missing(value: Any) -> bool:
    """Return whether a value stands for none: None, NaN, or pandas' NA and NaT."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def names_for(documents: Any, names: Sequence[Any] | None) -> Sequence[Any] | None:
    """Return the given names of documents; if there are none, those that the index of a Series or a frame has.

    An index that only numbers the rows from 0 has none.
    """
    if names is not None or not (is_series(documents) or is_frame(documents)):
        return names
    index = getattr(documents, "index", None)
    if index is None or callable(index) or not hasattr(index, "to_list"):
        return None
    if (getattr(index, "start", None), getattr(index, "step", None)) == (0, 1):
        return None
    return ["/".join(map(str, label)) if isinstance(label, tuple) else str(label) for label in index.to_list()]


def name_of_column(documents: Any) -> Any:
    """Return what the documents' column is called; None if they are no Series, or have no name."""
    if is_frame(documents) and not is_lazy(documents):
        columns = list(getattr(documents, "column_names", documents.columns))  # pyarrow's columns are no names
        return columns[0] if len(columns) == 1 else None
    return getattr(documents, "name", None) if is_series(documents) else None


def names_beside(names: Iterable[Name], ours: Collection[str]) -> dict[Name, Any]:
    """Return what to call the columns of users, by their names, where columns of `ours` stand beside them.

    >>> names_beside(["score", "stars"], ["rank", "score"])
    {'score': 'input_score', 'stars': 'stars'}
    """
    names = list(dict.fromkeys(names))
    taken: set[Any] = {*ours, *names}
    called: dict[Name, Any] = {}
    for name in names:
        free: Any = name
        while free in ours or (free != name and free in taken):
            free = f"{PREFIX}{free}"
        taken.add(free)
        called[name] = free
    return called


class Frame:
    """A user's frame, and which of its columns holds the documents.

    Parameters
    ----------
    native : frame or Series
        Of pandas, polars, pyarrow or another library that narwhals knows.
    column : str, optional
        The column of the documents. By default, the only one, or the first of `usual` that the frame has, or the only one that
        holds texts or lists.
    usual : sequence of str
        What the column may be called.
    """

    def __init__(self, native: Any, column: Any = None, usual: Sequence[Any] = ()) -> None:
        nw = self._nw = _narwhals()
        try:
            frame = nw.from_native(native, eager_only=True, allow_series=True)
        except nw.exceptions.DuplicateError as error:
            raise InputError(
                "Expected a frame whose columns have different names. Rename those that share one."
            ) from error
        except TypeError as error:
            name = type(native).__name__
            advice = "Collect it first" if is_lazy(native) else "Give a frame of pandas, polars or pyarrow"
            raise InputError(f"Expected a frame whose rows are in memory, got {name}. {advice}.") from error
        if isinstance(frame, nw.Series):
            frame = frame.alias(native.name if getattr(native, "name", None) not in (None, "") else TEXT).to_frame()
        self._frame = frame
        self.column = self._chosen(column, usual)

    def _chosen(self, column: Any, usual: Sequence[Any]) -> Any:
        columns = list(self._frame.columns)
        if column is not None:
            if column not in columns:
                raise InputError(
                    Param("column"), f": there is no column {shown(column)}; there are {_called(columns)}."
                )
            return column
        known = [name for name in usual if name in columns]
        of_texts = columns if len(columns) == 1 else known or self._of_texts()
        if len(of_texts) == 1 or known:
            return of_texts[0]
        which = f"the columns are {_called(columns)}." if columns else "the frame has no columns."
        raise InputError(Message("Expected ", Param("column"), f", the name of the column that has the texts; {which}"))

    def _of_texts(self) -> list[Any]:
        nw = self._nw
        kinds = (nw.String, nw.Object, nw.Categorical, nw.Enum, nw.List)
        return [name for name, kind in self._frame.schema.items() if isinstance(kind, kinds) or kind in kinds]

    @property
    def documents(self) -> list[Any]:
        """Return the documents."""
        return values_of(self._frame.get_column(self.column))

    def with_columns(self, columns: Mapping[str, Sequence[Any]], types: Mapping[str, type]) -> Any:
        """Return the frame, of the library that it came from, with more columns of these types.

        A column of the user that has the name of a new one is called ``input_`` and that name; a warning says so.
        """
        nw, frame = self._nw, self._frame
        called = names_beside(frame.columns, columns)
        renamed = {name: free for name, free in called.items() if free != name}
        if renamed:
            warnings.warn(
                f"Columns of the frame have the names of new ones, and are called {_called(renamed.values())} in the result: "
                f"{_called(renamed)}.",
                stacklevel=3,
            )
        new = [self._series(name, values, types[name]) for name, values in columns.items()]
        return nw.to_native(frame.rename(renamed).with_columns(*new))

    def _series(self, name: str, values: Sequence[Any], kind: type) -> Any:
        """Return a new column; whole numbers of which some are missing stay whole numbers in pandas, too."""
        nw, frame = self._nw, self._frame
        kinds = {bool: nw.Boolean, int: nw.Int64, float: nw.Float64, str: nw.String}
        if frame.implementation.is_pandas_like() and kind is int and any(value is None for value in values):
            native = nw.get_native_namespace(frame).Series(list(values), name=name, dtype="Int64")
            return nw.from_native(native, series_only=True)
        return nw.new_series(name, list(values), kinds[kind], backend=frame.implementation)


def _called(names: Iterable[Any]) -> str:
    return listed(map(str, names))


def _narwhals() -> Any:
    try:
        return importlib.import_module("narwhals")
    except ImportError as error:
        raise MissingExtraError("Frames need narwhals: pip install 'tonmf[frames]'.") from error
