"""Updating a fitted detector (``partial_fit``)."""
