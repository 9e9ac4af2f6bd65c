# SPDX-License-Identifier: Apache-2.0
"""The machine and the state that the measurements found it in."""

import os
import platform
from pathlib import Path


def _first_line(path):
    try:
        return Path(path).read_text().splitlines()[0]
    except (OSError, IndexError):
        return None


def _from_file(path, key):
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return None
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(key)), None)


def describe():
    """CPU, memory, kernel, system; load and frequency governor, because they explain a bad
    figure."""
    system = _from_file_quoted("/etc/os-release", "PRETTY_NAME=")
    return {
        "cpu": _from_file("/proc/cpuinfo", "model name") or _from_file("/proc/cpuinfo", "CPU part"),
        "cpus": len(os.sched_getaffinity(0)),
        "hypervisor": "hypervisor" in (_from_file("/proc/cpuinfo", "flags") or "").split(),
        "memory": _from_file("/proc/meminfo", "MemTotal"),
        "kernel": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "system": system,
        "governor": _first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "load_average": list(os.getloadavg()),
    }


def _from_file_quoted(path, key):
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return None
    return next((line[len(key):].strip('"') for line in lines if line.startswith(key)), None)


def summary(m):
    """One line for the head of a table."""
    where = " (virtual)" if m["hypervisor"] else ""
    load = " ".join(f"{x:.1f}" for x in m["load_average"])
    return (f"{m['cpu']}, {m['cpus']} CPUs{where}, {m['memory']}, {m['kernel']}, {m['system']}; "
            f"load at start {load}")
