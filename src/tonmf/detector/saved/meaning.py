"""The meaning of the sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from tonmf.detector.saved.parts import read_scale, scale_fields
from tonmf.detector.scores.meaning import Meaning
from tonmf.storage.bundles import UNIT, Bundle


def meaning_fields(meaning: Meaning) -> dict[str, Any]:
    """Return the JSON part of the sample's meaning."""
    return {
        "width": meaning.rows.shape[1],
        "weight": float(meaning.weight),
        "scale": scale_fields(meaning.scale),
    }


def read_meaning(bundle: Bundle, n_sample: int) -> Meaning:
    """Read the meaning of the sample's documents."""
    part = bundle.part("meaning")
    width = part.whole("width", low=1)
    return Meaning(
        part.array("rows", np.float32, (n_sample, width), most=UNIT),
        part.array("centre", np.float32, (width,), most=UNIT),
        read_scale(part, "scale"),
        part.number("weight", above=-1e-9),
    )
