"""A small corpus that comes with the package: posts on a neighbourhood's notice board, and a dozen that do not belong.

Gardens, kitchens, bicycles, dogs and cats; and among them texts on another subject, in another language, boilerplate,
gibberish and one that repeats itself. As on a real board, three posts in five end in a line that the board's software adds, one
ordinary post came twice, two are very short, and some have prices, telephone numbers or addresses.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Post:
    """A post: its subject, or the way in which it does not belong; one of the two is None."""

    id: str
    subject: str | None
    planted: str | None
    text: str


def read_noticeboard() -> list[Post]:
    """Return all posts, in the order of the file."""
    lines = files("tonmf.datasets").joinpath("noticeboard.jsonl").read_text(encoding="utf-8").splitlines()
    return [Post(**json.loads(line)) for line in lines]
