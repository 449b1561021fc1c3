"""`EmbeddingOutlierDetector`: outliers among embeddings alone, without any text.

=========== =====================================================================
detector    `EmbeddingOutlierDetector`: its options, how it is fitted and used
rows        `UnitRows`: embeddings that a user gives, checked, a block at a time
scorer      `VectorScorer`: from embeddings to scores, and how it is learnt
explanation `EmbeddingExplanation`: why a document has its score
saved       read and write a fitted detector
=========== =====================================================================
"""
