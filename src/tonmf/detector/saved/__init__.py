"""Read and write a fitted detector as a bundle (`tonmf.storage.bundles`).

========== ============================================================
state      the state as a whole
parts      parts of several of the others: rows of documents, and scales
scorer     what gives scores: topics, sample, company, alarms
meaning    the meaning of the sample
reference  what scores are compared with, for p-values
vocabulary the vocabulary, and boilerplate
training   rows of the training documents
marks      a reader's marks
stream     what ``partial_fit`` remembers of a stream
========== ============================================================
"""
