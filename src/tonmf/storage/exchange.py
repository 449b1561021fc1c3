"""Exchange two names in one step, so that at every moment each of them names something whole.

Linux and macOS have a call for that, which Python does not offer; not every file system supports it (NFS, for instance).
"""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

AT_FDCWD, RENAME_EXCHANGE, RENAME_SWAP = -100, 2, 2

NOT_SUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})


def exchange(one: Path, other: Path) -> bool:
    """Let each of two paths name what the other named; return False, and change nothing, where the system cannot."""
    if os.name != "posix":
        return False
    system = ctypes.CDLL(None, use_errno=True)
    paths = os.fsencode(one), os.fsencode(other)
    if hasattr(system, "renameat2"):
        failed = system.renameat2(AT_FDCWD, paths[0], AT_FDCWD, paths[1], ctypes.c_uint(RENAME_EXCHANGE))
    elif hasattr(system, "renamex_np"):
        failed = system.renamex_np(*paths, ctypes.c_uint(RENAME_SWAP))
    else:
        return False
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in NOT_SUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(other))
