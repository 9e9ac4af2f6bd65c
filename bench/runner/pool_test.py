# SPDX-License-Identifier: Apache-2.0
"""The figures of `./run bench pool`: what is measured, and what comes of the records."""

import argparse
import dataclasses
import json
from pathlib import Path

import pytest

import run_pool
from runner.committed.results import Committed, of_cases
from runner.committed.tables import TABLES
from runner.pool.figures import FIGURES, ONE_NODE_NOTE, sizes, splits
from runner.pool.load import Load
from runner.pool.program import PoolProgram, find_pool
from runner.programs import NotBuilt
from runner.ratios import Results

CHUNKS = {"salsa": 1000, "salsa-cas": 1000, "concurrent-bag": 128, "ms-queue": None,
          "lifo-stack": None, "salsa-unbalanced": 1000, "salsa-cas-unbalanced": 1000,
          "concurrent-bag-unbalanced": 128, "tbb-queue": None, "mutex-deque": None}
PROGRAM = PoolProgram(Path("/somewhere/nopal-bench-pool"),
                      Path("/somewhere/nopal-bench-pool-counted"), CHUNKS,
                      {"moodycamel": "not found (Debian: libconcurrentqueue-dev)"})


def asked(**other):
    return argparse.Namespace(**{"figure": None, "variant": None, "threads": 8, "seconds": 2.0,
                                 "repetitions": 1, **other})


def record(load, rate, number=0):
    """Of a measurement with that many million elements a second, or compare-and-swaps for each."""
    return {"label": load.label, "workers": load.threads, "round": number, "seconds": [1 / rate],
            "tasks_per_second": [rate * 1e6], "peak_rss_bytes": 5_000_000,
            "repetitions": [{"put": 1000, "compare_and_swaps": rate * 1000}]}


def section_of(figure, records):
    """Of a machine with two CPUs."""
    cases = FIGURES[figure].cases(Results(records))
    return dataclasses.replace(of_cases(FIGURES[figure].section, cases), cpus=2)


def rows_of(figure, records):
    table = FIGURES[figure].table(section_of(figure, records))
    return [dict(zip(table.header, row, strict=True)) for row in table.rows]


def labels(section):
    return [job.label for job in section.jobs]


# --- what is measured


def test_sizes_go_up_to_what_was_asked_for_and_splits_have_all_threads():
    assert [sizes(n) for n in (1, 2, 3, 8)] == [[1], [1, 2], [1, 2, 3], [1, 2, 4, 8]]
    assert [splits(n) for n in (8, 4, 2)] == [
        [(1, 7), (2, 6), (4, 4), (6, 2), (7, 1)], [(1, 3), (2, 2), (3, 1)], [(1, 1)]]


@pytest.mark.parametrize("figure, place, expected", [
    ("throughput", slice(3), ["salsa 1/1", "salsa-cas 1/1", "concurrent-bag 1/1"]),
    ("one-producer", slice(-1, None), ["mutex-deque 2/1"]),
    ("balancing", slice(None),
     [f"{v}{kind} {sides}" for sides in ("1/1", "1/2") for kind in ("", "-unbalanced")
      for v in ("salsa", "salsa-cas", "concurrent-bag")]),
    ("alone", slice(2), ["salsa 1/1", "salsa 1/1 producers alone"]),
    ("hindered", slice(3), ["salsa 1/2", "salsa 1/2 slow 64", "salsa 1/2 stalled"]),
    ("swaps", slice(4, 6), ["lifo-stack 1/1 counted", "salsa 1/2 counted"]),
    ("pinning", slice(None), [f"salsa {sides}{kind}" for sides in ("1/1", "2/2")
                              for kind in ("", " not pinned", " memory on one node")]),
    ("chunks", slice(3), [f"{v} 2/2 chunk 16" for v in ("salsa", "salsa-cas", "concurrent-bag")]),
])
def test_every_figure_has_its_variants_in_turn(figure, place, expected):
    (section,) = run_pool.plan(asked(figure=figure, threads=2), PROGRAM)
    assert section.name == f"pool-{figure}" and labels(section)[place] == expected


def test_all_labels_of_a_section_differ():
    sections = run_pool.plan(asked(), PROGRAM)
    assert [s.name for s in sections] == [f.section for f in FIGURES.values()]
    for section in sections:
        assert len(set(labels(section))) == len(section.jobs)


def test_variants_can_be_chosen_where_a_figure_can_show_them():
    (section,) = run_pool.plan(asked(figure="throughput", variant="mutex-deque,salsa", threads=1),
                               PROGRAM)
    assert labels(section) == ["salsa 1/1", "mutex-deque 1/1"]
    assert {s.name for s in run_pool.plan(asked(variant="mutex-deque"), PROGRAM)} == {
        "pool-throughput", "pool-ratios", "pool-one-producer", "pool-pinning"}


@pytest.mark.parametrize("wrong, said", [
    ({"figure": "1.4"}, "throughput ratios one-producer"),
    ({"variant": "sasla"}, "there are: salsa salsa-cas"),
    ({"variant": "moodycamel"}, "libconcurrentqueue-dev"), ({"threads": 9}, "1 to 8, not 9"),
    ({"figure": "chunks", "variant": "mutex-deque"},
     "chunks has none of the variants mutex-deque")])
def test_a_wrong_name_lists_the_right_ones(refused, wrong, said):
    assert said in refused(run_pool.plan, asked(**wrong), PROGRAM)


def test_a_wrong_option_is_refused(refused):
    assert "--seconds must be greater than 0" in refused(run_pool.parse, ["--seconds", "-1"])
    assert "--budget" in refused(run_pool.parse, ["--budget", "soon"])


@pytest.mark.parametrize("load, program, said", [
    (Load("salsa", 1, 2, chunk=16, pinned=False, one_node=True), PROGRAM.path,
     ["--chunk", "16", "--not-pinned", "--memory-on-one-node"]),
    (Load("salsa", 1, 2, counted=True), PROGRAM.counted, ["--pinned"]),
    (Load("salsa", 1, 2, slow=64), PROGRAM.path, ["--slow", "64", "--pinned"])])
def test_a_command_says_all_of_a_load(load, program, said):
    assert load.command(PROGRAM, 0.5, 3) == [
        str(program), "--variant", "salsa", "--producers", "1", "--consumers", "2", *said,
        "--seconds", "0.5", "--repetitions", "3"]


@pytest.mark.parametrize("load, label", [
    (Load("salsa", 1, 2), "salsa 1/2"),
    (Load("salsa-cas", 2, 2, chunk=16), "salsa-cas 2/2 chunk 16"),
    (Load("salsa", 4, 4, pinned=False), "salsa 4/4 not pinned"),
    (Load("salsa", 2, 2, one_node=True), "salsa 2/2 memory on one node"),
    (Load("lifo-stack", 1, 2, counted=True), "lifo-stack 1/2 counted"),
    (Load("salsa", 1, 4, producers_alone=True), "salsa 1/4 producers alone"),
    (Load("salsa", 1, 4, slow=64), "salsa 1/4 slow 64"),
    (Load("salsa", 1, 4, chunk=16, stalled=True), "salsa 1/4 chunk 16 stalled")])
def test_a_label_says_all_of_a_load(load, label):
    assert load.label == label and Load.parse(label) == load


# --- the program


PEERS = {"families": {}, "micros": {}, "pool": {"executable": "pool", "counted": "counted",
                                               "absent": {"boost-queue": "no Boost"}}}


@pytest.fixture
def pool(build):
    """A build directory whose programs are this script."""
    def of(script):
        return build(PEERS, dict.fromkeys(("pool", "counted"), script))
    return of


def test_the_program_is_asked_for_its_variants(pool):
    listed = json.dumps([{"variant": "mutex-deque", "chunk": None},
                         {"variant": "salsa", "chunk": 1000}])
    found = find_pool(pool(f"echo '{listed}'"))
    assert found.chunks == {"salsa": 1000, "mutex-deque": None}
    assert found.variants == ["salsa", "mutex-deque"]
    assert found.absent == {"boost-queue": "no Boost"}
    assert (found.path.name, found.counted.name) == ("pool", "counted")


@pytest.mark.parametrize("peers, scripts, said", [
    ({}, {}, "NOPAL_BUILD_BENCH"), (PEERS, {}, "has not been built"),
    (PEERS, {"pool": "exit 1", "counted": ""}, "does not start"),
    (PEERS, {"pool": ""}, "--target nopal-bench-pool nopal-bench-pool-counted")])
def test_a_program_that_is_not_there_is_said(build, peers, scripts, said):
    with pytest.raises(NotBuilt, match=said):
        find_pool(build(peers, scripts))


# --- tables and targets ---------------------------------------------------------------------------


SALSA, QUEUE = Load("salsa", 1, 1), Load("ms-queue", 1, 1)
IN_CHUNKS = [Load("concurrent-bag", 2, 2, chunk=c) for c in (16, 1000)]
SWAPS = [Load(v, 1, 1, counted=True) for v in ("salsa", "ms-queue")]


@pytest.mark.parametrize("figure, records, columns, rows", [
    # Ratios are formed within rounds.
    ("throughput", [record(SALSA, 100, 0), record(QUEUE, 10, 0), record(SALSA, 40, 1),
                    record(QUEUE, 5, 1)],
     ["variant", "million elements/s", "salsa by it", "runs"],
     [["salsa", "70.0 (40.0..100)", "–", 2],
      ["ms-queue", "7.50 (5.00..10.0)", "9.00 (8.00..10.0)", 2]]),
    # More threads than CPUs are marked.
    ("throughput", [record(Load("salsa", n, n), 10) for n in (1, 2)],
     ["producers/consumers", "peak RSS, MB"], [["1/1", "5.00"], ["2/2 *", "5.00"]]),
    # Each is compared with its own kind.
    ("pinning", [record(SALSA, 30), record(SALSA.of(pinned=False), 10),
                 record(SALSA.of(one_node=True), 15)], ["", "pinned by it"],
     [["", "–"], ["not pinned", "3.00"], ["memory on one node", "2.00"]]),
    ("chunks", [record(IN_CHUNKS[0], 10), record(IN_CHUNKS[1], 5)], ["", "chunk of 1000 by it"],
     [["chunk 16", "0.500"], ["chunk 1000", "–"]]),
    ("swaps", [record(SWAPS[0], 0.005), record(SWAPS[1], 3, 0), record(SWAPS[1], 4, 1)],
     ["compare-and-swaps/element", "compared"], [["0.00500", "–"], ["3.50 (3.00..4.00)", "–"]]),
])
def test_tables(figure, records, columns, rows):
    assert [[row[column] for column in columns] for row in rows_of(figure, records)] == rows


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_drawn_with_its_origin(name):
    figure = FIGURES[name]
    records = [record(load, 10 + number) for number, load in enumerate(
        figure.loads(figure.variants or ("salsa", "concurrent-bag"), 4))]
    charts = list(figure.charts(section_of(name, records)))
    assert [c.name for c in charts] == [f"pool-{name}", *(
        ["pool-one-producer-one-consumer"] if name == "one-producer" else [])]
    assert figure.origin in charts[0].caption and "salsa: " in charts[0].alt
    assert (charts[0].cpus == (2, 1)) == (name in ("throughput", "pinning", "one-producer", "swaps",
                                                   "balancing", "alone"))


def found_targets(figure, rates):
    return {t.what: t for t in FIGURES[figure].targets(Results(
        [record(Load(*load), rate) for load, rate in rates.items()]))}


def test_targets_of_the_throughput():
    found = found_targets("throughput", {
        ("salsa", 1, 1): 100, ("salsa-cas", 1, 1): 62.5, ("concurrent-bag", 1, 1): 60,
        ("ms-queue", 1, 1): 4, ("moodycamel", 1, 1): 80, ("mutex-deque", 1, 1): 200})
    verdicts = {what: t.verdict for what, t in found.items()}
    assert verdicts == {"pool 1/1, salsa over salsa-cas": "must reached, aim not",
                        "pool 1/1, salsa over concurrent-bag": "MISSED",
                        "pool 1/1, salsa over ms-queue": "reached",
                        "pool 1/1, salsa over moodycamel": "reached",
                        "pool 1/1, salsa over mutex-deque, the best peer": "MISSED"}
    assert found["pool 1/1, salsa over mutex-deque, the best peer"].aim == 2


def test_one_producer_is_judged_where_it_is_worst():
    (target,) = found_targets("one-producer", {
        ("salsa", 1, 1): 10, ("salsa", 1, 2): 12, ("salsa", 1, 4): 8, ("salsa", 2, 1): 1,
        ("ms-queue", 1, 4): 1}).values()
    assert "4 consumers, the worst of 2 to 4" in target.what
    assert target.measured == pytest.approx(0.8) and target.verdict == "MISSED"


def test_what_was_not_measured_is_no_target():
    assert found_targets("throughput", {("salsa", 4, 4): 1}) == {}
    assert found_targets("one-producer", {("salsa", 1, 1): 1}) == {}
    assert found_targets("chunks", {("salsa", 1, 1): 1}) == {}


# --- from the command line to the files -----------------------------------------------------------

FAKE = """case $1 in
  --list) echo '[{"variant": "salsa", "chunk": 1000}, {"variant": "mutex-deque", "chunk": null}]' ;;
  *) echo '{"oversubscribed": false, "pinned": true, "seconds": [0.5],
"tasks_per_second": [2000000], "peak_rss_bytes": 5000000}' | tr -d '\\n' ;;
esac"""


def test_a_run_writes_tables_and_records(pool, tmp_path, capsys):
    out = tmp_path / "out"
    assert run_pool.main(["--build", str(pool(FAKE)), "--out", str(out), "--figure", "throughput",
                          "--threads", "1", "--seconds", "0.01", "--rounds", "2"]) == 0
    document = json.loads((out / "results.json").read_text())
    (section,) = document["sections"]
    assert (section["name"], section["n"], len(section["records"])) == ("pool-throughput", None, 4)
    assert document["absent"] == {"pool: boost-queue": "no Boost"}
    assert "pool 1/1, salsa over mutex-deque, the best peer" in capsys.readouterr().out
    assert "| salsa | 1/1 |  | 2.00 |" in (out / "table.md").read_text()
    assert ONE_NODE_NOTE not in (out / "table.md").read_text()
    assert not (out / "journal.jsonl").exists()


def test_a_machine_with_one_memory_node_is_said(pool, tmp_path, capsys):
    fake = FAKE.replace('"pinned": true', '"pinned": true, "memory_on_one_node": true, '
                                          '"memory_nodes": 1')
    run_pool.main(["--build", str(pool(fake)), "--out", str(tmp_path / "out"), "--figure",
                   "pinning", "--threads", "1", "--seconds", "0.01", "--rounds", "1"])
    assert ONE_NODE_NOTE in capsys.readouterr().out


def test_the_list_has_figures_variants_and_what_is_absent(pool, capsys):
    assert run_pool.main(["--build", str(pool(FAKE)), "--list"]) == 0
    said = capsys.readouterr().out
    assert "ratios: " in said and "salsa (chunks of 1000)" in said
    assert "left out: boost-queue: no Boost" in said


def test_each_figure_has_a_table_for_the_documents():
    def case(label):
        return {"label": label, "workers": 3, "value": [2.0, 1.0, 3.0]}

    sections = {"ratios": ["salsa 1/2", "salsa 2/1", "ms-queue 1/2"],
                "one-producer": ["salsa 1/2", "salsa 2/1"], "swaps": ["salsa 1/2 counted"],
                "balancing": ["salsa-unbalanced 1/2"],
                "pinning": ["salsa 2/2", "salsa 2/2 not pinned", "salsa 2/2 memory on one node"]}
    committed = Committed({"runs": [], "libraries": [], "variants": {}, "sections": [
        {"name": f"pool-{name}", "n": None, "runs": [], "failures": [],
         "cases": [case(label) for label in labels]} for name, labels in sections.items()]})
    said = "2.00 (1.00..3.00)"
    tables = {name: str(TABLES[f"pool {name}"](committed)) for name in (
        "ratios", "one producer", "one consumer", "swaps", "balancing", "pinning")}
    assert "| producers/consumers | 1/2 | 2/1 |" in tables["ratios"]
    assert f"| salsa | {said} | {said} |" in tables["ratios"]
    assert f"| ms-queue | {said} | – |" in tables["ratios"]
    assert "2/1" not in tables["one producer"] and "1/2" not in tables["one consumer"]
    assert f"| salsa | {said} |" in tables["swaps"]
    assert f"| salsa-unbalanced | {said} |" in tables["balancing"]
    for line in ("pinned", "not pinned", "memory on one node"):
        assert f"| {line} | {said} |" in tables["pinning"]
