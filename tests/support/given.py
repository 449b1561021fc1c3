"""The files that pages speak of without making them: reviews of a shop, news with dates, and models of the reviews."""

import csv
import json
import shutil
import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path

from command import run

N_REVIEWS = 60


@cache
def _shelf():
    folder = tempfile.TemporaryDirectory()
    return folder, Path(folder.name)


def give(name, folder):
    """Copy a file or a folder of that name into a folder."""
    source = _made(name)
    if source.is_dir():
        shutil.copytree(source, folder / name)
    else:
        shutil.copy(source, folder / name)


@cache
def _made(name):
    assert name in MAKERS, f"{name} is none of the files that are given: {', '.join(MAKERS)}"
    path = _shelf()[1] / name
    MAKERS[name](path)
    return path


def _tonmf(*args):
    ran = run(*args, "--quiet", cwd=_shelf()[1])
    assert ran.code == 0, ran.err


def _rows():
    with _made("reviews.csv").open(encoding="utf-8") as reviews:
        return [{**row, "date": f"2026-01-{1 + n // 6:02d}"} for n, row in enumerate(csv.DictReader(reviews))]


def _reviews(path):
    from tonmf.datasets import make_corpus

    corpus = make_corpus(n_docs=N_REVIEWS, n_outliers=3)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "review"])
        writer.writerows(enumerate(corpus.texts))


def _copy(path):
    shutil.copy(_made("reviews.csv"), path)


def _json_lines(path):
    rows = [{"id": f"n{row['id']}", "text": row["review"], "date": row["date"]} for row in _rows()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _database(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table reviews (id, title, body, lang)")
        connection.executemany("insert into reviews values (:id, '', :review, 'en')", _rows())
        connection.commit()


def _parquet(path):
    import pandas as pd

    path.mkdir()
    reviews = pd.read_csv(_made("reviews.csv"))
    for part in range(2):
        reviews[part::2].to_parquet(path / f"{part}.parquet")


def _log(path):
    from benchmarks.log_lines import log_lines

    path.write_text("".join(f"{line}\n" for line in log_lines(1000, 6)[0]), encoding="utf-8")


GERMAN = (
    "Roman Kapitel Figur Handlung Autorin Seite Sprache Erzählung Ende Band Verlag Spannung Held Dialog lesen",
    "Sattel Bremse Kette Reifen Gang Lenker Rahmen Licht Pedal Schaltung Steigung Kilometer Felge Klingel fahren",
    "Suppe Kellner Vorspeise Nachtisch Speisekarte Soße Wein Tisch Braten Portion Küche Rechnung Gericht Koch essen",
)
"""Words of German reviews of books, bicycles and restaurants."""
STRANGE_GERMAN = (
    "Die Mieterin haftet für alle Schäden, die durch unsachgemäßen Gebrauch der Waschmaschine im Keller entstehen.",
    "Bitte aktivieren Sie Cookies, um diese Seite zu nutzen. Ihre Einwilligung können Sie jederzeit widerrufen.",
    "Der Planet hat drei Monde, von denen der größte in sieben Tagen seine Umlaufbahn durchläuft.",
)


def _german(path):
    import numpy as np

    rng = np.random.default_rng(0)
    texts = []
    for number in range(150):
        words = iter(rng.permutation(GERMAN[number % 3].split()))
        pattern = rng.choice(
            [
                "Der {} und die {} sind gut, nur das {} nicht.",
                "Mit {} und {} war ich sehr zufrieden, aber {} hat gefehlt.",
            ]
        )
        texts.append(" ".join(pattern.format(next(words), next(words), next(words)) for _ in range(3)))
    for place, text in zip((20, 70, 120), STRANGE_GERMAN, strict=True):
        texts[place] = text
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "text"), *((f"k{number:03}", text) for number, text in enumerate(texts))])


def _model(path):
    _tonmf("detect", _made("reviews.csv"), "--save", path)


def _report(path):
    _tonmf("report", _made("model"), _made("today.csv"), "--output", path)


MAKERS = {
    "reviews.csv": _reviews,
    "new_reviews.csv": _copy,
    "today.csv": _copy,
    "news.jsonl": _json_lines,
    "posts.jsonl": _json_lines,
    "reviews.jsonl": _json_lines,
    "big.jsonl": _json_lines,
    "reviews": _parquet,
    "app.log": _log,
    "kritiken.csv": _german,
    "shop.db": _database,
    "model": _model,
    "other-model": _model,
    "yesterday.html": _report,
}
