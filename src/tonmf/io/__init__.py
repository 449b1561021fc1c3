"""Users' files to documents, and tables to files.

================ ====================================================================================================
which files      `inputs` (paths, folders, patterns, standard input), `contents` (of a folder or an archive),
                 `archives` (.zip), `saved_datasets` (of Hugging Face), `formats` (extensions), `options`
their bytes      `streams` (open, decompress), `decoding` (lines), `encodings` (which one it is)
their documents  `lines`, `jsonlines`, `json_arrays`, `tables`, `parquet`, `arrow_files`, `spreadsheets` and `databases`
                 (on `rows`), `mails`, `matrices`; `columns` finds text and ids
how tables look  `table_layout`, by `records` (and quotes), `delimiters` (of cells), `header` (is there one?), `separators` (of
                 items) and `basket_tables` (rows that are baskets)
one input        `part` (its documents), `notes` (what was left out, what came twice)
all inputs       `parts` reads them one by one; `reading` keeps all in memory, `document_files` goes in batches
marks            `marks`: what a reader marked, by id; `mark_layout`: how such a file looks
the way back     `write`, `write_parquet` (on `values`), `user_columns`; `harmless`: cells that a spreadsheet would run
================ ===================================================================================================

pyarrow is loaded only for CSV, TSV, Parquet, Arrow and .zst files (`arrow`), python-calamine only for workbooks, duckdb only
for its own, charset-normalizer only for text that is not UTF-8, scipy only for matrices, scikit-learn and numba never.
"""

from tonmf.io.document_files import DocumentFiles
from tonmf.io.formats import FORMATS
from tonmf.io.marks import read_marks
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
    "read_marks",
    "write_table",
]
