"""Where archives come from: a folder, the cache, or a server, here one of our own."""

import gzip
import hashlib
import re
import shutil
import sys
import threading
import zipfile
from collections import Counter
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from tonmf import InputError, MissingExtraError, ParameterError
from tonmf.datasets import ARCHIVES, fetch_archive
from tonmf.datasets.archives import Document, read_bbc
from tonmf.datasets.fetching import read_archive
from tonmf.datasets.registry import Archive, content_digest

TEXTS = {f"bbc/tech/{number:03d}.txt": f"Text {number}. " * 20_000 for number in range(3)}


def pack(path, texts=TEXTS, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, text in texts.items():
            file.writestr(zipfile.ZipInfo(name), text, compression)
    return path.read_bytes()


@pytest.fixture
def published(tmp_path):
    return pack(tmp_path / "published.zip")


class Server(ThreadingHTTPServer):
    """Answers with the bytes that it was given for a path, counts requests, and cuts answers short if told to."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.headers, self.requests, self.cut = {}, {}, Counter(), 0
        self.address = f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests[self.path] += 1
        if self.path not in self.server.files:
            return self.send_error(404)
        content = self.server.files[self.path]
        headers = {"Content-Length": str(len(content)), **self.server.headers}
        self.send_response(200)
        for name, value in headers.items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        return self.wfile.write(content[: len(content) - self.server.cut])

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache that is not there yet, and no folder with data."""
    monkeypatch.delenv("TONMF_DATA", raising=False)
    monkeypatch.setenv("TONMF_CACHE", str(tmp_path / "below" / "cache"))
    return tmp_path / "below" / "cache"


@pytest.fixture
def archive(server, published, tmp_path):
    """A small archive, on the server."""
    server.files["/news.zip"] = published
    digest = content_digest(read_bbc(tmp_path / "published.zip"))
    sha256 = hashlib.sha256(published).hexdigest()
    return Archive("news.zip", "some news", digest, read_bbc, f"{server.address}/news.zip", sha256)


def refused(archive):
    """The message with which an archive is refused."""
    with pytest.raises(InputError) as caught:
        read_archive(archive)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def left_in(cache):
    return [path.name for path in cache.rglob("*")]


def test_a_download_is_kept_and_not_asked_for_again(server, archive, cache, published):
    assert [document.id for document in read_archive(archive)] == sorted(TEXTS)
    assert left_in(cache) == ["news.zip"]
    assert (cache / "news.zip").read_bytes() == published
    read_archive(archive)
    assert server.requests == {"/news.zip": 1}


def test_a_download_says_nothing_but_to_those_who_ask(server, archive, cache, capfd, caplog):
    shares = []
    assert fetch_archive(archive, progress=shares.append) == cache / "news.zip"
    assert shares == sorted(set(shares))
    assert len(shares) > 3
    assert 0 < shares[0] < 0.5
    assert shares[-1] == 1
    fetch_archive(archive, progress=shares.append)
    assert shares[-1] == 1
    assert capfd.readouterr() == ("", "")
    assert not [record for record in caplog.records if record.name.startswith(("pooch", "tonmf"))]


def test_a_server_need_not_tell_the_size(server, archive, cache):
    server.headers = {"Content-Length": None}
    shares = []
    fetch_archive(archive, progress=shares.append)
    assert shares == [1]
    assert len(read_archive(archive)) == 3


def test_the_folder_comes_first_then_the_cache_then_the_server(
    server, archive, cache, published, tmp_path, monkeypatch
):
    data = tmp_path / "data"
    monkeypatch.setenv("TONMF_DATA", str(data))
    assert fetch_archive(archive) == cache / "news.zip"
    data.mkdir()
    assert fetch_archive(archive) == cache / "news.zip"
    (data / "news.zip").write_bytes(published)
    assert fetch_archive(archive) == data / "news.zip"
    assert server.requests == {"/news.zip": 1}


def test_copies_need_neither_pooch_nor_an_address(archive, cache, published, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    cache.mkdir(parents=True)
    (cache / "news.zip").write_bytes(published)
    assert len(read_archive(replace(archive, address=None))) == 3


def test_a_copy_may_be_packed_anew_but_not_say_something_else(archive, cache):
    cache.mkdir(parents=True)
    assert pack(cache / "news.zip", compression=zipfile.ZIP_DEFLATED) != pack(cache / "other.zip")
    assert len(read_archive(archive)) == 3
    pack(cache / "news.zip", {**TEXTS, "bbc/tech/001.txt": "Text 2."})
    message = refused(archive)
    assert f"{cache / 'news.zip'} should be some news, but its content differs: " in message
    assert f"expected the digest {archive.digest}, got " in message
    assert message.endswith(f". Replace it by the file from {archive.address}, or delete it to have that downloaded.")
    assert refused(replace(archive, address=None)).endswith(". Replace it by another copy.")


def test_the_published_bytes_are_right_whatever_our_digest_says(archive, cache):
    assert len(read_archive(replace(archive, digest="another"))) == 3
    assert "its content differs" in refused(replace(archive, digest="another", sha256=None))


def test_wrong_bytes_leave_nothing_behind(server, archive, cache, tmp_path):
    server.files["/news.zip"] = pack(tmp_path / "wrong.zip", {"bbc/tech/001.txt": "Wrong."})
    message = refused(archive)
    assert f"expected the SHA-256 {archive.sha256}, got " in message
    assert "Nothing was kept." in message
    assert left_in(cache) == []


def test_wrong_content_leaves_nothing_behind_where_no_checksum_is_known(server, archive, cache, tmp_path):
    server.files["/news.zip"] = pack(tmp_path / "wrong.zip", {"bbc/tech/001.txt": "Wrong."})
    assert f"expected the digest {archive.digest}, got " in refused(replace(archive, sha256=None))
    server.files["/news.zip"] = b"<html>Log in first.</html>"
    assert "it cannot be read: File is not a zip file" in refused(replace(archive, sha256=None))
    assert left_in(cache) == []


def test_a_wrong_download_can_be_tried_again(server, archive, cache, published):
    server.files["/news.zip"] = published[:-1]
    refused(archive)
    server.files["/news.zip"] = published
    assert len(read_archive(archive)) == 3


@pytest.mark.parametrize("known", [True, False])
def test_half_an_answer_leaves_nothing_behind(server, archive, cache, published, known):
    server.cut = len(published) // 2
    message = refused(archive if known else replace(archive, sha256=None))
    assert f"could not be downloaded from {archive.address}: the connection broke off." in message
    assert left_in(cache) == []


def test_half_an_answer_of_unknown_size_leaves_nothing_behind(server, archive, cache, published):
    server.cut, server.headers = len(published) // 2, {"Content-Length": None}
    assert "expected the SHA-256" in refused(archive)
    assert "it cannot be read" in refused(replace(archive, sha256=None))
    assert left_in(cache) == []


def test_a_page_that_is_gone(server, archive, cache):
    server.files.clear()
    message = refused(archive)
    assert message == (
        f"news.zip (some news) was not found and could not be downloaded from {archive.address}: the server answers 404 "
        f"Not Found. Nothing was kept. Put a copy of the file into the folder that TONMF_DATA names, or into {cache}."
    )


def test_a_server_that_is_gone(archive, cache):
    message = refused(replace(archive, address="http://127.0.0.1:9/news.zip"))
    assert "from http://127.0.0.1:9/news.zip: there is no connection to the server. Nothing was kept." in message
    assert f"TONMF_DATA names, or into {cache}." in message
    assert left_in(cache) == []


def test_a_cache_that_cannot_be_written(archive, tmp_path, monkeypatch):
    monkeypatch.delenv("TONMF_DATA", raising=False)
    (tmp_path / "file").touch()
    monkeypatch.setenv("TONMF_CACHE", str(tmp_path / "file" / "cache"))
    assert f"from {archive.address}: Not a directory." in refused(archive)
    monkeypatch.setenv("TONMF_CACHE", str(tmp_path / "file"))
    assert f"from {archive.address}: File exists." in refused(archive)


def test_a_server_that_calls_the_archive_a_compressed_file_does_not_get_it_unpacked(server, archive, cache):
    """Some send .tar.gz files with such a header, and requests then unpacks them on the way."""
    packed = gzip.compress(b"content")
    server.files["/news.zip"], server.headers = packed, {"Content-Encoding": "x-gzip"}
    path = fetch_archive(replace(archive, sha256=hashlib.sha256(packed).hexdigest()))
    assert path.read_bytes() == packed


def test_an_archive_without_an_address(archive, cache):
    message = refused(replace(archive, address=None))
    assert message.startswith(
        "news.zip (some news) was not found, and it is not published anywhere. Put a copy of the file"
    )


def test_downloads_need_pooch(archive, cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'tonmf[data]'")) as caught:
        read_archive(archive)
    assert f"Or get it from {archive.address} yourself. Put a copy of the file" in str(caught.value)


@pytest.mark.parametrize("name", ARCHIVES)
def test_truncated_copies_are_refused(data_folder, tmp_path, monkeypatch, name):
    content = (data_folder / name).read_bytes()
    (tmp_path / name).write_bytes(content[: len(content) // 2])
    monkeypatch.setenv("TONMF_DATA", str(tmp_path))
    assert f"{tmp_path / name} should be {ARCHIVES[name].what}" in refused(ARCHIVES[name])


def test_a_loader_downloads_what_it_needs(data_folder, server, cache, monkeypatch):
    from tonmf.datasets import load_reuters, loaders

    name = "Reuters21578.mat"
    server.files[f"/{name}"] = (data_folder / name).read_bytes()
    here = replace(loaders.REUTERS_MATRIX, address=f"{server.address}/{name}")
    monkeypatch.setattr(loaders, "REUTERS_MATRIX", here)
    assert load_reuters("matrix").X.shape == (5_868, 18_933)
    shutil.rmtree(cache)
    assert load_reuters("matrix").labels.sum() == 100
    assert server.requests == {f"/{name}": 2}


def test_users_without_a_home_are_told_what_to_set(archive, monkeypatch):
    def home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", home)
    for name in ("TONMF_DATA", "TONMF_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    assert "set TONMF_CACHE to a folder" in refused(archive)


def test_digests_tell_contents_apart_and_nothing_else():
    texts = [Document("1", "a", "bc"), Document("2", "d", "")]
    assert content_digest(texts) == content_digest(list(texts))
    others = [[Document("1", "ab", "c"), texts[1]], texts[::-1], texts[:1], [texts[0], Document("2", "d", "\ud800")]]
    assert len({content_digest(other) for other in [texts, *others]}) == 5

    rows, classes = sp.csr_matrix([[0, 1.0, 2], [3, 0, 0]]), np.array([1, 2])
    unsorted = sp.csr_matrix((np.array([2.0, 1, 3]), np.array([2, 1, 0]), np.array([0, 2, 3])), shape=(2, 3))
    wider = sp.csr_matrix((rows.data, rows.indices, rows.indptr), shape=(2, 4))
    assert content_digest((rows, classes)) == content_digest((unsorted, classes.astype(np.int32)))
    assert content_digest((rows, classes)) != content_digest((wider, classes))
    assert content_digest((rows, classes)) != content_digest((rows, classes[::-1]))
    assert content_digest((rows, classes)) != content_digest((2 * rows, classes))


def test_an_archive_goes_by_the_name_of_its_file(data_folder):
    assert fetch_archive("bbc-fulltext.zip") == data_folder / "bbc-fulltext.zip"
    with pytest.raises(ParameterError, match=r"must be one of 20news-bydate.tar.gz, .*; got 'bbc.zip'"):
        fetch_archive("bbc.zip")
