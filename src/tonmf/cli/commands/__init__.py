"""The commands, one file each.

============================== ==============================================
`detect`, `score`, `timeline`  rank documents: fit on them, by a saved model, or in order of time
`check`                        fail if too many are flagged
`explain`, `topics`, `report`  say why, by a saved model
`review`                       read documents one by one, and mark them
`watch`, `serve`               score documents as they arrive, from a file or over HTTP
`mcp`                          give agents tools for all that
`demo`, `generate`             documents to try it on
`bench`, `paper`               measure
============================== ==============================================
"""
