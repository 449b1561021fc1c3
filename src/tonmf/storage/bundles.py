"""A saved model on disk: a folder with ``model.json`` and ``arrays.safetensors``.

Numbers, names and lists are in the JSON, arrays beside it; neither holds code. The JSON has the schema's number, a digest of
the arrays, and a digest of all its other fields, so that a truncated or edited file is noticed. Digests only reveal accidents:
whoever can write a file can write a digest. So a `Bundle` checks type, shape and range of every value it returns, and looks
at an array's declared shape before it reads the array.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.errors import InputError, MissingExtraError, Param
from tonmf.storage.atomic import hidden_name, standing, whole_or_nothing

FORMAT = "tonmf model"

SCHEMA = 1
"""Version of the format. A change that an older tonmf could not read raises it."""

FIELDS, ARRAYS = "model.json", "arrays.safetensors"

LARGEST_FIELDS = 2**27
"""Bytes of ``model.json`` beyond which it is neither written nor read: empty lists take thirty times as much in memory."""

ATTEMPTS = 5
"""How often to read again if a model is replaced meanwhile."""

UNIT = 1.01
"""Upper limit of numbers in a row or column of unit norm, with room for rounding."""

LARGEST = 1e30
"""Numbers beyond which sums of products overflow."""


def write_bundle(path: str | Path, model: str, fields: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a model to a folder, whole or not at all and lasting; replace a model that is there."""
    target = Path(os.path.realpath(path))  # a link stays a link
    check_target(target)
    content = _safetensors().numpy.save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    whole = {"format": FORMAT, "schema": SCHEMA, "model": model, **fields, "arrays_digest": _digest(content)}
    whole["digest"] = _digest(_canonical(whole))
    described = json.dumps(whole, indent=1, allow_nan=False).encode()
    if len(described) > LARGEST_FIELDS:
        raise InputError(
            f"The model cannot be saved: its vocabulary would take {len(described):,} bytes, and {LARGEST_FIELDS:,} is the "
            "most. Raise ",
            Param("min_df"),
            ".",
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with whole_or_nothing(target, hidden_name(target), durable=True) as temporary:
            temporary.mkdir()
            for name, part in ((ARRAYS, content), (FIELDS, described)):
                (temporary / name).write_bytes(part)
    except OSError as error:
        raise InputError(f"Cannot save a model at {target}: {error.strerror or error}.") from error


def provenance() -> dict[str, str]:
    """Return when a model was saved, and by which versions."""
    return {"saved": now(), **versions()}


def now() -> str:
    """Return the time, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def versions() -> dict[str, str]:
    """Return the versions of Python, tonmf and the numerical libraries."""
    made_with = {name: version(name) for name in ("tonmf", "numpy", "scipy", "scikit-learn", "numba")}
    return {"python": platform.python_version(), **made_with}


def check_target(path: str | Path) -> None:
    """Raise an error if something other than a model is at `path`, or safetensors is missing."""
    _safetensors()
    target = Path(os.path.realpath(path))
    try:
        if target.is_dir() and any(target.iterdir()) and not _is_model(target):
            raise InputError(f"{path} is a folder with other things in it than a saved model. Give another name.")
        if target.exists() and not target.is_dir():
            raise InputError(f"{path} is a file; a model is saved as a folder. Give another name.")
    except OSError as error:
        raise InputError(f"Cannot save a model at {path}: {error.strerror}.") from error


def _is_model(folder: Path) -> bool:
    """Return whether a folder holds a saved model of any schema, and nothing else."""
    if {entry.name for entry in folder.iterdir()} != {FIELDS, ARRAYS}:
        return False
    with (folder / FIELDS).open("rb") as file:
        return FORMAT.encode() in file.read(200)


def read_bundle(path: str | Path) -> Bundle:
    """Read a folder that `write_bundle` wrote; for anything else, raise an `InputError` that says what is wrong."""
    for _ in range(ATTEMPTS):
        folder = _where(path)
        before = _identity(folder)
        try:
            return _read_once(folder)
        except InputError:
            if _where(path) == folder and _identity(folder) == before:
                raise
    return _read_once(_where(path))  # it was replaced on every attempt


def _where(path: str | Path) -> Path:
    """Return the folder to read: the one that is named, or where it is while it is being replaced."""
    named = Path(path)
    return named if named.exists() else standing(Path(os.path.realpath(path)))


def _identity(folder: Path) -> tuple[int, int] | None:
    """Return what changes when a model is replaced; None if there is no model."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def check_is_model(path: str | Path) -> None:
    """Raise `InputError` unless there is a saved model at `path`; what it holds is not looked at."""
    folder = _where(path)
    if not folder.exists():
        raise InputError(f"There is no {path}. Expected the folder of a saved model.")
    for name in (FIELDS, ARRAYS):
        if not (folder / name).is_file():
            raise InputError(
                f"{folder} is no saved model: expected a folder with {FIELDS} and {ARRAYS}; {name} is missing."
            )


def _read_once(folder: Path) -> Bundle:
    check_is_model(folder)
    fields = _read_fields(folder / FIELDS)
    _check_schema(fields, folder)
    digest = fields.pop("digest", None)
    if digest != _digest(_canonical(fields)):
        raise InputError(f"{folder / FIELDS} was changed after it was saved. Use a copy of the original, or fit again.")
    return Bundle(folder, fields, _read_arrays(folder / ARRAYS, fields.get("arrays_digest")))


def _read_fields(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_FIELDS:
            raise InputError(f"{path} is larger than {LARGEST_FIELDS:,} bytes: it is no saved model.")
        fields = json.loads(path.read_bytes().decode("utf-8"), parse_constant=_no_number)
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is damaged: it is not JSON ({error}). Use another copy, or fit again.") from error
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise InputError(f"{path} is not from tonmf: expected a JSON object whose format is {FORMAT!r}.")
    return fields


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")


def _check_schema(fields: Mapping[str, Any], folder: Path) -> None:
    schema = fields.get("schema")
    if not isinstance(schema, int) or isinstance(schema, bool):
        raise InputError(f"{folder / FIELDS} is damaged: its schema must be a whole number; got {schema!r:.40}.")
    if schema > SCHEMA:
        raise InputError(
            f"{folder} has schema {schema}, and this tonmf reads schema {SCHEMA}: it was saved by a newer tonmf. Update tonmf."
        )
    if schema < SCHEMA:
        raise InputError(
            f"{folder} has schema {schema}, and this tonmf reads schema {SCHEMA}: it was saved by an older tonmf. Fit it again "
            "on its documents with this one (tonmf detect ... --save)."
        )


def _read_arrays(path: Path, digest: Any) -> Any:
    """Open the arrays; the library checks their header against the size of the file."""
    try:
        with path.open("rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.") from error
    if actual != digest:
        raise InputError(f"{path} is damaged or belongs to another model. Use a copy of the original, or fit again.")
    try:
        return _safetensors().safe_open(path, framework="np")
    except Exception as error:  # the library has errors of several kinds
        raise InputError(f"{path} is damaged: {error}. Use another copy, or fit again.") from error


def _safetensors() -> Any:
    try:
        import safetensors.numpy
    except ImportError as error:
        raise MissingExtraError("Saved models need safetensors: pip install 'tonmf[save]'.") from error
    return safetensors


def _canonical(fields: Mapping[str, Any]) -> bytes:
    """Return the same bytes for the same fields, whatever their layout."""
    return json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True)
class Bundle:
    """A saved model that is being read. Each method returns a checked value of its kind, or raises `InputError`."""

    folder: Path
    fields: Mapping[str, Any]
    arrays: Any
    prefix: str = ""
    called: str = "model"
    remedy: str = "fit again"

    def wrong(self, what: str) -> InputError:
        """Return an error that says which value is wrong."""
        return InputError(
            f"The {self.called} in {self.folder} cannot be used: {what}. Use a copy of the original, or {self.remedy}."
        )

    def _field(self, name: str, kind: type | tuple[type, ...], expected: str) -> Any:
        value = self.fields.get(name)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.wrong(f"{self.prefix}{name} must be {expected}; got {value!r:.40}")
        return value

    def whole(self, name: str, low: int = 0, high: int = 2**62) -> int:
        """Return an integer."""
        value: int = self._field(name, int, "a whole number")
        if not low <= value <= high:
            raise self.wrong(f"{self.prefix}{name} must be from {low} to {high}; got {value!r:.40}")
        return value

    def number(self, name: str, above: float = -LARGEST) -> float:
        """Return a finite number."""
        value = self._field(name, (int, float), "a number")
        if not above < value <= LARGEST:
            raise self.wrong(
                f"{self.prefix}{name} must be a number above {above:g} and up to {LARGEST:g}; got {value!r:.40}"
            )
        return float(value)

    def flag(self, name: str) -> bool:
        """Return a boolean."""
        value: bool = self._field(name, bool, "true or false")
        return value

    def text(self, name: str) -> str:
        """Return a string."""
        value: str = self._field(name, str, "a string")
        return value

    def texts(self, name: str, n: int | None = None) -> list[str]:
        """Return a list of strings, `n` of them if given."""
        values: list[str] = self._field(name, list, "a list of strings")
        if not all(isinstance(value, str) for value in values) or (n is not None and len(values) != n):
            raise self.wrong(f"{self.prefix}{name} must be a list of {'' if n is None else f'{n} '}strings")
        return values

    def parts(self, name: str) -> list[Bundle]:
        """Return a list of objects, each as a `Bundle`."""
        values = self._field(name, list, "a list of objects")
        if not all(isinstance(value, dict) for value in values):
            raise self.wrong(f"{self.prefix}{name} must be a list of objects")
        return [
            replace(self, fields=value, prefix=f"{self.prefix}{name}.{number}.") for number, value in enumerate(values)
        ]

    def part(self, name: str) -> Bundle:
        """Return an object as a `Bundle`."""
        value = self._field(name, dict, "an object")
        return replace(self, fields=value, prefix=f"{self.prefix}{name}.")

    def has(self, name: str) -> bool:
        """Return whether a field is present and not null."""
        return self.fields.get(name) is not None

    def array(self, name: str, dtype: type, shape: Sequence[int | None], most: float = LARGEST) -> NDArray[Any]:
        """Return an array of numbers of absolute value up to `most`; None in `shape` stands for any size."""
        full = f"{self.prefix}{name}"
        if full not in self.arrays.keys():  # noqa: SIM118  (no mapping)
            raise self.wrong(f"the array {full} is missing")
        try:
            declared = self.arrays.get_slice(full).get_shape()
            fits = len(declared) == len(shape) and all(
                want is None or want == size for want, size in zip(shape, declared, strict=True)
            )
            array: NDArray[Any] | None = self.arrays.get_tensor(full) if fits else None
        except Exception as error:  # the library has errors of several kinds
            raise self.wrong(f"the array {full} cannot be read ({error})") from error
        if array is None:
            raise self.wrong(f"the array {full} must have shape {_shape(shape)}; got {_shape(declared)}")
        if array.dtype != dtype:
            raise self.wrong(f"the array {full} must be of {np.dtype(dtype)}; got {array.dtype}")
        if array.dtype.kind == "f" and not (np.abs(array) <= most).all():
            raise self.wrong(f"the array {full} holds numbers that are not finite, or beyond {most:g}")
        return array

    def positive(self, name: str, dtype: type, shape: Sequence[int | None], most: float = LARGEST) -> NDArray[Any]:
        """Return an array of numbers from 0 to `most`."""
        array = self.array(name, dtype, shape, most)
        if array.size and array.min() < 0:
            raise self.wrong(f"the array {self.prefix}{name} holds negative numbers")
        return array

    def indices(self, name: str, shape: Sequence[int | None], below: int) -> NDArray[np.int64]:
        """Return an array of integers from 0 to below a limit."""
        array = self.positive(name, np.int64, shape)
        if array.size and array.max() >= below:
            raise self.wrong(f"the array {self.prefix}{name} holds a number of {below} or more")
        return array


def _shape(shape: Sequence[int | None]) -> str:
    return " × ".join("any" if size is None else str(size) for size in shape) or "()"
