"""Series and frames of pandas, polars and pyarrow: documents in, results beside the users' rows out."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tonmf import TextOutlierDetector
from tonmf.datasets import make_corpus
from tonmf.errors import InputError, MissingExtraError
from tonmf.text.documents import as_documents
from tonmf.text.frames import names_beside
from tonmf.timeline import follow

CORPUS = make_corpus(n_docs=120, n_outliers=4, random_state=1)
TEXTS = [None if number in (5, 70) else text for number, text in enumerate(CORPUS.texts)]
"""With two missing."""

LISTED = ["" if text is None else text for text in TEXTS]
NEW = ["rank", "score", "flagged", "topic", "reason"]


@pytest.fixture(scope="module")
def fitted():
    return TextOutlierDetector().fit(LISTED)


SERIES = {
    "pandas": lambda: pd.Series(TEXTS),
    "pandas, NaN": lambda: pd.Series([float("nan") if text is None else text for text in TEXTS], dtype=object),
    "pandas, NA": lambda: pd.Series(TEXTS, dtype="string"),
    "pandas, category": lambda: pd.Series(TEXTS, dtype="category"),
    "pandas, pyarrow": lambda: pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.string())),
    "pandas, one column": lambda: pd.DataFrame({"text": TEXTS}),
    "polars": lambda: pl.Series(TEXTS),
    "polars, categorical": lambda: pl.Series(TEXTS, dtype=pl.Categorical),
    "polars, one column": lambda: pl.DataFrame({"text": TEXTS}),
    "pyarrow": lambda: pa.array(TEXTS),
    "pyarrow, chunked": lambda: pa.chunked_array([TEXTS[:50], TEXTS[50:]]),
    "pyarrow, one column": lambda: pa.table({"text": TEXTS}),
}


@pytest.mark.parametrize("make", SERIES.values(), ids=SERIES)
def test_a_series_or_a_column_is_a_list_with_empty_documents_for_missing_ones(make, fitted):
    documents = make()
    detector = TextOutlierDetector().fit(documents)
    np.testing.assert_array_equal(detector.outlier_scores_, fitted.outlier_scores_)
    assert np.flatnonzero(detector.empty_).tolist() == [5, 70]
    np.testing.assert_array_equal(fitted.outlier_score(documents), fitted.outlier_scores_)
    np.testing.assert_array_equal(fitted.predict(documents), fitted.labels_)
    assert fitted.alarms(documents)["empty"].sum() == 2
    assert fitted.unexpected_words(documents) == fitted.unexpected_words(LISTED)
    assert [why.reason for why in fitted.explain(documents, ids=[5, 6])] == [
        why.reason for why in fitted.explain(LISTED, ids=[5, 6])
    ]
    streaming = TextOutlierDetector().partial_fit(documents)
    np.testing.assert_array_equal(streaming.outlier_scores_, fitted.outlier_scores_)


@pytest.mark.parametrize("make", [SERIES["pandas"], SERIES["polars, one column"]], ids=["series", "frame"])
def test_out_of_core_too(make):
    detector, plain = (TextOutlierDetector(memory="1GB").fit(documents) for documents in (make(), LISTED))
    np.testing.assert_array_equal(detector.outlier_scores_, plain.outlier_scores_)


BASKETS = [text.split() for text in CORPUS.texts]


@pytest.mark.parametrize(
    "make",
    [pd.Series, pl.Series, pa.array, lambda rows: pd.Series([None if row is None else np.array(row) for row in rows])],
    ids=["pandas", "polars", "pyarrow", "pandas, arrays"],
)
def test_lists_in_a_series_are_baskets_and_missing_ones_empty(make):
    rows = [None, *BASKETS]
    detector, plain = TextOutlierDetector().fit(make(rows)), TextOutlierDetector().fit([[], *BASKETS])
    np.testing.assert_array_equal(detector.outlier_scores_, plain.outlier_scores_)
    assert detector.word_ == "item"
    assert detector.empty_[0]


def test_a_missing_document_of_a_list_is_still_an_error():
    for missing in (None, float("nan"), pd.NA, pd.NaT):
        with pytest.raises(InputError, match="Document 1 is missing"):
            TextOutlierDetector().fit(["a text", missing])


@given(st.lists(st.none() | st.text(max_size=5), min_size=1))
def test_any_texts_come_out_of_every_library_as_they_went_in(texts):
    expected = ["" if text is None else text for text in texts]
    for make in (lambda: pd.Series(texts, dtype="string"), lambda: pl.Series(texts, dtype=pl.String)):
        assert as_documents(make()) == (expected, "texts")


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (pd.DataFrame({"id": [1], "text": ["x"]}), "got a table with columns id, text. Give one column of texts"),
        (pl.DataFrame({"id": [1], "text": ["x"]}), "got a table with columns id, text. Give one column of texts"),
        (pl.LazyFrame({"text": ["x"]}), "got a LazyFrame, which is yet to be computed. Collect it first."),
        (pd.Series([1, 2]), "Document 0 is of type int; expected a string or a list of items."),
        (pd.Series(["a", 2.5], dtype=object), "Document 1 is of type float"),
        (pl.Series([], dtype=pl.String), "Expected at least one document, got none."),
        (pd.Series([None, None], dtype=object), "None of the 2 documents has any word that counts"),
    ],
    ids=["pandas", "polars", "lazy", "numbers", "mixed", "none", "all missing"],
)
def test_frames_that_are_no_list_of_documents_are_refused(documents, message):
    with pytest.raises(InputError) as raised:
        TextOutlierDetector().fit(documents)
    assert message in str(raised.value)


# ------------------------------------------------------------------ names


def test_the_index_names_the_documents():
    texts = pd.Series(CORPUS.texts, index=CORPUS.ids)
    detector = TextOutlierDetector().fit(texts)
    (why,) = detector.explain(texts, ids=[CORPUS.ids[7]])
    assert why.id == CORPUS.ids[7]
    assert why.score == detector.outlier_scores_[7]
    assert {near.document.id for near in why.nearest} <= set(CORPUS.ids)
    assert detector.explain(texts.to_frame(), ids=[7])[0] == why
    shuffled = texts.sample(frac=1, random_state=0)
    assert detector.explain(shuffled, ids=[CORPUS.ids[7]])[0] == why
    assert detector.read(shuffled[:3]).ids == list(shuffled.index[:3])
    assert detector.explain(texts[:3], names=["x", "y", "z"])[1].id == "y"


def test_an_index_that_only_numbers_the_rows_names_nothing():
    detector = TextOutlierDetector().partial_fit(pd.Series(CORPUS.texts[:100]))
    assert detector.read(pd.Series(CORPUS.texts[100:])).ids[0] == "100"  # as many came before it
    rows = pd.DataFrame({"text": CORPUS.texts})[100:]
    assert detector.read(rows["text"]).ids[:2] == ["100", "101"]
    with pytest.raises(InputError) as raised:
        detector.explain(rows["text"], ids=[107])
    assert str(raised.value) == (
        "ids must be numbers of the 20 documents, or their names; got 107. Give the name as a string, '107'."
    )
    assert detector.explain(rows["text"], ids=["107"])[0].id == "107"


def test_an_index_of_several_levels_is_joined():
    index = pd.MultiIndex.from_tuples([("a", number) for number in range(120)])
    detector = TextOutlierDetector().fit(pd.Series(CORPUS.texts, index=index))
    assert detector.explain(pd.Series(CORPUS.texts, index=index), ids=["a/3"])[0].id == "a/3"


@pytest.mark.parametrize("make", [list, lambda texts: [text.split() for text in texts]], ids=["texts", "baskets"])
def test_names_that_fit_got_are_known_to_explain(make):
    documents = make(CORPUS.texts)
    detector = TextOutlierDetector().fit(documents, names=CORPUS.ids)
    assert detector.explain(make(CORPUS.texts), ids=[CORPUS.ids[3]])[0].id == CORPUS.ids[3]
    assert detector.explain(documents, ids=[3])[0].id == CORPUS.ids[3]
    other = documents[::-1]
    assert detector.explain(other, ids=[3])[0].id == "3"  # not the documents of the fit
    with pytest.raises(InputError, match=r"ids must be numbers of the 120 documents, or their names; got 'doc-0003'\."):
        detector.explain(other, ids=["doc-0003"])
    detector.fit(documents)
    assert detector.explain(documents, ids=[3])[0].id == "3"
    detector = TextOutlierDetector().partial_fit(documents, names=CORPUS.ids)
    assert detector.explain(documents, ids=[CORPUS.ids[3]])[0].id == CORPUS.ids[3]


def test_names_of_rows_of_counts_are_known_to_explain():
    counts = np.random.default_rng(0).poisson(1.0, (40, 6))
    names = [f"row {number}" for number in range(40)]
    detector = TextOutlierDetector().fit(counts, names=names)
    assert detector.explain(counts, ids=["row 7"])[0].id == "row 7"
    assert detector.explain(counts[::-1], ids=[7])[0].id == "7"


def test_a_timeline_takes_the_index_for_ids():
    detector = TextOutlierDetector().fit(CORPUS.texts[:60])
    later = pd.Series(CORPUS.texts[60:], index=CORPUS.ids[60:])
    times = [f"2026-11-{1 + number // 10:02}" for number in range(60)]
    assert list(follow(detector, later, times).ids) == CORPUS.ids[60:]


# ------------------------------------------------------------------ frames out


def columns():
    return {"id": CORPUS.ids, "text": TEXTS, "stars": list(range(120))}


FRAMES = {
    "pandas": lambda: pd.DataFrame(columns()),
    "pandas, own index": lambda: pd.DataFrame(columns(), index=[number // 2 for number in range(120)]),
    "polars": lambda: pl.DataFrame(columns()),
    "pyarrow": lambda: pa.table(columns()),
}


def values(frame, name):
    column = frame[name]
    return column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()


def without_missing(some):
    return [None if value is None or value is pd.NA or value != value else value for value in some]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_frame_gets_the_results_beside_its_rows(make, fitted):
    frame = make()
    result = fitted.to_frame(frame, "text")
    assert type(result) is type(frame)
    names = result.column_names if isinstance(result, pa.Table) else list(result.columns)
    assert names == ["id", "text", "stars", *NEW]
    for name in ("id", "text", "stars"):
        assert without_missing(values(result, name)) == without_missing(values(frame, name))
    if isinstance(frame, pd.DataFrame):
        assert result.index.equals(frame.index)
        assert list(frame.columns) == ["id", "text", "stars"]  # the user's own is not changed
    assert values(result, "score") == fitted.outlier_scores_.tolist()
    assert values(result, "flagged") == (fitted.labels_ == -1).tolist()
    explained = fitted.explain(LISTED)
    assert values(result, "rank") == [why.rank for why in explained]
    assert values(result, "reason") == [why.reason for why in explained]
    assert without_missing(values(result, "topic")) == [why.topic for why in explained]
    assert values(result, "reason")[5] == "Not judged: it has no words that count."


def test_columns_have_the_types_that_people_expect(fitted):
    with_none = pd.DataFrame({"text": ["zxcv qwer asdf", *TEXTS[:9]]})
    kinds = [str(kind) for kind in fitted.to_frame(with_none)[NEW].dtypes]
    assert kinds == ["int64", "float64", "bool", "Int64", "str"]
    schema = fitted.to_frame(pl.from_pandas(with_none)).schema
    assert [schema[name] for name in NEW] == [pl.Int64, pl.Float64, pl.Boolean, pl.Int64, pl.String]


def test_a_frame_without_rows_gets_its_columns(fitted):
    empty = fitted.to_frame(pl.DataFrame({"text": []}, schema={"text": pl.String}))
    assert empty.schema == fitted.to_frame(pl.DataFrame({"text": ["a", "b"]})).schema
    assert fitted.to_frame(pd.DataFrame({"text": []})).columns.tolist() == ["text", *NEW]


def test_new_rows_are_ranked_among_themselves(fitted):
    new = make_corpus(n_docs=20, n_outliers=2, random_state=5)
    result = fitted.to_frame(pl.DataFrame({"text": new.texts}))
    scores = fitted.outlier_score(new.texts)
    assert result["score"].to_list() == scores.tolist()
    assert result["rank"].to_list() == [1 + int((scores > score).sum()) for score in scores]
    assert result.sort("rank")["text"].to_list()[:2] == [new.texts[row] for row in np.argsort(-scores)[:2]]


def test_many_rows_are_read_some_at_a_time(fitted, monkeypatch):
    whole = fitted.to_frame(pl.DataFrame({"text": TEXTS}))
    monkeypatch.setattr("tonmf.detector.fitted.explaining.AT_ONCE", 7)
    assert fitted.to_frame(pl.DataFrame({"text": TEXTS})).equals(whole)


def test_columns_with_our_names_are_kept_under_another(fitted):
    for library in (pd, pl):
        frame = library.DataFrame({"text": CORPUS.texts, "score": range(120), "input_score": "x", "rank": "first"})
        with pytest.warns(
            UserWarning, match="are called input_input_score, input_rank in the result: score, rank"
        ) as told:
            result = fitted.to_frame(frame)
        assert told[0].filename == __file__
        assert list(result.columns) == ["text", "input_input_score", "input_score", "input_rank", *NEW]
        assert result["input_input_score"].to_list() == list(range(120))
        assert set(result["input_score"].to_list()) == {"x"}
        assert result["score"].to_list() == fitted.outlier_score(CORPUS.texts).tolist()


@given(st.lists(st.sampled_from(["rank", "score", "input_rank", "input_score", "input_input_rank", "x"]), unique=True))
def test_no_two_columns_get_one_name(names):
    called = names_beside(names, NEW)
    assert list(called) == names
    together = [*called.values(), *NEW]
    assert len(set(together)) == len(together)
    assert all(called[name] == name for name in names if name not in NEW)


def test_the_column_is_the_only_one_or_that_of_the_fit_or_the_only_text():
    frame = pd.DataFrame({"title": CORPUS.texts[::-1], "body": CORPUS.texts, "stars": 3})
    by_list = TextOutlierDetector().fit(CORPUS.texts)
    expected = by_list.outlier_scores_.tolist()
    for fit_on in (frame["body"], frame[["body"]], pl.from_pandas(frame)["body"], pa.table({"body": CORPUS.texts})):
        assert TextOutlierDetector().fit(fit_on).to_frame(frame)["score"].to_list() == expected
    assert by_list.to_frame(frame[["body", "stars"]])["score"].to_list() == expected
    assert by_list.to_frame(frame, "body")["score"].to_list() == expected
    with pytest.raises(InputError) as raised:
        by_list.to_frame(frame)
    assert str(raised.value) == (
        "Expected column, the name of the column that has the texts; the columns are title, body, stars."
    )
    with pytest.raises(InputError, match="column: there is no column 'text'; there are title, body, stars"):
        by_list.to_frame(frame, "text")


def test_a_series_becomes_a_frame(fitted):
    assert list(fitted.to_frame(pd.Series(TEXTS)).columns) == ["text", *NEW]
    assert fitted.to_frame(pl.Series("body", TEXTS)).columns == ["body", *NEW]


def test_baskets_in_frames():
    frame = pl.DataFrame({"id": list(range(121)), "items": [None, *BASKETS]})
    detector = TextOutlierDetector().fit(frame["items"])
    result = detector.to_frame(frame)
    assert result["score"].to_list() == detector.outlier_scores_.tolist()
    assert result["reason"][0] == "Not judged: it has no items."


def test_embeddings_go_along():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(120, 8))
    detector = TextOutlierDetector().fit(CORPUS.texts, embeddings=vectors)
    result = detector.to_frame(pd.DataFrame({"text": CORPUS.texts}), embeddings=vectors)
    np.testing.assert_allclose(result["score"], detector.outlier_scores_, atol=1e-9)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (["a text"], "Expected a frame whose rows are in memory, got list. Give a frame of pandas, polars or pyarrow."),
        (pl.LazyFrame({"text": ["x"]}), "got LazyFrame. Collect it first."),
        (pd.DataFrame([["a", "b"]], columns=["x", "x"]), "Expected a frame whose columns have different names."),
        (pd.DataFrame(index=[1, 2]), "the frame has no columns."),
    ],
    ids=["list", "lazy", "same names", "no columns"],
)
def test_what_is_no_frame_is_refused(frame, message, fitted):
    with pytest.raises(InputError) as raised:
        fitted.to_frame(frame)
    assert message in str(raised.value)


def test_without_narwhals_the_extra_is_named(fitted, monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(MissingExtraError, match=r"^Frames need narwhals: pip install 'tonmf\[frames\]'\.$"):
        fitted.to_frame(pd.DataFrame({"text": TEXTS}))
    assert len(fitted.outlier_score(pd.Series(TEXTS))) == 120  # a Series needs none
