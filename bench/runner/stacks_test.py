# SPDX-License-Identifier: Apache-2.0
import argparse
import json
import stat
from pathlib import Path

import pytest

import run_stacks
from runner.committed import distil
from runner.programs import Programs, Variant
from runner.ratios import Results
from runner.stacks.plan import plan
from runner.stacks.tables import table
from runner.stacks.targets import refusals, targets_of

SIZES = {"smoke": 20, "quick": 36, "paper": 42}


def variant(name, workload="fib"):
    return Variant(workload, name, "nopal", Path(f"/somewhere/{name}"), True, SIZES)


PROGRAMS = Programs(
    [variant("serial"), variant("nopal-invoke"), variant("nopal-frame"), variant("nopal-task"),
     variant("nopal-llvm-frame")],
    [variant("space-invoke"), variant("space-frame")], [], {}, {},
    mapped=[variant("nopal-mapped-invoke"), variant("nopal-mapped-frame")],
    space_mapped=[variant("space-mapped-invoke"), variant("space-mapped-frame")])


def asked(**other):
    return argparse.Namespace(**{"figure": None, "workload": None, "variant": None,
                                 "workers": "2,16", "reclaim": "dontneed", "size": "quick",
                                 **other})


def labels(section):
    return [(job.label, job.workers) for job in section.jobs]


def record(label, workers, *, pages=1, stacks=None, depth=0, number=0, seconds=1.0):
    return {"label": label, "workers": workers, "round": number, "workload": "fib", "n": 42,
            "seconds": [seconds], "peak_rss_bytes": 1_000_000, "wall_seconds": seconds,
            "peer": {"name": "nopal", "version": "1"},
            "build": {"compiler": "g++ 12.2.0", "flags": "-O3"},
            "runtime": {"stack_pages": pages, "fork_depth": depth,
                        "peak_stacks_in_use": workers if stacks is None else stacks}}


PAGES = [record("fib nopal-frame", 1, pages=2, depth=41),
         record("fib nopal-frame", 16, pages=48),
         record("fib nopal-frame", 16, pages=64, number=1),
         record("fib nopal-mapped-frame", 1, pages=2, depth=41),
         record("fib nopal-mapped-frame", 16, pages=56)]
TIMES = [record(f"fib {name}", 2, seconds=seconds, number=number)
         for number in (0, 1) for name, seconds in (("nopal-frame", 2), ("nopal-mapped-frame", 3))]


def test_each_program_is_counted_with_one_worker_too():
    pages, _ = plan(asked(), PROGRAMS)
    assert pages.name == "stacks-pages"
    assert labels(pages) == [(f"fib {name}", p) for suffix in ("invoke", "frame")
                             for name in (f"nopal-{suffix}", f"nopal-mapped-{suffix}")
                             for p in (1, 2, 16)]


def test_what_one_worker_has_touched_is_kept():
    pages, _ = plan(asked(variant="frame"), PROGRAMS)
    assert {(job.workers, job.environment["NOPAL_RECLAIM"]) for job in pages.jobs} == {
        (1, "none"), (2, "dontneed"), (16, "dontneed")}


def test_time_is_that_of_two_workers_of_the_same_front_ends():
    _, time = plan(asked(), PROGRAMS)
    assert labels(time) == [("fib nopal-invoke", 2), ("fib nopal-mapped-invoke", 2),
                            ("fib nopal-frame", 2), ("fib nopal-mapped-frame", 2)]
    assert all("NOPAL_RECLAIM" not in job.environment for job in time.jobs)


@pytest.mark.parametrize("wrong", [{"figure": "no"}, {"workload": "no"}, {"variant": "task"},
                                   {"workers": "0"}])
def test_wrong_names_are_refused(wrong):
    with pytest.raises(SystemExit, match="2"):
        plan(asked(**wrong), PROGRAMS)


def test_without_programs_the_reason_is_given(capsys):
    absent = {"nopal-mapped": "NOPAL_BUILD_MAPPED is off"}
    with pytest.raises(SystemExit, match="2"):
        plan(asked(), Programs([variant("nopal-frame")], [], [], {}, absent))
    assert "NOPAL_BUILD_MAPPED is off" in capsys.readouterr().err


def test_the_table_has_both_kinds_and_the_paper():
    header, (row,) = table("stacks-pages", Results(PAGES))
    assert dict(zip(header, row)) == {
        "workload and front end": "fib frame", "D": 41, "S_1": 2, "S_16/16": "4.00", "S_1 + D": 43,
        "mapped: S_1": 2, "mapped: S_16/16": "3.50", "mapped: S_1 + D": 43,
        "Cilk-M: S_16/16": "3.69"}


def test_a_program_that_was_measured_in_one_way_has_a_row():
    header, (row,) = table("stacks-pages", Results(PAGES[3:]))
    assert dict(zip(header, row))["S_16/16"] == "–"


def test_a_run_with_fewer_stacks_than_workers_is_refused():
    records = [*PAGES[:4], record("fib nopal-mapped-frame", 16, pages=3, stacks=15)]
    header, (row,) = table("stacks-pages", Results(records))
    assert dict(zip(header, row))["mapped: S_16/16"] == "–"
    (refused,) = refusals("stacks-pages", Results(records))
    assert refused.startswith("fib nopal-mapped-frame, P = 16: at most 15 stacks")
    assert all("mapped" not in t.what for t in targets_of("stacks-pages", "paper",
                                                           Results(records)))


def test_another_round_makes_up_for_a_run_that_is_refused():
    records = [*PAGES, record("fib nopal-mapped-frame", 16, pages=3, stacks=15, number=1)]
    assert refusals("stacks-pages", Results(records)) == []
    assert table("stacks-pages", Results(records)) == table("stacks-pages", Results(PAGES))


def test_times_are_compared_within_rounds():
    header, (row,) = table("stacks-time", Results(TIMES))
    assert dict(zip(header, row))["mapped/default"] == "1.50 (1.50..1.50)"
    assert refusals("stacks-time", Results(TIMES)) == []


def test_pages_of_the_paper_are_a_target_at_its_inputs():
    found = {t.what: t for t in targets_of("stacks-pages", "paper", Results(PAGES))}
    assert found["fib frame, mapped, S_16/16"].must == 3.69
    assert found["fib frame, mapped, S_16/16"].verdict == "reached"
    assert found["fib frame, default, S_P/P over S_1 + D, P = 16"].measured == pytest.approx(4 / 43)
    quick = targets_of("stacks-pages", "quick", Results(PAGES))
    assert [t for t in quick if t.what.endswith("S_16/16")] == []


def test_time_is_a_target():
    (found,) = targets_of("stacks-time", "quick", Results(TIMES))
    assert (found.measured, found.verdict) == (1.5, "MISSED")


def test_what_is_kept_of_a_run(measured, content, tmp_path):
    content["sections"] = [{"name": "stacks-pages", "n": None, "records": PAGES},
                           {"name": "stacks-time", "n": None, "records": TIMES}]
    pages, times = distil.distil(measured(content).documents)["sections"]
    assert pages["cases"][1] == {"label": "fib(42) nopal-mapped-frame", "depth": 41,
                                 "serial_pages": 2, "pages_per_worker": {"16": 3.5}}
    assert times["cases"] == [{"label": "fib(42) nopal-frame", "workers": 2, "rounds": 2,
                               "over_default": [1.5, 1.5, 1.5]}]


PROGRAM = """#!/bin/sh
if [ "$1" = --list ]; then
  echo '[{"workload": "fib", "variant": "VARIANT", "parallel": true,
          "sizes": {"smoke": 20, "quick": 36, "paper": 42}}]'
else
  echo 'RECORD'
fi
"""


def build_with_programs(folder):
    families = {}
    (folder / "bench").mkdir()
    for family in ("nopal", "space", "nopal-mapped", "space-mapped"):
        program = folder / "bench" / f"nopal-bench-{family}"
        text = PROGRAM.replace("VARIANT", f"{family}-frame")
        program.write_text(text.replace("RECORD", json.dumps(record("fib", 2, stacks=2))))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        families[family] = {"executable": program.name}
    (folder / "bench" / "peers.json").write_text(json.dumps({"families": families, "micros": {}}))


@pytest.mark.parametrize("size, status", [("smoke", 0), ("quick", 1)])
def test_a_whole_run(tmp_path, capsys, size, status):
    build_with_programs(tmp_path)
    assert run_stacks.main(["--build", str(tmp_path), "--workers", "2,16", "--size", size,
                            "--rounds", "1", "--out", str(tmp_path / "out")]) == status
    printed = capsys.readouterr().out
    assert "mapped/default" in printed
    assert "refused: fib nopal-mapped-frame, P = 16: at most 2 stacks" in printed
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"results.json", "table.txt",
                                                              "table.md"}
