"""Run one job in its own process: ``python -m tonmf.service.job_process FOLDER``.

A process can be stopped at any time, a thread cannot, and its work does not slow down the server. It reads the upload, fits,
and leaves its results in the folder; ``result.json`` comes last. It reports progress on standard output, one JSON object a
line: ``{"step": …, "progress": …}``, and finally ``{"error": …}``, ``{"fault": …}`` or ``{"result": …}``. The first line of
standard input is the job's description. When standard input closes, the server is gone and the process exits."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import traceback
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from tonmf.service import job_store
from tonmf.service.job_memory import is_for_want_of_memory, limit_memory

if TYPE_CHECKING:
    from tonmf.io import Documents
    from tonmf.ranking import Ranking

PARTS = {"Reading": 0.05, "Learning": 0.55, "Writing scores": 0.75, "Writing the report": 1.0}
"""The steps of a fit, with the share of the whole job that is done after each."""

PARTS_OF_SCORING = {"Reading": 0.1, "Scoring": 0.3, "Writing scores": 0.6, "Writing the report": 1.0}
"""The same for a job that scores a file by a model."""


class Report:
    """Reports progress to the server."""

    def __init__(self, out: TextIO, parts: Mapping[str, float] = PARTS) -> None:
        self._out, self._parts, self._last = out, parts, ("", -1.0)

    def send(self, **what: Any) -> None:
        """Write one line."""
        self._out.write(json.dumps(what) + "\n")
        self._out.flush()

    def step(self, name: str) -> Callable[[float], None]:
        """Begin a step; return a function that takes the share of it that is done."""
        names, parts = list(self._parts), self._parts
        start = parts[names[names.index(name) - 1]] if name != names[0] else 0.0

        def done(share: float) -> None:
            now = (name, round(start + (parts[name] - start) * share, 3))
            if now != self._last:
                self._last = now
                self.send(step=now[0], progress=now[1])

        done(0.0)
        return done


def work(folder: Path, job: dict[str, Any], report: Report) -> dict[str, Any]:
    """Do the job; return what to report about it."""
    report.step("Reading")
    from tonmf.io import read_documents, write_table
    from tonmf.report import summarise, write_html, write_summary
    from tonmf.service.errors import in_fields
    from tonmf.service.uploads import reading_options, without_paths
    from tonmf.storage.atomic import replacing

    upload, name = folder / job["file"], job["name"]
    documents = read_documents([str(upload)], reading_options(job["options"]))
    ids = [_called(document_id, upload.name, name) for document_id in documents.ids]
    notes = [without_paths(in_fields(note), upload, name) for note in documents.notes]
    ranking = (_fitted if job.get("model") is None else _scored)(folder, job, documents, ids, report)
    write_table(folder / job_store.SCORES, ranking.columns(on_done=report.step("Writing scores")))
    notes += [*ranking.observations, *ranking.unjudged_notes, *ranking.on_drift]
    summary = summarise(
        ranking, title=name, notes=notes, labels=documents.labels, on_done=report.step("Writing the report")
    )
    write_summary(folder / job_store.SUMMARY, summary)
    write_html(folder / job_store.REPORT, summary)
    result = {"documents": len(ids), "flagged": int(ranking.outliers.sum()), "notes": notes}
    with replacing(folder / job_store.RESULT) as temporary:
        temporary.write_text(json.dumps(result), encoding="utf-8")
    return result


def _fitted(folder: Path, job: dict[str, Any], documents: Documents, ids: list[str], report: Report) -> Ranking:
    """Fit a model on the documents, save it, and rank them by it."""
    from tonmf.detector.detector import TextOutlierDetector
    from tonmf.ranking import Ranking
    from tonmf.service.uploads import embedder_of, learning_options
    from tonmf.storage.atomic import replacing

    detector = TextOutlierDetector(
        **learning_options(job["options"]),
        embedder=embedder_of(job["options"], job.get("embedder")),
        n_jobs=job["threads"],
        callback=report.step("Learning"),
    ).fit(documents.content, names=ids, terms=documents.terms)
    detector.callback = None
    detector.save(folder / job_store.MODEL)
    with replacing(folder / job_store.MODEL_ARCHIVE) as temporary:
        pack(folder / job_store.MODEL, temporary)
    detector.save(folder / job_store.MODEL, rows=True)  # for marks, by the server itself
    return Ranking.of(detector, documents.content, ids, detector.outlier_scores_)


def _scored(folder: Path, job: dict[str, Any], documents: Documents, ids: list[str], report: Report) -> Ranking:
    """Rank the documents by a model of the server, as it was when the job came."""
    from tonmf.persist import load_fitted
    from tonmf.ranking import Ranking, check_terms

    detector = load_fitted(folder / job_store.SCORER)
    detector.n_jobs = job["threads"]
    check_terms(detector, documents.terms)
    return Ranking.by(detector, documents.content, ids, report.step("Scoring"))


def _called(document_id: str, stored: str, name: str) -> str:
    """Make the id of a document without one begin with the uploaded file's name."""
    return name + document_id.removeprefix(stored) if document_id.startswith(stored) else document_id


def pack(folder: Path, archive: Path) -> None:
    """Pack a saved model into a zip file."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for file in sorted(folder.iterdir()):
            packed.write(file, f"{folder.name}/{file.name}")


def main(arguments: list[str]) -> int:
    """Do the job that standard input describes, in the folder that the arguments name."""
    out = _own_output()
    job = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_server, daemon=True).start()
    _step_back(job["memory"])
    warnings.simplefilter("ignore")
    folder = Path(arguments[0])
    report = Report(out, PARTS if job.get("model") is None else PARTS_OF_SCORING)
    try:
        if job.get("preview"):
            from tonmf.service.preview import first_rows

            report.send(preview=first_rows(folder / job["file"], job["options"], job["name"]))
        else:
            report.send(result=work(folder, job, report))
    except Exception as error:
        report.send(**_failure_of(error, folder, job))
    return 0


def _failure_of(error: Exception, folder: Path, job: dict[str, Any]) -> dict[str, str]:
    """Return what to say of a failed job: an error for its owner, or a fault for the log."""
    from tonmf.errors import TonmfError
    from tonmf.service.errors import in_fields
    from tonmf.service.uploads import without_paths

    if is_for_want_of_memory(error):
        most = f" of {job['memory'] / 2**20:,.0f} megabytes" if job["memory"] else ""
        return {
            "error": f"The job reached its limit of memory{most}. Upload fewer or shorter documents, or start the server with "
            "a higher --job-memory."
        }
    if isinstance(error, TonmfError):
        return {"error": without_paths(in_fields(error.message), folder / job["file"], job["name"])}
    if isinstance(error, OSError):
        return {"error": f"The server's disk or system failed: {error.strerror or 'no reason given'}."}
    return {"fault": f"{type(error).__name__} at\n{''.join(traceback.format_tb(error.__traceback__))}"}


def _own_output() -> TextIO:
    """Keep standard output for our reports; send other prints to standard error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return out


def _end_with_server() -> None:
    while os.read(0, 1):
        pass
    os._exit(1)


def _step_back(memory: int | None) -> None:
    """Leave time and memory to the server and to other jobs: if memory runs out, this process is the one that ends."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(5)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    if memory is not None:
        limit_memory(memory)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
