"""Out of core: documents that are too many for memory are counted once into shards on disk, and learnt from there."""

from tonmf.disk.batches import Batch, Batches, in_batches
from tonmf.disk.budget import Budget, bytes_of
from tonmf.disk.learning import learn_on_disk

__all__ = ["Batch", "Batches", "Budget", "bytes_of", "in_batches", "learn_on_disk"]
