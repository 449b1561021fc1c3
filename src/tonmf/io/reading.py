"""Read the documents of files, all in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, BinaryIO, NamedTuple

from tonmf.io.inputs import find_inputs
from tonmf.io.options import ReadOptions, check_options
from tonmf.io.origins import Origins
from tonmf.io.part import Part
from tonmf.io.parts import read_parts
from tonmf.text.documents import COUNTS

AS_USUAL = ReadOptions()


class Places(NamedTuple):
    """The numbers of documents, from 0, among all that the files hold, those left out included; and how many these are."""

    numbers: list[int]
    n_all: int


@dataclass(frozen=True)
class Documents:
    """Documents that were read from files.

    ========== ===============================================================================
    kind       of the documents: `TEXTS`, `ITEMS` or `COUNTS` of `tonmf.text.documents`
    content    list of strings, list of lists of strings, or CSR matrix of documents × terms
    ids        one for each document
    terms      names of a matrix's columns, if known
    notes      sentences for the user: which column was taken, what was left out, and so on
    labels     1 for documents known to be outliers, 0 for ordinary ones, None for those without a label; None if no column says
               so
    times      when each was written, in seconds since 1970, UTC; None if no column says so
    rows       for each document, its values in the columns of its table; None unless they are to be kept
    places     which of all documents in the files they are; None if some could not be read
    brings_ids whether the files have ids for all of them
    origins    the file and line that each was read from; None if they are not known
    ========== ===============================================================================
    """

    kind: str
    content: Any
    ids: list[str]
    terms: list[str] | None
    notes: list[str]
    labels: list[int | None] | None = None
    times: list[float] | None = None
    rows: list[Mapping[str, Any]] | None = None
    places: Places | None = None
    brings_ids: bool = False
    origins: Origins | None = None


def read_documents(paths: Sequence[str], options: ReadOptions = AS_USUAL, stdin: BinaryIO | None = None) -> Documents:
    """Read the documents of files, folders, patterns such as ``data/*.csv``, and of standard input (``-``).

    Parameters
    ----------
    paths : sequence of str
        All must give documents of one kind.
    options : ReadOptions
        How to read them.
    stdin : binary file, optional
        What to read in place of the process's standard input.

    Raises
    ------
    InputError
        If a file cannot be read or understood, or there is no document in any.
    """
    check_options(options)
    parts: list[Part] = []
    inputs = find_inputs([paths] if isinstance(paths, str) else paths, options.format)
    notes, every_part = read_parts(inputs, options, parts.append, stdin)
    return Documents(
        parts[0].kind,
        _joined(parts),
        [document_id for part in parts for document_id in part.ids],
        next((part.terms for part in parts if part.terms is not None), None),
        notes,
        None if options.label_column is None else [label for part in parts for label in part.labels],
        None if options.time_column is None else [moment.seconds for part in parts for moment in part.times],
        [row for part in parts for row in part.rows or [{}] * len(part.ids)] if options.keep_columns else None,
        _places(every_part),
        all(part.brings_ids for part in parts),
        Origins(inputs, every_part),
    )


def _places(parts: Sequence[Part]) -> Places | None:
    if any(part.bad for part in parts):
        return None
    before = [0, *accumulate(part.n_seen for part in parts)]
    return Places([n + place for n, part in zip(before, parts, strict=False) for place in part.places], before[-1])


def _joined(parts: Sequence[Part]) -> Any:
    if len(parts) == 1:
        return parts[0].content
    if parts[0].kind == COUNTS:
        import scipy.sparse as sp

        return sp.csr_matrix(sp.vstack([part.content for part in parts]))
    return [document for part in parts for document in part.content]
