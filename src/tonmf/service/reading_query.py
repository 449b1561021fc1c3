"""What the address of a request says of a file that comes with it: its name, and how to read its documents."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Query

from tonmf.service.uploads import SINGLE

Name = Annotated[str, Query(max_length=1000, description="What the file is called; its extensions say how it is read.")]
Column = Annotated[str | None, Query(max_length=1000)]
Words = Annotated[list[Annotated[str, Query(max_length=200)]] | None, Query(max_length=5)]


def _how_to_read(
    text_column: Words = None,
    header: bool | None = None,
    separator: Annotated[str | None, Query(max_length=100)] = None,
    format: Annotated[  # noqa: A002  (what the command line calls it)
        str | None,
        Query(
            max_length=20,
            description="What the file holds, if its name does not tell.",
            json_schema_extra={"enum": [*SINGLE]},
        ),
    ] = None,
    sheet: Annotated[str | None, Query(max_length=100)] = None,
    sql: Annotated[str | None, Query(max_length=10_000)] = None,
) -> dict[str, Any]:
    return {
        "text_column": listed(text_column),
        "header": header,
        "separator": separator or None,
        "format": format or None,
        "sheet": sheet or None,
        "sql": sql or None,
    }


HowToRead = Annotated[dict[str, Any], Depends(_how_to_read)]
"""The options by which a file is read; None for those that are not given."""


def listed(values: list[str] | None) -> list[str] | None:
    """Return the values of an option that can be given several times, without empty ones; None if there are none.

    >>> listed(["title", ""]), listed([""])
    (['title'], None)
    """
    return [value for value in values or [] if value] or None
