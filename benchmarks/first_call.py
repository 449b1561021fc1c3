"""Time the first fit in a new process, for `benchmarks.speed`."""

import json
import time

import numpy as np
import scipy.sparse as sp

from tonmf import TONMF

X = sp.random(300, 100, 0.1, format="csr", random_state=0, dtype=np.float32)
began = time.perf_counter()
TONMF(10, alpha=1.0, max_iter=3, tol=0, random_state=0).fit(X)
print(json.dumps({"seconds": time.perf_counter() - began}))
