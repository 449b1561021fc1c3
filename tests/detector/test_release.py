"""Freed memory goes back to the system, where the C library can do that."""

import ctypes

import pytest

from tonmf.detector.disk import release


@pytest.fixture(autouse=True)
def look_again():
    release._trim.cache_clear()
    yield
    release._trim.cache_clear()


def test_memory_is_released_by_the_c_library_if_it_can(monkeypatch):
    called = []

    class Library:
        def malloc_trim(self, left):
            called.append(left)

    monkeypatch.setattr(ctypes, "CDLL", lambda name: Library())
    release.release_memory()
    assert called == [0]


def test_nothing_happens_without_such_a_library(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    release.release_memory()


def test_the_real_library_is_called_without_harm():
    release.release_memory()
