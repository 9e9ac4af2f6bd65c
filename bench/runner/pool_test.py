# SPDX-License-Identifier: Apache-2.0
import argparse
import json
import stat
from pathlib import Path

import pytest

import run_pool
from runner.committed import pool as committed_pool
from runner.committed.results import Committed
from runner.pool.figures import FIGURES, sizes, splits
from runner.pool.load import Load, load_of
from runner.pool.plan import plan
from runner.pool.program import PoolProgram, find_pool
from runner.pool.tables import ONE_NODE_NOTE, table
from runner.pool.targets import targets_of
from runner.programs import NotBuilt
from runner.ratios import Results

CHUNKS = {"salsa": 1000, "salsa-cas": 1000, "concurrent-bag": 128, "ms-queue": None,
          "lifo-stack": None, "salsa-unbalanced": 1000,
          "salsa-cas-unbalanced": 1000, "concurrent-bag-unbalanced": 128, "tbb-queue": None, "mutex-deque": None}
PROGRAM = PoolProgram(Path("/somewhere/nopal-bench-pool"),
                      Path("/somewhere/nopal-bench-pool-counted"), CHUNKS,
                      {"moodycamel": "not found (Debian: libconcurrentqueue-dev)"})


def asked(**other):
    return argparse.Namespace(**{"figure": None, "variant": None, "threads": 8, "seconds": 2.0,
                                 "repetitions": 1, **other})


def record(load, rate, number=0):
    """Of a measurement with that many million tasks a second, or compare-and-swaps for each, on two
    CPUs and one memory node."""
    return {"label": load.label, "workers": load.threads, "round": number, "variant": load.variant,
            "producers": load.producers,
            "consumers": load.consumers, "chunk": load.chunk or CHUNKS.get(load.variant),
            "pinned": load.pinned,
            "oversubscribed": load.threads > 2, "seconds": [1 / rate],
            "tasks_per_second": [rate * 1e6],
            "producers_alone": load.producers_alone, "slow": load.slow, "stalled": load.stalled,
            "memory_on_one_node": load.one_node, "memory_nodes": 1 if load.one_node else None,
            "repetitions": [{"put": 1000,
                             "compare_and_swaps": rate * 1000 if load.counted else None}],
            "peak_rss_bytes": 5_000_000}


def labels(section):
    return [job.label for job in section.jobs]


def refused(call, capsys):
    with pytest.raises(SystemExit) as end:
        call()
    assert end.value.code == 2
    return capsys.readouterr().err


# --- what is measured
# -----------------------------------------------------------------------------------------------


def test_sizes_go_up_to_what_was_asked_for():
    assert [sizes(n) for n in (1, 2, 3, 8)] == [[1], [1, 2], [1, 2, 3], [1, 2, 4, 8]]


def test_splits_have_all_threads():
    assert splits(8) == [(1, 7), (2, 6), (4, 4), (6, 2), (7, 1)]
    assert splits(4) == [(1, 3), (2, 2), (3, 1)]
    assert splits(2) == [(1, 1)]


def test_every_figure_has_its_variants_in_turn():
    by_name = {section.name: section for section in plan(asked(threads=2), PROGRAM)}
    assert list(by_name) == [f.section for f in FIGURES.values()]
    assert labels(by_name["pool-throughput"])[:3] == ["salsa 1/1", "salsa-cas 1/1",
                                                      "concurrent-bag 1/1"]
    assert labels(by_name["pool-one-producer"])[-1] == "mutex-deque 2/1"
    assert labels(by_name["pool-balancing"]) == [f"{v} {sides}" for sides in ("1/1", "1/2") for v in
                                                 ("salsa", "salsa-cas", "concurrent-bag",
                                                  "salsa-unbalanced", "salsa-cas-unbalanced",
                                                  "concurrent-bag-unbalanced")]
    assert labels(by_name["pool-alone"])[:2] == ["salsa 1/1", "salsa 1/1 producers alone"]
    assert labels(by_name["pool-hindered"])[:3] == ["salsa 1/2", "salsa 1/2 slow 64",
                                                    "salsa 1/2 stalled"]
    assert labels(by_name["pool-swaps"])[4:6] == ["lifo-stack 1/1 counted", "salsa 1/2 counted"]
    assert labels(by_name["pool-pinning"]) == [f"salsa {sides}{kind}" for sides in ("1/1", "2/2")
                                               for kind in
                                               ("", " not pinned", " memory on one node")]
    assert labels(by_name["pool-chunks"])[:3] == ["salsa 2/2 chunk 16", "salsa-cas 2/2 chunk 16",
                                                  "concurrent-bag 2/2 chunk 16"]


def test_all_labels_of_a_section_differ():
    for section in plan(asked(), PROGRAM):
        assert len(set(labels(section))) == len(section.jobs)


def test_variants_can_be_chosen_where_a_figure_can_show_them(capsys):
    (section,) = plan(asked(figure="throughput", variant="mutex-deque,salsa", threads=1), PROGRAM)
    assert labels(section) == ["salsa 1/1", "mutex-deque 1/1"]
    assert {s.name for s in plan(asked(variant="mutex-deque"), PROGRAM)} == {
        "pool-throughput", "pool-ratios", "pool-one-producer", "pool-pinning"}
    assert "chunks has none of the variants mutex-deque" in refused(
        lambda: plan(asked(figure="chunks", variant="mutex-deque"), PROGRAM), capsys)


def test_a_wrong_name_lists_the_right_ones(capsys):
    assert "throughput ratios one-producer" in refused(lambda: plan(asked(figure="1.4"), PROGRAM),
                                                       capsys)
    assert "there are: salsa salsa-cas" in refused(lambda: plan(asked(variant="sasla"), PROGRAM),
                                                   capsys)
    assert "libconcurrentqueue-dev" in refused(lambda: plan(asked(variant="moodycamel"), PROGRAM),
                                               capsys)
    assert "1 to 8, not 9" in refused(lambda: plan(asked(threads=9), PROGRAM), capsys)
    said = refused(lambda: run_pool.parse(["--seconds", "-1"]), capsys)
    assert "--seconds must be greater than 0" in said
    assert "--budget" in refused(lambda: run_pool.parse(["--budget", "soon"]), capsys)


def test_a_command_says_all_of_a_load():
    command = Load("salsa", 1, 2, chunk=16, pinned=False, one_node=True).command(PROGRAM, 0.5, 3)
    assert command == [str(PROGRAM.path), "--variant", "salsa", "--producers", "1", "--consumers",
                       "2", "--chunk", "16",
                       "--not-pinned", "--memory-on-one-node", "--seconds", "0.5", "--repetitions",
                       "3"]
    command = Load("salsa", 1, 2, counted=True).command(PROGRAM, 0.5, 3)
    assert command == [str(PROGRAM.counted), "--variant", "salsa", "--producers", "1",
                       "--consumers", "2", "--pinned",
                       "--seconds", "0.5", "--repetitions", "3"]


@pytest.mark.parametrize("load",
                         [Load("salsa", 1, 2), Load("ms-queue", 2, 1),
                          Load("salsa-cas", 2, 2, chunk=1000),
                                  Load("salsa", 4, 4, pinned=False),
                          Load("salsa", 2, 2, one_node=True),
                                  Load("lifo-stack", 1, 2, counted=True),
                          Load("salsa", 1, 4, producers_alone=True), Load("salsa", 1, 4, slow=64),
                          Load("salsa", 1, 4, stalled=True)])
def test_a_record_knows_its_load(load):
    assert load_of(record(load, 1.0)) == load


def test_an_old_record_says_nothing_of_memory():
    old = {key: value
           for key, value in record(Load("salsa", 2, 2), 1.0).items()
           if not key.startswith("memory")}
    assert load_of(old) == Load("salsa", 2, 2)


# --- the program
# --------------------------------------------------------------------------------------------------


def build(folder, script):
    (folder / "bench").mkdir()
    (folder / "bench" / "peers.json").write_text(json.dumps(
        {"families": {}, "micros": {},
         "pool": {"executable": "pool", "counted": "counted",
                  "absent": {"boost-queue": "no Boost"}}}))
    for program in [folder / "bench" / name for name in ("pool", "counted")] if script else []:
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return folder


def test_the_program_is_asked_for_its_variants(tmp_path):
    listed = json.dumps([{"variant": "mutex-deque", "chunk": None},
                         {"variant": "salsa", "chunk": 1000}])
    found = find_pool(build(tmp_path, f"echo '{listed}'"))
    assert found.chunks == {"salsa": 1000, "mutex-deque": None}
    assert found.variants == ["salsa", "mutex-deque"]
    assert found.absent == {"boost-queue": "no Boost"}
    assert (found.path.name, found.counted.name) == ("pool", "counted")


def test_both_programs_must_be_there(tmp_path):
    (build(tmp_path, "true") / "bench" / "counted").unlink()
    with pytest.raises(NotBuilt, match="--target nopal-bench-pool nopal-bench-pool-counted"):
        find_pool(tmp_path)


@pytest.mark.parametrize("script, said",
                         [(None, "has not been built"), ("exit 1", "does not start")])
def test_a_program_that_is_not_there_is_said(tmp_path, script, said):
    with pytest.raises(NotBuilt, match=said):
        find_pool(build(tmp_path, script))


def test_a_folder_without_benchmarks_says_what_to_do(tmp_path):
    with pytest.raises(NotBuilt, match="NOPAL_BUILD_BENCH"):
        find_pool(tmp_path)


# --- tables and targets ---------------------------------------------------------------------------


def test_ratios_are_formed_within_rounds():
    salsa, queue = Load("salsa", 1, 1), Load("ms-queue", 1, 1)
    results = Results([record(salsa, 100, 0), record(queue, 10, 0), record(salsa, 40, 1),
                       record(queue, 5, 1)])
    header, rows = table(FIGURES["throughput"], results)
    assert {len(row) for row in rows} == {len(header)}
    assert rows[1][:4] == ["ms-queue", "1/1", "7.50 (5.00..10.0)", "9.00 (8.00..10.0)"]
    assert rows[0][3] == "–"


def test_more_threads_than_cpus_are_marked():
    _, rows = table(FIGURES["throughput"],
                    Results([record(Load("salsa", n, n), 10) for n in (1, 2)]))
    assert [row[1] for row in rows] == ["1/1", "2/2 *"]


def test_pinning_and_chunks_are_compared_with_their_own_kind():
    pinned = Load("salsa", 1, 1)
    header, rows = table(FIGURES["pinning"],
                         Results([record(pinned, 30), record(pinned.of(pinned=False), 10),
                                                      record(pinned.of(one_node=True), 15)]))
    assert "pinned by it" in header and [row[2:6] for row in rows] == [
        ["yes", "anywhere", "30.0", "–"], ["no", "anywhere", "10.0", "3.00"],
        ["yes", "one node", "15.0", "2.00"]]
    chunks = [Load("concurrent-bag", 2, 2, chunk=c) for c in (16, 1000)]
    _, rows = table(FIGURES["chunks"], Results([record(chunks[0], 10), record(chunks[1], 5)]))
    assert [row[2:5] for row in rows] == [[16, "10.0", "0.500"], [1000, "5.00", "–"]]


def test_compare_and_swaps_are_for_a_task_and_without_ratios():
    counted = [Load(v, 1, 1, counted=True) for v in ("salsa", "ms-queue")]
    header, rows = table(FIGURES["swaps"],
                         Results([record(counted[0], 0.005), record(counted[1], 3, 0),
                                                    record(counted[1], 4, 1)]))
    assert header == ["variant", "producers/consumers", "compare-and-swaps/task, median (min..max)",
                      "peak RSS, MB", "runs"]
    assert [row[2:] for row in rows] == [["0.00500", "5.00", 1], ["3.50 (3.00..4.00)", "5.00", 2]]


def found_targets(section, rates):
    return {t.what: t
            for t in targets_of(section,
                                Results([record(Load(*load), rate)
                                         for load, rate in rates.items()]))}


def test_targets_of_the_throughput():
    found = found_targets("pool-throughput", {
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
    (target,) = found_targets("pool-one-producer", {
        ("salsa", 1, 1): 10, ("salsa", 1, 2): 12, ("salsa", 1, 4): 8, ("salsa", 2, 1): 1,
        ("ms-queue", 1, 4): 1}).values()
    assert "4 consumers, the worst of 2 to 4" in target.what
    assert target.measured == pytest.approx(0.8) and target.verdict == "MISSED"


def test_what_was_not_measured_is_no_target():
    assert found_targets("pool-throughput", {("salsa", 4, 4): 1}) == {}
    assert found_targets("pool-one-producer", {("salsa", 1, 1): 1}) == {}
    assert found_targets("pool-chunks", {("salsa", 1, 1): 1}) == {}


# --- from the command line to the files -----------------------------------------------------------

FAKE = """case $1 in
  --list) echo '[{"variant": "salsa", "chunk": 1000}, {"variant": "mutex-deque", "chunk": null}]' ;;
  *) echo '{"variant": "'$2'", "producers": '$4', "consumers": '$6', "chunk": null, "pinned": true,
  "oversubscribed": false,
"seconds": [0.5], "tasks_per_second": [2000000], "peak_rss_bytes": 5000000}' | tr -d '\\n' ;;
esac"""


def test_a_run_writes_tables_and_records(tmp_path, capsys):
    out = tmp_path / "out"
    folder = build(tmp_path, FAKE)
    assert run_pool.main(["--build", str(folder), "--out", str(out), "--figure", "throughput",
                          "--threads", "1",
                          "--seconds", "0.01", "--rounds", "2"]) == 0
    document = json.loads((out / "results.json").read_text())
    (section,) = document["sections"]
    assert (section["name"], section["n"], len(section["records"])) == ("pool-throughput", None, 4)
    assert document["absent"] == {"pool: boost-queue": "no Boost"}
    assert "pool 1/1, salsa over mutex-deque, the best peer" in capsys.readouterr().out
    assert "| salsa | 1/1 | 2.00 |" in (out / "table.md").read_text()
    assert ONE_NODE_NOTE not in (out / "table.md").read_text()
    assert not (out / "journal.jsonl").exists()


def test_a_machine_with_one_memory_node_is_said(tmp_path, capsys):
    fake = FAKE.replace('"pinned": true', '"pinned": true, "memory_on_one_node": true, '
                                          '"memory_nodes": 1')
    run_pool.main(["--build", str(build(tmp_path, fake)), "--out", str(tmp_path / "out"),
                   "--figure", "pinning", "--threads", "1",
                   "--seconds", "0.01", "--rounds", "1"])
    assert ONE_NODE_NOTE in capsys.readouterr().out


def test_the_list_has_figures_variants_and_what_is_absent(tmp_path, capsys):
    assert run_pool.main(["--build", str(build(tmp_path, FAKE)), "--list"]) == 0
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
    ratios = str(committed_pool.ratios(committed))
    assert "| producers/consumers | 1/2 | 2/1 |" in ratios
    assert f"| salsa | {said} | {said} |" in ratios and f"| ms-queue | {said} | – |" in ratios
    assert "2/1" not in str(committed_pool.one_producer(committed))
    assert "1/2" not in str(committed_pool.one_consumer(committed))
    assert f"| salsa | {said} |" in str(committed_pool.swaps(committed))
    assert f"| salsa-unbalanced | {said} |" in str(committed_pool.balancing(committed))
    for line in ("pinned", "not pinned", "memory on one node"):
        assert f"| {line} | {said} |" in str(committed_pool.pinning(committed))
