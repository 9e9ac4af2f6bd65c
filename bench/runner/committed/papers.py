# SPDX-License-Identifier: Apache-2.0
"""Every figure and table of the five papers: what makes nopal's, where it stands, and if it cannot
be made here, why."""

from ..tables import Table

PFEIFFER, WILLIAMS, LEE = "Pfeiffer 2020", "Williams and Elliott 2024", "Lee and others 2010"
SCHMAUS, GIDRON = "Schmaus 2015", "Gidron 2012"

STACKS, POOL = (f"./run bench {what} --figure " for what in ("stacks", "pool"))
STM = "./run bench stm --workload "
DRAWING = "a drawing: nothing to measure"

# (paper, figures and tables, command or None, document and heading or None, what is to be said)
EVERY = (
    (PFEIFFER, "1.1, 5.6, 6.1", "./run bench", "measurements.md#beside-the-peers",
     "without Fibril and Cilk Plus, which no supported compiler builds; two CPUs, not 96"),
    (PFEIFFER, "2.1 to 2.8, 4.1 to 4.5", None, None, DRAWING),
    (PFEIFFER, "table 2.1", f"{STACKS}strategies", "stacks.md#what-they-cost", ""),
    (PFEIFFER, "table 5.1", "./run bench --list", "../bench/README.md#what-is-measured", ""),
    (PFEIFFER, "5.1", f"{STACKS}stealing", "fork.md#the-variant-that-steals-children",
     "by wait-free joins, the paper's by locks"),
    (PFEIFFER, "5.2", f"{STACKS}joins", "stacks.md#what-they-cost", ""),
    (PFEIFFER, "5.3", None, None, "against Fibril, which is not measured"),
    (PFEIFFER, "5.4, 5.5", f"{STACKS}reclaim", "stacks.md#what-they-cost", ""),
    (WILLIAMS, "1 to 4", None, None, DRAWING),
    (WILLIAMS, "5, 6", "./run bench --size paper --workload fib,integrate,matmul,nqueens,"
     "uts_geometric,uts_binomial", "measurements.md#workloads", "two CPUs, not 112"),
    (WILLIAMS, "5, 6: busy against lazy", f"{STACKS}idle", "scheduler.md#progress", ""),
    (WILLIAMS, "table I", "./run bench --list", "../bench/README.md#what-is-measured", ""),
    (WILLIAMS, "7, table II", "./run bench --workers 1,2,4,8,16", "strand.md#what-workers-take",
     "16 workers on two CPUs"),
    (WILLIAMS, "equation 6", f"{STACKS}victims", "scheduler.md#progress",
     "on a machine that is made up"),
    (LEE, "1, 3 to 6", None, None, DRAWING),
    (LEE, "2", f"{STACKS}strategies", "stacks.md#what-they-cost", ""),
    (LEE, "7", "./run bench --list", "../bench/README.md#what-is-measured", ""),
    (LEE, "8", f"{STACKS}time", "stacks.md#what-they-cost",
     "mapped over nopal's default, not over Cilk-5"),
    (LEE, "9", f"{STACKS}pages", "stacks.md#what-they-cost", ""),
    (LEE, "10", f"{STACKS}memory", "stacks.md#what-they-cost", ""),
    (SCHMAUS, "2.1 to 2.5, tables 3.2, 3.3 and 5.1", None, None,
     "drawings, descriptions and the machine"),
    (SCHMAUS, "table 3.1", f"{STACKS}caches", "strand.md#stack-caches", ""),
    (SCHMAUS, "table 4.1, section 5.5", f"{STACKS}joins", "stacks.md#what-they-cost", ""),
    (SCHMAUS, "5.1", "./run bench --workload fib --variant nopal-cilk,opencilk --n 30", None,
     "Cilk Plus is in no supported compiler; OpenCilk takes its place where it is installed"),
    (SCHMAUS, "5.2, 5.3", None, None,
     "nopal has no build without context stealing or without its thread-local worker"),
    (SCHMAUS, "5.4 to 5.6, table 5.2", f"{STACKS}stealing", "fork.md#the-variant-that-steals-children",
     "two CPUs, not 80"),
    (GIDRON, "1.1 to 1.3, 2.3", None, None, DRAWING),
    (GIDRON, "1.4a", f"{POOL}throughput", "pool.md#other-mechanisms", ""),
    (GIDRON, "1.4b", f"{POOL}ratios", "pool.md#other-mechanisms", ""),
    (GIDRON, "1.5a", f"{POOL}one-producer", "pool.md#other-mechanisms", ""),
    (GIDRON, "1.5b", f"{POOL}swaps", "pool.md#other-mechanisms", ""),
    (GIDRON, "1.6", f"{POOL}balancing", "pool.md#other-mechanisms", ""),
    (GIDRON, "1.7", f"{POOL}pinning", "pool.md#other-mechanisms", "one NUMA node here"),
    (GIDRON, "1.8", f"{POOL}chunks", "pool.md#other-mechanisms", ""),
    (GIDRON, "2.1", f"{STM}contention", "stm.md#measured", ""),
    (GIDRON, "2.2", f"{STM}locality", "stm.md#measured", ""),
    (GIDRON, "2.4, 2.5", f"{STM}vacation,intruder,yada", "stm.md#measured", "two CPUs, not 16"),
    (GIDRON, "2.6", f"{STM}read-sets", "stm.md#measured", ""),
    (GIDRON, "tables 2.1 to 2.3", f"{STM}misses", "stm.md#measured",
     "counted by cachegrind, not by hardware"),
)


def papers(_committed):
    """A row for each."""
    return Table(["paper", "figures and tables", "by", "in", "note"],
                       [[paper, what, f"`{command}`" if command else "–",
                         f"[{place.split('#')[0].split('/')[-1]}]({place})" if place else "–", note]
                        for paper, what, command, place, note in EVERY])
