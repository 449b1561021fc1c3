"""Reference pages for every public room of `tonmf`, from ``__all__`` and the docstrings."""

import inspect
import re
from importlib import import_module
from pathlib import Path

from written import heading, write_pages

import tonmf

ALL = re.compile(r"^__all__ = ", flags=re.MULTILINE)

SEAMS = {
    "analyze",
    "count_terms",
    "effects_of_other_marks",
    "encoder",
    "follow",
    "forget_training_rows",
    "from_bundle",
    "from_state",
    "in_words",
    "keeping_topics",
    "learn_from",
    "mark_rule",
    "n_readers_",
    "pieces",
    "read",
    "read_words",
    "score_with_p_value",
    "scores_of",
    "training_embeddings",
    "unit_rows",
}
"""Methods of estimators by which rooms of `tonmf` use them, and which may change."""


def public_modules():
    """Yield the modules that name what is public, but for `errors`, and for those that only repeat names of `tonmf`."""
    root = Path(tonmf.__file__).parent
    for path in sorted([*root.glob("*.py"), *root.glob("*/__init__.py")]):
        if ALL.search(path.read_text(encoding="utf-8")) and path.name != "errors.py":
            parts = path.relative_to(root).with_suffix("").parts
            module = import_module(".".join(["tonmf", *(part for part in parts if part != "__init__")]))
            if module is tonmf or any(
                getattr(module, name) is not getattr(tonmf, name, None) for name in module.__all__
            ):
                yield module


def estimators_of(module):
    """Return the names of classes that have so much to say that each has a page of its own."""
    return [
        name
        for name in module.__all__
        if inspect.isclass(getattr(module, name)) and hasattr(getattr(module, name), "fit")
    ]


def entry(module, name):
    """Return the directive that documents a name."""
    value = getattr(module, name)
    if inspect.isclass(value):
        options = "" if issubclass(value, Exception) else "   :members:\n   :inherited-members: object,tuple\n"
        return f".. autoclass:: {module.__name__}.{name}\n{options}"
    if inspect.isroutine(value):
        return f".. autofunction:: {module.__name__}.{name}\n"
    return f".. autodata:: {module.__name__}.{name}\n   :no-value:\n"


def summary(value):
    """Return the first line of a docstring."""
    return (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")


def page_of(module):
    """Return the page of a module: what it is for, links to its estimators, and everything else in full."""
    name, estimators = module.__name__, estimators_of(module)
    text = heading(name, "=") + f".. automodule:: {name}\n   :no-members:\n\n"
    for each in estimators:
        text += f":py:class:`~{name}.{each}`\n    {summary(getattr(module, each))}\n\n"
    return text + "\n".join(entry(module, each) for each in module.__all__ if each not in estimators)


def write_reference(app):
    """Write the pages before Sphinx looks for them."""
    modules, estimators = {}, {}
    for module in public_modules():
        modules[module.__name__] = page_of(module)
        for name in estimators_of(module):
            path = f"{module.__name__}.{name}".removeprefix("tonmf.")
            estimators[path] = heading(path, "=") + entry(module, name)
    write_pages(Path(app.srcdir) / "reference" / "modules", modules)
    write_pages(Path(app.srcdir) / "reference" / "estimators", estimators)


def is_not_ours(app, what, name, value, skip, options):
    """Skip what classes have from elsewhere, such as scikit-learn, which describes it, and what is not for users."""
    value = getattr(value, "fget", getattr(value, "__func__", value))
    home = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    elsewhere = what == "class" and callable(value) and not home.startswith("tonmf")
    return True if elsewhere or name in SEAMS or re.fullmatch(r"set_\w+_request", name) else None


def link_pages(app, what, name, value, options, lines):
    """Turn names of pages in docstrings into links."""
    lines[:] = [re.sub(r"\bdocs/([\w/-]+)\.md\b", r":doc:`/\1`", line) for line in lines]


def setup(app):
    """Write the pages once the settings are known."""
    app.connect("builder-inited", write_reference)
    app.connect("autodoc-skip-member", is_not_ours)
    app.connect("autodoc-process-docstring", link_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
