"""From documents to counts to rows.

============== ===========================================================================
Nothing here knows topics or scores.
"""
