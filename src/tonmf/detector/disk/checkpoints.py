"""Keep fits on disk, finished or midway, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np

from tonmf.detector.disk.shards import ShardSource
from tonmf.detector.scores.corpus import Glance
from tonmf.detector.scores.ladder import Rung
from tonmf.detector.scores.scale import Scale
from tonmf.nmf.blocks import Source
from tonmf.nmf.mixture import Mixture
from tonmf.nmf.penalty import Penalty
from tonmf.nmf.solver import Midway
from tonmf.storage.array_file import ArrayFile, write_arrays
from tonmf.storage.atomic import part_name, whole_or_nothing
from tonmf.storage.json_file import read_json, write_json

EVERY = 5
"""Passes between two checkpoints."""


class DiskLadderCheckpoints:
    """`tonmf.detector.scores.ladder.LadderCheckpoints` in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)

    def finished(self, name: str) -> tuple[Rung, Glance] | None:
        """Return a finished fit."""
        if not (self._folder / name).exists():
            return None
        file = ArrayFile(self._folder / name)
        topics, shares, ratios, prior, scales = (
            np.array(file.map(part)) for part in ("topics", "shares", "ratios", "prior", "scales")
        )
        topic_share, *numbers = map(float, scales)
        rung = Rung(topic_share, topics, shares, Mixture(ratios, prior), Scale(*numbers[:2]), Scale(*numbers[2:]))
        return rung, Glance(*(file.map(part) for part in Glance.__dataclass_fields__))

    def keep(self, name: str, rung: Rung, glance: Glance) -> None:
        """Keep a finished fit, and remove its checkpoint."""
        scales = [scale for both in (rung.help_scale, rung.share_scale) for scale in (both.median, both.spread)]
        write_arrays(
            self._folder / name,
            {
                "topics": rung.topics,
                "shares": rung.shares,
                "ratios": rung.mixture.ratios,
                "prior": rung.mixture.prior,
                "scales": np.array([rung.topic_share, *scales]),
                **vars(glance),
            },
        )
        shutil.rmtree(self._folder / f"{name}-midway", ignore_errors=True)

    def of_fit(self, name: str, source: Source) -> DiskCheckpoints:
        """Return the checkpoints of one fit."""
        assert isinstance(source, ShardSource)  # noqa: S101 (checkpoints on disk are of documents on disk)
        return DiskCheckpoints(self._folder / f"{name}-midway", source)


class DiskCheckpoints:
    """`tonmf.nmf.solver.Checkpoints` in a folder that holds the last one, which goes when the next is complete."""

    def __init__(self, folder: Path, source: ShardSource) -> None:
        self._folder, self._source = folder, source

    def load(self) -> Midway | None:
        """Load the last checkpoint."""
        last = self._last()
        if last is None:
            return None
        file = ArrayFile(last / "topics")
        numbers: dict[str, Any] = read_json(last / "midway.json")
        W = np.array(file.map("W"))
        self._source.fit.restore(last, W.shape[1])
        return Midway(
            int(numbers["iteration"]),
            W,
            float(numbers["alpha"]),
            np.array(file.map("beta")),
            Penalty(*map(float, numbers["penalty"])),
            [float(value) for value in numbers["history"]],
        )

    def save(self, midway: Midway) -> None:
        """Save a checkpoint every few passes."""
        if midway.iteration % EVERY:
            return
        self._folder.mkdir(exist_ok=True)
        for unfinished in self._folder.glob("*.part"):
            shutil.rmtree(unfinished)
        before, target = self._last(), self._folder / f"{midway.iteration:05}"
        with whole_or_nothing(target, part_name(target)) as here:
            here.mkdir()
            self._source.fit.save(here)
            write_arrays(here / "topics", {"W": midway.W, "beta": midway.beta})
            penalty = midway.penalty
            numbers = {
                "iteration": midway.iteration,
                "alpha": midway.alpha,
                "penalty": [penalty.beta, penalty.price, penalty.floor],
                "history": midway.history,
            }
            write_json(here / "midway.json", numbers)
        if before is not None:
            shutil.rmtree(before)

    def _last(self) -> Path | None:
        return max((path for path in self._folder.glob("[0-9]*") if not path.suffix), default=None)
