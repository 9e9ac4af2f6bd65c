# SPDX-License-Identifier: Apache-2.0
"""The chapter on the pool."""

import pytest

for package in ("numpy", "scipy", "matplotlib"):
    pytest.importorskip(package)

from runner.pool.figures import FIGURES  # noqa: E402
from runner.pool.load import Load  # noqa: E402
from runner.pool.quantity import SWAPS, THROUGHPUT  # noqa: E402
from runner.pool.tables import ONE_NODE_NOTE  # noqa: E402
from runner.pool_test import record  # noqa: E402
from runner.report import facts, pool, pool_axes  # noqa: E402
from runner.report.build import write_report  # noqa: E402
from runner.report.contents import Picture, Table, Text  # noqa: E402

VARIANTS = ("salsa", "salsa-cas", "concurrent-bag", "moodycamel")


def recorded(load, rate, number=0):
    return {**record(load, rate, number), "machine": {"cpus": 2},
            "peer": {"name": "nopal", "version": "1"},
            "build": {"compiler": "g++ 12", "flags": "-O3"}}


def section(figure, loads):
    return {"name": f"pool-{figure}", "n": None,
            "records": [recorded(load, 10 + index, number) for number in (0, 1)
                        for index, load in enumerate(loads)]}


@pytest.fixture
def complete(content):
    return {**content,
            "sections": [section(f.name, f.loads(f.variants or VARIANTS[:3], 4))
                         for f in FIGURES.values()]}


def of_kind(part, kind):
    return [item for item in part.items if isinstance(item, kind)]


def test_every_figure_of_the_paper_is_there(complete, measured):
    part = pool.part(measured(complete))
    assert [p.name for p in of_kind(part, Picture)] == ["pool-throughput", "pool-ratios",
                                                        "pool-one-producer",
                                                        "pool-one-producer-one-consumer",
                                                        "pool-swaps", "pool-balancing",
                                                        "pool-pinning", "pool-alone",
                                                        "pool-hindered", "pool-chunks"]
    assert len(of_kind(part, Table)) == len(FIGURES)
    captions = [p.caption for p in of_kind(part, Picture)]
    for n in ("4a", "4b", "5a", "5b", "6", "7", "8"):
        assert any(f"(figure 1.{n} of the paper)" in caption for caption in captions)
    assert sum("(not in the paper)" in caption for caption in captions) == 2


def test_what_was_not_measured_has_its_command(complete, measured):
    complete["sections"] = complete["sections"][:1]
    part = pool.part(measured(complete))
    said = " ".join(t.text for t in of_kind(part, Text) if t.kind == "missing")
    assert "./run bench pool --figure chunks" in said and "--figure throughput" not in said


def test_without_any_measurement_there_is_one_command(content, measured):
    (text,) = pool.part(measured(content)).items
    assert text.kind == "missing" and "`./run bench pool`" in text.text


def test_a_figure_says_what_it_shows(complete, measured):
    (throughput, *_) = of_kind(pool.part(measured(complete)), Picture)
    assert "producers = consumers 4: salsa 28.0" in throughput.alt


def test_compare_and_swaps_have_an_axis_of_their_own(complete, measured):
    (swaps,
     ) = [p for p in of_kind(pool.part(measured(complete)), Picture) if p.name == "pool-swaps"]
    assert "compare-and-swaps for a task, one producer; consumers 4: salsa 20.0" in swaps.alt
    assert swaps.figure.axes[0].get_ylabel() == "compare-and-swaps for a task"


def test_compare_and_swaps_stay_linear_however_few_they_are():
    ax = drawn([Load(v, 1, 1, counted=True) for v in ("salsa", "ms-queue")], pool_axes.CONSUMERS,
               (0.005, 3), SWAPS)
    assert ax.get_yscale() == "linear" and ax.get_ylim()[0] == 0


def test_a_machine_with_one_memory_node_is_said_where_it_matters(complete, measured):
    said = {item.caption
            for item in pool.part(measured(complete)).items
            if ONE_NODE_NOTE in getattr(item, "caption", "")}
    assert len(said) == 2 and all(caption.startswith("Threads pinned to CPUs") and "1.7" in caption
                                  for caption in said)


def drawn(loads, axis, rates=(10.0, 10.0, 10.0), quantity=THROUGHPUT):
    curves = pool._curves({load: [recorded(load, rate)] for load, rate in zip(loads, rates)}, axis)
    return pool_axes.lines(curves, axis, quantity).axes[0]


def test_points_with_more_threads_than_cpus_are_hollow():
    ax = drawn([Load("salsa", n, n) for n in (1, 2, 4)], pool_axes.EACH)
    filled = [line
              for line in ax.lines if line.get_markerfacecolor() not in ("none", None)
              and line.get_marker() == "o"]
    assert [list(line.get_xdata()) for line in filled] == [[1]]


def test_a_line_stands_where_threads_are_as_many_as_cpus():
    ax = drawn([Load("salsa", n, n) for n in (1, 2)], pool_axes.EACH)
    assert [text.get_text() for text in ax.texts] == ["2 CPUs"]
    ax = drawn([Load("salsa", n, 8 - n) for n in (1, 4)], pool_axes.OF_FIGURE["ratios"])
    assert not ax.texts and [t.get_text() for t in ax.get_xticklabels()] == ["1/7", "4/4"]


def test_every_variant_has_looks_of_its_own():
    looks = [pool_axes.style(v)
             for v in ("salsa", "salsa-unbalanced", "salsa, not pinned", "mutex-deque",
                       "unheard-of")]
    assert looks[0]["color"] == looks[1]["color"]
    assert looks[0]["linestyle"] != looks[1]["linestyle"] == looks[2]["linestyle"]
    assert looks[3]["linestyle"] == pool_axes.DASHED and looks[4]["color"]
    kinds = [pool_axes.style(f"salsa{more}")
             for more in ("", ", not pinned", ", memory on one node")]
    assert len({(kind["marker"], str(kind["linestyle"])) for kind in kinds}) == 3


def test_the_pool_stays_out_of_the_other_chapters(complete, content, measured):
    complete["sections"] += content["sections"]
    m = measured(complete)
    assert not [w for w in [*m.workloads, *m.micros] if w.name.startswith("pool-")]
    libraries = next(t
                     for t in facts.part(m).items if isinstance(t, Table)
                     and "Libraries" in t.caption)
    assert ["nopal", "1", "g++ 12", "-O3"] in libraries.rows


def test_a_report_of_the_pool_alone_is_written(complete, measured, tmp_path):
    names = write_report(measured(complete).documents, tmp_path / "report")
    assert "pool-ratios.png" in names and (tmp_path / "report" / "pool-ratios.png").exists()
    assert "The producer-consumer pool" in (tmp_path / "report" / "report.html").read_text()
