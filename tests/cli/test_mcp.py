"""``tonmf mcp``: a real client of the protocol's SDK speaks to the installed command over standard input and output."""

import gzip
import json
import os
import subprocess
import zipfile
from contextlib import asynccontextmanager

import anyio
import pyarrow as pa
import pytest
from command import TONMF, environment, run
from mcp import Client, StdioServerParameters, stdio_client
from pyarrow.feather import write_feather
from pyarrow.parquet import write_table

from tonmf import TextOutlierDetector, load
from tonmf.cli.agents.allowed import Allowed
from tonmf.datasets import make_corpus
from tonmf.errors import InputError
from tonmf.io import ReadOptions

CORPUS = make_corpus(n_docs=80, n_outliers=3, random_state=1)
PLANTED = [name for name, label in zip(CORPUS.ids, CORPUS.labels, strict=True) if label]
ORDINARY = [name for name, label in zip(CORPUS.ids, CORPUS.labels, strict=True) if not label]


def json_lines(texts=CORPUS.texts):
    return "".join(json.dumps({"id": n, "text": t}) + "\n" for n, t in zip(CORPUS.ids, texts, strict=False))


@pytest.fixture
def here(tmp_path):
    """Allowed files beside secret ones, with links that lead from the former to the latter."""
    allowed, secret = tmp_path / "allowed", tmp_path / "secret"
    for folder in (allowed, secret, allowed / "notes", allowed / "leaky", tmp_path / "models"):
        folder.mkdir()
    (allowed / "posts.jsonl").write_text(json_lines())
    (secret / "posts.jsonl").write_text(json_lines())
    (secret / "diary.txt").write_text("secret words\n" * 30)
    (allowed / "link.jsonl").symlink_to(secret / "posts.jsonl")
    (allowed / "folder").symlink_to(secret)
    (allowed / "inner.jsonl").symlink_to(allowed / "posts.jsonl")
    for number, text in enumerate(CORPUS.texts[:30]):
        (allowed / "notes" / f"{number}.txt").write_text(text)
        (allowed / "leaky" / f"{number}.txt").write_text(text)
    (allowed / "leaky" / "z.txt").symlink_to(secret / "diary.txt")
    os.mkfifo(allowed / "pipe.jsonl")
    return tmp_path


@asynccontextmanager
async def client(here, *options):
    with open(here / "errors.txt", "w") as errors:
        server = StdioServerParameters(
            command=TONMF, args=["mcp", "--allow", "allowed", *options], cwd=here, env=environment()
        )
        async with Client(stdio_client(server, errlog=errors)) as connected:
            yield connected


async def answer(connected, tool, **arguments):
    result = await connected.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def error(connected, tool, **arguments):
    result = await connected.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    (content,) = result.content
    return content.text


def test_an_agent_finds_explains_and_marks_strange_documents_and_saves_what_it_learnt(here):
    async def session():
        async with client(here, "--models", "models", "--write") as connected:
            tools = {tool.name: tool for tool in (await connected.list_tools()).tools}
            assert tools.keys() == {
                "list_files", "list_models", "detect", "score", "explain", "topics", "mark", "save"
            }  # fmt: skip
            assert all(tool.description and tool.output_schema for tool in tools.values())
            listed = await answer(connected, "list_files")
            assert {os.path.basename(one["path"]) for one in listed["files"]} == {
                "posts.jsonl", "inner.jsonl", "notes", "leaky"
            }  # fmt: skip
            shares = []
            found = await connected.call_tool(
                "detect", {"files": ["posts.jsonl"], "top": 5}, progress_callback=lambda *done: record(shares, done)
            )
            assert shares == sorted(shares)
            assert shares
            ranked = found.structured_content
            assert {one["id"] for one in ranked["strangest"][:3]} == set(PLANTED)
            model = ranked["model"]
            explained = await answer(connected, "explain", model=model, ids=PLANTED[:2], words=3)
            assert [one["id"] for one in explained["documents"]] == PLANTED[:2]
            assert all(one["flagged"] and len(one["unexpected"]) == 3 for one in explained["documents"])
            again = await answer(connected, "mark", model=model, fine=PLANTED[:1], strange=[ORDINARY[0]])
            assert again["marks"] == {PLANTED[0]: "fine", ORDINARY[0]: "strange"}
            assert not {one["id"] for one in again["strangest"]} & again["marks"].keys()
            back = await answer(connected, "mark", model=model, unmark=[ORDINARY[0]])
            assert back["marks"] == {PLANTED[0]: "fine"}
            await answer(connected, "save", model=model, name="board")
            assert "replace=true" in await error(connected, "save", model=model, name="board")
            scored = await answer(connected, "score", model="board", files=["inner.jsonl"], top=2)
            assert (scored["documents"], len(scored["strangest"])) == (80, 2)
            assert (await answer(connected, "topics", model="board", words=3))["topics"]
            assert "board" in [
                one["name"] for one in (await answer(connected, "list_models"))["models"] if one["saved"]
            ]
            for name in ("../board", "a/b", "", ".hidden", "/tmp/board"):  # noqa: S108
                assert "name" in await error(connected, "save", model=model, name=name)

    anyio.run(session)
    assert load(here / "models" / "board").marks_ == {PLANTED[0]: "fine"}
    assert sorted(os.listdir(here)) == ["allowed", "errors.txt", "models", "secret"]
    assert os.listdir(here / "models") == ["board"]
    assert (here / "errors.txt").read_text() == ""


async def record(shares, done):
    shares.append(done[0])


def test_nothing_outside_is_read_and_nothing_is_written_unless_allowed(here):
    TextOutlierDetector(n_restarts=1, topic_shares=(0.03,)).fit(CORPUS.texts).save(here / "models" / "old")
    (here / "models" / "away").symlink_to(here / "secret")

    async def session():
        async with client(here, "--models", "models", "--max-size", "1") as connected:
            assert "save" not in {tool.name for tool in (await connected.list_tools()).tools}
            outside = "is not a file or folder in"
            secret = here / "secret"
            for path in (
                "../secret/posts.jsonl", "link.jsonl", "folder", "folder/posts.jsonl", str(secret / "diary.txt"), "/etc/passwd",
                "-", "*.jsonl", "pipe.jsonl", "no\0where", "notes/../../secret/diary.txt", "~", "file:///etc/passwd",
            ):  # fmt: skip
                assert outside in await error(connected, "detect", files=[path]), path
            assert outside in await error(connected, "list_files", folder="..")
            assert "leads out of" in await error(connected, "detect", files=["leaky"])
            assert "There is no model" in await error(connected, "score", model="../models/old", files=["posts.jsonl"])
            assert "There is no model" in await error(connected, "topics", model="away")
            assert "score with it first" in await error(connected, "explain", model="old", ids=["1"])
            (here / "allowed" / "bomb.txt.gz").write_bytes(gzip.compress(b"word " * 1_000_000))
            assert "more than the 1 MB" in await error(connected, "detect", files=["bomb.txt.gz"])
            for arguments in (
                {"files": []},
                {"files": ["posts.jsonl"], "top": 1000},
                {"files": "posts.jsonl", "top": "x"},
                {},
            ):
                assert "validation error" in await error(connected, "detect", **arguments)
            assert "stop_words" in await error(connected, "detect", files=["posts.jsonl"], stop_words="klingon")
            assert "column" in await error(connected, "detect", files=["posts.jsonl"], text_column="nope")
            assert "Unknown tool" in await error(connected, "save", model="old", name="new")
            ranked = await answer(connected, "score", model="old", files=["notes"], top=1)
            assert ranked["documents"] == 30
            assert "has the id 'nobody'" in await error(connected, "explain", model="old", ids=["nobody"])
            assert "nothing to mark" in await error(connected, "mark", model="old")
            assert "is not marked" in await error(connected, "mark", model="old", unmark=["nobody"])

    anyio.run(session)
    assert sorted(os.listdir(here / "models")) == ["away", "old"]
    assert (here / "errors.txt").read_text() == ""


def test_a_call_that_is_cancelled_stops_its_fit(here):
    async def session():
        async with client(here) as connected:
            with anyio.CancelScope() as scope:

                async def cancel(*done):
                    scope.cancel()

                await connected.call_tool("detect", {"files": ["posts.jsonl"]}, progress_callback=cancel)
            assert scope.cancelled_caught
            assert (await answer(connected, "list_models"))["models"] == []  # it waits until the fit has stopped

    anyio.run(session)


def test_standard_output_has_nothing_but_messages_of_the_protocol(here):
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "detect", "arguments": {"files": ["notes"]}}},
    ]  # fmt: skip
    process = subprocess.Popen(
        [TONMF, "mcp", "--allow", "allowed"], cwd=here, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
    )
    with process:
        process.stdin.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines) + b"not json\n")
        process.stdin.flush()
        said = []
        while not any(message.get("id") == 2 for message in said):
            said.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        rest = process.stdout.read()
    assert process.returncode == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    assert all(message["jsonrpc"] == "2.0" for message in said)
    (result,) = [message["result"] for message in said if message.get("id") == 2]
    assert result["structuredContent"]["documents"] == 30
    assert not result["isError"]


def test_a_workbook_or_an_archive_is_as_large_as_it_is_unpacked(here):
    with zipfile.ZipFile(here / "allowed" / "many.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "word " * 1_000_000)
        archive.writestr("b.txt", "word\n" * 10)
    (here / "allowed" / "book.xlsx").write_bytes((here / "allowed" / "many.zip").read_bytes())
    for path in ("many.zip", "book.xlsx"):
        with pytest.raises(InputError, match="more than the 2 MB"):
            Allowed([str(here / "allowed")], 2_000_000).read([path], ReadOptions())


@pytest.mark.parametrize("write", [write_table, write_feather])
@pytest.mark.parametrize("text", [pa.string(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_a_table_that_stores_a_repeated_text_once_is_as_large_as_all_its_texts(write, text, here, monkeypatch):
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 200, pa.int32()), pa.array(["word " * 20_000]))
    name = {write_table: "same.parquet", write_feather: "same.arrow"}[write]
    write(pa.table({"text": texts.cast(text)}), here / "allowed" / name, compression="zstd")
    assert (here / "allowed" / name).stat().st_size < 10_000
    allowed = Allowed([str(here / "allowed")], 2_000_000)
    monkeypatch.delattr("tonmf.cli.agents.allowed.DocumentFiles")  # it is not even read
    with pytest.raises(InputError, match="more than the 2 MB"):
        allowed.read([name], ReadOptions())


@pytest.mark.parametrize(("write", "name"), [(write_table, "posts.parquet"), (write_feather, "posts.arrow")])
def test_a_table_that_is_not_too_large_is_read(write, name, here):
    write(pa.table({"text": CORPUS.texts}), here / "allowed" / name)
    size = sum(map(len, CORPUS.texts)) + 20_000
    assert Allowed([str(here / "allowed")], size).read([name], ReadOptions()).content == list(CORPUS.texts)


@pytest.mark.parametrize("name", ["data.db", "counts.mtx"])
def test_databases_and_matrices_are_left_to_the_user(name, here):
    (here / "allowed" / name).write_text("x")
    with pytest.raises(InputError, match="is not read here"):
        Allowed([str(here / "allowed")], 1000).read([name], ReadOptions())


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (["--allow", "nowhere"], 1, "nowhere cannot be read"),
        (["--allow", "allowed/posts.jsonl"], 1, "allowed/posts.jsonl is not a folder"),
        (["--allow", "allowed", "--write"], 2, "--models FOLDER"),
        (["--allow", "allowed", "--models", "nowhere"], 1, "nowhere is not a folder"),
        ([], 2, "--allow"),
    ],
)
def test_a_wrong_start_says_what_to_give(options, code, says, here):
    ran = run("mcp", *options, cwd=here)
    assert ran.code == code
    assert says in ran.err
