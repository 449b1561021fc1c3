"""Documents on a cluster: from what the user hands in to partitions on its workers."""
