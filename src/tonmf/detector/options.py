"""The options of `tonmf.TextOutlierDetector`: their defaults, and what each may be."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tonmf.errors import InPython, Message
from tonmf.nmf.options import MODEL_RULES
from tonmf.nmf.threads import CPU
from tonmf.parameters import RUNNING, Rule, defaults_of, is_number, is_whole
from tonmf.text.analysis import WORD_RULES
from tonmf.text.mask_names import ALL, DEFAULT_MASK, MASKS


def _all(values: Any, kind: Any, holds: Callable[[Any], bool]) -> bool:
    return isinstance(values, kind) and all(map(holds, values))


def _is_str(value: Any) -> bool:
    return isinstance(value, str)


def _is_pattern(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(re.compile(value))
    except (re.error, RecursionError, OverflowError):
        return False


LONGEST_SEQUENCE = 100
"""Most words or characters of a term: without a limit, a document would have a term for every pair of its words."""

DETECTOR_RULES: Mapping[str, Rule] = {
    "analyzer": Rule(
        "'word', 'char', 'char_wb' or a function from a document to its terms",
        lambda v: callable(v) or (isinstance(v, str) and v in ("word", "char", "char_wb")),
    ),
    "lowercase": Rule("True or False", lambda v: isinstance(v, bool | np.bool_)),
    "stop_words": Rule(
        Message("the name of a language", InPython(", a list of words, or None")),
        lambda v: v is None or isinstance(v, str) or _all(v, list | tuple | set | frozenset, _is_str),
    ),
    "ngram_range": Rule(
        f"a tuple (low, high) of whole numbers with 1 <= low <= high <= {LONGEST_SEQUENCE}",
        lambda v: (
            _all(v, list | tuple, lambda n: is_whole(n, 1)) and len(v) == 2 and bool(v[0] <= v[1] <= LONGEST_SEQUENCE)
        ),
    ),
    "token_pattern": Rule(
        Message("a regular expression", InPython(", or None for Unicode words")), lambda v: v is None or _is_pattern(v)
    ),
    "min_df": Rule(
        "a whole number of documents from 1 up, or a share of them above 0.0 and up to 1.0",
        lambda v: is_whole(v, 1) or (isinstance(v, float | np.floating) and bool(0 < v <= 1)),
    ),
    "stemmer": Rule(
        Message("the name of a language", InPython(", or None")), lambda v: v is None or isinstance(v, str)
    ),
    "word_rules": Rule(
        Message(f"one of {', '.join(map(repr, WORD_RULES))}", InPython(", or None")),
        lambda v: v is None or v in WORD_RULES,
    ),
    "mask": Rule(
        Message(
            InPython(
                f"a list of some of {', '.join(map(repr, MASKS))}; or 'all', or None",
                f"some of {', '.join(MASKS)}, with commas between; or all, or none",
            )
        ),
        lambda v: v is None or (isinstance(v, str) and v == ALL) or _all(v, list | tuple, lambda name: name in MASKS),
    ),
    "strip_html": Rule("True or False", lambda v: isinstance(v, bool | np.bool_)),
    "strip_headers": Rule("True or False", lambda v: isinstance(v, bool | np.bool_)),
    "boilerplate": Rule(
        Message("a share of the documents above 0 and up to 1", InPython(", or None", elsewhere=", or none")),
        lambda v: v is None or (is_number(v, 0, 1) and v > 0),
    ),
    "topic_shares": Rule(
        "a tuple of numbers above 0 and below 1",
        lambda v: _all(v, list | tuple, lambda share: is_number(share, 0, 1) and 0 < share < 1) and len(v) > 0,
    ),
    "n_restarts": Rule("a whole number of at least 1", lambda v: is_whole(v, 1)),
    "max_topics": MODEL_RULES["max_topics"],
    "memory": Rule(
        Message("a number of bytes", InPython(",", elsewhere=" or"), " a text such as '2GB'", InPython(", or None")),
        lambda v: v is None or isinstance(v, int | str),
    ),
    "cache": Rule(
        Message("the name of a folder", InPython(", or None")), lambda v: v is None or isinstance(v, str | os.PathLike)
    ),
    "embedder": Rule(
        Message("the name of an embedding model", InPython(", an object with a method encode, or None")),
        lambda v: v is None or (v != "" if isinstance(v, str) else callable(getattr(v, "encode", None))),
    ),
    "backend": MODEL_RULES["backend"],
    "device": MODEL_RULES["device"],
    "half_life": MODEL_RULES["half_life"],
    **RUNNING,
}


class DetectorOptions:
    """The options as the constructor of the detector takes them; `tonmf.TextOutlierDetector` documents them."""

    def __init__(
        self,
        *,
        analyzer: str | Callable[[Any], Any] = "word",
        lowercase: bool = True,
        stop_words: Any = "english",
        ngram_range: tuple[int, int] = (1, 1),
        token_pattern: str | None = None,
        min_df: int | float = 2,
        stemmer: str | None = None,
        word_rules: str | None = None,
        mask: Sequence[str] | str | None = DEFAULT_MASK,
        strip_html: bool = True,
        strip_headers: bool = True,
        boilerplate: float | None = 0.05,
        vectorizer: Any = None,
        topic_shares: tuple[float, ...] = (0.0075, 0.015, 0.03),
        n_restarts: int = 2,
        max_topics: int = 25,
        contamination: float | str = "auto",
        backend: str = "numba",
        device: str = CPU,
        n_jobs: int | None = None,
        half_life: Any = None,
        random_state: Any = 0,
        memory: int | str | None = None,
        cache: str | Path | None = None,
        embedder: Any = None,
        callback: Callable[[float], None] | None = None,
    ) -> None:
        self.analyzer = analyzer
        self.lowercase = lowercase
        self.stop_words = stop_words
        self.ngram_range = ngram_range
        self.token_pattern = token_pattern
        self.min_df = min_df
        self.stemmer = stemmer
        self.word_rules = word_rules
        self.mask = mask
        self.strip_html = strip_html
        self.strip_headers = strip_headers
        self.boilerplate = boilerplate
        self.vectorizer = vectorizer
        self.topic_shares = topic_shares
        self.n_restarts = n_restarts
        self.max_topics = max_topics
        self.contamination = contamination
        self.backend = backend
        self.device = device
        self.n_jobs = n_jobs
        self.half_life = half_life
        self.random_state = random_state
        self.memory = memory
        self.cache = cache
        self.embedder = embedder
        self.callback = callback


def options_of(detector: DetectorOptions) -> dict[str, Any]:
    """Return the options of a detector by name."""
    return {name: getattr(detector, name) for name in defaults_of(type(detector))}
