# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from runner import fake
from runner.committed.distil import distil
from runner.documents import read_document


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
