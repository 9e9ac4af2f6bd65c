# SPDX-License-Identifier: Apache-2.0
import argparse
import dataclasses
import json
from pathlib import Path

import pytest

import run_stm
from runner.committed.results import Committed, of_cases
from runner.programs import NotBuilt
from runner.ratios import Results
from runner.stm import cachegrind, figures
from runner.stm.plan import plan
from runner.stm.program import StmProgram, find_stm

NAMES = ("inline", "table-20", "libitm-ml_wt", "stm", "mutex", "serial", "inline-counted",
         "table-20-counted")
PROGRAMS = {name: StmProgram(Path(f"/somewhere/{name}")) for name in NAMES}


def asked(workload, **other):
    return argparse.Namespace(**{"workload": workload, "variant": None, "threads": "1,2",
                                 "share": 1, **other})


def record(label, threads, seconds, number=0, **other):
    return {"label": label, "workers": threads, "round": number, "oversubscribed": threads > 2,
            "seconds": [seconds], "cpu_seconds": [seconds], "commits": 10, "conflicts": 1,
            "read_set": 5.0, "read_sets": [], "peak_rss_bytes": 5_000_000,
            "peer": {"name": "nopal", "version": "1"}, "machine": {"cpus": 2},
            "build": {"compiler": "g++ 12.2.0", "flags": "-O3"}, **other}


def missed(workload, variant, count):
    return record(f"{workload} {variant}", 1, 1, misses={"reads": 900, "writes": 100,
                                                         "first_level": count, "last_level": 1})


VACATION = [record(label, threads, seconds * (1 + number / 100), number)
            for number in (0, 1)
            for label, threads, seconds in (("inline", 1, 2), ("inline", 2, 1.25),
                                            ("table-20", 1, 3), ("libitm-ml_wt", 1, 2.5),
                                            ("serial", 1, 1), ("mutex", 2, 1))]
MISSES = [missed("yada", "inline", 60), missed("yada", "table-20", 100)]
LOCALITY = [record("locality-far", 1, 1.8), record("locality-near", 1, 1)]
READ_SETS = [record("inline", 1, 1, read_set=100, read_sets=[0] * 100 + [7]),
             record("table-20", 1, 1, read_set=200, read_sets=[0] * 600 + [7])]


def labels(workload, **other):
    (section,) = plan(asked(workload, **other), PROGRAMS)
    return [(job.label, job.workers) for job in section.jobs]


def test_the_serial_program_has_one_thread_and_crates_have_one_workload():
    assert labels("yada") == [("inline", 1), ("table-20", 1), ("libitm-ml_wt", 1), ("mutex", 1),
                              ("serial", 1), ("inline", 2), ("table-20", 2), ("libitm-ml_wt", 2),
                              ("mutex", 2)]
    assert ("stm", 2) in labels("one-var-shared") and ("atomic", 2) in labels("one-var-shared")
    assert labels("yada", variant="mutex", threads="2") == [("mutex", 2)]
    assert labels("contention", threads="4") == [("contention-local", 4), ("contention-shared", 4)]
    assert labels("read-sets") == [("inline", 1), ("table-20", 1)]
    assert ("yada+ table-20", 1) in labels("misses")


@pytest.mark.parametrize("wrong", [{"threads": "two"}, {"threads": "0"}, {"variant": "gl"}])
def test_a_wrong_command_line_is_refused(refused, wrong):
    assert refused(plan, asked("yada", **wrong), PROGRAMS)


def test_programs_are_found(build, tmp_path):
    with pytest.raises(NotBuilt):
        find_stm(tmp_path)
    folder = build({}, {"nopal-bench-stm-inline": "", "nopal-bench-stm-libitm": ""})
    rust = folder / "bench" / "rust-stm" / "release" / "nopal-bench-rust-stm"
    rust.parent.mkdir(parents=True)
    rust.touch(0o755)
    found = find_stm(folder)
    assert list(found) == ["inline", "libitm-ml_wt", "libitm-gl_wt", "stm", "fast-stm"]
    assert found["libitm-gl_wt"].environment == {"ITM_DEFAULT_METHOD": "gl_wt"}
    assert found["stm"].command("one-var-local", 2, 1) == [str(rust), "stm", "one-var-local", "2",
                                                           "1"]


def rows_of(section, records):
    found = of_cases(section, figures.cases(section, Results(records)))
    return figures.table(dataclasses.replace(found, cpus=2)).rows


def test_what_is_printed():
    by_variant = {(row[0], row[1]): row for row in rows_of("stm-vacation-low", VACATION)}
    assert by_variant["table-20", "1"][2:] == ["3.02 (3.00..3.03)", "1.50", "–", "3.02", "1.00",
                                               "5.00", 2]
    assert by_variant["inline", "2"][4] == "1.60"
    assert rows_of("stm-locality", [*LOCALITY, record("locality-far", 4, 1)])[-1][1] == "4 *"
    assert rows_of("stm-read-sets", READ_SETS) == [["average", "100", "200"], ["from 96", 7, 0],
                                                   ["from 512", 0, 7]]


def test_targets():
    found = {t.what: (round(t.measured, 3), t.verdict)
             for t in figures.targets_of("stm-vacation-low", Results(VACATION))}
    assert found == {"vacation-low, table-20 over inline, P = 1": (1.5, "reached"),
                     "vacation-low, libitm ml_wt over inline, P = 1": (1.25, "MISSED"),
                     "vacation-low, inline over serial, P = 1": (2, "must reached, aim not"),
                     "vacation-low, inline, T_1/T_2": (1.6, "MISSED"),
                     "vacation-low, mutex over inline, P = 2": (0.8, "aim not reached")}
    (target,) = figures.targets_of("stm-misses", Results(MISSES))
    assert (target.measured, target.verdict) == (0.6, "reached")
    (target,) = figures.targets_of("stm-locality", Results(LOCALITY))
    assert (target.measured, target.verdict) == (1.8, "reached")
    (target,) = figures.targets_of("stm-read-sets", Results(READ_SETS))
    assert (target.measured, target.verdict) == (0.5, "reached")


def test_what_cachegrind_writes():
    text = ("desc: x\nevents: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw\nfn=f\n1 2\n"
            "summary: 100 1 1 50 5 2 20 3 1\n")
    assert cachegrind.parsed(text) == {"reads": 50, "writes": 20, "first_level": 8,
                                       "last_level": 3}


@pytest.fixture
def complete(content):
    sections = {"stm-vacation-low": VACATION, "stm-misses": MISSES, "stm-read-sets": READ_SETS,
                "stm-one-var-local": [record("inline", 1, 1), record("atomic", 1, 0.1)],
                "stm-contention": [record(load, n, seconds)
                                   for n, of_one, of_all in ((1, 2, 2), (2, 1, 4))
                                   for load, seconds in (("contention-local", of_one),
                                                         ("contention-shared", of_all))],
                "stm-locality": LOCALITY}
    return {**content, "sections": [{"name": name, "n": None, "records": records}
                                    for name, records in sections.items()]}


@pytest.mark.parametrize("table, row", [
    ("workloads", "| vacation-low | libitm-ml_wt | 2.51 (2.50..2.52) | 1.25 | –"),
    ("one_var", "| one-var-local | atomic | 0.100 | – |"),
    ("misses", "| yada | table-20 | 10.0 | 0.100 | 100 | 0.600 |"),
    ("read_sets", "| from 96 | 7 | 0 |"), ("contention", "| 2 | 2.00 | 0.500 |"),
    ("locality", "| 1 | 1.80 | 1.00 | 1.80 |")])
def test_what_is_kept_gives_the_documents_tables(complete, distilled, table, row):
    committed = Committed(json.loads(json.dumps(distilled(complete))))
    assert row in str(getattr(figures, table)(committed))


def test_what_is_kept_gives_the_figures(complete, distilled):
    charts = {chart.name: chart for chart in figures.charts(Committed(distilled(complete)))}
    assert charts["stm-contention"].alt.endswith(
        "contention-local: 1 1.00, 2 2.00; contention-shared: 1 1.00, 2 0.500")
    assert {"stm-vacation", "stm-contention", "stm-locality", "stm-read-sets"} == set(charts)


def test_where_locality_is_not_kept_the_document_says_what_measures_it():
    assert "--workload locality" in figures.locality(Committed({
        "runs": [], "libraries": [], "variants": {}, "sections": []}))


def test_the_largest_inputs_are_measured_if_asked_for():
    for workload in ("vacation-low++", "vacation-high++", "intruder++", "yada++"):
        assert labels(workload, variant="inline,table-20", threads="1") == [("inline", 1),
                                                                            ("table-20", 1)]


def test_a_run_from_end_to_end(build, capsys):
    folder = build({}, {"nopal-bench-stm-inline": f"echo '{json.dumps(record('inline', 1, 1))}'"})
    assert run_stm.main(["--build", str(folder), "--workload", "yada", "--threads", "1",
                         "--rounds", "1", "--share", "100"]) == 0
    written = json.loads((folder / "bench/results/stm/results.json").read_text())
    assert [s["name"] for s in written["sections"]] == ["stm-yada"]
    assert written["absent"]["stm: fast-stm"] and "left out" in capsys.readouterr().out
