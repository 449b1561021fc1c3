"""``tonmf review`` in a real terminal: single keys, any size, and a terminal that is left as it was."""

import json
import os
import signal
import termios

import pytest
from command import run
from rich.cells import cell_len
from terminal import ENTER, LEAVE, in_terminal

from tonmf.cli.reviewing import dialogue
from tonmf.cli.reviewing.dialogue import RESIZED, WholeScreen
from tonmf.cli.screen import Screen
from tonmf.datasets import load_noticeboard
from tonmf.io import read_marks

BOARD = load_noticeboard()


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("terminal")
    write_posts(folder, BOARD.texts)
    assert run("detect", "posts.jsonl", "--save", "model", "--json", cwd=folder).code == 0
    return folder / "model"


def write_posts(folder, texts):
    lines = [json.dumps({"id": f"post-{n:03d}", "text": text}) + "\n" for n, text in enumerate(texts, start=1)]
    (folder / "posts.jsonl").write_text("".join(lines))


@pytest.fixture
def here(model, tmp_path):
    (tmp_path / "model").symlink_to(model)
    write_posts(tmp_path, BOARD.texts)
    return tmp_path


def reviewing(here, *more, **options):
    return in_terminal("review", "model", "posts.jsonl", *more, cwd=here, **options)


def marks_in(here):
    return read_marks(here / "posts.marks.csv")


def test_keys_mark_skip_and_undo_at_once(here):
    with reviewing(here) as terminal:
        first = terminal.until_drawn().heading
        assert "Marks go to posts.marks.csv." in terminal.text
        second = terminal.press("s").heading
        assert marks_in(here) == {first: "strange"}
        assert f"Marked {first} as strange." in terminal.text
        third = terminal.press("f").heading
        assert terminal.press(" ").heading not in (first, second, third)
        assert terminal.press("u").heading == third
        assert terminal.press("u").heading == second
        assert marks_in(here) == {first: "strange"}
        assert terminal.press("N").heading == third
        assert marks_in(here) == {first: "strange", second: "fine"}
        terminal.type("q")
        assert terminal.end_of_process() == 0
    after = terminal.shown.split(LEAVE)[-1]
    assert "Found 1 in 2 read of" in after
    assert "Marks are in posts.marks.csv." in after
    assert "tonmf score model posts.jsonl --marks posts.marks.csv  ranks all documents by them" in after


def test_a_kill_loses_no_mark_and_the_next_review_goes_on(here):
    with reviewing(here) as terminal:
        first = terminal.until_drawn().heading
        second = terminal.press("s").heading
        third = terminal.press("f").heading
        terminal.process.kill()
        assert terminal.process.wait() == -signal.SIGKILL
    assert marks_in(here) == {first: "strange", second: "fine"}
    with reviewing(here) as terminal:
        assert terminal.until_drawn().heading == third
        assert "Going on after 2 marks in posts.marks.csv." in terminal.text
        assert "Found 1 in 2 read of" in terminal.text


@pytest.mark.parametrize("ending", ["q", "\x03", "\x04", signal.SIGTERM, signal.SIGINT], ids=repr)
def test_every_end_leaves_the_terminal_as_it_was(here, ending):
    with reviewing(here) as terminal:
        before = terminal.modes
        first = terminal.until_drawn().heading
        assert terminal.modes[3] & (termios.ICANON | termios.ECHO) == 0
        terminal.press("s")
        if isinstance(ending, str):
            terminal.type(ending)
        else:
            terminal.process.send_signal(ending)
        expected = {"\x03": 130, signal.SIGINT: 130, signal.SIGTERM: 143}.get(ending, 0)
        assert terminal.end_of_process() == expected
        assert terminal.modes == before
    assert terminal.shown.count(ENTER) == terminal.shown.count(LEAVE) == 1
    assert marks_in(here) == {first: "strange"}
    after = terminal.shown.split(LEAVE)[-1]
    assert "Marks are in posts.marks.csv." in after
    assert ("tonmf: stopped" in after) == bool(expected)


@pytest.mark.parametrize("ending", ["\x03", signal.SIGTERM], ids=repr)
def test_a_review_that_is_broken_off_exports_what_was_found(here, ending):
    with reviewing(here, "--export", "found.csv") as terminal:
        first = terminal.until_drawn().heading
        assert "Nothing marked yet; " in terminal.text
        terminal.press("s")
        if isinstance(ending, str):
            terminal.type(ending)
        else:
            terminal.process.send_signal(ending)
        assert terminal.end_of_process() == (130 if ending == "\x03" else 143)
    assert "1 strange document is in found.csv." in terminal.shown
    assert first in (here / "found.csv").read_text(encoding="utf-8")


def test_an_error_on_the_way_leaves_the_terminal_as_it_was_too(here):
    with reviewing(here) as terminal:
        before = terminal.modes
        terminal.until_drawn()
        (here / "posts.marks.csv").mkdir()
        terminal.type("s")
        assert terminal.end_of_process() == 1
        assert terminal.modes == before
    assert (
        terminal.shown.split(LEAVE)[-1].strip().startswith("tonmf: posts.marks.csv cannot be written: Is a directory")
    )


def test_after_a_stop_the_terminal_is_taken_again(here):
    # Without a shell above it, nothing could continue the process: so the system does not stop it.
    with reviewing(here) as terminal:
        first = terminal.until_drawn().heading
        terminal.process.send_signal(signal.SIGTSTP)
        terminal.until(lambda now: now.shown.count(LEAVE) == 1 and now.shown.count(ENTER) == 2)
        assert terminal.until_drawn().heading == first
        assert terminal.modes[3] & termios.ICANON == 0
        assert terminal.press("s").heading != first


def test_a_stop_in_the_middle_of_a_write_waits_until_the_terminal_can_be_given_back(monkeypatch):
    ours, keys = os.openpty()
    written = []

    def write(text):
        written.append(text)
        if len(written) == 2:  # what is shown: the signal comes before it is all written
            os.kill(os.getpid(), signal.SIGTSTP)
            assert written[-1] == text

    monkeypatch.setattr(dialogue, "_write", write)
    monkeypatch.setattr(WholeScreen, "_stop", lambda self: vars(self).update(_stop_wanted=False, _changed=True))
    with WholeScreen(Screen(), keys) as screen:
        screen.show([])
        assert (len(written), screen.key()) == (2, RESIZED)
    os.close(ours)
    os.close(keys)
    assert [text for text in written if text in (ENTER, LEAVE)] == [ENTER, LEAVE, ENTER, LEAVE]


WIDE = "漢字 " * 80 + "ａｂｃ 🙂 " * 30


@pytest.mark.parametrize(("columns", "rows"), [(60, 24), (80, 24), (120, 40), (30, 12), (20, 8)])
def test_everything_fits_on_the_screen(here, columns, rows):
    long = " ".join(f"quizzacious{n}" for n in range(400))
    write_posts(here, [*BOARD.texts, long, WIDE, "tab\tand\r\nline \x1b[31m breaks \u202e" * 30])
    with reviewing(here, columns=columns, rows=rows) as terminal:
        terminal.until(lambda now: now.lines[-1].endswith("help"))
        for _ in range(8):
            assert max(map(cell_len, terminal.lines)) <= columns
            assert len(terminal.lines) == rows
            assert "Found " in terminal.text or "Nothing marked" in terminal.text
            terminal.press("s")


def test_columns_of_the_environment_count(here):
    with reviewing(here, columns=100, COLUMNS="60") as terminal:
        assert 50 < max(map(cell_len, terminal.until_drawn().lines)) <= 60


def test_another_size_draws_the_same_document_again(here):
    with reviewing(here, columns=120, rows=30) as terminal:
        first = terminal.until_drawn().heading
        assert max(map(cell_len, terminal.lines)) > 60
        terminal.resize(60, 20)
        terminal.until(lambda now: now.lines[-1].endswith("? help") and max(map(cell_len, now.lines)) <= 60)
        assert terminal.heading == first
        assert len(terminal.lines) == 20


def test_unexpected_words_are_highlighted_and_without_colour_if_that_is_wished(here):
    with reviewing(here) as terminal:
        assert "\x1b[1;31m" in "\n".join(terminal.until_drawn().screen)
    with reviewing(here, NO_COLOR="1") as terminal:
        shown = "\n".join(terminal.until_drawn().screen)
    assert "\x1b[1m" in shown
    assert "31m" not in shown


def test_keys_that_were_pressed_before_a_document_was_shown_do_not_count(here):
    with reviewing(here) as terminal:
        terminal.type("sss")  # while it loads
        first = terminal.until_drawn().heading
        terminal.press("fff")
        assert marks_in(here) == {first: "fine"}


def test_arrows_and_other_keys_do_nothing(here):
    with reviewing(here) as terminal:
        first = terminal.until_drawn().heading
        terminal.type("\x1b[C")
        assert terminal.press("x").heading == first
        assert "'x' is no key here; ? lists them." in terminal.text
        terminal.press("?")
        assert "take back the last mark or skip" in terminal.text
        assert terminal.press("s").heading == first  # any key goes back, and does nothing else
    assert not (here / "posts.marks.csv").exists()


def test_open_shows_the_whole_text_in_the_pager(here):
    pager = here / "pager"
    pager.write_text(f"#!/bin/sh\ncat > {here}/paged\nstty -a < /dev/tty > {here}/modes\n")
    pager.chmod(0o755)
    long = "\n".join(f"quizzacious{n} quizzacious{n + 1}" for n in range(400))
    write_posts(here, [*BOARD.texts, long])
    with reviewing(here, PAGER=str(pager)) as terminal:
        terminal.until_drawn()
        while "quizzacious" not in terminal.text:
            terminal.press("k")
        shown = terminal.heading
        assert terminal.press("o").heading == shown
    assert (here / "paged").read_text().strip() == long
    assert " icanon" in (here / "modes").read_text()


def test_a_pager_that_cannot_be_run_is_named(here):
    with reviewing(here, PAGER="no-such-pager") as terminal:
        first = terminal.until_drawn().heading
        terminal.type("o")
        terminal.until(lambda now: "no-such-pager cannot be run" in now.shown and "Enter goes back." in now.shown)
        assert "no-such-pager cannot be run: No such file or directory. Set PAGER" in terminal.shown
        assert terminal.press("\n").heading == first


def test_a_terminal_that_only_prints_gets_lines(here):
    with reviewing(here, TERM="dumb") as terminal:
        terminal.until("? help")
        terminal.type("s\n")
        terminal.until("as strange.")
        terminal.type("q\n")
        assert terminal.end_of_process() == 0
    assert ENTER not in terminal.shown
    assert list(marks_in(here).values()) == ["strange"]


def test_keys_come_from_the_terminal_if_documents_come_from_standard_input(here):
    with reviewing(here) as terminal:
        expected = terminal.until_drawn().heading
    args = ["review", "model", "-", "--format", "jsonl", "--marks", "marks.csv"]
    with (
        open(here / "posts.jsonl", "rb") as posts,
        in_terminal(*args, cwd=here, stdin=posts.fileno()) as terminal,
    ):
        assert terminal.until_drawn().heading == expected
        terminal.press("s")
    assert read_marks(here / "marks.csv") == {expected: "strange"}


def test_a_terminal_that_goes_away_ends_it(here):
    with reviewing(here) as terminal:
        terminal.until_drawn()
        terminal.press("s")
        terminal.hang_up()
        assert terminal.process.wait() != 0
    assert len(marks_in(here)) == 1
    assert os.path.getsize(here / "posts.marks.csv") > 0
