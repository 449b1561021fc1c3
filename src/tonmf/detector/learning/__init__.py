"""Update a fitted detector (``partial_fit``, ``add_topic``): new documents are scored first, then learnt from.

========= ===================================================================================
learner   `Learner`: from one state of the detector to the next
begin     from what a fit keeps to the sums and quantiles that a stream adds to
quantiles let the numbers of new documents join the quantiles that are followed
rebuild   from sums and quantiles to rungs, the sample of ordinary documents, scales and alarms
========= ===================================================================================
"""
