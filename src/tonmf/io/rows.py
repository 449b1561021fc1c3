"""Read documents from rows of values, as spreadsheets and databases give them: the names of the columns, and rows of cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Any

from tonmf.io.columns import SAMPLE, Chooser, is_list_of_items, is_missing, items_in, keys_of
from tonmf.io.options import ReadOptions
from tonmf.io.part import Part
from tonmf.text.documents import ITEMS, without_surrogates
from tonmf.wording import shown

NumberedRow = tuple[int, Sequence[Any]]
"""The number of a row, and its cells."""


def add_rows(
    names: Sequence[str], rows: Iterable[NumberedRow], part: Part, options: ReadOptions, chooser: Chooser
) -> None:
    """Choose the columns by the first rows, and add a document from each row."""
    rows = iter(rows)
    first = list(islice(rows, SAMPLE))
    if not first:
        return
    chooser.check_called_once(names, part.name)
    keys = keys_of(names)
    once = {key: place for place, key in enumerate(keys) if keys.count(key) == 1}
    sample = {name: [row[place] for _, row in first] for name, place in once.items()}
    columns, notes = chooser.choose(sample, part.format, part.name, names)
    part.kind = columns.kind
    part.notes += notes
    wanted = {name: once[name] for name in columns.names}
    for number, row in chain(first, rows):
        cells = {name: row[place] for name, place in wanted.items()}
        facts = part.facts(f"row {number}", columns, cells, options.skip_bad)
        if facts is None:
            continue
        wrong = next((name for name in columns.text if not _is_document(cells[name], part.kind)), None)
        if wrong is not None:
            expected = "a list of items" if part.kind == ITEMS else "text"
            got = f"expected {expected} in column {shown(wrong)}, got {shown(cells[wrong])}"
            part.add_bad(f"row {number}", got, options.skip_bad)
        else:
            part.add(number, _content(columns.content_of(cells)), facts)


def _is_document(value: Any, kind: str) -> bool:
    """Return whether a cell may be a document, or is empty. Numbers in a column of texts are texts too."""
    if is_missing(value):
        return True
    return is_list_of_items(value) if kind == ITEMS else not isinstance(value, bytes | list | dict | tuple)


def _content(value: Any) -> str | list[str] | None:
    """Return a cell as a document; None if it is empty."""
    if is_missing(value):
        return None
    if isinstance(value, list):
        return [without_surrogates(item) for item in items_in(value)]
    return without_surrogates(str(value))
