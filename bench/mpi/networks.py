# SPDX-License-Identifier: Apache-2.0
"""What carries letters between ranks: constants, and where they come from."""

from typing import NamedTuple


class Network(NamedTuple):
    latency: float  # seconds from a send to where a probe sees the letter
    bandwidth: float  # bytes a second
    near: bool  # whether all ranks are on one machine
    source: str

    def seconds(self, size):
        return self.latency + size / self.bandwidth


NETWORKS = {
    "infiniband": Network(
        1.1e-6, 24.0e9, False,
        "InfiniBand HDR, 200 Gb/s: latency and bandwidth between two nodes as published for "
        "MVAPICH2 on ConnectX-6 (mvapich.cse.ohio-state.edu, Performance, point to point)"),
    "ethernet": Network(
        21e-6, 0.5e9, False,
        "10 Gb/s Ethernet with TCP: Hurwitz and Feng, Initial End-to-End Performance Evaluation of "
        "10-Gigabit Ethernet, Hot Interconnects 2003"),
    "machine": Network(
        0.5e-6, 5.0e9, True,
        "shared memory of one machine: a ping-pong of Open MPI on two CPUs"),
}
