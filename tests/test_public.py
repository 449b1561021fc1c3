"""The public names: others build on them, so each stays where it is."""

import importlib

import pytest

PUBLIC = {
    "tonmf": "ClusterError EmbeddingOutlierDetector Explanation Group InputError MissingExtraError ParameterError Progress "
    "TONMF TextOutlierDetector TonmfError Topic UnexpectedWord load",
    "tonmf.dask": "fit_detector score to_frame",
    "tonmf.datasets": "ARCHIVES Archive Dataset PAPER_BASKETS QuestOptions fetch_archive load_bbc load_newsgroups "
    "load_noticeboard load_reuters load_wiki_people make_baskets make_corpus",
    "tonmf.embed": "Encoder make_encoder same_model",
    "tonmf.baselines": "KNNDistance NMFResidual RobustPCA SVDScore",
    "tonmf.metrics": "PrecisionRecallCurve RocCurve area_under_curve false_positive_rate precision_at "
    "precision_recall_curve roc_curve true_positive_rate",
    "tonmf.plots": "check_plot plot_timeline require_matplotlib save_canvas topics_to_show",
    "tonmf.io": "DocumentFiles Documents FORMATS ReadOptions check_output output_format read_documents read_marks "
    "write_table",
    "tonmf.report": "compare read_summary summarise write_html write_summary",
    "tonmf.timeline": "Alert NewTopic Nursery Timeline Window follow note_on_first",
    "tonmf.ranking": "COLUMNS Drift LargeRanking READ_AT_MOST Ranking TYPES check_terms columns_of drift_of ignore "
    "judged_among order_of pieces_of stretches",
    "tonmf.experiments.tracing": "Trace trace_fit",
    "tonmf.detector": "TextOutlierDetector",
    "tonmf.pyod": "EmbeddingOutlierDetector TONMF TextOutlierDetector load",
    "tonmf.estimator": "TONMF",
}


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_can_be_imported(module):
    imported = importlib.import_module(module)
    missing = [name for name in PUBLIC[module].split() if not hasattr(imported, name)]
    assert not missing


@pytest.mark.parametrize("module", PUBLIC)
def test_a_public_room_names_what_is_public(module):
    listed = getattr(importlib.import_module(module), "__all__", None)
    assert listed is None or set(listed) == set(PUBLIC[module].split())
