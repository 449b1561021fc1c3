"""Reference pages for every public room of `tonmf`, from ``__all__`` and the docstrings."""

import inspect
import re
from importlib import import_module
from pathlib import Path

from written import heading, write_pages

import tonmf

ALL = re.compile(r"^__all__ = ", flags=re.MULTILINE)


def public_modules():
    """Return the modules that name what is public, those last that only repeat names of `tonmf`."""
    root = Path(tonmf.__file__).parent
    files = sorted(
        [*root.glob("*.py"), *root.glob("*/__init__.py")], key=lambda path: (path != root / "__init__.py", path)
    )
    for path in files:
        if ALL.search(path.read_text(encoding="utf-8")):
            parts = path.relative_to(root).with_suffix("").parts
            module = import_module(".".join(["tonmf", *(part for part in parts if part != "__init__")]))
            if module is tonmf or not set(module.__all__) <= set(tonmf.__all__):
                yield module


def is_estimator(value):
    """Return whether a class has enough to say for a page of its own."""
    return inspect.isclass(value) and hasattr(value, "fit")


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
    """Return the page of a module: what it is for, its estimators, and everything else in full."""
    name = module.__name__
    text = heading(name, "=") + f".. automodule:: {name}\n   :no-members:\n\n"
    for each in filter(lambda each: is_estimator(getattr(module, each)), module.__all__):
        text += f":py:class:`~{name}.{each}`\n    {summary(getattr(module, each))}\n\n"
    return text + "\n".join(entry(module, each) for each in module.__all__ if not is_estimator(getattr(module, each)))


def write_reference(app):
    """Write the pages before Sphinx looks for them."""
    modules, estimators = {}, {}
    for module in public_modules():
        modules[module.__name__] = page_of(module)
        for name in filter(lambda name: is_estimator(getattr(module, name)), module.__all__):
            path = f"{module.__name__}.{name}".removeprefix("tonmf.")
            estimators[path] = heading(path, "=") + entry(module, name)
    write_pages(Path(app.srcdir) / "reference" / "modules", modules)
    write_pages(Path(app.srcdir) / "reference" / "estimators", estimators)


def is_inherited(app, what, name, value, skip, options):
    """Skip what classes have from elsewhere, such as scikit-learn: it is described there."""
    value = getattr(value, "fget", getattr(value, "__func__", value))
    home = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    elsewhere = what == "class" and callable(value) and not home.startswith("tonmf")
    return True if elsewhere or re.fullmatch(r"set_\w+_request", name) else None


def setup(app):
    """Write the pages once the settings are known."""
    app.connect("builder-inited", write_reference)
    app.connect("autodoc-skip-member", is_inherited)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
