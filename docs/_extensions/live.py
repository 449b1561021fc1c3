"""What the site takes from tonmf at work: reports to open, and what a server says of itself."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from docutils import nodes
from http_reference import pages_of
from sphinx.util.docutils import SphinxRole
from written import write_pages

import tonmf
from benchmarks.gallery import write_report

TONMF = [sys.executable, "-m", "tonmf"]
DEMO = "demo"
EXHIBITS = ("code", "logs")
"""Pages of the gallery whose texts may be published, and are here without a download."""


class LiveReport(SphinxRole):
    """The role ``live-report``: a link to the report of the demo, or with ``<logs>`` behind its text, to that of an exhibit."""

    def run(self):
        """Return the link."""
        text, name = re.fullmatch(r"(.*?)(?: <(\w+)>)?", self.text).groups(DEMO)
        if name not in (DEMO, *EXHIBITS):
            raise ValueError(f"There is no report of {name!r} to open, only of {DEMO}, {', '.join(EXHIBITS)}.")
        up = "../" * self.env.docname.count("/")
        return [nodes.reference("", text, refuri=f"{up}{name}-report.html")], []


def write_reports(app, error):
    """Write the reports beside the pages, by the commands that the pages show."""
    if error or app.builder.format != "html":
        return
    command = [*TONMF, "demo", "--top", "0", "--report", str(Path(app.outdir, f"{DEMO}-report.html"))]
    subprocess.run(command, check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in EXHIBITS:
            shutil.copy(write_report(name, Path(folder)), Path(app.outdir, f"{name}-report.html"))


def description():
    """Return the OpenAPI document of a server of a model of the demo's posts."""
    with tempfile.TemporaryDirectory() as folder:

        def run(*words):
            subprocess.run([*TONMF, *words], cwd=folder, check=True, capture_output=True)

        run("generate", "noticeboard", "--output", "posts.csv")
        run("detect", "posts.csv", "--save", "model", "--quiet")
        command = [*TONMF, "serve", "model", "--port", "0", "--jobs-folder", "jobs"]
        with subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server:
            address = re.search(r"http://\S+", server.stdout.readline())[0]
            with urllib.request.urlopen(f"{address}/openapi.json") as answer:  # noqa: S310 (our own server)
                described = json.load(answer)
            server.terminate()
    return described


def write_reference(app):
    """Write the pages on HTTP, unless no file of the server has changed since."""
    folder = Path(app.srcdir) / "reference" / "http"
    sources = [*(Path(tonmf.__file__).parent / "service").glob("*.py"), *Path(__file__).parent.glob("*.py")]
    newest = max(path.stat().st_mtime for path in sources)
    if min((path.stat().st_mtime for path in folder.glob("*.rst")), default=0) < newest:
        write_pages(folder, pages_of(description()))
        for path in folder.glob("*.rst"):
            path.touch()


def setup(app):
    """Add the role, write the pages at the beginning, and the reports at the end."""
    app.add_role("live-report", LiveReport())
    app.connect("builder-inited", write_reference)
    app.connect("build-finished", write_reports)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
