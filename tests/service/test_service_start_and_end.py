"""How the server starts, refuses to start, and ends."""

import json
import re
import signal
import socket
from contextlib import contextmanager

import numpy as np
import pytest
from command import run, run_installed
from saved_models import CORPUS, SMALL
from serving import Conversation, serving

from tonmf import TONMF, InputError, TextOutlierDetector
from tonmf.cli.errors import in_flags
from tonmf.service.server import serve

TOKEN = "a long enough token"  # noqa: S105


def refused(ran, code, says):
    assert (ran.code, ran.out) == (code, "")
    assert len(ran.err.splitlines()) == 1, ran.err
    assert re.fullmatch(rf"tonmf: .*{says}.*\n", ran.err), ran.err


@contextmanager
def raises(kind, says):
    """An error, in the words of the command line."""
    with pytest.raises(kind) as caught:
        yield
    assert says in in_flags(caught.value.message)


def test_a_model_that_cannot_be_served_is_refused(tmp_path):
    with raises(InputError, "There is no nowhere"):
        serve("nowhere", port=0, jobs_folder=tmp_path / "jobs")
    TONMF(2).fit(np.eye(6)).save(tmp_path / "numbers")
    with raises(InputError, "holds a TONMF, which knows rows of numbers only"):
        serve(str(tmp_path / "numbers"), port=0, jobs_folder=tmp_path / "jobs")
    embeddings = np.random.default_rng(0).normal(size=(len(CORPUS.texts), 4))
    TextOutlierDetector(**SMALL).fit(CORPUS.texts, embeddings=embeddings).save(tmp_path / "embedded")
    with raises(InputError, "was fitted with embeddings, which the server cannot make for new documents."):
        serve(str(tmp_path / "embedded"), port=0, jobs_folder=tmp_path / "jobs")


def test_a_place_that_cannot_be_listened_on_is_refused(saved, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with raises(
            InputError, f"Cannot listen on 127.0.0.1, port {port}: Address already in use. Give another --port."
        ):
            serve(str(saved[1]), port=port, jobs_folder=tmp_path / "jobs")
    with raises(InputError, "There is no place called no such host to listen on. Check --host."):
        serve(str(saved[1]), host="no such host", token=TOKEN, jobs_folder=tmp_path / "jobs")


def test_a_folder_that_cannot_be_used_for_jobs_is_refused(saved, tmp_path, server):
    (tmp_path / "file").write_text("")
    with raises(InputError, "cannot be used for jobs: File exists. Give another with --jobs-folder."):
        serve(str(saved[1]), port=0, jobs_folder=tmp_path / "file")
    with raises(InputError, "Another server uses the jobs in"):
        serve(str(saved[1]), port=0, jobs_folder=server.log.parent / "jobs")


def test_a_server_that_does_not_start_says_why_in_one_line(saved, tmp_path):
    refused(run("serve", "nowhere", "--port", "0", cwd=tmp_path, XDG_DATA_HOME=str(tmp_path)), 1, "There is no nowhere")
    ran = run("serve", saved[1], "--host", "0.0.0.0", cwd=tmp_path, XDG_DATA_HOME=str(tmp_path))  # noqa: S104
    refused(ran, 2, "Give --token, or TONMF_TOKEN")


def test_without_the_extra_the_command_says_what_to_install(saved, tmp_path):
    (tmp_path / "fastapi.py").write_text("raise ModuleNotFoundError('no', name='fastapi')")
    ran = run_installed("serve", saved[1], cwd=tmp_path, PYTHONPATH=str(tmp_path))
    refused(ran, 1, re.escape("tonmf serve needs fastapi, which is not installed: pip install 'tonmf[serve]'."))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_stopped_finishes_what_is_under_way(number, saved, tmp_path):
    with serving(saved[1], tmp_path / "server") as running:
        with Conversation(running, "/v1/score", "Content-Type: application/x-ndjson") as talk:
            talk.send(b'"first"\n')
            assert talk.object()["id"] == "0"
            running.signal(number)
            while True:  # until nobody new is let in
                try:
                    socket.create_connection(("127.0.0.1", running.port), timeout=1).close()
                except OSError:
                    break
            talk.send(b'"second"\n')
            assert talk.object()["id"] == "1"
            talk.finish()
            assert talk.object() is None
        assert running.ended() == 0
        assert "ERROR" not in running.log.read_text()


def test_requests_that_take_longer_than_the_time_of_grace_are_broken_off(saved, tmp_path):
    with (
        serving(saved[1], tmp_path / "server", "--grace", "1") as running,
        Conversation(running, "/v1/score", "Content-Type: application/x-ndjson") as talk,
    ):
        talk.send(b'"first"\n')
        assert talk.object()["id"] == "0"
        running.signal(signal.SIGTERM)
        assert running.ended() == 0


def test_the_log_has_neither_texts_nor_the_token(saved, tmp_path):
    with serving(saved[1], tmp_path / "server", "--access-log", "--token", TOKEN) as running:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        running.post("/v1/score", json={"documents": ["a secret text"]}, headers=headers)
        running.post("/v1/score", content=json.dumps("a secret text"), headers=headers)
        log = running.log.read_text()
    assert "POST /v1/score" in log
    assert TOKEN not in log
    assert "secret" not in log
