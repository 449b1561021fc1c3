"""A made-up corpus: reports on four subjects with a common background, and outliers from others."""

from __future__ import annotations

import numpy as np

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
    """Texts and labels. Ordinary documents lean on one subject with a touch of another; outliers on a stranger's words."""
    labels = np.zeros(n_docs, dtype=int)
    labels[rng.choice(n_docs, n_outliers, replace=False)] = 1
    return [_write(rng, SUBJECTS if not label else STRANGERS) for label in labels], labels.tolist()


def _write(rng: np.random.Generator, subjects: dict[str, str]) -> str:
    main, other = rng.choice(list(subjects), 2, replace=False)
    shares = {subjects[main]: 0.55, subjects[other]: 0.05, BACKGROUND: 0.4}
    sources = rng.choice(list(shares), size=rng.integers(25, 60), p=list(shares.values()))
    return " ".join(str(rng.choice(source.split())) for source in sources)
