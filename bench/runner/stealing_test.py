# SPDX-License-Identifier: Apache-2.0
"""What the section "stealing" measures."""

from pathlib import Path

import run_bench
from runner.programs import Programs, Variant


def variant(name, workload="master", parallel=True):
    sizes = {"smoke": 20, "quick": 42, "paper": 1000}
    return Variant(workload, name, "nopal", Path(name), parallel, sizes)


PROGRAMS = Programs([variant("serial", parallel=False), variant("nopal-frame"),
                     variant("nopal-invoke"), variant("nopal-frame", "fib")], [],
                    [variant("nopal-child-frame"), variant("nopal-child-frame", "fib")], {}, {})


def test_child_stealing_is_measured_beside_continuation_stealing():
    jobs = run_bench.stealing_section(PROGRAMS, "quick", [1, 2], 1).jobs
    assert [(job.label, job.workers) for job in jobs if "(10) " in job.label] == [
        ("master(10) serial", 1), ("master(10) nopal-frame", 1), ("master(10) nopal-frame", 2),
        ("master(10) nopal-child-frame", 1), ("master(10) nopal-child-frame", 2)]


def test_trees_have_many_sizes_as_far_as_the_workload_goes():
    jobs = run_bench.stealing_section(PROGRAMS, "quick", [1], 1).jobs
    assert list(dict.fromkeys(job.label.split(" ")[0] for job in jobs)) == [
        "master(1)", "master(10)", "master(100)", "master(1000)", "fib(30)"]
