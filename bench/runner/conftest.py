# SPDX-License-Identifier: Apache-2.0
"""The recorded run, for several tests."""

import json
from pathlib import Path

import pytest

from runner.documents import read_document
from runner.committed.distil import distil

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
