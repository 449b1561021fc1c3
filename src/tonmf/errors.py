"""Everything tonmf raises on purpose.

::

    TonmfError
    ├── InputError         (also ValueError)   the data cannot be used as it is
    ├── ParameterError     (also ValueError)   an option has a value that makes no sense
    ├── ClusterError       (also RuntimeError) a cluster cannot do the work: it is gone, or short of workers, memory or disk
    └── MissingExtraError  (also ImportError)  something optional is to be used that is not installed

Each message says what was expected, what came, and what to do. A model used before ``fit`` raises
scikit-learn's own ``NotFittedError``, as pipelines expect.
"""

from __future__ import annotations

__all__ = ["ClusterError", "InputError", "MissingExtraError", "ParameterError", "TonmfError"]


class TonmfError(Exception):
    """Base of all errors that tonmf raises on purpose."""


class InputError(TonmfError, ValueError):
    """The data given to an estimator cannot be used as it is."""


class ParameterError(TonmfError, ValueError):
    """A parameter has a value that makes no sense."""


class ClusterError(TonmfError, RuntimeError):
    """A cluster cannot do the work that it was given."""


class MissingExtraError(TonmfError, ImportError):
    """Something optional is to be used that is not installed."""
