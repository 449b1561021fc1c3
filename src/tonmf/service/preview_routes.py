"""``POST /v1/preview``: the columns and the first rows of a file, before a job reads all of it."""

from __future__ import annotations

import asyncio
import shutil

from fastapi import APIRouter, Request, Response

from tonmf.service import schemas
from tonmf.service.bodies import JSON, chunks
from tonmf.service.errors import encoded
from tonmf.service.job_store import JobStore
from tonmf.service.limits import Limits
from tonmf.service.preview import LARGEST, ask_for_rows
from tonmf.service.reading_query import HowToRead, Name
from tonmf.service.uploads import check_content, disk_error, display_name, reading_options, receive_file, stored_name

AT_ONCE = 2
"""Files to look at at a time."""


def router(store: JobStore, limits: Limits) -> APIRouter:
    """Return the route."""
    routes = APIRouter(tags=["jobs"])
    room = asyncio.Semaphore(AT_ONCE)

    @routes.post(
        "/v1/preview",
        summary="Look at a file",
        responses=schemas.answers(schemas.Preview, 408, 413, 507),
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
            }
        },
        response_class=Response,
    )
    async def preview(
        request: Request,
        name: Name,
        how_to_read: HowToRead,
    ) -> Response:
        """Show the columns of a file and its first rows. Of a long text file, whole lines from its beginning will do."""
        given = {**how_to_read, "encoding": "auto"}
        called = display_name(name)
        reading_options(given)
        try:
            look, folder = store.begin()
        except OSError as error:
            raise disk_error(error) from error
        try:
            file = stored_name(look, called, given["format"])
            body = chunks(request, min(LARGEST, limits.upload), limits.idle_seconds)
            await receive_file(body, folder / file)
            check_content(folder / file, called)
            async with room:
                found = await ask_for_rows(folder, {"file": file, "name": called, "options": given})
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        return Response(encoded(found), media_type=JSON)

    return routes
