"""What a reader's marks do to scores: a layer above finished scores (docs/method/detector.md).

========= ======================================================================================
`marks`    `Marks`: the marked documents, with their rows and how far each mark is from the score
`likeness` `Likeness`: how much two documents have in common, beyond what ordinary ones have
`effects`  `Effects`: what marks add to the score of any document; `Marking`: the same, of a detector
`rule`     `MarkRule`: how scores follow marks, for programs without the detector
========= ======================================================================================
"""
