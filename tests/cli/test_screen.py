"""The screen: what reaches the terminal of what documents hold."""

import json

import pytest
from rich.text import Text

from tonmf.cli.errors import _show_warning
from tonmf.cli.screen import Screen, json_line, printable

HEBREW = "\u05e9\u05dc\u05d5\u05dd"


@pytest.mark.parametrize("mark", ["\u202a", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069", "\x1b", "\x9b"])
def test_marks_and_control_characters_of_documents_are_replaced(mark, capsys):
    assert printable(f"a{mark}b") == "a\ufffdb"
    Screen().show(Text(f"a{mark}b"))
    assert capsys.readouterr().out == "a\ufffdb\n"


def test_isolates_of_explanations_reach_the_terminal(capsys):
    Screen().show(Text(f"such as “\u2068{HEBREW}\u2069”\u202e\u2067\x1b"), isolates=True)
    assert capsys.readouterr().out == f"such as “\u2068{HEBREW}\u2069”\ufffd\ufffd\ufffd\n"


STEERING = [
    chr(code) for code in (*range(32), *range(127, 160), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
]


def test_json_on_a_terminal_says_the_same_and_cannot_steer_it(capsys):
    text = f"{HEBREW} {''.join(STEERING)} naïve 🦊"
    Screen(as_json=True).show_json({"text": text})
    line = capsys.readouterr().out.removesuffix("\n")
    assert line == json_line({"text": text})
    assert not set(line) & set(STEERING)
    assert json.loads(line) == {"text": text}
    assert "🦊" in line


def test_warnings_and_plain_words_cannot_steer_the_terminal(capsys):
    _show_warning("about \x9b31m")
    Screen().show("a \x1b[31m name")
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("a \ufffd[31m name\n", "tonmf: about \ufffd31m\n")
