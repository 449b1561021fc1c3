"""Blocks: examples without the empty line at their end, which doctest wants and readers do not; tables as plain text."""

from docutils import nodes
from pygments.lexers.special import TextLexer


def trim(app, doctree):
    """Trim the blocks of a page."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext()
        if text.endswith("\n") and len(block.children) == 1:
            block.rawsource = text.rstrip("\n")  # the same as the text, or the writer takes it for text with markup
            block[0] = nodes.Text(block.rawsource)


def setup(app):
    """Trim each page as it is read, and know the names of blocks that are not coloured."""
    app.add_lexer("csv", TextLexer)
    app.connect("doctree-read", trim)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
