"""An atomic counter, from which threads claim their work."""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.extending import intrinsic

from tonmf.nmf.ops.simd.emit import INT64


def _claim(typing_context: Any, cursor: Any) -> Any:
    """Return ``cursor[0]`` and increment it atomically: no two threads get the same number."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.atomic_rmw("add", array.data, INT64(1), "monotonic")

    return types.int64(cursor), codegen


claim: Any = intrinsic(_claim)
