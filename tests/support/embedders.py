"""Embedding models for tests: small, deterministic, without a download."""

import hashlib
import re

import numpy as np


class HashEmbedder:
    """Bags of hashed words as unit rows, so that texts with words in common have similar vectors.

    Nothing depends on the process, the batch or the order of texts. A text without words has a row of zeros.
    """

    def __init__(self, width=32):
        self.width = width
        self.calls = []
        """The texts of each call, to see what was embedded and how often."""

    def encode(self, texts):
        self.calls.append(list(texts))
        rows = np.zeros((len(texts), self.width), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.lower()):
                row += direction_of(word, self.width)
            row /= max(float(np.linalg.norm(row)), 1e-12)
        return rows

    @property
    def n_texts(self):
        return sum(map(len, self.calls))


def direction_of(word, width):
    """The vector of ±1 that stands for a word."""
    bits = hashlib.shake_128(word.encode("utf-8", "surrogatepass")).digest(-(-width // 8))
    return 2.0 * np.unpackbits(np.frombuffer(bits, np.uint8))[:width] - 1
