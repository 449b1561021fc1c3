"""Small disks of their own, to be filled up or not to be written to: tmpfs, which only root may mount."""

import shutil
import subprocess
from contextlib import contextmanager

import pytest


@contextmanager
def mounted(folder, size, read_only=False):
    """A disk of so many bytes in a folder, and a function that gives it another size."""
    folder.mkdir(parents=True, exist_ok=True)
    mode = "ro" if read_only else "rw"
    done = _mount("-t", "tmpfs", "-o", f"size={size},{mode}", "tmpfs", str(folder))
    if done is None or done.returncode:
        pytest.skip("a disk cannot be mounted here")
    try:
        yield folder, lambda larger: _mount("-o", f"remount,size={larger}", str(folder))
    finally:
        subprocess.run([shutil.which("umount"), "-l", str(folder)], check=True)


def _mount(*arguments):
    mount = shutil.which("mount")
    return None if mount is None else subprocess.run([mount, *arguments], capture_output=True)
