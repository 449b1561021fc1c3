"""Links to files outside docs, such as CONTRIBUTING.md, lead to the page that includes the file, README.md to the second."""

import re
from pathlib import Path

from sphinx import addnodes
from sphinx.transforms import SphinxTransform

INCLUDE = re.compile(r"^:::\{include\} (\S+)", flags=re.MULTILINE)


def including(docs):
    """Return the name of the page for each file outside that a page includes."""
    found = {docs.parent / "README.md": "start"}
    for page in docs.glob("*/*.md"):
        for name in INCLUDE.findall(page.read_text(encoding="utf-8")):
            found[(page.parent / name).resolve()] = page.relative_to(docs).with_suffix("").as_posix()
    return found


class LinksFromOutside(SphinxTransform):
    """Turn links to included files into links to the pages that include them, before links are resolved."""

    default_priority = 5

    def apply(self):
        """Change the targets of links in one page."""
        docs = Path(self.env.srcdir)
        pages = including(docs)
        here = (docs / self.env.docname).parent
        for link in list(self.document.findall(addnodes.pending_xref)):
            if link.get("refdomain") is None and link.get("reftype") == "myst" and (here / link["reftarget"]).is_dir():
                link.replace_self(link.children)  # folders are on the forge only
                continue
            if link.get("refdomain") == "doc":
                link["reftarget"] = pages.get((docs / f"{link['reftarget']}.md").resolve(), link["reftarget"])


def setup(app):
    """Add the transform."""
    app.add_transform(LinksFromOutside)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
