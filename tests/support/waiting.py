"""Wait until something has happened. No test is about time: the limit only ends a test that would never end."""

import os
import time

PATIENCE = float(os.environ.get("TONMF_PATIENCE", 120))
"""Seconds after which a test gives up on something that should have happened."""


def wait_until(happened):
    """Return what a function returns, as soon as that is something."""
    end = time.monotonic() + PATIENCE
    while not (found := happened()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
    return found
