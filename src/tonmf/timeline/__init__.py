"""Documents in order of time: each scored by the model of its moment, topics that come and go, and new ones."""

from __future__ import annotations

from tonmf.timeline.follow import follow, note_on_first
from tonmf.timeline.nursery import NewTopic, Nursery
from tonmf.timeline.results import Alert, Timeline, Window

__all__ = ["Alert", "NewTopic", "Nursery", "Timeline", "Window", "follow", "note_on_first"]
