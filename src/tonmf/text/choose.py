"""Choose the vocabulary for a kind of documents (`tonmf.text.vocabulary`), by the options of the detector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tonmf.errors import InputError, Message, Param
from tonmf.parameters import check_unused
from tonmf.text.analysis import TEXT_OPTIONS, WORD_RULES, Analysis, Analyzer, WordRules, make_analyzer
from tonmf.text.documents import COUNTS, ITEMS, TEXTS, items_of
from tonmf.text.vocabulary import Vocabulary
from tonmf.text.vocabulary.matrix import MatrixCounter
from tonmf.text.vocabulary.terms import TermCounter
from tonmf.text.vocabulary.vectorizer import VectorizerCounter


def make_counter(values: Mapping[str, Any], kind: str, terms: Sequence[str] | None) -> Vocabulary:
    """Make the vocabulary, still to be learnt, for a kind of documents; `terms` are the names of a matrix's columns."""
    if kind == COUNTS:
        return MatrixCounter(values["min_df"], terms)
    if terms is not None:
        raise InputError(f"terms name the columns of a matrix of counts; the documents are {kind}. Leave them out.")
    if values["vectorizer"] is not None:
        return VectorizerCounter(values["vectorizer"])
    analyze: Analyzer = items_of if kind == ITEMS else make_analysis(values)
    rules = analyze.rules if isinstance(analyze, Analysis) else None
    return TermCounter(analyze, values["min_df"], rules, boilerplate_share(values, kind))


def boilerplate_share(values: Mapping[str, Any], kind: str) -> float | None:
    """Return the share of documents that makes a passage boilerplate; None if documents are not cut into passages."""
    if kind != TEXTS or callable(values["analyzer"]) or values["boilerplate"] is None:
        return None
    return float(values["boilerplate"])


def make_analysis(values: Mapping[str, Any], emoji: bool = True) -> Analysis:
    """Make the function that cuts texts into terms; in models of earlier versions emoji are no words."""
    rules = WordRules() if values["word_rules"] is None else WORD_RULES[values["word_rules"]]
    options = {name: values[name] for name in TEXT_OPTIONS if name != "word_rules"}
    return make_analyzer(**options, rules=rules, emoji=emoji)


def check_no_option_idle(values: Mapping[str, Any], defaults: Mapping[str, Any], kind: str) -> None:
    """Raise `ParameterError` for an option that would have no effect."""
    if values["vectorizer"] is not None:
        replaced = (*TEXT_OPTIONS, "boilerplate", "min_df")
        check_unused(values, defaults, replaced, Message("beside your own ", Param("vectorizer")))
    if kind != TEXTS:
        check_unused(values, defaults, (*TEXT_OPTIONS, "boilerplate"), f"on {kind}")
    if kind == COUNTS:
        check_unused(values, defaults, ("vectorizer",), f"on {kind}")
    if values["analyzer"] != "word":
        names = ("stop_words", "token_pattern", "stemmer", "word_rules", "mask")
        check_unused(values, defaults, names, Message("unless ", Param("analyzer", "word")))
    if callable(values["analyzer"]):
        check_unused(
            values,
            defaults,
            ("ngram_range", "lowercase", "strip_headers", "strip_html", "boilerplate"),
            "beside an analyzer of your own",
        )
    if values["token_pattern"] is not None:
        check_unused(values, defaults, ("mask",), Message("beside your own ", Param("token_pattern")))
