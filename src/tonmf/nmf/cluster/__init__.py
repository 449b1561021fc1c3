"""Blocks on the workers of a Dask cluster.

============== ==================================================================================
module         what
============== ==================================================================================
`client`       the cluster: its workers, sending and fetching values, its failures in plain words
`partitions`   partitions of documents on workers, and the source that stands for them here
`rows`         rows of numbers that the user passes, as checked partitions
`executor`     runs the steps of a fit on partitions
`worker`       the code that runs on the workers
============== ==================================================================================
"""
