"""Which experiments there are."""

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
"""In the order of the page."""
