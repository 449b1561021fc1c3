"""The example notebooks show below each cell what they say they show. The scripts are in test_other_domains."""

from contextlib import chdir

import matplotlib as mpl
import pytest
from notebooks import cells, run, texts_of
from repository import ROOT

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_shows_what_it_says(notebook, tmp_path):
    names, known = {}, list(cells(notebook))
    assert known
    with chdir(tmp_path), mpl.rc_context():
        for code, outputs in known:
            printed, value = run(code, names)
            kept, text = texts_of(outputs)
            assert printed == kept, code
            assert (value is None) == (text is None), code
            if value is not None and not isinstance(value, mpl.axes.Axes):
                assert repr(value) == text, code
            for kind in ("_repr_html_", "_repr_png_"):
                if hasattr(value, kind) and not isinstance(value, type):
                    assert getattr(value, kind)(), code


def test_notebooks_hold_no_traces_of_the_machine_that_they_ran_on():
    for notebook in NOTEBOOKS:
        text = notebook.read_text(encoding="utf-8")
        assert "/home/" not in text
        assert str(ROOT) not in text
        assert '"execution": {' not in text
        assert len(text) < 500_000
