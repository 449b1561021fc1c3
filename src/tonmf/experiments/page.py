"""The page that ``tonmf paper`` writes: what was run, which of the paper's claims hold, and every experiment in full."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from tonmf import __version__
from tonmf.experiments.catalogue import EXPERIMENTS
from tonmf.experiments.claims import VERDICTS, Claim, judged
from tonmf.experiments.exceptions import exceptions
from tonmf.experiments.log import ResultLog
from tonmf.experiments.plotting import save_figure
from tonmf.experiments.specification import Experiment, Result, Section
from tonmf.experiments.tasks import QUICK_DOCUMENTS, TASKS
from tonmf.io.atomic import replacing

FIGURES = "paper"
"""The folder beside the page that has its figures, and the results."""
LINE = 128
"""Characters in a line of the page."""


def finished(experiment: Experiment, log: ResultLog, quick: bool) -> list[Result]:
    """The results on data sets on which the experiment is finished, in the order of its configurations."""
    results = [(config["task"], log.result(experiment.name, config)) for config in experiment.configs(quick)]
    missing = {task for task, result in results if result is None}
    return [result for task, result in results if result is not None and task not in missing]


def write_page(folder: Path, log: ResultLog, quick: bool, left_out: Mapping[str, str]) -> Path:
    """Write ``paper.md`` and the figures of all that is finished.

    Parameters
    ----------
    folder : Path
        It must exist.
    log : ResultLog
    quick : bool
        Whether the page is about quick runs or full ones.
    left_out : mapping of str to str
        Data sets that could not be had, and why.

    Returns
    -------
    path : Path
        The page.
    """
    results = {name: finished(experiment, log, quick) for name, experiment in EXPERIMENTS.items()}
    sections = {name: EXPERIMENTS[name].report(lines) for name, lines in results.items() if lines}
    figures = folder / FIGURES
    figures.mkdir(exist_ok=True)
    for section in sections.values():
        for figure in section.figures:
            save_figure(figure, figures)
    parts = [_head(results, quick), *_left_out(left_out, results)]
    parts += [_claims(results), *(_section(name, section) for name, section in sections.items())]
    page = folder / "paper.md"
    with replacing(page) as temporary:
        temporary.write_text(wrapped("\n".join(part for part in parts if part)), encoding="utf-8")
    return page


def wrapped(text: str) -> str:
    r"""Markdown with its paragraphs filled to lines of a readable length; tables, headings and images stay as they are.

    >>> wrapped("A short\nparagraph.\n\n| a | table |\n| - | - |\n")
    'A short paragraph.\n\n| a | table |\n| - | - |\n'
    """
    blocks = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(_filled(block) for block in blocks) + "\n"


def _filled(block: str) -> str:
    if block.startswith("- "):
        return "\n".join(textwrap.fill(item, LINE, subsequent_indent="  ") for item in block.splitlines())
    return block if block.startswith(("|", "#", "!")) else textwrap.fill(" ".join(block.split()), LINE)


def _head(results: Mapping[str, Sequence[Result]], quick: bool) -> str:
    command = "tonmf paper --quick" if quick else "tonmf paper"
    lines = [line for lines in results.values() for line in lines]
    made_with = sorted({", ".join(f"{name} {of}" for name, of in line["versions"].items()) for line in lines})
    minutes = sum(line["seconds"] for line in lines) / 60
    memory = max((line.get("peak_mb", 0) for line in lines), default=0) / 1024
    warning = (
        f"\n**This is a quick run**, on the first {QUICK_DOCUMENTS:,} documents of a draw and a part of each grid. It shows "
        "that everything works; its figures are not those of the data sets.\n"
        if quick
        else ""
    )
    return f"""\
# The paper's experiments, run again

Kannan, Woo, Aggarwal and Park, "Outlier Detection for Text Data", compare their method TONMF with k-NN, SVD and robust PCA on
four data sets. This page has every experiment of that paper and some more, as `{command}` ran them: {len(lines):,}
measurements in {minutes:.0f} minutes, with at most {memory:.1f} GB of memory. [results.jsonl]({FIGURES}/results.jsonl) has
each with its configuration, seed and versions ({"; ".join(made_with)}).

To cite it: The tonmf developers, "The paper's experiments, run again", tonmf {__version__}.
{warning}"""


def _left_out(left_out: Mapping[str, str], results: Mapping[str, Sequence[Result]]) -> list[str]:
    """What is not on the page, and why."""
    unfinished = [f"`{name}`" for name, lines in results.items() if not lines]
    parts = [f"**{TASKS[task].title} was left out**: {why}\n" for task, why in left_out.items()]
    if unfinished:
        parts.append(f"Not run, or not finished: {', '.join(unfinished)}.\n")
    return parts


def _claims(results: Mapping[str, Sequence[Result]]) -> str:
    """The paper's claims by verdict, then those about tonmf."""
    claims = judged(results)
    parts = []
    for verdict in VERDICTS:
        of_paper = [_item(c, f" (section {c.section})") for c in claims if c.section and c.verdict == verdict]
        parts += _listed(_sentence(verdict), of_paper)
    parts += _listed("And tonmf", [_item(c, f": {c.verdict}") for c in claims if not c.section])
    parts += _listed("Where a baseline is better than tonmf", [f"- {told}" for told in exceptions(results)])
    return "\n".join(["## What the paper claims, and what is found here\n", *parts]) if parts else ""


def _item(claim: Claim, beside: str) -> str:
    return f"- **{_sentence(claim.statement)}**{beside}. {_sentence(claim.found)}."


def _listed(title: str, items: list[str]) -> list[str]:
    return [f"### {title}\n", *items, ""] if items else []


def _sentence(text: str) -> str:
    """The text with a capital letter, unless it begins with a name or a letter of the maths."""
    return text[:1].upper() + text[1:] if text[1:2].islower() and not text.startswith("tonmf") else text


def _section(name: str, section: Section) -> str:
    images = {
        figure.name: f"![{figure.caption}]({FIGURES}/{figure.name}.svg)\n\n*{figure.caption}*"
        for figure in section.figures
    }
    text = re.sub(r"\{([a-z-]+)\}", lambda found: images[found.group(1)], section.text)
    command = f"`tonmf paper --only {name}`"
    return f"## {section.title}\n\n{EXPERIMENTS[name].question} ({command})\n\n{text}"
