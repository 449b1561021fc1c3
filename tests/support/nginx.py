"""A real nginx before a server of ours, with the block of configuration that the docs show."""

import os
import re
import shutil
import socket
import subprocess
from contextlib import contextmanager

import pytest
from repository import DOCS
from waiting import PATIENCE, wait_until

AROUND = """
daemon off;
master_process off;
pid {folder}/pid;
error_log stderr;
events {{ worker_connections 256; }}
http {{
    access_log off;
    {temporary}
    server {{
        listen 127.0.0.1:{port};
        {block}
    }}
}}
"""
KINDS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def nginx() -> str:
    """Where nginx is; without it a test skips, or fails if it is required."""
    path = os.environ.get("TONMF_NGINX") or shutil.which("nginx") or "/usr/sbin/nginx"
    if os.path.exists(path):
        return path
    if os.environ.get("TONMF_REQUIRE_NGINX"):
        pytest.fail("TONMF_REQUIRE_NGINX is set, but there is no nginx: install it, or name it in TONMF_NGINX.")
    return pytest.skip("needs nginx: install it, or name it in TONMF_NGINX")


def documented_block(port):
    """The location that the guide shows, for a server of ours on a port."""
    found = re.search(r"```nginx\n(.*?)```", (DOCS / "guide" / "service.md").read_text(encoding="utf-8"), re.DOTALL)
    location = re.search(r"^( *)location / \{.*?^\1\}", found.group(1), re.DOTALL | re.MULTILINE)
    assert "http://127.0.0.1:8765" in location.group()
    return location.group().replace("127.0.0.1:8765", f"127.0.0.1:{port}")


@contextmanager
def proxied(port, folder):
    """The port of an nginx that passes requests on to a server of ours."""
    path = nginx()
    folder.mkdir(parents=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        own = free.getsockname()[1]
    temporary = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in KINDS)
    text = AROUND.format(folder=folder, temporary=temporary, port=own, block=documented_block(port))
    (folder / "nginx.conf").write_text(text)
    command = [path, "-p", folder, "-c", folder / "nginx.conf", "-e", "stderr"]
    with (folder / "log").open("w") as log, subprocess.Popen(command, stderr=log) as running:
        try:
            wait_until(lambda: _answers(own) or running.poll() is not None)
            assert running.poll() is None, (folder / "log").read_text()
            yield own
        finally:
            running.terminate()
            running.wait(PATIENCE)


def _answers(port):
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0
