"""Documents in order of time: scores by the current model, and topics that emerge, fade or are new (docs/guide/timeline.md).

============== ==============================================================================
follow         `follow`: score, look for new topics, learn, batch by batch
trends         which topics emerge and which fade, window by window
nursery        `Nursery`: keeps strange documents, and finds new topics among them
strange_groups groups of strange documents that share words that burst
kept_words     numbers of the words that the nursery keeps
bursts         tests whether a word, or documents of a kind, come more often than before
results        `Timeline`, `Window`, `Alert`
saved          read and write a nursery
============== ==============================================================================
"""

from __future__ import annotations

from tonmf.timeline.follow import follow, note_on_first
from tonmf.timeline.nursery import NewTopic, Nursery
from tonmf.timeline.results import Alert, Timeline, Window

__all__ = ["Alert", "NewTopic", "Nursery", "Timeline", "Window", "follow", "note_on_first"]
