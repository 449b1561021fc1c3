"""Read the original archives: everything in each file, as its publishers packed it.

Each takes the path of one archive and returns `Document` objects in the order of the archive's names, or a matrix.
"""

from __future__ import annotations

import gzip
import html
import json
import lzma
import re
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.stream.times import moment_of


@dataclass(frozen=True)
class Document:
    """A text, with its name and its class in the archive."""

    id: str
    label: str
    text: str


def read_newsgroups(path: Path) -> list[Document]:
    """Read 20 Newsgroups: ``<split>/<group>/<number>`` in a tar archive, Latin-1; the label is the group."""
    documents = []
    with tarfile.open(path) as archive:
        for member in archive:
            parts = member.name.split("/")
            content = archive.extractfile(member) if member.isfile() and len(parts) >= 3 else None
            if content is not None:
                documents.append(Document("/".join(parts[-3:]), parts[-2], content.read().decode("latin-1")))
    return sorted(documents, key=lambda document: document.id)


def without_header_and_quotes(message: str) -> str:
    """Strip a newsgroup message of its header, the lines it quotes and those that announce a quote.

    >>> without_header_and_quotes("From: a@b\\nSubject: disks\\n\\nB writes:\\n> Which one?\\nThe large one.")
    'The large one.'
    """
    _, _, body = message.partition("\n\n")
    kept = [line for line in body.split("\n") if not QUOTED_LINE.search(line)]
    return "\n".join(kept).strip()


QUOTED_LINE = re.compile(r"^\s*[>|:]|(?:writes|wrote|says|said)\s*(?:in|:|\.\.\.)|^In article|^Quoted from")


def read_reuters_sgml(path: Path) -> list[Document]:
    """Read the documents of Reuters-21578's ModApte training and test sets with one topic and a body, title first."""
    return [document for sgml in _sgml_files(path) for document in _single_topic_stories(sgml)]


@dataclass(frozen=True)
class Dispatch:
    """A story of the newswire: its number, its time (in seconds since 1970), its subjects, and its text, title first."""

    id: str
    time: float
    subjects: list[str]
    text: str


def read_reuters_dispatches(path: Path) -> list[Dispatch]:
    """Read all stories of Reuters-21578 with a date and a body, by time and then by number."""
    dispatches = (dispatch for sgml in _sgml_files(path) for dispatch in _dispatches(sgml))
    return sorted(dispatches, key=lambda dispatch: (dispatch.time, int(dispatch.id)))


def _sgml_files(path: Path) -> Iterator[str]:
    """Yield the SGML files of Reuters-21578, by name."""
    with tarfile.open(path) as archive:
        for member in sorted(archive.getmembers(), key=lambda m: m.name):
            content = archive.extractfile(member) if member.name.endswith(".sgm") else None
            if content is not None:
                yield content.read().decode("latin-1")


def _dispatches(sgml: str) -> Iterator[Dispatch]:
    for attributes, story in re.findall(r"<REUTERS([^>]*)>(.*?)</REUTERS>", sgml, flags=re.DOTALL):
        number, body = re.search(r'NEWID="(\d+)"', attributes), _element(story, "BODY")
        written = re.search(r"\d{1,2}-[A-Z]{3}-\d{4} \d{2}:\d{2}:\d{2}", _element(story, "DATE"))
        time = moment_of(written.group()) if written else None
        if number and body and time is not None:
            text = html.unescape(_element(story, "TITLE") + "\n" + body).replace("\x03", "")
            subjects = re.findall(r"<D>(.*?)</D>", _element(story, "TOPICS"))
            yield Dispatch(number.group(1), time.seconds, subjects, text)


def _single_topic_stories(sgml: str) -> Iterator[Document]:
    for attributes, story in re.findall(r"<REUTERS([^>]*)>(.*?)</REUTERS>", sgml, flags=re.DOTALL):
        topics = re.findall(r"<D>(.*?)</D>", _element(story, "TOPICS"))
        chosen = 'TOPICS="YES"' in attributes and re.search(r'LEWISSPLIT="(TRAIN|TEST)"', attributes)
        body = _element(story, "BODY")
        if chosen and len(topics) == 1 and body:
            number = re.search(r'NEWID="(\d+)"', attributes)
            text = html.unescape(_element(story, "TITLE") + "\n" + body).replace("\x03", "")
            yield Document(number.group(1) if number else "", topics[0], text)


def _element(sgml: str, name: str) -> str:
    found = re.search(rf"<{name}>(.*?)</{name}>", sgml, flags=re.DOTALL)
    return found.group(1) if found else ""


def read_reuters_matrix(path: Path) -> tuple[sp.csr_matrix, NDArray[np.int64]]:
    """Read Reuters-21578 as term counts (8,293 × 18,933), with the number of each document's class."""
    archive = scipy.io.loadmat(path)
    return sp.csr_matrix(archive["fea"], dtype=np.float64), archive["gnd"].ravel().astype(np.int64)


def read_bbc(path: Path) -> list[Document]:
    """Read BBC news: ``bbc/<class>/<number>.txt`` in a zip archive; UTF-8 except for one file in Latin-1."""
    documents = []
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if re.fullmatch(r"bbc/[a-z]+/\d+\.txt", name):
                content = archive.read(name)
                try:
                    text = content.decode("utf-8")
                except UnicodeDecodeError:
                    text = content.decode("latin-1")
                documents.append(Document(name, name.split("/")[1], text))
    return documents


def read_biography_sections(path: Path, min_words: int = 50) -> list[Document]:
    """Read the sections of Wikipedia biographies with at least `min_words` words, labelled by the kind of their heading."""
    documents = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            section = json.loads(line)
            if section["section_label"] and len(section["text"].split()) >= min_words:
                documents.append(Document(str(section["id"]), section["section_label"], section["text"]))
    return documents


def read_quest_baskets(path: Path) -> list[list[int]]:
    """Read baskets of the IBM Quest generator, one a line: number, number again, number of items, items."""
    with lzma.open(path, "rt", encoding="ascii") as lines:
        return [[int(item) for item in line.split()[3:]] for line in lines]
