"""Small groups: documents that hang together but are rare."""

import numpy as np
import pytest

from tonmf import Group, TextOutlierDetector
from tonmf.datasets.archives import read_newsgroups, read_reuters_sgml, without_header_and_quotes

CASES = {
    "coffee": ("reuters", ["earn", "acq"], "coffee", {"coffee", "quotas"}),
    "crude": ("reuters", ["earn", "acq"], "crude", {"oil", "crude"}),
    "hockey": (
        "newsgroups",
        ["comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"],
        "rec.sport.hockey",
        {"hockey", "game"},
    ),
}


@pytest.fixture(scope="module")
def collections(data_folder):
    posts = read_newsgroups(data_folder / "20news-bydate.tar.gz")
    return {
        "reuters": [(d.label, d.text) for d in read_reuters_sgml(data_folder / "reuters21578.tar.gz")],
        "newsgroups": [(d.label, without_header_and_quotes(d.text)) for d in posts],
    }


@pytest.mark.parametrize("share", [0.05, 0.10])
@pytest.mark.parametrize("case", CASES)
def test_a_tight_cluster_appears_as_a_group(case, share, collections):
    collection, ordinary, narrow, expected_words = CASES[case]
    documents = collections[collection]
    rng = np.random.default_rng(0)
    labels = np.array([label for label, _ in documents])
    members = rng.permutation(np.flatnonzero(labels == narrow))
    n_ordinary = min(1500, int(len(members) * (1 - share) / share))
    members = members[: round(n_ordinary * share / (1 - share))]
    rows = np.concatenate([rng.permutation(np.flatnonzero(np.isin(labels, ordinary)))[:n_ordinary], members])
    detector = TextOutlierDetector(n_restarts=1).fit([documents[i][1] for i in rows])

    def quality(group):
        inside = np.isin(rows[group.documents], members)
        return inside.mean() * inside.sum() / len(members)

    best = max(detector.groups_, key=quality)
    inside = np.isin(rows[best.documents], members)
    assert inside.mean() > 0.75
    assert inside.sum() > 0.4 * len(members)
    assert expected_words & set(best.words[:5])
    assert detector.groups_.index(best) < 5


def test_a_group_has_size_share_words_and_documents(collections):
    documents = [text for label, text in collections["reuters"] if label in ("earn", "coffee")][:1200]
    detector = TextOutlierDetector(n_restarts=1).fit(documents)
    assert detector.groups_
    for group in detector.groups_:
        assert isinstance(group, Group)
        assert group.size == len(group.documents) == len(set(group.documents.tolist())) >= 3
        assert group.share == pytest.approx(group.size / len(documents))
        assert 1 <= len(group.words) <= 10
        assert set(group.words) <= set(detector.terms_)
    order = [group.strangeness * np.sqrt(group.size) for group in detector.groups_]
    assert order == sorted(order, reverse=True)
