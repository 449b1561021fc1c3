"""The folder for what can be had again: downloads and embeddings."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tonmf.errors import InputError


def cache_folder() -> Path:
    """Return the folder that ``TONMF_CACHE`` names, or else ``tonmf`` among the user's caches. It need not exist."""
    if os.environ.get("TONMF_CACHE"):
        return Path(os.environ["TONMF_CACHE"])
    try:
        return _user_caches() / "tonmf"
    except RuntimeError as error:  # what pathlib raises where a user has no home
        raise InputError("There is no home folder for a cache: set TONMF_CACHE to a folder.") from error


def _user_caches() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
