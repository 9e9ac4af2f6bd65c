# SPDX-License-Identifier: Apache-2.0
"""Prints the tests that failed according to a JUnit file of ctest, each with the end of its output.

What failed once in many runs is hard to find again; a log of which only the end is kept should show it.
"""

import sys
import xml.etree.ElementTree

LINES = 40  # of output, for each test


def main() -> None:
    preset, report = sys.argv[1:]
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        skipped = case.find("skipped")
        # As test_preset in run counts: skipped is what wished to be; a test that cannot be started, say, has failed.
        by_wish = skipped is not None and skipped.get("message", "").startswith("SKIP_")
        if case.get("status") in ("run", "disabled") or by_wish:
            continue
        failure = case.find("failure")
        why = case.get("status") if failure is None else failure.get("message") or "failed"
        print(f"\n--- {preset}: {case.get('name')}: {why}, after {float(case.get('time', 0)):.1f} s")
        print("\n".join((case.findtext("system-out") or "").splitlines()[-LINES:]))


if __name__ == "__main__":
    main()
