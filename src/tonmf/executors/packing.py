"""What is told to workers, as bytes: functions with all that they refer to.

Compiled operations arrive as operations on the worker's own threads, however many threads they have here.
"""

from __future__ import annotations

import io
from typing import Any

from tonmf.executors.worker import ops_of_this_worker


def pack(what: Any) -> bytes:
    """`what` in bytes that ``pickle.loads`` reads on a worker."""
    import cloudpickle

    from tonmf.ops.compiled import CompiledOps

    class Packer(cloudpickle.Pickler):  # type: ignore[misc]
        """Pickles functions by value."""

        def reducer_override(self, part: Any) -> Any:
            if isinstance(part, CompiledOps):
                return ops_of_this_worker, ()
            return super().reducer_override(part)

    written = io.BytesIO()
    Packer(written, protocol=5).dump(what)
    return written.getvalue()
