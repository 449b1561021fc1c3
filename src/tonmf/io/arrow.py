"""pyarrow, loaded only where it is needed: plain text, JSON lines, baskets and matrices do without."""

from __future__ import annotations

import importlib
from typing import Any

from tonmf.errors import MissingExtraError


def arrow(module: str, purpose: str) -> Any:
    """The module `module` of pyarrow, or an error that says what `purpose` it is missing for."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(f"{purpose} needs pyarrow: pip install 'tonmf[cli]'.") from error
