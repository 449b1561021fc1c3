"""Use a fitted detector: score documents, explain them, and look at its topics.

The methods that other rooms use (`tonmf.timeline`, `tonmf.dask`, `tonmf.ranking`, the service and the commands) are all public;
those without a leading underscore here and in `tonmf.detector.detector` are the whole seam.

========== =========================================
adopted    take on a state, save it, and load it
scoring    scores, p-values, ranks and alarms
marking    marks of a reader, which scores follow
explaining explanations, topics and terms
========== =========================================
"""

from __future__ import annotations

from tonmf.detector.fitted.explaining import ExplainingDetector
from tonmf.detector.fitted.marking import MarkingDetector


class FittedDetector(MarkingDetector, ExplainingDetector):
    """A detector that has a state; `tonmf.TextOutlierDetector` learns it.

    By itself it is what a command needs of a saved model. It loads without scikit-learn, which takes longer to import than a
    document to score.
    """
