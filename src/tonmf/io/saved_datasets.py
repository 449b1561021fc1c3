"""Find the Arrow files of a dataset that ``datasets.Dataset.save_to_disk`` or ``DatasetDict.save_to_disk`` has written.

A dataset is a folder with ``state.json``, which names its files; a dictionary of datasets is a folder with
``dataset_dict.json``, which names its splits, and a folder for each.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from tonmf.errors import InputError
from tonmf.wording import cannot, one_line

STATE, DICT = "state.json", "dataset_dict.json"


@dataclass(frozen=True)
class SavedSplit:
    """A dataset, or one split of several: its name, its folder, and its files in order."""

    name: str
    folder: str
    files: tuple[str, ...]


def saved_splits(folder: str, name: str) -> list[SavedSplit]:
    """Return the datasets that a folder holds; none if it holds none."""
    if os.path.isfile(os.path.join(folder, DICT)):
        splits = _json(folder, DICT, name).get("splits")
        if not isinstance(splits, list) or not all(isinstance(split, str) for split in splits):
            raise _damaged(name, DICT, "it names no splits")
        return [_split(os.path.join(folder, split), f"{name}/{split}") for split in splits]
    is_saved = os.path.isfile(os.path.join(folder, STATE)) and any(
        file.endswith(".arrow") for file in os.listdir(folder)
    )
    return [_split(folder, name)] if is_saved else []


def _split(folder: str, name: str) -> SavedSplit:
    state = _json(folder, STATE, name)
    try:
        files = tuple(os.path.join(folder, os.path.basename(file["filename"])) for file in state["_data_files"])
    except (KeyError, TypeError) as error:
        raise _damaged(name, STATE, "it names no data files") from error
    if state.get("_indices_data_files"):
        raise InputError(
            f"{name} is a selection of rows that was saved without them. Save dataset.flatten_indices(), and give that."
        )
    for file in files:
        if not os.path.isfile(file):
            raise _damaged(name, STATE, f"it names {os.path.basename(file)}, which is not there")
    return SavedSplit(name, folder, files)


def _json(folder: str, file: str, name: str) -> dict[str, Any]:
    path = os.path.join(folder, file)
    try:
        with open(path, encoding="utf-8") as opened_file:
            value = json.load(opened_file)
    except OSError as error:
        raise InputError(cannot("read", path, error)) from error
    except (ValueError, RecursionError) as error:
        raise _damaged(name, file, one_line(error)) from error
    return value if isinstance(value, dict) else {}


def _damaged(name: str, file: str, why: str) -> InputError:
    return InputError(
        f"{name}: expected a dataset as save_to_disk writes it, but {file} is damaged ({why}). Save it again."
    )
