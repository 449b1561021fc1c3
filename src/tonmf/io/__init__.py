"""Users' files to documents, and tables to files.

================ =================================================================================================
which files      `inputs` (paths, folders, patterns, standard input), `formats` (extensions), `options`
their bytes      `streams` (open, decompress), `decoding` (encodings, lines)
their documents  `lines`, `jsonlines`, `tables` (on `records`), `parquet`, `matrices`; `columns` finds text and ids
one input        `part` (its documents), `notes` (what was left out, what came twice)
all inputs       `parts` reads them one by one; `reading` keeps all in memory, `document_files` goes in batches
the way back     `write`, `write_parquet` (on `values`), `user_columns`; `harmless`: cells that a spreadsheet would run
================ =================================================================================================

pyarrow is loaded only for CSV, TSV, Parquet and .zst files (`arrow`), scipy only for matrices, scikit-learn and numba never.
"""

from tonmf.io.document_files import DocumentFiles
from tonmf.io.formats import FORMATS
from tonmf.io.options import ReadOptions
from tonmf.io.reading import Documents, read_documents
from tonmf.io.write import check_output, output_format, write_table

__all__ = [
    "FORMATS",
    "DocumentFiles",
    "Documents",
    "ReadOptions",
    "check_output",
    "output_format",
    "read_documents",
    "write_table",
]
