"""``GET /v1/watch``: the answers of a running ``tonmf watch`` as server-sent events."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.responses import StreamingResponse

from tonmf.service import schemas
from tonmf.service.errors import ServiceError
from tonmf.service.live import LiveFile

MOST_READERS = 50
"""Readers at a time."""

EVENTS = "text/event-stream"


def router(live: LiveFile | None) -> APIRouter:
    """Return the route; `live` is None if no watch is followed."""
    routes = APIRouter(tags=["watch"])

    @routes.get(
        "/v1/watch",
        summary="Follow a watch",
        responses={
            200: {"description": "Server-sent events.", "content": {EVENTS: {"schema": {"type": "string"}}}},
            **schemas.answers(None, 404, 503),
        },
        response_class=Response,
    )
    async def follow(request: Request) -> Response:
        """Send the last 200 answers of the watch that the server follows, then each new one: events `document` and `topic`."""
        if live is None:
            raise ServiceError(
                404, "The server follows no watch. Start it with --watch and the file that tonmf watch writes."
            )
        if live.readers >= MOST_READERS:
            raise ServiceError(
                503, "Too many readers follow the watch already. Try again later.", {"Retry-After": "60"}
            )
        events = live.events(request.headers.get("last-event-id", ""))
        return StreamingResponse(events, media_type=EVENTS, headers={"X-Accel-Buffering": "no"})

    return routes
