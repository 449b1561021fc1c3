"""Read mails, one in a file (.eml) or many (.mbox): the subject and the text, decoded.

A document is the subject, an empty line, and the plain text; the HTML where there is no plain text. Attachments are left out.
The headers can be named as columns: ``Date`` for times, ``Message-ID`` for ids, ``X-Spam-Flag`` for labels.
"""

from __future__ import annotations

import email
from collections.abc import Iterable, Iterator
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message as Mail
from email.policy import compat32

from tonmf.io.columns import Columns
from tonmf.io.decoding import byte_lines, encoding_of, is_binary
from tonmf.io.encodings import AUTO, detected
from tonmf.io.options import ReadOptions
from tonmf.io.part import Part
from tonmf.io.streams import Opened
from tonmf.text.documents import SURROGATE, TEXTS, without_surrogates

MOST_PARTS = 1000
"""The most parts of a mail to read: no real one has more."""


def read_mbox(source: Opened, options: ReadOptions) -> Part:
    """Read the mails in a file of many."""
    part = Part(source.name, "mbox", TEXTS, source.sink)
    for number, data in enumerate(_mails_in(byte_lines(source, "utf-8")), 1):
        add_mail(part, number, data, options)
    return part


def _mails_in(file: Iterable[bytes]) -> Iterator[bytes]:
    """Cut lines before each that begins with "From " and follows an empty line; what is quoted as ">From " stays."""
    lines: list[bytes] = []
    after_blank = True
    for line in file:
        if after_blank and line.startswith(b"From ") and lines:
            yield b"".join(lines[:-1])  # without the empty line before the next
            lines = []
        if lines or line.strip():
            lines.append(line)
        after_blank = not line.strip()
    if lines:
        yield b"".join(lines[:-1] if after_blank else lines)


def add_mail(part: Part, where: int | str, data: bytes, options: ReadOptions) -> None:
    """Add the document that a mail holds; `where` is its number, or the name of its file."""
    place = f"mail {where}" if isinstance(where, int) else f"file {where}"
    if is_binary(data[:8192], AUTO):
        part.add_bad(place, "expected a mail, but it is a binary file", options.skip_bad)
        return
    try:
        mail = email.message_from_bytes(_as_ascii(data), policy=compat32)
        content = _content(mail)
    except RecursionError:
        part.add_bad(place, "its parts are nested too deeply", options.skip_bad)
        return
    named = {name.lower(): header_text(value) for name, value in reversed(mail.items())}
    given = {param: name.lower() for param, name in options.columns}
    columns = Columns(
        (), given.get("id_column"), TEXTS, given.get("label_column"), given.get("time_column"), options.outlier_labels
    )
    facts = part.facts(place, columns, named, options.skip_bad)
    if facts is not None:
        subject = named.get("subject", "")
        part.add(where, f"{subject}\n\n{content}" if subject else content, facts)


def _as_ascii(data: bytes) -> bytes:
    """Return a mail that an editor has saved in UTF-16, with a byte-order mark or without line feeds as the mail it was."""
    encoding = encoding_of(data[:8192], AUTO)
    mail = data if encoding == "utf-8" else data.decode(encoding, "replace").encode()
    return mail if b"\n" in mail else mail.replace(b"\r", b"\n")


def header_text(value: object) -> str:
    """Return the value of a header on one line, with encoded words as characters.

    >>> header_text("=?utf-8?q?Gr=C3=BC=C3=9Fe?= aus Wien")
    'Grüße aus Wien'
    """
    raw = str(value)
    if SURROGATE.search(raw):  # bytes that are not ASCII, as some programs write them
        raw = _decoded(raw.encode("ascii", "surrogateescape"), None)
    try:
        parts = [_decoded(text, charset) if isinstance(text, bytes) else text for text, charset in decode_header(raw)]
    except (HeaderParseError, ValueError):
        parts = [raw]
    return without_surrogates(" ".join("".join(parts).split()))


def _content(mail: Mail) -> str:
    """Return the plain text of a mail; if it has none, its HTML."""
    texts: dict[str, list[str]] = {"text/plain": [], "text/html": []}
    for number, inner in enumerate(mail.walk()):
        kind = inner.get_content_type()
        if number < MOST_PARTS and kind in texts and inner.get_content_disposition() != "attachment":
            text = _text(inner)
            if text.strip():
                texts[kind].append(text)
    return "\n\n".join(texts["text/plain"] or texts["text/html"]).replace("\r\n", "\n")


def _text(inner: Mail) -> str:
    payload = inner.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    try:
        charset = inner.get_content_charset()
    except (LookupError, ValueError):
        charset = None
    return without_surrogates(_decoded(payload, charset))


def _decoded(data: bytes, charset: str | None) -> str:
    """Decode bytes by the charset that the mail names, if it is right; else as UTF-8, or as what they seem to be."""
    encodings = [charset or "utf-8", "utf-8"]
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except (UnicodeError, LookupError, ValueError):
            continue
    found = detected(data.splitlines(), data)
    return data.decode(found or "utf-8", "replace")
