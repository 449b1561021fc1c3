"""Requests made up from the server's own description: no fault, and answers as described."""

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode, checks
from serving import serving

CHECKS = (
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
)

ROUTES = [
    ("GET", "/healthz"),
    ("GET", "/metrics"),
    ("GET", "/v1/model"),
    ("GET", "/v1/topics"),
    ("GET", "/v1/watch"),
    ("GET", "/v1/drift"),
    ("GET", "/v1/models/{name}/drift"),
    ("GET", "/v1/models"),
    ("PUT", "/v1/models/{name}"),
    ("DELETE", "/v1/models/{name}"),
    ("POST", "/v1/models/{name}/serve"),
    ("GET", "/v1/models/{name}/model"),
    ("GET", "/v1/models/{name}/topics"),
    ("POST", "/v1/models/{name}/score"),
    ("POST", "/v1/models/{name}/explain"),
    ("GET", "/v1/models/{name}/marks"),
    ("POST", "/v1/models/{name}/marks"),
    ("DELETE", "/v1/models/{name}/marks"),
    ("POST", "/v1/score"),
    ("POST", "/v1/explain"),
    ("GET", "/v1/marks"),
    ("POST", "/v1/marks"),
    ("DELETE", "/v1/marks"),
    ("GET", "/v1/session"),
    ("POST", "/v1/session"),
    ("DELETE", "/v1/session"),
    ("GET", "/v1/jobs"),
    ("POST", "/v1/jobs"),
    ("POST", "/v1/preview"),
    ("GET", "/v1/jobs/{job_id}"),
    ("DELETE", "/v1/jobs/{job_id}"),
    ("POST", "/v1/jobs/{job_id}/cancel"),
    ("GET", "/v1/jobs/{job_id}/report"),
    ("GET", "/v1/jobs/{job_id}/scores"),
    ("GET", "/v1/jobs/{job_id}/model"),
    ("GET", "/v1/jobs/{job_id}/summary"),
]

WITH_RULES = [
    ("GET", "/v1/topics"),
    ("GET", "/v1/drift"),
    ("POST", "/v1/score"),
    ("POST", "/v1/explain"),
    ("POST", "/v1/marks"),
    ("POST", "/v1/session"),
    ("POST", "/v1/jobs"),
]
"""Routes that can be asked wrongly."""


@schemathesis.serializer("application/x-ndjson")
def as_they_are(context, value):
    return value if isinstance(value, bytes) else str(value).encode()


@pytest.fixture(scope="module")
def lonely(saved, tmp_path_factory):
    """A server that keeps two jobs, so that made-up uploads do not start many."""
    options = ("--max-jobs", "2", "--max-text", "3000", "--max-batch", "50", "--max-body", "0.1", "--max-upload", "0.1")
    with serving(saved[1], tmp_path_factory.mktemp("described"), *options) as running:
        yield running
        assert "ERROR" not in running.log.read_text()


@pytest.fixture(scope="module")
def described(lonely):
    """Its description."""
    return schemathesis.openapi.from_url(f"{lonely.address}/openapi.json")


RESULTS = [route for route in ROUTES if route[0] == "GET" and "{job_id}" in route[1]]


@pytest.mark.parametrize(("method", "path"), RESULTS)
def test_results_of_a_job_are_answered_as_described(method, path, described, done):
    """Made-up ids are of no job."""
    described[path][method].Case(path_parameters={"job_id": done}).call_and_validate(checks=CHECKS)


@pytest.fixture(scope="module")
def done(lonely):
    """A job of the server, when it is done."""
    texts = "text\n" + "".join(f"cats and dogs and bird number {n}\n" for n in range(30))
    job = lonely.wait_for(lonely.upload(texts.encode()).json()["id"])
    assert job["state"] == "done"
    return job["id"]


STARTS_A_PROCESS = ("/v1/preview",)


def ask_made_up(operation, mode):
    n = 5 if operation.path in STARTS_A_PROCESS else 20

    @settings(max_examples=n, suppress_health_check=list(HealthCheck))
    @given(operation.as_strategy(generation_mode=mode))
    def ask(case):
        case.call_and_validate(checks=CHECKS)

    ask()


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_made_up_requests_are_answered_as_described(method, path, described):
    ask_made_up(described[path][method], GenerationMode.POSITIVE)


@pytest.mark.parametrize(("method", "path"), WITH_RULES)
def test_made_up_requests_that_break_the_rules_are_refused_as_described(method, path, described):
    ask_made_up(described[path][method], GenerationMode.NEGATIVE)


def test_the_description_has_examples_and_all_routes(server):
    answer = server.get("/openapi.json").json()
    routes = {(method.upper(), path) for path, methods in answer["paths"].items() for method in methods}
    assert routes == set(ROUTES)
    body = answer["paths"]["/v1/explain"]["post"]["requestBody"]["content"]
    example = body["application/json"]["examples"]["documents"]["value"]
    assert server.post("/v1/explain", json=example).status_code == 200
    lines = body["application/x-ndjson"]["example"]
    assert server.post("/v1/score", content=lines, headers={"Content-Type": "application/x-ndjson"}).status_code == 200
    for path, methods in answer["paths"].items():
        for method, route in methods.items():
            assert route["summary"], (path, method)
