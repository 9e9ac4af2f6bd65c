# SPDX-License-Identifier: Apache-2.0
"""What the chapters of a report say, from a recorded run and changes to it."""

import copy

import pytest

for package in ("numpy", "scipy", "matplotlib"):
    pytest.importorskip(package)

from runner.report import grain, growth, memory, scaling, summary  # noqa: E402
from runner.report.contents import Picture, Table, Text  # noqa: E402
from runner.report.libraries import library_of  # noqa: E402
from runner.report.measured import merge  # noqa: E402
from runner.report.stacks import joins  # noqa: E402


def only(content, name):
    """The recorded run with one of its sections."""
    return {**content, "sections": [s for s in content["sections"] if s["name"] == name]}


def tables(part):
    return [item for item in part.items if isinstance(item, Table)]


def texts(part):
    return " ".join(item.text for item in part.items if isinstance(item, Text))


# --- nopal against its peers
# ----------------------------------------------------------------------------------------


def test_every_lost_case_is_listed_worst_first(content, measured):
    lost = tables(summary.part(measured(content)))[1]
    assert [row[:4] for row in lost.rows] == [["loop(10000000)", "openmp-gnu", "nopal-frame", 1],
                                              ["fib(40)", "chili", "nopal-invoke", 1],
                                              ["fib(40)", "chili", "nopal-invoke", 2]]
    assert lost.rows[0][4].startswith("0.7") and lost.rows[0][6] == "every round"


def test_a_slower_way_to_use_a_peer_is_listed_too_but_counts_once(content, measured):
    fib = content["sections"][0]
    fib["records"] += [{**r, "label": "chili-other", "seconds": [0.99 * s for s in r["seconds"]]}
                       for r in fib["records"] if r["label"] == "chili"]
    means, lost = tables(summary.part(measured(content)))
    assert {"chili", "chili-other"} <= {row[1] for row in lost.rows}
    assert [row[2] for row in means.rows if row[0] == "chili"] == [1, 1]


def test_no_lost_case_is_said(content, measured):
    content = only(content, "fib")
    for r in content["sections"][0]["records"]:
        if r["label"].startswith("nopal"):
            r["seconds"] = [s / 10 for s in r["seconds"]]
    part = summary.part(measured(content))
    assert "nopal loses no case" in texts(part) and len(tables(part)) == 1


def test_a_failure_of_nopal_is_told_first(content, measured):
    content["sections"][0]["records"].append(
        {"label": "nopal-frame", "workers": 4, "round": 0, "failure": "not done in 9 s"})
    said = texts(summary.part(measured(content)))
    assert "nopal gave no result: fib(40) nopal-frame, P = 4: not done in 9 s" in said


def test_the_interval_needs_two_workloads(content, measured):
    rows = tables(summary.part(measured(content)))[0].rows
    of = {(row[0], row[1]): row for row in rows}
    assert of["chili", 1][4] == "–"
    assert of["libgomp", 1][2] == 2 and ".." in of["libgomp", 1][4]


# --- several files, several builds
# ----------------------------------------------------------------------------------


def test_ratios_are_not_formed_across_files(content, measured):
    slow = copy.deepcopy(content)
    for r in slow["sections"][0]["records"]:
        r["seconds"] = [2 * s for s in r["seconds"]]
    m = measured(content, slow)
    ratio = m.workloads[0].results.ratio(("chili", 1), ("nopal-invoke", 1))
    once = merge([m.documents[0]]).workloads[0].results.ratio(("chili", 1), ("nopal-invoke", 1))
    assert (ratio.count, ratio.low, ratio.high) == (2 * once.count, once.low, once.high)


def test_another_build_of_nopal_stays_out_of_all_but_the_chapter_on_joins(content, measured):
    fib = only(content, "fib")["sections"][0]
    for r in list(fib["records"]):
        if r["label"] == "nopal-invoke":
            locked = {**r["peer"], "join": "locked"}
            fib["records"].append({**r, "label": "asymmetric-locked nopal-invoke", "peer": locked,
                                   "seconds": [2 * s for s in r["seconds"]]})
    m = measured(content)
    assert m.build == ("asymmetric", "waitfree")
    assert set(m.workloads[0].labels()) == {"nopal-invoke", "nopal-frame", "chili", "tbb-invoke",
                                            "openmp-gnu"}
    (table,) = [item for item in joins.items(m) if isinstance(item, Table)]
    assert [row[:4] for row in table.rows] == [["fib(40)", "nopal-invoke", "asymmetric", p]
                                               for p in (1, 2)]
    assert all(row[6].startswith("2.00") for row in table.rows)


def test_libraries():
    assert library_of({"label": "elision-frame", "peer": {"name": "nopal"}}) == "serial"
    assert library_of({"label": "openmp-gnu", "peer": {"name": "OpenMP, libgomp"}}) == "libgomp"


# --- memory
# ----------------------------------------------------------------------------------------


def test_the_fit_finds_the_exponent():
    found = growth.fit({p: 3 + 0.5 * 4 * p**0.8 for p in (1, 2, 4, 8, 16)})
    assert found.n == pytest.approx(0.8, abs=0.01)
    assert found.a == pytest.approx(3, abs=0.05)
    assert found.error < 0.05


def test_no_fit_below_four_numbers_of_workers_or_without_one_worker():
    assert growth.fit({1: 5, 2: 6, 4: 8}) is None
    assert growth.fit({2: 5, 4: 6, 8: 8, 16: 12}) is None


@pytest.mark.parametrize("megabytes", [(5.0, 5.0, 5.0, 5.0), (5.2, 5.1, 5.0, 4.9)])
def test_memory_that_does_not_grow_has_no_exponent(megabytes):
    assert growth.fit(dict(zip((1, 2, 4, 8), megabytes))).error is None


def test_fits_stand_beside_published_exponents(content, measured):
    fib = content["sections"][0]
    once = {r["label"]: r for r in fib["records"] if r["round"] == 0 and r["workers"] == 1}
    fib["records"] = [{**r, "workers": p, "peak_rss_bytes": int(1e6 + 1e6 * p)}
                      for r in once.values() for p in (1, 2, 4, 8)]
    table = tables(memory.part(measured(content)))[0]
    published = {row[1]: (row[2][:4], row[5]) for row in table.rows}
    assert published["tbb-invoke"] == ("1.00", "1.06 ± 0.03")
    assert published["nopal-invoke"] == ("1.00", "– (libfork-lazy: 0.86 ± 0.08)")
    assert published["chili"] == ("1.00", "–")


def with_workers(content, numbers):
    """fib, measured with these numbers of workers."""
    fib = content["sections"][0]
    fib["records"] = [{**r, "workers": p, "peak_rss_bytes": int(1e6 + 1e6 * p)}
                      for r in fib["records"] if r["workers"] == 1
                      for p in (numbers if r["label"] != "serial" else (1,))]
    return content


def test_more_workers_than_cpus_are_marked(content, measured):
    content["machine"]["cpus"] = 2
    found = measured(with_workers(content, (1, 2, 4, 8)))
    assert found.workloads[0].oversubscribed() == {4: 2, 8: 2}
    sizes = tables(memory.part(found))[1]
    assert sizes.header[2:] == ["P = 1", "P = 2", "P = 4 *", "P = 8 *"]
    assert "* more threads than CPUs" in sizes.caption
    for part in (memory.part(found), scaling.part(found)):
        picture = next(item for item in part.items if isinstance(item, Picture))
        for ax in picture.figure.axes[-1:]:
            assert "2 CPUs" in [t.get_text() for t in ax.texts]


def test_workers_that_have_a_cpu_each_are_not_marked(content, measured):
    content["machine"]["cpus"] = 8
    found = measured(with_workers(content, (1, 2, 4, 8)))
    assert not found.workloads[0].oversubscribed()
    assert not any("*" in heading for heading in tables(memory.part(found))[1].header)


def test_a_sweep_over_sizes_becomes_a_figure_for_each_number_of_workers(content, measured):
    fib = content["sections"][0]
    content["sections"] += [{**fib, "n": n} for n in (30, 35)]
    pictures = [item for item in grain.part(measured(content)).items if isinstance(item, Picture)]
    assert [p.name for p in pictures] == ["grain-fib-1", "grain-fib-2"]
    assert "at n = 30" in pictures[0].alt and "nopal-invoke" in pictures[0].alt


def test_two_sizes_are_no_sweep(content, measured):
    content["sections"].append({**content["sections"][0], "n": 30})
    assert "--workload master" in grain.part(measured(content)).items[0].text
