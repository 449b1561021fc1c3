"""Commands that are imported when they are asked for, and help as plain text.

Importing all commands takes longer than most of them run, and so does laying out help in boxes. The names of all commands and a
sentence on each are known without importing any; help is written by the panels of its options, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

WIDEST = 120
"""Most characters of a line of help."""

PLAIN: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": WIDEST},
}
"""Options of all our `typer.Typer`."""


class Command(TyperCommand):
    """A command whose help has a section for each panel of options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments, but first reject what is wrong with them, which takes less time."""
        given, *_ = self.make_parser(ctx).parse_args(args=list(args))
        if not (given.get("help") or ctx.resilient_parsing):
            from tonmf.cli.arguments import check_arguments

            check_arguments(ctx, given)
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, options, and panels in the order in which they come up."""
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
                panels.setdefault(getattr(parameter, "rich_help_panel", None) or usual, []).append(record)
        for panel, records in panels.items():
            if records:
                with formatter.section(panel):
                    formatter.write_dl(records)


class CommandGroup(TyperGroup):
    """A group of commands that are imported one by one."""

    commands: Commands  # type: ignore[assignment]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options of the group, which are all flags: True or False is not converted, None would be."""
        for parameter in self.get_params(ctx):
            if parameter.default is None:
                parameter.default = False
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands, without importing any."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the names of all commands, and a sentence on each."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.commands.summaries.items()))


class Commands(Mapping[str, Any]):
    """Commands by name, each made by `make` when it is first asked for."""

    def __init__(self, summaries: Mapping[str, str], make: Callable[[str], Any]) -> None:
        self.summaries, self._make, self._made = summaries, make, dict[str, Any]()

    def __getitem__(self, name: str) -> Any:
        if name not in self.summaries:
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.summaries)

    def __len__(self) -> int:
        return len(self.summaries)


def single(name: str, run: Callable[..., None], example: str) -> Any:
    """Return a command that calls a function."""
    alone = typer.Typer(**PLAIN)
    alone.command(name, cls=Command, epilog=f"Example: {example}")(run)
    return typer.main.get_command(alone)
