"""Serve a saved model over HTTP, with a page to use it and to fit others: ``tonmf serve`` (docs/guide/service.md).

============ =====================================================================================================
server       `server` (socket, signals), `app` (the parts put together), `limits`
connections  `protocol` (how long each may take), `connections` (how many, and which are closed), `lingering` (closing)
requests     `security` (who may ask), `bodies` (bytes to JSON), `documents` (JSON to documents)
large ones   `parsing_thread` (away from others), `json_parts` (bounded steps), `json_outline` (the kernel that finds them)
answers      `score_routes` (score, explain), `model_routes` (model, topics), `json_lines` (streams), `page_routes`;
             `any_model` (the served one, and each by its name)
models       `models` (by name, on disk), `reloading` (follows their folders), `models_routes`
marks        `mark_routes`, `marks` (on a model, kept in a file), `job_marks` (on a job, and its results with them)
model        `model` (loaded, checked), `model_queue` (the one thread that calls it)
jobs         `job_routes`, `uploads`, `job_store` (on disk), `job_queue` (processes), `job_process` (one fit), `job_memory`
files        `reading_query` (how to read them), `preview`, `preview_routes` (their columns and first rows)
watch        `live`, `live_routes` (the answers of a running watch, as they come)
words        `errors` (exceptions to answers), `metrics` (Prometheus), `schemas` (OpenAPI), with models of dataclasses
             in `dataclass_models`, and `described` (of the kind of documents that is served)
============ =====================================================================================================
"""
