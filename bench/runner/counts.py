# SPDX-License-Identifier: Apache-2.0
"""nopal's own statistics, and the kernel's, in the records."""

from statistics import median


def total_per_run(records, key):
    """One of nopal's counts for one run of the workload, median of the records.

    nopal counts since the start of its runtime, and so the warm-up as well.
    """
    return _median(r["runtime"]["total"][key] / _runs(r) for r in records if r.get("runtime"))


def page_faults_per_run(records):
    """Minor page faults for one run. The kernel's figures leave out a warm-up that does not count
    as a repetition."""
    return _median(r["usage"]["minor_page_faults"] / len(r["seconds"])
                   for r in records if r.get("usage"))


def _runs(record):
    warm_up = record.get("warm_up_seconds")
    # else there was none, or it is a repetition
    extra = warm_up is not None and warm_up != record["seconds"][0]
    return len(record["seconds"]) + extra


def _median(values):
    values = list(values)
    return median(values) if values else None
