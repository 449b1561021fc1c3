"""The readers of the original archives agree with what is known of them."""

from collections import Counter

import pytest

from tonmf.datasets.archives import (
    read_bbc,
    read_biography_sections,
    read_newsgroups,
    read_quest_baskets,
    read_reuters_matrix,
    read_reuters_sgml,
)


def test_newsgroups(data_folder):
    documents = read_newsgroups(data_folder / "20news-bydate.tar.gz")
    groups = Counter(document.label for document in documents)
    assert len(documents) == 18_846
    assert len(groups) == 20
    assert groups["comp.sys.ibm.pc.hardware"] == 982
    assert groups["soc.religion.christian"] == 997
    assert sum(document.id.startswith("20news-bydate-train/") for document in documents) == 11_314


def test_reuters_sgml(data_folder):
    documents = read_reuters_sgml(data_folder / "reuters21578.tar.gz")
    topics = Counter(document.label for document in documents)
    assert len(documents) == 8_293
    assert len(topics) == 65
    assert (topics["earn"], topics["acq"], topics["interest"]) == (3_713, 2_055, 197)
    assert not any("&lt;" in document.text or "\x03" in document.text for document in documents)


def test_reuters_matrix(data_folder):
    counts, classes = read_reuters_matrix(data_folder / "Reuters21578.mat")
    assert counts.shape == (8_293, 18_933)
    assert counts.nnz == 389_455
    assert ((classes == 1) | (classes == 2)).sum() == 5_768


def test_bbc(data_folder):
    documents = read_bbc(data_folder / "bbc-fulltext.zip")
    expected = {"business": 510, "entertainment": 386, "politics": 417, "sport": 511, "tech": 401}
    assert Counter(document.label for document in documents) == expected
    assert not any("\ufffd" in document.text for document in documents)


def test_biographies(data_folder):
    sections = Counter(d.label for d in read_biography_sections(data_folder / "wiki-featured-bios.jsonl.gz"))
    assert (sections["life"], sections["career"], sections["death"]) == (1_267, 1_065, 303)


def test_quest_baskets(data_folder):
    baskets = read_quest_baskets(data_folder / "quest-T300-N50k-D10k.data.xz")
    lengths = [len(basket) for basket in baskets]
    assert len(baskets) == 10_000
    assert sum(lengths) / 10_000 == pytest.approx(299.63, abs=0.01)
    assert (min(lengths), max(lengths)) == (234, 377)
    assert len({item for basket in baskets for item in basket}) == 19_091
