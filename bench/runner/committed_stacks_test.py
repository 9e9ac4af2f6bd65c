# SPDX-License-Identifier: Apache-2.0
"""The tables of cactus stacks in the documents."""

import pytest

from runner import stacks_records as records
from runner.committed import distil, results
from runner.committed.tables import TABLES

FIGURES = {"strategies": "strategies", "mapped time": "time", "mapped pages": "pages",
           "joins": "joins", "reclaim policies": "reclaim"}


@pytest.fixture
def table(measured, content):
    """Makes the rows of a table from records of its figure."""
    def of(name, found=None):
        if found is not None:
            content["sections"] = [{"name": f"stacks-{FIGURES[name]}", "n": None, "records": found}]
        text = TABLES[name](results.Committed(distil.distil(measured(content).documents)))
        header, _, *rows = [line.strip("|\n ").split(" | ") for line in text.splitlines()]
        return [dict(zip(header, row)) for row in rows]
    return of


@pytest.mark.parametrize("name", FIGURES)
def test_what_was_not_measured_says_what_measures_it(name):
    nothing = results.Committed({"runs": [], "libraries": [], "variants": {}, "sections": []})
    assert TABLES[name](nothing) == (
        f"`./run bench stacks --figure {FIGURES[name]}` measures this.\n")


def test_pages_stand_beside_those_of_the_paper(table):
    (row,) = table("mapped pages", records.PAGES)
    assert row == {"pages": "fib(42) frame", "D": "41", "S_1": "2", "S_16/16": "4.00",
                   "mapped: S_1": "2", "mapped: S_16/16": "3.50", "S_1 + D": "43",
                   "Cilk-M: S_16/16": "3.69"}


def test_other_programs_are_not_in_the_table_of_pages(table):
    other = [{**r, "label": r["label"].replace("fib", "uts"), "workload": "uts"}
             for r in records.PAGES]
    assert len(table("mapped pages", [*records.PAGES, *other])) == 1


def test_times_have_a_geometric_mean(table):
    lu = [records.record(f"lu {name}", 2, seconds=seconds)
          for name, seconds in (("nopal-frame", 1), ("nopal-mapped-frame", 1.5))]
    assert [row["frame, P = 2"] for row in table("mapped time", [*records.TIMES, *lu])] == [
        "1.50", "1.50", "1.50"]


def test_strategies_have_time_and_pages(table):
    default, deeper = table("strategies", records.STRATEGIES)
    assert deeper == {"strategy": "deeper", "fib(42), T_2/default": "3.00",
                      "fib(42), pages, P = 2": "9"}
    assert default["fib(42), pages, P = 2"] == "7"


def test_policies_add_up_what_programs_count(table):
    none, adaptive = table("reclaim policies")
    assert (none["policy"], none["time/none, geometric mean"]) == ("none", "–")
    assert adaptive["policy"] == "adaptive" and int(adaptive["steals"]) > 0
    assert float(adaptive["time/none, geometric mean"]) == pytest.approx(1, abs=0.5)


def test_joins_have_a_geometric_mean_for_each_build(table):
    lu = [records.record(f"lu {name}", 2, seconds=seconds)
          for name, seconds in (("nopal-frame", 1), ("nopal-locked-frame", 1),
                                ("nopal-invoke", 1), ("nopal-locked-invoke", 0.64))]
    *_, mean = table("joins", [*records.JOINS, *lu])
    assert mean["locked join, P = 2"] == "1.00" and mean["THE deque, P = 2"] == "0.500"
