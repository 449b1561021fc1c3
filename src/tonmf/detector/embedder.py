"""Who embeds the documents of a detector, and whether it is the one that embedded its training documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tonmf.arrays import Array
from tonmf.embed import Encoder, make_encoder, same_model
from tonmf.embed.models import ADDRESSES
from tonmf.errors import InputError, Param
from tonmf.text.documents import TEXTS


@dataclass(frozen=True)
class EmbeddedBy:
    """The embedder of the training documents: its name, and what it makes of a few sentences (`tonmf.embed.probe`)."""

    name: str
    probe: Array

    @classmethod
    def of(cls, encoder: Encoder) -> EmbeddedBy:
        """Remember an embedder."""
        return cls(encoder.name, encoder.probe)

    def check(self, encoder: Encoder) -> None:
        """Raise `InputError` if another embedder is at hand."""
        if same_model(self.probe, encoder.probe):
            return
        raise InputError(
            f"The detector was fitted with embeddings of {self.name} ({self.probe.shape[1]} columns), but ",
            Param("embedder"),
            f" is {encoder.name} ({encoder.width} columns), or another version of it, whose embeddings cannot be compared with "
            "those. Use the same one, or fit again.",
        )


def check_can_embed(embeddings: Any, kind: str) -> None:
    """Check that there is something to embed, and that it has not been embedded already."""
    if embeddings is not None:
        raise InputError(
            "Give ", Param("embeddings"), ", or ", Param("embedder"), " to have them made, but not both at once."
        )
    if kind != TEXTS:
        raise InputError(Param("embedder"), f" reads texts, but the documents are {kind}. Leave it out.")


class EncoderAtHand:
    """The encoder of a detector, made when it is first needed and again when another embedder is named; never pickled."""

    def __init__(self) -> None:
        self._of: Any = None
        self._encoder: Encoder | None = None

    def __reduce__(self) -> tuple[type[EncoderAtHand], tuple[()]]:
        return type(self), ()  # models are large, and are loaded again

    def get(self, embedder: Any) -> Encoder:
        """Return the encoder of an embedder."""
        if self._encoder is None or self._of is not embedder:
            self._of, self._encoder = embedder, make_encoder(embedder)
        return self._encoder


def kept_embedder(embedder: Any) -> str | None:
    """Return the embedder as a saved model names it.

    An object of the user's cannot be saved. The address of an endpoint is not: texts would be sent to wherever a saved model
    says, without the user having said so.
    """
    return embedder if isinstance(embedder, str) and not embedder.startswith(ADDRESSES) else None
