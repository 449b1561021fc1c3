"""The words that terms came from, to show in place of stems and of pairs of characters.

A stem is no word: of *connection*, *connected* and *connecting* remains *connect*, of *families* only *famili*. Nor is a pair
of characters, where a script has no spaces between words: 東京都 makes 東京 and 京都. What people read should be words.

- Of a stem, the form that occurs most often.
- Of a pair, the longest string of one script that at least `MOST` of its occurrences are part of; the pair itself if there is
  none. Up to `OCCURRENCES` of them are looked at, one of each document. A pair that is much rarer than its neighbours in that
  string is the end of one word and the beginning of another, and stays as it is.

In a single document, a pair that occurs once tells nothing, and pairs overlap: 会议将于 makes 会议, 议将 and 将于. Those that
follow one another and are all outside the vocabulary are shown as the string that they make up (`forms_in`).

Only documents with stems or pairs are looked through, and terms that are words already have no form.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from tonmf.text.analysis import Analysis, Analyzer
from tonmf.text.counts import AT_ONCE, Numbering, count_by_number
from tonmf.text.markup import PAD
from tonmf.text.words import HAS_UNSPACED, UNSPACED_RUN

MOST = 0.6
"""Share of the occurrences of a pair that a longer string must be at."""

OCCURRENCES, FEWEST = 16, 2
"""Occurrences of a pair to look at, one of each document; with fewer than the second there is nothing to go by."""

PART = 1 / 3
"""Share of the occurrences of its neighbours that a pair within a word must have."""

AROUND = 6
"""Characters before and after a pair to look at."""


LONGEST = 24
"""The most characters of a string of pairs that are outside the vocabulary; a longer one is cut into pieces of equal length."""


def may_have_forms(document: object, analyze: Analyzer) -> bool:
    """Return whether a document can have terms that are no words themselves."""
    if not isinstance(document, str) or not isinstance(analyze, Analysis) or analyze.analyze_word is None:
        return False
    if analyze.stemmer is not None:
        return True
    return analyze.word_pattern is None and not document.isascii() and HAS_UNSPACED.search(document) is not None


def forms_in(document: object, analyze: Analyzer, unknown: Collection[str]) -> dict[str, str]:
    """Return the words to show for those terms of a document that are outside the vocabulary and no words themselves."""
    forms = forms_of([document], analyze, unknown)
    if not isinstance(document, str) or document.isascii() or not HAS_UNSPACED.search(document):
        return forms
    if not isinstance(analyze, Analysis) or analyze.analyze_word is None or analyze.word_pattern is not None:
        return forms
    alone = set(unknown).difference(forms)
    for run in UNSPACED_RUN.findall(analyze.visible(document).replace(PAD, "")):
        for start, end in _stretches(run, alone):
            for low, high in _pieces(run[start:end]):
                piece = run[start + low : start + high]
                for place in range(start + low, min(start + high, end - 1)):
                    forms.setdefault(run[place : place + 2], piece)
    return forms


def _stretches(run: str, pairs: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield where strings begin and end of which all pairs are among these, if they have more than one.

    >>> list(_stretches("会议将于明天", {"会议", "议将", "将于", "明天"}))
    [(0, 4)]
    """
    start = 0
    for place in range(len(run)):
        if run[place : place + 2] not in pairs:
            if place - start > 1:
                yield start, place + 1
            start = place + 1


def _pieces(stretch: str) -> Iterator[tuple[int, int]]:
    """Yield where the pieces of a string begin and end; no piece begins with a mark on another character.

    >>> list(_pieces("会议将于明天"))
    [(0, 6)]
    """
    length = -(-len(stretch) // -(-len(stretch) // LONGEST))
    cuts = [0]
    for cut in range(length, len(stretch), length):
        cuts.append(_after_marks(stretch, max(cut, cuts[-1])))  # many marks in a row are gone over once
    return pairwise([*cuts, len(stretch)])


def _after_marks(text: str, place: int) -> int:
    while place < len(text) and unicodedata.category(text[place]).startswith("M"):
        place += 1
    return place


def forms_of(documents: Iterable[object], analyze: Analyzer, terms: Collection[str] | None = None) -> dict[str, str]:
    """Return the words to show for those of the terms, or of all terms, that are no words themselves."""
    if not isinstance(analyze, Analysis) or analyze.analyze_word is None:
        return {}
    wanted = terms if terms is None or isinstance(terms, set | frozenset | dict) else set(terms)
    texts = [text for text in documents if isinstance(text, str)]
    stems = {} if analyze.stemmer is None else _of_stems(texts, analyze, wanted)
    return stems | ({} if analyze.word_pattern is not None else _of_pairs(texts, analyze, wanted))


def _of_stems(texts: Sequence[str], analyze: Analysis, wanted: Collection[str] | None) -> dict[str, str]:
    unstemmed, seen, total = analyze.unstemmed(), Numbering(), np.zeros(0, np.int64)
    for low in range(0, len(texts), AT_ONCE):
        counted = count_by_number(texts[low : low + AT_ONCE], unstemmed, seen)
        total = np.append(total, np.zeros(len(seen) - len(total), np.int64))
        np.add.at(total, counted.numbers, counted.counts)
    most: dict[str, tuple[int, str]] = {}
    for form, number in zip(seen, total.tolist(), strict=True):
        stem = analyze.stem(form)
        # Of forms that are equally frequent, the shortest, then the first by alphabet: whatever the order of the documents.
        if (wanted is None or stem in wanted) and (stem not in most or _order(number, form) < _order(*most[stem])):
            most[stem] = number, form
    return {stem: form for stem, (_, form) in most.items() if form != stem}


def _order(number: int, form: str) -> tuple[int, int, str]:
    return -number, len(form), form


def _of_pairs(texts: Sequence[str], analyze: Analysis, wanted: Collection[str] | None) -> dict[str, str]:
    places: dict[str, list[tuple[str, str]]] = {}
    numbers: Counter[str] = Counter()
    for text in texts:
        if text.isascii() or not HAS_UNSPACED.search(text):
            continue
        runs = UNSPACED_RUN.findall(analyze.visible(text).replace(PAD, ""))
        if len(texts) > 1:
            here = list({pair: (pair, before, after) for pair, before, after in _pairs_in(runs)}.values())
            numbers.update(pair for pair, _, _ in here)
        else:  # those that occur too seldom need not be looked at
            numbers.update(run[place : place + 2] for run in runs for place in range(len(run) - 1))
            here = _pairs_in(runs, numbers)
        for pair, before, after in here:
            if wanted is None or pair in wanted:
                known = places.setdefault(pair, [])
                if len(known) < OCCURRENCES:
                    known.append((before, after))
    grown = ((pair, _grown(pair, sides, numbers)) for pair, sides in places.items())
    return {pair: word for pair, word in grown if word != pair}


def _pairs_in(runs: Sequence[str], numbers: Mapping[str, int] | None = None) -> list[tuple[str, str, str]]:
    """Return the pairs in strings, each with what is before and after it; given their numbers, only those with `FEWEST`."""
    return [
        (pair, run[max(place - AROUND, 0) : place], run[place + 2 : place + 2 + AROUND])
        for run in runs
        for place in range(len(run) - 1)
        if numbers is None or numbers[run[place : place + 2]] >= FEWEST
        for pair in (run[place : place + 2],)
    ]


def _grown(pair: str, sides: Sequence[tuple[str, str]], numbers: Mapping[str, int]) -> str:
    """Return the longest string around a pair that most of its occurrences have; `numbers` are those of all pairs.

    >>> _grown("京都", [("東", "に"), ("東", ""), ("", "の")], {"京都": 3, "東京": 4})
    '東京都'
    """
    script = _script(pair[0])
    if len(sides) < FEWEST or _script(pair[1]) != script:
        return pair
    least, word = max(MOST * len(sides), FEWEST), pair
    left, right = [before[::-1] for before, _ in sides], [after for _, after in sides]
    while True:
        (n_before, before), (n_after, after) = _next(left, script), _next(right, script)
        if max(n_before, n_after) < least:
            return word
        to_the_left = n_before >= n_after
        letter = before if to_the_left else after
        joint = letter + word[0] if to_the_left else word[-1] + letter
        if numbers[pair] < PART * numbers[joint]:
            return pair
        word = letter + word if to_the_left else word + letter
        kept = [number for number, letters in enumerate(left if to_the_left else right) if letters[:1] == letter]
        left, right = (
            [left[number][to_the_left:] for number in kept],
            [right[number][not to_the_left :] for number in kept],
        )


def _next(sides: Sequence[str], script: str) -> tuple[int, str]:
    """Return how often the most frequent next character of a script occurs, and the character."""
    letters = Counter(letters[0] for letters in sides if letters and _script(letters[0]) == script)
    return max(((number, letter) for letter, number in letters.items()), default=(0, ""))


def _script(letter: str) -> str:
    """Return the script of a character: the first word of its name in Unicode, such as CJK, KATAKANA or THAI.

    The mark of a long vowel is part of katakana words.
    """
    return "KATAKANA" if letter == "ー" else unicodedata.name(letter, "UNKNOWN").split(" ", 1)[0].split("-", 1)[0]


def in_words(terms: Iterable[str], forms: Mapping[str, str]) -> list[str]:
    """Return terms as words to read, each once.

    >>> in_words(["東京", "京都", "famili"], {"東京": "東京都", "京都": "東京都", "famili": "families"})
    ['東京都', 'families']
    """
    return list(dict.fromkeys(forms.get(term, term) for term in terms))
