"""Find an archive, or download it, and read it.

First the folder that the environment variable ``TONMF_DATA`` names is searched, then the cache: the folder that ``TONMF_CACHE``
names, or else ``tonmf`` among the user's caches. Downloads go to the cache.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tonmf.datasets.registry import ARCHIVES, Archive, Content, content_digest
from tonmf.errors import InputError, MissingExtraError, Param, ParameterError
from tonmf.storage.caches import cache_folder
from tonmf.wording import one_line, path_shown

CHUNK = 2**16
"""Bytes to download at a time."""

Report = Callable[[float], object]
"""Called with the share of a download that is done, from 0 to 1."""


def read_archive(archive: Archive[Content]) -> Content:
    """Return the content of an archive; raise `InputError` unless it is the published one."""
    path = fetch_archive(archive)
    try:
        return _read_checked(archive, path)
    except _WrongContentError as error:
        advice = "Replace it by another copy."
        if archive.address:
            advice = f"Replace it by the file from {archive.address}, or delete it to have that downloaded."
        raise InputError(f"{path_shown(str(path))} should be {archive.what}, but {error}. {advice}") from error


def fetch_archive(archive: Archive[Any] | str, progress: Report | None = None) -> Path:
    """Return the path of a copy of an archive; download one if there is none (extra ``data``).

    Parameters
    ----------
    archive : Archive or str
        One of `ARCHIVES`, or the name of its file.
    progress : callable, optional
        Called with the share that is done, from 0 to 1, during a download.

    Returns
    -------
    path : Path
    """
    if isinstance(archive, str):
        if archive not in ARCHIVES:
            raise ParameterError(Param("archive"), f" must be one of {', '.join(ARCHIVES)}; got {archive!r}.")
        archive = ARCHIVES[archive]
    folder = os.environ.get("TONMF_DATA")
    if folder and os.path.isfile(Path(folder, archive.file)):
        return Path(folder, archive.file)
    target = cache_folder() / archive.file
    if not os.path.isfile(target):
        _download(archive, target, progress)
    return target


class _WrongContentError(Exception):
    """A file is not the archive that it should be; the message says what is wrong."""


def _read_checked(archive: Archive[Content], path: Path) -> Content:
    """Return the content of a copy; raise `_WrongContentError` unless it is the archive's."""
    try:
        content = archive.read(path)
    except Exception as error:  # whatever the parsers of tar, zip, JSON and MATLAB files raise on broken ones
        raise _WrongContentError(f"it cannot be read: {_in_words(error)}") from error
    found = content_digest(content)  # type: ignore[arg-type]
    # The published file is right by definition, should our digest ever not be.
    if found != archive.digest and (archive.sha256 is None or _sha256(path) != archive.sha256):
        raise _WrongContentError(f"its content differs: expected the digest {archive.digest}, got {found}")
    return content


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _download(archive: Archive[Any], target: Path, progress: Report | None) -> None:
    """Download to a folder of its own beside the target, check, and only then rename."""
    if archive.address is None:
        raise InputError(
            f"{archive.file} ({archive.what}) was not found, and it is not published anywhere. {_advice()}"
        )
    try:
        import pooch
    except ImportError as error:
        raise MissingExtraError(
            f"{archive.file} ({archive.what}) was not found, and downloading it needs pooch: pip install 'tonmf[data]'. "
            f"Or get it from {archive.address} yourself. {_advice()}"
        ) from error
    responses: list[Any] = []

    def keep_packed(response: Any, **_: Any) -> None:
        # Some servers call a .tar.gz file a compressed .tar file, and requests would unpack it.
        response.raw.headers.pop("Content-Encoding", None)
        responses.append(response)

    get = pooch.HTTPDownloader(
        progressbar=False if progress is None else _Bar(progress),
        chunk_size=CHUNK,
        headers={"Accept-Encoding": "identity"},
        hooks={"response": keep_packed},
    )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".download-", dir=target.parent) as folder:
            part = Path(folder, archive.file)
            get(archive.address, str(part), None)
            _check_download(archive, part)
            part.replace(target)
    except (OSError, ValueError, _WrongContentError) as error:  # errors of requests are OSErrors, a few ValueErrors
        raise InputError(
            f"{archive.file} ({archive.what}) was not found and could not be downloaded from {archive.address}: "
            f"{_in_words(error)}. Nothing was kept. {_advice()}"
        ) from error
    finally:
        for response in responses:
            response.close()


def _check_download(archive: Archive[Any], path: Path) -> None:
    if archive.sha256 is None:
        _read_checked(archive, path)
    elif (found := _sha256(path)) != archive.sha256:
        raise _WrongContentError(f"it is another file: expected the SHA-256 {archive.sha256}, got {found}")


class _Bar:
    """A progress bar for pooch that reports shares to a function."""

    def __init__(self, report: Report) -> None:
        self.total, self._done, self._report = 0, 0, report

    def update(self, n_bytes: int) -> None:
        self._done += n_bytes
        if self._done < self.total:  # a server may keep the total to itself
            self._report(self._done / self.total)

    def reset(self) -> None:
        self._done = 0

    def close(self) -> None:
        self._report(1.0)


def _advice() -> str:
    cache = path_shown(str(cache_folder()))
    return f"Put a copy of the file into the folder that TONMF_DATA names, or into {cache}."


def _in_words(error: Exception) -> str:
    """Return the reason of a failure in a few words."""
    if isinstance(error, OSError) and type(error).__module__.startswith("requests"):
        import requests

        response = getattr(error, "response", None)
        if isinstance(error, requests.HTTPError) and response is not None:
            return f"the server answers {response.status_code} {response.reason}"
        if isinstance(error, requests.Timeout):
            return "the server does not answer in time"
        if isinstance(error, requests.exceptions.ChunkedEncodingError):
            return "the connection broke off"
        if isinstance(error, requests.ConnectionError):
            return "there is no connection to the server"
    return one_line(getattr(error, "strerror", None) or str(error) or type(error).__name__)
