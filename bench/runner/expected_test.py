# SPDX-License-Identifier: Apache-2.0
"""Whole runs with programs that are not there, and all that comes of their records, beside what
testdata/ has of both."""

import json
import os
import sys
import time
from collections import Counter
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path

import pytest

import report_bench
import run_algorithm
import run_bench
import run_pool
import run_stacks
import run_stm
from runner import fake, machine, measure, whole_run
from runner.committed.tables import TABLES
from runner.conftest import answered, same_as_expected

ECHO = [{**fake.record_of(label, 2, number), "round": number}
        for number in (0, 1) for label in ("asio", "nopal")]
# The program and its command line: by these all its figures are made.
RUNS = {
    "algorithm": (run_algorithm, "--n 1000,1000000 --rounds 2 --workers 1,2"),
    "bench": (run_bench, "--size paper --rounds 2"),
    "pool": (run_pool, "--threads 2 --rounds 2"),
    "stacks": (run_stacks, "--size paper --rounds 2 --workers 2,16"),
    "stm": (run_stm, "--threads 1,2,4 --rounds 2 --workload "
                     "contention,locality,one-var-shared,vacation-low,read-sets,misses"),
}
@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Runs a program without any process. Returns what it would have measured, its exit status, and
    where its files are."""
    build = fake.build_in(tmp_path_factory.mktemp("build"))

    def of(program, arguments):
        jobs, counted, out = {}, Counter(), tmp_path_factory.mktemp("out")

        def run_process(job, timeout):
            key = (job.label, job.workers)
            counted[key] += 1
            jobs.setdefault(key, job)
            return fake.record_of(*key, counted[key], job.command, job.environment)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(measure, "run_process", run_process)
            patch.setattr(whole_run, "alone", nullcontext)  # others may measure
            patch.setattr(machine, "describe", lambda: fake.MACHINE)
            patch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
            patch.setattr(time, "strftime", lambda _: "2026-11-22T08:01:42+0000")
            patch.setattr(sys, "argv", [program.__file__, *arguments.split(" ")])
            status = program.main([*arguments.split(" "), "--build", str(build), "--out", str(out)])
        return list(jobs.values()), status, out
    return of


@pytest.fixture(scope="module")
def runs(run):
    return {name: run(*of) for name, of in RUNS.items()}


@pytest.mark.parametrize("name", RUNS)
def test_what_is_measured(runs, name):
    same_as_expected(f"{name}.jobs", "".join(
        " ".join([*(f"{key}={value}" for key, value in job.environment.items()),
                  *map(os.path.basename, job.command)])
        + f"  # {job.label}, P = {job.workers}\n" for job in runs[name][0]))


@pytest.mark.parametrize("name", RUNS)
def test_what_is_printed(runs, name):
    _, status, out = runs[name]
    assert {path.name for path in out.iterdir()} == {"results.json", "table.txt", "table.md"}
    same_as_expected(f"{name}.md", (out / "table.md").read_text() + f"\nExit status {status}\n")


def test_what_is_chosen(run):
    """What command lines measure."""
    def answer(line):
        name, arguments = line.split(" ", 1)
        return "".join(f"{job.label}, P = {job.workers}\n"
                       for job in run(import_module(name), arguments)[0])
    same_as_expected("chosen.txt", answered("chosen.txt", answer))


@pytest.fixture(scope="module")
def kept(runs, tmp_path_factory):
    """A tree into whose bench/results.json all runs have been put, and servers."""
    root = tmp_path_factory.mktemp("tree")
    measured = json.loads((runs["bench"][2] / "results.json").read_text())
    measured["sections"] = [{"name": "echo", "n": None, "records": ECHO}]
    echo = root / "echo.json"
    echo.write_text(json.dumps(measured))
    (root / "bench").mkdir()
    (root / "docs").mkdir()
    nothing = {"machines": [], "runs": [], "libraries": [], "variants": {}, "sections": []}
    (root / "bench" / "results.json").write_text(json.dumps(nothing))
    (root / "README.md").write_text("".join(
        f"<!-- results: {name} -->\n<!-- end -->\n" for name in TABLES
        if name not in ("growth", "papers")))
    paths = [str(out / "results.json") for _, _, out in runs.values()]
    assert report_bench.main(["--keep", *paths, str(echo)], root) == 0
    return root


def test_what_documents_say(kept):
    same_as_expected("documents.md", (kept / "README.md").read_text())


def test_what_is_drawn(kept):
    pytest.importorskip("matplotlib")
    from runner.charts import Bars, Lines
    from runner.committed import results
    from runner.report import chapters
    drawn = [item for chapter in chapters.chapters(results.read(kept)) for item in chapter.items
             if isinstance(item, (Bars, Lines))]
    same_as_expected("pictures.txt", "".join(f"{item.name}: {item.caption}\n    {item.alt}\n"
                                             for item in drawn))
