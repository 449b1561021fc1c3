"""Errors carry the parameters that they name: Python, the command line and the service each have a name for them."""

import pickle

import numpy as np
import pytest
import typer

from tonmf import TONMF, TextOutlierDetector
from tonmf.cli.app import app
from tonmf.cli.errors import FLAGS, in_flags
from tonmf.datasets import QuestOptions
from tonmf.errors import (
    ClusterError,
    InputError,
    InPython,
    Message,
    MissingExtraError,
    Param,
    ParameterError,
    TonmfError,
    sentences,
    worded,
)
from tonmf.io import ReadOptions, read_documents
from tonmf.parameters import check_unused, contamination_of
from tonmf.service.errors import in_fields
from tonmf.stream.times import duration_of
from tonmf.timeline import follow

TEXTS = ["a red house", "a red door", "the blue house", "a blue door"]


def fit(**options):
    return lambda: TextOutlierDetector(**options).fit(TEXTS)


def read(content, **options):
    def reading(folder):
        path = folder / "d.csv"
        path.write_text(content)
        return read_documents([str(path)], ReadOptions(**options))

    return reading


TABLE = "title,author\nA house,B. Bee\nThe red door,C. Cee\n"

NAMED = [
    # what is done, the parameter in Python, the option, the field
    (lambda: contamination_of("much"), "contamination", "--contamination", "contamination"),
    (fit(contamination=0.9), "contamination", "--contamination", "contamination"),
    (fit(max_topics=0), "max_topics", "--topics", "topics"),
    (fit(min_df=0), "min_df", "--min-df", "min_df"),
    (fit(stemmer="klingon"), "stemmer", "--stem", "stem"),
    (fit(stemmer=1), "stemmer", "--stem", "stem"),
    (fit(mask="verbs"), "mask", "--mask", "mask"),
    (fit(stop_words="klingon"), "stop_words", "--stop-words", "stop_words"),
    (fit(stop_words=1), "stop_words", "--stop-words", "stop_words"),
    (fit(n_jobs=0), "n_jobs", "--jobs", "threads"),
    (fit(half_life="soon"), "half_life", "--half-life", "half_life"),
    (fit(memory="lots"), "memory", "--memory", "memory"),
    (fit(memory="1MB"), "memory", "--memory", "memory"),
    (fit(memory=[]), "memory", "--memory", "memory"),
    (fit(memory="1GB", cache="there", random_state=None), "random_state", "--seed", "seed"),
    (fit(cache=1), "cache", "--cache", "cache"),
    (fit(cache="there"), "cache", "--cache", "cache"),
    (lambda: duration_of("long", "window"), "window", "--window", "window"),
    (lambda: follow(fit()(), TEXTS, range(4), window="long"), "window", "--window", "window"),
    (lambda: QuestOptions(mean_length=0), "mean_length", "--length", "mean_length"),
    (lambda: QuestOptions(n_items=0), "n_items", "--items", "n_items"),
    (lambda: QuestOptions(n_patterns=0), "n_patterns", "--patterns", "n_patterns"),
    (lambda: QuestOptions(mean_pattern_length=0), "mean_pattern_length", "--pattern-length", "mean_pattern_length"),
    (lambda: QuestOptions(correlation=2), "correlation", "--correlation", "correlation"),
    (lambda: QuestOptions(confidence=2), "confidence", "--confidence", "confidence"),
    (lambda: read_documents(["x"], ReadOptions(format="word")), "format", "--format", "format"),
    (lambda: read_documents(["x"], ReadOptions(encoding="word")), "encoding", "--encoding", "encoding"),
    (
        lambda: read_documents(["x"], ReadOptions(encoding_errors="skip")),
        "encoding_errors",
        "--encoding-errors",
        "encoding_errors",
    ),
    (read(TABLE), "text_column", "--text-column", "text_column"),
    (read(TABLE, text_column="no"), "text_column", "--text-column", "text_column"),
    (read(TABLE, text_column="title", id_column="no"), "id_column", "--id-column", "id_column"),
    (read(TABLE, text_column="title", label_column="author"), "label_column", "--label-column", "label_column"),
    (read(TABLE, text_column="title", time_column="author"), "time_column", "--time-column", "time_column"),
    (read(TABLE, text_column="title", vocabulary="v.txt"), "vocabulary", "--vocabulary", "vocabulary"),
    (read(TABLE, text_column="title", min_words=9), "min_words", "--min-words", "min_words"),
    (read(TABLE + "1,2,3\n", text_column="title"), "skip_bad=True", "--skip-bad", "skip_bad=true"),
]


@pytest.mark.parametrize(
    ("does", "name", "flag", "field"), NAMED, ids=lambda value: value if type(value) is str else ""
)
def test_each_front_end_has_its_own_name_for_a_parameter(does, name, flag, field, tmp_path):
    with pytest.raises(TonmfError) as caught:
        does(tmp_path) if does.__code__.co_argcount else does()
    message = caught.value.message
    assert name in str(caught.value)
    assert "--" not in str(caught.value)
    assert flag in in_flags(message)
    assert field in in_fields(message)
    assert "or None" not in in_flags(message)
    assert "--" not in in_fields(message)


def test_every_flag_is_an_option_of_a_command():
    def options(command):
        for inner in getattr(command, "commands", {}).values():
            yield from options(inner)
        for option in command.params:
            yield from option.opts

    assert set(FLAGS.values()) <= set(options(typer.main.get_command(app)))


@pytest.mark.parametrize(
    "columns", ["confidence,stemmer", "memory,topics", "min_df,max_topics", "random_state,half_life"]
)
def test_words_of_the_user_are_never_reworded(columns, tmp_path):
    named = columns.replace(",", ", ")
    with pytest.raises(InputError) as caught:
        read(f"{columns}\nA house,B. Bee\nThe red door,C. Cee\n")(tmp_path)
    said = f"d.csv: several columns may hold the text: {named}. Give "
    assert str(caught.value) == f"{said}text_column."
    assert in_flags(caught.value.message) == f"{said}--text-column."
    assert in_fields(caught.value.message) == f"{said}text_column."


def test_notes_are_worded_too(tmp_path):
    (tmp_path / "stemmer.txt").write_bytes(b"a house\nthe b\xe4r\n")
    (note,) = read_documents([str(tmp_path / "stemmer.txt")], ReadOptions(encoding="utf-8")).notes
    said = "On 1 line of stemmer.txt bytes that are not utf-8 were replaced by U+FFFD (first: line 2). If that is wrong, try "
    assert note == f"{said}encoding='latin-1' or cp1252."
    assert in_flags(note) == f"{said}--encoding latin-1 or cp1252."
    assert in_fields(note) == f"{said}encoding=latin-1 or cp1252."


def test_what_only_python_users_need_is_left_out_elsewhere():
    with pytest.raises(ParameterError) as caught:
        TONMF(n_jobs=0).fit(np.eye(3))
    message = caught.value.message
    said = "must be a whole number of threads other than 0 (-1 for all cores)"
    assert message == f"n_jobs {said}, or None for all cores; got 0."
    assert in_flags(message) == f"--jobs {said}; got 0."
    with pytest.raises(ParameterError) as caught:
        check_unused({"stemmer": "english"}, {"stemmer": None}, ["stemmer"], "on counts")
    assert str(caught.value) == "stemmer='english' has no effect on counts. Leave it at None."
    assert in_flags(caught.value.message) == "--stem has no effect on counts. Leave it out."


@pytest.mark.parametrize("kind", [TonmfError, InputError, ParameterError, ClusterError, MissingExtraError])
def test_errors_keep_their_parts_on_the_way_to_another_process(kind):
    error = pickle.loads(pickle.dumps(kind("Lower ", Param("min_df"), InPython(", or None"), ".")))
    assert type(error) is kind
    assert str(error) == "Lower min_df, or None."
    assert in_flags(error.message) == "Lower --min-df."


def test_messages_within_messages_keep_their_parts():
    inner = Message("give ", Param("format", "csv"))
    assert worded(Message("Well, ", inner, "."), lambda param: param.name.upper()) == "Well, give FORMAT."
    both = sentences(["One.", Message("Two ", Param("x"), ".")])
    assert both == "One. Two x."
    assert worded(both, lambda param: "--x") == "One. Two --x."
    assert worded("A plain min_df.", lambda param: "--x") == "A plain min_df."
