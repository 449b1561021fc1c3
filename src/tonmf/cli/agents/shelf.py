"""Models by name: those that were fitted in this run, and the saved ones in one folder."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from tonmf.detector.detector import TextOutlierDetector
from tonmf.errors import InputError
from tonmf.persist import load_detector
from tonmf.ranking import Ranking
from tonmf.storage.bundles import check_is_model

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""Names that a model may have: never a path."""

MOST = 8
"""Models to hold in memory; the one that was used longest ago makes place."""


@dataclass
class Held:
    """A model in memory, the documents that it judged last, and notes on those."""

    name: str
    detector: TextOutlierDetector
    ranking: Ranking | None
    notes: list[str]


class ModelShelf:
    """Models by name.

    Parameters
    ----------
    folder : str or None
        Where saved models are; None if there are none.
    n_jobs : int or None
        Number of threads.
    """

    def __init__(self, folder: str | None, n_jobs: int | None) -> None:
        self.folder = None if folder is None else Path(os.path.realpath(folder))
        self._n_jobs, self._n_fitted = n_jobs, 0
        self._held: dict[str, Held] = {}

    def add(self, detector: TextOutlierDetector, ranking: Ranking, notes: list[str]) -> Held:
        """Hold a model that was just fitted, under a name of its own."""
        self._n_fitted += 1
        return self._hold(Held(f"unsaved-{self._n_fitted}", detector, ranking, notes))

    def get(self, name: str) -> Held:
        """Return a model, loaded if need be; raise `InputError` if there is none of this name."""
        if name in self._held:
            return self._hold(self._held.pop(name))
        if name not in self.saved():
            raise InputError(f"There is no model {name!r:.80}. Call list_models for the names, or detect to fit one.")
        assert self.folder is not None  # noqa: S101 (it has this model)
        detector = load_detector(self.folder / name)
        if detector.uses_embeddings_:
            raise InputError(
                f"The model {name} was fitted with embeddings, which these tools do not make. Fit one with detect, or let the "
                "user run tonmf score."
            )
        detector.n_jobs = self._n_jobs
        return self._hold(Held(name, detector, None, []))

    def held(self) -> list[Held]:
        """Return the models in memory."""
        return list(self._held.values())

    def saved(self) -> list[str]:
        """Return the names of the saved models."""
        if self.folder is None or not self.folder.is_dir():
            return []
        return [
            entry.name for entry in sorted(self.folder.iterdir(), key=lambda entry: entry.name) if self._is_model(entry)
        ]

    def save(self, held: Held, name: str, replace: bool) -> Path:
        """Save a model in the folder; return where."""
        assert self.folder is not None  # noqa: S101 (without a folder there is no tool to save)
        if not NAME.fullmatch(name):
            raise InputError(
                f"A model's name has up to 64 letters, digits, dots, hyphens and underscores, and begins with a letter or a "
                f"digit; got {name!r:.80}."
            )
        target = self.folder / name
        if target.is_symlink() or (target.exists() and not replace):
            raise InputError(
                f"There is something called {name} already. Give another name, or replace=true for a saved model."
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        held.detector.save(target)
        self._held.pop(name, None)
        self._hold(Held(name, held.detector, held.ranking, held.notes))
        return target

    def _hold(self, held: Held) -> Held:
        self._held[held.name] = held
        while len(self._held) > MOST:
            del self._held[next(iter(self._held))]
        return held

    def _is_model(self, path: Path) -> bool:
        if path.is_symlink() or not NAME.fullmatch(path.name):
            return False
        try:
            check_is_model(path)
        except InputError:
            return False
        return True
