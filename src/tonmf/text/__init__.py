"""From documents to counts to rows.

============== ==================================================================================
`documents`    what users give: texts, rows of items, or a matrix of counts
`frames`       Series and frames of pandas, polars and the like
`batches`      documents in batches, for those that do not fit into memory
`words`        words in any script
`masks`        words that stand for a class: links, ids, dates, numbers
`mask_names`   the option for it
`markup`       HTML in texts, blanked out in place
`mail`         the headers of mails, blanked out in place
`english`      the English stop words
`analysis`     from a text to its terms: n-grams, stop words, stemming
`patterns`     which regular expressions of words take time in proportion to a text
`forms`        the words that stems and pairs of characters came from, to show in their place
`passages`     boilerplate: lines and sentences that many documents share
`vocabulary`   the terms that documents are counted by, and the ways to learn them
`choose`       which vocabulary serves which documents and options
`counts`       counts of terms, and the arithmetic that every vocabulary shares
`side_by_side` stretches of documents, worked on by several threads
`compiled`     the same counts of many documents, with compiled code
`totals`       words of each document, in the vocabulary and outside it
`weighting`    from counts to rows: damping, idf, unit norm
`finding`      where some words stand in a text, without cutting all of it into words
`pieces`       a document cut into pieces to show, unexpected words marked
============== ==================================================================================

Nothing here knows topics or scores.
"""
