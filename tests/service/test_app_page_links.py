"""Links to what a server has made, followed by people who have not signed in, or from another site, in a real browser."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from app_page import CORPUS_CSV, TOKEN, expect
from browser import watched_page
from serving import serving
from waiting import wait_until

BEARER = {"Authorization": f"Bearer {TOKEN}"}
PAGES = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture(scope="module")
def linked(saved, tmp_path_factory):
    """A server that requires a token, and the address of a report on it."""
    with serving(saved[1], tmp_path_factory.mktemp("linked"), TONMF_TOKEN=TOKEN) as server:
        with server.client(headers=BEARER) as client:
            job = client.post("/v1/jobs", params={"name": "posts.csv"}, content=CORPUS_CSV.encode()).json()
            wait_until(lambda: client.get(f"/v1/jobs/{job['id']}").json()["state"] == "done")
        yield server, f"{server.address}/v1/jobs/{job['id']}/report"


@pytest.fixture
def elsewhere(linked):
    """The address of another site, whose page has a link to the report."""

    class OtherSite(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(
                f'<!doctype html><link rel="icon" href="data:,"><a href="{linked[1]}#documents">Look</a>'.encode()
            )

        def log_message(self, *args):
            """Say nothing."""

    with ThreadingHTTPServer(("localhost", 0), OtherSite) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        yield f"http://localhost:{other.server_port}/"
        other.shutdown()


@pytest.fixture
def visitor(browser, linked):
    with watched_page(browser, (linked[0].address, "http://localhost", "blob:", "data:")) as page:
        yield page


def sign_in(page):
    page.get_by_label("Token", exact=True).fill(TOKEN)
    page.get_by_role("button", name="Sign in").click()


def report(page):
    return page.get_by_role("heading", level=1, name="posts.csv")


def test_a_link_to_a_report_asks_for_the_token_and_comes_back(visitor, linked):
    visitor.expected += [
        "status of 401"
    ] * 3  # for the page, for its question whether we are signed in, and for a wrong token
    visitor.goto(f"{linked[1]}#documents")
    expect(visitor.get_by_role("heading", name="This server requires a token")).to_be_visible()
    expect(visitor.get_by_label("Token", exact=True)).to_be_focused()
    visitor.get_by_label("Token", exact=True).fill("another token altogether")
    visitor.get_by_role("button", name="Sign in").click()
    expect(visitor.get_by_role("alert")).to_contain_text("This is not the server's token.")
    sign_in(visitor)
    expect(report(visitor)).to_be_visible()
    assert visitor.url == f"{linked[1]}#documents"


def test_a_link_on_another_site_leads_one_who_has_signed_in_to_the_report(visitor, linked, elsewhere):
    visitor.expected += ["status of 401"] * 3  # twice when we sign in, once because a link elsewhere brings no cookie
    visitor.goto(linked[1])
    sign_in(visitor)
    expect(report(visitor)).to_be_visible()
    visitor.goto(elsewhere)
    visitor.get_by_role("link", name="Look").click()
    expect(report(visitor)).to_be_visible()
    assert visitor.url == f"{linked[1]}#documents"


def test_a_link_on_another_site_asks_for_the_token_and_comes_back(visitor, linked, elsewhere):
    visitor.expected += ["status of 401"] * 2
    visitor.goto(elsewhere)
    visitor.get_by_role("link", name="Look").click()
    sign_in(visitor)
    expect(report(visitor)).to_be_visible()


def test_only_browsers_that_want_to_show_a_page_get_one(linked):
    server, address = linked
    path = address.removeprefix(server.address)
    answer = server.get(path, headers=PAGES)
    assert (answer.status_code, answer.headers["content-type"]) == (401, "text/html; charset=utf-8")
    assert answer.headers["www-authenticate"] == 'Bearer realm="tonmf"'
    assert "posts.csv" not in answer.text
    assert server.get("/v1/nowhere", headers=PAGES).text == answer.text, "it tells nothing of what there is"
    for asked in (
        server.get(path),
        server.get(path, headers={**PAGES, "Sec-Fetch-Dest": "empty"}),
        server.ask("DELETE", path, headers=PAGES),
    ):
        assert (asked.status_code, asked.headers["content-type"]) == (401, "application/json")


def test_a_browser_can_ask_whether_it_is_let_in(linked):
    server, _ = linked
    assert server.get("/v1/session").status_code == 401
    assert server.get("/v1/session", headers=BEARER).status_code == 204
