"""What the tests of saved models share: documents, and a detector that is quick to fit."""

from tonmf.datasets import make_corpus

CORPUS = make_corpus(n_docs=120, n_outliers=4, random_state=1)
NEW = [*make_corpus(n_docs=20, n_outliers=2, random_state=2).texts, "", "zxcv qwer", "goal " * 100]
SMALL = {"max_topics": 6, "n_restarts": 1}
