# SPDX-License-Identifier: Apache-2.0
import pytest

from runner import targets
from runner.ratios import Results


def record(label, workers, seconds, compiler="g++"):
    return {"label": label, "workers": workers, "round": 0, "seconds": [seconds],
            "peak_rss_bytes": 1,
            "build": {"compiler": f"{compiler} 1.2.3"}}


def test_the_best_variant_of_nopal_is_compared_with_the_best_peer():
    results = Results([record("serial", 1, 1.0), record("nopal-invoke", 1, 2.0),
                       record("nopal-frame", 1, 1.5),
                       record("tbb-invoke", 1, 3.0), record("tbb-group", 1, 1.2),
                       record("chili", 1, 1.25)])
    (found,) = targets.against_peers("lu", results)
    assert found.what == "lu, nopal-frame over tbb-group, P = 1"
    assert found.measured == pytest.approx(1.25) and found.verdict == "MISSED"


def test_a_peer_is_compared_with_nopal_by_its_compiler():
    results = Results([record("nopal-invoke", 1, 2.0), record("nopal-llvm-invoke", 1, 1.0, "clang"),
                       record("tbb-invoke", 1, 2.5), record("openmp-llvm", 1, 1.1, "clang"),
                       record("rayon", 1, 1.6, "rustc")])
    (found,) = targets.against_peers("lu", results)
    assert found.what == "lu, nopal-llvm-invoke over openmp-llvm, P = 1"
    assert found.measured == pytest.approx(1 / 1.1)


def test_serial_programs_and_other_sizes_are_no_peers():
    results = Results([record("serial", 1, 0.5), record("serial-inlined", 1, 0.4),
                       record("elision-invoke", 1, 0.5),
                       record("nopal-frame", 1, 1.0), record("nopal-frame@n/100", 1, 0.01)])
    assert targets.against_peers("lu", results) == []


def test_speedup_is_that_of_the_variant_that_is_best_with_two_workers():
    records = [record("nopal-invoke", 1, 1.0), record("nopal-invoke", 2, 0.7),
               record("nopal-frame", 1, 1.2),
               record("nopal-frame", 2, 0.6)]
    (found,) = targets.against_peers("lu", Results(records))
    assert (found.what, found.measured, found.verdict) == ("lu, nopal-frame, T_1/T_2", 2.0,
                                                           "reached")
    assert targets.against_peers("loop", Results(records)) == []


def test_overhead_is_the_geometric_mean_of_the_classics():
    def results(seconds):
        return Results([record("serial", 1, 1.0), record("nopal-invoke", 1, seconds),
                        record("nopal-frame", 1, 9.0)])

    (found,
     ) = targets.overhead_of_classics([("lu", results(1.0)), ("heat", results(4.0)),
                                       ("fib", results(100.0))])
    assert found.measured == pytest.approx(2.0) and "2 classic" in found.what
    assert targets.overhead_of_classics([("fib", results(1.0))]) == []


def test_overhead_is_over_the_serial_program_of_the_same_compiler():
    results = Results([record("serial", 1, 1.0), record("nopal-invoke", 1, 1.5),
                       record("serial-llvm", 1, 0.5, "clang"),
                       record("nopal-llvm-invoke", 1, 0.6, "clang")])
    assert targets.overhead_of_classics([("lu", results)])[0].measured == pytest.approx(1.2)


def test_space_is_judged_where_it_is_worst():
    def pages(workers, most, depth=0):
        return {**record("fib nopal-invoke", workers, 1.0),
                "runtime": {"stack_pages": most, "fork_depth": depth}}

    (found,) = targets.space_targets(Results([pages(1, 3, depth=1), pages(2, 10), pages(4, 12)]))
    assert found.measured == pytest.approx(1.25)
    assert found.verdict == "MISSED" and "P = 2" in found.what


def test_memory_is_that_of_the_workers():
    def sized(label, peak, before):
        return {**record(label, 2, 1.0), "peak_rss_bytes": peak, "rss_before_workers_bytes": before}

    results = Results([sized("nopal-invoke", 5000, 4000), sized("nopal-frame", 9000, 4000),
                       sized("rayon", 4000, 2000),
                       sized("tbb-invoke", 12000, 4000), sized("serial", 4100, 4000)])
    (found,) = targets.memory_against_peers("fib", "fib(42)", results)
    assert found.measured == pytest.approx(0.5)
    assert "nopal-invoke over rayon" in found.what and found.verdict == "reached"
    assert targets.memory_against_peers("lu", "lu(1024)", results) == []
