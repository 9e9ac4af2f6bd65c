# SPDX-License-Identifier: Apache-2.0
"""The machine and the state that the measurements found it in."""

import os
import platform
import re
from pathlib import Path

UNKNOWN = "unknown"


def _first(path, pattern):
    """What the first line that matches has in parentheses; None where there is none."""
    try:
        found = re.search(pattern, Path(path).read_text(), re.MULTILINE)
    except OSError:
        return None
    return found and found[1]


def describe(cpuinfo="/proc/cpuinfo"):
    """CPU, memory, kernel, system; load and frequency governor, because they explain a bad figure.

    processor is family/model by their numbers, such as 25/97: a virtual machine's name of the CPU
    may be that of any generation.
    """
    family, model = (_first(cpuinfo, rf"^{key}\s*: *(\d+)$") for key in ("cpu family", "model"))
    return {
        "cpu": (_first(cpuinfo, r"^model name\s*: *(.*)$")
                or _first(cpuinfo, r"^CPU part\s*: *(.*)$")),
        "processor": f"{family}/{model}" if family and model else UNKNOWN,
        "cpus": len(os.sched_getaffinity(0)),
        "hypervisor": "hypervisor" in (_first(cpuinfo, r"^flags\s*: *(.*)$") or "").split(),
        "memory": _first("/proc/meminfo", r"^MemTotal: *(.*)$"),
        "kernel": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "system": _first("/etc/os-release", r'^PRETTY_NAME="?([^"\n]*)'),
        "governor": _first("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", r"^(.*)$"),
        "load_average": list(os.getloadavg()),
    }


def identity(m):
    """What makes a machine another one, as far as it is known."""
    return m.get("cpu"), m.get("processor", UNKNOWN), m.get("cpus")


def summary(m):
    """One line for the head of a table."""
    where = " (virtual)" if m["hypervisor"] else ""
    load = " ".join(f"{x:.1f}" for x in m["load_average"])
    return (f"{m['cpu']} ({m.get('processor', UNKNOWN)}), {m['cpus']} CPUs{where}, {m['memory']}, "
            f"{m['kernel']}, {m['system']}; load at start {load}")
