# SPDX-License-Identifier: Apache-2.0
"""Two runs beside each other."""

import json
import re

import pytest

pytest.importorskip("numpy")

import compare_bench  # noqa: E402
from runner.compare import FASTER, SAME, SLOWER, TOO_FEW  # noqa: E402
from runner.conftest import same_as_expected  # noqa: E402

STEADY = [1.0, 1.01, 0.99, 1.0, 1.02, 0.98]
NOISY = [1.0, 2.0, 0.6, 1.4, 0.9, 1.7]
MACHINE = {"cpu": "A CPU", "cpus": 2, "kernel": "Linux 6.1"}
BUILD = {"compiler": "g++ 12", "flags": "-O3"}


def times(factor, values=STEADY):
    return [factor * value for value in values]


def records_of(label, processes, **other):
    """A process for each time, or list of times."""
    return [{"label": label, "workers": 1, "round": number, "build": BUILD,
             "seconds": seconds if isinstance(seconds, list) else [seconds], **other}
            for number, seconds in enumerate(processes)]


def write(path, records, machine=MACHINE, name="fib", n=40):
    path.write_text(json.dumps({"machine": machine, "sections": [
        {"name": name, "n": n, "records": records}]}))


@pytest.fixture
def compared(tmp_path, monkeypatch, capsys):
    """Runs the program on two lists of records and returns its exit status and what it prints."""
    monkeypatch.chdir(tmp_path)

    def run(a, b, *options, machine=MACHINE, **of_both):
        write(tmp_path / "a.json", a, **of_both)
        write(tmp_path / "b.json", b, machine, **of_both)
        status = compare_bench.main(["a.json", "b.json", *options])
        return status, capsys.readouterr().out
    return run


def verdicts(a, b, compared, *options):
    status, printed = compared(*([r for label, values in of.items()
                                  for r in records_of(label, values)] for of in (a, b)),
                               "--json", *options)
    cases = json.loads(printed)["cases"]
    assert all(c["low"] is None or c["low"] <= c["ratio"] <= c["high"] for c in cases)
    return status, {c["label"]: c["verdict"] for c in cases}


def test_every_class_is_told_from_the_others_and_the_worst_comes_first(compared):
    a = {"x": STEADY, "y": STEADY, "z": STEADY[:5], "few": STEADY[:4], "noisy": NOISY}
    b = {"x": times(1.2), "y": times(0.8), "z": STEADY[:5], "few": times(2),
         "noisy": times(1.1, NOISY)}
    found = {"few": TOO_FEW, "x": SLOWER, "noisy": SAME, "z": SAME, "y": FASTER}
    for _ in range(2):  # the same files give the same interval
        status, said = verdicts(a, b, compared)
        assert (status, list(said.items())) == (1, list(found.items()))


@pytest.mark.parametrize("options, status", [([], 0), (["--bound", "1.01"], 1)])
def test_slower_within_the_bound_is_no_failure(compared, options, status):
    assert verdicts({"x": [1.0] * 6}, {"x": [1.02] * 6}, compared, *options) == (
        status, {"x": SLOWER})


def test_repetitions_of_processes_that_differ_do_not_make_the_interval_narrow(compared):
    # Three processes each: within one all is quiet, but one of A's was as slow as all of B's.
    assert verdicts({"x": [3 * [s] for s in (1.0, 1.0, 1.2)]}, {"x": 3 * [3 * [1.2]]},
                    compared) == (0, {"x": SAME})


def test_what_is_said(compared):
    """With what differs besides the program, and what one file lacks."""
    a = [*records_of("serial", STEADY), *records_of("x", STEADY), *records_of("old", STEADY),
         *records_of("z", STEADY)]
    b = [*records_of("serial", times(1.3), build={"compiler": "g++ 13", "flags": "-O2"}),
         *records_of("x", times(1.2)), *records_of("new", STEADY),
         {"label": "z", "workers": 1, "round": 0, "failure": "killed by SIGSEGV"}]
    other = {**MACHINE, "kernel": "Linux 6.2", "cpu": "Another"}
    said = [compared(a, b, machine=other), compared(a, []), compared(
        # A section without a size has workloads of several.
        records_of("fib@none", STEADY, n=34), records_of("fib@none", STEADY, n=40), name="reclaim",
        n=None)]
    same_as_expected("compare.txt", "".join(
        f"{re.sub(r'[0-9.]+[.][.][0-9.]+', 'LOW..HIGH', text)}status {status}\n"
        for status, text in said))


def test_an_unreadable_file_is_named(tmp_path, refused):
    (tmp_path / "b.json").write_text("{")
    write(tmp_path / "a.json", records_of("x", STEADY))
    said = refused(compare_bench.main, [str(tmp_path / name) for name in ("a.json", "b.json")])
    assert f"{tmp_path / 'b.json'}: is no JSON" in said
