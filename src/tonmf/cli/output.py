"""Write the table of results: to a file, or to standard output (``-``), with the users' own columns beside ours."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tonmf.cli.screen import Screen, printable
from tonmf.errors import InputError, ParameterError

if TYPE_CHECKING:
    from tonmf.io.user_columns import UserColumns
    from tonmf.io.write import Write

STDOUT = "-"
"""The output that stands for standard output; ``-.tsv`` and ``-.jsonl`` are other formats there."""

FORMAT_OF = {"": "csv", ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl"}


def is_stdout(output: str | None) -> bool:
    """Return whether the table goes to standard output.

    >>> is_stdout("-"), is_stdout("-.jsonl"), is_stdout("./-.jsonl"), is_stdout(None)
    (True, True, False, False)
    """
    from tonmf.io.formats import split_name

    return output is not None and split_name(output)[0] == STDOUT


def check_table(output: str | None, files: Sequence[str], as_json: bool) -> None:
    """Reject an output that cannot be written, before the work begins."""
    if output is None:
        return
    from tonmf.io import check_output
    from tonmf.io.formats import split_name

    if not is_stdout(output):
        check_output(output, files)
        return
    _, extension, compression = split_name(output)
    if compression or extension not in FORMAT_OF:
        raise InputError(
            f"{output}: expected - for CSV on standard output, -.tsv or -.jsonl. Give the name of a file for other formats."
        )
    if as_json:
        raise ParameterError(f"--json and --output {output} both write to standard output. Leave one of them out.")


@contextmanager
def writing(output: str, types: Mapping[str, str]) -> Iterator[Write]:
    """Yield a function that writes some rows of a table, given by columns."""
    from tonmf.io.formats import split_name
    from tonmf.io.write import text_writer, writing_table

    if not is_stdout(output):
        with writing_table(output, types) as write:
            yield write
        return
    yield text_writer(
        _to_terminal if sys.stdout.isatty() else sys.stdout.buffer.write, FORMAT_OF[split_name(output)[1]], types
    )
    sys.stdout.flush()


def _to_terminal(line: bytes) -> None:
    """Print a line that cannot steer the terminal; in a file or a pipe, the table stays as it is."""
    sys.stdout.write(printable(line.decode()))


def write_results(
    screen: Screen,
    output: str,
    types: Mapping[str, str],
    columns: Mapping[str, Sequence[Any]],
    rows: Sequence[Mapping[str, Any]],
) -> None:
    """Write columns of ours, and beside them those of the users' rows."""
    from tonmf.io.user_columns import UserColumns
    from tonmf.io.write import check_lengths

    users = UserColumns.of(rows, columns)
    table = users.beside(columns, rows)
    check_lengths(table)
    with screen.step(f"Writing {output}"), writing(output, {**types, **users.types}) as write:
        write(table)
    say_renamed(screen, users, output)


def say_renamed(screen: Screen, users: UserColumns, output: str) -> None:
    """Print a note on columns of the users that have other names in the output."""
    for note in users.notes("the output" if is_stdout(output) else output):
        screen.note(note)
