"""Users' files to documents, and tables to files.

================ =======================================================================================================
which files      `paths` (patterns, standard input), `inputs` (files, folders, archives), `contents` (of the
                 latter two), `archives` (.zip), `saved_datasets` (of Hugging Face), `formats` (extensions), `options`
their bytes      `streams` (open, decompress), `decoding` (lines), `encodings` (which one it is)
their documents  `lines`, `jsonlines`, `json_arrays`, `tables`, `parquet`, `arrow_files`, `spreadsheets` and `databases`
                 (on `rows`), `mails`, `matrices`; `columns` finds text and ids
how tables look  `table_layout`, by `records` (and quotes), `delimiters` (of cells), `header` (is there one?), `separators`
                 (of items) and `basket_tables` (rows that are baskets)
one input        `part` (its documents), `notes` (what was left out, what came twice)
where from       `origins`: the file and the line of each document
all inputs       `parts` reads them one by one; `reading` keeps all in memory, `document_files` goes in batches
embeddings       `vectors`: those that users have made, in arrays and tables
marks            `marks`: what a reader marked, by id; `mark_layout`: how such a file looks
the way back     `write`, `write_parquet` (on `values`), `user_columns`; `harmless`: cells that a spreadsheet would run
================ =======================================================================================================

pyarrow is loaded only for CSV, TSV, Parquet, Arrow and .zst files (`arrow`), python-calamine only for workbooks, duckdb only
for its own, charset-normalizer only for text that is not UTF-8, scipy only for matrices, scikit-learn and numba never.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tonmf.io.document_files import DocumentFiles as DocumentFiles
    from tonmf.io.formats import FORMATS as FORMATS
    from tonmf.io.marks import read_marks as read_marks
    from tonmf.io.options import ReadOptions as ReadOptions
    from tonmf.io.reading import Documents as Documents
    from tonmf.io.reading import read_documents as read_documents
    from tonmf.io.write import check_output as check_output
    from tonmf.io.write import output_format as output_format
    from tonmf.io.write import write_table as write_table

# Where each public name lives. Imported on first use, so that a check of paths loads nothing heavy.
_HOMES = {
    "FORMATS": "formats",
    "DocumentFiles": "document_files",
    "Documents": "reading",
    "ReadOptions": "options",
    "check_output": "write",
    "output_format": "write",
    "read_documents": "reading",
    "read_marks": "marks",
    "write_table": "write",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tonmf.io' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"tonmf.io.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
