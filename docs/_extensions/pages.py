"""The directive ``pages``: the pages of a section, each with its first sentence, in the navigation and in the page itself.

Its lines are names of pages in their order, relative to this one, and patterns for the rest. A pattern need not fit any page,
since sections grow.
"""

import re
from copy import deepcopy

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.directives.other import TocTree
from sphinx.util import docname_join
from sphinx.util.matching import patfilter

END = re.compile(r"(?<!e\.g)(?<!i\.e)[.!?](?=\s|$)")


class PageList(nodes.General, nodes.Element):
    """Where the list of pages comes."""


class Pages(TocTree):
    """A hidden toctree, and, unless they are ``:unlisted:``, a list of its pages."""

    option_spec = TocTree.option_spec | {"unlisted": directives.flag}

    def run(self):
        """Return both."""
        self.options |= {"glob": None, "hidden": None, "titlesonly": None}
        (wrapper,) = super().run()
        listed = [] if "unlisted" in self.options else wrapper[0]["includefiles"]
        return [wrapper, PageList(pages=listed)]

    def parse_content(self, toctree):
        """Find the pages of each line that no line before has named."""
        here = self.env.docname
        found = []
        for line in filter(None, self.content):
            pages = sorted(patfilter(self.env.found_docs, docname_join(here, line)))
            if not pages and "*" not in line:
                raise self.error(f"there is no page {line}")
            found += [page for page in pages if page != here and page not in found]
        toctree["includefiles"] = found
        toctree["entries"] = [(None, page) for page in found]


def first_sentence(doctree):
    """Return the first sentence of a page, as text and code."""
    within = (nodes.section, addnodes.desc_content)
    paragraph = next((node for node in doctree.findall(nodes.paragraph) if isinstance(node.parent, within)), None)
    sentence = []
    for node in paragraph.children if paragraph else ():
        if isinstance(node, nodes.literal | nodes.math):
            sentence.append(deepcopy(node))
            continue
        text = node.astext().replace("\n", " ")
        end = END.search(text) if isinstance(node, nodes.Text) else None
        sentence.append(nodes.Text(text[: end.start()] + "." if end else text))
        if end:
            break
    return sentence


def list_pages(app, doctree, docname):
    """Put the list in its place."""
    for place in doctree.findall(PageList):
        items = nodes.definition_list(classes=["pages"])
        for page in place["pages"]:
            link = nodes.reference("", "", internal=True, refuri=app.builder.get_relative_uri(docname, page))
            link += deepcopy(app.env.titles[page]).children
            said = nodes.paragraph("", "", *first_sentence(app.env.get_doctree(page)))
            items += nodes.definition_list_item("", nodes.term("", "", link), nodes.definition("", said))
        place.replace_self(items if items.children else [])


def setup(app):
    """Add the directive."""
    app.add_node(PageList)
    app.add_directive("pages", Pages)
    app.connect("doctree-resolved", list_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
