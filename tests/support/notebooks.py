"""Notebooks of examples/: run their cells, and renew their outputs.

Tests run the cells in their own process, which needs no Jupyter, and compare what is shown as text with the outputs in the
notebook. To renew the outputs, in a real kernel (``pip install nbclient ipykernel``)::

    .venv/bin/python tests/support/notebooks.py examples/*.ipynb
"""

import ast
import io
import json
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path

LARGEST_OUTPUT = 100_000
"""Characters of an output that a notebook keeps; a whole report is beyond."""

ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def cells(path):
    """Yield the code of each cell, and its outputs."""
    for cell in json.loads(Path(path).read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            yield "".join(cell["source"]), cell["outputs"]


def run(code, names):
    """Run the code of a cell among these names; return what it prints, and the value of its last line, if that is one."""
    tree, printed, value = ast.parse(code), io.StringIO(), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)  # noqa: S102
        if last is not None and not code.rstrip().endswith(";"):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
    return printed.getvalue(), value


def texts_of(outputs):
    """Return what a notebook shows below a cell: what was printed, and the text of the last value, or None."""
    printed = "".join("".join(output["text"]) for output in outputs if output["output_type"] == "stream")
    shown = [output["data"]["text/plain"] for output in outputs if output["output_type"] == "execute_result"]
    return printed, ADDRESS.sub("", "".join(shown[0])) if shown else None


def renew(path):
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": "."}}).execute()
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for cell in notebook.cells:
        cell.metadata = {}
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            for kind in [kind for kind, content in data.items() if len(content) > LARGEST_OUTPUT]:
                del data[kind]
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for one in sys.argv[1:]:
        renew(one)
