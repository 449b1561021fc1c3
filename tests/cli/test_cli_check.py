"""``tonmf check``: what passes, what fails, and how flagged documents are listed; by hand, in CI, and before a commit."""

import csv
import json
import os
import re
import shutil
import subprocess
from importlib.util import find_spec

import pytest
import typer
import yaml
from command import TONMF, folder_of_client, run
from repository import ROOT

from tonmf.cli.annotations import github_line
from tonmf.cli.commands.check import Limit
from tonmf.datasets import make_corpus
from tonmf.errors import ParameterError
from tonmf.io.origins import Origin

CORPUS = make_corpus(n_docs=120, n_outliers=4, random_state=1)
PLANTED = [name for name, label in zip(CORPUS.ids, CORPUS.labels, strict=True) if label]


def write(path, ids=CORPUS.ids, texts=CORPUS.texts):
    """Write documents of two lines each."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text"])
        writer.writerows((name, text.replace(". ", ".\n", 1)) for name, text in zip(ids, texts, strict=True))


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("check")
    write(folder / "docs.csv")
    ordinary = [place for place, label in enumerate(CORPUS.labels) if not label]
    write(folder / "clean.csv", [CORPUS.ids[i] for i in ordinary], [CORPUS.texts[i] for i in ordinary])
    (folder / "some.txt").write_text("".join(text.replace("\n", " ") + "\n" for text in CORPUS.texts[:30]))
    assert run("detect", "clean.csv", "--save", "model", "--quiet", cwd=folder).code == 0
    return folder


def test_it_fails_and_names_the_strangest_by_file_and_line(here):
    ran = run("check", "docs.csv", "--model", "model", "--max-flagged", "1%", cwd=here)
    assert ran.code == 1
    *lines, verdict = ran.out.splitlines()
    assert re.match(
        r"Failed: \d+ of 120 documents \(\d\.\d %\) are flagged \(.*\); --max-flagged 1% allows 1\.$", verdict
    )
    lines_of_file = (here / "docs.csv").read_text().splitlines()
    found = [re.match(r"docs\.csv:(\d+): (\S+): score \d", line) for line in lines]
    named = {match[2]: lines_of_file[int(match[1]) - 1] for match in found if match}
    assert named.keys() >= set(PLANTED)
    assert all(line.startswith(f"{name},") for name, line in named.items())


def test_json_says_what_is_flagged_and_why_it_fails(here):
    ran = run("check", "docs.csv", "--model", "model", "--max-flagged", "2", "--json", "--top", "3", cwd=here)
    assert ran.code == 1
    answer = json.loads(ran.out)
    assert (answer["passed"], answer["allowed"], answer["documents"]) == (False, 2, 120)
    assert answer["flagged"] == len(answer["flagged_ids"]) > 2
    assert [one["id"] for one in answer["strangest"]] == answer["flagged_ids"][:3]
    assert answer["strangest"][0].keys() == {"id", "file", "line", "score", "p_value", "reason", "unexpected"}
    assert (answer["run"]["status"], answer["run"]["exit_code"]) == ("too_many_flagged", 1)


def test_it_passes_up_to_the_limit_and_not_beyond(here):
    answer = json.loads(run("check", "docs.csv", "--max-flagged", "100%", "--json", cwd=here).out)
    assert answer["passed"]
    assert set(PLANTED) <= set(answer["flagged_ids"])
    for n_allowed, code in ((answer["flagged"], 0), (answer["flagged"] - 1, 1)):
        assert run("check", "docs.csv", "--max-flagged", n_allowed, "--quiet", cwd=here).code == code


def test_documents_marked_as_fine_are_not_counted(here):
    (here / "known.csv").write_text("id,mark\n" + "".join(f"{name},fine\n" for name in PLANTED))
    ran = run("check", "docs.csv", "--max-flagged", "100%", "--marks", "known.csv", "--json", cwd=here)
    assert not set(PLANTED) & set(json.loads(ran.out)["flagged_ids"])


def test_it_says_if_far_more_is_flagged_than_the_model_expects(here):
    (here / "others.txt").write_text("".join(f"zxq{i} vwk{i} bnm{i} ghj{i} plo{i}\n" for i in range(20)))
    ran = run("check", "others.txt", "--model", "model", "--max-flagged", "100%", cwd=here)
    assert ran.code == 0
    assert "far more than" in ran.err
    assert "far more than" not in ran.out
    options = ("--model", "model", "--max-flagged", "100%")
    assert run("check", "others.txt", *options, "--output-format", "github", cwd=here).out.count("far more than") == 1
    assert str(json.loads(run("check", "others.txt", *options, "--json", cwd=here).out)["notes"]).count("far more") == 1


def test_annotations_name_file_and_line(here):
    ran = run("check", "docs.csv", "--model", "model", "--max-flagged", "0", "--output-format", "github", cwd=here)
    assert ran.code == 1
    *lines, verdict = ran.out.splitlines()
    assert all(re.match(r"::error file=docs\.csv,line=\d+,title=\S+ is strange::score \d", line) for line in lines)
    assert verdict.startswith("::error title=tonmf check::Failed")


def test_an_annotation_cannot_be_ended_by_what_a_document_holds():
    line = github_line("warning", "a\n::error::b\r%", "x,file=y::z", Origin("a:b,c.csv", 3))
    assert line == "::warning file=a%3Ab%2Cc.csv,line=3,title=x%2Cfile=y%3A%3Az::a%0A::error::b%0D%25"
    assert len(line.splitlines()) == 1


def test_an_id_cannot_begin_a_line(here):
    write(here / "evil.csv", ["a\n::error::b"], ["zebra okapi quagga narwhal"])
    ran = run("check", "evil.csv", "--model", "model", "--max-flagged", "0", "--id-column", "id", cwd=here)
    assert ran.code == 1
    assert ran.out.startswith("evil.csv:2: a\\n::error::b: score ")
    assert not any(line.startswith("::") for line in [*ran.out.splitlines(), *ran.err.splitlines()])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["docs.csv", "--max-flagged", "2.5"], "--max-flagged must be a share"),
        (["docs.csv", "--max-flagged", "1", "--model", "model", "--min-df", "3"], "--min-df"),
        (["docs.csv", "--max-flagged", "1", "--json", "--output-format", "github"], "--json and --output-format"),
        (["docs.csv", "--max-flagged", "1", "--fdr", "0.1", "--marks", "known.csv"], "--marks change no p-value"),
        (["docs.csv"], "--max-flagged"),
    ],
)
def test_wrong_usage_ends_with_another_code_than_too_many(arguments, says, here):
    (here / "known.csv").touch()
    ran = run("check", *arguments, cwd=here)
    assert ran.code == 2
    assert says in ran.err


@pytest.mark.parametrize(
    ("typed", "n_docs", "allowed"),
    [("2%", 100, 2), ("0.02", 100, 2), ("2%", 99, 1), ("5", 3, 5), ("0", 10, 0), ("100%", 7, 7), ("1", 7, 1), ("1.0", 7, 7),
     ("0.29", 100, 29), (" 3 %", 100, 3)],
)  # fmt: skip
def test_a_limit_is_a_share_or_a_number_of_documents(typed, n_docs, allowed):
    assert Limit.of(typed).allows(n_docs) == allowed


@pytest.mark.parametrize("typed", ["", "%", "-1", "101%", "1.5", "two", "nan", "1/2", "٣", "inf", "1e999999999"])
def test_other_limits_are_refused(typed):
    with pytest.raises(ParameterError, match="must be a share"):
        Limit.of(typed)


def hook():
    (found,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    return found


@pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit, of the extra lint, is not installed")
def test_the_hook_runs_before_a_commit_and_stops_it(here, tmp_path):
    """The hook comes from a clone, as pre-commit makes one; only its installation is left out, since tonmf is here."""
    clone, repository = tmp_path / "tonmf", tmp_path / "repository"
    for folder in (clone, repository):
        folder.mkdir()
        git("init", "--quiet", cwd=folder)
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", clone)
    commit = git_commit(clone)
    installed = {"language": "system", "additional_dependencies": []}
    hooks = [{"id": hook()["id"], **installed, "args": ["--max-flagged", "7", "--model", str(here / "model")]}]
    settings = {"repos": [{"repo": str(clone), "rev": commit, "hooks": hooks}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(settings))
    shutil.copy(here / "docs.csv", repository / "docs.csv")
    git("add", ".", cwd=repository)
    code, said = pre_commit(repository, tmp_path)
    assert code == 1, said
    assert re.search(r"docs\.csv:\d+: ", said)
    shutil.copy(here / "clean.csv", repository / "docs.csv")
    git("add", ".", cwd=repository)
    code, said = pre_commit(repository, tmp_path)
    assert code == 0, said


def pre_commit(repository, home):
    environment = {
        **os.environ,
        "PRE_COMMIT_HOME": str(home / "cache"),
        "PATH": f"{folder_of_client()}:{os.environ['PATH']}",
    }
    program = os.path.join(os.path.dirname(TONMF), "pre-commit")
    done = subprocess.run(
        [program, "run", "--all-files"], cwd=repository, env=environment, capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


def git(*arguments, cwd):
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        [shutil.which("git"), *identity, *arguments], cwd=cwd, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def git_commit(folder):
    git("add", ".", cwd=folder)
    git("commit", "--quiet", "-m", "All", cwd=folder)
    return git("rev-parse", "HEAD", cwd=folder)


def test_the_hook_has_arguments_that_the_command_takes():
    from tonmf.cli.app import app

    command = typer.main.get_command(app).commands[hook()["entry"].split()[1]]
    options = {name for parameter in command.params for name in parameter.opts}
    assert {argument for argument in hook()["args"] if argument.startswith("--")} <= options


def test_the_action_checks_files_and_runs_nothing_that_an_input_holds(here):
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    _, check = action["runs"]["steps"]
    given = {
        "files": "docs.csv\n$(touch run-by-input)\n",
        "max-flagged": "2",
        "model": "model",
        "arguments": "--top\n1\n",
    }
    assert given.keys() == action["inputs"].keys()
    values = {name: given[re.fullmatch(r"\$\{\{ inputs\.(.*) \}\}", value)[1]] for name, value in check["env"].items()}
    environment = {**os.environ, **values, "PATH": f"{folder_of_client()}:{os.environ['PATH']}"}
    done = subprocess.run(
        [shutil.which("bash"), "-e", "-c", check["run"]], cwd=here, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "$(touch run-by-input)" in done.stderr  # looked for as a file
    assert not (here / "run-by-input").exists()
    environment["TONMF_FILES"] = "docs.csv\n"
    done = subprocess.run(
        [shutil.which("bash"), "-e", "-c", check["run"]], cwd=here, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout.count("::error file=docs.csv") == 1
