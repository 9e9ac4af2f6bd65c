# SPDX-License-Identifier: Apache-2.0
"""Records of figures of stacks, for tests."""


def record(label, workers, *, number=0, seconds=1.0, runtime=None, **other):
    return {"label": label, "workers": workers, "round": number, "workload": label.split(" ")[0],
            "n": 42, "seconds": [seconds], "peak_rss_bytes": 1_000_000, "wall_seconds": seconds,
            "peer": {"name": "none" if label.endswith("serial") else "nopal", "version": "1"},
            "build": {"compiler": "g++ 12.2.0", "flags": "-O3"}, "runtime": runtime, **other}


def counted(label, workers, pages=1, stacks=None, depth=0, number=0, **other):
    """Of a program that counts pages."""
    runtime = {"stack_pages": pages, "fork_depth": depth,
               "peak_stacks_in_use": workers if stacks is None else stacks, **other}
    return record(label, workers, number=number, runtime=runtime)


def _memory(label, workers, pages, heap, before):
    return {**counted(label, workers, pages, heap_pages=heap),
            "memory_pages": {"before_workers": before, "at_end": 9}}


PAGES = [counted("fib nopal-frame", 1, 2, depth=41), counted("fib nopal-frame", 16, 48),
         counted("fib nopal-frame", 16, 64, number=1),
         counted("fib nopal-mapped-frame", 1, 2, depth=41),
         counted("fib nopal-mapped-frame", 16, 56)]
TIMES = [record(f"fib {name}", 2, seconds=seconds, number=number)
         for number in (0, 1) for name, seconds in (("nopal-frame", 2), ("nopal-mapped-frame", 3))]
MEMORY = [record("fib serial", 1, memory_pages={"before_workers": 100, "at_end": 103}),
          _memory("fib nopal-frame", 16, 48, 200, 100),
          _memory("fib nopal-mapped-frame", 16, 40, 300, 100)]
JOINS = [record("fib serial", 1, seconds=4),
         *(record(f"fib {name}", 2, seconds=seconds)
           for name, seconds in (("nopal-frame", 2), ("nopal-locked-frame", 2.5),
                                 ("nopal-the-frame", 1)))]
STRATEGIES = [record("fib default", 2, seconds=1), record("fib deeper", 2, seconds=3),
              counted("fib default@pages", 2, 5, stacks=4),
              counted("fib default@pages", 2, 7, stacks=3, number=1),
              counted("fib deeper@pages", 2, 9, stacks=2)]
def _steals(label, steals, within):
    return counted(label, 16, total={"steals": steals}, steals_within_package=within)


VICTIMS = [record("fib uniform", 16, seconds=2), record("fib weighted", 16, seconds=3),
           _steals("fib uniform@pages", 30, 6), _steals("fib weighted@pages", 40, 30)]
CACHES = [record("stack_cache", 2, number=number, lists={"nanoseconds": {"median": a}},
                 bitmap={"nanoseconds": {"median": b}})
          for number, (a, b) in enumerate(((4, 10), (6, 12)))]
