"""Made-up languages: every letter stands for another one, vowels for vowels and consonants for consonants.

A translated document has other words, stop words included, and all that is true of its words, such as how often they occur and
which occur together, stays true.
"""

from __future__ import annotations

import random

VOWELS, CONSONANTS = "aeiou", "bcdfghjklmnpqrstvwxyz"


def language(seed: int) -> dict[int, int]:
    """Return a table for ``str.translate`` under which no letter stays as it is."""
    rng, table = random.Random(seed), {}  # noqa: S311 (no secret)
    for letters in (VOWELS, CONSONANTS):
        shuffled = rng.sample(letters, len(letters))
        start = rng.randrange(1, len(letters))
        after = {letter: shuffled[(place + start) % len(letters)] for place, letter in enumerate(shuffled)}
        table.update(after | {letter.upper(): other.upper() for letter, other in after.items()})
    return str.maketrans(table)


LANGUAGES = tuple(language(seed) for seed in range(3))
