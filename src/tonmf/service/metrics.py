"""Metrics for Prometheus, in a registry of their own for each app."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

METHODS = ("GET", "POST", "DELETE")
"""Methods that are counted by name; all others share one label, so that no client can invent labels."""

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """Counters and gauges."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("route", "method", "status")
        self._requests = Counter("tonmf_requests", "Requests that were answered.", labels, registry=self.registry)
        self._seconds = Histogram(
            "tonmf_request_seconds",
            "Time from a request's head to the end of its answer.",
            ("route",),
            registry=self.registry,
            buckets=SECONDS,
        )
        self._documents = Counter("tonmf_documents", "Documents scored or explained.", registry=self.registry)
        self._flagged = Counter("tonmf_documents_flagged", "Those of them above the threshold.", registry=self.registry)
        self._model = Counter("tonmf_model_seconds", "Time that the model was at work.", registry=self.registry)
        self._calls = Counter(
            "tonmf_model_calls", "Calls of the model; several requests may share one.", registry=self.registry
        )

    def count_request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answered request; `route` is the template of its address."""
        self._requests.labels(route, method if method in METHODS else "other", str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def count_documents(self, n_docs: int, n_flagged: int) -> None:
        """Count documents that were scored or explained."""
        self._documents.inc(n_docs)
        self._flagged.inc(n_flagged)

    def count_call(self, seconds: float, n_docs: int) -> None:
        """Count a call of the model."""
        self._model.inc(seconds)
        self._calls.inc()

    def watch(self, name: str, what: str, value: Callable[[], float]) -> None:
        """Register a gauge that is read on request."""
        Gauge(name, what, registry=self.registry).set_function(value)

    def watch_all(self, name: str, what: str, label: str, values: Mapping[str, Callable[[], float]]) -> None:
        """Register several gauges that differ in one label."""
        gauge = Gauge(name, what, (label,), registry=self.registry)
        for called, value in values.items():
            gauge.labels(called).set_function(value)

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        written: bytes = generate_latest(self.registry)
        return written
