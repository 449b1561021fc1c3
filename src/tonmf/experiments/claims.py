"""Compare what the paper claims with what the experiments find, and judge each claim by a stated rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from tonmf.experiments.facts import LONG_WORDS, PAPER_AUC, SHORT_WORDS
from tonmf.experiments.measured import Measured, share
from tonmf.experiments.methods import METHODS, PAPER_BASELINES, RANK
from tonmf.experiments.paper.bbc_scores import MODELS
from tonmf.experiments.paper.roc import PAPER_TASKS, Areas
from tonmf.experiments.specification import Result
from tonmf.experiments.tasks import TASKS
from tonmf.nmf.solver import rank_correlation

HOLDS, PARTLY, FAILS, UNKNOWN = "holds", "in part", "does not hold", "cannot be judged"
TUNED = "holds if rank and α are chosen by the labels"
REACHED = "reached by tonmf, not by the paper's model"
VERDICTS = (HOLDS, TUNED, REACHED, PARTLY, FAILS, UNKNOWN)
STAND_IN = "The data is a stand-in: the paper's has four times as many documents, from other pages"

NO_CHANGE = 0.05
"""Areas within a range up to this count as equal."""
NEAR_GUESSING = 0.6
"""An area up to this counts as hardly better than guessing."""
TREND = 0.7
"""Areas grow with a parameter if their rank correlation with its values is at least this."""
STALLED = 0.99
"""A fit has not moved if the rank correlation of its ranking with that of the start is at least this."""
FOUND, FALSELY = 80, 5
"""A cut-off separates if it flags at least the first percentage of the outliers, and at most the second of the others."""
CLEARLY = 1.1
"""One number is clearly more than another if it is more than this many times as large."""

Everything = Mapping[str, Sequence[Result]]


@dataclass(frozen=True)
class Claim:
    """A claim of the paper: what it says and where, what the experiments find, the verdict, and the rule behind it."""

    section: str
    statement: str
    found: str
    verdict: str
    rule: str


def judged(results: Everything) -> list[Claim]:
    """Return all claims that the results can judge."""
    return [claim for judge, needs in JUDGES if all(results.get(name) for name in needs) for claim in judge(results)]


def better(theirs: float, ours: float) -> bool:
    """Return whether the first area is greater in the digits shown."""
    return round(theirs, 3) > round(ours, 3)


def _areas_reached(results: Everything) -> list[Claim]:
    areas, grid = Areas(results["roc"]), Measured(results["sensitivity"])
    claims = []
    for task in (task for task in PAPER_AUC if task in areas.tasks and task in grid.tasks):
        paper, ours = PAPER_AUC[task]["TONMF"], fmean(areas.best(task, "detector"))
        algorithm = fmean(areas.best(task, "tonmf-paper"))
        best = max(
            grid.mean(task=task, rank=r, quantile=q) for r in grid.options("rank") for q in grid.options("quantile")
        )
        found = (
            f"the paper's algorithm from a scaled start reaches {share(algorithm)} at rank {RANK}, the same model with the "
            f"reweighted solver and the best rank and α {share(best)}, and tonmf {share(ours)}"
        )
        reached = {HOLDS: algorithm, TUNED: best, REACHED: ours}
        verdict = next((verdict for verdict, area in reached.items() if not better(paper, area)), FAILS)
        if task == "wiki-people":
            found, verdict = f"{found}. {STAND_IN}", UNKNOWN
        rule = "the verdict names the first of these that reaches the paper's area"
        claims.append(Claim("4.4", f"{TASKS[task].title}: AUC {share(paper)}", found, verdict, rule))
    return claims


def _better_than_baselines(results: Everything) -> list[Claim]:
    areas = Areas(results["roc"])
    tasks = [task for task in PAPER_TASKS if task in areas.tasks]
    claims = []
    for rows, by in (("counts", "on counts"), (None, "each on its best rows")):
        worse = []
        for task in tasks:
            area, *others = (
                fmean(areas.all(task=task, method=method, rows=rows) if rows else areas.best(task, method))
                for method in ("tonmf-paper", *PAPER_BASELINES)
            )
            listed = [
                f"{METHODS[method].title} {share(theirs)} against {share(area)}"
                for method, theirs in zip(PAPER_BASELINES, others, strict=True)
                if better(theirs, area)
            ]
            worse += [f"{TASKS[task].title} ({', '.join(listed)})"] if listed else []
        statement = f"TONMF is better than k-NN, SVD and RPCA on every data set; {by}"
        names = ", ".join(TASKS[task].title for task in tasks)
        found = f"not on {'; '.join(worse)}" if worse else f"on all of them ({names})"
        rule = f"no baseline has a greater mean area than the paper's algorithm at rank {RANK} from a scaled start"
        claims.append(Claim("4.4", statement, found, _verdict(len(tasks) - len(worse), len(tasks)), rule))
    return claims


def _order_of_methods(results: Everything) -> list[Claim]:
    areas = Areas(results["roc"])
    tasks = [task for task in PAPER_TASKS if task in areas.tasks]
    claimed = ["tonmf-paper", "rpca", "svd", "knn"]
    orders = {
        task: sorted(claimed, key=lambda method: -areas.mean(task=task, method=method, rows="counts")) for task in tasks
    }
    listed = "; ".join(
        f"{TASKS[task].title}: {' > '.join(METHODS[method].title for method in order)}"
        for task, order in orders.items()
    )
    found = f"on counts, {listed}. In the paper's own figures for Wiki People, SVD is ahead of RPCA"
    verdict = _verdict(sum(order == claimed for order in orders.values()), len(tasks))
    return [Claim("4.4", "from best to worst: TONMF, RPCA, SVD, k-NN", found, verdict, "the same order of mean areas")]


def _neighbours_are_poor(results: Everything) -> list[Claim]:
    areas = Areas(results["roc"])
    tasks = [task for task in PAPER_TASKS if task in areas.tasks]
    by_rows = {
        rows: [areas.mean(task=task, method="knn", rows=rows) for task in tasks] for rows in ("counts", "tf-idf")
    }
    listed = "; ".join(f"{rows}: " + ", ".join(map(share, found)) for rows, found in by_rows.items())
    names = ", ".join(TASKS[task].title for task in tasks)
    every = [area for found in by_rows.values() for area in found]
    figures = [figures["knn"] for figures in PAPER_AUC.values() if "knn" in figures]
    return [
        Claim(
            "4.4",
            f"k-NN is hardly better than guessing ({share(min(figures))} to {share(max(figures))})",
            f"{listed} ({names})",
            _verdict(sum(area <= NEAR_GUESSING for area in every), len(every)),
            f"mean areas up to {share(NEAR_GUESSING)}",
        )
    ]


def _any_start_will_do(results: Everything) -> list[Claim]:
    measured = Measured(results["convergence"])
    config = {"setting": "authors", "solver": "paper", "inner": "hals"}
    correlation = measured.mean("start_correlation", **config, start="uniform")
    stalled, scaled = (measured.mean("auc_last", **config, start=start) for start in ("uniform", "random"))
    found = (
        f"on Reuters, from uniform random numbers as in the published code, the residuals at the start and at the end have a "
        f"rank correlation of {correlation:.3f}, and the area is {share(stalled)}; from a start scaled to the data it is "
        f"{share(scaled)}"
    )
    return [
        Claim(
            "3.2",
            "W and H can start as random non-negative matrices",
            found,
            FAILS if correlation >= STALLED else HOLDS,
            f"a rank correlation below {share(STALLED)}",
        )
    ]


def _beta_does_not_matter(results: Everything) -> list[Claim]:
    """Judge over the β that leave a data set more than one topic on average."""
    measured = Measured(results["beta"])
    listed, holding = [], 0
    for task in measured.tasks:
        by_beta = {beta: measured.mean(task=task, beta=beta) for beta in measured.options("beta")}
        alive = [beta for beta in by_beta if measured.mean("topics", task=task, beta=beta) > 1.5]
        areas = [by_beta[beta] for beta in alive] or [0.0]
        holding += _steady(areas)
        listed.append(f"{TASKS[task].title} {share(max(areas) - min(areas))} (up to β = {max(alive, default=0):g})")
    found = f"range of AUC over the β that leave more than one topic: {', '.join(listed)}. A larger β leaves no model"
    rule = f"ranges up to {share(NO_CHANGE)}, over the β that leave more than one topic on average"
    return [Claim("4.5", "β makes no significant difference", found, _verdict(holding, len(listed)), rule)]


def _rank_and_alpha(results: Everything) -> list[Claim]:
    measured = Measured(results["sensitivity"])
    claims = []
    for task, (statement, has_shape) in SHAPES.items():
        if task in measured.tasks:
            by_rank = [measured.mean(task=task, rank=rank) for rank in measured.options("rank")]
            by_alpha = [measured.mean(task=task, quantile=quantile) for quantile in measured.options("quantile")]
            found = f"by rank {', '.join(map(share, by_rank))}; by α {', '.join(map(share, by_alpha))}"
            verdict = _verdict(has_shape(by_rank) + has_shape(by_alpha), 2)
            if task == "wiki-people":
                found, verdict = f"{found}. {STAND_IN}", UNKNOWN
            rule = (
                f"judged for the rank (means over α) and for α (means over the rank); areas within {share(NO_CHANGE)} count as "
                f"equal, and otherwise they grow or fall from a rank correlation of {TREND:g} on"
            )
            claims.append(Claim("4.5", f"{TASKS[task].title}: AUC {statement}", found, verdict, rule))
    return claims


def _steady(areas: Sequence[float]) -> bool:
    return max(areas) - min(areas) <= NO_CHANGE


def _grows(areas: Sequence[float]) -> bool:
    return not _steady(areas) and rank_correlation(np.arange(float(len(areas))), np.array(areas)) >= TREND


def _falls(areas: Sequence[float]) -> bool:
    return _grows(areas[::-1])


SHAPES: dict[str, tuple[str, Callable[[Sequence[float]], bool]]] = {
    "reuters": ("grows with rank and α, then levels off", _grows),
    "rcv20": ("hardly depends on rank and α", _steady),
    "wiki-people": ("hardly depends on rank and α", _steady),
    "baskets": ("falls with rank and α", _falls),
}
"""Shapes of the areas by rank and α, according to section 4.5."""


def _cut_off_separates(results: Everything) -> list[Claim]:
    measured = Measured(results["bbc"])
    listed, separates = [], []
    for model in ("paper", "paper-2", "median-2"):
        cuts = measured.all("cuts", model=model)
        true, false = (fmean(cut["2"][rate] for cut in cuts) for rate in ("tpr", "fpr"))
        listed.append(f"{MODELS[model]}: {true:.0f}% and {false:.1f}%")
        separates.append(true >= FOUND and false <= FALSELY)
    found = f"share of outliers and of others two standard deviations above the mean score: {'; '.join(listed)}"
    statement = "mean and standard deviation of the scores separate the outliers of BBC"
    rule = f"at least {FOUND}% of the outliers, at most {FALSELY}% of the others"
    return [Claim("2", statement, found, _verdict(sum(separates), len(separates)), rule)]


def _false_positives_differ(results: Everything) -> list[Claim]:
    measured = Measured(results["insights"])
    claims = []
    for rows in ("counts", "tf-idf"):
        method = f"tonmf-paper {rows}"
        alone = [part for part in measured.all("alone", method=method) if part["documents"]]
        ordinary = measured.all("ordinary", method=method)
        if not alone:
            continue
        extreme, usual = (fmean(part["long"] + part["short"] for part in parts) for parts in (alone, ordinary))
        repeated, usually = (fmean(part["median_repetition"] for part in parts) for parts in (alone, ordinary))
        statement = (
            f"false positives of TONMF alone have over {LONG_WORDS} or under {SHORT_WORDS} words, and repeat few words"
        )
        found = (
            f"{extreme:.0%} of them are that long or short (of all ordinary documents {usual:.0%}); they use a word "
            f"{repeated:.2f} times ({usually:.2f})"
        )
        verdict = _verdict((extreme > CLEARLY * usual) + (repeated > CLEARLY * usually), 2)
        rule = f"more than {CLEARLY:g} times as much as for all ordinary documents"
        claims.append(Claim("4.6", f"{statement}; on {rows}", found, verdict, rule))
    return claims


def _verdict(n_holding: int, n: int) -> str:
    return HOLDS if n_holding == n else PARTLY if n_holding else FAILS


JUDGES: tuple[tuple[Callable[[Everything], list[Claim]], tuple[str, ...]], ...] = (
    (_areas_reached, ("roc", "sensitivity")),
    (_better_than_baselines, ("roc",)),
    (_order_of_methods, ("roc",)),
    (_neighbours_are_poor, ("roc",)),
    (_any_start_will_do, ("convergence",)),
    (_rank_and_alpha, ("sensitivity",)),
    (_beta_does_not_matter, ("beta",)),
    (_cut_off_separates, ("bbc",)),
    (_false_positives_differ, ("insights",)),
)
"""The functions that judge claims, with the experiments that each needs."""
