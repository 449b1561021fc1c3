"""Build HTML in which every text is escaped, whatever is in it, and put it on a card."""

from __future__ import annotations

import html
import re
from typing import Any

from tonmf.report.web import assets

LONGEST_NAME = 80
"""Characters of a name or a word that are shown."""

SHEETS = ("shared/colours.css", "shared/tables.css", "shared/document.css", "notebook/card.css")

_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Control characters, and what UTF-8 or HTML does not know."""


class Markup(str):
    """Text that is HTML already; any other text is escaped."""

    __slots__ = ()


def escaped(content: Any) -> Markup:
    """Return content as HTML: markup as it is, lists of content joined, None as nothing, anything else as text.

    >>> escaped(["<b>", None, Markup("<hr>")])
    '&lt;b&gt;<hr>'
    """
    if content is None:
        return Markup()
    if isinstance(content, Markup):
        return content
    if isinstance(content, list | tuple):
        return Markup("".join(map(escaped, content)))
    return Markup(html.escape(_UNPRINTABLE.sub("\ufffd", str(content))))


def element(name: str, *content: Any, of: str = "", **attributes: Any) -> Markup:
    """Return an element with content; `of` is its class, and attributes that are None are left out.

    >>> element("td", "1 < 2", of="number", colspan=2)
    '<td class="number" colspan="2">1 &lt; 2</td>'
    """
    given = {"class": of or None, **attributes}
    written = "".join(f' {key}="{escaped(value)}"' for key, value in given.items() if value is not None)
    return Markup(f"<{name}{written}>{escaped(content)}</{name}>")


def own(text: Any, longest: int = LONGEST_NAME) -> Markup:
    """Return a user's words, which keep their direction of writing to themselves, cut if they are long.

    >>> own("word")
    '<bdi>word</bdi>'
    """
    words = str(text)
    return element("bdi", words if len(words) <= longest else words[: longest - 1] + "…")


def heading(title: Any, *facts: Any) -> Markup:
    """Return the first line of a card."""
    return element(
        "p", element("strong", title), *([" ", element("span", facts, of="caption")] if facts else []), of="title"
    )


def card(*content: Any) -> str:
    """Return what a notebook shows, with its styles, which apply to nothing else.

    Notebooks typeset what is between dollar signs, unless they are told not to.
    """
    style = Markup(assets.within(".tonmf.tonmf", SHEETS))
    return str(element("div", element("style", style), content, of="tonmf tex2jax_ignore mathjax_ignore"))
