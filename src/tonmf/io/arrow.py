"""Load pyarrow only where it is needed: plain text, JSON lines, baskets and matrices do without it."""

from __future__ import annotations

import importlib
from typing import Any

from tonmf.errors import MissingExtraError


def arrow(module: str, purpose: str) -> Any:
    """Import a module of pyarrow; raise `MissingExtraError` that says what it is needed for if it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(f"{purpose} needs pyarrow: pip install 'tonmf[cli]'.") from error
