"""The command line: every input it reads, every answer it gives, on real files and in processes of their own."""

import csv
import gzip
import json
import lzma
import os
import re
import signal
import subprocess
from collections import Counter
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse as sp
from command import TONMF, environment, folder_of_client, run, run_in_terminal, server
from sklearn.feature_extraction.text import CountVectorizer

from tonmf import TextOutlierDetector, load
from tonmf.datasets import make_corpus

CORPUS = make_corpus(n_docs=150, n_outliers=4, random_state=1)
PLANTED = {CORPUS.ids[row] for row in np.flatnonzero(CORPUS.labels)}


def write_lines(folder):
    (folder / "docs.txt").write_text("\n".join(CORPUS.texts) + "\n")
    return ["docs.txt"], [f"docs.txt:{n + 1}" for n in range(150)]


def write_folder(folder):
    for name, text in zip(CORPUS.ids, CORPUS.texts, strict=True):
        path = folder / "docs" / name[-1] / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return ["docs"], [f"{name[-1]}/{name}.txt" for name in CORPUS.ids]


def json_lines():
    rows = zip(CORPUS.ids, CORPUS.texts, strict=True)
    return "".join(json.dumps({"id": name, "lang": "en", "text": text}) + "\n" for name, text in rows)


def write_jsonl(folder):
    (folder / "docs.jsonl").write_text(json_lines())
    return ["docs.jsonl"], CORPUS.ids


def write_jsonl_gz(folder):
    (folder / "docs.jsonl.gz").write_bytes(gzip.compress(json_lines().encode()))
    return ["docs.jsonl.gz"], CORPUS.ids


def write_csv(folder, name="docs.csv", delimiter=","):
    with (folder / name).open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(["id", "length", "review"])
        writer.writerows((i, len(t), t) for i, t in zip(CORPUS.ids, CORPUS.texts, strict=True))
    return [name], CORPUS.ids


def write_tsv(folder):
    return write_csv(folder, "docs.tsv", "\t")


def write_two_csv_by_pattern(folder):
    half = len(CORPUS.texts) // 2
    for name, part in (("part1.csv", slice(0, half)), ("part2.csv", slice(half, None))):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file).writerows([["id", "text"], *zip(CORPUS.ids[part], CORPUS.texts[part], strict=True)])
    return ["part*.csv"], CORPUS.ids


def write_parquet(folder):
    pq.write_table(pa.table({"id": CORPUS.ids, "text": CORPUS.texts}), folder / "docs.parquet")
    return ["docs.parquet"], CORPUS.ids


def write_baskets_xz(folder):
    (folder / "docs.dat.xz").write_bytes(lzma.compress("\n".join(CORPUS.texts).encode()))
    return ["docs.dat.xz"], [f"docs.dat.xz:{n + 1}" for n in range(150)]


def counted():
    vectorizer = CountVectorizer().fit(CORPUS.texts)
    return vectorizer.transform(CORPUS.texts), vectorizer.get_feature_names_out()


def write_npz(folder):
    matrix, terms = counted()
    sp.save_npz(folder / "docs.npz", matrix)
    (folder / "words.txt").write_text("\n".join(terms))
    return ["docs.npz", "--vocabulary", "words.txt"], [f"docs.npz:{n + 1}" for n in range(150)]


def write_mtx(folder):
    matrix, terms = counted()
    scipy.io.mmwrite(folder / "docs.mtx", matrix.T)
    (folder / "docs.terms").write_text("\n".join(terms))
    (folder / "docs.docs").write_text("\n".join(CORPUS.ids))
    return ["docs.mtx"], CORPUS.ids


WRITERS = [
    write_lines,
    write_folder,
    write_jsonl,
    write_jsonl_gz,
    write_csv,
    write_tsv,
    write_two_csv_by_pattern,
    write_parquet,
    write_baskets_xz,
    write_npz,
    write_mtx,
]


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_detect_reads_every_format_and_ranks_the_planted_documents_first(write, tmp_path):
    args, ids = write(tmp_path)
    ran = run("detect", *args, "--top", "4", "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert answer["documents"] == 150
    planted = {ids[row] for row in np.flatnonzero(CORPUS.labels)}
    if write is write_folder:  # files come in the order of their names
        planted = {f"{name[-1]}/{name}.txt" for name in PLANTED}
    assert {why["id"] for why in answer["strangest"]} == planted
    for why in answer["strangest"]:
        assert why["unexpected"][0]["word"].isalpha()


def test_detect_reads_standard_input_compressed_or_not(tmp_path):
    for content in (json_lines().encode(), gzip.compress(json_lines().encode())):
        ran = run("detect", "-", "--top", "4", "--json", cwd=tmp_path, stdin=content)
        assert ran.code == 0, ran.err
        assert {why["id"] for why in json.loads(ran.out)["strangest"]} == PLANTED
        assert "note: Standard input was read as jsonl" in ran.err


def test_detect_says_which_small_groups_are_copies_of_one_document(tmp_path):
    write_jsonl(tmp_path)
    text = CORPUS.texts[int(np.flatnonzero(CORPUS.labels)[0])]
    with (tmp_path / "docs.jsonl").open("a") as file:
        file.writelines(json.dumps({"id": f"copy-{number}", "lang": "en", "text": text}) + "\n" for number in range(4))
    ran = run("detect", "docs.jsonl", "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    copied = [group for group in json.loads(ran.out)["groups"] if group["copies"]]
    assert len(copied) == 1
    assert {f"copy-{number}" for number in range(4)} <= set(copied[0]["documents"])
    shown = run("detect", "docs.jsonl", cwd=tmp_path).out
    words, such_as = ", ".join(copied[0]["words"][:5]), ", ".join(copied[0]["documents"][:3])
    assert f"{len(copied[0]['documents'])} documents  {words}  (copies, such as {such_as})" in shown


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """A folder in which detect has been run, with all that it wrote."""
    folder = tmp_path_factory.mktemp("answered")
    write_csv(folder)
    ran = run("detect", "docs.csv", "--save", "model", "--output", "scores.csv", "--top", "7", cwd=folder)
    assert ran.code == 0, ran.err
    return folder, ran


def test_the_table_has_ranks_scores_ids_words_and_documents(answered):
    _, ran = answered
    lines = ran.out.splitlines()
    assert lines[0].split() == ["rank", "score", "flagged", "id", "unexpected", "words", "document"]
    detector = TextOutlierDetector().fit(CORPUS.texts)
    for rank, row in enumerate(np.argsort(-detector.outlier_scores_, kind="stable")[:7], start=1):
        cells = lines[rank].split()
        assert cells[:2] == [str(rank), f"{detector.outlier_scores_[row]:.2f}"]
        assert CORPUS.ids[row] in cells
        words = [word.word for word in detector.unexpected_words([CORPUS.texts[row]])[0]]
        assert f"{words[0]}, {words[1]}" in lines[rank]
        assert ("yes" in cells) == (detector.labels_[row] == -1)
    n_flagged = int((detector.labels_ == -1).sum())
    assert f"{n_flagged} of 150 documents are flagged (score above {detector.threshold_:.2f}, the automatic" in ran.out
    assert "Next: tonmf explain model docs.csv --id" in ran.out
    assert "note: The text was taken from column 'review' of docs.csv." in ran.err.splitlines()
    assert "note: All 150 documents are in scores.csv." in ran.err.splitlines()


def rows_of(path, delimiter=","):
    with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def test_the_output_has_all_columns_of_every_document_in_order(answered):
    folder, _ = answered
    rows = rows_of(folder / "scores.csv")
    ours = ["rank", "id", "score", "p_value", "outlier", "judged", "topic", "unexpected_terms", "reason", "text"]
    assert list(rows[0]) == [*ours, "length", "review"]
    detector = load(folder / "model")
    why = {why.id: why for why in detector.explain(CORPUS.texts, names=CORPUS.ids)}
    assert all(row["reason"] == why[row["id"]].reason for row in rows)
    scores = {name: float(score) for name, score in zip(CORPUS.ids, detector.outlier_scores_, strict=True)}
    assert [int(row["rank"]) for row in rows] == list(range(1, 151))
    assert {row["id"]: float(row["score"]) for row in rows} == scores
    assert [float(row["score"]) for row in rows] == sorted(scores.values(), reverse=True)
    assert {row["id"] for row in rows if row["outlier"] == "true"} == {
        name for name, label in zip(CORPUS.ids, detector.labels_, strict=True) if label == -1
    }
    numbers = {str(topic.number) for topic in detector.topics()}
    assert {row["topic"] for row in rows} <= {"", *numbers}  # none where none explains a tenth
    for row in rows:
        assert row["text"] == row["review"] == CORPUS.texts[CORPUS.ids.index(row["id"])]
        assert row["length"] == str(len(row["text"]))
        assert set(row["unexpected_terms"].split("; ")) <= set(row["text"].split())


@pytest.mark.parametrize("name", ["scores.jsonl", "scores.parquet", "scores.tsv", "scores.csv.gz"])
def test_score_gives_the_same_as_detect_in_any_format(answered, name):
    folder, _ = answered
    ran = run("score", "model", "docs.csv", "--output", name, "--quiet", cwd=folder)
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    expected = rows_of(folder / "scores.csv")
    if name.endswith("jsonl"):
        got = [json.loads(line) for line in (folder / name).read_text().splitlines()]
        words = [row["unexpected_terms"] for row in got]
    elif name.endswith("parquet"):
        got = pq.read_table(folder / name).to_pylist()
        words = [row["unexpected_terms"] for row in got]
    else:
        got = rows_of(folder / name, "\t" if name.endswith("tsv") else ",")
        words = [row["unexpected_terms"].split("; ") for row in got]
    assert [(int(row["rank"]), row["id"], float(row["score"]), row["text"]) for row in got] == [
        (int(row["rank"]), row["id"], float(row["score"]), row["text"]) for row in expected
    ]
    assert words == [row["unexpected_terms"].split("; ") for row in expected]


def test_score_ranks_documents_that_were_not_there_before(answered, tmp_path):
    folder, _ = answered
    new = make_corpus(n_docs=30, n_outliers=2, random_state=5)
    (tmp_path / "new.txt").write_text("\n".join(new.texts))
    ran = run("score", folder / "model", "new.txt", "--json", "--top", "2", cwd=tmp_path)
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert {why["id"] for why in answer["strangest"]} == {f"new.txt:{row + 1}" for row in np.flatnonzero(new.labels)}
    scores = load(folder / "model").outlier_score(new.texts)
    assert answer["strangest"][0]["score"] == scores.max()


def test_explain_wraps_measures_in_a_narrow_window(answered):
    folder, _ = answered
    wide, narrow = (
        run("explain", "model", "docs.csv", "--top", "1", cwd=folder, COLUMNS=columns).out.split("\n\n")[1]
        for columns in ("200", "40")
    )
    assert "score" in wide
    assert wide.split() == narrow.split()
    assert max(map(len, narrow.splitlines())) <= 40


def test_explain_says_why_of_one_document_or_the_strangest(answered):
    folder, _ = answered
    name = sorted(PLANTED)[0]
    ran = run("explain", "model", "docs.csv", "--id", name, "--words", "3", cwd=folder)
    assert ran.code == 0, ran.err
    why = load(folder / "model").explain(CORPUS.texts, ids=[CORPUS.ids.index(name)], names=CORPUS.ids, n_words=3)[0]
    assert " ".join(why.sentence.split()) in " ".join(ran.out.split())
    assert [line for line in ran.out.splitlines() if line.startswith("    ") and " %  " in line][:3] == [
        line for line in why.to_text().splitlines() if line.startswith("    ") and " %  " in line
    ][:3]
    ran = run("explain", "model", "docs.csv", "--top", "2", "--json", cwd=folder)
    assert [why["rank"] for why in json.loads(ran.out)["explanations"]] == [1, 2]
    ran = run("explain", "model", "docs.csv", "--id", "nobody", cwd=folder)
    assert ran.code == 1
    assert ran.error_lines == [
        "tonmf: There is no document with the id 'nobody'. The ids are doc-0000, doc-0001, doc-0002, …."
    ]


def test_topics_shows_shares_words_and_typical_documents(answered):
    folder, _ = answered
    ran = run("topics", "model", "--words", "4", cwd=folder)
    assert ran.code == 0, ran.err
    for topic in load(folder / "model").topics(4):
        assert f"{topic.number:>5}  {100 * topic.share:>4.1f} %  {', '.join(topic.words)}" in ran.out.splitlines()
        for document in topic.typical:
            assert f"{document.id}  {document.excerpt[:40]}" in ran.out
    answer = json.loads(run("topics", "model", "--json", cwd=folder).out)
    assert answer["topics"][0]["number"] == 1


def test_options_reach_the_detector(answered, tmp_path):
    write_csv(tmp_path)
    options = [
        "--contamination",
        "10%",
        "--stop-words",
        "none",
        "--stem",
        "english",
        "--mask",
        "id,number",
        "--no-strip-html",
        "--no-strip-headers",
        "--min-df",
        "3",
        "--topics",
        "6",
        "--seed",
        "5",
        "--jobs",
        "1",
    ]
    ran = run("detect", "docs.csv", *options, "--save", "model", "--no-excerpts", "--json", "--top", "0", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["flagged"] == 15
    detector = load(tmp_path / "model")
    expected = {"contamination": 0.1, "stop_words": None, "stemmer": "english", "min_df": 3, "max_topics": 6}
    expected |= {"mask": ("id", "number"), "strip_html": False, "strip_headers": False}
    assert {name: detector.get_params()[name] for name in expected} == expected
    assert detector.random_state == 5
    assert not detector.topics()[0].typical[0].excerpt


def test_short_documents_are_left_out_on_request_and_counted(tmp_path):
    (tmp_path / "docs.txt").write_text("\n".join([*CORPUS.texts, "one two", "three"]))
    ran = run("detect", "docs.txt", "--min-words", "3", "--json", cwd=tmp_path)
    assert json.loads(ran.out)["documents"] == 150
    assert ran.err == "note: 2 of 152 documents have fewer than 3 words and were left out.\n"


def test_documents_without_words_are_told_apart(tmp_path):
    (tmp_path / "docs.txt").write_text("\n".join([*CORPUS.texts, "the of and", "?!", "..."]))
    ran = run("detect", "docs.txt", "--top", "3", cwd=tmp_path)
    note = "3 documents have no words that count and were not judged: docs.txt:151, docs.txt:152, docs.txt:153."
    assert note in " ".join(ran.out.split())
    assert "docs.txt:151" not in "".join(ran.out.splitlines()[:5])
    assert ran.out.splitlines()[1].split()[0] == "1"
    ran = run("detect", "docs.txt", "--json", "--save", "model", "--output", "scores.jsonl", cwd=tmp_path)
    answer = json.loads(ran.out)
    lines = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text().splitlines()]
    assert (
        [line["id"] for line in lines if not line["judged"]] == [line["id"] for line in lines[-3:]] == answer["empty"]
    )
    assert answer["empty"] == ["docs.txt:151", "docs.txt:152", "docs.txt:153"]
    assert answer["strangest"][0]["rank"] == 1
    (tmp_path / "new.txt").write_text("...\nzxcv qwer asdf yxcv bnmk hjkl\n")
    assert json.loads(run("score", "model", "new.txt", "--json", cwd=tmp_path).out)["empty"] == ["new.txt:1"]
    said = "1 document has no words that count and was not judged: new.txt:1."
    ran = run("explain", "model", "new.txt", cwd=tmp_path)
    assert ran.out.startswith("new.txt:2: Flagged: ")
    assert said in ran.out
    ran = run("explain", "model", "new.txt", "--id", "new.txt:1", cwd=tmp_path)
    assert ran.out.startswith("new.txt:1: Not judged: it has no words that count.")
    (tmp_path / "none.txt").write_text("...\n")
    assert run("score", "model", "none.txt", cwd=tmp_path).out == said.replace("new.txt", "none.txt") + "\n"


@pytest.mark.parametrize("memory", [(), ("--memory", "1GB")])
def test_an_empty_file_and_one_of_stop_words_are_mentioned(memory, tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    for number, text in enumerate([*CORPUS.texts, "", "the of and"]):
        (folder / f"{number:03}.txt").write_text(text)
    ran = run("detect", "docs", *memory, cwd=tmp_path)
    assert "1 of 152 documents in docs has no text and was left out (first: 150.txt)" in " ".join(ran.err.split())
    assert "1 document has no words that count and was not judged: 151.txt." in ran.out


def test_none_flagged_is_said_with_what_to_do(tmp_path):
    (tmp_path / "same.txt").write_text("a red house stands there\n" * 30)
    ran = run("detect", "same.txt", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "None of 30 documents is flagged" in ran.out
    assert "They all have the same score." in " ".join(ran.out.split())


# ---------------------------------------------------------------------- terminals, pipes and interruptions


def test_a_terminal_has_colour_and_progress_with_an_estimate(answered):
    folder, _ = answered
    code, shown = run_in_terminal("detect", "docs.csv", "--top", "3", cwd=folder)
    assert code == 0
    assert "Learning" in shown
    assert "%" in shown
    assert ":" in shown[shown.index("Learning") :][:300]  # time left
    strange = "\x1b[1;31m"
    assert strange in shown
    table = shown[shown.index("rank") :]
    document = next(line for line in table.splitlines() if line.lstrip().startswith("1 "))
    assert document.count(strange) > 2  # the words in their column, and those in the document
    assert max(len(line) for line in strip_ansi(table).splitlines() if line[:4].strip().isdigit()) <= 100


def strip_ansi(text):
    import re

    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_a_pipe_has_neither_colour_nor_progress(answered):
    _, ran = answered
    assert "\x1b" not in ran.out + ran.err
    assert "Learning" not in ran.out + ran.err
    assert all(line.startswith("note: ") for line in ran.err.splitlines())


def test_quiet_prints_nothing(answered):
    folder, _ = answered
    ran = run("detect", "docs.csv", "--quiet", cwd=folder)
    assert (ran.code, ran.out, ran.err) == (0, "", "")


@pytest.mark.parametrize(
    ("number", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"]
)
def test_an_interruption_leaves_nothing_half_written(tmp_path, number, expected):
    corpus = make_corpus(n_docs=6_000, n_outliers=5)
    (tmp_path / "docs.txt").write_text("\n".join(corpus.texts))
    args = ("detect", "docs.txt", "--output", "scores.csv", "--save", "model")
    code, shown = run_in_terminal(*args, cwd=tmp_path, once_shown="Learning", signal_number=number)
    assert code == expected, shown
    assert "tonmf: stopped; nothing was left half-written." in shown
    assert "Traceback" not in shown
    assert [path.name for path in tmp_path.iterdir()] == ["docs.txt"]


@pytest.mark.parametrize(
    ("args", "reader"),
    [
        ("score model docs.csv --top 150", "head -1"),
        ("score model docs.csv --top 150 --json", "head -c 1"),
        ("score model docs.csv --output -", "head -1"),
        ("score model docs.csv --output - 2>&1", "head -1"),
        ("detect docs.csv --memory 1GB -o -.tsv", "head -1"),
        ("detect docs.csv --top 150 2>&1", "head -1"),
        ("topics model", "true"),
        ("detect --help", "true"),
        ("--help", "true"),
        ("--version", "true"),
    ],
)
def test_a_reader_that_goes_away_ends_the_command_without_a_word(answered, tmp_path, args, reader):
    folder, _ = answered
    check_that_it_ends_without_a_word(f"{folder_of_client()}/tonmf {args}", reader, folder, tmp_path)


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("args", ["--version", "--help", "detect --help"])
def test_a_reader_that_is_gone_before_the_interpreter_ends_is_no_error(tmp_path, args, unbuffered):
    check_that_it_ends_without_a_word(f"{TONMF} {args}", "true", tmp_path, tmp_path, PYTHONUNBUFFERED=unbuffered)


def check_that_it_ends_without_a_word(command, reader, folder, tmp_path, **changes):
    both = f"{{ {command}; echo $? > {tmp_path}/code; }} | {reader}"
    env = environment(**changes)
    done = subprocess.run(["/bin/sh", "-c", both], cwd=folder, capture_output=True, text=True, env=env)
    assert (tmp_path / "code").read_text() == "0\n"
    assert [line for line in done.stderr.splitlines() if not line.startswith("note: ")] == []


def test_a_reader_of_notes_that_goes_away_does_not_end_the_work(answered, tmp_path):
    folder, _ = answered
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb") as nobody, (tmp_path / "out").open("wb") as out:
        args = ("score", "model", "docs.csv", "--output", tmp_path / "scores.csv")
        with open(os.devnull, "rb") as nothing:
            files = [file.fileno() for file in (nothing, out, nobody)]
            process = server().start(*args, cwd=folder, env=environment(), files=files)
    assert process.wait() == 0
    assert len(rows_of(tmp_path / "scores.csv")) == 150
    assert (tmp_path / "out").read_text().startswith("rank")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_an_output_that_is_not_unicode_is_no_error(answered, encoding):
    folder, _ = answered
    for args in (["score", "model", "docs.csv"], ["explain", "model", "docs.csv"], ["topics", "model"]):
        code, out, _ = server().run(*args, cwd=folder, env=environment(PYTHONIOENCODING=encoding))
        assert code == 0
        assert out.decode(encoding)


def test_closed_streams_are_no_error(answered):
    folder, _ = answered
    for closed in (">&-", "2>&-"):
        command = f"{TONMF} topics model {closed}"
        done = subprocess.run(["/bin/sh", "-c", command], cwd=folder, capture_output=True, text=True, env=environment())
        assert done.returncode == 0
        assert "fault" not in done.stdout + done.stderr


def test_wide_characters_do_not_push_the_numbers_out(tmp_path):
    texts = [f"今日は天気が良いです 東京都 {word}" for word in CORPUS.texts[0].split()] * 3
    (tmp_path / "docs.txt").write_text("\n".join(texts), encoding="utf-8")
    for columns in ("90", "50"):
        lines = run("detect", "docs.txt", "--top", "3", cwd=tmp_path, COLUMNS=columns).out.splitlines()
        assert lines[0].split()[:4] == ["rank", "score", "flagged", "id"]
        assert lines[1].split()[0] == "1"


@pytest.mark.parametrize("columns", [100, 60, 40])
def test_every_width_of_a_terminal_shows_the_documents(columns, tmp_path):
    """In a terminal of 60 columns there were ids and numbers, and nothing of the documents."""
    write_csv(tmp_path)
    code, shown = run_in_terminal("detect", "docs.csv", "--top", "4", cwd=tmp_path, columns=columns)
    assert code == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    table = plain[plain.index("rank  score") :].splitlines()
    table = table[: table.index("")]
    assert len(table) == (5 if columns == 100 else 9)
    assert max(map(len, table)) <= columns
    texts = [" ".join(text.split()) for text in CORPUS.texts]
    for line in table[1:] if columns == 100 else table[2::2]:
        excerpt = line.strip("… ")[-20:]
        assert any(excerpt in text for text in texts), line


@pytest.mark.parametrize("memory", [[], ["--memory", "1GB"]])
def test_exact_copies_are_one_line_that_says_how_many(memory, tmp_path):
    strange = [CORPUS.texts[row] for row in np.flatnonzero(CORPUS.labels)]
    texts = [*CORPUS.texts, *[strange[0]] * 6, strange[1]]
    (tmp_path / "docs.txt").write_text("\n".join(texts) + "\n")
    ran = run("detect", "docs.txt", "--top", "4", *memory, "--output", "all.csv", cwd=tmp_path)
    lines = ran.out.splitlines()
    assert sum("×7" in line for line in lines[1:5]) == sum("×2" in line for line in lines[1:5]) == 1
    assert "×7 stands for 7 documents that are the same word for word; --all-copies lists each of them." in ran.out
    with (tmp_path / "all.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(texts), "a file has a row for each document"
    answer = json.loads(run("detect", "docs.txt", "--top", "4", *memory, "--json", cwd=tmp_path).out)["strangest"]
    copies = {why["id"]: (why["copies"], why["copy_ids"]) for why in answer}
    assert sorted(count for count, _ in copies.values()) == [1, 1, 2, 7]
    of_seven = next(ids for count, ids in copies.values() if count == 7)
    assert of_seven == [f"docs.txt:{number}" for number in range(151, 157)]
    each = json.loads(run("detect", "docs.txt", "--top", "11", *memory, "--json", "--all-copies", cwd=tmp_path).out)
    assert [why["copies"] for why in each["strangest"]] == [1] * 11
    assert {name for name, _ in copies.items()} | set(of_seven) <= {why["id"] for why in each["strangest"]}


def test_new_documents_that_are_copies_are_one_line_too(answered):
    folder, _ = answered
    (folder / "again.txt").write_text("\n".join([CORPUS.texts[3], CORPUS.texts[5], CORPUS.texts[3]]) + "\n")
    assert "×2" in run("score", "model", "again.txt", cwd=folder).out
    assert "×2" not in run("score", "model", "again.txt", "--all-copies", cwd=folder).out


def test_ids_and_file_names_cannot_steer_the_terminal(tmp_path):
    rows = [f'"\x1b[2Jid{number}","{text}"' for number, text in enumerate([*CORPUS.texts, "?"])]
    (tmp_path / "b\x1b[31m.csv").write_text("id,text\n" + "\n".join(rows) + "\n")
    ran = run("detect", "b\x1b[31m.csv", "--save", "model", cwd=tmp_path)
    assert ran.code == 0
    assert "\x1b" not in ran.out + ran.err


def test_what_to_do_next_fits_the_same_model(tmp_path):
    write_csv(tmp_path)
    ran = run("detect", "docs.csv", "--contamination", "5%", "--seed", "4", "--min-df", "3", cwd=tmp_path)
    assert (
        "Next: tonmf detect docs.csv --contamination 5% --seed 4 --min-df 3 --save model --output scores.csv  keeps"
        in ran.out
    )


def test_few_or_repeated_documents_are_told(tmp_path):
    (tmp_path / "docs.txt").write_text("\n".join(CORPUS.texts[:8] + CORPUS.texts[:2]))
    notes = run("detect", "docs.txt", cwd=tmp_path).err
    assert "note: With 10 documents there is little to learn from" in notes
    assert "note: 2 documents repeat another word for word." in notes


def test_boilerplate_is_left_out_and_told_unless_it_is_to_be_counted(tmp_path):
    texts = make_corpus(n_docs=60, n_outliers=2).texts
    lines = [json.dumps({"text": f"{text}.\nSent from my phone."}) for text in texts]
    (tmp_path / "posts.jsonl").write_text("\n".join(lines))
    note = "Left out as boilerplate: 1 line that many documents share, “Sent from my phone” (100 %)."
    ran = run("detect", "posts.jsonl", "--save", "model", "--report", "report.json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert note in ran.err
    assert note in json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["notes"]
    assert load(tmp_path / "model").boilerplate_ == [("Sent from my phone", 1.0)]
    answer = json.loads(run("detect", "posts.jsonl", "--json", "--memory", "1GB", cwd=tmp_path).out)
    assert note in answer["notes"]
    without = json.loads(run("detect", "posts.jsonl", "--json", "--boilerplate", "none", cwd=tmp_path).out)
    assert note not in without["notes"]


def test_documents_cannot_steer_the_terminal(tmp_path):
    nasty = "\x1b]0;owned\x07 \x1b[2J zxcv\u202eqwer\x9b31m"
    (tmp_path / "docs.txt").write_text("\n".join([*CORPUS.texts, nasty]))
    code, shown = run_in_terminal("detect", "docs.txt", "--top", "2", "--save", "model", cwd=tmp_path)
    assert code == 0
    assert "owned" in shown
    for sequence in ("\x1b]0;", "\x1b[2J", "\u202e", "\x9b", "\x07"):
        assert sequence not in shown
    _, shown = run_in_terminal("explain", "model", "docs.txt", cwd=tmp_path)
    assert "owned" in shown
    assert "\x1b]0;" not in shown


# ---------------------------------------------------------------------- the other commands


def test_generated_documents_go_straight_into_detect(tmp_path):
    for kind, name in (("corpus", "c.parquet"), ("baskets", "b.dat"), ("baskets", "b.jsonl"), ("noticeboard", "n.csv")):
        ran = run("generate", kind, "--output", name, cwd=tmp_path)
        assert ran.code == 0, ran.err
        assert f"Next: tonmf detect {name}" in ran.out
        ran = run("detect", name, "--json", "--top", "1", cwd=tmp_path)
        assert ran.code == 0, ran.err
        assert json.loads(ran.out)["documents"] in (500, 1000, 260)


def test_generate_marks_the_outliers_and_obeys_its_options(tmp_path):
    options = ["--documents", "60", "--outliers", "5", "--seed", "3"]
    run("generate", "baskets", *options, "--length", "8", "--items", "50", "--output", "b.jsonl", cwd=tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()]
    assert len(rows) == 60
    assert sum(row["planted"] for row in rows) == 5
    assert max(int(item) for row in rows for item in row["items"]) < 50
    ran = run("generate", "baskets", "--length", "0", "--output", "b.jsonl", cwd=tmp_path)
    assert ran.code == 2
    ran = run("generate", "baskets", "--output", "b.xls", cwd=tmp_path)
    assert ran.error_lines == ["tonmf: Baskets are written to .dat, .jsonl or .parquet files; got b.xls."]


def test_bench_prints_figures_beside_peers(tmp_path):
    ran = run("bench", "--documents", "200", "--outliers", "5", "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    results = json.loads(ran.out)["results"]
    assert [result["method"] for result in results] == ["tonmf", "k-NN, cosine, tf-idf", "NMF residual, tf-idf"]
    assert results[0]["auc"] > 0.9
    assert all(result["seconds"] > 0 for result in results)


def test_odd_market_baskets_are_found_from_end_to_end(data_folder, tmp_path):
    with gzip.open(data_folder / "retail.dat.gz", "rt") as file:
        baskets = [line.rstrip("\n") for line in islice(file, 15_000)]
    (tmp_path / "retail.dat").write_text("\n".join(baskets) + "\n")
    ran = run("detect", "retail.dat", "--min-words", "5", "--top", "5", "--save", "model", "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert answer["documents"] == sum(len(basket.split()) >= 5 for basket in baskets)
    frequencies = Counter(item for basket in baskets for item in basket.split())
    for why in answer["strangest"]:
        basket = baskets[int(why["id"].removeprefix("retail.dat:")) - 1].split()
        odd = [word["word"] for word in why["unexpected"][:3]]
        assert set(odd) <= set(basket)
        assert np.mean([frequencies[item] for item in odd]) < 25
    ran = run("explain", "model", "retail.dat", "--id", answer["strangest"][0]["id"], cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "items" in ran.out
