# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import unittest
from pathlib import Path

from runner import tables, targets
from runner.command_line import chosen, need_packages, numbers
from runner.programs import NotBuilt, find_programs
from runner.ratios import Results


def record(label, workers, seconds, rss=1_000_000):
    return {"label": label, "workers": workers, "round": 0, "seconds": [seconds],
            "peak_rss_bytes": rss}


FIB = Results([record("serial", 1, 1.0), record("nopal-invoke", 1, 2.2),
               record("nopal-invoke", 2, 1.2),
               record("tbb-invoke", 1, 50.0), record("tbb-group", 1, 40.0)])


class TargetsTest(unittest.TestCase):
    def setUp(self):
        self.found = {t.what: t for t in targets.workload_targets("fib", 40, FIB)}

    def test_verdicts(self):
        self.assertEqual(self.found["fib(40), nopal-invoke, T_1/T_s"].verdict,
                         "must reached, aim not")
        self.assertEqual(self.found["fib(40), nopal-invoke, T_1/T_2"].verdict, "MISSED")

    def test_the_fastest_way_to_use_a_peer_counts(self):
        self.assertAlmostEqual(self.found["fib(40), oneTBB over nopal-invoke, P = 1"].measured,
                               40 / 2.2)

    def test_what_was_not_measured_is_left_out(self):
        self.assertFalse([what for what in self.found if "chili" in what or "frame" in what])

    def test_memory_of_a_loop(self):
        loop = Results([record("nopal-frame", 1, 1.0, 9_000_000),
                        record("nopal-frame@n/100", 1, 0.01, 4_000_000)])
        (target,) = targets.workload_targets("loop", 100, loop)
        self.assertEqual((target.measured, target.verdict), (5.0, "MISSED"))
        tasks = Results([record("nopal-task", 2, 1.0, 4_050_000),
                         record("nopal-task@n/100", 2, 0.01, 4_000_000)])
        (target,) = targets.workload_targets("loop", 100, tasks)
        self.assertTrue(target.what.startswith("loop(100), nopal-task, ")
                        and target.what.endswith("P = 2"))
        self.assertEqual(target.verdict, "reached")

    def test_the_speedup_of_tasks_is_a_target_their_price_is_not(self):
        fib = Results([record("serial", 1, 1.0), record("nopal-task", 1, 4.0),
                       record("nopal-task", 2, 2.0)])
        (target,) = targets.workload_targets("fib", 40, fib)
        self.assertEqual((target.what, target.measured), ("fib(40), nopal-task, T_1/T_2", 2.0))


class TablesTest(unittest.TestCase):
    def test_numbers(self):
        self.assertEqual([tables.number(x) for x in (None, 0, 0.1234, 2.5, 12.34, 123.4, 12345)],
                         ["–", "0", "0.123", "2.50", "12.3", "123", "12345"])

    def test_every_row_has_a_cell_for_every_column(self):
        header, rows = tables.workload_table(FIB)
        self.assertEqual([name for name in header if name.startswith("by ")],
                         ["by nopal-invoke"])
        self.assertEqual(len(rows), 5)
        self.assertEqual({len(r) for r in rows}, {len(header)})
        self.assertIn("| serial | 1 |", tables.as_markdown(header, rows))
        self.assertIn("nopal-invoke", tables.as_text(header, rows))


class CommandLineTest(unittest.TestCase):
    def refused(self, call):
        with (contextlib.redirect_stderr(io.StringIO()) as message,
              self.assertRaises(SystemExit) as end):
            call()
        self.assertEqual(end.exception.code, 2)
        return message.getvalue()

    def test_a_bad_name_lists_the_valid_ones(self):
        self.assertIn("fib skynet",
                      self.refused(lambda: chosen("fob", ["fib", "skynet"], "workload")))
        self.refused(lambda: chosen("", ["fib"], "workload"))
        self.assertEqual(chosen("skynet, fib", ["fib", "skynet"], "workload"), ["skynet", "fib"])
        self.assertEqual(chosen(None, ["fib", "skynet"], "workload"), ["fib", "skynet"])

    def test_numbers_of_workers(self):
        self.assertEqual(numbers("1,2", "--workers"), [1, 2])
        for bad in ("", "0", "1,x", "-1"):
            self.refused(lambda bad=bad: numbers(bad, "--workers"))

    def test_a_missing_package_is_named_with_what_to_install(self):
        need_packages("json")
        self.assertIn("lacks no_such_package; on Debian: apt-get install python3-no_such_package",
                      self.refused(lambda: need_packages("json", "no_such_package")))

    def test_a_folder_without_benchmarks_says_what_to_do(self):
        with self.assertRaisesRegex(NotBuilt, "NOPAL_BUILD_BENCH"):
            find_programs(Path(__file__).parent)


if __name__ == "__main__":
    unittest.main()
