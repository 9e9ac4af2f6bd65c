# SPDX-License-Identifier: Apache-2.0
"""What is refused, with what is wrong and what would be right: command lines, builds, files."""

import json
from importlib import import_module

import pytest

import run_bench
import run_pool
import run_stacks
import run_stm
from runner import fake
from runner.command_line import need_packages, typed
from runner.conftest import answered, same_as_expected
from runner.documents import Unreadable, find_documents, read_document


@pytest.fixture
def build(tmp_path):
    return fake.build_in(tmp_path)


def test_what_is_refused_and_listed(build, tmp_path, monkeypatch, capsys):
    """Each command line of the file, and what comes of it."""
    monkeypatch.chdir(tmp_path)

    def answer(line):
        name, *arguments = line.split(" ")
        if name.startswith("run_"):
            arguments += ["--build", "."]
        try:
            status = import_module(name).main(arguments)
        except SystemExit as end:
            status = end.code
        return f"{''.join(capsys.readouterr())}status {status}\n".replace(f"{tmp_path}/", "")
    same_as_expected("said.txt", answered("said.txt", answer))


@pytest.mark.parametrize("program", [run_bench, run_pool, run_stacks, run_stm])
def test_a_build_without_benchmarks(tmp_path, refused, program):
    said = refused(program.main, ["--build", str(tmp_path)])
    assert str(tmp_path) in said and "-DNOPAL_BUILD_BENCH=ON" in said


def test_a_figure_without_its_programs(build, refused):
    peers = json.loads((build / "bench" / "peers.json").read_text())
    peers["families"]["nopal-mapped"] = {"absent": "it is off"}
    (build / "bench" / "peers.json").write_text(json.dumps(peers))
    said = refused(run_stacks.main, ["--build", str(build), "--figure", "reclaim,time"])
    assert "the programs of nopal-mapped are not there: it is off" in said


@pytest.mark.parametrize("broken, said", [("missing", "has not been built"),
                                          ("exit 1", "does not start")])
def test_a_program_that_does_not_run(build, refused, broken, said):
    program = build / "bench" / "pool"
    program.unlink()
    if broken != "missing":
        program.write_text(f"#!/bin/sh\n{broken}\n")
        program.chmod(0o755)
    assert said in refused(run_pool.main, ["--build", str(build)])


def test_the_command_is_as_people_type_it():
    assert typed(["bench/run_bench.py", "--build", "b", "--workload", "fib", "--out=o", "--restart",
                  "--rounds", "3"]) == "./run bench --workload fib --rounds 3"
    assert typed(["/somewhere/run_pool.py", "--figure", "a b"]) == "./run bench pool --figure 'a b'"


def test_a_missing_package_is_named_with_what_to_do(refused):
    need_packages("json")
    assert ("lacks no_such_package; on Debian: apt-get install python3-no_such_package"
            in refused(need_packages, "json", "no_such_package"))


# --- files


def of_records(*records, name="fib", n=40):
    return {"machine": {}, "sections": [{"name": name, "n": n, "records": list(records)}]}


def record(**changes):
    return {"label": "a", "workers": 1, "round": 0, "seconds": [1.0], **changes}


@pytest.mark.parametrize("content, said", [
    ("no json", "is no JSON"),
    ("[]", "all is [] and must be an object, as ./run bench writes it"),
    ({"machine": {}, "sections": 5}, "all.sections is 5 and must be a list"),
    ({"machine": {}, "sections": [{"n": 1}]}, "all.sections[1].name is null and must be a text"),
    (of_records(5), "all.sections[1].records[1] is 5"),
    (of_records(record(), record(workers=True)), "records[2].workers is true and must be a number"),
    (of_records(record(seconds=[1.0, 0])), "seconds is [1.0, 0] and must be a list of numbers"),
    (of_records(record(seconds=[])), "records[1].seconds is []"),
    (of_records(record(), n="40"), "all.sections[1].n is \"40\" and must be a number or null"),
])
def test_a_file_that_is_wrong(tmp_path, content, said):
    path = tmp_path / "results.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(Unreadable) as error:
        read_document(path)
    assert str(path) in str(error.value) and said in str(error.value)


def test_files_are_found(tmp_path):
    (tmp_path / "fib").mkdir()
    for path in (above := tmp_path / "results.json", below := tmp_path / "fib" / "results.json"):
        path.write_text("{}")
    assert find_documents([tmp_path, below]) == [below, above]
    below.unlink()
    for name in ("fib", "no"):
        with pytest.raises(Unreadable, match=f"{name}: no such file, or a directory without"):
            find_documents([tmp_path / name])
    with pytest.raises(Unreadable, match="missing.json: cannot be read: No such file"):
        read_document(tmp_path / "missing.json")
