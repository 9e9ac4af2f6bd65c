# SPDX-License-Identifier: Apache-2.0
"""The model of docs/mpi.md by discrete events: its trees, its constants, and what must hold of any
run."""

import json
import re
from pathlib import Path

import pytest

import model
import protocol
from networks import NETWORKS
from simulation import World
from trees import TREES, Node, Unbalanced

ROOT = Path(__file__).resolve().parents[2]


def ran(name, units, ranks, workers, network="infiniband", **more):
    world = World(TREES[name](units, ranks), ranks, workers, NETWORKS[network], cost=1e-6, **more)
    return world.run()


def nodes(tree, node):
    yield node
    for child in tree.children(node):
        yield from nodes(tree, child)


# --- trees


@pytest.mark.parametrize("name", sorted(TREES))
def test_the_children_of_a_node_have_what_it_has(name):
    tree = TREES[name](20_000, 4)
    for node in nodes(tree, tree.root):
        children = tree.children(node)
        assert children == tree.children(node)
        if children:
            assert sum(c.size for c in children) + tree.own == pytest.approx(node.size)


def test_the_unbalanced_tree_has_four_children_on_an_average():
    tree = Unbalanced(100_000, 1, seed=3)
    all_nodes = list(nodes(tree, tree.root))
    inner = [node for node in all_nodes if tree.children(node)]
    assert len(all_nodes) == 100_000
    # A node that has any has five.
    assert len(all_nodes) / len(inner) == pytest.approx(5, rel=0.2)
    sizes = [child.size for child in tree.children(Node(1e11, 18, 7))]
    assert max(sizes) > 2 * min(sizes)


# --- constants


@pytest.mark.parametrize("file,name,value", [
    ("src/mpi/post.cpp", "shortest_nap", protocol.SHORTEST_NAP),
    ("src/mpi/post.cpp", "longest_nap", protocol.LONGEST_NAP),
    ("src/mpi/post.cpp", "beat_every", protocol.BEAT_EVERY),
    ("src/mpi/sharing.cpp", "longest_wait", protocol.LONGEST_WAIT),
    ("src/mpi/sharing.cpp", "shortest_pause", protocol.SHORTEST_PAUSE),
    ("src/mpi/sharing.cpp", "longest_pause", protocol.LONGEST_PAUSE),
    ("src/mpi/sharing.cpp", "most_replies", protocol.MOST_REPLIES),
    ("src/mpi/sharing.cpp", "children_of_rank", protocol.CHILDREN_OF_RANK)])
def test_the_model_has_the_constants_of_the_code(file, name, value):
    text = (ROOT / file).read_text()
    found = re.search(rf"{name} = (?:std::chrono::)?(\w*?)\(?([\d']+)(\w*)\)?;", text)
    unit = found[3] or found[1]
    scale = {"us": 1e-6, "microseconds": 1e-6, "ms": 1e-3, "milliseconds": 1e-3, "int": 1, "": 1}
    assert float(found[2].replace("'", "")) * scale[unit] == pytest.approx(value)


def test_the_model_looks_as_the_thread_does():
    text = (ROOT / "src/mpi/post.cpp").read_text()
    assert text.count("MPI_Iprobe(") == protocol.PROBES
    assert "std::min(nap + nap / 2, longest_nap)" in text


def test_the_model_gives_and_divides_as_the_code_does():
    tree = (ROOT / "include/nopal/detail/mpi/tree.hpp").read_text()
    assert f"pieces.size() >= {protocol.MOST_PIECES} " in tree
    trees = (ROOT / "include/nopal/detail/mpi/trees.hpp").read_text()
    parts = int(re.search(r"pieces_of_rank = (\d+);", trees)[1])
    assert TREES["range"](parts * 7, 7).indivisible == 1


# --- looks


def test_naps_grow_by_half_up_to_the_longest():
    looks = protocol.Looks(slack=0)
    times = []
    for _ in range(12):
        times.append(looks.first_from((times[-1] if times else 0) + 1e-9)[0])
    naps = [b - a for a, b in zip([0, *times], times)]
    assert naps == pytest.approx([min(2e-5 * 1.5**n, 1e-3) for n in range(12)])
    far, nap = looks.first_from(10.0)
    assert 10.0 <= far < 10.0 + nap + 1e-9 and nap == protocol.LONGEST_NAP


# --- runs


def test_one_rank_sends_nothing():
    figures = ran("unbalanced", 10_000, 1, 1).figures()
    assert figures["messages"] == figures["search"] == 0
    assert figures["efficiency"] == pytest.approx(1)


@pytest.mark.parametrize("name", sorted(TREES))
@pytest.mark.parametrize("ranks,workers", [(1, 4), (2, 1), (3, 4), (16, 2)])
def test_each_unit_is_run_once(name, ranks, workers):
    world = ran(name, 300_000, ranks, workers)
    assert world.busy_time == pytest.approx(300_000 * 1e-6, rel=1e-6)
    assert world.busy == 0
    for rank in world.ranks:
        assert not rank.running_strands and not rank.stash and not rank.ready
        assert rank.running == 0
    counts = [rank.counts for rank in world.ranks]
    asked = sum(c["requests"] for c in counts)
    denied = sum(c["denials"] for c in counts)
    assert denied <= asked
    assert (sum(c["pieces"] for c in counts) > 0) == (ranks > 1)


def test_more_ranks_are_faster_if_there_is_work():
    seconds = [ran("even", 4e6, ranks, 1).figures()["seconds"] for ranks in (1, 4, 16)]
    assert seconds[0] / seconds[1] > 3.5
    assert seconds[1] / seconds[2] > 3


def test_workers_that_share_cpus_are_slower():
    assert ran("even", 1e6, 4, 1, "machine", cpus=2).figures()["seconds"] > 0.5


def test_a_slower_network_takes_longer():
    slow = NETWORKS["infiniband"]._replace(latency=20e-3)
    tree = TREES["even"](1e5, 8)
    fast, slow = (World(tree, 8, 1, n, cost=1e-6).run().figures()
                  for n in (NETWORKS["infiniband"], slow))
    assert fast["seconds"] + 20e-3 < slow["seconds"]


def test_a_look_that_probes_again_notices_letters_sooner():
    once, twice = (ran("even", 1e6, 8, 1, probes=n).figures() for n in (1, 2))
    assert twice["seconds"] < once["seconds"]


def test_nobody_waits_for_the_end_of_a_part_of_a_range():
    # 64 parts of 10 ms for each of 8 ranks: five times as long as a rank waits before it denies.
    figures = ran("range", 8 * 64 * 10_000, 8, 1).figures()
    assert figures["efficiency"] > 0.9
    assert figures["start"] < 5e-3


def test_the_end_is_handed_on_by_a_tree():
    world = World(TREES["even"](1, 64), 64, 1, NETWORKS["infiniband"], cost=1e-6)
    told = []
    for rank in world.ranks:
        rank.hand_on_end(0.0)
        told += [to for kind, to, _, _ in rank.posted if kind == "end"]
        assert len(rank.posted) <= 4
    assert sorted(told) == list(range(1, 64))


def test_ranks_on_the_same_machine_are_asked_first():
    rank = World(TREES["even"](1, 64), 64, 1, NETWORKS["infiniband"], cost=1e-6, near=8).ranks[13]
    asked = [rank.victim() for _ in range(4000)]
    assert 13 not in asked
    assert sum(8 <= a < 16 for a in asked) / 4000 == pytest.approx(0.75 + 0.25 * 7 / 63, abs=0.03)
    assert len(set(asked)) == 63


# --- the command


def test_the_command_prints_lines_for_each_number_of_ranks(capsys):
    assert model.main(["--units", "1e5", "--ranks", "1,2,4", "--runs", "3"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("predicted")
    assert [line.split()[0] for line in out[2:]] == ["1", "2", "4"]


def test_the_command_prints_json(capsys):
    model.main(["--tree", "range", "--units", "1e5", "--ranks", "2", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["predicted"] is True
    assert found["lines"][0]["ranks"] == 2


@pytest.mark.parametrize("arguments,said", [
    (["--ranks", "0"], "'0' is no count"), (["--units", "much"], "'much' is no number")])
def test_the_command_refuses(arguments, said, capsys):
    with pytest.raises(SystemExit) as end:
        model.main(arguments)
    assert end.value.code == 2
    assert said in capsys.readouterr().err
