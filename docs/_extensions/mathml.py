"""Formulas as MathML, made while the site is built: readers load no script, and need no network."""

from docutils.utils.math import latex2mathml


def inline(writer, node):
    """Write a formula in a line."""
    writer.body.append(latex2mathml.tex2mathml(node.astext()))


def display(writer, node):
    """Write a formula on lines of its own, in a frame that scrolls where it is too wide."""
    writer.body.append('<div class="math" tabindex="0" role="group" aria-label="Formula">')
    writer.body.append(latex2mathml.tex2mathml(node.astext(), as_block=True))
    writer.body.append("</div>")


def leave(writer, node):
    """Have nothing left to write."""


def setup(app):
    """Add the renderer."""
    app.add_html_math_renderer("mathml", (inline, leave), (display, leave))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
