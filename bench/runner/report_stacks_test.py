# SPDX-License-Identifier: Apache-2.0
"""What the chapter on cactus stacks says, from a recorded run and changes to it."""

import pytest

for package in ("numpy", "scipy", "matplotlib"):
    pytest.importorskip(package)

from runner import stacks_records as records  # noqa: E402
from runner.report import stacks  # noqa: E402
from runner.report.contents import Heading, Picture, Table, Text  # noqa: E402
from runner.report.stacks import (  # noqa: E402
    in_use, joins, memory, pages, reclaim, stealing, strategies, times, victims)


def tables(items):
    return [item for item in items if isinstance(item, Table)]


def pictures(items):
    return [item for item in items if isinstance(item, Picture)]


def with_section(content, name, found):
    content["sections"].append({"name": f"stacks-{name}", "n": None, "records": found})
    return content


def test_the_chapter_has_the_figures_of_the_papers_in_order(content, measured):
    part = stacks.part(measured(content))
    assert part.title == "Cactus stacks"
    said = " ".join(item.text for item in part.items if isinstance(item, Heading))
    places = [said.index(figure) for figure in ("2010, figure 2)", "figure 8", "figure 9",
                                                "figure 10", "figure 5.1", "figure 5.2",
                                                "figures 5.4 and 5.5")]
    assert places == sorted(places)


def test_pages_of_both_kinds_stand_beside_those_of_the_paper(content, measured):
    found = pages.items(measured(with_section(content, "pages", records.PAGES)))
    (picture,) = pictures(found)
    assert "fib(42) frame, default: 4.00 of 43; fib(42) frame, mapped: 3.50 of 43" in picture.alt
    assert picture.alt.endswith("Cilk-M: fib(42) frame 3.69")
    assert [t.get_text() for t in picture.figure.axes[0].get_legend().get_texts()] == [
        "S_1", "S_16/16, default", "S_16/16, mapped", "Cilk-M", "S_1 + D"]


def test_time_with_mapped_stacks_is_drawn(content, measured):
    found = times.items(measured(with_section(content, "time", records.TIMES)))
    (picture,) = pictures(found)
    assert picture.alt.endswith("P = 2. fib(42): frame 1.50")
    assert tables(found)[0].rows[0][-1] == "1.50 (1.50..1.50)"


def test_memory_stands_beside_the_serial_program(content, measured):
    found = memory.items(measured(with_section(content, "memory", records.MEMORY)))
    (picture,) = pictures(found)
    assert picture.alt.endswith("P = 16. fib(42) frame: serial 3.00, default 148, mapped 240")


def test_joins_of_the_papers_programs_are_drawn(content, measured):
    found = joins.items(measured(with_section(content, "joins", records.JOINS)))
    (picture,) = pictures(found)
    assert picture.alt.endswith("P = 2. fib(42) frame: locked join 1.25, THE deque 0.500")


def test_strategies_are_drawn_by_program(content, measured):
    found = strategies.items(measured(with_section(content, "strategies", records.STRATEGIES)))
    (picture,) = pictures(found)
    assert picture.alt.endswith("P = 2. default: fib(42) 1.00; deeper: fib(42) 3.00")
    assert len(tables(found)[0].rows) == 2


def test_victims_are_a_table(content, measured):
    (table,) = tables(victims.items(measured(with_section(content, "victims", records.VICTIMS))))
    assert table.rows[0][:3] == ["fib(42)", 16, "1.50"]


def test_reclaim_draws_time_and_four_counts(content, measured):
    m = measured(content)
    assert [p.name for p in pictures(reclaim.items(m))] == [
        "reclaim-time", "reclaim-steals", "reclaim-suspensions", "reclaim-unmaps",
        "reclaim-page-faults"]


def test_the_papers_programs_are_drawn_if_there_are_any():
    assert stacks.bars.drawn(["fib(42) frame", "uts(2) frame"]) == ["fib(42) frame"]
    assert stacks.bars.drawn(["uts(2) frame"]) == ["uts(2) frame"]


@pytest.mark.parametrize("module", [strategies, times, memory, stealing, reclaim, victims])
def test_what_was_not_measured_is_one_line(content, measured, module):
    content["sections"] = content["sections"][:1]
    failed = {"label": "fib nopal-frame", "workers": 2, "round": 0, "failure": "killed"}
    content["sections"] += [{"name": f"stacks-{name}", "n": None, "records": [failed]}
                            for name in ("strategies", "time", "memory", "stealing", "reclaim",
                                         "victims")]
    (line,) = module.items(measured(content))
    assert isinstance(line, Text) and "./run bench stacks --figure" in line.text


# --- pages by the number of workers, stacks in use, counts


def space_record(workers, pages, number=0, depth=0):
    return {"label": "fib nopal-invoke", "workload": "fib", "n": 30, "workers": workers,
            "round": number, "seconds": [1.0],
            "peer": {"name": "nopal"}, "runtime": {"stack_pages": pages, "fork_depth": depth}}


def test_pages_of_stacks_stand_beside_their_bound(content, measured):
    content["sections"].append({"name": "space", "n": None, "records": [
        space_record(1, 3, depth=29), space_record(2, 8), space_record(2, 10, number=1),
        space_record(16, 40)]})
    found = pages.items(measured(content))
    assert tables(found)[0].rows == [["fib(30) nopal-invoke", 29, 3, "5.00", "2.50", 32]]
    assert [p.name for p in pictures(found)] == ["stack-pages"]


def test_without_pages_of_one_worker_there_is_no_bound(content, measured):
    content["sections"].append({"name": "space", "n": None, "records": [space_record(2, 8)]})
    assert "./run bench --workload space" in pages.items(measured(content))[-1].text


def test_stacks_are_counted_for_each_worker(content, measured):
    rows = {tuple(row[:3]): row for row in tables(in_use.items(measured(content)))[0].rows}
    one = rows["fib(40)", "nopal-invoke", 1]
    assert (one[3], one[4]) == (1, "1.00")


def test_counts_are_for_one_run_of_the_workload(content, measured):
    section = next(s for s in content["sections"] if s["name"] == "stacks-reclaim")
    for r in section["records"]:
        r["seconds"], r["warm_up_seconds"] = [1.0, 1.0, 1.0], 1.5
        r["runtime"]["total"]["steals"], r["usage"]["minor_page_faults"] = 40, 30
    row = tables(reclaim.items(measured(content)))[0].rows[0]
    assert row[:3] == ["fib(34) nopal-invoke", "none", 1]
    assert (row[4], row[7]) == ("10.0", "10.0")  # the warm-up counts for the runtime only


def test_a_warm_up_that_counts_as_a_repetition_is_no_further_run(content, measured):
    section = next(s for s in content["sections"] if s["name"] == "stacks-reclaim")
    for r in section["records"]:
        r["seconds"], r["warm_up_seconds"] = [6.0, 6.1], 6.0
        r["runtime"]["total"]["steals"] = 40
    assert tables(reclaim.items(measured(content)))[0].rows[0][4] == "20.0"


# --- child against continuation stealing


def stealing_records(n, workload="master"):
    def record(variant, workers, seconds):
        return {"label": f"{workload}({n}) {variant}", "workload": workload, "n": n,
                "variant": variant, "workers": workers, "round": 0, "seconds": [seconds],
                "peer": {"name": "nopal" if "nopal" in variant else "serial"},
                "peak_rss_bytes": 1_000_000}
    return [record("serial", 1, 6.0), record("nopal-frame", 1, 6.0), record("nopal-frame", 2, 3.0),
            record("nopal-child-frame", 1, 9.0), record("nopal-child-frame", 2, 4.0)]


def stealing_items(content, measured, records):
    content["sections"].append({"name": "stacks-stealing", "n": None, "records": records})
    return stealing.items(measured(content))


def test_child_stealing_stands_beside_continuation_stealing(content, measured):
    found = stealing_items(content, measured, stealing_records(1000))
    (table,) = tables(found)
    assert table.rows == [["master(1000)", 1, "6.00", "9.00", "1.50", "1.00", "0.667"],
                          ["master(1000)", 2, "3.00", "4.00", "1.33", "2.00", "1.50"]]
    assert not pictures(found)


def test_three_sizes_of_a_tree_are_drawn(content, measured):
    records = [r for n in (1, 10, 100) for r in stealing_records(n)] + stealing_records(42, "fib")
    found = stealing_items(content, measured, records)
    programs, _, tree, ratio = pictures(found)
    assert (tree.name, ratio.name) == ("stealing-master", "stealing-ratio-master")
    assert "continuation: n = 1 2.00" in tree.alt and "child: n = 1 1.50" in tree.alt
    assert "P = 2: n = 1 1.33" in ratio.alt
    assert programs.alt.endswith("P = 1. fib(42): continuation 1.00, child 0.667")


def test_without_the_serial_program_there_is_no_speedup(content, measured):
    records = [r for n in (1, 10, 100) for r in stealing_records(n) if r["variant"] != "serial"]
    found = stealing_items(content, measured, records)
    assert [p.name for p in pictures(found)] == ["stealing-ratio-master"]
    assert tables(found)[0].rows[0][5:] == ["–", "–"]


def test_child_stealing_is_in_no_other_chapter(content, measured):
    content["sections"].append({"name": "stacks-stealing", "n": None,
                                "records": stealing_records(1000)})
    m = measured(content)
    assert not [label for w in m.workloads for label in w.labels() if "child" in label]
    assert "stacks-stealing" not in [w.name for w in m.micros]
