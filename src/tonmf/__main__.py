"""Run ``tonmf`` as ``python -m tonmf``."""

from tonmf.cli import main

main()
