"""Where a watch goes on: places belong to the file that was read, and lines that cannot be read end nothing."""

import pytest

from tonmf import InputError
from tonmf.cli.watching.documents import JSON, DocumentParser
from tonmf.cli.watching.following import AT_ONCE, FollowedFile, Place
from tonmf.cli.watching.lines import InputLine, Lines
from tonmf.io.options import ReadOptions
from tonmf.stream.times import moment_of
from tonmf.text.documents import TEXTS


def followed(path, place=None, notes=None):
    return FollowedFile(str(path), place or Place(), ([] if notes is None else notes).append, until_end=False)


def all_lines(lines):
    taken = []
    while some := lines.take(10):
        taken += some
    return taken


def test_a_place_in_a_file_that_was_replaced_is_none_in_the_new_one(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"text": "old"}\n' * 40)
    lines = Lines(followed(path), Place())
    last = all_lines(lines)[-1]
    assert followed(path, last.place).start == last.place
    (tmp_path / "new").write_text('{"text": "part of a line')
    (tmp_path / "new").replace(path)
    assert [all_lines(lines) for _ in range(3)] == [[], [], []]
    with path.open("a") as file:
        file.write('"}\n' + '{"text": "new"}\n' * 100)
    assert followed(path, last.place).start == Place(), "all of the new file is still to be read"
    assert len(all_lines(lines)) == 101


def test_what_is_written_to_the_old_file_after_an_empty_new_one_is_there_is_read(tmp_path):
    """As logrotate does it with "create": the writer is told only afterwards, and writes to the old one until then."""
    path, notes, got = tmp_path / "log", [], []
    with path.open("ab", buffering=0) as writer:
        writer.write(b"one\n")
        coming = followed(path, notes=notes)
        lines = Lines(coming, coming.start)

        def look():
            for _ in range(6):
                got.extend(line.content for line in lines.take(9))

        look()
        path.rename(tmp_path / "log.1")
        path.touch()
        look()
        writer.write(b"two\nhal")
        look()
        assert (got, notes) == ([b"one", b"two"], [])
        writer.write(b"f\nlast without an end")
        path.write_bytes(b"new\n")
        look()
    assert got == [b"one", b"two", b"half", b"last without an end", b"new"]
    assert notes == ["log was replaced by another file: reading that from its start."]


def test_an_old_file_that_is_wiped_is_not_read_again(tmp_path):
    """The new one is, even if it is still empty."""
    path, notes = tmp_path / "log", []
    path.write_bytes(b"one\ntwo\n")
    coming = followed(path, notes=notes)
    lines = Lines(coming, coming.start)
    assert [len(lines.take(9)) for _ in range(2)] == [2, 0]
    path.rename(tmp_path / "log.1")
    path.touch()
    (tmp_path / "log.1").write_bytes(b"\0" * 8)
    assert [lines.take(9) for _ in range(3)] == [[], [], []]
    path.write_bytes(b"new\n")
    assert [line.content for line in lines.take(9)] == [b"new"]
    assert notes == ["log was replaced by another file: reading that from its start."]


def document_of(parser, content, number=1):
    return parser.parse(InputLine(content.encode(), number, Place()))


def parser_for(**options):
    return DocumentParser(
        "log", JSON, TEXTS, ReadOptions(**options), "t" if options.pop("t", False) else None, lambda note: None
    )


def test_a_key_that_texts_go_by_is_taken_over_one_that_was_guessed():
    parser = parser_for()
    with pytest.raises(ValueError, match="no key holds a text"):
        document_of(parser, '{"text": ""}')
    with pytest.raises(ValueError, match="no key holds a text, only an id"):
        document_of(parser, '{"id": "a"}')
    assert document_of(parser, '{"id": "a", "title": "Only a title"}').content == "Only a title"
    assert document_of(parser, '{"id": "b", "title": "A title", "text": "A story"}').content == "A story"
    with pytest.raises(ValueError, match="got nothing"):
        document_of(parser, '{"id": "c", "title": "Only a title again"}')
    given = parser_for(text_column="title")
    assert document_of(given, '{"title": "A title", "text": "A story"}').content == "A title"


def test_columns_are_noted_once_even_if_every_line_makes_it_choose_again():
    notes = []
    parser = DocumentParser("log", JSON, TEXTS, ReadOptions(), None, notes.append)
    for _ in range(3):
        assert document_of(parser, '{"text": {"html": "x"}, "snippet": "A story"}').content == "A story"
    assert notes == ["The text was taken from column 'snippet' of log."]
    assert document_of(parser, '{"text": "A whole story", "snippet": "A story"}').content == "A whole story"
    assert notes[1:] == ["The text was taken from column 'text' of log."]


@pytest.mark.parametrize("value", [10**400, -(10**400), "9" * 70, "0001-01-01T00:00+14:00"])
def test_numbers_that_are_no_times_are_none(value):
    assert moment_of(value) is None


@pytest.mark.parametrize(("data", "command"), [(b"\x1f\x8b\x08\x00more", "zcat"), (b"\x28\xb5\x2f\xfdmore", "zstdcat")])
def test_compressed_data_is_told_what_to_do_with(tmp_path, data, command):
    path = tmp_path / "new.jsonl.gz"
    path.write_bytes(data)
    with pytest.raises(InputError, match=rf"{command} new\.jsonl\.gz \| tonmf watch MODEL -"):
        Lines(followed(path), Place()).take(1)


def test_a_long_line_that_is_there_is_not_waited_for(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"x" * 5 * AT_ONCE + b"\n")
    lines = Lines(followed(path), Place())
    looks = 0
    while not lines.take(1):
        looks += 1
        assert lines.moving, "there was more, so there is no need to wait"
    assert looks > 3
    assert lines.take(1) == []
    assert not lines.moving


def test_a_time_with_another_zone_than_those_before_is_told():
    """As in one sequence: with and without a zone they cannot be put in order."""
    parser = DocumentParser("log", JSON, TEXTS, ReadOptions(), "at", print)

    def read(when):
        return parser.parse(InputLine(f'{{"text": "a", "at": "{when}"}}'.encode(), 2, Place()))

    assert read("2026-01-01T10:00").seconds == moment_of("2026-01-01T10:00").seconds
    with pytest.raises(ValueError, match="its time, '2026-01-01T10:00Z', has a zone, and those before it have none"):
        read("2026-01-01T10:00Z")
    assert read("1767261600").seconds == 1767261600
