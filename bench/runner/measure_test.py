# SPDX-License-Identifier: Apache-2.0
import io
import sys
import tempfile
import time
import unittest
from contextlib import redirect_stderr
from pathlib import Path

from runner.alone import NotAlone, alone
from runner.budget import Budget, seconds_in
from runner.journal import Journal, OtherPlan
from runner.measure import Effort, Job, Section, measure_section, run_process
from runner.progress import Progress, duration


def python(code):
    return [sys.executable, "-c", code]


GOOD = python("print('{\"seconds\": [1.0]}')")
WRONG = python("import sys; print('FAILED: wrong result', file=sys.stderr); sys.exit(1)")


TOO_LARGE = python("import sys; print('needs 30 GB, there are 24', file=sys.stderr); sys.exit(3)")


class Terminal(io.StringIO):
    def isatty(self):
        return True


class MeasureTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "journal.jsonl"

    def journal(self, plan=1):
        journal = Journal(self.path, plan)
        self.addCleanup(journal.file.close)
        return journal

    def measure(self, jobs, rounds, deadline=None, spread=None):
        with redirect_stderr(io.StringIO()) as self.errors:
            return measure_section(Section("s", 1, jobs), Effort(rounds, 10, deadline, spread),
                                   self.journal(),
                                   Progress(stream=io.StringIO()))

    def test_jobs_take_turns(self):
        records = self.measure([Job("a", 1, GOOD), Job("b", 1, GOOD)], 2)
        self.assertEqual([(r["label"], r["round"]) for r in records],
                         [("a", 0), ("b", 0), ("a", 1), ("b", 1)])

    def test_a_failed_job_is_named_and_not_tried_again(self):
        records = self.measure([Job("bad", 1, WRONG), Job("good", 1, GOOD)], 2)
        self.assertEqual([r["label"] for r in records], ["bad", "good", "good"])
        self.assertIn("wrong result", records[0]["failure"])
        self.assertIn("wrong result", self.errors.getvalue())

    def test_nor_is_it_before_a_deadline(self):
        records = self.measure([Job("bad", 1, WRONG), Job("good", 1, GOOD)], 2,
                               deadline=time.monotonic() + 60)
        self.assertEqual([r["label"] for r in records], ["bad", "good", "good"])

    def test_past_the_deadline_only_the_first_round_is_run(self):
        self.assertEqual(len(self.measure([Job("a", 1, GOOD)], 5, deadline=time.monotonic() - 1)),
                         1)

    def test_times_that_agree_are_not_measured_for_ever(self):
        self.assertEqual(len(self.measure([Job("a", 1, GOOD)], 9, spread=0.02)), 3)

    def test_times_that_disagree_are(self):
        growing = python("import json, time; print(json.dumps({'seconds': [time.monotonic()]}))")
        self.assertEqual(len(self.measure([Job("a", 1, growing)], 5, spread=1e-9)), 5)

    def test_what_does_not_fit_is_skipped_and_said(self):
        (record,) = self.measure([Job("large", 1, TOO_LARGE)], 3)
        self.assertTrue(record["skipped"])
        self.assertIn("skipped: needs 30 GB", self.errors.getvalue())

    def test_a_deadline_ends_a_process_of_the_first_round_but_not_at_once(self):
        self.assertEqual(Effort(1, 900, deadline=100).timeout_at(now=40), 60)
        self.assertEqual(Effort(1, 900, deadline=100).timeout_at(now=140), 10)
        self.assertEqual(Effort(1, 5, deadline=100).timeout_at(now=40), 5)

    def test_an_interrupted_run_goes_on(self):
        self.measure([Job("a", 1, GOOD), Job("b", 1, GOOD)], 1)
        with self.path.open("a") as file:
            file.write('{"section": "s(1)", "reco')  # cut off
        records = self.measure([Job("a", 1, WRONG), Job("b", 1, GOOD)], 2)
        self.assertEqual([(r["label"], r["round"]) for r in records],
                         [("a", 0), ("b", 0), ("a", 1), ("b", 1)])
        self.assertEqual(["failure" in r for r in records], [False, False, True, False])
        self.assertEqual(len(self.journal()), 4)

    def test_a_failure_is_not_tried_again_by_a_run_that_goes_on(self):
        self.measure([Job("a", 1, WRONG)], 1)
        self.assertEqual(len(self.measure([Job("a", 1, GOOD)], 3)), 1)

    def test_the_journal_of_another_run_is_left_alone(self):
        self.measure([Job("a", 1, GOOD)], 1)
        with self.assertRaises(OtherPlan):
            self.journal(plan=2)
        self.assertEqual(len(self.journal()), 1)

    def test_a_complete_run_leaves_no_journal(self):
        journal = self.journal()
        journal.close(complete=True)
        self.assertFalse(self.path.exists())

    def test_a_process_that_hangs_is_ended(self):
        record = run_process(Job("hangs", 1, python("import time; time.sleep(60)")), timeout=0.3)
        self.assertTrue(record["timed_out"])

    def test_a_signal_is_named(self):
        record = run_process(Job("dies", 1, python("import os; os.kill(os.getpid(), 11)")),
                             timeout=10)
        self.assertIn("SIGSEGV", record["failure"])

    def test_what_is_no_record_is_a_failure(self):
        self.assertIn("no record",
                      run_process(Job("mute", 1, python("print('hello')")), timeout=10)["failure"])

    def test_the_environment_reaches_the_process(self):
        command = python("import json, os; policy = os.environ['NOPAL_RECLAIM']; "
                         "print(json.dumps({'seconds': [], 'policy': policy}))")
        self.assertEqual(run_process(Job("e", 1, command, {"NOPAL_RECLAIM": "none"}), 10)["policy"],
                         "none")

    def test_a_budget_is_shared_out(self):
        budget = Budget(100, 4)
        first = budget.next_section() - time.monotonic()
        self.assertAlmostEqual(first, 25, delta=1)
        self.assertIsNone(Budget(None, 4).next_section())

    def test_times_on_the_command_line(self):
        self.assertEqual([seconds_in(t) for t in ("90", "90s", "10m", "1.5h")], [90, 90, 600, 5400])
        for text in ("", "m", "0", "-3s", "inf", "nan", "10 minutes"):
            with self.assertRaisesRegex(ValueError, "is no time"):
                seconds_in(text)

    def test_no_progress_is_shown_where_there_is_no_terminal(self):
        stream = io.StringIO()
        Progress(stream=stream).show("half way")
        self.assertEqual(stream.getvalue(), "")

    def test_progress_says_how_long_it_will_take(self):
        stream = Terminal()
        progress = Progress(10, stream)
        progress.measured(30)
        progress.show("fib")
        self.assertIn("fib, about 4 min left", stream.getvalue())
        self.assertEqual([duration(s) for s in (0.4, 59, 90, 4000)],
                         ["0 s", "59 s", "2 min", "1 h 6 min"])

    def test_two_measurements_at_once_are_refused(self):
        with alone(self.path.parent):
            with self.assertRaisesRegex(NotAlone, "another measurement"), alone(self.path.parent):
                pass
        with alone(self.path.parent):
            pass


if __name__ == "__main__":
    unittest.main()
