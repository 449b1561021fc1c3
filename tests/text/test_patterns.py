"""Which regular expressions of words may come with a model from elsewhere."""

import re

import pytest

from tonmf.text.patterns import is_linear

LINEAR = [
    r"(?u)\b\w\w+\b",  # scikit-learn's
    r"\w+",
    r"\b\w+\b",
    r"[a-z]{3,}",
    r"(?i)[a-z]{3,15}",
    r"\b[a-zA-Z]{2,}\b",
    r"\w+(?:[-']\w+)*",
    r"\b\w+(?:[-']\w+)*\b",
    r"\w+|[^\w\s]",
    r"[^\W\d_]+",
    r"\S+",
    r"[^ ]+",
    r"#?\w+",
    r"\b(\w\w+)\b",
    r"\d+(?:\.\d+)?",
    r"[A-Z][a-z]+|[a-z]+",
    r"(?a)\w{2}",
    r"[]\]x-]+",
    r".",
    "[\u4e00-\u9fa5]",
    r"\x41\u0042\.",
    "",
]

NOT_LINEAR = {
    "loops in loops": [r"(\w+)*!", r"(a+)+", r"\b(?:a+)+\b", r"(?:a*)*", r"(?:a*b*)*"],
    "two ways to read a text": [
        r"(?:a|a)*",
        r"(?:a|ab)*",
        r"\w*\w*",
        r"a{1,9}a{1,9}",
        r"https?://\S+|\w+",
        r"[a-m]+[k-z]+",
    ],
    "loops that lead nowhere": [r"\w+!", r"\w+@\w+", r"(?:a-)*b", r".*x"],
    "the end of a word, begun anywhere": [r"\w+\b", r"x\b", r"\b\w+\b|\d", r"\b[a-z ]+\b", r"\b(?:aa-b)+\b"],
    "look-around, references, other ways to repeat": [
        r"(?=a)\w+",
        r"(?<!a)b",
        r"(a)\1",
        r"(?P<n>a)(?P=n)",
        r"\w+?",
        r"\w++",
    ],
    "anchors and flags": [r"^\w+", r"\w+$", r"\Aa", r"a\Bb", r"(?x) a", r"(?m)a"],
    "too large to look at": [
        r"(?:\w{1,50}){1,50}",
        r"a{999}",
        "a" * 101,
        "(" * 500 + "a" + ")" * 500,
        r"(?:(?:a?){50}){50}",
    ],
    "no patterns": ["[", "(", "a)", "a{2}{3}", "a{3,2}", "*", "a**"],
}


@pytest.mark.parametrize("pattern", LINEAR)
def test_patterns_of_words_pass(pattern):
    assert is_linear(pattern)


@pytest.mark.parametrize("why", NOT_LINEAR)
def test_patterns_that_may_take_for_ever_or_cannot_be_judged_do_not(why):
    assert [pattern for pattern in NOT_LINEAR[why] if is_linear(pattern)] == []


@pytest.mark.parametrize("pattern", LINEAR)
def test_those_that_pass_read_long_runs_at_once(pattern):
    """With one that does not, this would not end: no time is measured."""
    for run in ("a" * 50_000, "a-" * 25_000, "a'" * 25_000 + "_", "1." * 25_000, "aA" * 25_000 + "!", " " * 50_000):
        sum(1 for _ in re.finditer(pattern, run))
