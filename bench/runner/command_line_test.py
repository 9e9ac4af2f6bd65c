# SPDX-License-Identifier: Apache-2.0
"""What is refused, with what is wrong and what would be right: command lines, builds, files."""

import json

import pytest

import compare_bench
import report_bench
import run_bench
import run_pool
import run_stacks
import run_stm
from runner import fake
from runner.command_line import need_packages, typed
from runner.documents import Unreadable, find_documents, read_document


@pytest.fixture
def build(tmp_path):
    return fake.build_in(tmp_path)


@pytest.mark.parametrize("program, arguments, said", [
    (run_bench, "--workload fob", "no workload 'fob'; there are: fib lu"),
    (run_bench, "--variant gl", "no variant 'gl'; there are: serial"),
    (run_bench, "--workers 1,x", "--workers: '1,x' is no list of positive numbers"),
    (run_bench, "--workers 0", "--workers: '0'"),
    (run_bench, "--size huge", "no size 'huge'; there are: smoke quick paper"),
    (run_bench, "--n 5", "--n needs exactly one --workload"),
    (run_bench, "--workload lu --variant rayon", "nothing to measure"),
    (run_bench, "--rounds 0", "--rounds must be greater than 0, not 0"),
    (run_bench, "--budget soon", "--budget: 'soon' is no time"),
    (run_pool, "--figure 1.4", "throughput ratios one-producer"),
    (run_pool, "--variant sasla", "there are: salsa salsa-cas"),
    (run_pool, "--variant boost-queue", "variant 'boost-queue' is not there: no Boost"),
    (run_pool, "--threads 9", "1 to 8, not 9"),
    (run_pool, "--figure chunks --variant mutex-deque", "none of the variants mutex-deque"),
    (run_pool, "--seconds -1", "--seconds must be greater than 0"),
    (run_stacks, "--figure no", "no figure 'no'; there are: strategies time"),
    (run_stacks, "--strategy no", "no strategy 'no'"),
    (run_stacks, "--figure time --workload master", "nothing to measure"),
    (run_stm, "--workload gl", "no workload 'gl'; there are: contention"),
    (run_stm, "--variant gl", "no variant 'gl'"),
    (run_stm, "--threads two", "--threads: 'two'"),
])
def test_a_wrong_command_line(build, refused, program, arguments, said):
    assert said in refused(program.main, ["--build", str(build), *arguments.split(" ")])


@pytest.mark.parametrize("arguments, said", [
    (["--html", "missing.json"], "missing.json: no such file"),
    (["--keep", "missing.json"], "missing.json: no such file"),
    (["some.json"], "only --keep and --html read RESULTS"),
    (["--out", "somewhere"], "--out is for --html"),
])
def test_a_wrong_command_line_of_the_report(refused, arguments, said):
    assert said in refused(report_bench.main, arguments)


@pytest.mark.parametrize("bound", ["fast", "0.9", "nan", "inf", ""])
def test_a_bad_bound(refused, bound):
    assert f"not '{bound}'" in refused(compare_bench.main, ["a.json", "b.json", "--bound", bound])


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


@pytest.mark.parametrize("program, said", [
    (run_bench, ["fib (sizes: smoke 20", "left out: libfork: it is off"]),
    (run_pool, ["ratios: ", "salsa (chunks of 1000)", "left out: boost-queue: no Boost"])])
def test_what_there_is_can_be_listed(build, capsys, program, said):
    assert program.main(["--build", str(build), "--list"]) == 0
    printed = capsys.readouterr().out
    assert all(part in printed for part in said)


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
    for path, said in ((tmp_path / "fib", "no results.json"), (tmp_path / "no", "no such file")):
        with pytest.raises(Unreadable, match=said):
            find_documents([path])
    with pytest.raises(Unreadable, match="missing.json: cannot be read: No such file"):
        read_document(tmp_path / "missing.json")
