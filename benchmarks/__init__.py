"""Benchmarks, each with a peer in the same run; ``python -m benchmarks`` runs all but the long ones (README.md).

========= =====================================================================================================
time      `speed` with `first_call`, `cost`, `scaling`, `dense`, `machine`
memory    `dense`, `scaling`, `outofcore`
programs  `serving` (``tonmf serve``), `opening` (a report in a browser), `watching` (``tonmf watch``)
clusters  `cluster`, with `traffic` to count bytes
streams   `novelty`, `newswire`
quality   `quality`, `quality_measurements`, `quality_report` and `embedding_report`, with `tasks`, `embeddings`, and the peers
          on words (`peers`) and on embeddings (`embedding_peers`)
meaning   `meaning` and `meaning_report`: what embeddings cost, with `nearest` for the search
real text `robustness` and `robustness_report`, with `corpora`, `log_lines`, `changes` and `foreign`
peers     `compared`, `compared_methods` and `compared_report`, with `small_tasks`: other packages on the same texts
new texts `new_documents` and `new_documents_report`
marks     `feedback` and `feedback_report`, with `readers`; `marking` (time)
shared    `harness`; `contenders` (tonmf and two peers, for real and new texts) and `grid` (the last three's command line)
========= =====================================================================================================
"""
