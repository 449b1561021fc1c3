"""Make up market baskets, as the IBM Quest generator does.

Agrawal and Srikant describe it in "Fast Algorithms for Mining Association Rules" (1994). Customers buy sets of items
together, the patterns. A basket is filled with patterns, each picked by its weight and each with some items missing.

Patterns
    The size is 1 + Poisson(mean − 1). A share of the items, exponential with mean `correlation`, comes from the pattern
    before; the rest are drawn by item weights. Item weights and pattern weights are exponential with mean 1.
Corruption
    Each pattern has a level, normal with mean 1 − `confidence`. It loses an item, chosen at random, for as long as a
    uniform number is below its level.
Baskets
    The wanted size is 1 + Poisson(mean − 1). A pattern that does not fit goes in anyway in half of the cases. In the
    other half it ends the basket, and opens the next one as it is. Baskets that stay empty do not count.

The paper leaves open how items are weighted, how a share becomes a number of items (rounded, half up) and what becomes
of empty baskets, and its corruption levels have mean 0.5 and variance 0.1. A run of the original program shows mean 0.25
and standard deviation 0.1. All of these are set so that lengths, items in use, item frequencies and the share of broken
patterns agree with the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.errors import Message, Param, ParameterError

BLOCK = 16_384
"""Random numbers to draw at a time."""
MAX_CORRUPTION = 0.99
"""A pattern with a level of 1 would never leave anything."""
PATIENCE = 1_000
"""After this many patterns in a row without a new item, a basket stays as short as it is."""


@dataclass(frozen=True)
class QuestOptions:
    """Options of the generator.

    The options for patterns have the original's names in words and its defaults. The two counts, which the original
    takes in thousands, are plain numbers here, and small enough for a run of a second.

    Parameters
    ----------
    n_transactions : int
        Baskets.
    mean_length : float
        Items in a basket, on average; at least 1 and at most `n_items`.
    n_items : int
        Items there are; at least 2. Not all of them come to be used.
    n_patterns : int
        Sets of items that are bought together.
    mean_pattern_length : float
        Items in a pattern, on average; at least 1 and at most half of `n_items`. No pattern is longer than that half.
    correlation : float
        Mean share of a pattern's items that come from the pattern before, from 0 to 1.
    confidence : float
        1 less the mean corruption level, from 0 to 1. High values leave patterns whole.
    confidence_deviation : float
        Standard deviation of the corruption levels over the patterns. The run of the original shows 0.1.

    Examples
    --------
    >>> QuestOptions(n_transactions=100_000, n_items=1_000, n_patterns=2_000)  # T10.I4.D100K
    QuestOptions(n_transactions=100000, mean_length=10, n_items=1000, n_patterns=2000, mean_pattern_length=4,
                 correlation=0.25, confidence=0.75, confidence_deviation=0.1)
    """

    n_transactions: int = 10_000
    mean_length: float = 10
    n_items: int = 10_000
    n_patterns: int = 10_000
    mean_pattern_length: float = 4
    correlation: float = 0.25
    confidence: float = 0.75
    confidence_deviation: float = 0.1

    def __post_init__(self) -> None:
        _check_whole("n_transactions", self.n_transactions, 1)
        _check_whole("n_items", self.n_items, 2)
        _check_whole("n_patterns", self.n_patterns, 1)
        _check_number("mean_length", self.mean_length, 1, self.n_items, Message(Param("n_items")))
        _check_number(
            "mean_pattern_length", self.mean_pattern_length, 1, self.n_items / 2, Message("half of ", Param("n_items"))
        )
        _check_number("correlation", self.correlation, 0, 1)
        _check_number("confidence", self.confidence, 0, 1)
        _check_number("confidence_deviation", self.confidence_deviation, 0, 1)


def _check_whole(name: str, value: Any, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < low:
        raise ParameterError(Param(name), f" must be a whole number of at least {low}; got {value!r}.")


def _check_number(name: str, value: Any, low: float, high: float, called: str = "") -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not low <= float(value) <= high:
        limit = Message(called, f", {high:g}") if called else f"{high:g}"
        raise ParameterError(Param(name), f" must be a number from {low:g} to ", limit, f"; got {value!r}.")


@dataclass(frozen=True)
class Patterns:
    """Sets of items that are bought together.

    Attributes
    ----------
    items : ndarray of shape (total number of items in patterns,)
        The items of the first pattern, then those of the second, and so on.
    sizes : ndarray of shape (n_patterns,)
        How many of them belong to each pattern.
    weights : ndarray of shape (n_patterns,)
        How likely each is to be picked; they sum to 1.
    corruption : ndarray of shape (n_patterns,)
        How likely each is to lose another item.
    """

    items: NDArray[np.int64]
    sizes: NDArray[np.int64]
    weights: NDArray[np.float64]
    corruption: NDArray[np.float64]


def draw_patterns(options: QuestOptions, rng: np.random.Generator) -> Patterns:
    """Draw the patterns, each of distinct items.

    Examples
    --------
    >>> patterns = draw_patterns(QuestOptions(n_patterns=500), np.random.default_rng(0))
    >>> len(patterns.sizes), patterns.items.shape == (patterns.sizes.sum(),)
    (500, True)
    """
    n_patterns = options.n_patterns
    items = chain.from_iterable(_draw_blocks(rng.exponential(size=options.n_items), rng))
    sizes = np.minimum(1 + rng.poisson(options.mean_pattern_length - 1, n_patterns), options.n_items // 2)
    shares = rng.exponential(options.correlation, n_patterns)
    repeated = np.floor(np.minimum(shares, 1) * sizes + 0.5).astype(np.int64)
    before: list[int] = []
    flat: list[int] = []
    for size, n_repeated in zip(sizes.tolist(), repeated.tolist(), strict=True):
        # The items drawn so far, in order: a dict, because the order of a set would depend on how sets are stored.
        pattern = dict.fromkeys(rng.permutation(before)[:n_repeated].tolist())
        while len(pattern) < size:
            pattern[next(items)] = None
        before = list(pattern)
        flat += before
    weights = rng.exponential(size=n_patterns)
    corruption = rng.normal(1 - options.confidence, options.confidence_deviation, n_patterns)
    return Patterns(np.array(flat), sizes, weights / weights.sum(), np.clip(corruption, 0, MAX_CORRUPTION))


def generate_baskets(options: QuestOptions, rng: np.random.Generator) -> list[list[int]]:
    """Make baskets of items, each sorted and without repetition, in the form of `tonmf.datasets.archives.read_quest_baskets`.

    Parameters
    ----------
    options : QuestOptions
    rng : numpy Generator
        Both the patterns and the baskets depend on it. With the same seed and other options alike, more transactions
        begin with the same ones.

    Returns
    -------
    baskets : list of n_transactions lists of int
        Items are numbers from 0 to n_items − 1. No basket is empty.

    Examples
    --------
    >>> baskets = generate_baskets(QuestOptions(n_transactions=500), np.random.default_rng(0))
    >>> len(baskets), baskets[0] == sorted(set(baskets[0]))
    (500, True)
    """
    patterns = draw_patterns(options, rng)
    lengths = _draw_lengths(options.mean_length, rng)
    parts = _draw_corrupted(patterns, rng)
    baskets: list[list[int]] = []
    moved: list[int] = []
    while len(baskets) < options.n_transactions:
        basket, moved = _fill(next(lengths), moved, parts)
        if basket:
            baskets.append(sorted(basket))
    return baskets


def _fill(length: int, moved: list[int], parts: Iterator[tuple[list[int], bool]]) -> tuple[set[int], list[int]]:
    """Fill a basket that starts with what was moved to it; return it and what moves on to the next."""
    basket = set(moved)
    in_vain = 0
    while (size := len(basket)) < length and in_vain < PATIENCE:
        part, moves_on = next(parts)
        if moves_on and size + len(part) > length:
            return basket, part
        basket.update(part)
        in_vain = in_vain + 1 if len(basket) == size else 0
    return basket, []


def _draw_blocks(weights: NDArray[np.float64], rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Draw positions by weight, with replacement."""
    cumulative = np.cumsum(weights)
    while True:
        yield np.searchsorted(cumulative, rng.random(BLOCK) * cumulative[-1])


def _draw_lengths(mean: float, rng: np.random.Generator) -> Iterator[int]:
    while True:
        yield from (1 + rng.poisson(mean - 1, BLOCK)).tolist()


def _draw_corrupted(patterns: Patterns, rng: np.random.Generator) -> Iterator[tuple[list[int], bool]]:
    """Yield what is left of patterns picked by weight, and whether it moves on if it does not fit.

    The number of items that a pattern of level c loses is k with probability cᵏ(1 − c), up to all of them. Patterns
    of which nothing is left are passed over, as they would leave a basket as it is.
    """
    starts = np.cumsum(patterns.sizes) - patterns.sizes
    for picked in _draw_blocks(patterns.weights, rng):
        lost = rng.geometric(1 - patterns.corruption[picked]) - 1
        moves_on = rng.random(BLOCK) < 0.5
        some_left = lost < patterns.sizes[picked]
        picked, lost, moves_on = picked[some_left], lost[some_left], moves_on[some_left]
        sizes = patterns.sizes[picked]
        ends = np.cumsum(sizes)
        begins = ends - sizes
        pick = np.repeat(np.arange(len(picked)), sizes)
        items = patterns.items[np.arange(len(pick)) + (starts[picked] - begins)[pick]]
        # Sorting by number of pick + uniform number shuffles the items of each pick and keeps the picks in order.
        shuffled = items[np.argsort(pick + rng.random(len(pick)))].tolist()
        bounds = zip(begins.tolist(), (ends - lost).tolist(), moves_on.tolist(), strict=True)
        yield from ((shuffled[begin:end], moves) for begin, end, moves in bounds)
