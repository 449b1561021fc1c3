"""Who may ask the server, and what it tells browsers."""

import httpx
import numpy as np
import pytest
import scipy.sparse as sp
from serving import serving

from tonmf import TextOutlierDetector
from tonmf.errors import ParameterError
from tonmf.service.security import HEADERS, access_for

TOKEN = "correct horse battery staple"  # noqa: S105


@pytest.fixture(scope="module")
def guarded(saved, tmp_path_factory):
    """A server with a token, by the environment."""
    options = ("--allow-host", "tonmf.example.org")
    with serving(saved[1], tmp_path_factory.mktemp("guarded"), *options, TONMF_TOKEN=TOKEN) as running:
        yield running


ANSWERS = {
    "the page": ("GET", "/", {}, 200),
    "an asset": ("GET", "/assets/app.js", {}, 200),
    "health": ("GET", "/healthz", {}, 200),
    "metrics": ("GET", "/metrics", {}, 200),
    "the description": ("GET", "/openapi.json", {}, 200),
    "the model": ("GET", "/v1/model", {}, 200),
    "scores": ("POST", "/v1/score", {"json": {"documents": ["a"]}}, 200),
    "lines": ("POST", "/v1/score", {"content": '"a"', "headers": {"Content-Type": "application/x-ndjson"}}, 200),
    "nothing there": ("GET", "/nowhere", {}, 404),
    "another method": ("PUT", "/v1/score", {}, 405),
    "malformed": ("POST", "/v1/score", {"json": []}, 422),
    "invalid": ("GET", "/v1/topics?words=x", {}, 422),
    "another kind": ("POST", "/v1/score", {"content": "a", "headers": {"Content-Type": "text/plain"}}, 415),
    "another site": ("GET", "/v1/model", {"headers": {"Origin": "https://example.org"}}, 403),
    "another host": ("GET", "/", {"headers": {"Host": "example.org"}}, 403),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_every_answer_has_the_security_headers(case, server):
    method, path, options, status = ANSWERS[case]
    answer = server.ask(method, path, **options)
    assert answer.status_code == status
    for name, value in HEADERS.items():
        if name not in (b"content-security-policy", b"cache-control"):
            assert answer.headers[name.decode()] == value.decode()
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; ")
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert "server" not in answer.headers
    if path.startswith(("/v1", "/metrics")):
        assert answer.headers["cache-control"] == "no-store"


def test_the_page_loads_nothing_from_elsewhere_and_runs_nothing_inline(server):
    answer = server.get("/")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert answer.text.count("<script") == answer.text.count("<script src=")
    assert "<style" not in answer.text
    assert " style=" not in answer.text


def test_assets_are_kept_by_browsers_for_as_long_as_they_are_the_same(server):
    page = server.get("/").text
    addresses = [piece.split('"')[0] for piece in page.split('="')[1:] if piece.startswith("/assets/")]
    assert len(addresses) == 3
    for address in addresses:
        answer = server.get(address)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        assert server.get(address.split("?")[0]).headers["cache-control"] == "no-cache"
        again = server.get(address, headers={"If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_there_are_no_pages_that_load_scripts_from_elsewhere(server):
    assert server.get("/redoc").status_code == 404
    answer = server.get("/docs")
    assert answer.headers["content-security-policy"] == server.get("/").headers["content-security-policy"]
    assert "http" not in answer.text


PRIVATE = [
    ("GET", "/v1/model"),
    ("GET", "/v1/topics"),
    ("POST", "/v1/score"),
    ("POST", "/v1/explain"),
    ("GET", "/v1/jobs"),
    ("POST", "/v1/jobs"),
    ("GET", "/v1/jobs/0123456789abcdef/report"),
    ("DELETE", "/v1/jobs/0123456789abcdef"),
    ("GET", "/metrics"),
    ("GET", "/nowhere"),
]


@pytest.mark.parametrize(("method", "path"), PRIVATE)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Bearer"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Cookie": "tonmf_session=wrong"},
        {"Cookie": f"tonmf_session={TOKEN}"},
    ],
    ids=str,
)
def test_without_the_token_nothing_is_told(method, path, headers, guarded):
    answer = guarded.ask(method, path, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == 'Bearer realm="tonmf"'
    assert answer.json() == {"error": "Expected the server's token (Authorization: Bearer …), got none or another."}


@pytest.mark.parametrize("path", ["/", "/docs", "/healthz", "/assets/app.js", "/assets/page.css", "/openapi.json"])
def test_what_is_public_needs_no_token(path, guarded):
    assert guarded.get(path).status_code == 200


def test_the_token_lets_one_in(guarded):
    with guarded.client(headers={"Authorization": f"Bearer {TOKEN}"}) as client:
        assert client.get("/v1/model").json()["token"] is True
        assert client.post("/v1/score", json={"documents": ["a"]}).status_code == 200


def test_a_page_gets_a_cookie_for_the_token(guarded):
    with guarded.client() as client:
        assert client.post("/v1/session", json={"token": "wrong"}).status_code == 401
        assert not client.cookies
        answer = client.post("/v1/session", json={"token": TOKEN})
        assert answer.status_code == 204
        cookie = answer.headers["set-cookie"]
        assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
        assert TOKEN not in cookie
        assert client.get("/v1/model").status_code == 200
        assert client.delete("/v1/session").status_code == 204
        assert client.get("/v1/model").status_code == 401


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"token": 1}', b'{"token": null}', b"\xff", b'{"password": "x"}'])
def test_a_session_without_a_token_is_refused(body, guarded):
    assert guarded.post("/v1/session", content=body).status_code == 422


def test_a_stranger_cannot_make_the_server_read_much(guarded):
    assert guarded.post("/v1/session", content=(b" " * 1000 for _ in range(10))).status_code == 413


def test_a_cookie_for_a_page_behind_tls_is_never_sent_without(guarded):
    headers = {"Host": "tonmf.example.org", "Origin": "https://tonmf.example.org"}
    answer = guarded.post("/v1/session", json={"token": TOKEN}, headers=headers)
    assert "Secure" in answer.headers["set-cookie"].split("; ")


def test_a_session_without_a_token_to_check_is_nothing(server):
    answer = server.post("/v1/session", json={"token": "any"})
    assert (answer.status_code, "set-cookie" in answer.headers) == (204, False)


def test_the_token_is_in_no_log_and_no_answer(guarded):
    guarded.post("/v1/session", json={"token": TOKEN})
    shown = guarded.get("/v1/model", headers={"Authorization": f"Bearer {TOKEN}"}).text
    assert TOKEN not in shown + guarded.log.read_text()


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:{port}", 200),
        ("localhost", 200),
        ("LOCALHOST:1", 200),
        ("[::1]:{port}", 200),
        ("evil.example.org", 403),
        ("localhost.evil.example.org", 403),
        ("127.0.0.1.evil.example.org:{port}", 403),
        ("evil.example.org:127.0.0.1", 403),
        ("", 403),
    ],
)
def test_a_server_on_loopback_goes_by_no_other_name(host, status, server):
    answer = server.get("/v1/model", headers={"Host": host.format(port=server.port)})
    assert answer.status_code == status


def test_further_names_can_be_allowed(guarded):
    headers = {"Authorization": f"Bearer {TOKEN}", "Host": "Tonmf.Example.org"}
    assert guarded.get("/v1/model", headers=headers).status_code == 200
    assert guarded.get("/v1/model", headers={**headers, "Host": "evil.example.org"}).status_code == 403


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:{port}", 200),
        ("https://127.0.0.1:{port}", 200),
        ("http://127.0.0.1:1", 403),
        ("http://evil.example.org", 403),
        ("null", 403),
        ("", 403),
        ("garbage://[", 403),
    ],
)
def test_pages_of_other_sites_may_ask_nothing(origin, status, server):
    headers = {"Origin": origin.format(port=server.port)}
    assert server.post("/v1/score", json={"documents": ["a"]}, headers=headers).status_code == status
    assert server.get("/v1/model", headers=headers).status_code == status


def test_elsewhere_than_on_loopback_a_token_is_needed():
    for host in ("0.0.0.0", "::", "192.168.1.5", "example.org"):  # noqa: S104
        with pytest.raises(ParameterError, match="Give token"):
            access_for(host, None, ())
        assert access_for(host, TOKEN, ()).hosts is None
        assert "tonmf.example.org" in access_for(host, TOKEN, ["tonmf.example.org"]).hosts
    for host in ("127.0.0.1", "::1", "localhost", "127.0.0.2"):
        assert host in access_for(host, None, ()).hosts


@pytest.mark.parametrize("token", ["short", "", "x" * 15, "ein längeres Wort mit Ä", "with a\nline break in it"])
def test_a_token_that_can_be_guessed_or_not_be_sent_is_refused(token):
    with pytest.raises(ParameterError, match="at least 16 characters"):
        access_for("127.0.0.1", token, ())


def test_a_token_is_taken_from_http_as_it_is(guarded):
    """Headers are bytes; what is not ASCII is another token, not a fault."""
    headers = [(b"authorization", b"Bearer \xff\xfe"), (b"cookie", b"tonmf_session=\xe4")]
    with httpx.Client(base_url=guarded.address) as client:
        assert client.get("/v1/model", headers=headers).status_code == 401


def test_the_description_does_not_tell_the_vocabulary(tmp_path):
    counts = sp.csr_matrix(np.random.default_rng(0).poisson(1.0, (40, 6)))
    terms = [f"secret{number}" for number in range(6)]
    TextOutlierDetector(max_topics=4, n_restarts=1).fit(counts, terms=terms).save(tmp_path / "model")
    with serving(tmp_path / "model", tmp_path / "server") as running:
        assert "secret" not in running.get("/openapi.json").text
        answer = running.post("/v1/score", json={"documents": [{"counts": {"secret1": 3}}]})
        assert answer.status_code == 200


def test_health_can_be_asked_for_without_a_body(server):
    answer = server.ask("HEAD", "/healthz")
    assert (answer.status_code, answer.content) == (200, b"")
