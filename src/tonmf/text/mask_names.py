"""The option ``mask``: the classes of words that can be masked (`tonmf.text.masks`), and how it is typed."""

from __future__ import annotations

from collections.abc import Sequence

MASKS = ("url", "email", "handle", "id", "date", "number")
"""The classes."""

ALL = "all"
"""Names all of them."""

DEFAULT_MASK: tuple[str, ...] | None = ("url", "email", "handle", "id", "date")
"""The classes that are masked unless one says otherwise."""


def classes_of(mask: Sequence[str] | str | None) -> tuple[str, ...]:
    """Return the classes that an option names, in our order: a list of them, "all", or None for none.

    >>> classes_of("all") == MASKS, classes_of(["number", "id"]), classes_of(None)
    (True, ('id', 'number'), ())
    """
    return tuple(name for name in MASKS if mask == ALL or name in (mask or ()))


def mask_of(text: str) -> tuple[str, ...] | str | None:
    """Read the option as it is typed: classes with commas between, all, or none. Names are not checked.

    >>> mask_of("url, id"), mask_of("all"), mask_of("none")
    (('url', 'id'), 'all', None)
    """
    if text == "none":
        return None
    return text if text == ALL else tuple(name.strip() for name in text.split(","))


def typed(mask: Sequence[str] | str | None) -> str:
    """Return the option as one would type it: the inverse of `mask_of`.

    >>> typed(("url", "id")), typed("all"), typed(None)
    ('url,id', 'all', 'none')
    """
    return "none" if not mask else mask if isinstance(mask, str) else ",".join(mask)
