"""Reference pages for every command, from the commands themselves."""

import inspect
import re
from pathlib import Path

import typer
from written import heading, write_pages

from tonmf.cli.app import app as tonmf_app

GUIDE = (Path(__file__).parent.parent / "guide" / "cli.md").read_text(encoding="utf-8")


def plain(text):
    """Return a help text in which nothing is markup, or an address such as file:line, but what looks like an option."""
    text = re.sub(r"([\\*`|_]|:(?=\S))", r"\\\1", text)
    return re.sub(r"(?<![\w`-])(--[a-z][a-z-]+)", r"``\1``", text)


def signature(names):
    """Return names and what they take as the directive ``option`` wants them: ``-j, --jobs <int>``."""
    names = names.replace(" / ", ", ").replace(" range>", ">")
    return re.sub(r"^(\w+) <.*", r"\1", names)


def parameters(command, context):
    """Return arguments and options by panel, each as its names and its help."""
    panels = {"Arguments": [], "Options": []}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
            panels.setdefault(getattr(parameter, "rich_help_panel", None) or usual, []).append(record)
    return {panel: records for panel, records in panels.items() if records}


def body(command, words, line):
    """Return what is said about one command: usage, description, example, arguments and options."""
    context = typer.Context(command, info_name=words[-1])
    usage = re.sub(r"[{}]", "", " ".join([*words, *command.collect_usage_pieces(context)]))
    text = f".. code-block:: text\n\n   {usage}\n\n" + plain(inspect.cleandoc(command.help or "")) + "\n\n"
    if command.epilog:
        example = command.epilog.removeprefix("Example: ")
        text += f".. code-block:: sh\n\n   {example}\n\n"
    if f"\n## {words[0]} {words[1]}\n" in GUIDE:
        text += f"`In words <../../guide/cli.html#{words[0]}-{words[1]}>`_, in the guide to the command line.\n\n"
    text += f".. program:: {' '.join(words)}\n\n"
    for panel, records in parameters(command, context).items():
        text += heading(panel, line)
        for names, said in records:
            text += f".. option:: {signature(names)}\n\n   {plain(said)}\n\n"
    return text


def page_of(name, command):
    """Return the page of a command, with its subcommands if it has any."""
    text = heading(f"tonmf {name}", "=")
    if not hasattr(command, "commands"):
        return text + body(command, ("tonmf", name), "-")
    text += plain(inspect.cleandoc(command.help or "")) + "\n\n"
    for part, subcommand in command.commands.items():
        text += heading(f"tonmf {name} {part}", "-") + body(subcommand, ("tonmf", name, part), "~")
    return text


def write_reference(app):
    """Write the pages before Sphinx looks for them."""
    group = typer.main.get_command(tonmf_app)
    pages = {name: page_of(name, command) for name, command in group.commands.items()}
    write_pages(Path(app.srcdir) / "reference" / "command", pages)


def setup(app):
    """Write the pages once the settings are known."""
    app.connect("builder-inited", write_reference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
