"""The screen: what reaches the terminal of what documents hold."""

import pytest
from rich.text import Text

from tonmf.cli.screen import Screen, printable

HEBREW = "\u05e9\u05dc\u05d5\u05dd"


@pytest.mark.parametrize("mark", ["\u202a", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069", "\x1b", "\x9b"])
def test_marks_and_control_characters_of_documents_are_replaced(mark, capsys):
    assert printable(f"a{mark}b") == "a\ufffdb"
    Screen().show(Text(f"a{mark}b"))
    assert capsys.readouterr().out == "a\ufffdb\n"


def test_isolates_of_explanations_reach_the_terminal(capsys):
    Screen().show(Text(f"such as “\u2068{HEBREW}\u2069”\u202e\u2067\x1b"), isolates=True)
    assert capsys.readouterr().out == f"such as “\u2068{HEBREW}\u2069”\ufffd\ufffd\ufffd\n"
