"""The unit of systemd and the container file start the server as it can be started."""

import inspect
import json
import re
import shlex
import shutil
import subprocess

import pytest
from repository import ROOT

from tonmf.cli.commands.serve import serve

UNIT, CONTAINER = (ROOT / "deploy" / name for name in ("tonmf.service", "Containerfile"))


def commands():
    """What each of them runs, after the name of the program."""
    unit = re.search(r"^ExecStart=(.*)$", UNIT.read_text(), re.MULTILINE).group(1)
    container = re.search(r"^CMD (.*)$", CONTAINER.read_text(), re.MULTILINE).group(1)
    return {"unit": shlex.split(unit)[1:], "container": json.loads(container)}


@pytest.mark.parametrize("which", ["unit", "container"])
def test_they_give_options_that_there_are(which):
    command, model, *options = commands()[which]
    assert (command, model) in {("serve", "/etc/tonmf/model"), ("serve", "/model")}
    known = {f"--{name.replace('_', '-')}" for name in inspect.signature(serve).parameters}
    assert {option for option in options if option.startswith("--")} <= known


def caches(text):
    return re.findall(r"(?:NUMBA_CACHE_DIR|TONMF_CACHE|HF_HOME)=(\S+)", text)


def test_the_folders_that_are_written_are_those_that_may_be():
    unit, container = UNIT.read_text(), CONTAINER.read_text()
    assert "StateDirectory=tonmf\n" in unit
    assert "CacheDirectory=tonmf\n" in unit
    assert "--jobs-folder /var/lib/tonmf/" in unit
    assert 'VOLUME ["/jobs", "/cache"]' in container
    for folder, named in (("/var/cache/tonmf", caches(unit)), ("/cache", caches(container))):
        assert len(named) == 3
        assert all(name.startswith(folder) for name in named)


@pytest.mark.usefixtures("processes")
def test_systemd_understands_every_line_of_the_unit(tmp_path):
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("needs systemd-analyze")
    # The program need not be installed.
    (tmp_path / "tonmf.service").write_text(UNIT.read_text().replace("/opt/tonmf/bin/tonmf", "/bin/sh"))
    done = subprocess.run([analyze, "verify", tmp_path / "tonmf.service"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
