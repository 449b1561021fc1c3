"""Formulas as MathML, made while the site is built: readers load no script, and need no network."""

from docutils import nodes
from docutils.utils.math import latex2mathml


def mathml(node, **options):
    """Return a formula as MathML. Bars of a norm keep their size: Chromium draws those that stretch below the line."""
    return latex2mathml.tex2mathml(node.astext(), **options).replace("<mo>‖</mo>", '<mo stretchy="false">‖</mo>')


def inline(writer, node):
    """Write a formula in a line."""
    writer.body.append(mathml(node))
    raise nodes.SkipNode


def display(writer, node):
    """Write a formula on lines of its own, in a frame that scrolls where it is too wide."""
    formula = mathml(node, as_block=True)
    writer.body.append(f'<div class="formula" tabindex="0" role="group" aria-label="Formula">{formula}</div>')
    raise nodes.SkipNode


def setup(app):
    """Add the renderer."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
