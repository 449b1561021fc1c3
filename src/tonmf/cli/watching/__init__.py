"""The loop of ``tonmf watch``: score documents as they come, from a file that grows or from standard input.

============ ==========================================================================
`following`  bytes in: a file that grows, is truncated or replaced; or a pipe
`lines`      bytes to whole lines, with the place after each
`documents`  a line to a document, or to what is wrong with it
`pending`    documents that were answered and wait to be learnt from, a batch at a time
`marks`      marks given while it runs, and the documents that they may be of
`new_topics` new topics among the documents learnt from, each announced once
`output`     answers out, at the reader's pace
`stopping`   Ctrl-C and SIGTERM as a request to stop
`snapshots`  detector, new topics, pending documents and place together, to resume from
`watch`      the loop: score, answer, learn, take snapshots
============ ==========================================================================

See docs/guide/streaming.md for how to use it.
"""
