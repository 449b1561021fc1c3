"""Save a model over another, killed before each line of our code in turn: ``python killed_saves.py FOLDER exchange|renames``.

Prints a line for each kill: which of the two models is there afterwards, and how many other things beside it.
"""

import os
import signal
import sys
from pathlib import Path

import numpy as np

from tonmf.storage import atomic, bundles

CODE = os.path.dirname(atomic.__file__)


def save(path, which):
    bundles.write_bundle(path, "test", {"which": which}, {"numbers": np.full(1000, float(which))})


def which_is_whole(path):
    """Return which model is read, after a look at all of it; anything but a whole model is an error."""
    bundle = bundles.read_bundle(path)
    which = bundle.whole("which")
    assert (bundle.array("numbers", np.float64, (1000,)) == which).all()
    return which


def kill_before(line):
    """End this process without warning before it runs the n-th line of `tonmf.storage`."""
    lines = iter(range(1, 10**9))

    def trace(frame, event, argument):
        if not frame.f_code.co_filename.startswith(CODE):
            return None
        if event == "line" and next(lines) == line:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)


def main(folder, way):
    if way == "renames":
        atomic.exchange = lambda one, other: False
    path = Path(folder, "model")
    for line in range(1, 10_000):
        save(path, 1)
        child = os.fork()
        if child == 0:
            kill_before(line)
            save(path, 2)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{which_is_whole(path)} {len(os.listdir(folder)) - 1}\n")
        sys.stdout.flush()
        for left in os.listdir(folder):
            if left != path.name:
                atomic.remove(Path(folder, left))
        if os.waitstatus_to_exitcode(status) == 0:
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
