"""Take on a state, save it, and load it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np

from tonmf.detector.embedder import EncoderAtHand, kept_embedder
from tonmf.detector.options import DETECTOR_RULES, DetectorOptions, options_of
from tonmf.detector.reading import Reader
from tonmf.detector.saved.state import MODEL, read_state, state_arrays, state_fields
from tonmf.detector.scores.groups import Groups
from tonmf.detector.state import DetectorState
from tonmf.embed import Encoder
from tonmf.errors import Param, ParameterError
from tonmf.nmf.threads import make_ops, n_threads_of
from tonmf.parameters import defaults_of
from tonmf.storage.bundles import Bundle, provenance, write_bundle
from tonmf.storage.parameters import kept_parameters, restored_parameters
from tonmf.text.counts import threads_for
from tonmf.text.documents import KnownNames

UNBOUNDED = "the time that this regular expression takes may grow much faster than a text"
"""What is wrong with a pattern that is neither saved nor loaded (`tonmf.text.patterns`)."""


def _is_harmless(token_pattern: str | None) -> bool:
    if token_pattern is None:
        return True
    from tonmf.text.patterns import is_linear  # seldom needed

    return is_linear(token_pattern)


class StatefulDetector(DetectorOptions):
    """A detector that has a state."""

    def save(self, path: str | Path, *, excerpts: bool = True, rows: bool = False) -> None:
        """Save the fitted detector in a folder that ``tonmf.load`` reads, and that holds nothing that can execute.

        Parameters
        ----------
        path : str or Path
            The folder. A saved model that is there is replaced once this one is complete.
        excerpts : bool
            Whether to keep the beginnings of up to 2,000 ordinary training documents (160 characters each), to show beside
            documents that are explained. Their names are always kept.
        rows : bool
            Whether to keep the names and rows of all training documents as well, if the detector has them, so that it can
            mark them by name once it is loaded.
        """
        self._check_is_fitted()
        if not _is_harmless(self.token_pattern):
            raise ParameterError(
                "A detector with ",
                Param("token_pattern"),
                f"={self.token_pattern!r:.60} cannot be saved, as it could not be loaded: {UNBOUNDED}. Use a simpler one, such "
                r"as '[a-z]{3,}' or '\w+(?:-\w+)*'; docs/guide/saved-models.md says which may be saved.",
            )
        parameters = kept_parameters({**options_of(self), "embedder": kept_embedder(self.embedder)})
        fields = {"parameters": parameters, **state_fields(self._state, excerpts, rows), "provenance": provenance()}
        write_bundle(path, MODEL, fields, state_arrays(self._state, rows))

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> Self:
        """Read the detector in a saved model; ``tonmf.load`` calls it."""
        parameters = restored_parameters(bundle, defaults_of(cls), DETECTOR_RULES)
        if not _is_harmless(parameters["token_pattern"]):
            raise bundle.wrong(f"token_pattern is {parameters['token_pattern']!r:.60}, and {UNBOUNDED}")
        try:
            state = read_state(bundle, parameters)
        except ParameterError as error:
            raise bundle.wrong(str(error).rstrip(".")) from error
        return cls.from_state(state, **parameters)

    @classmethod
    def from_state(cls, state: DetectorState, **parameters: Any) -> Self:
        """Make a fitted detector of a state that was learnt elsewhere, such as on a cluster."""
        detector = cls(**parameters)
        detector._adopt(state)
        return detector

    def _check_is_fitted(self) -> None:
        """Raise scikit-learn's ``NotFittedError`` if there is no state yet."""
        if not hasattr(self, "_state"):
            from sklearn.utils.validation import check_is_fitted  # heavy, and a loaded detector has a state

            check_is_fitted(self)

    def _adopt(self, state: DetectorState, column: Any = None, known_names: KnownNames | None = None) -> None:
        """Take on a state, and be the fitted detector that it describes.

        `column` is what the column of the documents was called, and `known_names` are what they were called themselves.
        """
        self._column, self._known_names = column, known_names
        self._state, self._explainer = state, state.explainer(self.analyzer)
        self.kind_, self.terms_, self.n_terms_ = state.kind, state.counter.terms, len(state.counter.terms)
        self.boilerplate_ = state.counter.boilerplate.listed()
        self.idf_, self.idf_outside_ = state.idf, state.scorer.alarms.rarity_outside + 1
        self.n_seen_ = state.profile.n_docs if state.stream is None else state.stream.n_seen
        self.word_ = state.word(self.analyzer)
        self.column_names_ = getattr(state.counter, "names", None)
        self.n_columns_ = getattr(state.counter, "n_columns", None)
        self.uses_embeddings_ = state.scorer.meaning is not None
        self.embedded_by_ = None if state.embedded_by is None else state.embedded_by.name
        self.rungs_ = list(state.scorer.rungs)
        self.groups_ = Groups(state.groups, None if state.rows is None else state.rows.ids)
        self.outlier_scores_, self.unmarked_scores_ = state.marked_scores, state.outlier_scores
        self.marks_ = {} if state.marks is None else state.marks.named()
        self.p_values_ = state.p_values
        self.scores_before_alarms_ = state.scores_before_alarms
        self.alarms_, self.empty_ = state.alarms, state.alarms["empty"] > 0
        self.threshold_, self.offset_ = state.marked_threshold, -state.marked_threshold
        of_training = state.threshold if state.marking is None else state.marking.training_threshold
        self.labels_ = np.where(~self.empty_ & (self.outlier_scores_ > of_training), -1, 1)

    @property
    def _reader(self) -> Reader:
        self._check_is_fitted()
        ops = make_ops(self.backend, self.n_jobs, self.device)
        return Reader(self._state, self._explainer, ops, self.max_topics, self.encoder)

    def encoder(self) -> Encoder | None:
        """Return the encoder of the embedder, which is loaded when it is first asked for; None if there is none.

        Returns
        -------
        encoder : Encoder or None
        """
        if self.embedder is None:
            return None
        at_hand: EncoderAtHand = self.__dict__.setdefault("_encoder_at_hand", EncoderAtHand())
        return at_hand.get(self.embedder)

    @property
    def n_readers_(self) -> int:
        """Return how many threads may read documents at the same time: one if code that is not ours cuts or embeds them."""
        self._check_is_fitted()
        if self.uses_embeddings_:
            return 1
        return threads_for(self._state.counter.analyze, n_threads_of(self.n_jobs))
