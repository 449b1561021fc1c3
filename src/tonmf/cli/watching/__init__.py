"""Documents scored as they come: from a file that grows, or from standard input (docs/guide/streaming.md).

=============== ==========================================================================
their bytes     `following`: a file that grows, is cut off or replaced; or a pipe
their lines     `lines`: whole lines, where each ends; no more is read than is asked for
their documents `records`: from a line to a document, or what is wrong with it
new topics      `alerts`: strange documents that come to hang together, told once
the way on      `snapshots`: detector, strange documents and position together, whole or not at all
the way out     `output`: lines that wait for whoever reads them
all together    `watch`: score, say why, learn, keep
=============== ==========================================================================
"""
