"""Serve the pages with their scripts and styles, all from `tonmf.report.web`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from fastapi import APIRouter, Request, Response

from tonmf.report.web import assets
from tonmf.service.errors import ServiceError
from tonmf.service.security import unauthorised

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

SCRIPT, STYLE = "text/javascript; charset=utf-8", "text/css; charset=utf-8"

FOR_EVER, ASK_AGAIN = "public, max-age=31536000, immutable", "no-cache"
"""How long browsers may cache a file: for ever if its address holds its digest."""

PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{style}">
</head>
<body>
<main id="app"><noscript>This page needs JavaScript. The API does not: GET /openapi.json says what there is.</noscript></main>
{scripts}
</body>
</html>
"""


@dataclass(frozen=True)
class Page:
    """One of the pages: its address, its title, and the scripts that it loads."""

    address: str
    title: str
    scripts: tuple[str, ...]


MAIN = Page("/", "tonmf: documents that do not belong", ("uplot.js", "app.js"))
DOCS = Page("/docs", "tonmf: the API", ("docs.js",))
SIGN_IN = Page("", "tonmf: sign in", ("sign_in.js",))
"""Shown at the address of any page that needs the token."""


@cache
def files() -> dict[str, tuple[bytes, str]]:
    """Return scripts and styles by name, each with its content type."""
    scripts = {
        "uplot.js": assets.library(),
        "app.js": assets.script("app"),
        "sign_in.js": assets.script("app", "sign_in_page"),
        "docs.js": assets.script("app", "docs_page"),
    }
    styles = {"page.css": assets.style("app")}
    return {
        **{name: (text.encode(), SCRIPT) for name, text in scripts.items()},
        **{name: (text.encode(), STYLE) for name, text in styles.items()},
    }


@cache
def digests() -> dict[str, str]:
    """Return the digest of each of the files."""
    return {name: hashlib.sha256(content).hexdigest()[:16] for name, (content, _) in files().items()}


def shown(page: Page, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a page."""

    def address(name: str) -> str:
        return f"/assets/{name}?v={digests()[name]}"

    scripts = "\n".join(f'<script src="{address(name)}"></script>' for name in page.scripts)
    content = PAGE.format(title=page.title, style=address("page.css"), scripts=scripts)
    given = {"Content-Security-Policy": POLICY, "Cache-Control": ASK_AGAIN, **(headers or {})}
    return Response(content, status, given, "text/html; charset=utf-8")


def router() -> APIRouter:
    """Return the routes."""
    routes = APIRouter(include_in_schema=False)

    @routes.get(MAIN.address)
    async def show_page() -> Response:
        return shown(MAIN)

    @routes.get(DOCS.address)
    async def show_docs() -> Response:
        return shown(DOCS)

    @routes.get("/assets/{name}")
    async def asset(request: Request, name: str) -> Response:
        if name not in files():
            raise ServiceError(404, "There is no such file.")
        content, kind = files()[name]
        digest = digests()[name]
        tag, kept = f'"{digest}"', FOR_EVER if request.query_params.get("v") == digest else ASK_AGAIN
        headers = {"ETag": tag, "Cache-Control": kept}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=kind, headers=headers)

    return routes


def sign_in() -> Response:
    """Return the page that asks for the token, in place of the page that a browser wanted."""
    return shown(SIGN_IN, 401, {**unauthorised().headers, "Cache-Control": "no-store", "Vary": "Accept"})
