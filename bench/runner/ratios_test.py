# SPDX-License-Identifier: Apache-2.0
import unittest

from runner.ratios import Results, Spread


def record(label, workers, number, *seconds, rss=1):
    return {"label": label, "workers": workers, "round": number, "seconds": list(seconds),
            "peak_rss_bytes": rss}


class RatiosTest(unittest.TestCase):
    def test_ratios_are_formed_within_rounds(self):
        # The second round runs on a machine half as fast: both slow down, and the ratio stays.
        results = Results([record("a", 1, 0, 2.0), record("b", 1, 0, 1.0), record("a", 1, 1, 4.0),
                           record("b", 1, 1, 2.0)])
        self.assertEqual(results.ratio(("a", 1), ("b", 1)), Spread(2.0, 2.0, 2.0, 2))

    def test_a_round_that_lacks_one_side_does_not_count(self):
        results = Results([record("a", 1, 0, 3.0), record("b", 1, 0, 1.0), record("a", 1, 1, 9.0)])
        self.assertEqual(results.ratio(("a", 1), ("b", 1)).count, 1)
        self.assertIsNone(results.ratio(("a", 2), ("b", 1)))

    def test_repetitions_of_a_process_count_as_their_median_in_ratios_and_singly_in_times(self):
        results = Results([record("a", 1, 0, 1.0, 2.0, 9.0), record("b", 1, 0, 1.0)])
        self.assertEqual(results.ratio(("a", 1), ("b", 1)).median, 2.0)
        self.assertEqual(results.seconds("a", 1), Spread(2.0, 1.0, 9.0, 3))

    def test_failures_are_kept_apart(self):
        results = Results([record("a", 1, 0, 1.0),
                           {"label": "b", "workers": 1, "round": 0, "failure": "killed"}])
        self.assertEqual(results.keys(), [("a", 1)])
        self.assertEqual(len(results.failures), 1)


if __name__ == "__main__":
    unittest.main()
