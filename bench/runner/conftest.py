# SPDX-License-Identifier: Apache-2.0
"""What several tests need: the recorded run, a build directory, a command line that is wrong."""

import json
from pathlib import Path

import pytest

from runner.committed.distil import distil
from runner.documents import read_document

RECORDED = Path(__file__).with_name("testdata") / "results.json"


@pytest.fixture
def content():
    return json.loads(RECORDED.read_text())


@pytest.fixture
def distilled(tmp_path):
    """Distils one measurement of contents as those of results.json."""
    def of(*contents):
        documents = []
        for number, c in enumerate(contents):
            path = tmp_path / str(number) / "results.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(c))
            documents.append(read_document(path))
        return distil(documents)
    return of


@pytest.fixture
def build(tmp_path):
    """Makes a build directory: what peers.json says, and shell scripts in place of programs."""
    def of(peers, scripts):
        folder = tmp_path / "bench"
        folder.mkdir()
        (folder / "peers.json").write_text(json.dumps(peers))
        for name, script in scripts.items():
            (folder / name).write_text(f"#!/bin/sh\n{script}\n")
            (folder / name).chmod(0o755)
        return tmp_path
    return of


@pytest.fixture
def refused(capsys):
    """Calls what must end with status 2, and returns what it says."""
    def of(call, *arguments):
        with pytest.raises(SystemExit) as end:
            call(*arguments)
        assert end.value.code == 2
        return capsys.readouterr().err
    return of
