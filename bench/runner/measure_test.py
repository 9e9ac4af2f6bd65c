# SPDX-License-Identifier: Apache-2.0
"""From jobs to records: turns, rounds, deadlines, failures, and what an interrupted run leaves."""

import io
import sys
import time

import pytest

from runner import whole_run
from runner.command_line import seconds_in
from runner.journal import Journal, Progress
from runner.measure import Effort, Job, Section, measure_section, run_process
from runner.whole_run import NotAlone, alone


def python(code):
    return [sys.executable, "-c", code]


GOOD = python("print('{\"seconds\": [1.0]}')")
WRONG = python("import sys; print('FAILED: wrong result', file=sys.stderr); sys.exit(1)")
TOO_LARGE = python("import sys; print('needs 30 GB, there are 24', file=sys.stderr); sys.exit(3)")
GROWING = python("import json, time; print(json.dumps({'seconds': [time.monotonic()]}))")


@pytest.fixture
def journal(tmp_path):
    """Opens the journal of a plan."""
    opened = []

    def of(plan=1):
        opened.append(Journal(tmp_path / "journal.jsonl", plan))
        return opened[-1]
    yield of
    for one in opened:
        one.file.close()


@pytest.fixture
def measure(journal):
    def of(jobs, rounds, deadline=None, spread=None):
        return measure_section(Section("s", 1, [Job(name, 1, command) for name, command in jobs]),
                               Effort(rounds, 10, deadline, spread), journal(),
                               Progress(stream=io.StringIO()))
    return of


@pytest.mark.parametrize("jobs, rounds, more, labels", [
    ({"a": GOOD, "b": GOOD}, 2, {}, "abab"),  # they take turns
    ({"a": WRONG, "b": GOOD}, 2, {}, "abb"),  # what failed is not tried again
    ({"a": WRONG, "b": GOOD}, 2, {"deadline": 60}, "abb"),
    ({"a": GOOD}, 5, {"deadline": -1}, "a"),  # past the deadline only the first round is run
    ({"a": GOOD}, 9, {"spread": 0.02}, "aaa"),  # times that agree are not measured for ever
    ({"a": GROWING}, 5, {"spread": 1e-9}, "aaaaa"),  # times that disagree are
])
def test_what_is_run(measure, jobs, rounds, more, labels):
    if "deadline" in more:
        more = {"deadline": time.monotonic() + more["deadline"]}
    records = measure(jobs.items(), rounds, **more)
    assert "".join(r["label"] for r in records) == labels
    assert [r["round"] for r in records] == sorted(r["round"] for r in records)


def test_a_failure_is_named_and_what_does_not_fit_is_skipped(measure, capsys):
    bad, large = measure([("bad", WRONG), ("large", TOO_LARGE)], 3)
    assert "wrong result" in bad["failure"] and "skipped" not in bad and large["skipped"]
    said = capsys.readouterr().err
    assert "wrong result" in said and "skipped: needs 30 GB" in said


@pytest.mark.parametrize("timeout, now, seconds", [(900, 40, 60), (900, 140, 10), (5, 40, 5)])
def test_a_deadline_ends_a_process_of_the_first_round_but_not_at_once(timeout, now, seconds):
    assert Effort(1, timeout, deadline=100).timeout_at(now=now) == seconds


def test_an_interrupted_run_goes_on(measure, journal):
    measure([("a", GOOD), ("b", GOOD)], 1)
    with journal().path.open("a") as file:
        file.write('\n["s(1)", {"lab')  # cut off
    records = measure([("a", WRONG), ("b", GOOD)], 2)
    assert [(r["label"], r["round"]) for r in records] == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]
    assert ["failure" in r for r in records] == [False, False, True, False]
    assert len(journal()) == 4
    assert len(measure([("a", GOOD), ("b", GOOD)], 3)) == 5  # a failure is not tried again


def test_the_journal_of_another_run_is_left_alone_and_a_complete_one_is_removed(measure, journal):
    measure([("a", GOOD)], 1)
    with pytest.raises(ValueError, match="another plan"):
        journal(plan=2)
    own = journal()
    assert len(own) == 1
    own.close(complete=True)
    assert not own.path.exists()


@pytest.mark.parametrize("code, timeout, said", [
    ("import time; time.sleep(60)", 0.3, "not done within"),
    ("import os; os.kill(os.getpid(), 11)", 10, "SIGSEGV"),
    ("print('hello')", 10, "no record")])
def test_what_goes_wrong_is_named(code, timeout, said):
    record = run_process(Job("x", 1, python(code)), timeout)
    assert said in record["failure"] and record.get("timed_out", False) == (timeout < 1)


def test_the_environment_reaches_the_process():
    command = python("import json, os; policy = os.environ['NOPAL_RECLAIM']; "
                     "print(json.dumps({'seconds': [], 'policy': policy}))")
    assert run_process(Job("e", 1, command, {"NOPAL_RECLAIM": "none"}), 10)["policy"] == "none"


@pytest.mark.parametrize("budget, shares", [(40_000, [10_000, 13_333, 20_000, 40_000]),
                                            (None, 4 * [None])])
def test_a_budget_is_shared_out(monkeypatch, journal, budget, shares):
    found, begin = [], time.monotonic()
    monkeypatch.setattr(whole_run, "measure_section", lambda section, effort, *_: found.append(
        effort.deadline and effort.deadline - begin))
    whole_run.measure_all(4 * [Section("s", 1, [])], journal(), 1, 10, budget)
    assert found == (shares if budget is None else pytest.approx(shares, abs=100))


def test_times_on_the_command_line(capsys):
    assert [seconds_in(t) for t in ("90", "90s", "10m", "1.5h")] == [90, 90, 600, 5400]
    for text in ("", "m", "0", "-3s", "inf", "nan", "10 minutes"):
        with pytest.raises(SystemExit, match="2"):
            seconds_in(text)
        assert f"'{text}' is no time" in capsys.readouterr().err


def test_progress_says_how_long_it_will_take_on_a_terminal(monkeypatch):
    stream = io.StringIO()
    Progress(stream=stream).show("half way")
    assert stream.getvalue() == ""
    monkeypatch.setattr(stream, "isatty", lambda: True)
    progress = Progress(10, stream)
    progress.measured(30)
    progress.show("fib")
    assert "fib, about 0:04:30 left" in stream.getvalue()


def test_two_measurements_at_once_are_refused(tmp_path):
    with alone(tmp_path):
        with pytest.raises(NotAlone, match="another measurement"), alone(tmp_path):
            pass
    with alone(tmp_path):
        pass
