# SPDX-License-Identifier: Apache-2.0
"""Two runs beside each other."""

import json

import pytest

pytest.importorskip("numpy")

import compare_bench  # noqa: E402
from runner.compare import FASTER, SAME, SLOWER, TOO_FEW  # noqa: E402

STEADY = [1.0, 1.01, 0.99, 1.0, 1.02, 0.98]
NOISY = [1.0, 2.0, 0.6, 1.4, 0.9, 1.7]
MACHINE = {"cpu": "A CPU", "cpus": 2, "kernel": "Linux 6.1"}
BUILD = {"compiler": "g++ 12", "flags": "-O3"}


def times(factor, values=STEADY):
    return [factor * value for value in values]


def record(label, *seconds, number=0, build=None, **other):
    return {"label": label, "workers": 1, "round": number, "seconds": list(seconds),
            "build": build or BUILD, **other}


def of_records(path, records, machine=None, name="fib", n=40):
    path.write_text(json.dumps({"started": "today", "machine": machine or MACHINE,
                                "sections": [{"name": name, "n": n, "records": records}]}))
    return str(path)


def written(path, variants, machine=None, build=None):
    """A results.json of fib(40) with one process for each time."""
    return of_records(path, [record(label, s, number=number, build=build)
                             for label, values in variants.items()
                             for number, s in enumerate(values)], machine)


@pytest.fixture
def compared(tmp_path, capsys):
    """Runs the program on two files and returns its exit status and the JSON that it prints."""
    def run(a, b, *options, **of_b):
        status = compare_bench.main([written(tmp_path / "a.json", a),
                                     written(tmp_path / "b.json", b, **of_b), "--json",
                                     *options])
        return status, json.loads(capsys.readouterr().out)
    return run


def verdicts(result):
    return {c["label"]: c["verdict"] for c in result["cases"]}


def test_every_class_is_told_from_the_others(compared):
    status, result = compared({"x": STEADY, "y": STEADY, "z": STEADY, "few": STEADY[:4],
                               "noisy": NOISY},
                              {"x": times(1.2), "y": times(0.8), "z": STEADY, "few": times(2),
                               "noisy": times(1.1, NOISY)})
    assert verdicts(result) == {"x": SLOWER, "y": FASTER, "z": SAME, "few": TOO_FEW, "noisy": SAME}
    assert [c["label"] for c in result["cases"]] == ["few", "x", "noisy", "z", "y"]  # worst first
    assert status == 1


def test_the_ratio_is_that_of_the_medians_within_its_interval(compared):
    _, result = compared({"x": STEADY}, {"x": times(1.2)})
    (case,) = result["cases"]
    assert case["ratio"] == pytest.approx(1.2)
    assert case["low"] < case["ratio"] < case["high"]


def test_slower_within_the_bound_is_no_failure(compared):
    status, result = compared({"x": [1.0] * 6}, {"x": [1.02] * 6})
    assert (status, verdicts(result)) == (0, {"x": SLOWER})
    assert compared({"x": [1.0] * 6}, {"x": [1.02] * 6}, "--bound", "1.01")[0] == 1


def test_five_values_are_enough_and_repetitions_are_values(compared):
    assert verdicts(compared({"x": STEADY[:5]}, {"x": STEADY[:5]})[1]) == {"x": SAME}


def test_repetitions_of_processes_that_differ_do_not_make_the_interval_narrow(tmp_path, capsys):
    # Three processes each: within one all is quiet, but one of A's was as slow as all of B's.
    files = [of_records(tmp_path / name, [record("x", s, s, s, number=number)
                                          for number, s in enumerate(processes)])
             for name, processes in (("a", [1.0, 1.0, 1.2]), ("b", [1.2, 1.2, 1.2]))]
    assert compare_bench.main(files) == 0
    assert SAME in capsys.readouterr().out


def test_the_same_files_give_the_same_interval(compared):
    assert compared({"x": NOISY}, {"x": NOISY}) == compared({"x": NOISY}, {"x": NOISY})


def test_what_one_file_lacks_is_named_with_the_reason(tmp_path, compared, capsys):
    _, result = compared({"x": STEADY, "old": STEADY}, {"x": STEADY, "new": STEADY})
    assert [c["label"] for c in result["only_in_a"]] == ["old"]
    assert [c["label"] for c in result["only_in_b"]] == ["new"]
    failed = {"label": "x", "workers": 1, "round": 0, "failure": "killed by SIGSEGV"}
    assert compare_bench.main([written(tmp_path / "a.json", {"x": STEADY}),
                               of_records(tmp_path / "b.json", [failed])]) == 0
    said = capsys.readouterr().out
    assert "only in A: fib(40) x, P = 1; in B it failed: killed by SIGSEGV" in said
    assert "no case is in both files" in said


def test_workloads_of_reclaim_are_told_apart_by_their_size(tmp_path, capsys):
    compare_bench.main([of_records(tmp_path / f"{n}.json",
                                   [record("fib invoke@none", *STEADY, n=n)], name="reclaim",
                                   n=None) for n in (34, 40)])
    out = capsys.readouterr().out
    assert "only in A: reclaim(34) fib invoke@none" in out and "only in B: reclaim(40)" in out


def test_circumstances_that_differ_are_warned_of(compared):
    _, result = compared({"x": STEADY}, {"x": STEADY},
                         machine={**MACHINE, "kernel": "Linux 6.2", "cpu": "Another"},
                         build={"compiler": "g++ 13", "flags": "-O2"})
    said = "\n".join(result["warnings"])
    for part in ("CPU differs: A CPU in A, Another in B", "kernel differs",
                 "compiler differs: g++ 12 in A, g++ 13 in B (x)", "flags differs: -O3"):
        assert part in said


def test_a_serial_program_that_changed_is_warned_of(compared):
    _, result = compared({"serial": STEADY}, {"serial": times(1.3)})
    assert "the serial program itself is slower" in result["warnings"][0]
    assert compared({"serial": STEADY}, {"serial": STEADY})[1]["warnings"] == []


def test_the_table(tmp_path, capsys):
    a = written(tmp_path / "a.json", {"x": STEADY, "old": STEADY})
    assert compare_bench.main([a, written(tmp_path / "b.json", {"x": times(1.2)})]) == 1
    out = capsys.readouterr().out
    for part in ("fib(40) x, P = 1", "slower, beyond 1.03", "only in A: fib(40) old, P = 1",
                 "1 cases: 1 slower, 0 faster", "1.20"):
        assert part in out


def test_an_unreadable_file_is_named(tmp_path, refused):
    good, bad = written(tmp_path / "a.json", {"x": STEADY}), tmp_path / "b.json"
    bad.write_text("{")
    assert f"{bad}: is no JSON" in refused(compare_bench.main, [good, str(bad)])
