"""Make up documents: reports on four subjects with outliers from others, and baskets of several groups of customers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.datasets.quest import QuestOptions, generate_baskets
from tonmf.errors import ParameterError

SUBJECTS = {
    "markets": "shares profit quarter bank investors dividend market bonds earnings revenue merger stock rates debt",
    "football": "match goal striker coach league penalty defender season stadium injury squad referee midfield transfer cup",
    "weather": "rain storm wind temperature forecast clouds coast snow flood humidity pressure thunder drought frost gale",
    "politics": "minister election vote parliament coalition campaign policy senate treaty law budget debate reform",
}
STRANGERS = {
    "baking": "flour yeast oven dough butter knead crust sugar vanilla loaf whisk rye icing cinnamon batter",
    "astronomy": "galaxy telescope orbit comet nebula eclipse planet crater supernova photon asteroid gravity quasar",
}
BACKGROUND = (
    "today people reported week city year official early group plan public local meeting country told number part "
    "morning office statement expected region change day time"
)


def write_corpus(n_docs: int, n_outliers: int, rng: np.random.Generator) -> tuple[list[str], list[int]]:
    """Return texts and labels. Ordinary documents are on one subject with a touch of another, outliers on strange subjects."""
    _check_numbers(n_docs, n_outliers)
    labels = np.zeros(n_docs, dtype=int)
    labels[rng.choice(n_docs, n_outliers, replace=False)] = 1
    return [_write(rng, SUBJECTS if not label else STRANGERS) for label in labels], labels.tolist()


def _write(rng: np.random.Generator, subjects: dict[str, str]) -> str:
    main, other = rng.choice(list(subjects), 2, replace=False)
    shares = {subjects[main]: 0.55, subjects[other]: 0.05, BACKGROUND: 0.4}
    sources = rng.choice(list(shares), size=rng.integers(25, 60), p=list(shares.values()))
    words = {source: source.split() for source in shares}
    return " ".join(words[source][rng.integers(len(words[source]))] for source in sources)


def make_basket_groups(
    n_docs: int, n_outliers: int, n_groups: int, options: QuestOptions, seed: int
) -> tuple[sp.csr_matrix, NDArray[np.int64]]:
    """Return counts of baskets × items, and labels. Each group, and the outliers, come from a run with a seed of its own."""
    _check_numbers(n_docs, n_outliers)
    if n_groups < 1:
        raise ParameterError(f"There must be at least 1 group of ordinary baskets; got {n_groups}.")
    seeds = np.random.SeedSequence(seed).spawn(n_groups + 2)
    ordinary = n_docs - n_outliers
    sizes = [ordinary // n_groups + (group < ordinary % n_groups) for group in range(n_groups)] + [n_outliers]
    baskets: list[list[int]] = []
    for size, group in zip(sizes, seeds, strict=False):
        if size:
            baskets += generate_baskets(replace(options, n_transactions=size), np.random.default_rng(group))
    order = np.random.default_rng(seeds[-1]).permutation(n_docs)
    shuffled = [baskets[number] for number in order]
    ends = np.append(0, np.cumsum([len(basket) for basket in shuffled]))
    items = np.concatenate([np.array(basket, dtype=np.int64) for basket in shuffled])
    X = sp.csr_matrix((np.ones(len(items)), items, ends), shape=(n_docs, options.n_items))
    return X, (order >= ordinary).astype(np.int64)


def _check_numbers(n_docs: int, n_outliers: int) -> None:
    if not 0 <= n_outliers <= n_docs or n_docs < 1:
        raise ParameterError(
            f"There must be at least 1 document, and outliers from 0 up to all of them; got {n_docs} and {n_outliers}."
        )
