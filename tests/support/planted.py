"""A stream of made-up documents in which a subject appears that was not there before."""

import random

from tonmf.datasets import make_corpus

SUBJECT = [
    "volcano",
    "lava",
    "ash",
    "crater",
    "magma",
    "eruption",
    "tremor",
    "summit",
    "plume",
    "basalt",
    "vent",
    "caldera",
]
START, DAY = 1_750_000_000 - 1_750_000_000 % 86_400, 86_400
A_DAY = 20
"""Documents."""


def report(rng):
    """A document on the new subject, among ordinary words."""
    ordinary = make_corpus(n_docs=1, n_outliers=0, random_state=rng.randrange(1000)).texts[0].split()
    words = rng.sample(SUBJECT, 7) + rng.sample(ordinary, 12)
    rng.shuffle(words)
    return " ".join(words)


def stream(n_before=300, n_quiet=200, n_after=200, every=8, seed=0, copies=False):
    """Texts, times, and which are on the new subject, which comes every so often after the quiet ones; and how many come first.

    With `copies` it is one text over and over.
    """
    rng = random.Random(seed)  # noqa: S311
    texts = list(make_corpus(n_docs=n_before + n_quiet + n_after, n_outliers=0, random_state=seed).texts)
    planted = list(range(n_before + n_quiet, len(texts), every))
    same = report(rng)
    for row in planted:
        texts[row] = same if copies else report(rng)
    times = [START + DAY * (row // A_DAY) + row for row in range(len(texts))]
    return texts, times, set(planted), n_before
