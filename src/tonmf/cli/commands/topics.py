"""``tonmf topics``: show the topics of a saved model."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from tonmf.cli import options as opt
from tonmf.cli.learning import check_model
from tonmf.cli.screen import Screen


def topics(
    model: opt.Model,
    words: Annotated[int, typer.Option(min=1, help="Number of words to show of each topic.")] = 8,
    as_json: opt.AsJson = False,
) -> None:
    """Show the topics of a saved MODEL: the share of each, its first words, and typical documents."""
    screen = Screen(as_json=as_json)
    check_model(model)
    with screen.step("Loading"):
        from tonmf.cli.tables import topic_lines
        from tonmf.persist import load_fitted

        detector = load_fitted(model)
    screen.show_json({"topics": [asdict(topic) for topic in detector.topics(words)]})
    for line in topic_lines(detector, words, screen.width):
        screen.show(line)
