"""Blocks on the workers of a Dask cluster.

============== ==================================================================================
module         what
============== ==================================================================================
`watch`        whether the cluster can still finish what is waited for
`failures`     its failures in plain words
`client`       the cluster: its workers, sending and fetching values
`partitions`   partitions of documents on workers, and the source that stands for them here
`rows`         rows of numbers that the user passes, as checked partitions
`executor`     runs the steps of a fit on partitions
`worker`       the code that runs on the workers
============== ==================================================================================
"""
