"""Benchmarks, each with a peer in the same run; ``python -m benchmarks`` runs all but quality (README.md).

========= =====================================================================================================
time      `speed` with `first_call`, `cost`, `scaling`, `dense`, `machine`
memory    `dense`, `scaling`, `outofcore`
programs  `serving` (``tonmf serve``), `opening` (a report in a browser), `watching` (``tonmf watch``)
clusters  `cluster`, with `traffic` to count bytes
streams   `novelty`, `newswire`
quality   `quality` and `quality_report`, with `tasks`, `peers` and `embeddings`
shared    `harness`; quality runs on the harness of `tonmf.experiments`
========= =====================================================================================================
"""
