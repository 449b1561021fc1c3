"""Reports: what was found in a corpus, first as a dictionary of plain values, then as one HTML file to share.

======== ==================================================================
`summary` the dictionary: what was analysed, topics, groups, every document
`described` one document of it
`atlas`   where documents are on the map
`html`    the file
======== ==================================================================
"""

from tonmf.report.html import write_html
from tonmf.report.summary import summarise, write_summary

__all__ = ["summarise", "write_html", "write_summary"]
