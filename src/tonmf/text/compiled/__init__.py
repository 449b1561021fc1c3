"""Count the words of many documents, and find their passages, with compiled code.

============ ================================================================================
`texts`      texts in UTF-8, and how kernels read them
`eight`      eight bytes at a time: hash runs of bytes, and compare them
`characters` the classes of characters that the kernels look for
`words`      kernels: number the words of texts, and count terms by document
`terms`      from words to terms
`table`      the words seen so far with their terms: `count_words`
`passages`   kernel: the keys of passages: `passage_keys`
`blake2b`    kernel: the hash function that makes the keys
============ ================================================================================

`tonmf.text.counts.count_by_number` and `tonmf.text.passages.PassageKeys.of` decide when to come here. Counts, numbers of new
terms, the order of entries and keys are exactly those of the road in Python. The analysis (`tonmf.text.analysis`) says what a
word becomes: compiled code cuts texts at words, but masks, stop words, stems and limits stay in Python, once for each distinct
word.
"""

FEWEST_CHARACTERS = 20_000
"""Characters of documents from which on compiled code looks at them; below, to prepare for it takes longer."""
