"""From counted documents to scores.

========== ==================================================================================
corpus     `Corpus`: counted documents, in memory, on disk or on a cluster
ladder     `Ladder` and `Rung`: fits that ask more and more of a topic
prepared   what is prepared once and used for every document to come
ordinary   the sample of ordinary documents, and the distance from it
company    strange documents that are like each other
copies     documents that are copies of each other, which count as one
meaning    the same distance by sentence embeddings, and how much it counts
likeness   how alike documents are by their meaning, with or without their words
embeddings checks of embeddings that a user gives
alarms     unknown, rare and repeated words
scale      numbers of different kinds on one scale
scoring    `Scorer`: measure documents by all of these, and combine the measures to a score
p_values   `Reference`: how unusual a score is among those of ordinary documents
groups     small groups: rare documents that have something in common
========== ==================================================================================
"""
