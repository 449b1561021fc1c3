"""The page that ``tonmf paper`` writes: what was run, which of the paper's claims hold, and every experiment in full."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from tonmf import InputError, __version__
from tonmf.experiments.beside_baselines import beside_baselines
from tonmf.experiments.claims import VERDICTS, Claim, judged
from tonmf.experiments.log import ResultLog, page_name
from tonmf.experiments.paper import EXPERIMENTS
from tonmf.experiments.plotting import save_figure
from tonmf.experiments.running import todo
from tonmf.experiments.specification import Experiment, Result, Section
from tonmf.experiments.tasks import QUICK_DOCUMENTS, TASKS
from tonmf.storage.atomic import replacing

LINE = 128
"""Characters in a line of the page."""


def finished(experiment: Experiment, log: ResultLog, quick: bool) -> list[Result]:
    """Return the results on the data sets that the experiment has finished, in the order of its configurations."""
    missing = unfinished_tasks(experiment, log, quick)
    found = [
        log.result(experiment.name, config) for config in experiment.configs(quick) if config["task"] not in missing
    ]
    return [result for result in found if result is not None]


def unfinished_tasks(experiment: Experiment, log: ResultLog, quick: bool) -> list[str]:
    """Return the data sets that an experiment has not finished."""
    return list(dict.fromkeys(config["task"] for config in todo(experiment, log, quick)))


def write_page(folder: Path, log: ResultLog, quick: bool) -> Path:
    """Write the page, and the figures, about all finished data sets.

    Parameters
    ----------
    folder : Path
        An existing folder.
    log : ResultLog
    quick : bool
        Write about quick runs instead of full ones.

    Returns
    -------
    path : Path
        The page.
    """
    name = page_name(quick)
    results = {experiment.name: finished(experiment, log, quick) for experiment in EXPERIMENTS.values()}
    sections = _sections(results, log)
    figures = folder / name
    figures.mkdir(exist_ok=True)
    for section in sections.values():
        for figure in section.figures:
            save_figure(figure, figures)
    parts = [_head(results, quick), _missing(log, quick)]
    parts += [] if quick else [_claims(results), beside_baselines(results)]
    parts += [_section(which, section, name) for which, section in sections.items()]
    page = folder / f"{name}.md"
    with replacing(page) as temporary:
        temporary.write_text(wrapped("\n".join(part for part in parts if part)), encoding="utf-8")
    return page


def _sections(results: Mapping[str, Sequence[Result]], log: ResultLog) -> dict[str, Section]:
    try:
        return {name: EXPERIMENTS[name].report(lines) for name, lines in results.items() if lines}
    except KeyError as error:
        raise InputError(
            f"{log.path} has results without {error}: they come from another version of tonmf. Measure again with --fresh."
        ) from error


def wrapped(text: str) -> str:
    r"""Wrap the paragraphs of Markdown; leave tables, headings and images as they are.

    >>> wrapped("A short\nparagraph.\n\n| a | table |\n| - | - |\n")
    'A short paragraph.\n\n| a | table |\n| - | - |\n'
    """
    blocks = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(_filled(block) for block in blocks) + "\n"


def _filled(block: str) -> str:
    if block.startswith(("|", "#", "!")):
        return block
    lines = textwrap.TextWrapper(LINE, break_long_words=False, break_on_hyphens=False)
    if not block.startswith("- "):
        return lines.fill(" ".join(block.split()))
    lines.subsequent_indent = "  "
    return "\n".join(lines.fill(item) for item in block.splitlines())


def _head(results: Mapping[str, Sequence[Result]], quick: bool) -> str:
    lines = [line for lines in results.values() for line in lines]
    made_with = sorted({", ".join(f"{name} {of}" for name, of in line["versions"].items()) for line in lines})
    minutes = sum(line["seconds"] for line in lines) / 60
    known = [line["peak_mb"] for line in lines if line.get("peak_mb")]
    memory = f", with at most {max(known) / 1024:.1f} GB of memory in the measuring process" if known else ""
    last = max((line["date"] for line in lines if "date" in line), default="")
    dates = f", {last}" if last else ""
    warning = (
        f"\n**This is a quick run** on the first {QUICK_DOCUMENTS:,} documents of a draw and part of each grid. It shows that "
        "everything works. Its figures are not those of the whole data sets, and do not judge the paper's claims.\n"
        if quick
        else ""
    )
    return f"""\
# The paper's experiments, run again

Kannan, Woo, Aggarwal and Park, "Outlier Detection for Text Data" (2017), compare their method TONMF with k-NN, SVD and
robust PCA on four data sets. This page has the experiments of that paper, and some more, as `tonmf
paper{" --quick" if quick else ""}` ran them: {len(lines):,} measurements that took {minutes:.0f} minutes in total{memory}.
[results.jsonl]({page_name(quick)}/results.jsonl) has every measurement with its configuration, seed and versions
({"; ".join(made_with)}).

To cite it: The tonmf developers, "The paper's experiments, run again", tonmf {__version__}{dates}.
{warning}"""


def _missing(log: ResultLog, quick: bool) -> str:
    """List what is missing from the page."""
    missing = {name: unfinished_tasks(experiment, log, quick) for name, experiment in EXPERIMENTS.items()}
    items = [
        f"- `{name}`: {'; '.join(TASKS[task].title for task in tasks)}" for name, tasks in missing.items() if tasks
    ]
    archives = {TASKS[task].archive for tasks in missing.values() for task in tasks} - {None}
    files = [f"{a.file} ({a.address or 'not published'})" for a in archives if a is not None]
    needs = f"To add them, run `tonmf paper` again; they need {', '.join(sorted(files))}.\n" if files else ""
    return "\n".join(["**Not run, or not finished**:\n", *items, "", needs]) if items else ""


def _claims(results: Mapping[str, Sequence[Result]]) -> str:
    """List the paper's claims by verdict, with the rules that judge them."""
    claims = judged(results)
    parts = []
    for verdict in VERDICTS:
        items = [_item(claim) for claim in claims if claim.verdict == verdict]
        parts += [f"### {_sentence(verdict)}\n", *items, ""] if items else []
    return "\n".join(["## What the paper claims, and what we find\n", *parts]) if parts else ""


def _item(claim: Claim) -> str:
    found = f"(section {claim.section}). {_sentence(claim.found)}."
    return f"- **{_sentence(claim.statement)}** {found} *Rule: {claim.rule}.*"


def _sentence(text: str) -> str:
    """Capitalise the text, unless it begins with a name or a mathematical letter."""
    return text[:1].upper() + text[1:] if text[1:2].islower() and not text.startswith("tonmf") else text


def _section(name: str, section: Section, folder: str) -> str:
    images = {
        figure.name: f"![{figure.caption}]({folder}/{figure.name}.svg)\n\n*{figure.caption}*"
        for figure in section.figures
    }
    text = re.sub(r"\{([a-z-]+)\}", lambda found: images[found.group(1)], section.text)
    command = f"`tonmf paper --only {name}`"
    return f"## {section.title}\n\n{EXPERIMENTS[name].question} ({command})\n\n{text}"
