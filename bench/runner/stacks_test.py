# SPDX-License-Identifier: Apache-2.0
"""The figures of `./run bench stacks`: what is measured, and what comes of the records."""

import argparse
import contextlib
import json
import stat
from pathlib import Path

import pytest

import run_stacks
from runner import stacks_records as records
from runner.committed import distil
from runner.programs import Programs, Variant
from runner.ratios import Results
from runner.stacks.figures import FIGURES
from runner.stacks.plan import plan

SIZES = {"smoke": 20, "quick": 36, "paper": 42}


def variant(name, workload="fib", family="nopal", parallel=True, sizes=SIZES):
    return Variant(workload, name, family, Path(f"/somewhere/{name}"), parallel, sizes)


TREE = {"smoke": 1, "quick": 100, "paper": 1000}
PROGRAMS = Programs(
    [variant("serial", family="serial", parallel=False), variant("nopal-invoke"),
     variant("nopal-frame"), variant("nopal-task"),
     variant("nopal-llvm-frame", family="nopal-llvm"), variant("nopal-invoke", "uts"),
     variant("serial", "master", "serial", False, TREE),
     variant("nopal-frame", "master", sizes=TREE)],
    [variant("space-invoke"), variant("space-frame"), variant("space-frame", "uts")],
    [variant("nopal-child-frame", sizes={"quick": 42}),
     variant("nopal-child-frame", "master", sizes=TREE)],
    {"stack_cache": Path("/somewhere/nopal-bench-stack_cache")}, {},
    stacks=[variant(f"{family}-{end}", family=family, sizes={"quick": 42})
            for family in ("stacks", "stacks-pages") for end in ("invoke", "frame")],
    mapped=[variant("nopal-mapped-invoke"), variant("nopal-mapped-frame")],
    space_mapped=[variant("space-mapped-invoke"), variant("space-mapped-frame")],
    locked=[variant("nopal-locked-invoke"), variant("nopal-locked-frame"),
            variant("nopal-the-frame")])


def asked(**other):
    return argparse.Namespace(**{"figure": None, "workload": None, "variant": None,
                                 "strategy": None, "workers": None, "reclaim": "dontneed",
                                 "size": "quick", **other})


def jobs_of(figure, **other):
    (section,), _ = plan(asked(figure=figure, **other), PROGRAMS)
    assert section.name == f"stacks-{figure}"
    return section.jobs


def labels(jobs):
    return [(job.label, job.workers) for job in jobs]


def rows_of(figure, found):
    header, rows = FIGURES[figure].table(Results(found))
    return [dict(zip(header, row)) for row in rows]


def targets_of(figure, size, found):
    return {t.what: t for t in FIGURES[figure].targets(size, Results(found))}


# --- from the command line to what is measured


def test_without_a_figure_all_are_measured():
    sections, left_out = plan(asked(), PROGRAMS)
    assert [s.name for s in sections] == [f"stacks-{name}" for name in FIGURES]
    assert set(FIGURES) == {"pages", "time", "memory", "reclaim", "stealing", "joins",
                            "strategies", "victims", "caches", "idle"}
    assert left_out == {}


def test_both_policies_of_idle_workers_take_turns():
    jobs = jobs_of("idle", workload="fib", variant="invoke", workers="2")
    assert [(j.label, j.environment) for j in jobs] == [
        (f"fib nopal-invoke {policy}", {"NOPAL_IDLE": policy}) for policy in ("busy", "lazy")]


def test_the_time_of_lazy_workers_is_over_that_of_busy_ones():
    found = [records.record("fib nopal-invoke busy", 2),
             records.record("fib nopal-invoke lazy", 2, seconds=1.5)]
    (row,) = rows_of("idle", found)
    assert row["workload and front end"] == "fib invoke" and row["lazy/busy"].startswith("1.50")
    assert FIGURES["idle"].cases(Results(found))[0]["over_busy"] == [1.5, 1.5, 1.5]


@pytest.mark.parametrize("wrong", [{"figure": "no"}, {"workload": "no"}, {"variant": "no"},
                                   {"workers": "0"}, {"strategy": "no"},
                                   {"figure": "time", "workload": "master"}])
def test_wrong_names_are_refused(wrong):
    with pytest.raises(SystemExit, match="2"):
        plan(asked(**wrong), PROGRAMS)


def test_a_figure_without_its_programs_is_left_out_and_refused_if_it_was_asked_for(capsys):
    few = Programs([variant("nopal-frame")], [], [], {}, {"nopal-mapped": "it is off"})
    sections, left_out = plan(asked(), few)
    assert [section.name for section in sections] == ["stacks-reclaim", "stacks-idle"]
    assert left_out["figure time"] == "the programs of nopal-mapped are not there: it is off"
    with pytest.raises(SystemExit, match="2"):
        plan(asked(figure="reclaim,time"), few)
    assert "it is off" in capsys.readouterr().err


def test_each_program_is_counted_with_one_worker_too():
    assert labels(jobs_of("pages", workers="2,16", workload="fib")) == [
        (f"fib {name}", p) for suffix in ("invoke", "frame")
        for name in (f"nopal-{suffix}", f"nopal-mapped-{suffix}") for p in (1, 2, 16)]


def test_what_one_worker_has_touched_is_kept():
    assert {(job.workers, job.environment["NOPAL_RECLAIM"])
            for job in jobs_of("pages", variant="frame")} == {
        (1, "none"), (2, "dontneed"), (16, "dontneed")}


def test_time_is_that_of_two_workers_of_the_same_front_ends():
    jobs = jobs_of("time")
    assert labels(jobs) == [("fib nopal-invoke", 2), ("fib nopal-mapped-invoke", 2),
                            ("fib nopal-frame", 2), ("fib nopal-mapped-frame", 2)]
    assert all("NOPAL_RECLAIM" not in job.environment for job in jobs)


def test_memory_is_that_of_the_papers_programs_beside_the_serial_one():
    jobs = jobs_of("memory", variant="frame")
    assert labels(jobs) == [("fib serial", 1), ("fib nopal-frame", 16),
                            ("fib nopal-mapped-frame", 16)]
    assert all(job.environment["MALLOC_MMAP_MAX_"] == "0" for job in jobs)
    assert [job.environment.get("NOPAL_RECLAIM") for job in jobs] == [None, "dontneed", "dontneed"]


def test_memory_of_another_program_is_measured_if_it_is_asked_for():
    assert labels(jobs_of("memory", workload="uts")) == [("uts nopal-frame", 16)]


def test_all_four_policies_are_measured():
    jobs = jobs_of("reclaim", workload="fib", variant="task")
    assert [(job.label, job.environment["NOPAL_RECLAIM"]) for job in jobs] == [
        (f"fib nopal-task@{policy}", policy)
        for policy in ("none", "free", "dontneed", "adaptive")]
    assert {job.workers for job in jobs} == {2}
    assert not [job for job in jobs_of("reclaim") if "llvm" in job.label or "serial" in job.label]


def test_child_stealing_is_measured_beside_continuation_stealing():
    jobs = [job for job in jobs_of("stealing") if "(10) " in job.label]
    assert labels(jobs) == [("master(10) serial", 1), ("master(10) nopal-frame", 1),
                            ("master(10) nopal-frame", 2), ("master(10) nopal-child-frame", 1),
                            ("master(10) nopal-child-frame", 2)]


def test_trees_have_many_sizes_as_far_as_the_workload_goes():
    assert list(dict.fromkeys(job.label.split(" ")[0] for job in jobs_of("stealing"))) == [
        "fib(30)", "master(1)", "master(10)", "master(100)", "master(1000)"]


def test_joins_are_measured_beside_those_with_locks():
    assert labels(jobs_of("joins", variant="frame", workers="2")) == [
        ("fib serial", 1), ("fib nopal-frame", 2), ("fib nopal-locked-frame", 2),
        ("fib nopal-the-frame", 2)]
    assert {job.workers for job in jobs_of("joins", variant="invoke")} == {1, 2, 8}
    assert not [job for job in jobs_of("joins") if "task" in job.label]  # has no other build


def test_strategies_are_measured_for_time_and_for_pages():
    jobs = jobs_of("strategies", workers="2", strategy="deeper")
    assert labels(jobs) == [("fib default", 2), ("fib deeper", 2), ("fib default@pages", 2),
                            ("fib deeper@pages", 2)]
    assert jobs[1].environment == {"NOPAL_BENCH_RULE": "deeper"}
    assert [Path(job.command[0]).name for job in jobs] == [
        "stacks-invoke", "stacks-frame", "stacks-pages-invoke", "stacks-pages-frame"]
    assert all("36" in job.command for job in jobs)  # and not fib(42)


def test_victims_are_drawn_on_a_made_up_machine():
    jobs = jobs_of("victims", workers="16", workload="fib")
    assert labels(jobs) == [("fib uniform", 16), ("fib weighted", 16), ("fib uniform@pages", 16),
                            ("fib weighted@pages", 16)]
    assert jobs[1].environment == {"NOPAL_BENCH_VICTIMS": "weighted"}
    assert [Path(job.command[0]).name for job in jobs] == [
        "stacks-invoke", "stacks-invoke", "stacks-pages-invoke", "stacks-pages-invoke"]


def test_workers_that_do_not_fill_packages_have_no_victims():
    assert {job.workers for job in jobs_of("victims", workers="2,4,8,10,12")} == {8, 12}


# --- from records to tables


def test_the_table_of_pages_has_both_kinds_and_the_paper():
    (row,) = rows_of("pages", records.PAGES)
    assert row == {
        "workload and front end": "fib frame", "D": 41, "S_1": 2, "S_16/16": "4.00", "S_1 + D": 43,
        "mapped: S_1": 2, "mapped: S_16/16": "3.50", "mapped: S_1 + D": 43,
        "Cilk-M: S_16/16": "3.69"}


def test_a_program_that_was_measured_in_one_way_has_a_row():
    (row,) = rows_of("pages", records.PAGES[3:])
    assert row["S_16/16"] == "–"


@pytest.mark.parametrize("figure", ["pages", "memory"])
def test_a_run_with_fewer_stacks_than_workers_is_refused(figure):
    found = [*(records.PAGES[:4] if figure == "pages" else records.MEMORY[:2]),
             records.counted("fib nopal-mapped-frame", 16, 3, stacks=15, heap_pages=9)]
    (row,) = rows_of(figure, found)
    assert {value for key, value in row.items() if key in ("mapped: S_16/16", "mapped: sum")} == {
        "–"}
    (refused,) = FIGURES[figure].refusals(Results(found))
    assert refused.startswith("fib nopal-mapped-frame, P = 16: at most 15 stacks")
    assert all("mapped" not in what for what in targets_of(figure, "paper", found))


def test_another_round_makes_up_for_a_run_that_is_refused():
    found = [*records.PAGES, records.counted("fib nopal-mapped-frame", 16, 3, stacks=15, number=1)]
    assert FIGURES["pages"].refusals(Results(found)) == []
    assert rows_of("pages", found) == rows_of("pages", records.PAGES)


def test_times_are_compared_within_rounds():
    (row,) = rows_of("time", records.TIMES)
    assert row["mapped/default"] == "1.50 (1.50..1.50)"
    assert FIGURES["time"].refusals(Results(records.TIMES)) == []


def test_the_heap_is_what_came_after_the_problem():
    (row,) = rows_of("memory", records.MEMORY)
    assert [row[f"{kind}: {what}"] for kind in ("default", "mapped")
            for what in ("stacks", "heap", "sum")] == [48, 100, 148, 40, 200, 240]
    assert row["serial: sum"] == 3
    assert (row["Cilk-M: sum"], row["Cilk-5: sum"]) == (228, 201)


def test_reclaim_has_a_row_for_each_policy(measured, content):
    (reclaim,) = [s for s in measured(content).stacks.values()]
    rows = rows_of("reclaim", reclaim.records)
    assert [(row["workload and front end"], row["policy"], row["P"]) for row in rows[:4]] == [
        ("fib(34) nopal-invoke", policy, p) for p in (1, 2) for policy in ("none", "adaptive")]
    assert rows[0]["time/none"].startswith("1.00")


def test_joins_are_compared_with_the_default_build():
    (row,) = rows_of("joins", records.JOINS)
    assert (row["T_s/T_P, wait-free"], row["locked join/wait-free, time"],
            row["THE deque/wait-free, time"]) == ("2.00", "1.25", "0.500")


def test_a_build_with_locks_is_not_taken_for_the_default_one():
    both = records.record("fib nopal-the-locked-frame", 2, seconds=3)
    (row,) = rows_of("joins", [*records.JOINS, both])
    assert row["THE deque and locked join/wait-free, time"] == "1.50"


def test_strategies_have_time_pages_and_stacks():
    default, deeper = rows_of("strategies", records.STRATEGIES)
    assert (default["T_2/default"], default["pages, P = 2"], default["stacks"]) == ("1.00", 7, 4)
    assert (deeper["T_2/default"], deeper["pages, P = 2"], deeper["stacks"]) == ("3.00", 9, 2)


def test_steals_that_stay_in_a_package_are_a_share_of_all():
    (row,) = rows_of("victims", records.VICTIMS)
    assert row == {"workload": "fib", "P": 16, "time, weighted/uniform": "1.50",
                   "steals, uniform": "30.0", "steals, weighted": "40.0",
                   "of them in a package, uniform": "0.200",
                   "of them in a package, weighted": "0.750"}


def test_victims_that_were_not_counted_are_no_share():
    (row,) = rows_of("victims", records.VICTIMS[:2])
    assert row["time, weighted/uniform"] == "1.50"
    assert row["of them in a package, weighted"] == rows_of("victims", records.VICTIMS[2:])[0][
        "time, weighted/uniform"]  # what is not there, is shown in one way
    assert FIGURES["victims"].cases(Results(records.VICTIMS[:2]))[0]["within"] == [None, None]


# --- targets


def test_pages_of_the_paper_are_a_target_at_its_inputs():
    found = targets_of("pages", "paper", records.PAGES)
    assert found["fib frame, mapped, S_16/16"].must == 3.69
    assert found["fib frame, mapped, S_16/16"].verdict == "reached"
    assert found["fib frame, default, S_P/P over S_1 + D, P = 16"].measured == pytest.approx(4 / 43)
    assert not [what for what in targets_of("pages", "quick", records.PAGES)
                if what.endswith("S_16/16")]


def test_time_is_a_target():
    (found,) = targets_of("time", "quick", records.TIMES).values()
    assert (found.measured, found.verdict) == (1.5, "MISSED")


def test_memory_is_aimed_at_that_of_the_paper():
    found = targets_of("memory", "paper", records.MEMORY)
    assert [(t.measured, t.aim, t.verdict) for t in found.values()] == [
        (148 - 3, 228, "reached"), (240 - 3, 228, "aim not reached")]
    assert targets_of("memory", "quick", records.MEMORY) == {}


def test_adaptive_over_none_is_a_target(measured, content):
    (reclaim,) = measured(content).stacks.values()
    found = targets_of("reclaim", "quick", reclaim.records)
    assert found["fib(34) nopal-invoke, reclaim adaptive over none, P = 2"].must == 1.03


def test_the_geometric_mean_of_joins_is_a_target_in_which_a_workload_counts_once():
    others = [records.record(f"lu {name}", 2, seconds=seconds) for name, seconds in (
        ("nopal-frame", 1), ("nopal-locked-frame", 1), ("nopal-invoke", 1),
        ("nopal-locked-invoke", 0.64))]
    found = targets_of("joins", "quick", [*records.JOINS, *others])
    locked = found["wait-free over locked join, geometric mean of 2 workloads, P = 2"]
    assert locked.measured == pytest.approx((1.25 * 0.8) ** 0.5)
    assert (locked.must, locked.at_most) == (1.0, False)
    assert found["wait-free over THE deque, geometric mean of 1 workloads, P = 2"].must is None


# --- what is kept


@pytest.mark.parametrize("figure, found, place, kept", [
    ("pages", records.PAGES, 1, {"label": "fib(42) nopal-mapped-frame", "depth": 41,
                                 "serial_pages": 2, "pages_per_worker": {"16": 3.5}}),
    ("time", records.TIMES, 0, {"label": "fib(42) nopal-frame", "workers": 2, "rounds": 2,
                                "over_default": [1.5, 1.5, 1.5]}),
    ("memory", records.MEMORY, 0, {"label": "fib(42) frame", "workers": 16, "serial_pages": 3.0,
                                   "default": {"stack_pages": 48, "heap_pages": 100},
                                   "mapped": {"stack_pages": 40, "heap_pages": 200}}),
    ("joins", records.JOINS, 0, {"label": "fib(42) frame", "workers": 2, "rounds": 1,
                                 "over_default": {"nopal-locked": [1.25, 1.25, 1.25],
                                                  "nopal-the": [0.5, 0.5, 0.5]}}),
    ("strategies", records.STRATEGIES, 1, {"label": "fib(42) deeper", "workers": 2,
                                           "over_default": [3.0, 3.0, 3.0], "stack_pages": 9,
                                           "stacks": 2}),
    ("victims", records.VICTIMS, 0, {"label": "fib(42)", "workers": 16,
                                     "over_uniform": [1.5, 1.5, 1.5], "steals": [30.0, 40.0],
                                     "within": [0.2, 0.75]}),
])
def test_what_is_kept_of_a_run(measured, content, figure, found, place, kept):
    content["sections"] = [{"name": f"stacks-{figure}", "n": None, "records": found}]
    (section,) = distil.distil(measured(content).documents)["sections"]
    assert section["cases"][place] == kept


def test_what_is_kept_of_reclaim(measured, content):
    sections = distil.distil(measured(content).documents)["sections"]
    (reclaim,) = [s for s in sections if s["name"] == "stacks-reclaim"]
    case = reclaim["cases"][0]
    assert case["label"] == "fib(34) nopal-invoke" and set(case["over_none"]) == {"adaptive"}
    assert {policy: len(counts) for policy, counts in case["counts"].items()} == {
        "none": 4, "adaptive": 4}


def test_other_builds_of_nopal_are_compared_and_not_put_aside(measured, content):
    locked = [{**r, "peer": {**r["peer"], "deque": "asymmetric",
                             "join": "locked" if "locked" in r["label"] else "waitfree"}}
              for r in records.JOINS if "serial" not in r["label"]]
    content["sections"].append({"name": "stacks-joins", "n": None, "records": locked})
    assert len(measured(content).stacks["stacks-joins"].records) == len(locked)


# --- a whole run


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
        counts = {"total": dict.fromkeys(("steals", "suspensions", "unmaps", "pages_given_back"),
                                         0)}
        found = records.counted("fib", 2, stacks=2, heap_pages=9, **counts)
        found |= {"memory_pages": {"before_workers": 3, "at_end": 4},
                  "usage": {"minor_page_faults": 0}}
        program.write_text(text.replace("RECORD", json.dumps(found)))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        families[family] = {"executable": program.name}
    (folder / "bench" / "peers.json").write_text(json.dumps({"families": families, "micros": {}}))


@pytest.mark.parametrize("size, status", [("smoke", 0), ("quick", 1)])
def test_a_whole_run(tmp_path, capsys, monkeypatch, size, status):
    monkeypatch.setattr(run_stacks, "alone", contextlib.nullcontext)  # others may measure
    build_with_programs(tmp_path)
    assert run_stacks.main(["--build", str(tmp_path), "--workers", "2,16", "--size", size,
                            "--rounds", "1", "--out", str(tmp_path / "out")]) == status
    printed = capsys.readouterr().out
    assert "mapped/default" in printed
    assert all(f"refused: {figure}, fib nopal-mapped-frame, P = 16: at most 2 stacks" in printed
               for figure in ("pages", "memory"))
    assert "pages: pages of stacks for each worker (Lee and others 2010, figure 9), reclaim " \
        "adaptive" in printed
    assert "left out: figure joins: the programs of nopal-locked are not there" in printed
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"results.json", "table.txt",
                                                              "table.md"}


def test_free_stacks_by_threads():
    assert [(job.workers, job.command[1:]) for job in jobs_of("caches", workers="1,4")] == [
        (p, ["--workers", str(p), "--turns", "500"]) for p in (1, 4)]


def test_free_stacks_have_no_workload():
    sections, _ = plan(asked(workload="fib"), PROGRAMS)
    assert "stacks-caches" not in [s.name for s in sections]


def test_bitmap_over_lists():
    assert rows_of("caches", records.CACHES) == [
        {"threads": 2, "lists, ns": "5.00 (4.00..6.00)", "bitmap, ns": "11.0 (10.0..12.0)",
         "bitmap/lists": "2.25 (2.00..2.50)"}]
    assert FIGURES["caches"].cases(Results(records.CACHES)) == [
        {"label": "stack_cache", "workers": 2, "rounds": 2, "nanoseconds": [5.0, 4.0, 6.0],
         "over_lists": [2.25, 2.0, 2.5]}]
