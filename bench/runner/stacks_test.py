# SPDX-License-Identifier: Apache-2.0
"""The figures of `./run bench stacks`: what is measured, and what comes of the """

import argparse
import contextlib
import json
from pathlib import Path

import pytest

import run_stacks
from runner import whole_run
from runner.committed.results import Committed, of_cases
from runner.committed.tables import TABLES
from runner.programs import Programs, Variant
from runner.ratios import Results
from runner.stacks.figures import FIGURES

SIZES = {"smoke": 20, "quick": 36, "paper": 42}


def variant(name, workload="fib", family="nopal", parallel=True, sizes=SIZES):
    return Variant(workload, name, family, Path(f"/somewhere/{name}"), parallel, sizes)


TREE = {"smoke": 1, "quick": 100, "paper": 1000}
PROGRAMS = Programs(
    [variant("serial", family="serial", parallel=False), variant("nopal-invoke"),
     variant("nopal-frame"), variant("nopal-task"),
     variant("nopal-llvm-frame", family="nopal-llvm"), variant("nopal-invoke", "uts"),
     variant("serial", "master", "serial", False, TREE),
     variant("nopal-frame", "master", sizes=TREE),
     *(variant(f"{family}-{end}", family=family)
       for family in ("space", "nopal-mapped", "space-mapped") for end in ("invoke", "frame")),
     variant("space-frame", "uts", "space"),
     variant("nopal-child-frame", family="nopal-child", sizes={"quick": 42}),
     variant("nopal-child-frame", "master", "nopal-child", sizes=TREE),
     *(variant(f"{family}-{end}", family=family, sizes={"quick": 42})
       for family in ("stacks", "stacks-pages") for end in ("invoke", "frame")),
     variant("nopal-locked-invoke", family="nopal-locked"),
     variant("nopal-locked-frame", family="nopal-locked"),
     variant("nopal-the-frame", family="nopal-the")],
    {"stack_cache": Path("/somewhere/nopal-bench-stack_cache")})


def asked(**other):
    return argparse.Namespace(**{"figure": None, "workload": None, "variant": None,
                                 "strategy": None, "workers": None, "reclaim": "dontneed",
                                 "size": "quick", **other})


def jobs_of(figure, **other):
    (section,), _ = run_stacks.plan(asked(figure=figure, **other), PROGRAMS)
    assert section.name == f"stacks-{figure}"
    return section.jobs


def labels(jobs):
    return [(job.label, job.workers) for job in jobs]


def table_of(figure, found):
    cases = FIGURES[figure].cases(Results(found))
    return FIGURES[figure].table(of_cases(figure, cases))


def rows_of(figure, found):
    table = table_of(figure, found)
    return [dict(zip(table.header, row, strict=True)) for row in table.rows]


def targets_of(figure, size, found):
    return {t.what: t
            for t in FIGURES[figure].targets(size, FIGURES[figure].cases(Results(found)))}


# --- from the command line to what is measured


def test_without_a_figure_all_are_measured():
    sections, left_out = run_stacks.plan(asked(), PROGRAMS)
    assert [s.name for s in sections] == [f"stacks-{name}" for name in FIGURES]
    assert set(FIGURES) == {"pages", "time", "memory", "reclaim", "stealing", "joins",
                            "strategies", "victims", "caches", "idle"}
    assert left_out == {}


@pytest.mark.parametrize("wrong", [{"figure": "no"}, {"workload": "no"}, {"variant": "no"},
                                   {"workers": "0"}, {"strategy": "no"},
                                   {"figure": "time", "workload": "master"}])
def test_wrong_names_are_refused(refused, wrong):
    assert refused(run_stacks.plan, asked(**wrong), PROGRAMS)


def test_a_figure_without_its_programs_is_left_out_and_refused_if_it_was_asked_for(refused):
    few = Programs([variant("nopal-frame")], {}, {"nopal-mapped": "it is off"})
    sections, left_out = run_stacks.plan(asked(), few)
    assert [section.name for section in sections] == ["stacks-reclaim", "stacks-idle"]
    assert left_out["figure time"] == "the programs of nopal-mapped are not there: it is off"
    assert "it is off" in refused(run_stacks.plan, asked(figure="reclaim,time"), few)


@pytest.mark.parametrize("figure, other, jobs", [
    ("pages", {"workers": "2,16", "workload": "fib"},
     [(f"fib {name}", p) for end in ("invoke", "frame")
      for name in (f"nopal-{end}", f"nopal-mapped-{end}") for p in (1, 2, 16)]),
    ("time", {}, [("fib nopal-invoke", 2), ("fib nopal-mapped-invoke", 2), ("fib nopal-frame", 2),
                  ("fib nopal-mapped-frame", 2)]),
    ("memory", {"variant": "frame"}, [("fib serial", 1), ("fib nopal-frame", 16),
                                      ("fib nopal-mapped-frame", 16)]),
    ("memory", {"workload": "uts"}, [("uts nopal-frame", 16)]),  # not of the paper
    ("reclaim", {"workload": "fib", "variant": "task"},
     [(f"fib nopal-task@{policy}", 2) for policy in ("none", "free", "dontneed", "adaptive")]),
    ("joins", {"variant": "frame", "workers": "2"},
     [("fib serial", 1), ("fib nopal-frame", 2), ("fib nopal-locked-frame", 2),
      ("fib nopal-the-frame", 2)]),
    ("strategies", {"workers": "2", "strategy": "deeper"},
     [("fib default", 2), ("fib deeper", 2), ("fib default@pages", 2), ("fib deeper@pages", 2)]),
    ("victims", {"workers": "2,4,8,10", "workload": "fib"},  # workers must fill packages
     [("fib uniform", 8), ("fib weighted", 8), ("fib uniform@pages", 8),
      ("fib weighted@pages", 8)]),
    ("idle", {"workers": "2", "workload": "fib", "variant": "invoke"},
     [("fib nopal-invoke busy", 2), ("fib nopal-invoke lazy", 2)]),
    ("caches", {"workers": "1,4"}, [("stack_cache", 1), ("stack_cache", 4)]),
    ("stealing", {"workload": "fib"},
     [("fib(30) serial", 1), ("fib(30) nopal-frame", 1), ("fib(30) nopal-frame", 2),
      ("fib(30) nopal-child-frame", 1), ("fib(30) nopal-child-frame", 2)]),
])
def test_what_is_measured(figure, other, jobs):
    assert labels(jobs_of(figure, **other)) == jobs


@pytest.mark.parametrize("figure, other, key, values", [
    ("pages", {"variant": "frame"}, "NOPAL_RECLAIM", {"none", "dontneed"}),
    ("memory", {"variant": "frame"}, "MALLOC_MMAP_MAX_", {"0"}),
    ("time", {}, "NOPAL_RECLAIM", {None}),
    ("strategies", {"strategy": "deeper"}, "NOPAL_BENCH_RULE", {None, "deeper"}),
    ("victims", {"workload": "fib"}, "NOPAL_BENCH_VICTIMS", {"uniform", "weighted"}),
    ("idle", {}, "NOPAL_IDLE", {"busy", "lazy"}),
])
def test_the_environment_of_what_is_measured(figure, other, key, values):
    assert {job.environment.get(key) for job in jobs_of(figure, **other)} == values


def test_what_one_worker_has_touched_is_kept():
    assert {(job.workers, job.environment["NOPAL_RECLAIM"])
            for job in jobs_of("pages", variant="frame")} == {
        (1, "none"), (2, "dontneed"), (16, "dontneed")}


def test_trees_have_many_sizes_as_far_as_the_workload_goes():
    assert list(dict.fromkeys(job.label.split(" ")[0] for job in jobs_of("stealing"))) == [
        "fib(30)", "master(1)", "master(10)", "master(100)", "master(1000)"]


def test_free_stacks_have_no_workload():
    sections, _ = run_stacks.plan(asked(workload="fib"), PROGRAMS)
    assert "stacks-caches" not in [s.name for s in sections]


# --- from records to tables


def record(label, workers, *, number=0, seconds=1.0, runtime=None, **other):
    return {"label": label, "workers": workers, "round": number, "workload": label.split(" ")[0],
            "n": 42, "seconds": [seconds], "peak_rss_bytes": 1_000_000, "wall_seconds": seconds,
            "peer": {"name": "none" if label.endswith("serial") else "nopal", "version": "1"},
            "build": {"compiler": "g++ 12.2.0", "flags": "-O3"}, "runtime": runtime, **other}


def counted(label, workers, pages=1, stacks=None, depth=0, number=0, **other):
    """Of a program that counts pages."""
    runtime = {"stack_pages": pages, "fork_depth": depth,
               "peak_stacks_in_use": workers if stacks is None else stacks, **other}
    return record(label, workers, number=number, runtime=runtime)


def _memory(label, workers, pages, heap, before):
    return {**counted(label, workers, pages, heap_pages=heap),
            "memory_pages": {"before_workers": before, "at_end": 9}}


def _steals(label, steals, within):
    return counted(label, 16, total={"steals": steals}, steals_within_package=within)


PAGES = [counted("fib nopal-frame", 1, 2, depth=41), counted("fib nopal-frame", 16, 48),
         counted("fib nopal-frame", 16, 64, number=1),
         counted("fib nopal-mapped-frame", 1, 2, depth=41),
         counted("fib nopal-mapped-frame", 16, 56)]
TIMES = [record(f"fib {name}", 2, seconds=seconds, number=number)
         for number in (0, 1) for name, seconds in (("nopal-frame", 2), ("nopal-mapped-frame", 3))]
MEMORY = [record("fib serial", 1, memory_pages={"before_workers": 100, "at_end": 103}),
          _memory("fib nopal-frame", 16, 48, 200, 100),
          _memory("fib nopal-mapped-frame", 16, 40, 300, 100)]
JOINS = [record("fib serial", 1, seconds=4),
         *(record(f"fib {name}", 2, seconds=seconds)
           for name, seconds in (("nopal-frame", 2), ("nopal-locked-frame", 2.5),
                                 ("nopal-the-frame", 1)))]
STRATEGIES = [record("fib default", 2, seconds=1), record("fib deeper", 2, seconds=3),
              counted("fib default@pages", 2, 5, stacks=4),
              counted("fib default@pages", 2, 7, stacks=3, number=1),
              counted("fib deeper@pages", 2, 9, stacks=2)]
VICTIMS = [record("fib uniform", 16, seconds=2), record("fib weighted", 16, seconds=3),
           _steals("fib uniform@pages", 30, 6), _steals("fib weighted@pages", 40, 30)]
CACHES = [record("stack_cache", 2, number=number, lists={"nanoseconds": {"median": a}},
                 bitmap={"nanoseconds": {"median": b}})
          for number, (a, b) in enumerate(((4, 10), (6, 12)))]
RECLAIM = [record(f"fib nopal-frame@{policy}", 2, seconds=seconds, number=number,
                          usage={"minor_page_faults": 30}, warm_up_seconds=warm_up,
                          runtime={"total": dict.fromkeys(("steals", "suspensions", "unmaps"),
                                                          40)})
           for number, warm_up in enumerate((9.0, None))
           for policy, seconds in (("none", 2), ("adaptive", 2.5))]
STEALING = [{**record(f"master({n}) {name}", p, seconds=seconds), "workload": "master",
             "n": n} for n in (1, 10)
            for name, p, seconds in (("serial", 1, 6), ("nopal-frame", 2, 3),
                                     ("nopal-child-frame", 2, 4 * n))]
IDLE = [record(f"fib nopal-invoke {policy}", 2, seconds=seconds)
        for policy, seconds in (("busy", 1), ("lazy", 1.5))]
BESIDE_JOINS = [record(f"lu {name}", 2, seconds=seconds) for name, seconds in (
    ("nopal-frame", 1), ("nopal-locked-frame", 1), ("nopal-invoke", 1),
    ("nopal-locked-invoke", 0.64))]


@pytest.mark.parametrize("figure, found, rows", [
    ("pages", PAGES, [
        {"pages": "fib frame", "D": 41, "S_1": 2, "S_16/16": "4.00", "mapped: S_1": 2,
         "mapped: S_16/16": "3.50", "S_1 + D": 43, "Cilk-M: S_16/16": "3.69"}]),
    ("pages", PAGES[3:], [
        {"pages": "fib frame", "D": 41, "S_1": "–", "S_16/16": "–", "mapped: S_1": 2,
         "mapped: S_16/16": "3.50", "S_1 + D": 43, "Cilk-M: S_16/16": "3.69"}]),
    ("time", TIMES, [{"T_mapped/T_default": "fib", "frame, P = 2": "1.50"},
                             {"T_mapped/T_default": "geometric mean", "frame, P = 2": "1.50"}]),
    # The heap is what came after the problem.
    ("memory", MEMORY, [
        {"pages": "fib frame", "serial, heap": "3", "stacks": "48", "heap": "100",
         "mapped: stacks": "40", "mapped: heap": "200", "Cilk-M: stacks": 59, "Cilk-M: heap": 169,
         "Cilk-5: both": 201}]),
    ("joins", JOINS, [
        {"time over the default's": "fib frame", "locked join, P = 2": "1.25",
         "THE deque, P = 2": "0.500", "T_s/T_P, P = 2": "2.00"},
        {"time over the default's": "geometric mean", "locked join, P = 2": "1.25",
         "THE deque, P = 2": "0.500", "T_s/T_P, P = 2": "–"}]),
    ("strategies", STRATEGIES, [
        {"strategy": "default", "fib, T_2/default": "1.00", "fib, pages, P = 2": "7"},
        {"strategy": "deeper", "fib, T_2/default": "3.00", "fib, pages, P = 2": "9"}]),
    ("victims", VICTIMS, [
        {"workload": "fib", "P": 16, "time, weighted/uniform": "1.50", "steals, uniform": "30",
         "steals, weighted": "40", "in a package, uniform": "0.200",
         "in a package, weighted": "0.750"}]),
    # What was not counted is no share.
    ("victims", VICTIMS[:2], [
        {"workload": "fib", "P": 16, "time, weighted/uniform": "1.50", "steals, uniform": "–",
         "steals, weighted": "–", "in a package, uniform": "–", "in a package, weighted": "–"}]),
    ("caches", CACHES, [
        {"threads": 2, "lists, ns": "5.00 (4.00..6.00)", "bitmap/lists": "2.25 (2.00..2.50)",
         "rounds": 2}]),
    ("idle", IDLE, [{"T_lazy/T_busy": "fib invoke", "P = 2": "1.50"}]),
    # A warm-up that is no repetition counts for the runtime's figures: 40 / 2 and 40, in the mean.
    ("reclaim", RECLAIM, [
        {"policy": "none", "programs": 1, "time/none, geometric mean": "–", "the most": "–",
         "by": "–", "steals": "30", "suspensions": "30", "unmaps": "30", "page faults": "30"},
        {"policy": "adaptive", "programs": 1, "time/none, geometric mean": "1.25",
         "the most": "1.25", "by": "fib nopal-frame", "steals": "30", "suspensions": "30",
         "unmaps": "30", "page faults": "30"}]),
    ("stealing", STEALING, [
        {"T_child/T_continuation": "master(1)", "P = 2": "1.33", "T_s/T_P, P = 2": "2.00"},
        {"T_child/T_continuation": "master(10)", "P = 2": "13.3", "T_s/T_P, P = 2": "2.00"}]),
    ("stealing", [r for r in STEALING if "serial" not in r["label"]], [
        {"T_child/T_continuation": f"master({n})", "P = 2": ratio}
        for n, ratio in ((1, "1.33"), (10, "13.3"))]),
])
def test_tables(figure, found, rows):
    assert rows_of(figure, found) == rows


def test_the_geometric_mean_of_joins_counts_each_workload_once():
    *_, mean = rows_of("joins", [*JOINS, *BESIDE_JOINS])
    assert mean["locked join, P = 2"] == "1.00" and mean["THE deque, P = 2"] == "0.500"


@pytest.mark.parametrize("name", ["idle", "joins", "caches", "victims", "strategies"])
def test_what_was_not_measured_says_what_measures_it(name):
    # A section without cases has records that show nothing.
    nothing = Committed({"runs": [], "libraries": [], "variants": {}, "sections": [
        {"name": f"stacks-{name}", "n": None, "runs": [], "failures": [], "cases": []}]})
    assert TABLES[name](nothing) == f"`./run bench stacks --figure {name}` measures this.\n"


@pytest.mark.parametrize("figure, column", [("pages", "mapped: S_16/16"),
                                            ("memory", "mapped: stacks")])
def test_a_run_with_fewer_stacks_than_workers_is_refused(figure, column):
    found = [*(PAGES[:4] if figure == "pages" else MEMORY[:2]),
             counted("fib nopal-mapped-frame", 16, 3, stacks=15, heap_pages=9)]
    (row,) = rows_of(figure, found)
    assert row[column] == "–"
    (refused,) = FIGURES[figure].refusals(Results(found))
    assert refused.startswith("fib nopal-mapped-frame, P = 16: at most 15 stacks")
    assert all("mapped" not in what for what in targets_of(figure, "paper", found))


def test_another_round_makes_up_for_a_run_that_is_refused():
    found = [*PAGES, counted("fib nopal-mapped-frame", 16, 3, stacks=15, number=1)]
    assert FIGURES["pages"].refusals(Results(found)) == []
    assert rows_of("pages", found) == rows_of("pages", PAGES)


# --- targets


def test_pages_of_the_paper_are_a_target_at_its_inputs():
    found = targets_of("pages", "paper", PAGES)
    assert found["fib frame, mapped, S_16/16"].must == 3.69
    assert found["fib frame, mapped, S_16/16"].verdict == "reached"
    assert found["fib frame, default, S_P/P over S_1 + D, P = 16"].measured == pytest.approx(4 / 43)
    assert not [what for what in targets_of("pages", "quick", PAGES)
                if what.endswith("S_16/16")]


def test_time_is_a_target():
    (found,) = targets_of("time", "quick", TIMES).values()
    assert (found.measured, found.verdict) == (1.5, "MISSED")


def test_memory_is_aimed_at_that_of_the_paper():
    found = targets_of("memory", "paper", MEMORY)
    assert [(t.measured, t.aim, t.verdict) for t in found.values()] == [
        (148 - 3, 228, "reached"), (240 - 3, 228, "aim not reached")]
    assert targets_of("memory", "quick", MEMORY) == {}


def test_adaptive_over_none_is_a_target():
    (found,) = targets_of("reclaim", "quick", RECLAIM).values()
    assert (found.what, found.must, found.verdict) == (
        "fib nopal-frame, reclaim adaptive over none, P = 2", 1.03, "MISSED")


def test_the_geometric_mean_of_joins_is_a_target_in_which_a_workload_counts_once():
    found = targets_of("joins", "quick", [*JOINS, *BESIDE_JOINS])
    locked = found["wait-free over locked join, geometric mean of 2 workloads, P = 2"]
    assert locked.measured == pytest.approx((1.25 * 0.8) ** 0.5)
    assert (locked.must, locked.at_most) == (1.0, False)
    assert found["wait-free over THE deque, geometric mean of 1 workloads, P = 2"].must is None


# --- what is kept


def kept(figure, found, distilled, content):
    content["sections"] = [{"name": f"stacks-{figure}", "n": None, "records": found}]
    return distilled(content)["sections"][0]["cases"]


def test_what_is_kept_says_the_size_and_has_three_digits(distilled, content):
    third = [{**r, "seconds": [s / 3 for s in r["seconds"]]} if "mapped" in r["label"] else r
             for r in TIMES]
    assert kept("time", third, distilled, content) == [
        {"label": "fib(42) nopal-frame", "workers": 2, "rounds": 2, "over_default": 3 * [0.5]}]
    assert kept("pages", PAGES, distilled, content)[1] == {
        "label": "fib(42) nopal-mapped-frame", "depth": 41, "serial_pages": 2,
        "pages_per_worker": {"16": 3.5}}
    assert kept("joins", JOINS, distilled, content)[0]["over_default"] == {
        "nopal-locked": 3 * [1.25], "nopal-the": 3 * [0.5]}


def test_other_builds_of_nopal_are_compared_and_not_put_aside(distilled, content):
    locked = [{**r, "peer": {**r["peer"], "deque": "asymmetric",
                             "join": "locked" if "locked" in r["label"] else "waitfree"}}
              for r in JOINS if "serial" not in r["label"]]
    assert kept("joins", locked, distilled, content)[0]["over_default"]["nopal-locked"]


# --- a whole run


@pytest.fixture
def built(build):
    counts = {"total": dict.fromkeys(("steals", "suspensions", "unmaps", "pages_given_back"), 0)}
    found = counted("fib", 2, stacks=2, heap_pages=9, **counts)
    found |= {"memory_pages": {"before_workers": 3, "at_end": 4},
              "usage": {"minor_page_faults": 0}}
    families = ("nopal", "space", "nopal-mapped", "space-mapped")
    listed = {family: json.dumps([{"workload": "fib", "variant": f"{family}-frame",
                                   "parallel": True, "sizes": SIZES}]) for family in families}
    return build({"families": {family: {"executable": family} for family in families},
                  "micros": {}},
                 {family: f"test $1 = --list && echo '{listed[family]}' || "
                          f"echo '{json.dumps(found)}'" for family in families})


@pytest.mark.parametrize("size, status", [("smoke", 0), ("quick", 1)])
def test_a_whole_run(built, tmp_path, capsys, monkeypatch, size, status):
    monkeypatch.setattr(whole_run, "alone", contextlib.nullcontext)  # others may measure
    assert run_stacks.main(["--build", str(built), "--workers", "2,16", "--size", size,
                            "--rounds", "1", "--out", str(tmp_path / "out")]) == status
    printed = capsys.readouterr().out
    assert "T_mapped/T_default" in printed
    assert all(f"refused: {figure}, fib nopal-mapped-frame, P = 16: at most 2 stacks" in printed
               for figure in ("pages", "memory"))
    assert "pages: pages of stacks for each worker (Lee and others 2010, figure 9), reclaim " \
        "adaptive" in printed
    assert "left out: figure joins: the programs of nopal-locked are not there" in printed
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"results.json", "table.txt",
                                                              "table.md"}
