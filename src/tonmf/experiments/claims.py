"""What the paper claims, what is found here, and whether the claim holds: each by a rule that is stated with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from tonmf.experiments.facts import LONG_WORDS, PAPER_AUC, SHORT_WORDS
from tonmf.experiments.insights import titles
from tonmf.experiments.markdown import share
from tonmf.experiments.measured import Measured
from tonmf.experiments.methods import METHODS, OURS
from tonmf.experiments.roc import BASELINES, PAPER_TASKS, Areas
from tonmf.experiments.rpca_lambda import best_area
from tonmf.experiments.specification import Result
from tonmf.experiments.tasks import TASKS

PAPER_BASELINES = ("knn", "svd", "rpca")
INSENSITIVE = 0.05
"""A range of areas up to this counts as no change."""
HOLDS, REACHED, PARTLY, FAILS = "holds", "reached by tonmf, not by the paper's algorithm", "in part", "does not hold"
VERDICTS = (HOLDS, REACHED, PARTLY, FAILS)

Everything = Mapping[str, Sequence[Result]]


@dataclass(frozen=True)
class Claim:
    """What the paper says and where (nowhere, if it is about tonmf), what is found here, and the verdict."""

    section: str
    statement: str
    found: str
    verdict: str


def judged(results: Everything) -> list[Claim]:
    """All claims that can be judged by what has been run."""
    rows: list[Claim] = []
    for judge, needs in JUDGES:
        if all(results.get(name) for name in needs):
            rows += judge(results)
    return rows


def _areas_reached(results: Everything) -> list[Claim]:
    areas = Areas(results["roc"])
    grid = Measured(results.get("sensitivity", ()))
    rows = []
    for task, figures in PAPER_AUC.items():
        if task not in areas.tasks:
            continue
        algorithm, ours = fmean(areas.best(task, "tonmf-paper")), fmean(areas.best(task, OURS))
        found = f"its algorithm from a scaled start {share(algorithm)}"
        if task in grid.tasks:
            most = max(
                grid.mean(task=task, rank=r, alpha=a) for r in grid.options("rank") for a in grid.options("alpha")
            )
            found += f", with the best rank and α {share(most)}"
        verdict = HOLDS if algorithm >= figures["TONMF"] else FAILS if ours < figures["TONMF"] else REACHED
        statement = f"{TASKS[task].title}: AUC {share(figures['TONMF'])}"
        rows.append(Claim("4.4", statement, f"{found}; tonmf {share(ours)}", verdict))
    return rows


def _better_than_baselines(results: Everything) -> list[Claim]:
    areas = Areas(results["roc"])
    tasks = [task for task in PAPER_TASKS if task in areas.tasks]

    def beaten_by(method: str, others: Sequence[str], rows: str | None) -> list[str]:
        found = []
        for task in tasks:
            area = fmean(areas.all(task=task, method=method, rows=rows) if rows else areas.best(task, method))
            better = [
                f"{METHODS[other].title} {share(theirs)} against {share(area)}"
                for other in others
                if (theirs := fmean(areas.all(task=task, method=other, rows=rows) if rows else areas.best(task, other)))
                > area
            ]
            found += [f"{TASKS[task].title} ({', '.join(better)})"] if better else []
        return found

    rows = []
    for who, method, others, kind in (
        (
            "TONMF is better than k-NN, SVD and RPCA on every data set; on counts",
            "tonmf-paper",
            PAPER_BASELINES,
            "counts",
        ),
        (
            "TONMF is better than k-NN, SVD and RPCA, each with the rows that suit it",
            "tonmf-paper",
            PAPER_BASELINES,
            None,
        ),
        (
            "tonmf, beside these and the residuals of SVD and NMF, each with the rows that suit it",
            OURS,
            BASELINES,
            None,
        ),
    ):
        worse = beaten_by(method, others, kind)
        found = f"not on {'; '.join(worse)}" if worse else f"on all {len(tasks)}"
        verdict = HOLDS if not worse else FAILS if len(worse) == len(tasks) else PARTLY
        rows.append(Claim("" if method == OURS else "4.4", who, found, verdict))
    return rows


def _better_than_robust_pca(results: Everything) -> list[Claim]:
    areas, by_lambda = Areas(results["roc"]), Measured(results["rpca-lambda"])
    tasks = [task for task in PAPER_TASKS if task in areas.tasks and task in by_lambda.tasks]
    found = {task: (best_area(by_lambda, task), areas.best(task, OURS)[0]) for task in tasks}
    told = ", ".join(
        f"{TASKS[task].title} {share(theirs)} against {share(ours)}" for task, (theirs, ours) in found.items()
    )
    verdict = _verdict(sum(ours >= theirs for theirs, ours in found.values()), len(found))
    return [
        Claim("", "tonmf is better than RPCA with the best of three λ, chosen by the labels, seed 0", told, verdict)
    ]


def _order_of_methods(results: Everything) -> list[Claim]:
    areas = Areas(results["roc"])
    tasks = [task for task in PAPER_TASKS if task in areas.tasks]
    claimed = ["tonmf-paper", "rpca", "svd", "knn"]
    orders = {
        task: sorted(claimed, key=lambda method: -areas.mean(task=task, method=method, rows="counts")) for task in tasks
    }
    same = [task for task in tasks if orders[task] == claimed]
    found = "; ".join(
        f"{TASKS[task].title}: {', '.join(METHODS[method].title for method in order)}" for task, order in orders.items()
    )
    verdict = HOLDS if len(same) == len(tasks) else PARTLY if same else FAILS
    return [Claim("4.4", "from best to worst: TONMF, RPCA, SVD, k-NN", f"on counts, {found}", verdict)]


def _neighbours_are_poor(results: Everything) -> list[Claim]:
    areas = Areas(results["roc"])
    tasks = [task for task in PAPER_TASKS if task in areas.tasks]
    by_rows = {
        rows: [areas.mean(task=task, method="knn", rows=rows) for task in tasks] for rows in ("counts", "tf-idf")
    }
    found = "; ".join(f"{rows}: " + ", ".join(share(area) for area in found) for rows, found in by_rows.items())
    names = ", ".join(TASKS[task].title for task in tasks)
    verdict = HOLDS if max(max(found) for found in by_rows.values()) < 0.6 else FAILS
    return [Claim("4.4", "k-NN is hardly better than guessing (.537 to .543)", f"{found} ({names})", verdict)]


def _start_does_not_matter(results: Everything) -> list[Claim]:
    measured = Measured(results["convergence"])
    config = {"setting": "authors", "solver": "paper", "start": "uniform", "inner": "hals"}
    correlation, area = measured.mean("start_correlation", **config), measured.mean("auc_last", **config)
    scaled = measured.mean("auc_last", **{**config, "start": "random"})
    found = f"first and last residuals rank-correlate at {correlation:.3f}, AUC {share(area)}; scaled {share(scaled)}"
    return [
        Claim("3.2", "W and H can start as random non-negative matrices", found, FAILS if correlation > 0.99 else HOLDS)
    ]


def _beta_does_not_matter(results: Everything) -> list[Claim]:
    measured = Measured(results["beta"])
    ranges = {}
    for task in measured.tasks:
        areas = [measured.mean(task=task, beta=beta) for beta in measured.options("beta")]
        ranges[task] = max(areas) - min(areas)
    found = "range of AUC: " + ", ".join(f"{TASKS[task].title} {share(width)}" for task, width in ranges.items())
    steady = sum(width <= INSENSITIVE for width in ranges.values())
    return [Claim("4.5", "β makes no significant difference", found, _verdict(steady, len(ranges)))]


def _rank_and_alpha(results: Everything) -> list[Claim]:
    measured = Measured(results["sensitivity"])
    rows = []
    for task, (claim, has_shape) in SHAPES.items():
        if task in measured.tasks:
            by_rank = [measured.mean(task=task, rank=rank) for rank in measured.options("rank")]
            by_alpha = [measured.mean(task=task, alpha=alpha) for alpha in measured.options("alpha")]
            found = f"by rank {', '.join(map(share, by_rank))}; by α {', '.join(map(share, by_alpha))}"
            verdict = _verdict(has_shape(by_rank) + has_shape(by_alpha), 2)
            rows.append(Claim("4.5", f"{TASKS[task].title}: AUC {claim}", found, verdict))
    return rows


def _steady(areas: Sequence[float]) -> bool:
    return max(areas) - min(areas) <= INSENSITIVE


def _grows(areas: Sequence[float]) -> bool:
    """It ends higher than it began, and no step down is larger than what counts as no change."""
    return areas[-1] > areas[0] and max(before - after for before, after in pairwise(areas)) <= INSENSITIVE


def _falls(areas: Sequence[float]) -> bool:
    return _grows(areas[::-1])


SHAPES: dict[str, tuple[str, Callable[[Sequence[float]], bool]]] = {
    "reuters": ("grows with rank and α, then levels off", _grows),
    "rcv20": ("hardly depends on rank and α", _steady),
    "wiki-people": ("hardly depends on rank and α", _steady),
    "baskets": ("falls with rank and α", _falls),
}
"""How areas depend on rank and α by section 4.5."""


def _cut_off_separates(results: Everything) -> list[Claim]:
    cuts = Measured(results["bbc"]).all("cuts", model="paper")
    true, false = (fmean(cut["2"][rate] for cut in cuts) for rate in ("tpr", "fpr"))
    found = f"of ‖z‖, two standard deviations above the mean: {true:.0f} % of the outliers, {false:.1f} % of the others"
    verdict = HOLDS if true > 80 and false < 5 else FAILS
    return [Claim("2", "mean and standard deviation of the scores separate the outliers of BBC", found, verdict)]


def _false_positives_differ(results: Everything) -> list[Claim]:
    measured = Measured(results["insights"])
    rows = []
    for method in measured.options("method"):
        alone = [part for part in measured.all("alone", method=method) if part["documents"]]
        ordinary = measured.all("ordinary", method=method)
        if not alone:
            continue
        extreme, usual = (fmean(part["long"] + part["short"] for part in parts) for parts in (alone, ordinary))
        repeated, usually = (fmean(part["median_repetition"] for part in parts) for parts in (alone, ordinary))
        found = (
            f"{titles()[method]}: {extreme:.0%} of them (of all ordinary documents {usual:.0%}); a word is used {repeated:.2f} "
            f"times ({usually:.2f})"
        )
        verdict = _verdict((extreme > usual) + (repeated > usually), 2)
        claim = (
            f"false positives of TONMF alone have over {LONG_WORDS} or under {SHORT_WORDS} words, and repeat few words"
        )
        rows.append(Claim("4.6", claim, found, verdict))
    return rows


def _verdict(n_holding: int, n: int) -> str:
    return HOLDS if n_holding == n else PARTLY if n_holding else FAILS


JUDGES: tuple[tuple[Callable[[Everything], list[Claim]], tuple[str, ...]], ...] = (
    (_areas_reached, ("roc",)),
    (_better_than_baselines, ("roc",)),
    (_better_than_robust_pca, ("roc", "rpca-lambda")),
    (_order_of_methods, ("roc",)),
    (_neighbours_are_poor, ("roc",)),
    (_start_does_not_matter, ("convergence",)),
    (_rank_and_alpha, ("sensitivity",)),
    (_beta_does_not_matter, ("beta",)),
    (_cut_off_separates, ("bbc",)),
    (_false_positives_differ, ("insights",)),
)
"""How to judge a claim, and the experiments that must have been run for it."""
