"""Take a reader's marks, and let scores follow them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Self

from tonmf.arrays import Array
from tonmf.detector.fitted.scoring import ScoringDetector
from tonmf.detector.markable import document_marks, marked_ids, training_marks
from tonmf.detector.marking import with_marks
from tonmf.detector.marks.likeness import Centred
from tonmf.detector.marks.rule import MarkRule
from tonmf.detector.reading import FollowingScores
from tonmf.errors import InputError, Param
from tonmf.text.documents import as_documents
from tonmf.text.frames import names_for


class MarkingDetector(ScoringDetector):
    """A fitted detector that takes marks."""

    def mark(
        self,
        strange: Iterable[int | str] = (),
        fine: Iterable[int | str] = (),
        *,
        documents: Any = None,
        embeddings: Any = None,
        names: Sequence[Any] | None = None,
    ) -> Self:
        """Mark documents as strange or fine: documents like them score higher or lower from now on (docs/guide/marks.md).

        Scores, ranks, threshold and flags follow at once, those of new documents too. A document that is marked again has
        the later mark only. ``fit`` forgets all marks; ``partial_fit`` keeps them.

        Parameters
        ----------
        strange, fine : sequence of int or str
            Numbers of documents, from 0, or their names as strings. Numbers are places in ``outlier_scores_``.
        documents : as in ``fit``, optional
            The documents to choose from, if they are not the training documents, or if the detector does not have these any
            more: when it was loaded, or fitted on disk or on a cluster. If they turn out to be the training documents,
            ``outlier_scores_`` follow from then on.
        embeddings : array of shape (n_docs, width), optional
            Embeddings of `documents`, if the detector was fitted with embeddings.
        names : sequence of shape (n_docs,), optional
            Names of `documents`. New documents without names are called by their content, such as "new-3fa9c2d1b0".

        Returns
        -------
        self : TextOutlierDetector

        Examples
        --------
        >>> from tonmf import TextOutlierDetector
        >>> from tonmf.datasets import load_noticeboard
        >>> board = load_noticeboard()
        >>> detector = TextOutlierDetector().fit(board.texts, names=board.ids)
        >>> detector.mark(strange=["post-065"], fine=["post-111"]).marks_
        {'post-065': 'strange', 'post-111': 'fine'}
        >>> detector.labels_[[board.ids.index("post-065"), board.ids.index("post-111")]].tolist()
        [-1, 1]
        """
        reader = self._reader
        state = reader.state
        if documents is None:
            for name, value in (("embeddings", embeddings), ("names", names)):
                if value is not None:
                    raise InputError(Param(name), " are those of ", Param("documents"), ". Give both, or leave it out.")
            new = training_marks(state, strange, fine, self.word_)
        else:
            names, (documents, _) = names_for(documents, names), as_documents(documents)
            if names is None and self._known_names is not None:
                names = self._known_names.given_to(documents)
            rows = reader.embeddings_of(documents, embeddings)
            state, new = document_marks(reader, documents, rows, names, strange, fine)
        if new is None:
            return self
        marks = new if state.marks is None else state.marks.followed_by(new)
        self._adopt(with_marks(state, marks, self.contamination), self._column, self._known_names)
        return self

    def unmark(self, ids: Iterable[int | str] | None = None) -> Self:
        """Take marks away; without any left, scores are what they were before.

        Parameters
        ----------
        ids : sequence of int or str, optional
            Names of marked documents, as in ``marks_``, or numbers of training documents; all marks if not given.

        Returns
        -------
        self : TextOutlierDetector
        """
        self._check_is_fitted()
        state, kept = self._state, None
        if ids is not None:
            gone = marked_ids(state, ids)
            kept = None if state.marks is None else state.marks.without(gone)
        self._adopt(with_marks(state, kept, self.contamination), self._column, self._known_names)
        return self

    def follow(self, documents: Any, *, embeddings: Any = None) -> FollowingScores:
        """Score new documents so that their scores can follow marks at once (`scores_of`), without reading them again.

        Returns
        -------
        documents : FollowingScores
        """
        return self._reader.follow(documents, embeddings)

    def scores_of(self, documents: FollowingScores) -> Array:
        """Return the scores, with the marks as they are now, of documents that this detector scored before.

        Returns
        -------
        scores : ndarray of shape (n_docs,)
        """
        marking = self._reader.state.marking
        return documents.by(None if marking is None else marking.effects)

    def effects_of_other_marks(self) -> dict[str, float]:
        """Return for each of the latest marked documents what the marks on the other documents add to its score.

        With this, its score is that of a document that is not marked, and says how well marks tell such documents apart.

        Returns
        -------
        effects : dict of str to float
            By the id of the marked document.
        """
        marking = self._reader.state.marking
        if marking is None:
            return {}
        added = marking.effects.left_out().tolist()
        return dict(zip(marking.effects.marks.ids[-len(added) :], added, strict=True))

    def forget_training_rows(self) -> Self:
        """Forget the rows of the training documents, as a saved detector does: from then on they do not follow marks.

        A stream that does so comes to the same results whether or not it was saved and loaded on the way.

        Returns
        -------
        self : TextOutlierDetector
        """
        self._check_is_fitted()
        if self._state.rows is not None:
            self._adopt(replace(self._state, rows=None), self._column, self._known_names)
        return self

    def mark_rule(self) -> MarkRule:
        """Return how scores follow marks, for programs that do not have the detector; only for one without embeddings.

        Returns
        -------
        rule : MarkRule
        """
        self._check_is_fitted()
        state = self._state
        if state.scorer.meaning is not None:
            raise InputError("The detector was fitted with embeddings, and a rule for marks holds words only.")
        share = None if isinstance(self.contamination, str) or state.stream is not None else self.contamination
        return MarkRule(
            Centred.around(state.scorer.sample),
            state.scorer.sample,
            None if state.marking is None else state.marking.effects,
            state.threshold,
            state.scorer.level,
            share,
        )
