"""The experiments of the paper and those that explain its results, each with its measurement and its section of the page.

========= ==========================================================================================
(a)       `roc`: all methods on all data sets
(b)       `sensitivity`: α, the rank and β
(c)       `bbc_scores`: the scores of single documents
(d)       `insights`: the false positives
(e)       `convergence`: solvers, inner methods and starts
(f)       `own_topic`: outliers that get their own topic
(g)       `cost`: time and memory
baselines `rpca_lambda`, `baseline_ranks`, `threads`: why they do well or badly
========= ==========================================================================================
"""

from __future__ import annotations

from tonmf.experiments.paper.baseline_ranks import BASELINE_RANKS
from tonmf.experiments.paper.bbc_scores import BBC_SCORES
from tonmf.experiments.paper.convergence import CONVERGENCE
from tonmf.experiments.paper.cost import COST
from tonmf.experiments.paper.insights import INSIGHTS
from tonmf.experiments.paper.own_topic import OWN_TOPIC
from tonmf.experiments.paper.roc import ROC
from tonmf.experiments.paper.rpca_lambda import RPCA_LAMBDA
from tonmf.experiments.paper.sensitivity import BETA, SENSITIVITY
from tonmf.experiments.paper.threads import THREADS
from tonmf.experiments.specification import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        ROC,
        RPCA_LAMBDA,
        BASELINE_RANKS,
        THREADS,
        SENSITIVITY,
        BETA,
        OWN_TOPIC,
        BBC_SCORES,
        INSIGHTS,
        CONVERGENCE,
        COST,
    )
}
"""All experiments, in the order of the page."""
