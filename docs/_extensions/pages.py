"""The directive ``pages``: the pages of a section with a sentence on each, in the navigation and in the page itself.

Each line is a page or a pattern for the rest, relative to this page. It may have a title for the navigation and a sentence,
where those of the page will not do: ``Marks <marks>: Mark documents as strange or fine.`` A pattern need not fit a page, since
sections grow.
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


LINE = re.compile(r"(?:(?P<title>[^<]+) <(?P<named>[^>]+)>|(?P<page>[^\s:]+))(?:: (?P<said>.*))?")


class PageList(nodes.General, nodes.Element):
    """Where the list of pages comes: ``pages`` has their names, titles and sentences, None where the page has its own."""


class Pages(TocTree):
    """A hidden toctree, and, unless they are ``:unlisted:``, a list of its pages."""

    option_spec = TocTree.option_spec | {"unlisted": directives.flag}

    def run(self):
        """Return both."""
        self.options |= {"glob": None, "hidden": None, "titlesonly": None}
        self.pages = []
        (wrapper,) = super().run()
        return [wrapper] if "unlisted" in self.options else [wrapper, PageList(pages=self.pages)]

    def parse_content(self, toctree):
        """Find the pages of each line that no line before has named."""
        here, found = self.env.docname, {}
        for line in filter(None, self.content):
            parts = LINE.fullmatch(line)
            if not parts:
                raise self.error(f"no page, pattern, or title <page>: {line}")
            name = parts["named"] or parts["page"]
            names = sorted(patfilter(self.env.found_docs, docname_join(here, name)))
            if not names and "*" not in name:
                raise self.error(f"there is no page {name}")
            said = self.parse_inline(parts["said"])[0] if parts["said"] else None
            found |= {page: (parts["title"], said) for page in names if page != here and page not in found}
        self.pages = [(page, *rest) for page, rest in found.items()]
        toctree["includefiles"] = [*found]
        toctree["entries"] = [(title, page) for page, (title, _) in found.items()]


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
        for page, title, sentence in place["pages"]:
            link = nodes.reference("", "", internal=True, refuri=app.builder.get_relative_uri(docname, page))
            link += nodes.Text(title) if title else deepcopy(app.env.titles[page]).children
            said = nodes.paragraph("", "", *(sentence or first_sentence(app.env.get_doctree(page))))
            items += nodes.definition_list_item("", nodes.term("", "", link), nodes.definition("", said))
        place.replace_self(items if items.children else [])


def setup(app):
    """Add the directive."""
    app.add_node(PageList)
    app.add_directive("pages", Pages)
    app.connect("doctree-resolved", list_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
