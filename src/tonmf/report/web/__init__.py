"""The front end of the report and of the server's page: plain JavaScript and CSS, put together by `assets`.

| folder | what is in it |
|---|---|
| ``shared/`` | used by both pages: the ranked list, a document, the plot of scores, topics, and what these are made with |
| ``report/`` | the report alone: its first screen, address and links, map, groups and curves |
| ``app/`` | the server's page alone: score documents, fit models, sign in |
| ``notebook/`` | the card on which a notebook shows things, which has colours and shades of ``shared/`` |
| ``vendor/`` | the plotting library, as its makers publish it |

``report/`` and ``app/`` import from ``shared/``, never from each other; ``shared/`` imports from neither.
"""
