"""From a text to its terms: scikit-learn's conventions, without headers and markup, with masks, stems and limits on words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from tonmf.errors import InPython, MissingExtraError, Param, ParameterError
from tonmf.text.english import STOP_WORDS
from tonmf.text.mail import without_headers
from tonmf.text.markup import PAD, places_without_pads, without_markup
from tonmf.text.mask_names import classes_of
from tonmf.text.masks import MaskedWords, is_mask, is_number, numbers_among
from tonmf.text.words import without_mark, word_spans, words_of

Analyzer = Callable[[Any], Iterable[str]]


@dataclass(frozen=True)
class WordRules:
    """Limits on words: their length in characters, their occurrences, and the documents that they occur in."""

    min_length: int = 1
    max_length: float = np.inf
    min_count: int = 1
    min_df: int = 1

    def allow(self, term: str) -> bool:
        """Return whether the length of every word of a term is within the limits."""
        return all(self.min_length <= len(word) <= self.max_length for word in term.split(" "))


WORDS_REMEMBERED, LONGEST_REMEMBERED = 100_000, 40
"""The most words whose terms are cached, and the most characters of such a word."""

WORD_RULES = {"paper": WordRules(min_length=3, max_length=15, min_count=4, min_df=2)}
"""Presets. ``paper``: the limits that the paper set for its texts."""


@dataclass(frozen=True)
class SingleWords:
    """Words but stop words, one by one: what scikit-learn's CountVectorizer makes of a text if terms are single words."""

    cut: Callable[[str], list[str]]
    lowercase: bool
    stop_words: frozenset[str]

    def __call__(self, text: str) -> list[str]:
        """Return the words of a text that are terms."""
        words = self.cut(text.lower() if self.lowercase else text)
        return [word for word in words if word not in self.stop_words] if self.stop_words else words


@dataclass
class ByWord:
    """How the words of a text become terms one by one, where words are cut by our own pattern (`tonmf.text.compiled`)."""

    lowercase: bool
    stop_words: frozenset[str]
    tables: list[Any] = field(default_factory=list, repr=False, compare=False)
    """Tables of words seen so far that no caller is using."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "tables": []}  # made again when they are needed


@dataclass
class Analysis:
    """A function from a text to its terms. It is a class so that detectors can be copied and pickled."""

    analyze: Analyzer
    stemmer: str | None
    rules: WordRules
    analyze_word: Analyzer | None = None
    word_pattern: str | None = None
    masked_words: MaskedWords | None = None
    strip_html: bool = False
    strip_headers: bool = False
    emoji: bool = True
    by_word: ByWord | None = None
    _stem: Any = field(default=None, repr=False)
    _terms: dict[str, list[str]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._has_limits = self.rules != WordRules()

    def __call__(self, text: Any) -> Iterable[str]:
        """Return the terms of a text."""
        return self._as_terms(self.analyze(_readable(text, self.visible(text))))

    def prepared(self, text: str, visible: str) -> str:
        """Return the text that is cut into words, given what is visible of it: in lower case if words are to be."""
        assert self.by_word is not None  # noqa: S101
        readable: str = _readable(text, visible)
        return readable.lower() if self.by_word.lowercase else readable

    @property
    def stop_words(self) -> frozenset[str]:
        """Return the words that are no terms."""
        assert self.by_word is not None  # noqa: S101
        return self.by_word.stop_words

    def terms_of_words(self, words: Sequence[str]) -> list[str | None]:
        """Return the term of each word that was cut out of a prepared text, and masked; None if it is no term."""
        stop_words, allow = self.stop_words, self.rules.allow
        terms = words if self.stemmer is None else list(map(self.stem, words))
        if self._has_limits:
            return [
                None if word in stop_words or not allow(term) else term for word, term in zip(words, terms, strict=True)
            ]
        return [None if word in stop_words else term for word, term in zip(words, terms, strict=True)]

    def unstemmed(self) -> Analysis:
        """Return the same analysis before stemming, without limits on words."""
        by_word = None if self.by_word is None else ByWord(self.by_word.lowercase, self.by_word.stop_words)
        return replace(self, stemmer=None, rules=WordRules(), by_word=by_word, _stem=None, _terms={})

    def stem(self, term: str) -> str:
        """Return a term of words as a term of their stems; as it is without a stemmer."""
        if self.stemmer is None:
            return term
        stem = self._stem = self._stem or make_stemmer(self.stemmer)
        return " ".join(self._stem_of(word, stem) for word in term.split(" "))

    def passes_over(self, term: str) -> bool:
        """Return whether a term does not count at all unless other documents have it: so do numbers, if any class is masked."""
        return self.masked_words is not None and is_number(term)

    def passed_over(self, terms: Iterable[str]) -> list[int]:
        """Return the places of such terms."""
        return [] if self.masked_words is None else numbers_among(terms)

    def spans(self, text: str) -> Iterator[tuple[int, int, str]] | None:
        """Yield (start, end, term) for the words of a text; return None if terms are not made of words."""
        if self.analyze_word is None:
            return None
        same_length = self.visible(text)
        if PAD not in same_length:
            return self.spans_of_readable(same_length)
        places = places_without_pads(same_length)
        spans = self.spans_of_readable(same_length.replace(PAD, ""))
        return ((places[start], places[end], term) for start, end, term in spans)

    def visible(self, text: str) -> str:
        """Return a text of the same length without what is not read: mail headers and markup (`tonmf.text.mail`, `.markup`)."""
        if self.strip_headers:
            text = without_headers(text)
        return without_markup(text) if self.strip_html else text

    def spans_of_readable(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield (start, end, term) for the words of a text without markup and `PAD`, of which terms are made."""
        if self.masked_words is not None:
            for start, end, word in self.masked_words.spans(text):
                yield from ((start, end, term) for term in self.terms_of_word(word))
            return
        spans = word_spans(text, self.emoji) if self.word_pattern is None else _matches(self.word_pattern, text)
        yield from terms_at(text, spans, self.terms_of_word)

    def terms_of_word(self, word: str) -> list[str]:
        """Return the terms of a word, from the cache if it came before."""
        known = self._terms.get(word)
        if known is not None:
            return known
        assert self.analyze_word is not None  # noqa: S101
        terms = list(self._as_terms(self.analyze_word(word)))
        if len(word) <= LONGEST_REMEMBERED:
            if len(self._terms) >= WORDS_REMEMBERED:
                self._terms.clear()
            self._terms[word] = terms
        return terms

    def _as_terms(self, terms: Iterable[str]) -> Iterable[str]:
        if self.stemmer is not None:
            terms = [self.stem(term) for term in terms]
        return [term for term in terms if self.rules.allow(term)] if self._has_limits else terms

    def _stem_of(self, word: str, stem: Callable[[str], str]) -> str:
        return word if self.masked_words is not None and is_mask(word) else stem(word)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_stem": None, "_terms": {}}  # made again when they are needed


def terms_at(text: str, spans: Iterable[tuple[int, int]], analyze: Analyzer) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, term) for the words of which the analysis makes exactly one term."""
    for start, end in spans:
        terms = list(analyze(text[start:end]))
        if len(terms) == 1:
            yield start, end, terms[0]


def _readable(text: Any, visible: Any) -> Any:
    return text if visible is text else visible.replace(PAD, "")


def _as_it_is(word: str) -> list[str]:
    return [word]


def _without_mark(word: str) -> list[str]:
    return [without_mark(word)]


def _matches(pattern: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) where a pattern matches; if it has a group, where that group is."""
    compiled = re.compile(pattern)
    return (found.span(min(compiled.groups, 1)) for found in compiled.finditer(text))


def make_analyzer(
    analyzer: Any,
    lowercase: bool,
    stop_words: Any,
    ngram_range: Any,
    token_pattern: str | None,
    stemmer: str | None,
    rules: WordRules,
    mask: Sequence[str] | str | None = None,
    strip_html: bool = False,
    strip_headers: bool = False,
    emoji: bool = True,
) -> Analysis:
    """Make the analysis that the options describe; in models of earlier versions emoji are no words."""
    words: Any = token_pattern
    analyze: Analyzer
    masked_words = None
    if token_pattern is None and analyzer == "word":
        masked_words = MaskedWords(classes, emoji) if (classes := classes_of(mask)) else None
        words = masked_words or partial(words_of, emoji=emoji)
    is_by_word = callable(words) and tuple(ngram_range) == (1, 1)
    is_known = stop_words is None or isinstance(stop_words, str)
    if isinstance(stop_words, str):
        stop_words = stop_words_of(stop_words)
    if is_by_word and is_known:
        analyze = SingleWords(words, lowercase, frozenset(stop_words or ()))
    else:
        analyze = _as_scikit_learn(analyzer, lowercase, stop_words, ngram_range, words)
    if stemmer is not None:
        make_stemmer(stemmer)  # an unknown language is an error now, not later
    strip_html, strip_headers = strip_html and not callable(analyzer), strip_headers and not callable(analyzer)
    if analyzer != "word":
        return Analysis(analyze, stemmer, rules, strip_html=strip_html, strip_headers=strip_headers)
    # A word by itself, whatever the length of sequences; what is cut out of a text need not match the pattern again.
    as_word = _without_mark if token_pattern is None and emoji else _as_it_is
    analyze_word = SingleWords(as_word, lowercase, frozenset(stop_words or ()))
    return Analysis(
        analyze,
        stemmer,
        rules,
        analyze_word,
        token_pattern,
        masked_words,
        strip_html=strip_html,
        strip_headers=strip_headers,
        emoji=emoji,
        by_word=ByWord(bool(lowercase), frozenset(stop_words or ())) if is_by_word else None,
    )


def _as_scikit_learn(analyzer: Any, lowercase: bool, stop_words: Any, ngram_range: Any, words: Any) -> Analyzer:
    """Return the analyzer of a CountVectorizer, which also checks a list of stop words; `words` is a pattern or a function."""
    from sklearn.feature_extraction.text import CountVectorizer  # heavy, and seldom needed

    cut = {"tokenizer": words, "token_pattern": None} if callable(words) else {"token_pattern": words}
    stop_words = list(stop_words) if isinstance(stop_words, tuple | set | frozenset) else stop_words
    try:
        analyze: Analyzer = CountVectorizer(
            analyzer=analyzer, lowercase=lowercase, stop_words=stop_words, ngram_range=tuple(ngram_range), **cut
        ).build_analyzer()
    except (ValueError, TypeError) as error:
        raise ParameterError(f"The analysis options do not fit together: {error}") from error
    return analyze


def stop_words_of(language: str) -> list[str]:
    """Return the stop words of a language, given by its English name or two-letter code."""
    if language.lower() in ("english", "en"):
        return list(STOP_WORDS)
    try:
        import stop_words
    except ImportError as error:
        raise MissingExtraError(
            f"Stop words of {language!r} need the package stop-words: pip install 'tonmf[languages]'. Without it there are "
            "'english', a list of your own, or none."
        ) from error
    names = {**stop_words.LANGUAGE_MAPPING, **{name: name for name in stop_words.AVAILABLE_LANGUAGES}}
    if language.lower() not in names:
        known = ", ".join(sorted(stop_words.AVAILABLE_LANGUAGES))
        raise ParameterError(
            Param("stop_words"),
            " must be a language",
            InPython(", a list of words, or None"),
            f"; known are {known}; got {language!r}.",
        )
    words: list[str] = stop_words.get_stop_words(names[language.lower()])
    return words


def make_stemmer(language: str) -> Callable[[str], str]:
    """Return a function from a word to its stem in a language."""
    try:
        import Stemmer
    except ImportError as error:
        raise MissingExtraError("Stemming needs PyStemmer: pip install 'tonmf[stem]'.") from error
    try:
        stem: Callable[[str], str] = Stemmer.Stemmer(language).stemWord
    except (KeyError, UnicodeEncodeError) as error:  # the latter for names that are not ASCII
        known = ", ".join(sorted(Stemmer.algorithms()))
        raise ParameterError(Param("stemmer"), f" must be one of {known}; got {language!r}.") from error
    return stem


TEXT_OPTIONS = (
    "analyzer", "lowercase", "stop_words", "ngram_range", "token_pattern", "stemmer", "word_rules", "mask", "strip_html",
    "strip_headers",
)  # fmt: skip
"""Options that say how a text is cut into terms."""
