"""A model behind an address: a real server answers, late, wrongly, or not at all."""

from http.server import ThreadingHTTPServer

import numpy as np
import pytest
from embedders import HashEmbedder
from embedding_server import Handler, embedding_server

from tonmf import InputError, ParameterError
from tonmf.embed import endpoint, make_encoder

KEY = "sk-a-secret"
TEXTS = [f"text {number}" for number in range(10)]


@pytest.fixture
def host(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in endpoint.KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(endpoint, "FIRST_WAIT", 0.001)
    with embedding_server() as server:
        yield server


def refused(host, *first):
    host.first += first
    with pytest.raises(InputError) as told:
        make_encoder(host.name, cache=None).encode(TEXTS)
    assert str(told.value).startswith(f"The model 'hashes' at http://127.0.0.1:{host.server_port} ")
    assert KEY not in str(told.value)
    return str(told.value)


def test_rows_come_in_the_order_of_the_texts(host):
    encoder = make_encoder(host.name, cache=None, batch_size=4)
    np.testing.assert_allclose(encoder.encode(TEXTS), HashEmbedder(8).encode(TEXTS), atol=1e-7)
    assert [len(asked["input"]) for _, _, asked in host.requests] == [4, 4, 2]
    assert {(path, key, asked["model"]) for path, key, asked in host.requests} == {("/v1/embeddings", None, "hashes")}
    assert (encoder.name, encoder.named, encoder.n_truncated) == (host.name, True, 0)


def test_what_was_paid_for_once_is_kept(host, tmp_path):
    make_encoder(host.name, cache=tmp_path).encode(TEXTS)
    encoder = make_encoder(host.name, cache=tmp_path)
    encoder.encode(TEXTS)
    assert encoder.n_from_cache == 10


def test_the_key_is_sent_and_nowhere_written(host, tmp_path, monkeypatch):
    monkeypatch.setenv("TONMF_EMBED_KEY", KEY)
    make_encoder(host.name, cache=tmp_path).encode(TEXTS)
    assert {key for _, key, _ in host.requests} == {f"Bearer {KEY}"}
    assert not [path for path in tmp_path.rglob("*") if KEY.encode() in path.read_bytes()]


def test_the_key_of_openai_is_sent_to_nobody_else(host, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    make_encoder(host.name, cache=None).encode(TEXTS)
    assert {key for _, key, _ in host.requests} == {None}


@pytest.mark.parametrize(
    ("address", "is_sent"),
    [
        ("https://api.openai.com/v1#m", True),
        ("http://api.openai.com/v1#m", False),
        ("https://openai.com.evil.org/v1#m", False),
        ("https://myopenai.com/v1#m", False),
    ],
)
def test_who_is_openai(monkeypatch, address, is_sent):
    monkeypatch.delenv("TONMF_EMBED_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    sent = []

    def open_(request, timeout):
        sent.append(request.get_header("Authorization"))
        raise OSError("no connection")

    monkeypatch.setattr(endpoint, "build_opener", lambda *_: type("Opener", (), {"open": staticmethod(open_)}))
    with pytest.raises(InputError, match="cannot be reached: no connection"):
        make_encoder(address, cache=None).encode(TEXTS)
    assert sent == [f"Bearer {KEY}" if is_sent else None]


def test_a_busy_server_is_asked_again(host):
    host.first += [(status, {}, b"busy") for status in (429, 500, 502, 503, 504)]
    assert make_encoder(host.name, cache=None).encode(TEXTS).shape == (10, 8)
    assert len(host.requests) == 6


def test_the_wait_that_a_server_asks_for_is_kept(host, monkeypatch):
    waits = []
    monkeypatch.setattr(endpoint.time, "sleep", waits.append)
    host.first += [
        (429, {"Retry-After": "7"}, b""),
        (503, {"Retry-After": "soon"}, b""),
        (429, {"Retry-After": "9999"}, b""),
    ]
    make_encoder(host.name, cache=None).encode(TEXTS)
    assert waits == [7, 0.002, 60]


def test_a_connection_that_breaks_is_made_again_if_it_ever_was(host):
    encoder = make_encoder(host.name, cache=None)
    encoder.encode(TEXTS)
    host.first += [(None, {}, b""), (200, {"Content-Length": "100"}, b"{")]
    assert encoder.encode(TEXTS).shape == (10, 8)
    assert "cannot be reached: Remote end closed connection" in refused(host, (None, {}, b""))


def test_a_server_that_stays_busy_is_given_up(host):
    said = refused(host, *[(429, {}, {"error": {"message": "Rate limit reached"}})] * 6)
    assert said.endswith("answers 429: Rate limit reached.")
    assert len(host.requests) == 6


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((401, {}, b"no"), "wants a key: set TONMF_EMBED_KEY (401)."),
        ((404, {}, b""), "answers 404: check the address, which often ends in /v1, and the model after #."),
        ((302, {"Location": "/elsewhere"}, b""), "answers 302: Found."),
        ((400, {}, {"error": "no such option"}), "answers 400: no such option."),
        ((200, {}, b"<html>"), "answers, but not with JSON that has an embedding in each entry of its data."),
        ((200, {}, {"data": [1]}), "answers, but not with JSON that has an embedding in each entry of its data."),
        ((200, {}, []), "answers, but not with JSON that has an embedding in each entry of its data."),
        ((200, {}, {"data": [{"embedding": [1]}]}), "returned 1 embedding for 10 texts, not one for each."),
        ((200, {}, {"data": [{"index": 0, "embedding": [1]}] * 10}), "returned 10 embeddings for 10 texts, not one for each."),
        ((200, {}, {"data": [{"embedding": ["a"]}] * 10}), "real numbers; it returned values of type <U1."),
    ],
)  # fmt: skip
def test_an_answer_that_is_none_is_refused(host, answer, message):
    assert refused(host, answer).endswith(message)
    assert len(host.requests) == 1


def test_a_key_that_is_refused_is_not_shown(host, monkeypatch):
    monkeypatch.setenv("TONMF_EMBED_KEY", KEY)
    assert refused(host, (401, {}, KEY.encode())).endswith("refuses the key in TONMF_EMBED_KEY (401).")
    assert "wrong key ***" in refused(host, (418, {}, {"error": {"message": f"wrong key {KEY}"}}))
    monkeypatch.setenv("TONMF_EMBED_KEY", f"{KEY}\n")
    assert "the address or the key holds characters that cannot be sent" in refused(host)


def test_texts_that_are_too_long_are_cut_and_counted(host):
    host.longest = 3_000
    texts = ["x" * 1_000, "long " * 2_000, "y" * 2_500, "short"]
    encoder = make_encoder(host.name, cache=None)
    E = encoder.encode(texts)
    expected = HashEmbedder(8).encode([texts[0], texts[1][:2_500], texts[2], texts[3]])
    np.testing.assert_allclose(E, expected, atol=1e-7)
    assert encoder.n_truncated == 1


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("https://host/v1", r"must name the model after the address, such as https://host/v1#model"),
        ("https:///v1#m", "must be an address such as https://host/v1#model; got 'https:///v1#m'"),
        ("http://host:port/v1#m", "must be an address"),
        (f"https://me:{KEY}@host/v1#m", "must not hold a password: put the key into .* TONMF_EMBED_KEY"),
    ],
)
def test_addresses_that_make_no_sense_are_refused(address, message):
    with pytest.raises(ParameterError, match=message) as told:
        make_encoder(address)
    assert KEY not in str(told.value)


def test_a_server_that_is_not_there_is_told_of_at_once(host):
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as closed:
        port = closed.server_port
    with pytest.raises(InputError, match="cannot be reached: Connection refused"):
        make_encoder(f"http://127.0.0.1:{port}/v1#m", cache=None).encode(TEXTS)


def test_a_server_that_says_nothing_is_given_up(host, monkeypatch):
    monkeypatch.setattr(endpoint, "TIME_LIMIT", 0.05)
    silence = pytest.raises(InputError, match=r"cannot be reached: it does not answer within 0\.05 seconds")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as silent, silence:  # accepts, and is never served
        make_encoder(f"http://127.0.0.1:{silent.server_port}/v1#m", cache=None).encode(TEXTS)
