"""HTML in texts: recognise it, and blank it out without moving what is left.

`without_markup` returns a text of the same length, so that a position in it is a position in the document. Tags, comments,
scripts and styles become spaces; a tag that begins a new line on the screen becomes a line break and spaces. An entity becomes
its character, followed by as many `PAD` as it was longer. `readable` drops these, so that "M&uuml;nchen" is one word.

A text is HTML if it has a doctype or a tag that only whole pages have, or several tags that belong to HTML. "a < b", a lone
<foo> and the address <me@example.org> are left alone. Entities such as &amp; are replaced in any text: in plain text they are
what an export from HTML left over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from html.entities import html5

PAD = "\ufdd0"
"""Fills up the place of an entity. Unicode has set this character aside for use within programs."""

PAGE = ("html", "head", "body")
BLOCKS = (
    "address", "article", "aside", "blockquote", "br", "caption", "center", "dd", "details", "dialog", "dir", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5",
    "h6", "header", "hr", "legend", "li", "link", "main", "menu", "meta", "nav", "noframes", "ol", "optgroup", "option",
    "p", "pre", "script", "search", "section", "select", "style", "summary", "table", "tbody", "td", "tfoot", "th",
    "thead", "title", "tr", "ul",
)  # fmt: skip
WITHIN_WORDS = ("b", "big", "em", "font", "i", "mark", "s", "small", "strike", "strong", "tt", "u", "wbr")
OTHERS = (
    "a", "abbr", "acronym", "area", "audio", "base", "basefont", "bdi", "bdo", "button", "canvas", "cite", "code", "col",
    "colgroup", "data", "datalist", "del", "dfn", "embed", "iframe", "img", "input", "ins", "kbd", "label", "map", "meter",
    "noscript", "object", "output", "param", "picture", "progress", "q", "rp", "rt", "ruby", "samp", "slot", "source", "span",
    "sub", "sup", "svg", "template", "textarea", "time", "track", "var", "video",
)  # fmt: skip
"""Tags: of whole pages; those that begin a line; those that may stand in the middle of a word; and all others of HTML."""

UNSEEN = ("script", "style", "noscript", "template")
"""Tags whose content is not for readers."""

NEW_LINE = frozenset((*PAGE, *BLOCKS))


def _any(names: tuple[str, ...]) -> str:
    return "|".join(names)


PAGE_TAG = re.compile(rf"<(?:!doctype\s+html|(?:{_any(PAGE)})(?=[\s/>]))", re.IGNORECASE)
BLOCK_TAG = re.compile(rf"<(?:{_any(BLOCKS)})(?=[\s/>])", re.IGNORECASE)
CLOSING_TAG = re.compile(rf"</({_any((*BLOCKS, *WITHIN_WORDS, *OTHERS))})\s*>", re.IGNORECASE)
TAG = re.compile(
    r"""<(?:
        (?P<comment>!--)
      | [!?][^<>]*>                                                   # a doctype, or an instruction of XML
      | /?(?P<name>[a-z][a-z0-9:_-]*+)(?=[\s/>])
        (?: (?:[^<>"']|"[^"<]*+"|'[^'<]*+')*+> | [^<>]*+> )           # a closed quote may hold ">"
    )""",
    re.IGNORECASE | re.VERBOSE,
)
ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
END = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in UNSEEN}


def is_html(text: str) -> bool:
    """Return whether a text is HTML: a page, or a part of one that has several tags.

    >>> is_html("<p>One<p>Two"), is_html("<b>One</b>"), is_html("if a < b, write <foo> to <me@example.org>")
    (True, True, False)
    """
    if "<" not in text:
        return False
    if PAGE_TAG.search(text):
        return True
    blocks = BLOCK_TAG.finditer(text)
    if next(blocks, None) and next(blocks, None):
        return True
    closing = CLOSING_TAG.search(text)
    return closing is not None and re.search(rf"<{closing[1]}[\s>]", text[: closing.start()], re.IGNORECASE) is not None


def without_markup(text: str) -> str:
    """Return a text of the same length with HTML blanked out, and entities as characters followed by `PAD`.

    >>> without_markup("<p>One &amp; <b>t</b>wo</p>").replace(PAD, "_")
    '\\n  One &____ ___t____wo\\n   '
    """
    if "<" in text and is_html(text):
        return "".join(_blanked(text))
    return _with_characters(text)


def readable(text: str) -> str:
    """Return a text without markup, and without `PAD`: what a reader of the page sees.

    >>> readable("M&uuml;nchen &lt;3")
    'München <3'
    """
    if "<" not in text and "&" not in text:
        return text
    return without_markup(text).replace(PAD, "")


def places_without_pads(text: str) -> list[int]:
    """Return where each character of a text without `PAD` is in the text, and the length of the text.

    >>> places_without_pads("ü" + PAD + "b")
    [0, 2, 3]
    """
    return [*(place for place, letter in enumerate(text) if letter != PAD), len(text)]


def tidy(text: str) -> str:
    """Return a text without markup as one would show it: no `PAD`, single spaces, at most one empty line.

    >>> tidy("\\n   One  line\\n     \\n   \\n two" + PAD)
    '\\nOne line\\n\\ntwo'
    """
    if PAD in text:
        text = text.replace(PAD, "")
    if "\n" not in text:
        return _single_spaces(text) if "  " in text else text
    first, *lines, last = text.split("\n")
    lines = [first.rstrip(" "), *[line.strip(" ") for line in lines], last.lstrip(" ")]
    text = "\n".join([_single_spaces(line) if "  " in line else line for line in lines])
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text


def _single_spaces(line: str) -> str:
    first, *words, last = line.split(" ")
    return " ".join([first, *filter(None, words), last])


def _with_characters(text: str) -> str:
    return ENTITY.sub(_character, text) if "&" in text else text


def _character(found: re.Match[str]) -> str:
    entity = found[0]
    if entity[1] != "#" and entity[1:] not in html5:
        return entity
    character = unescape(entity).replace("\xa0", " ").replace("\xad", "")
    return character.ljust(len(entity), PAD)


def _blanked(text: str) -> Iterator[str]:
    """Yield the parts of an HTML text, each as long as before. Every part of the text is looked at a fixed number of times."""
    done, comments_end = 0, True
    while tag := TAG.search(text, done):
        yield _with_characters(text[done : tag.start()])
        done = tag.end()
        name = (tag["name"] or "").lower()
        if tag["comment"] and comments_end:
            end = text.find("-->", done)
            comments_end = end >= 0  # if it is not there, it is not there for the next comment either
            done = end + 3 if comments_end else done
        elif name in END and not tag[0].startswith("</"):
            closing = END[name].search(text, done)
            done = closing.start() if closing else len(text)
        yield _blank(name, done - tag.start())
    yield _with_characters(text[done:])


def _blank(name: str, length: int) -> str:
    if name in NEW_LINE:
        return "\n".ljust(length)
    return (PAD if name in WITHIN_WORDS else " ") * length
