"""Which experiments there are."""

from __future__ import annotations

from tonmf.experiments.baseline_ranks import BASELINE_RANKS
from tonmf.experiments.bbc_scores import BBC_SCORES
from tonmf.experiments.convergence import CONVERGENCE
from tonmf.experiments.cost import COST
from tonmf.experiments.insights import INSIGHTS
from tonmf.experiments.own_topic import OWN_TOPIC
from tonmf.experiments.roc import ROC
from tonmf.experiments.rpca_lambda import RPCA_LAMBDA
from tonmf.experiments.sensitivity import BETA, SENSITIVITY
from tonmf.experiments.specification import Experiment
from tonmf.experiments.threads import THREADS

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
