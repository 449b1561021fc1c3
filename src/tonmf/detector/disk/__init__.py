"""Out of core: documents that are too many for memory are counted once into shards on disk, and learnt from there."""
