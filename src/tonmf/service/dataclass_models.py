"""Models of answers for OpenAPI, made from the dataclasses that the answers are made from."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import is_dataclass
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model


class Answer(BaseModel):
    """What all answers have in common: no keys but those that are listed."""

    model_config = ConfigDict(extra="forbid")


def model_of(kind: type, properties: Iterable[str] = (), **more: Any) -> type[Answer]:
    """Return the model of a dataclass: its fields and some of its properties, with the descriptions of its docstring.

    Dataclasses inside it become models too. `more` are fields of the answer alone, as `pydantic.create_model` takes them.
    """
    types, descriptions = get_type_hints(kind), _field_descriptions(kind)
    for name in properties:
        getter = getattr(kind, name).fget
        types[name], descriptions[name] = get_type_hints(getter)["return"], _returned(getter)
    fields: dict[str, Any] = {
        name: (_with_models(type_), Field(description=descriptions.get(name))) for name, type_ in types.items()
    }
    return create_model(kind.__name__, __base__=Answer, __doc__=_summary(kind), **fields, **more)


def _with_models(type_: Any) -> Any:
    """Return the type with models in place of dataclasses."""
    if isinstance(type_, type) and is_dataclass(type_):
        return _inner_model(type_)
    return list[_with_models(get_args(type_)[0])] if get_origin(type_) is list else type_  # type: ignore[misc]


@cache
def _inner_model(kind: type) -> type[Answer]:
    """Return the model of a dataclass; one for all, since OpenAPI names models."""
    return model_of(kind)


def _summary(described: Any) -> str:
    """Return the first paragraph of a docstring."""
    return " ".join((inspect.getdoc(described) or "").split("\n\n")[0].split())


def _returned(getter: Any) -> str:
    """Return what a getter returns: its docstring without the verb."""
    what = _summary(getter).removeprefix("Return ")
    return what[:1].upper() + what[1:]


def _field_descriptions(kind: type) -> dict[str, str]:
    """Return the descriptions of fields from the section "Attributes" of a numpydoc docstring."""
    descriptions: dict[str, str] = {}
    names: list[str] = []
    for line in (inspect.getdoc(kind) or "").partition("Attributes\n----------\n")[2].splitlines():
        if line.startswith(" "):
            descriptions |= {name: f"{descriptions.get(name, '')} {line.strip()}".strip() for name in names}
        else:
            names = line.partition(" : ")[0].split(", ")
    return descriptions
