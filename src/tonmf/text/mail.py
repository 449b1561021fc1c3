"""The headers of mails and newsgroup posts: recognise them, and blank them out without moving what is left.

`without_headers` returns a text of the same length, so that a position in it is a position in the document. Addresses, dates,
servers and ids become spaces: they differ from mail to mail, and say nothing about the subject. What people wrote stays: the
subject, keywords, summary, comments and organization, without these names, and every line whose name is not known from mails.

A text has headers if it begins with lines such as "Name: value", which may go on in indented lines, up to an empty line; if at
least two of the names are known from mails; and if one of these is From, or a name that only programs write. A text that
begins with "Note: buy milk" is left alone, and so is a form with a date and a subject.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import a2b_qp
from functools import lru_cache

from tonmf.text.markup import PAD

KEPT = frozenset(("comments", "keywords", "organisation", "organization", "subject", "summary"))
"""Headers whose value is text."""

PROGRAMS = frozenset((
    "delivered-to", "in-reply-to", "message-id", "mime-version", "newsgroups", "path", "received", "references",
    "return-path", "xref",
))  # fmt: skip
"""Headers that programs write, and that no form or list would have."""

PEOPLE = frozenset((
    "apparently-to", "approved", "article-i.d", "article-i.d.", "bcc", "cancel-lock", "cc", "control", "date",
    "date-received", "disclaimer", "disposition-notification-to", "distribution", "envelope-to", "errors-to", "expires",
    "followup-to", "from", "importance", "injection-date", "injection-info", "lines", "mail-followup-to",
    "news-software", "originator", "posted-date", "precedence", "priority", "reply-to",
    "return-receipt-to", "sender", "sensitivity", "status", "supersedes", "thread-index", "thread-topic", "to",
    "user-agent",
))  # fmt: skip
"""Other headers that tell who wrote what to whom, when and where."""

FAMILIES = (
    "arc-", "authentication-", "auto-", "content-", "dkim-", "list-", "nntp-", "original-", "received-", "resent-", "x-",
)  # fmt: skip
"""How the names of many more headers begin."""

NAMES_REMEMBERED = 1000
"""The most names that are cached with whether they are known."""

BREAK = r"(?:\r\n?|\n)"
BEFORE = re.compile(rf"\s*+(?:>?From [^\r\n]*+{BREAK})?")
"""Empty lines, and the line that begins a mail in a file of many."""

FIELD = re.compile(rf"([!-9;-~]{{1,76}}+):([^\r\n]*+(?:{BREAK}[ \t]++[^\r\n][^\r\n]*+)*+{BREAK})")
"""A header with its name and its value, which may go on in indented lines, up to the end of the last one."""

FIELDS = re.compile(rf"{BEFORE.pattern}((?:{FIELD.pattern})*+)[ \t]*+{BREAK}")
"""All headers of a text, up to the empty line after them."""

ENCODED = r"=\?([A-Za-z0-9_-]{1,40})(?:\*[A-Za-z-]{1,20})?\?([bBqQ])\?([!->@-~]{0,200})\?="
ENCODED_WORDS = re.compile(rf"{ENCODED}(\s*+(?==\?))?")
"""Words that are not ASCII, as headers write them; spaces between two of them do not count."""


def without_headers(text: str) -> str:
    """Return a text of the same length with its mail headers blanked out, but for what people wrote.

    >>> without_headers("From: Ann <a@b.org>\\nSubject: Bees\\n\\nThey swarm.")
    '                   \\n         Bees\\n\\nThey swarm.'
    """
    block = FIELDS.match(text)
    if block is None or not block[1]:
        return text
    fields = [(name.lower(), value) for name, value in FIELD.findall(block[1])]
    if not _are_of_mail({name for name, _ in fields}):
        return text
    parts, done, end = list[str](), 0, block.start(1)
    for name, value in fields:
        start, end = end, end + len(name) + 1 + len(value)
        if name in KEPT:
            parts += [_blank(text[done : end - len(value)]), _decoded(value)]
        elif not _is_known(name):
            parts += [_blank(text[done:start]), text[start:end]]
        else:
            continue
        done = end
    return "".join([*parts, _blank(text[done:end]), text[end:]])


def _are_of_mail(names: set[str]) -> bool:
    return sum(map(_is_known, names)) >= 2 and ("from" in names or not names.isdisjoint(PROGRAMS))


@lru_cache(NAMES_REMEMBERED)
def _is_known(name: str) -> bool:
    return name in KEPT or name in PROGRAMS or name in PEOPLE or name.startswith(FAMILIES)


class _Blanks(dict[int, int]):
    """Every character as a space, but for line breaks."""

    def __missing__(self, code: int) -> int:
        return ord(" ")


BLANKS = _Blanks({code: code if chr(code) in "\r\n" else ord(" ") for code in range(128)})  # those of most headers


def _blank(text: str) -> str:
    return text.translate(BLANKS)


def _decoded(value: str) -> str:
    return ENCODED_WORDS.sub(_characters, value) if "=?" in value else value


def _characters(found: re.Match[str]) -> str:
    """Return the characters of an encoded word, filled up with `PAD`; the word itself if it is damaged."""
    charset, encoding, content, space = found.groups()
    coded = content.encode("ascii")
    try:
        read = b64decode(coded + b"==") if encoding in "bB" else a2b_qp(coded, header=True)
        characters = read.decode(charset)
    except (ValueError, LookupError):
        return found[0]
    fits = len(characters) <= len(found[0]) - len(space or "")
    return " ".join(characters.split()).ljust(len(found[0]), PAD) if fits else found[0]
