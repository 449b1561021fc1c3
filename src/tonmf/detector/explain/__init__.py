"""From scores to reasons.

============== ==================================================================================
`explanation`  `Explanation`: what it holds, its sentence, and its forms as text, dictionary and table
`several`      a list of explanations, as a notebook shows it
`explainer`    makes explanations from a fitted detector
`unexpected`   how much of a document each topic explains, and the words that none explains
`missing`      the words that documents lack although their topics lead one to expect them
`topics`       topics as users see them
`profile`      what is typical of the training documents
`ranks`        ranks, with one rank for equal scores
`quotes`       words of documents inside our sentences
============== ==================================================================================
"""
