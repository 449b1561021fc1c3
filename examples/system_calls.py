"""Find the shell sessions that do what the others never do, by the system calls they make.

record_traces.py has recorded the sessions in data/traces.tsv.xz. A session is a basket of what occurs in it: the names of its
system calls, and pairs of calls that follow one another. Two questions are asked of it:

- *mixed*: 200 ordinary sessions and 8 odd ones are fitted together; which are the odd ones?
- *clean*: the detector is fitted on 160 ordinary sessions; which of 98 new ones, 18 of them odd, are not like those?

Beside tonmf: k-NN and isolation forest on the same items, and the share of items that (next to) no other session has, in the
manner of STIDE (Forrest et al., 1996).

    python examples/system_calls.py
    python examples/system_calls.py --draws 1 --figure calls.svg
"""

import argparse
import lzma
from itertools import pairwise
from pathlib import Path

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import average_precision_score, roc_auc_score

from tonmf import TextOutlierDetector
from tonmf.baselines import KNNDistance

TRACES = Path(__file__).parent / "data" / "traces.tsv.xz"
ODD = "calls out", "locks up", "hides"
METHODS = "tonmf", "k-NN, cosine, k = 5", "isolation forest", "share of rare items"


def read_sessions():
    """Return labels (1 is odd), the programs of each session, and the calls of each program."""
    with lzma.open(TRACES, "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    calls = [[part.split() for part in row[2].split(" | ")] for row in rows]
    return np.array([int(row[0]) for row in rows]), [row[1].split(" | ") for row in rows], calls


def basket(session, pairs):
    """Return the distinct calls of a session and, if wanted, the pairs of calls such as "socket → connect"."""
    calls = [call for program in session for call in program]
    return sorted({*calls, *(map(" → ".join, pairwise(calls)) if pairs else ())})


def draw(labels, question, seed):
    """Return numbers of sessions to fit on and to score."""
    rng = np.random.default_rng(seed)
    ordinary, odd = rng.permutation(np.flatnonzero(labels == 0)), rng.permutation(np.flatnonzero(labels))
    if question == "clean":
        return ordinary[:160], np.concatenate([ordinary[160:], odd])
    mixed = rng.permutation(np.concatenate([ordinary[:200], odd[:8]]))
    return mixed, mixed


def score(training, new, seed):
    """Return the scores of the new sessions by each method; higher is stranger. Both may be the same list."""
    vectorizer = TfidfVectorizer(analyzer=lambda basket: basket).fit(training)
    X, new_X = vectorizer.transform(training), vectorizer.transform(new)
    n_have = dict(zip(vectorizer.get_feature_names_out(), (X > 0).sum(axis=0).A1, strict=True))
    rare = 2 if new is training else 0
    yield TextOutlierDetector(random_state=seed).fit(training).outlier_score(new)
    yield KNNDistance(5, metric="cosine", score_by="mean").fit(X).outlier_score(new_X)
    yield -IsolationForest(random_state=seed).fit(X).score_samples(new_X)
    yield np.array([np.mean([n_have.get(item, 0) <= rare for item in items]) for items in new])


def measure(n_draws):
    """Print a table of ROC AUC and average precision: means over draws."""
    labels, _, sessions = read_sessions()
    print("| items | question |", " | ".join(METHODS), "|\n" + "|---" * (2 + len(METHODS)) + "|")
    for pairs in (False, True):
        baskets = [basket(session, pairs) for session in sessions]
        for question in ("mixed", "clean"):
            figures = np.zeros((len(METHODS), 2))
            for seed in range(n_draws):
                fitted, scored = draw(labels, question, seed)
                training = [baskets[number] for number in fitted]
                new = training if question == "mixed" else [baskets[number] for number in scored]
                for figure, scores in zip(figures, score(training, new, seed), strict=True):
                    figure += np.array([f(labels[scored], scores) for f in (roc_auc_score, average_precision_score)])
            cells = [f"{auc:.3f} ({ap:.3f})" for auc, ap in figures / n_draws]
            print(f"| {'calls and pairs' if pairs else 'calls'} | {question} |", " | ".join(cells), "|")


def explain(figure, n_shown=8):
    """Print the strangest new sessions of one draw with their unexpected items, and draw where in the session these are."""
    labels, programs, sessions = read_sessions()
    baskets = [basket(session, pairs=True) for session in sessions]
    fitted, scored = draw(labels, "clean", seed=0)
    detector = TextOutlierDetector(random_state=0).fit([baskets[number] for number in fitted])
    new = [baskets[number] for number in scored]
    strangest = np.argsort(-detector.outlier_score(new), kind="stable")[:n_shown]
    reasons = [detector.explain(new, ids=[int(place)])[0] for place in strangest]
    odd = [next((name for name in programs[number] if name in ODD), "") for number in scored[strangest]]
    print("\nscore  odd        unexpected")
    for kind, why in zip(odd, reasons, strict=True):
        print(f"{why.score:5.2f}  {kind:9}  {', '.join(word.word for word in why.unexpected[:4])}")
    if figure:
        shown = [(programs[number], sessions[number]) for number in scored[strangest]]
        plot(figure, shown, odd, [{word.word for word in why.unexpected} for why in reasons])


def plot(file, shown, odd, unexpected):
    """Draw each session as a strip: calls from left to right, the odd program shaded, unexpected items as dark lines."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(shown), figsize=(8, 0.55 * len(shown)), sharex=True, layout="constrained")
    for axis, (programs, session), kind, items in zip(axes, shown, odd, unexpected, strict=True):
        calls = [call for program in session for call in program]
        ends = np.cumsum([len(program) for program in session])
        for name, end, program in zip(programs, ends, session, strict=True):
            axis.axvspan(end - len(program), end, color="#f6c7a0" if name == kind else "#eef1f4", ec="white")
        pairs = map(" → ".join, pairwise(calls))
        axis.vlines([n for n, pair in enumerate(pairs) if {calls[n], pair} & items], 0, 1, color="#7a1f3d", lw=0.8)
        axis.set(yticks=[], ylim=(0, 1))
        axis.tick_params(bottom=axis is axes[-1])
        axis.set_ylabel(kind or "ordinary", rotation=0, ha="right", va="center")
        axis.spines[:].set_visible(False)
    axes[-1].set_xlim(0, max(sum(map(len, session)) for _, session in shown))
    axes[-1].set_xlabel("system calls of a session, program by program")
    figure.savefig(file, dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Find odd shell sessions by their system calls.")
    parser.add_argument("--draws", type=int, default=5, help="number of random draws (default: 5)")
    parser.add_argument("--figure", help="where to write a picture of the strangest sessions")
    options = parser.parse_args()
    measure(options.draws)
    explain(options.figure)
