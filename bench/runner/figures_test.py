# SPDX-License-Identifier: Apache-2.0
"""What the figures mean, with records that can be worked out in the head."""

import pytest

from runner import tables, targets, workloads
from runner.committed.distil import cases_of
from runner.committed.results import Section
from runner.measured import Workload
from runner.ratios import Results
from runner.stacks.figures import FIGURES
from runner.stm import cachegrind


def record(label, workers, *seconds, number=0, compiler="g++", **other):
    return {"label": label, "workers": workers, "round": number, "seconds": list(seconds),
            "peak_rss_bytes": 1_000_000, "build": {"compiler": f"{compiler} 1.2.3"}, **other}


# --- ratios and cells


def test_ratios_are_formed_within_rounds():
    # The second round runs on a machine half as fast: both slow down, and the ratio stays.
    results = Results([record("a", 1, 2.0), record("b", 1, 1.0), record("a", 1, 4.0, number=1),
                       record("b", 1, 2.0, number=1), record("a", 1, 9.0, number=2)])
    assert results.ratio(("a", 1), ("b", 1)) == [2.0, 2.0, 2.0]
    assert results.ratio(("a", 2), ("b", 1)) is None


def test_repetitions_of_a_process_count_as_their_median_in_ratios_and_singly_in_times():
    results = Results([record("a", 1, 1.0, 2.0, 9.0), record("b", 1, 1.0)])
    assert results.ratio(("a", 1), ("b", 1)).median == 2.0
    assert results.seconds("a", 1) == [2.0, 1.0, 9.0]


def test_a_warm_up_that_is_no_repetition_counts_for_the_counts_of_the_runtime_alone():
    results = Results([record("a", 1, 2.0, warm_up_seconds=9.0, usage={"minor_page_faults": 30},
                              runtime={"total": {"steals": 40}})])
    assert results.total_per_run("a", 1, "steals") == 20
    assert results.page_faults_per_run("a", 1) == 30


def test_failures_are_kept_apart():
    results = Results([record("a", 1, 1.0),
                       {"label": "b", "workers": 1, "round": 0, "failure": "killed"}])
    assert results.keys() == [("a", 1)] and len(results.failures) == 1


def test_numbers():
    assert [tables.number(x) for x in (None, 0, 0.1234, 2.5, 12.34, 123.4, 12345)] == [
        "–", "0", "0.123", "2.50", "12.3", "123", "12345"]
    assert [tables.spread(x) for x in (None, [2, 2, 2], [2, 1.5, 3])] == [
        "–", "2.00", "2.00 (1.50..3.00)"]


def test_a_pivot_leaves_out_nothing_and_invents_nothing():
    entries = [("a", "x", [1, 1, 1]), ("b", "y", [2, 1, 4]), ("a", "z", [4, 4, 4]),
               ("b", "x", None)]
    table = tables.pivot("corner", entries, means=True)
    assert (table.header, table.rows) == (["corner", "x", "y", "z"], [
        ["a", "1.00", "–", "4.00"], ["b", "–", "2.00 (1.00..4.00)", "–"],
        ["geometric mean", "1.00", "2.00", "4.00"]])


def test_what_a_fork_takes_is_the_time_beyond_the_serial_program_over_the_forks():
    # fib(10) forks 88 times; the serial program takes 176 ns.
    section = Section("fib", 10, [], [], [
        {"label": "a", "workers": 1, "seconds": 264e-9, "over_serial": [1.5, 1.25, 3]},
        {"label": "b", "workers": 1, "seconds": 264e-9}])
    assert workloads.ns_a_fork(section, section.case("a", 1)) == pytest.approx([1, 0.5, 4])
    assert workloads.ns_a_fork(section, section.case("b", 1)) is None


# --- targets


def sections(**of):
    """Of workloads whose records are these, and a machine with two CPUs."""
    found = []
    for name, records in of.items():
        workload = Workload(name, 40, [{**r, "cpus": 2} for r in records])
        found.append(Section(name, 40, [], [], cases_of(workload)))
    return found


def judged(**of):
    return {t.what: (pytest.approx(t.measured), t.verdict)
            for t in targets.judged(sections(**of), "paper")}


def test_the_worst_case_counts_and_what_was_not_measured_is_left_out():
    assert judged(fib=[record("serial", 1, 1.0), record("nopal-invoke", 1, 2.2),
                       record("tbb-invoke", 1, 55.0), record("tbb-group", 1, 44.0)]) == {
        "fib(40), nopal-invoke, P = 1: over_serial": (2.2, "must reached, aim not"),
        "fib(40), tbb-group, P = 1: over_nopal": (20, "must reached, aim not")}


def test_a_peer_is_compared_with_nopal_by_its_compiler():
    found = judged(heat=[record("nopal-invoke", 1, 2.0), record("tbb-invoke", 1, 2.5),
                         record("nopal-llvm-invoke", 1, 1.0, compiler="clang"),
                         record("openmp-llvm", 1, 1.1, compiler="clang")])
    assert found == {"heat(40), openmp-llvm, P = 1: over_nopal": (1.1, "reached")}


def test_overhead_is_that_of_the_best_variants_of_the_classics():
    found = judged(**{name: [record("serial", 1, 1.0), record("nopal-invoke", 1, seconds),
                             record("nopal-task", 1, 9.0)]
                      for name, seconds in (("lu", 1.0), ("heat", 4.0), ("spawn", 100.0))})
    ((what, of),) = found.items()
    assert what.endswith(": over_serial, geometric mean of 2") and of == (2.0, "MISSED")


# --- stacks


def counted(label, workers, pages, stacks=None, number=0):
    return record(label, workers, 1.0, number=number, runtime={
        "stack_pages": pages, "fork_depth": 41,
        "peak_stacks_in_use": workers if stacks is None else stacks})


def test_another_round_makes_up_for_a_run_with_fewer_stacks_than_workers():
    pages, found = FIGURES["pages"], [counted("fib frame@default", 1, 2),
                                      counted("fib frame@default", 16, 3, stacks=15)]
    (refused,) = pages.refusals(Results(found))
    assert refused.startswith("fib frame@default, P = 16: at most 15 stacks")
    found += [counted("fib frame@default", 16, 64, number=1)]
    assert pages.refusals(Results(found)) == []
    assert pages.cases(Results(found)) == [
        {"label": "fib frame", "depth": 41, "default": {"1": 2, "16": 4},
         "over_bound": {"default": 4 / 43}}]


def test_ways_are_compared_within_a_program_and_rounds():
    (case,) = FIGURES["joins"].cases(Results([
        record(label, p, seconds, number=number) for number in (0, 1) for label, p, seconds in (
            ("fib@serial", 1, 4), ("fib frame@default", 2, 2),
            ("fib frame@locked", 2, 2.5 + number), ("fib frame@the", 2, 1))]))
    assert case == {"label": "fib frame", "workers": 2, "rounds": 2, "speedup": [2, 2, 2],
                    "over": {"locked": [1.5, 1.25, 1.75], "the": [0.5, 0.5, 0.5]}}
    assert [(t.measured, t.verdict) for t in targets.judged(
        [Section("stacks-joins", None, [], [], [case])], "quick")] == [
        (1.5, "reached"), (0.5, "aim not reached")]


def test_what_was_not_counted_is_no_share():
    found = [record(f"fib@{way}", 16, 1) for way in ("uniform", "weighted")]
    (case,) = FIGURES["victims"].cases(Results(found))
    assert case == {"label": "fib", "workers": 16, "rounds": 1, "over": {"weighted": [1, 1, 1]}}


# --- transactions


def test_what_cachegrind_writes():
    text = ("desc: x\nevents: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw\nfn=f\n1 2\n"
            "summary: 100 1 1 50 5 2 20 3 1\n")
    assert cachegrind.parsed(text) == {"reads": 50, "writes": 20, "first_level": 8,
                                       "last_level": 3}
