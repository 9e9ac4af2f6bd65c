# SPDX-License-Identifier: Apache-2.0
import io
import sys
import time
import unittest
from contextlib import redirect_stderr

from runner.measure import Budget, Job, Progress, Section, measure_section, run_process


def python(code):
    return [sys.executable, "-c", code]


GOOD = python("print('{\"seconds\": [1.0]}')")
WRONG = python("import sys; print('FAILED: wrong result', file=sys.stderr); sys.exit(1)")


class MeasureTest(unittest.TestCase):
    def measure(self, jobs, rounds, deadline=None):
        with redirect_stderr(io.StringIO()) as self.errors:
            return measure_section(Section("s", 1, jobs), rounds, deadline, 10, Progress(io.StringIO()))

    def test_jobs_take_turns(self):
        records = self.measure([Job("a", 1, GOOD), Job("b", 1, GOOD)], 2)
        self.assertEqual([(r["label"], r["round"]) for r in records], [("a", 0), ("b", 0), ("a", 1), ("b", 1)])

    def test_a_failed_job_is_named_and_not_tried_again(self):
        records = self.measure([Job("bad", 1, WRONG), Job("good", 1, GOOD)], 2)
        self.assertEqual([r["label"] for r in records], ["bad", "good", "good"])
        self.assertIn("wrong result", records[0]["failure"])
        self.assertIn("wrong result", self.errors.getvalue())

    def test_past_the_deadline_only_the_first_round_is_run(self):
        self.assertEqual(len(self.measure([Job("a", 1, GOOD)], 5, deadline=time.monotonic() - 1)), 1)

    def test_a_process_that_hangs_is_ended(self):
        record = run_process(Job("hangs", 1, python("import time; time.sleep(60)")), timeout=0.3)
        self.assertTrue(record["timed_out"])

    def test_a_signal_is_named(self):
        record = run_process(Job("dies", 1, python("import os; os.kill(os.getpid(), 11)")), timeout=10)
        self.assertIn("SIGSEGV", record["failure"])

    def test_what_is_no_record_is_a_failure(self):
        self.assertIn("no record", run_process(Job("mute", 1, python("print('hello')")), timeout=10)["failure"])

    def test_the_environment_reaches_the_process(self):
        command = python("import json, os; print(json.dumps({'seconds': [], 'policy': os.environ['NOPAL_RECLAIM']}))")
        self.assertEqual(run_process(Job("e", 1, command, {"NOPAL_RECLAIM": "none"}), 10)["policy"], "none")

    def test_a_budget_is_shared_out(self):
        budget = Budget(100, 4)
        first = budget.next_section() - time.monotonic()
        self.assertAlmostEqual(first, 25, delta=1)
        self.assertIsNone(Budget(None, 4).next_section())

    def test_no_progress_is_shown_where_there_is_no_terminal(self):
        stream = io.StringIO()
        Progress(stream).show("half way")
        self.assertEqual(stream.getvalue(), "")


if __name__ == "__main__":
    unittest.main()
