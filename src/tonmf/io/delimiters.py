"""Tell what separates the cells of a CSV or TSV file: by the user, by the file's own word, or by its first lines."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tonmf.errors import Message, Param, ParameterError
from tonmf.io.basket_tables import baskets_in
from tonmf.io.header import MOST_TITLES
from tonmf.io.options import ReadOptions
from tonmf.io.separators import called, separator_from
from tonmf.wording import shown

DELIMITERS = {"csv": ",", "tsv": "\t"}

CANDIDATES = (",", ";", "\t", "|")
"""Delimiters to look for."""

NONE = "\x1f"
"""Stands for no delimiter, in a table of one column: the unit separator, which no text has."""

DECLARED = re.compile(r'"?sep=(.)"?[,;\t|]*\s*', re.IGNORECASE)
"""A first line by which Excel tells the delimiter."""

LINES_OF_A_TABLE = 50
"""Lines that tell the delimiter of a table."""

NEARLY_ALL = 0.8
"""The share of lines with as many delimiters as the first, and of delimiters with a space behind them, that settle it."""


class Delimiter(NamedTuple):
    """A character that separates cells, and a note on it if it is not the usual one."""

    character: str
    note: str | None = None


def find_delimiter(
    lines: Sequence[str],
    format: str,  # noqa: A002
    options: ReadOptions,
    name: str,
    baskets: bool | None,
) -> Delimiter:
    """Return what separates the cells of file `name`, given its first lines.

    The user decides, or a line ``sep=;``. Otherwise, it is what the first line has in place of the usual delimiter; if it has
    none, what makes baskets of the lines, or a table of those below a title. `baskets` says whether rows are baskets, None if
    they may be.
    """
    if options.separator is not None:
        delimiter = separator_from(options.separator)
        if len(delimiter) > 1:
            raise ParameterError(
                Param("separator"), f" must be one character in a {format} file; got {shown(options.separator)}."
            )
        return Delimiter(delimiter)
    declared = declared_delimiter(lines[0])
    if declared is not None:
        return Delimiter(declared)
    usual = DELIMITERS[format]
    bare = [line for line in re.sub(r'"[^"]*(?:""[^"]*)*"', '""', "".join(lines)).split("\n") if line.strip(" \r")] or [
        ""
    ]
    in_first = _in_first_line(bare[:LINES_OF_A_TABLE], usual)
    if baskets is not False and in_first is None:
        between_items = _between_items(lines, bare, usual, baskets)
        if between_items is not None:
            return Delimiter(between_items)
    found = in_first or _below_a_title(bare[:LINES_OF_A_TABLE], usual)
    if usual == "," and _belong_to_texts(bare, found):
        found = NONE
    return Delimiter(found or usual, _note(found or usual, usual, name))


def declared_delimiter(line: str) -> str | None:
    r"""Return the delimiter that a line declares, as Excel reads it.

    >>> declared_delimiter("sep=;\r\n"), declared_delimiter("separator;text\n")
    (';', None)
    """
    found = DECLARED.fullmatch(line.removeprefix("\ufeff"))
    return None if found is None else found[1]


def _in_first_line(bare: Sequence[str], usual: str) -> str | None:
    """Return the delimiter that the first line has; None if it has none.

    If it has several, it is that which each line has equally often, while the usual one comes and goes.
    """
    first = bare[0]
    if usual == "\t":
        return usual if usual in first else None
    instead = max((other for other in CANDIDATES if other != usual), key=first.count)
    if instead not in first:
        return usual if usual in first else None
    if usual in first:
        counts = [{line.count(delimiter) for line in bare} for delimiter in (usual, instead)]
        if len(bare) == 1 or len(counts[0]) == 1 or len(counts[1]) > 1:
            return usual
    return instead


def _between_items(lines: Sequence[str], bare: Sequence[str], usual: str, baskets: bool | None) -> str | None:
    """Return what makes baskets of the lines, the commonest first; None if nothing does."""
    n_lines = {candidate: sum(candidate in line for line in bare) for candidate in CANDIDATES}
    by_number = sorted(n_lines, key=lambda candidate: (-n_lines[candidate], candidate != usual))
    for candidate in by_number:
        if n_lines[candidate] == 0:
            break
        if baskets or baskets_in(_rows(lines, candidate), has_names=True) is not None:
            return candidate
    return None


def _rows(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Return the cells of each row; none if they cannot be read."""
    try:
        return [row for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error:
        return []


def _below_a_title(bare: Sequence[str], usual: str) -> str | None:
    """Return the delimiter of a table whose first lines have none; in a TSV file also of one that has no tabs."""
    for candidate in sorted(CANDIDATES, key=lambda candidate: candidate != usual):
        counts = [line.count(candidate) for line in bare]
        start = next((number for number, count in enumerate(counts) if count), MOST_TITLES + 1)
        ((usual_count, n_usual),) = Counter(counts[start:]).most_common(1) or [(0, 0)]
        is_even = usual_count > 0 and n_usual >= max(NEARLY_ALL * (len(counts) - start), 2)
        if start <= MOST_TITLES and is_even and not _have_spaces(bare[start:], candidate):
            return candidate
    return None


def _belong_to_texts(bare: Sequence[str], found: str | None) -> bool:
    """Return whether commas are part of the texts in a single column: their number is uneven, and spaces follow them.

    If the first line has no delimiter, and the others make no table, that is reason enough.
    """
    if found is None:
        return any("," in line for line in bare)
    counts = Counter(line.count(",") for line in bare)
    is_even = max(counts.values()) >= NEARLY_ALL * len(bare)
    return found == "," and not is_even and _have_spaces(bare[:1], ",", all_of_them=True) and _have_spaces(bare, ",")


def _have_spaces(lines: Sequence[str], delimiter: str, all_of_them: bool = False) -> bool:
    """Return whether spaces follow nearly all delimiters, as in running text."""
    n_delimiters = sum(line.count(delimiter) for line in lines)
    n_spaced = sum(len(re.findall(re.escape(delimiter) + r"\s", line)) for line in lines)
    return n_spaced >= (1 if all_of_them else NEARLY_ALL) * n_delimiters > 0


def _note(delimiter: str, usual: str, name: str) -> str | None:
    if delimiter == usual:
        return None
    if delimiter == NONE:
        read = f"{name} was read as one column, since the {called(usual)} in it belong to the texts; if they separate cells, "
        return Message(read, "give ", Param("separator", "comma"), ".")
    return f"{name} has {called(delimiter)} between its cells, not {called(usual)}, and was read that way."
