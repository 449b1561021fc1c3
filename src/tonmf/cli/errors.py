"""From exceptions to one line on standard error and an exit code: 1 if the input or the job failed, 2 for wrong usage."""

from __future__ import annotations

import functools
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

import typer

from tonmf.cli.screen import printable
from tonmf.errors import ParameterError, TonmfError

FAILED, WRONG_USAGE, INTERRUPTED, TERMINATED = 1, 2, 130, 143

TRACEBACK = "TONMF_TRACEBACK"
"""Environment variable that lets tracebacks through, for those who look for a fault in tonmf."""


def answering(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with every exception answered by one line and an exit code."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        if os.environ.get(TRACEBACK):
            command(*args, **kwargs)
            return
        signal.signal(signal.SIGTERM, _terminate)
        warnings.showwarning = _show_warning
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except BrokenPipeError:  # whoever read our output has enough of it; files are written before that
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit from None
        except _Terminated:
            raise _leave("stopped; nothing was left half-written.", TERMINATED) from None
        except KeyboardInterrupt:
            raise _leave("stopped; nothing was left half-written.", INTERRUPTED) from None
        except ParameterError as error:
            raise _leave(in_flags(str(error)), WRONG_USAGE) from None
        except (TonmfError, OSError) as error:
            raise _leave(in_flags(str(error)), FAILED) from None
        except MemoryError:
            raise _leave("there is not enough memory for so many documents.", FAILED) from None
        except typer.Exit:
            raise
        except Exception as error:
            what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise _leave(
                f"unexpected error, a fault in tonmf: {what} (set {TRACEBACK}=1 to see where).", FAILED
            ) from None

    return run


FLAGS = {
    "contamination": "--contamination",
    "half_life": "--half-life",
    "confidence": "--confidence",
    "correlation": "--correlation",
    "max_topics": "--topics",
    "mean_length": "--length",
    "mean_pattern_length": "--pattern-length",
    "min_df": "--min-df",
    "n_items": "--items",
    "n_jobs": "--jobs",
    "n_patterns": "--patterns",
    "random_state": "--seed",
    "stemmer": "--stem",
    "stop_words": "--stop-words",
}
"""What the library's parameters are called here."""


def in_flags(message: str) -> str:
    """A message of the library in terms of the command line.

    >>> in_flags("min_df=2 is too much. Lower min_df.")
    '--min-df=2 is too much. Lower --min-df.'
    >>> in_flags("n_jobs must be a whole number, or None; got 'x'.")
    "--jobs must be a whole number; got 'x'."
    """
    message = re.sub(r", or None[^;]*; got", "; got", message)  # an option that is not given is left out here
    return re.sub(rf"\b({'|'.join(FLAGS)})\b", lambda found: FLAGS[found.group()], message)


def _leave(message: str, code: int) -> typer.Exit:
    print(printable(f"tonmf: {' '.join(message.split())}"), file=sys.stderr)
    return typer.Exit(code)


class _Terminated(KeyboardInterrupt):
    """Somebody asked us to stop."""


def _terminate(number: int, frame: FrameType | None) -> None:
    """As on Ctrl-C, so that temporary files are removed."""
    raise _Terminated


def _show_warning(message: Warning | str, *args: Any, **kwargs: Any) -> None:
    print(f"tonmf: {' '.join(str(message).split())}", file=sys.stderr)
