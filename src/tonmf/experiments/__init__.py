"""The paper's experiments, run again by ``tonmf paper``, and what benchmarks share with them.

============== ====================================================================================================
what to run    `specification` (an experiment), `paper` (each experiment of the paper), `tasks` (data sets), `methods`
run it         `running` (measure what is missing), `log` (results on disk), `processes` (memory), `tracing` (a fit)
results        `measured` (look up, format), `plotting`
the page       `page`, with `claims` (judge those of the paper, given in `facts`) and `beside_baselines`
============== ====================================================================================================
"""
