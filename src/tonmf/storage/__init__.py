"""Our own files: saved models, intermediate results on disk, and how they are written.

============== ==================================================================================
module         what
============== ==================================================================================
`atomic`       files and folders that appear whole or not at all; every other module writes by it
`exchange`     exchange two names in one step
`bundles`      a saved model: JSON and arrays in a folder, every value checked when it is read
`parameters`   the parameters of an estimator in a saved model
`array_file`   arrays in one memory-mapped file with a checksum
`json_file`    JSON with a checksum
`spool`        records that do not fit into memory, in a temporary file
`locks`        locks on folders that one process uses at a time
`caches`       the folder for what can be had again
============== ==================================================================================
"""
