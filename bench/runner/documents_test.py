# SPDX-License-Identifier: Apache-2.0
import json
from pathlib import Path

import pytest

from runner.documents import Unreadable, find_documents, read_document

RECORDED = Path(__file__).with_name("testdata") / "results.json"


def record(**changes):
    return {"label": "a", "workers": 1, "round": 0, "seconds": [1.0], **changes}


def document(*records, name="fib", n=40):
    return {"started": "", "machine": {},
            "sections": [{"name": name, "n": n, "records": list(records)}]}


def written(folder, content, name="results.json"):
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_a_recorded_file():
    read = read_document(RECORDED)
    assert [s.title for s in read.sections] == ["fib(40)", "loop(10000000)", "stacks-reclaim",
                                                "idle_cpu"]


@pytest.mark.parametrize("content, said", [
    ("no json", "is no JSON"),
    ("[]", "holds a list"),
    ({"machine": {}}, "has no 'sections'"),
    ({"machine": {}, "sections": 5}, "has a number as 'sections'"),
    ({"machine": {}, "sections": [{"n": 1, "records": []}]}, "section 1 has no 'name'"),
    (document(5), "record 1 of 'fib' has no 'label'"),
    (document(record(), record(workers=True)), "record 2 of 'fib' has true or false as 'workers'"),
    (document(record(workers=0)), "has 0 workers"),
    (document(record(seconds=[1.0, 0])), "[1.0, 0] as seconds"),
    (document(record(seconds=[])), "[] as seconds"),
    (document(record(seconds=None)), "neither a list of seconds nor a failure"),
    (document(record(), n="40"), "has a text as n"),
])
def test_what_is_wrong_is_said_with_the_name_of_the_file(tmp_path, content, said):
    path = written(tmp_path, content)
    with pytest.raises(Unreadable) as error:
        read_document(path)
    assert str(path) in str(error.value) and said in str(error.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(Unreadable, match="missing.json: cannot be read: No such file"):
        read_document(tmp_path / "missing.json")


def test_a_directory_stands_for_the_results_in_and_below_it_and_each_counts_once(tmp_path):
    above = written(tmp_path, document(record()))
    below = written(tmp_path / "fib", document(record()))
    assert find_documents([tmp_path, below]) == [below, above]


def test_a_path_that_is_not_there(tmp_path):
    with pytest.raises(Unreadable, match="missing: no such file or directory"):
        find_documents([tmp_path / "missing"])


def test_a_directory_without_results(tmp_path):
    with pytest.raises(Unreadable, match="no results.json"):
        find_documents([tmp_path])
