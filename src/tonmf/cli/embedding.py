"""Sentence embeddings, as commands use them: made by a model (``--embed``), or read from a file (``--embeddings``)."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tonmf.cli.screen import Screen
from tonmf.errors import InputError, Param, ParameterError
from tonmf.wording import number_of

if TYPE_CHECKING:
    from tonmf.arrays import Array
    from tonmf.detector.fitted import FittedDetector
    from tonmf.embed import Encoder
    from tonmf.io import Documents


@dataclass(frozen=True)
class Embedding:
    """The options ``--embed`` and ``--embeddings`` of a command, checked; at most one of them is given."""

    model: str | None = None
    file: str | None = None

    @classmethod
    def of(cls, model: str | None, file: str | None, mapped: bool = False) -> Embedding:
        """Reject options that cannot be, before documents are read; with `mapped`, a file must not need to fit into memory."""
        if model is not None and file is not None:
            raise ParameterError("Give --embeddings, or --embed to have them made, but not both at once.")
        if model is not None:
            from tonmf.embed.models import check_name

            check_name(model)
        if file is not None:
            from tonmf.io.vectors import check_vectors

            check_vectors(file, mapped)
        return cls(model, file)

    def given(self, screen: Screen, documents: Documents) -> Array | None:
        """Read the embeddings of documents, if there is a file of them."""
        if self.file is None:
            return None
        from tonmf.io.vectors import read_vectors

        with screen.step("Reading embeddings"):
            return read_vectors(self.file, documents)

    def mapped(self) -> Array | None:
        """Map the file of embeddings into memory, if there is one."""
        if self.file is None:
            return None
        from tonmf.io.vectors import read_array

        return read_array(self.file)

    def prepare(self, detector: FittedDetector, model: str) -> list[str]:
        """Let a saved model embed by the model that is named, if one is; return notes."""
        if self.model is None:
            return []
        return use_embedder(detector, self.model, model)

    def flags(self, with_saved: bool = False) -> str:
        """Return the options as one would type them again; beside a saved model, which knows its embedder by name."""
        from tonmf.detector.embedder import kept_embedder

        if self.file is not None:
            return f" --embeddings {shlex.quote(self.file)}"
        if self.model is None or (with_saved and kept_embedder(self.model)):
            return ""
        return f" --embed {shlex.quote(self.model)}"


def use_embedder(detector: FittedDetector, embedder: str, model: str) -> list[str]:
    """Let a saved model embed by an embedder; return a note if nobody knows what made its embeddings."""
    if not detector.uses_embeddings_:
        raise InputError(f"{model} was fitted without embeddings. Leave ", Param("embedder"), " out.")
    detector.embedder = embedder
    if detector.embedded_by_ is not None:
        return []
    return [f"{model} does not know what made its embeddings; scores are right only if {embedder} did."]


def check_can_embed(detector: FittedDetector, model: str, embedder: str | None) -> list[str]:
    """Let a saved model embed documents that are not there yet, and load what it needs; raise `InputError` if it cannot."""
    notes = [] if embedder is None else use_embedder(detector, embedder, model)
    if not detector.uses_embeddings_:
        return []
    if detector.embedder is None:
        by = detector.embedded_by_
        made = "that were given" if by is None else f"of {by}, which it does not have at hand"
        raise InputError(
            f"{model} was fitted with embeddings {made}, so it cannot embed documents that come later. Name the model that "
            "makes them (",
            Param("embedder"),
            "), or fit without them.",
        )
    detector.embed([""])  # loads the embedder, and refuses another
    return notes


def embedded(
    screen: Screen, detector: FittedDetector, content: Any, given: Array | None
) -> tuple[Array | None, list[str]]:
    """Return the embeddings of documents as a fitted detector takes them, given or made now, and notes on them."""
    if not detector.uses_embeddings_ or given is not None:
        return detector.embed(content, embeddings=given), []
    with screen.step("Loading the embedding model"):
        encoder = detector.encoder()
    with screen.progress("Embedding") as done:
        rows = detector.embed(content, progress=done)
    notes = [] if encoder is None or rows is None else on_embedding(encoder, len(rows))
    for note in notes:
        screen.note(note)
    return rows, notes


def on_embedding(encoder: Encoder, n_docs: int) -> list[str]:
    """Say how many texts were embedded, and how many were too long; nothing if none was needed."""
    if not encoder.n_encoded + encoder.n_from_cache:
        return []
    notes = [
        f"Embedded {number_of(encoder.n_encoded, 'text')} with {encoder.name}; {encoder.n_from_cache:,} came from the cache."
    ]
    if encoder.n_truncated:
        are, their = ("is", "its") if encoder.n_truncated == 1 else ("are", "their")
        limit = "" if encoder.limit is None else f" ({encoder.limit} word pieces)"
        longer = (
            f"{encoder.n_truncated:,} of {number_of(n_docs, 'document')} {are} longer than {encoder.name} reads{limit}"
        )
        notes.append(f"{longer}; only {their} beginning counts for meaning.")
    return notes
