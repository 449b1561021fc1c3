"""A watch in this process, over what is in a file, for readers that take what they like."""

import json
from contextlib import closing

from tonmf.cli.watching.documents import JSON, DocumentParser
from tonmf.cli.watching.following import FollowedFile, Place
from tonmf.cli.watching.lines import Lines
from tonmf.cli.watching.snapshots import Snapshot, Snapshots
from tonmf.cli.watching.watch import Watch, WatchOptions
from tonmf.io.options import ReadOptions
from tonmf.stream.half_life import half_life_of
from tonmf.text.documents import TEXTS

BATCH = 16


class Reader:
    """Takes lines, but no new topics unless it is willing."""

    def __init__(self, willing):
        self.willing, self.lines = willing, []

    def write(self, line):
        if b'"alert"' in line and not self.take_alert(line):
            return False
        self.lines.append(json.loads(line))
        return True

    def take_alert(self, line):
        return self.willing


def run_watch(tmp_path, kept, reader, detector=None, new_topics=None):
    """Over what is in the file, from the last snapshot or with what is given; the snapshot then."""
    with closing(Snapshots(tmp_path / kept)) as snapshots:
        start = snapshots.last(True) or Snapshot(detector, Place(), None, new_topics)
        followed = FollowedFile(str(tmp_path / "new.jsonl"), start.place, print, until_end=True)
        parser = DocumentParser("new.jsonl", JSON, TEXTS, ReadOptions(), "at", print, start.columns)
        options = WatchOptions(True, BATCH, False, 10, half_life_of(BATCH), True)
        lines = Lines(followed, followed.start)
        Watch(
            start.detector,
            lines,
            parser,
            reader,
            snapshots,
            lambda: False,
            options,
            print,
            start.new_topics,
            start.pending,
        ).run()
    return last_snapshot(tmp_path, kept)


def last_snapshot(tmp_path, kept):
    with closing(Snapshots(tmp_path / kept)) as snapshots:
        return snapshots.last(True)
