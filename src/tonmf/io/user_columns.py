"""The columns of users' tables, as they are written beside ours."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from tonmf.io.write_parquet import ANY
from tonmf.text.frames import names_beside
from tonmf.wording import listed


class UserColumns:
    """Columns that were in the users' files.

    Parameters
    ----------
    names : iterable of str
        Their names, in order.
    ours : collection of str
        The names of the columns that we add, which stay as they are.

    >>> columns = UserColumns(["score", "stars"], ["rank", "score"])
    >>> columns.beside({"rank": [1], "score": [8.5]}, [{"stars": 4, "score": 17}])
    {'rank': [1], 'score': [8.5], 'input_score': [17], 'stars': [4]}
    """

    def __init__(self, names: Iterable[str], ours: Collection[str]) -> None:
        self._called: dict[str, str] = names_beside(names, ours)

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]], ours: Collection[str]) -> UserColumns:
        """Return the columns of some rows; a row may lack some of them."""
        return cls((name for row in rows for name in row), ours)

    @property
    def types(self) -> dict[str, str]:
        """Return the types of the columns, for `tonmf.io.write`."""
        return dict.fromkeys(self._called.values(), ANY)

    def beside(self, columns: Mapping[str, Sequence[Any]], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return columns of ours, and after them those of the users' rows; None where a row has no value."""
        return {**columns, **{called: [row.get(name) for row in rows] for name, called in self._called.items()}}

    def notes(self, output: str) -> list[str]:
        """Return a note on columns that have other names in the output."""
        renamed = {name: called for name, called in self._called.items() if called != name}
        if not renamed:
            return []
        called = f"{listed(renamed.values())} in {output}, because tonmf writes"
        if len(renamed) == 1:
            return [f"Your column {listed(renamed)} is called {called} a column of that name itself."]
        return [f"Your columns {listed(renamed)} are called {called} columns of those names itself."]
