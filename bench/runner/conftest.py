# SPDX-License-Identifier: Apache-2.0
"""What tests share. Where an output is meant to differ from what testdata/ has,
NOPAL_WRITE_EXPECTED=1 writes these files anew, and git shows what is different."""

import json
import os
from pathlib import Path

import pytest

from runner import fake
from runner.committed.distil import distil
from runner.documents import read_document

EXPECTED = Path(__file__).with_name("testdata")


def same_as_expected(name, text):
    if os.environ.get("NOPAL_WRITE_EXPECTED"):
        (EXPECTED / name).write_text(text)
    assert text == (EXPECTED / name).read_text()


def answered(name, answer):
    """The file's lines that begin with $, each with what answer() makes of it."""
    lines = (EXPECTED / name).read_text().splitlines()
    return "".join(f"{line}\n{answer(line[2:])}" for line in lines if line.startswith("$ "))


@pytest.fixture
def content():
    return fake.results()


@pytest.fixture
def distilled(tmp_path):
    """Distils one measurement of contents as those of results.json."""
    def of(*contents):
        documents = []
        for number, c in enumerate(contents):
            path = tmp_path / f"{number}.json"
            path.write_text(json.dumps(c))
            documents.append(read_document(path))
        return distil(documents)
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
