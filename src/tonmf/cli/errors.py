"""Answer exceptions with one line on standard error and an exit code: 1 if the input or the job failed, 2 for wrong usage.

With ``--json``, the run says so on standard output, too (`tonmf.cli.run`).
"""

from __future__ import annotations

import functools
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

import typer

from tonmf.cli import run as runs
from tonmf.cli.pipes import discard, reader_is_gone
from tonmf.cli.run import CURRENT, CommandRun, warned
from tonmf.cli.screen import print_json, printable
from tonmf.errors import Message, Param, ParameterError, TonmfError, worded

FAILED, WRONG_USAGE, INTERRUPTED, TERMINATED = 1, 2, 130, 143

TRACEBACK = "TONMF_TRACEBACK"
"""Environment variable that lets tracebacks through, for whoever looks for a fault in tonmf."""


def answering(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command so that every exception ends in one line and an exit code."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        with answered(CommandRun(getattr(command, "__name__", ""), bool(kwargs.get("as_json")))):
            command(*args, **kwargs)

    return run


@contextmanager
def answered(run: CommandRun) -> Iterator[None]:
    """End every exception in this context in one line and an exit code."""
    token = CURRENT.set(run)
    if os.environ.get(TRACEBACK):
        yield
        return
    try:
        signal.signal(signal.SIGTERM, _terminate)
        warnings.showwarning = _show_warning
        yield
        sys.stdout.flush()
    except _Terminated:
        raise _leave("stopped; nothing was left half-written.", TERMINATED) from None
    except KeyboardInterrupt:
        raise _leave("stopped; nothing was left half-written.", INTERRUPTED) from None
    except ParameterError as error:
        raise _leave(in_flags(error.message), WRONG_USAGE) from None
    except TonmfError as error:
        raise _leave(in_flags(error.message), FAILED) from None
    except OSError as error:
        if reader_is_gone(error):  # it has enough; files are written before that
            discard(sys.stdout)
            raise typer.Exit from None
        raise _leave(str(error), FAILED) from None
    except MemoryError:
        raise _leave("there is not enough memory for these documents.", FAILED) from None
    except typer.Exit:
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise _leave(f"unexpected error, a fault in tonmf: {what} (set {TRACEBACK}=1 to see where).", FAILED) from None
    finally:
        CURRENT.reset(token)


UNLIKE = {
    "embedder": "embed",
    "max_topics": "topics",
    "mean_length": "length",
    "mean_pattern_length": "pattern-length",
    "n_items": "items",
    "n_jobs": "jobs",
    "n_patterns": "patterns",
    "random_state": "seed",
    "stemmer": "stem",
}
"""Parameters of the library whose options have other names."""

ALIKE = (
    "boilerplate", "cache", "confidence", "contamination", "correlation", "device", "embeddings", "encoding", "encoding_errors",
    "fdr", "format", "half_life", "header", "host", "id_column", "jobs_folder", "label_column", "label_outlier",
    "mask", "memory", "min_df", "min_words", "models_folder", "port", "separator", "sheet", "skip_bad", "sql",
    "stop_words", "strip_headers", "strip_html", "text_column", "time_column", "token", "vocabulary", "watch",
    "window",
)  # fmt: skip
"""Parameters of the library whose options have the same names."""

FLAGS = {name: f"--{option}" for name, option in UNLIKE.items()} | {
    name: f"--{name.replace('_', '-')}" for name in ALIKE
}


def in_flags(message: str) -> str:
    """Word a message of the library for the command line.

    >>> in_flags(Message("None of the words occurs in ", Param("min_df", 2), " documents. Lower ", Param("min_df"), "."))
    'None of the words occurs in --min-df 2 documents. Lower --min-df.'
    """
    return worded(message, _flag)


def _flag(param: Param) -> str:
    """Return an option as one would type it; a parameter that has none goes by its name in Python."""
    if param.name not in FLAGS:
        return str(param)
    if param.value is False:
        return f"--no-{FLAGS[param.name].removeprefix('--')}"
    return FLAGS[param.name] + ("" if param.value in (None, True) else f" {_pasteable(str(param.value))}")


STATUS = {
    FAILED: runs.FAILED,
    WRONG_USAGE: runs.WRONG_USAGE,
    INTERRUPTED: runs.INTERRUPTED,
    TERMINATED: runs.INTERRUPTED,
}
"""The status of a run that failed, by its exit code."""


def _leave(message: str, code: int) -> typer.Exit:
    message = " ".join(message.split())
    _say(message)
    run = CURRENT.get()
    if run is not None and run.as_json:
        with suppress(OSError):  # nobody listens, or the disk is full, which is the error then
            print_json({"run": run.to_dict(STATUS[code], code, message)})
            sys.stdout.flush()
    return typer.Exit(code)


def _say(message: str) -> None:
    with suppress(BrokenPipeError):  # nobody listens
        print(printable(f"tonmf: {' '.join(message.split())}"), file=sys.stderr)


class _Terminated(KeyboardInterrupt):
    """Raised by a signal that asks us to stop."""


def _terminate(number: int, frame: FrameType | None) -> None:
    """Stop as on Ctrl-C, so that temporary files are removed."""
    raise _Terminated


def _show_warning(message: Warning | str, *args: Any, **kwargs: Any) -> None:
    given = message.args[0] if isinstance(message, Warning) and message.args else message
    text = in_flags(given) if isinstance(given, Message) else str(message)
    _say(text)
    warned(text)


def _pasteable(value: str) -> str:
    """Put a value that has spaces into double quotes, as a shell takes it."""
    return f'"{value}"' if " " in value else value
