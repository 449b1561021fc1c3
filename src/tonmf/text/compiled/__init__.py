"""Count the words of many documents with compiled code.

============ ================================================================================
`characters` the classes of characters that the kernels look for
`words`      kernels: number the words of texts, and count terms by document
`table`      the words seen so far with their terms: `count_words`
============ ================================================================================

`tonmf.text.counts.count_by_number` decides when to come here. The counts, the numbers of new terms and the order of entries are
exactly those of the analysis itself (`tonmf.text.analysis`), which says what a word is: compiled code cuts texts at words, but
never decides what a word becomes. Masks, stop words, stems and limits on words stay in Python, once for each distinct word.
"""
