"""Where caches are."""

import sys
from pathlib import Path

from tonmf.storage.caches import cache_folder


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for name in ("TONMF_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for platform, place in {"linux": ".cache", "darwin": "Library/Caches", "win32": "AppData/Local"}.items():
        monkeypatch.setattr(sys, "platform", platform)
        assert cache_folder() == tmp_path / place / "tonmf"
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert cache_folder() == tmp_path / "caches" / "tonmf"
    monkeypatch.setenv("TONMF_CACHE", str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"
