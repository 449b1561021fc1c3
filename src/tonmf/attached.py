"""Methods that rooms above add to classes below: plots, reports, and how things look in a notebook.

A detector has `plot` and `report`, and its room knows neither matplotlib nor pages. The class names what it has by `Attached`,
`tonmf/__init__` says where that is by `attach`, and it is imported on first use.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import FunctionType, MethodType
from typing import Any

_homes: dict[str, tuple[str, str]] = {}


def attach(homes: Mapping[str, tuple[str, str]]) -> None:
    """Say where attached methods are: a module and a name in it, for each."""
    _homes.update(homes)


class Attached:
    """A method or an accessor of a class, which a room above defines.

    A function becomes a method. A class becomes an accessor, made of the object: ``detector.plot.scores()``.

    >>> attach({"example": ("textwrap", "dedent")})
    >>> class Text(str):
    ...     dedent = Attached("example")
    >>> Text("  one").dedent()
    'one'
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        module, name = _homes[self.name]
        target = getattr(import_module(module), name)
        if instance is None:
            return target
        return MethodType(target, instance) if isinstance(target, FunctionType) else target(instance)
