"""Reports on a corpus: a summary as a dictionary of plain values, and one HTML file to share.

============= ==================================================================
`summary`     the dictionary: what was analysed, topics, groups, every document
`described`   one document of it
`atlas`       the map: places of topics and documents
`meaning_map` the same by embeddings
`marking`     what the page needs to follow marks
`html`        the file
`web`         the pages' scripts and styles, also those of the service
============= ==================================================================
"""

from tonmf.report.html import write_html
from tonmf.report.summary import summarise, write_summary

__all__ = ["summarise", "write_html", "write_summary"]
