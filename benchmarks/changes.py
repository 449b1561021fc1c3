"""What real text does to a corpus: greetings, footers, markup, headers, copies, numbers, and so on.

A change takes ``(texts, labels, rng)`` and returns texts and labels. Labels do not matter unless the change says so. Changes
that copy a document (`Copying`) put the copies last; `fewer` leaves documents out; all others keep every document in its place.
"""

from __future__ import annotations

import html
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpora import Texts
from benchmarks.foreign import LANGUAGES
from tonmf.io import ReadOptions, read_documents

Apply = Callable[[Sequence[str], NDArray[np.int64], np.random.Generator], Texts]
"""A change."""


@dataclass(frozen=True)
class Change:
    """A change with its name, a family of changes that are reported together, and how often to draw it."""

    name: str
    family: str
    apply: Apply
    n_draws: int = 1

    @property
    def copying(self) -> Copying | None:
        """The change as one that copies a document; None if it does not."""
        return self.apply if isinstance(self.apply, Copying) else None

    def draw(self, texts: Sequence[str], labels: NDArray[np.int64], seed: int) -> Texts:
        """Apply the change with a seed; each seed copies another document."""
        apply = self.apply if self.copying is None else replace(self.copying, which=seed)
        return apply(texts, labels, np.random.default_rng(seed))


def plain(texts: Sequence[str], labels: NDArray[np.int64], rng: np.random.Generator) -> Texts:
    """Change nothing."""
    return list(texts), labels


def greeting(texts: Sequence[str], labels: NDArray[np.int64], rng: np.random.Generator) -> Texts:
    """Put "Dear neighbours, " before each document."""
    return [f"Dear neighbours, {text}" for text in texts], labels


FOOTERS = {
    5: "Posted via Community Board mobile.",
    25: "You receive this message because you subscribed to the weekly digest. To unsubscribe or change preferences visit "
    "your account page, or contact the local moderators.",
}
"""Footers by number of words."""


def footer(
    texts: Sequence[str], labels: NDArray[np.int64], rng: np.random.Generator, *, n_words: int, share: float
) -> Texts:
    """Put a footer below a share of the documents, chosen at random."""
    chosen = rng.permutation(len(texts)) < round(share * len(texts))
    return [f"{text}\n\n{FOOTERS[n_words]}" if has else text for text, has in zip(texts, chosen, strict=True)], labels


PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Community pages &ndash; entry {number}</title>
<link rel="stylesheet" href="/static/main.css">
<style>body {{ margin: 0; font-family: sans-serif; }} .entry p {{ line-height: 1.4; color: #222; }}</style>
<script>window.analytics = window.analytics || []; analytics.push(["trackPageview", {number}]);</script>
</head>
<body class="entry">
<nav><ul><li><a href="/">Home</a></li><li><a href="/archive">Archive</a></li><li><a href="/members">Members</a></li>
<li><a href="/contact">Contact&nbsp;us</a></li></ul></nav>
<main id="entry-{number}">
{paragraphs}
</main>
<footer>&copy; 2026 Community pages. All rights reserved. <a href="/privacy">Privacy policy</a> &middot; <a
href="/terms">Terms of use</a></footer>
</body>
</html>
"""


def html_pages(texts: Sequence[str], labels: NDArray[np.int64], rng: np.random.Generator) -> Texts:
    """Make each document an HTML page with a head, navigation and a footer; its sentences become paragraphs."""
    pages = []
    for text, number in zip(texts, rng.integers(100_000, size=len(texts)), strict=True):
        sentences = re.split(r"(?<=[.!?])\s+", text)
        paragraphs = "\n".join(f"<p>{_with_entities(sentence)}</p>" for sentence in sentences)
        pages.append(PAGE.format(number=number, paragraphs=paragraphs))
    return pages, labels


def _with_entities(text: str) -> str:
    return html.escape(text).encode("ascii", "xmlcharrefreplace").decode()


FIRST_NAMES = (
    "Anna",
    "Ben",
    "Carla",
    "David",
    "Ewa",
    "Fatima",
    "George",
    "Hanna",
    "Ivan",
    "Julia",
    "Karim",
    "Laura",
    "Marc",
    "Nina",
)
LAST_NAMES = (
    "Adams",
    "Baker",
    "Costa",
    "Dubois",
    "Evans",
    "Fischer",
    "Garcia",
    "Hansen",
    "Ito",
    "Jones",
    "Kowalski",
    "Larsen",
)
HOSTS = ("mail.example.org", "mx1.example.com", "smtp.example.net", "relay.example.edu", "post.example.org")
SUBJECTS = (
    "Question",
    "Re: your message",
    "Fwd: for information",
    "Hello",
    "Re: (no subject)",
    "Just a note",
    "Update",
)
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def mail_headers(texts: Sequence[str], labels: NDArray[np.int64], rng: np.random.Generator) -> Texts:
    """Put the header of an e-mail before each document, with names, hosts, times and ids that vary."""
    return [f"{_header(rng)}\n\n{text}" for text in texts], labels


def _header(rng: np.random.Generator) -> str:
    sender, receiver = _person(rng), _person(rng)
    host, relay = rng.choice(HOSTS, 2, replace=False)
    date = (
        f"{rng.choice(DAYS)}, {rng.integers(1, 29)} {rng.choice(MONTHS)} {rng.integers(2019, 2027)} "
        f"{rng.integers(24):02d}:{rng.integers(60):02d}:{rng.integers(60):02d} +0{rng.integers(3)}00"
    )
    address = ".".join(str(part) for part in rng.integers(1, 255, 4))
    return "\n".join(
        [
            f"Received: from {relay} ([{address}]) by {host} (Postfix) with ESMTPS id {_hex(rng, 10).upper()}; {date}",
            f"From: {sender}",
            f"To: {receiver}",
            f"Subject: {rng.choice(SUBJECTS)}",
            f"Date: {date}",
            f"Message-ID: <{_hex(rng, 16)}@{host}>",
            "MIME-Version: 1.0",
            'Content-Type: text/plain; charset="utf-8"',
            "Content-Transfer-Encoding: 8bit",
        ]
    )


def _person(rng: np.random.Generator) -> str:
    first, last = rng.choice(FIRST_NAMES), rng.choice(LAST_NAMES)
    return f"{first} {last} <{first.lower()}.{last.lower()}@{rng.choice(HOSTS)}>"


def _hex(rng: np.random.Generator, n_digits: int) -> str:
    return "".join(f"{digit:x}" for digit in rng.integers(16, size=n_digits))


@dataclass(frozen=True)
class Copying:
    """Put `n` copies of one document in its place, at the end.

    Attributes
    ----------
    n : int
        Number of copies, the document itself included.
    label : int
        Copy an outlier (1) or an ordinary document (0).
    replaced : float
        Share of the words of each copy but the first that are replaced by random words of the corpus.
    which : int
        Which document of the label to copy, in a random order that is always the same.
    """

    n: int
    label: int
    replaced: float = 0.0
    which: int = 0

    def number(self, labels: NDArray[np.int64]) -> int:
        """Return the number of the document to copy."""
        candidates = np.random.default_rng(0).permutation(np.flatnonzero(labels == self.label))
        return int(candidates[self.which % len(candidates)])

    def __call__(self, texts: Sequence[str], labels: NDArray[np.int64], rng: np.random.Generator) -> Texts:
        """Copy the document."""
        number = self.number(labels)
        words = [word for text in texts for word in text.split()] if self.replaced else []
        copies = [texts[number]] + [_near_copy(texts[number], words, self.replaced, rng) for _ in range(self.n - 1)]
        others = [text for i, text in enumerate(texts) if i != number]
        return others + copies, np.concatenate([np.delete(labels, number), np.full(self.n, self.label)])


def _near_copy(text: str, words: Sequence[str], share: float, rng: np.random.Generator) -> str:
    if not share:
        return text
    copied = text.split()
    for place in rng.choice(len(copied), round(share * len(copied)), replace=False):
        copied[place] = words[rng.integers(len(words))]
    return " ".join(copied)


EVERY_WORDS = 8
"""A number or an id comes after this many words of a document, on average."""


def numbers(texts: Sequence[str], labels: NDArray[np.int64], rng: np.random.Generator) -> Texts:
    """Sprinkle numbers, hexadecimal ids, dates, order numbers and addresses of pages into each document, at least two."""
    changed = []
    for text in texts:
        words = text.split()
        for _ in range(max(2, len(words) // EVERY_WORDS)):
            words.insert(int(rng.integers(len(words) + 1)), _odd_token(rng))
        changed.append(" ".join(words))
    return changed, labels


def _odd_token(rng: np.random.Generator) -> str:
    match int(rng.integers(5)):
        case 0:
            return str(int(10 ** rng.uniform(0, 7)))
        case 1:
            return _hex(rng, 12)
        case 2:
            return f"{rng.integers(2015, 2027)}-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}"
        case 3:
            return f"ORD-{rng.integers(10**7):07d}"
        case _:
            return f"https://www.example.com/p/{_hex(rng, 6)}?id={rng.integers(10**6)}"


def cut(texts: Sequence[str], labels: NDArray[np.int64], rng: np.random.Generator, *, n_words: int) -> Texts:
    """Keep the first words of each document."""
    return [" ".join(text.split()[:n_words]) for text in texts], labels


def languages(
    texts: Sequence[str], labels: NDArray[np.int64], rng: np.random.Generator, *, share: float = 0.3
) -> Texts:
    """Translate a share of the ordinary documents, word by word, into three made-up languages. Outliers stay as they are."""
    changed, ordinary = list(texts), np.flatnonzero(labels == 0)
    for turn, number in enumerate(rng.permutation(ordinary)[: round(share * len(ordinary))]):
        changed[number] = texts[number].translate(LANGUAGES[turn % len(LANGUAGES)])
    return changed, labels


def fewer(texts: Sequence[str], labels: NDArray[np.int64], rng: np.random.Generator, *, n: int) -> Texts:
    """Draw `n` documents, with outliers in proportion, but at least one, or two of 30 and more."""
    n_strange = max(1 if n < 30 else 2, round(n * labels.mean()))
    strange = rng.permutation(np.flatnonzero(labels == 1))[:n_strange]
    ordinary = rng.permutation(np.flatnonzero(labels == 0))[: n - len(strange)]
    chosen = np.sort(np.concatenate([ordinary, strange]))
    return [texts[number] for number in chosen], labels[chosen]


ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1")
ACCENTS = str.maketrans("aeiouAEIOU", "àéîöüÀÉÎÖÜ")


def encodings(
    texts: Sequence[str], labels: NDArray[np.int64], rng: np.random.Generator, *, share: float = 0.02
) -> Texts:
    """Write each document to a file, in one of five encodings in turn, and read the folder back by `tonmf.io`.

    A share of the words of the corpus get accents, the same everywhere, so that a wrong encoding changes words. Words of fewer
    than six letters, such as most stop words, get none.
    """
    vocabulary = sorted({word.lower() for text in texts for word in re.findall(r"\w{6,}", text)})
    accented = {word for word, drawn in zip(vocabulary, rng.random(len(vocabulary)), strict=True) if drawn < share}
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts):
            written = re.sub(r"\w+", partial(_accented, words=accented), text)
            encoding = ENCODINGS[number % len(ENCODINGS)]
            Path(folder, f"{number:06d}.txt").write_bytes(_encoded(written, encoding))
        read = read_documents([folder], ReadOptions(format="files"))
    kept = [int(re.findall(r"\d{6}", name)[-1]) for name in read.ids]
    return list(read.content), labels[kept]


def _accented(found: re.Match[str], words: set[str]) -> str:
    word = found.group()
    return word.translate(ACCENTS) if word.lower() in words else word


def _encoded(text: str, encoding: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:  # as an editor would
        return text.encode("utf-8")


CUT = "cut documents"
"""The family of changes that shorten documents."""

N_COPIES = (2, 3, 5, 10, 20, 40)
REPLACED = 0.3
"""Share of the words that differ in near copies."""


def _copying() -> list[Change]:
    return [
        Change(f"{name} of {what} × {n}", f"{name} of {what}", Copying(n, label, replaced), n_draws)
        for what, label, n_draws in (("an outlier", 1, 5), ("an ordinary document", 0, 2))
        for name, replaced in (("copies", 0.0), ("near copies", REPLACED))
        for n in N_COPIES
    ]


_ALL = [
    Change("plain", "plain", plain),
    Change("greeting", "greeting", greeting),
    *[
        Change(f"footer of {n_words} words on {share:.0%}", "footer", partial(footer, n_words=n_words, share=share))
        for n_words in FOOTERS
        for share in (1.0, 0.6, 0.2)
    ],
    Change("HTML", "HTML", html_pages),
    Change("mail headers", "mail headers", mail_headers),
    *_copying(),
    Change("numbers and ids", "numbers and ids", numbers),
    *[Change(f"first {n} words", CUT, partial(cut, n_words=n), 1) for n in (5, 10, 20)],
    Change("mixed languages", "mixed languages", languages),
    *[
        Change(f"{n} documents", "few documents", partial(fewer, n=n), draws)
        for n, draws in ((10, 20), (30, 10), (100, 5))
    ],
    Change("mixed encodings", "mixed encodings", encodings),
    Change("mixed encodings, many accents", "mixed encodings", partial(encodings, share=0.2)),
]

CHANGES: dict[str, Change] = {change.name: change for change in _ALL}
"""All changes, by name."""
