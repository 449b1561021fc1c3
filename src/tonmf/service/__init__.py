"""A saved model over HTTP, and a page to use it and to fit others: ``tonmf serve``, docs/service.md.

============ =====================================================================================
what runs    `serve` (sockets, signals), `protocol`, `app` (what is put together), `limits`
requests     `security` (who may ask), `bodies` (bytes to JSON), `batches` (JSON to documents)
answers      `scoring` (score, explain), `knowledge` (model, topics), `lines` (streams), `page`
the model    `model` (loaded, checked), `model_queue` (one thread that all calls go through)
jobs         `uploads`, `jobs` (what is kept on disk), `runner` (queue of processes), `worker` (one)
             `job_routes` (how they are asked for)
words        `errors` (from exceptions to answers), `metrics` (Prometheus), `schemas` (OpenAPI) and
             `dataclass_models` (the part of it that is made from dataclasses)
============ =====================================================================================
"""
