"""Plots of detectors, models and timelines, by matplotlib (``pip install 'tonmf[plot]'``).

========= =========================================================================
accessors ``detector.plot``: which plots a detector or a model has
charts    the charts themselves: scores, topics, words, map, curves
canvas    axes to draw on, which a notebook shows, and the report's colours for them
drawing   the style of all plots, and how they are written
timeline  the plot of a timeline
========= =========================================================================
"""

from tonmf.plots.drawing import check_plot, require_matplotlib, save_canvas
from tonmf.plots.timeline import plot_timeline, topics_to_show

__all__ = ["check_plot", "plot_timeline", "require_matplotlib", "save_canvas", "topics_to_show"]
