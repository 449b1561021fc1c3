"""The options of `tonmf.TextOutlierDetector`, and what each may be."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tonmf.errors import InPython, Message
from tonmf.nmf.options import MODEL_RULES
from tonmf.parameters import RUNNING, Rule, is_number, is_whole
from tonmf.text.analysis import WORD_RULES


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
    "backend": MODEL_RULES["backend"],
    "half_life": MODEL_RULES["half_life"],
    **RUNNING,
}
