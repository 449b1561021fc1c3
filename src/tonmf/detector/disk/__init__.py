"""Out of core: documents that do not fit into memory are counted once into shards on disk, and learnt from there.

=========== ==============================================================================
learn       `learn_on_disk`: count, then run the recipe, in a cache folder that may be resumed
budget      how many words, terms and documents fit into the memory limit
release     freed memory goes back to the system
store       the folder of counted documents
shards      blocks of documents in files, mapped into memory one at a time
embedded    embeddings of the documents, in a file
shard_fit   H, ρ and ω of a fit to shards
checkpoints fits on disk, finished or midway
=========== ==============================================================================
"""
