"""The server of ``tonmf mcp``: tools for agents, by the Model Context Protocol.

=========== ===========================================================
`allowed`   which files may be read, and how much of them
`shelf`     models by name, and the documents that each judged last
`answers`   what the tools return
`tools`     the tools
`call`      a call of a tool in a thread: its progress, and its end if nobody waits for it
`server`    the tools as a server on standard input and output
=========== ===========================================================

Standard output belongs to the protocol, so nothing here prints.
"""
