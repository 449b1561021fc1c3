"""``python -m tonmf``: the same as ``tonmf``."""

from tonmf.cli import main

main()
