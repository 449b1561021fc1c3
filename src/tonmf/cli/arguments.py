"""Check arguments as they were typed: missing ones, values of the wrong kind, files that are not there.

typer loads pydantic to convert arguments, which takes longer than anything else that an error of usage needs. What is wrong
with them is found here before, so that such an error comes at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from types import NoneType
from typing import Any, get_args, get_type_hints

from tonmf.cli.errors import answered
from tonmf.cli.run import CommandRun
from tonmf.wording import shown

TO_READ = "to read"
"""Annotation of an argument that holds paths of files, which must be there."""

KINDS: dict[type, str] = {int: "a whole number", float: "a number"}


def check_arguments(context: Any, given: Mapping[str, Any]) -> None:
    """Reject arguments of a context's command, given as they were typed, by the names of its parameters."""
    hints = get_type_hints(context.command.callback, include_extras=True)
    for parameter in context.command.params:
        value = given.get(parameter.name)
        if parameter.required and parameter.envvar is None and value in (None, (), []):
            context.fail(f"Missing {parameter.param_type_name} {_name(parameter)!r}.")
        if isinstance(value, str) and (expected := _expected(value, hints.get(parameter.name))):
            context.fail(f"{_name(parameter)} must be {expected}; got {shown(value)}.")
    for name, hint in hints.items():
        if TO_READ in get_args(hint):
            with answered(CommandRun(context.command.name or "", bool(given.get("as_json")))):
                _look_for(given.get(name) or ())


def _name(parameter: Any) -> str:
    longest: str = max(parameter.opts, key=len)
    return str(parameter.metavar or longest) if parameter.param_type_name == "argument" else longest


def _expected(text: str, hint: Any) -> str | None:
    """Return what would do in place of a text, or None if the text does; `hint` is a type that has typer's notes on it."""
    annotation, notes, *_ = (*get_args(hint), None, None)
    kinds = [kind for kind in get_args(annotation) or (annotation,) if kind is not NoneType]
    kind = kinds[0]
    if isinstance(kind, type) and issubclass(kind, Enum):
        choices = [str(member.value) for member in kind]
        return None if text in choices else f"one of {', '.join(choices)}"
    if kind not in KINDS:
        return None
    least, most = getattr(notes, "min", None), getattr(notes, "max", None)
    try:
        number = kind(text)
    except ValueError:
        fits = False
    else:
        fits = (least is None or number >= least) and (most is None or number <= most)
    return None if fits else KINDS[kind] + _range(least, most)


def _range(least: float | None, most: float | None) -> str:
    """Word the numbers that are allowed.

    >>> _range(0, None), _range(1, 9), _range(None, None)
    (' of at least 0', ' from 1 to 9', '')
    """
    if least is not None and most is not None:
        return f" from {least} to {most}"
    return f" of at least {least}" if least is not None else f" of at most {most}" if most is not None else ""


def _look_for(paths: Sequence[str]) -> None:
    """Raise `InputError` if one of the files is missing."""
    from tonmf.io.paths import matches

    for path in paths:
        matches(path)
