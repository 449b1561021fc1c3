"""Serve the page with its scripts and styles, all from `tonmf.report.web`."""

from __future__ import annotations

import hashlib

from fastapi import APIRouter, Request, Response

from tonmf.report.web import assets
from tonmf.service.errors import ServiceError

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
<title>tonmf: documents that do not belong</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/page.css?v={page_css}">
</head>
<body>
<main id="app"><noscript>This page needs JavaScript. The API does not: GET /openapi.json says what there is.</noscript></main>
<script src="/assets/uplot.js?v={uplot_js}"></script>
<script src="/assets/app.js?v={app_js}"></script>
</body>
</html>
"""


def router() -> APIRouter:
    """Return the routes."""
    routes = APIRouter(include_in_schema=False)
    files = {
        "uplot.js": (assets.library().encode(), SCRIPT),
        "app.js": (assets.script("app").encode(), SCRIPT),
        "page.css": (assets.style("app").encode(), STYLE),
    }
    digests = {name: hashlib.sha256(content).hexdigest()[:16] for name, (content, _) in files.items()}
    page = PAGE.format(**{name.replace(".", "_"): digest for name, digest in digests.items()}).encode()

    @routes.get("/")
    async def show_page() -> Response:
        headers = {"Content-Security-Policy": POLICY, "Cache-Control": ASK_AGAIN}
        return Response(page, media_type="text/html; charset=utf-8", headers=headers)

    @routes.get("/assets/{name}")
    async def asset(request: Request, name: str) -> Response:
        if name not in files:
            raise ServiceError(404, "There is no such file.")
        content, kind = files[name]
        tag = f'"{digests[name]}"'
        kept = FOR_EVER if request.query_params.get("v") == digests[name] else ASK_AGAIN
        headers = {"ETag": tag, "Cache-Control": kept}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=kind, headers=headers)

    return routes
