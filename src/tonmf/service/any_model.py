"""Routes that every model has: the served one by their own address, and each by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from fastapi import APIRouter
from pydantic import BaseModel

from tonmf.service import schemas

F = TypeVar("F", bound=Callable[..., Any])


class Body(Protocol):
    """Describes the body of a request; by the name of a model, or to the served one."""

    def __call__(self, *, by_name: bool) -> dict[str, Any]:
        """Return the description."""


def no_body(*, by_name: bool) -> dict[str, Any]:
    """Describe a request without a body."""
    return schemas.NAMED if by_name else {}


def any_model(
    routes: APIRouter,
    method: str,
    path: str,
    summary: str,
    answer: type[BaseModel],
    *also: int,
    body: Body = no_body,
    lines: type[BaseModel] | None = None,
    **options: Any,
) -> Callable[[F], F]:
    """Return a decorator that answers ``/v1/PATH`` and ``/v1/models/NAME/PATH`` by one function.

    The function finds the name in ``request.path_params``; the served model is meant if it is not there. `also` are the error
    codes besides those of every route, and the 404 of a name that no model has.
    """

    def register(function: F) -> F:
        for by_name in (False, True):
            routes.add_api_route(
                f"/v1/models/{{name}}/{path}" if by_name else f"/v1/{path}",
                function,
                methods=[method],
                summary=f"{summary} (by name)" if by_name else summary,
                responses=schemas.answers(answer, *also, *([404] * by_name), lines=lines),
                openapi_extra=body(by_name=by_name),
                **options,
            )
        return function

    return register
