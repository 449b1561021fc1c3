"""The role ``live-report``: a link to the report of the demo, which is written while the site is built."""

import subprocess
import sys
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxRole

NAME = "demo-report.html"


class LiveReport(SphinxRole):
    """A link with the text of the role."""

    def run(self):
        """Return the link."""
        up = "../" * self.env.docname.count("/")
        return [nodes.reference("", self.text, refuri=up + NAME)], []


def write_report(app, error):
    """Write the report beside the pages, by the command that the pages show."""
    if not error and app.builder.format == "html":
        command = [sys.executable, "-m", "tonmf", "demo", "--top", "0", "--report", str(Path(app.outdir, NAME))]
        subprocess.run(command, check=True, capture_output=True)


def setup(app):
    """Add the role, and write the report at the end."""
    app.add_role("live-report", LiveReport())
    app.connect("build-finished", write_report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
