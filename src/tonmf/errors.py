"""Everything tonmf raises on purpose, and messages that name parameters.

::

    TonmfError
    ├── InputError         (also ValueError)   the data cannot be used as it is
    ├── ParameterError     (also ValueError)   a parameter has a value that makes no sense
    ├── ClusterError       (also RuntimeError) a cluster is gone, or short of workers, memory or disk
    ├── DeviceError        (also RuntimeError) a GPU is missing, too old, or out of memory
    └── MissingExtraError  (also ImportError)  an optional dependency is needed and not installed

Each message says what was expected, what came, and what to do. A model used before ``fit`` raises
scikit-learn's own ``NotFittedError``, as pipelines expect.

A message is made of parts. Text is the same for every reader; a `Param` names a parameter, which is ``min_df`` in Python,
``--min-df`` on the command line and a field of a request over HTTP; `InPython` is text that only Python users need; `Quoted` is
what another program said, which may repeat a document. ``str()`` of a message or an error is what Python users see. A front end
calls `worded` with its own names. Only parameters are ever reworded: values that came from the user are text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self

__all__ = [
    "ClusterError",
    "DeviceError",
    "InPython",
    "InputError",
    "Message",
    "MissingExtraError",
    "Param",
    "ParameterError",
    "Quoted",
    "TonmfError",
    "sentences",
    "unquoted",
    "worded",
]


@dataclass(frozen=True)
class Param:
    """The name of a parameter in a message, with the value to give it if there is one.

    >>> str(Param("min_df")), str(Param("encoding", "latin-1"))
    ('min_df', "encoding='latin-1'")
    """

    name: str
    value: Any = None

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value!r}"


@dataclass(frozen=True)
class InPython:
    """Text for Python users, such as ", or None for all cores", and what everyone else reads in its place."""

    text: str
    elsewhere: str = ""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Quoted:
    """The words of another program, such as an answer of a server: to be shown, and left out of logs."""

    text: str

    def __str__(self) -> str:
        return self.text


Part = str | Param | InPython | Quoted


class Message(str):
    """A message in Python's terms that keeps its parts, so that a front end can name parameters in its own.

    String operations and f-strings give plain strings, which no front end rewords. To put a message into another, pass it as
    a part.

    >>> message = Message("Lower ", Param("min_df"), ", or rename the column 'min_df'.")
    >>> print(message)
    Lower min_df, or rename the column 'min_df'.
    >>> worded(message, lambda param: "--min-df")
    "Lower --min-df, or rename the column 'min_df'."
    """

    parts: tuple[Part, ...]

    def __new__(cls, *parts: Part) -> Self:
        """Join parts; the parts of a `Message` among them stay apart."""
        message = super().__new__(cls, "".join(map(str, parts)))
        message.parts = tuple(
            inner for part in parts for inner in (part.parts if isinstance(part, Message) else (part,))
        )
        return message


def sentences(messages: Iterable[str]) -> Message:
    """Join sentences by spaces, keeping their parts."""
    spaced = [part for message in messages for part in (" ", message)]
    return Message(*spaced[1:])


def worded(message: str, name: Callable[[Param], str]) -> str:
    """Word a message for a front end: each parameter as `name` gives it, nothing that is for Python users only.

    Plain text stays as it is.
    """
    parts = message.parts if isinstance(message, Message) else (message,)
    return "".join(
        name(part) if isinstance(part, Param) else part.elsewhere if isinstance(part, InPython) else str(part)
        for part in parts
    )


def unquoted(message: Message) -> str:
    """Return a message with an ellipsis for each quotation.

    >>> unquoted(Message("The model answers 400: ", Quoted("cannot embed 'my diary'"), "."))
    'The model answers 400: ….'
    """
    return "".join("…" if isinstance(part, Quoted) else str(part) for part in message.parts)


class TonmfError(Exception):
    """Base of all errors that tonmf raises on purpose.

    Parameters
    ----------
    *parts : str, Param, InPython or Quoted
        The message, in parts.
    """

    def __init__(self, *parts: Part) -> None:
        super().__init__(Message(*parts))

    @property
    def message(self) -> Message:
        """Return the message, which keeps its parts."""
        message: Message = self.args[0]
        return message


class InputError(TonmfError, ValueError):
    """The data given to an estimator cannot be used as it is."""


class ParameterError(TonmfError, ValueError):
    """A parameter has a value that makes no sense."""


class ClusterError(TonmfError, RuntimeError):
    """A cluster cannot do the work that it was given."""


class DeviceError(TonmfError, RuntimeError):
    """A GPU is missing, too old, or out of memory."""


class MissingExtraError(TonmfError, ImportError):
    """An optional dependency is needed and not installed."""
