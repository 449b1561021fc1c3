"""The options of `tonmf.TONMF`: the rule for each, and which go together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from tonmf.errors import InPython, Message, Param, ParameterError
from tonmf.nmf.inner import INNER_METHODS
from tonmf.nmf.starts import STARTS
from tonmf.nmf.threads import BACKENDS, CPU
from tonmf.parameters import (
    MAX_ITER,
    RUNNING,
    TOL,
    Rule,
    check_parameters,
    check_unused,
    is_auto,
    is_number,
    is_whole,
    one_of,
    whole_or_none,
)
from tonmf.stream.half_life import EXPECTED, is_half_life

SOLVERS = ("reweighted", "paper")
MIXTURE_SCORES = ("unexplained", "lift")
SCORES = ("residual", "paper", *MIXTURE_SCORES)


def _is_start(value: Any) -> bool:
    if isinstance(value, str):
        return value in STARTS
    return isinstance(value, tuple) and len(value) == 2


DEVICE = Rule(
    "'cpu', or the name of a GPU: 'cuda', 'cuda:1' and so on",
    lambda v: isinstance(v, str) and re.fullmatch(r"cpu|cuda(:\d{1,4})?", v) is not None,
)

MODEL_RULES: Mapping[str, Rule] = {
    "n_topics": Rule(
        Message("a whole number of at least 1, 'auto'", InPython(", or None for 10 or fewer if the matrix is smaller")),
        lambda v: v is None or is_auto(v) or is_whole(v, 1),
    ),
    "max_topics": Rule("a whole number of at least 1", lambda v: is_whole(v, 1)),
    "topic_share": Rule("a number above 0 and below 1", lambda v: is_number(v, 0, 1) and 0 < v < 1),
    "alpha": Rule(
        "a number above 0 (np.inf for plain NMF) or 'auto'",
        lambda v: is_auto(v) or (is_number(v, 0) and v > 0),
    ),
    "beta": Rule("a finite number of at least 0", lambda v: is_number(v, 0) and np.isfinite(v)),
    "solver": one_of(SOLVERS),
    "inner": one_of(INNER_METHODS),
    "init": Rule(f"one of {', '.join(map(repr, STARTS))}, or a tuple of arrays (H, W)", _is_start),
    "max_iter": MAX_ITER,
    "tol": TOL,
    "inner_iter": whole_or_none(1, "the solver's default"),
    "inner_tol": Rule(
        Message("a number of at least 0", InPython(", or None for the solver's default")),
        lambda v: v is None or is_number(v, 0),
    ),
    "score_by": one_of(SCORES),
    "block_size": whole_or_none(1, "a size that fits the caches"),
    "executor": Rule(
        Message("a dask.distributed Client", InPython(", or None for this process")),
        lambda v: v is None or hasattr(v, "scheduler_info"),
    ),
    "backend": one_of(BACKENDS),
    "device": DEVICE,
    "half_life": Rule(EXPECTED, is_half_life),
    **RUNNING,
}


def check_device(values: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Check that no option says that the arithmetic of a GPU runs elsewhere."""
    if values["device"] != CPU:
        check_unused(values, defaults, ("backend",), Message("with ", Param("device", values["device"])))
        if values.get("executor") is not None:
            raise ParameterError(
                Param("device", values["device"]),
                " is for documents in this process, and ",
                Param("executor"),
                " is a cluster. Leave one of them out.",
            )


def check_model_parameters(values: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Check the parameters of `tonmf.TONMF`, one by one and together."""
    check_parameters(values, MODEL_RULES)
    check_device(values, defaults)
    if values["inner_iter"] is not None and values["inner"] == "anls" and values["solver"] == "reweighted":
        raise ParameterError(
            Param("inner_iter"),
            " counts sweeps, and ",
            Param("inner", "anls"),
            " solves each factor at once. Leave it at None.",
        )
    if not is_auto(values["n_topics"]):
        check_unused(values, defaults, ("max_topics", "topic_share"), Message("unless ", Param("n_topics", "auto")))
    if is_auto(values["n_topics"]) and values["solver"] != "reweighted":
        raise ParameterError(
            Param("n_topics", "auto"),
            " is for ",
            Param("solver", "reweighted"),
            "; got ",
            Param("solver", values["solver"]),
            ". Give a number of topics, or leave the solver at its default.",
        )
    if values["inner_tol"] is not None and values["solver"] != "paper":
        raise ParameterError(
            Param("inner_tol"),
            " stops the inner loop of ",
            Param("solver", "paper"),
            "; ",
            Param("solver", values["solver"]),
            " has none. Leave it at None.",
        )
