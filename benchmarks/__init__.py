"""Benchmarks, each with a peer in the same run; ``python -m benchmarks`` runs all but the long ones (README.md).

========= =====================================================================================================
time      `speed` with `first_call`, `cost`, `scaling`, `dense`, `machine`
memory    `dense`, `scaling`, `outofcore`
programs  `serving` (``tonmf serve``), `opening` (a report in a browser), `watching` (``tonmf watch``)
clusters  `cluster`, with `traffic` to count bytes
streams   `novelty`, `newswire`
quality   `quality` and `quality_report`, with `tasks`, `peers` and `embeddings`
real text `robustness` and `robustness_report`, with `corpora`, `log_lines`, `changes` and `foreign`
new texts `new_documents` and `new_documents_report`
marks     `feedback` and `feedback_report`, with `readers`; `marking` (time)
shared    `harness`; `contenders` (tonmf and two peers, for real and new texts) and `grid` (the last three's command line)
========= =====================================================================================================
"""
