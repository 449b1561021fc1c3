"""The loop of ``tonmf review``: show one document at a time, and take the reader's mark on it.

=========== ==============================================================================
`pile`      the documents to review, training documents or new ones, and their scores
`review`    which document is next, what was marked or skipped, and what to undo
`estimate`  how many strange documents are left
`view`      what a document looks like on a screen of any size
`dialogue`  a whole screen with single keys, or lines, where there is no terminal
`loop`      keys to what they do
=========== ==============================================================================

See docs/guide/marks.md for how to use it.
"""
