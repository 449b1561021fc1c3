"""From texts to sentence embeddings, by a model that is named or given.

============ ==================================================================================
`encoder`    `Encoder`: texts in, rows out, with a cache and progress
`models`     from a name to a model: sentence-transformers, model2vec, or an object of the user's
`endpoint`   a model behind an HTTP address, in the way of OpenAI
`cache`      rows on disk, so that no text is embedded twice by the same model
`probe`      whether two models are the same
`rows`       checks of texts, and of what a model returns
============ ==================================================================================

A model is loaded when an encoder is made, never on import.
"""

from tonmf.embed.encoder import Encoder, make_encoder
from tonmf.embed.probe import same_model

__all__ = ["Encoder", "make_encoder", "same_model"]
