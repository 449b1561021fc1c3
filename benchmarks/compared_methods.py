"""The methods that `benchmarks.compared` compares, each as its makers recommend it for texts, or with its defaults.

A method gets a `Reading` of a draw, and yields scores by setting each time that it has fitted something. Nothing is chosen with
the labels. PyOD's second preset for texts has embeddings of mpnet, and BERTopic and cleanlab take those of any model; all see
MiniLM here, as tonmf does.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.embeddings import embeddings_for
from benchmarks.peers import SEED, Scores, View
from tonmf import EmbeddingOutlierDetector, TextOutlierDetector
from tonmf.baselines import KNNDistance

OURS, FUSED, MEANING = "tonmf", "tonmf + MiniLM", "tonmf, MiniLM alone"

NEIGHBOURS = (10, 50)
"""k of plain k-NN: the default of cleanlab, and the best on the tasks of `benchmarks.quality`."""


class Reading(View):
    """A draw as the methods see it: its texts, its tf-idf rows and their singular directions, and its embeddings."""

    @cached_property
    def embeddings(self) -> NDArray[np.float32]:
        """MiniLM embeddings, unit rows."""
        return embeddings_for(self.dataset)


def _words(seen: Reading) -> Iterator[Scores]:
    yield {"default": TextOutlierDetector(n_jobs=1).fit(seen.documents).outlier_scores_}


def _fused(seen: Reading) -> Iterator[Scores]:
    yield {"default": TextOutlierDetector(n_jobs=1).fit(seen.documents, embeddings=seen.embeddings).outlier_scores_}


def _meaning(seen: Reading) -> Iterator[Scores]:
    yield {"default": EmbeddingOutlierDetector(n_jobs=1).fit(seen.embeddings).outlier_scores_}


def _pyod_texts(seen: Reading) -> Iterator[Scores]:
    """Score by `EmbeddingOD.for_text`, whose presets name k-NN and LUNAR."""
    import torch
    from pyod.models.embedding import EmbeddingOD
    from pyod.utils.encoders import CallableEncoder

    torch.set_num_threads(1)
    encoder = CallableEncoder(lambda texts: seen.embeddings)
    for preset, detector in (("fast", "KNN"), ("balanced", "LUNAR")):
        model = EmbeddingOD.for_text(preset, encoder=encoder, random_state=SEED).fit(seen.documents)
        assert model.detector == detector
        yield {f"for_text, {detector}": model.decision_scores_}


def _pyod_rows(seen: Reading) -> Iterator[Scores]:
    """Score by what PyOD's engine recommends for any table, in the first 100 singular directions of tf-idf, unit rows."""
    from pyod.models.ecod import ECOD
    from pyod.models.iforest import IForest
    from pyod.models.knn import KNN

    for model in (IForest(random_state=SEED), ECOD(), KNN()):
        yield {type(model).__name__: model.fit(seen.svd.unit).decision_scores_}


def _bertopic(seen: Reading) -> Iterator[Scores]:
    """Score by what BERTopic knows of outliers: topic −1 and the topic's probability, and the scores of its HDBSCAN."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    from bertopic import BERTopic
    from umap import UMAP

    umap = UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=SEED)  # the default, seeded
    model = BERTopic(umap_model=umap)
    topics, probabilities = model.fit_transform(seen.documents, seen.embeddings)
    yield {
        "topic −1": np.array(topics) == -1,
        "1 − probability of the topic": 1 - np.asarray(probabilities),  # 0 for topic −1
        "HDBSCAN's outlier score": model.hdbscan_model.outlier_scores_,
    }


def _cleanlab(seen: Reading) -> Iterator[Scores]:
    from cleanlab import Datalab
    from cleanlab.outlier import OutOfDistribution

    yield {"OutOfDistribution": -OutOfDistribution().fit_score(features=seen.embeddings, verbose=False)}
    with contextlib.redirect_stdout(io.StringIO()):
        lab = Datalab(data={"text": list(seen.documents)}, verbosity=0)
        lab.find_issues(features=seen.embeddings, issue_types={"outlier": {}})
    yield {"Datalab": -lab.get_issues("outlier")["outlier_score"].to_numpy()}


def _neighbours(rows: Callable[[Reading], Any]) -> Callable[[Reading], Iterator[Scores]]:
    def score(seen: Reading) -> Iterator[Scores]:
        for k in NEIGHBOURS:
            model = KNNDistance(k, metric="cosine", score_by="mean").fit(rows(seen))
            yield {f"k={k}": model.outlier_scores_}

    return score


METHODS: dict[str, Callable[[Reading], Iterator[Scores]]] = {
    OURS: _words,
    FUSED: _fused,
    MEANING: _meaning,
    "PyOD, MiniLM": _pyod_texts,
    "PyOD, tf-idf": _pyod_rows,
    "BERTopic, MiniLM": _bertopic,
    "cleanlab, MiniLM": _cleanlab,
    "k-NN, MiniLM": _neighbours(lambda seen: seen.embeddings),
    "k-NN, tf-idf": _neighbours(lambda seen: seen.tfidf),
}
"""Functions that score a draw, by the name of the method."""
