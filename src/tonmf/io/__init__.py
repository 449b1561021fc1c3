"""Real files: documents from text, JSON lines, tables, baskets and matrices; tables to files.

=============== ===================================================================================
which files     `inputs` (paths, folders, patterns), `formats` (extensions), `options`
their bytes     `streams` (open, decompress), `decoding` (encodings, lines)
their documents `lines`, `jsonlines`, `tables` on `records`, `parquet`, `matrices`; `columns` chooses
all together    `reading`, with a `part` for each input, a `tally` of what was left out, `repeated` ids; `batches`
the way back    `write`, `atomic`
=============== ===================================================================================

pyarrow is loaded only for CSV, TSV, Parquet and .zst files.
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
