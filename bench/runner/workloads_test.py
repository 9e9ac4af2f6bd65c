# SPDX-License-Identifier: Apache-2.0
"""From the records of workloads to ratios, tables and targets, and what the command line names."""

from pathlib import Path

import pytest

from runner import micro, tables, targets, workloads
from runner.command_line import chosen, need_packages, numbers
from runner.programs import NotBuilt, find_programs
from runner.ratios import Results
from runner.stacks.pages import PAGES, of_spaces


def record(label, workers, *seconds, number=0, compiler="g++", rss=1_000_000, before=None, **other):
    return {"label": label, "workers": workers, "round": number, "seconds": list(seconds),
            "peak_rss_bytes": rss, "build": {"compiler": f"{compiler} 1.2.3"}, **other,
            **({} if before is None else {"rss_before_workers_bytes": before})}


# --- ratios


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


def test_failures_are_kept_apart():
    results = Results([record("a", 1, 1.0),
                       {"label": "b", "workers": 1, "round": 0, "failure": "killed"}])
    assert results.keys() == [("a", 1)] and len(results.failures) == 1


# --- tables


FIB = [record("serial", 1, 1.0), record("nopal-invoke", 1, 2.2), record("nopal-invoke", 2, 1.2),
       record("tbb-invoke", 1, 50.0), record("tbb-group", 1, 40.0)]


def test_numbers():
    assert [tables.number(x) for x in (None, 0, 0.1234, 2.5, 12.34, 123.4, 12345)] == [
        "–", "0", "0.123", "2.50", "12.3", "123", "12345"]
    assert [tables.spread(x) for x in (None, [2, 2, 2], [2, 1.5, 3])] == [
        "–", "2.00", "2.00 (1.50..3.00)"]


def test_every_row_has_a_cell_for_every_column():
    table = workloads.table(Results(FIB))
    assert [name for name in table.header if name.startswith("by ")] == ["by nopal-invoke"]
    assert len(table.rows) == 5 and {len(r) for r in table.rows} == {len(table.header)}
    assert "| serial | 1 |" in str(table) and "\nnopal-invoke  1 " in table.as_text()


def test_a_pivot_leaves_out_nothing_and_invents_nothing():
    entries = [("a", "x", [1, 1, 1]), ("b", "y", [2, 1, 4]), ("a", "z", [4, 4, 4]),
               ("b", "x", None)]
    table = tables.pivot("corner", entries, means=True)
    assert (table.header, table.rows) == (["corner", "x", "y", "z"], [
        ["a", "1.00", "–", "4.00"], ["b", "–", "2.00 (1.00..4.00)", "–"],
        ["geometric mean", "1.00", "2.00", "4.00"]])


QUANTILES = {"median": 2000, "p10": 1000, "p90": 3000}


@pytest.mark.parametrize("name, records, rows, found", [
    ("fork_price", [{"n": 30, "invoke_by_serial": {"median": 2, "p10": 1, "p90": 3},
                     "frame_by_serial": {"median": 4, "p10": 1, "p90": 9}}],
     [["fib(30), invoke over serial, in turns", "2.00", "1.00", "3.00", 1],
      ["fib(30), frame over serial, in turns", "4.00", "1.00", "9.00", 1]],
     ["reached", "MISSED"]),
    ("idle_cpu", [{"cpu_percent": value} for value in (0.1, 0.3, 0.2)],
     [["CPU of an idle runtime, % of one", "0.200", "–", "–", 3]], ["must reached, aim not"]),
    ("wakeup_latency", [{"nanoseconds": QUANTILES, "nanoseconds_to_return": None}],
     [["wake-up to first instruction, µs", "2.00", "1.00", "3.00", 1],
      ["run() of an empty closure on a sleeping runtime, µs", "–", "–", "–", 1]], ["reached"]),
    ("steal_latency", [{"invoke": {"nanoseconds": QUANTILES}, "frame": {"nanoseconds": None}}],
     [["steal to first instruction, invoke, ns", "2000", "1000", "3000", 1],
      ["steal to first instruction, frame, ns", "–", "–", "–", 1]], ["aim not reached"]),
    ("signal_latency", [{"signal_and_end": QUANTILES, "signal": QUANTILES}],
     [["signal_and_end to the waiter's first instruction, ns", "2000", "1000", "3000", 1],
      ["signal to the waiter's first instruction, ns", "2000", "1000", "3000", 1]],
     ["aim not reached"]),
    ("idle_cpu", [], [], []), ("unheard_of", [{}], [], [])])
def test_micro_measurements(name, records, rows, found):
    results = Results([{"label": name, "workers": 1, **r} for r in records])
    assert micro.table(micro.cases(name, results)).rows == rows
    assert [t.verdict for t in micro.targets(name, results)] == found


# --- targets


def pages(workers, most, depth=0):
    return record("fib nopal-invoke", workers, 1.0,
                  runtime={"stack_pages": most, "fork_depth": depth})


BY_COMPILER = [record("nopal-invoke", 1, 2.0), record("tbb-invoke", 1, 2.5),
               record("nopal-llvm-invoke", 1, 1.0, compiler="clang"),
               record("openmp-llvm", 1, 1.1, compiler="clang"),
               record("rayon", 1, 1.6, compiler="rustc")]
OF_TWO = [record("nopal-invoke", 1, 1.0), record("nopal-invoke", 2, 0.7),
          record("nopal-frame", 1, 1.2), record("nopal-frame", 2, 0.6)]
SIZED = [record(label, 2, 1.0, rss=peak, before=before) for label, peak, before in (
    ("nopal-invoke", 5000, 4000), ("nopal-frame", 9000, 4000), ("rayon", 4000, 2000),
    ("tbb-invoke", 12000, 4000), ("serial", 4100, 4000))]


@pytest.mark.parametrize("found, expected", [
    # Of several ways to use a peer the fastest counts; what was not measured is left out.
    (targets.workload_targets("fib", 40, Results(FIB)),
     [("fib(40), nopal-invoke, T_1/T_s", 2.2, "must reached, aim not"),
      ("fib(40), nopal-invoke, T_1/T_2", 2.2 / 1.2, "MISSED"),
      ("fib(40), oneTBB over nopal-invoke, P = 1", 40 / 2.2, "must reached, aim not")]),
    # The speedup of tasks is a target, their price is not.
    (targets.workload_targets("fib", 40, Results([
        record("serial", 1, 1.0), record("nopal-task", 1, 4.0), record("nopal-task", 2, 2.0)])),
     [("fib(40), nopal-task, T_1/T_2", 2.0, "reached")]),
    # Memory of a loop does not grow with its length.
    (targets.workload_targets("loop", 100, Results([
        record("nopal-frame", 1, 1.0, rss=9_000_000),
        record("nopal-frame@n/100", 1, 0.01, rss=4_000_000),
        record("nopal-task", 2, 1.0, rss=4_050_000),
        record("nopal-task@n/100", 2, 0.01, rss=4_000_000)])),
     [("loop(100), nopal-frame, peak RSS over that of a loop of 1/100, MB, P = 1", 5.0, "MISSED"),
      ("loop(100), nopal-task, peak RSS over that of a loop of 1/100, MB, P = 2", 0.05,
       "reached")]),
    # nopal's best variant meets the best peer.
    (targets.against_peers("lu", Results([
        record("serial", 1, 1.0), record("nopal-invoke", 1, 2.0), record("nopal-frame", 1, 1.5),
        record("tbb-invoke", 1, 3.0), record("tbb-group", 1, 1.2), record("chili", 1, 1.25)])),
     [("lu, nopal-frame over tbb-group, P = 1", 1.25, "MISSED")]),
    # A peer is compared with nopal by its compiler.
    (targets.against_peers("lu", Results(BY_COMPILER)),
     [("lu, nopal-llvm-invoke over openmp-llvm, P = 1", 1 / 1.1, "reached")]),
    # Serial programs and other sizes are no peers.
    (targets.against_peers("lu", Results([
        record("serial", 1, 0.5), record("serial-inlined", 1, 0.4),
        record("elision-invoke", 1, 0.5), record("nopal-frame", 1, 1.0),
        record("nopal-frame@n/100", 1, 0.01)])), []),
    # Speedup is that of the variant that is best with two workers.
    (targets.against_peers("lu", Results(OF_TWO)), [("lu, nopal-frame, T_1/T_2", 2.0, "reached")]),
    (targets.against_peers("loop", Results(OF_TWO)), []),
    # Overhead is over the serial program of the same compiler, and of the classics alone.
    (targets.overhead_of_classics([
        (name, Results([record("serial", 1, 1.0), record("nopal-invoke", 1, seconds),
                        record("nopal-frame", 1, 9.0)]))
        for name, seconds in (("lu", 1.0), ("heat", 4.0), ("fib", 100.0))]),
     [("T_1/T_s of nopal's best variants, geometric mean of 2 classic workloads", 2.0, "MISSED")]),
    (targets.overhead_of_classics([("lu", Results([
        record("serial", 1, 1.0), record("nopal-invoke", 1, 1.5),
        record("serial-llvm", 1, 0.5, compiler="clang"),
        record("nopal-llvm-invoke", 1, 0.6, compiler="clang")]))]),
     [("T_1/T_s of nopal's best variants, geometric mean of 1 classic workloads", 1.2, "MISSED")]),
    (targets.overhead_of_classics([("fib", Results(FIB))]), []),
    # Space is judged where it is worst.
    (PAGES.targets("quick", of_spaces(Results([pages(1, 3, depth=1), pages(2, 10),
                                               pages(4, 12)]))),
     [("fib invoke, default, S_P/P over S_1 + D, P = 2", 1.25, "MISSED")]),
    # Memory is that of the workers.
    (targets.memory_against_peers("fib", "fib(42)", Results(SIZED)),
     [("fib(42), RSS of the workers, nopal-invoke over rayon, P = 2", 0.5, "reached")]),
    (targets.memory_against_peers("lu", "lu(1024)", Results(SIZED)), []),
])
def test_targets(found, expected):
    assert [(t.what, t.measured, t.verdict) for t in found] == [
        (what, pytest.approx(measured), verdict) for what, measured, verdict in expected]


def test_the_table_of_targets_says_what_must_be():
    assert targets.table([targets.Target("a", 2.0, 3.0, None, True),
                          targets.Target("b", 2.0, None, 3.0, False)]).rows == [
        ["a", "2.00", "≤ 3", "–", "reached"], ["b", "2.00", "–", "≥ 3", "aim not reached"]]


# --- the command line


def test_a_bad_name_lists_the_valid_ones(refused):
    assert "fib skynet" in refused(chosen, "fob", ["fib", "skynet"], "workload")
    refused(chosen, "", ["fib"], "workload")
    assert chosen("skynet, fib", ["fib", "skynet"], "workload") == ["skynet", "fib"]
    assert chosen(None, ["fib", "skynet"], "workload") == ["fib", "skynet"]


def test_numbers_of_workers(refused):
    assert numbers("1,2", "--workers") == [1, 2]
    for bad in ("", "0", "1,x", "-1"):
        refused(numbers, bad, "--workers")


def test_what_is_missing_is_named_with_what_to_do(refused):
    need_packages("json")
    assert ("lacks no_such_package; on Debian: apt-get install python3-no_such_package"
            in refused(need_packages, "json", "no_such_package"))
    with pytest.raises(NotBuilt, match="NOPAL_BUILD_BENCH"):
        find_programs(Path(__file__).parent)
