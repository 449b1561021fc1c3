"""Serve a saved model over HTTP, with a page to use it and to fit others: ``tonmf serve`` (docs/guide/service.md).

what runs    `serve` (sockets, signals), `protocol`, `app` (what is put together), `limits`
requests     `security` (who may ask), `bodies` (bytes to JSON), `batches` (JSON to documents)
answers      `scoring` (score, explain), `knowledge` (model, topics), `lines` (streams), `page`
the model    `model` (loaded, checked), `model_queue` (one thread that all calls go through)
jobs         `uploads`, `jobs` (what is kept on disk), `runner` (queue of processes), `worker` (one)
             `job_routes` (how they are asked for)
words        `errors` (from exceptions to answers), `metrics` (Prometheus), `schemas` (OpenAPI) and
             `dataclass_models` (the part of it that is made from dataclasses)
============ =====================================================================================
=======
============ =====================================================================================================
server       `server` (socket, signals), `protocol` (limits on heads), `app` (the parts put together), `limits`
requests     `security` (who may ask), `bodies` (bytes to JSON), `documents` (JSON to documents)
answers      `score_routes` (score, explain), `model_routes` (model, topics), `json_lines` (streams), `page_routes`
model        `model` (loaded, checked), `model_queue` (the one thread that calls it)
jobs         `job_routes`, `uploads`, `job_store` (on disk), `job_queue` (processes), `job_process` (one fit)
words        `errors` (exceptions to answers), `metrics` (Prometheus), `schemas` (OpenAPI), with models of dataclasses
             in `dataclass_models`
============ =====================================================================================================
"""
