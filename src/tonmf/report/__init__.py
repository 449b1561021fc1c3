"""Reports on a corpus: a summary as a dictionary of plain values, and one HTML file to share.

============= ==================================================================
`summary`     the dictionary: what was analysed, topics, groups, every document
`plan`        what is said of which documents
`describing`  the documents of it, some at a time
`described`   one document of it
`large`       those that do not fit into memory, as their files are read
`collecting`  how often Python looks for cycles meanwhile
`atlas`       the map: places of topics and documents
`meaning_map` the same by embeddings
`marking`     what the page needs to follow marks
`html`        the file
`earlier`     the dictionary again, from a file
`runs`        what is compared of a run
`comparison`  two runs: what is newly strange, topics that came and went
`binning`     scores in bins, for histograms
`notebook`    how things look in a notebook, and the report there
`web`         the pages' scripts and styles, also those of the service
============= ==================================================================
"""

from tonmf.report.comparison import compare
from tonmf.report.earlier import read_summary
from tonmf.report.html import write_html
from tonmf.report.summary import summarise, write_summary

__all__ = ["compare", "read_summary", "summarise", "write_html", "write_summary"]
