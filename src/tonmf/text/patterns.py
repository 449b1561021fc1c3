r"""Tell the regular expressions that take time in proportion to a text from those that may take for ever.

Python's ``re`` goes back and tries again where a match fails: on a hundred letters, ``(\w+)*!`` does so for ever. A model from
elsewhere may bring such a pattern, so only those are loaded, and saved, that pass these checks. They look at a pattern as an
automaton that has a state for each of its characters (Glushkov's).

1. It is made of characters, classes, groups, ``|`` and greedy repeats, with ``\b`` at most at both ends: no look-around, no
   back-references.
2. No text can be read in two ways: wherever several states may follow, their characters differ, and no state follows
   another for two reasons, as in ``(a+)+``. So an attempt to match reads each character once.
3. No loop is without an end: in each, there is a state at which the match may end. So an attempt that fails has read only as
   many characters beyond the last match as there are states, and the next begins where it ended.
4. With ``\b`` at the end there is one at the beginning, matches end in word characters, and what may follow such an end without
   being another is no word character. So each run of word characters is read a few times at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_STATES, MOST_CLASSES = 100, 30
"""Largest patterns that are looked at."""

FLAGS = re.compile(r"\(\?([aiu]+)\)")
REPEAT = re.compile(r"[*+?]|\{(\d{0,3})(,?)(\d{0,3})\}")
CHARACTER = re.compile(
    r"\\(?:[wWdDsStnrfv]|[^\w\s]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|\[\^?\]?(?:\\.|[^\]\\])*\]|[^()|*+?{}\[\]^$\\]",
    re.DOTALL | re.ASCII,
)
"""What stands for one character of a text."""

BOUNDARY = r"\b"

Node = tuple[Any, ...]
"""A part of a pattern: ("character", text), ("one after the other" or "either", parts), ("again", part, low, high)."""


class _Unknown(Exception):  # noqa: N818  (caught here, and means no)
    """The pattern is none of those that can be judged."""


def is_linear(pattern: str) -> bool:
    r"""Return whether a regular expression is sure to find all its matches in time proportional to the text.

    >>> [is_linear(p) for p in (r"(?u)\b\w\w+\b", r"\w+(?:[-']\w+)*", r"[^\W\d_]{3,}|#\w+", r"(\w+)*!", r"(?=a)\w+")]
    [True, True, True, False, False]
    """
    try:
        return _Automaton(pattern).is_linear
    except (_Unknown, re.error, RecursionError, OverflowError):
        return False


class _Reader:
    """Reads a pattern into a tree."""

    def __init__(self, pattern: str) -> None:
        self._pattern, self._place = pattern, 0

    def whole(self) -> Node:
        part = self._either()
        if self._place < len(self._pattern):
            raise _Unknown
        return part

    def _take(self, text: str) -> bool:
        found = self._pattern.startswith(text, self._place)
        self._place += len(text) * found
        return found

    def _match(self, what: re.Pattern[str]) -> re.Match[str] | None:
        found = what.match(self._pattern, self._place)
        self._place = found.end() if found else self._place
        return found

    def _either(self) -> Node:
        parts = [self._sequence()]
        while self._take("|"):
            parts.append(self._sequence())
        return ("either", parts)

    def _sequence(self) -> Node:
        parts = []
        while self._place < len(self._pattern) and self._pattern[self._place] not in "|)":
            parts.append(self._repeated())
        return ("one after the other", parts)

    def _repeated(self) -> Node:
        part = self._single()
        found = self._match(REPEAT)
        if found is None:
            return part
        if self._place < len(self._pattern) and self._match(REPEAT):  # reluctant, possessive, or a mistake
            raise _Unknown
        if found.group() in "*+?":
            low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[found.group()]
            return ("again", part, low, high)
        least, comma, most = found.groups()
        if not least and not comma:
            raise _Unknown
        return ("again", part, int(least or 0), (int(most) if most else None) if comma else int(least))

    def _single(self) -> Node:
        if self._take("("):
            if self._pattern.startswith("?", self._place) and not self._take("?:"):
                raise _Unknown
            part = self._either()
            if not self._take(")"):
                raise _Unknown
            return part
        found = self._match(CHARACTER)
        if found is None:
            raise _Unknown
        return ("character", found.group())


class _Automaton:
    """The states of a pattern, and which may follow which; each state is an occurrence of a character in it."""

    def __init__(self, pattern: str) -> None:
        flags = FLAGS.match(pattern)
        self._flags = flags.group() if flags else ""
        rest = pattern[len(self._flags) :]
        self._begins = rest.startswith(BOUNDARY)
        rest = rest.removeprefix(BOUNDARY) if self._begins else rest
        self._ends = rest.endswith(BOUNDARY) and not rest.endswith("\\" + BOUNDARY)
        rest = rest.removesuffix(BOUNDARY) if self._ends else rest
        tree = _Reader(rest).whole()
        if (self._begins or self._ends) and len(tree[1]) > 1:  # the boundary would belong to one of the alternatives
            raise _Unknown
        self._characters: list[str] = []
        self._follow: list[set[int]] = []
        self._empty, self._first, self._last = self._build(tree)

    def _build(self, node: Node) -> tuple[bool, set[int], set[int]]:
        """Add the states of a part; return whether it may be empty, and the states at which it may begin and end."""
        kind = node[0]
        if kind == "character":
            self._characters.append(node[1])
            self._follow.append(set())
            if len(self._characters) > MOST_STATES or len(set(self._characters)) > MOST_CLASSES:
                raise _Unknown
            state = len(self._characters) - 1
            return False, {state}, {state}
        if kind == "either":
            parts = [self._build(part) for part in node[1]]
            first = {state for part in parts for state in part[1]}
            last = {state for part in parts for state in part[2]}
            return any(part[0] for part in parts), first, last
        if kind == "one after the other":
            return self._in_sequence(node[1])
        _, part, low, high = node
        copies = low if high is None else high
        if copies > MOST_STATES or (high is not None and low > high):
            raise _Unknown
        if high is not None:
            optional: Node = ("one after the other", [])
            for _ in range(high - low):
                optional = ("either", [("one after the other", [part, optional]), ("one after the other", [])])
            return self._in_sequence([part] * low + [optional])
        before = self._in_sequence([part] * (low - 1)) if low > 1 else (True, set[int](), set[int]())
        empty, first, last = self._build(part)
        self._link(last, first)
        return self._joined(before, (empty or low == 0, first, last))

    def _in_sequence(self, parts: Iterable[Node]) -> tuple[bool, set[int], set[int]]:
        found: tuple[bool, set[int], set[int]] = (True, set(), set())
        for part in parts:
            found = self._joined(found, self._build(part))
        return found

    def _joined(
        self, one: tuple[bool, set[int], set[int]], other: tuple[bool, set[int], set[int]]
    ) -> tuple[bool, set[int], set[int]]:
        self._link(one[2], other[1])
        first = one[1] | other[1] if one[0] else one[1]
        last = one[2] | other[2] if other[0] else other[2]
        return one[0] and other[0], first, last

    def _link(self, ends: set[int], beginnings: set[int]) -> None:
        for state in ends:
            if self._follow[state] & beginnings:  # it follows already, for another reason
                raise _Unknown
            self._follow[state] |= beginnings

    @cached_property
    def _sets(self) -> list[NDArray[np.bool_]]:
        """The characters of each state."""
        by_text = {text: characters_of(self._flags + text) for text in set(self._characters)}
        return [by_text[text] for text in self._characters]

    @property
    def is_linear(self) -> bool:
        """Whether the second, third and fourth of the conditions hold."""
        choices = [self._first, *self._follow]
        if any((self._sets[a] & self._sets[b]).any() for states in choices for a, b in combinations(states, 2)):
            return False
        return not self._loops_without_end() and (not self._ends or self._ends_well())

    def _loops_without_end(self) -> bool:
        """Return whether states at which no match may end make a loop."""
        left = {
            state: self._follow[state] - self._last for state in range(len(self._follow)) if state not in self._last
        }
        while left:
            done = [state for state, following in left.items() if not following & left.keys()]
            if not done:
                return True
            for state in done:
                del left[state]
        return False

    def _ends_well(self) -> bool:
        """Return whether a match may be looked for that ends at the boundary of a word."""
        word = characters_of(self._flags + r"\w")
        after = {state for end in self._last for state in self._follow[end]} - self._last
        return (
            self._begins
            and not self._empty
            and not any((self._sets[state] & ~word).any() for state in self._last)
            and not any((self._sets[state] & word).any() for state in after)
        )


@cache
def _every_character() -> str:
    return "".join(map(chr, range(0x110000)))


def characters_of(single: str) -> NDArray[np.bool_]:
    """Return for every character whether a pattern of a single one matches it."""
    found = np.zeros(0x110000, np.bool_)
    flags, text = (FLAGS.match(single) or re.match("", single)).group(), single  # type: ignore[union-attr]
    for run in re.finditer(f"{flags}(?:{text.removeprefix(flags)})+", _every_character()):
        found[run.start() : run.end()] = True
    return found
