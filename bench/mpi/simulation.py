# SPDX-License-Identifier: Apache-2.0
"""All ranks, and the events between them, in the order of their times."""

import heapq
from collections import Counter

from protocol import BEAT_EVERY, PROBES, Rank
from work import Strand


class World:
    """One operation. Times are in seconds.

    Strands advance by a clock of their own, which goes slower than time if there are fewer CPUs
    than workers with work."""

    def __init__(self, tree, ranks, workers, network, *, cost, cpus=None, near=1, slack=55e-6,
                 wake_up=5e-6, look_cost=2e-6, letter_cost=1e-6, least_share=10e-6, time_slice=3e-3,
                 probes=PROBES, seed=0):
        self.tree, self.workers, self.network = tree, workers, network
        self.cost = cost  # seconds a unit
        self.cpus = cpus
        self.slack, self.wake_up = slack, wake_up
        self.look_cost, self.letter_cost = look_cost, letter_cost
        self.least_share = least_share / cost
        self.near = ranks if network.near else near
        self.slice = time_slice
        self.probes = probes  # that find nothing end a look
        self.seed = seed
        self.ranks = []
        self.now = self.clock = 0.0
        self.speed = 1.0
        self.busy = 0
        self.events = []  # by time: time, number, call
        self.plans = []  # by the clock: clock, number, rank, strand, number of the plan
        self.number = 0
        self.busy_time = 0.0
        self.first_half = None  # when half of all workers had work, first and last
        self.last_half = 0.0
        self.result_at = None
        self.end_at = 0.0
        self.ended_ranks = 0
        self.ranks = [Rank(number, self) for number in range(ranks)]

    # --- what ranks call

    def at(self, time, call):
        self.number += 1
        heapq.heappush(self.events, (time, self.number, call))

    def wake(self, rank, time):
        """Lets the thread of a rank look at this time, unless it does so before."""
        time = max(time, rank.looks.last)
        if rank.look_at is None or time < rank.look_at:
            rank.look_at = time
            self.at(time, rank)

    def carry(self, now, sender, to, kind, content, size):
        arrival = now + self.network.seconds(size)
        self.at(arrival, (self.ranks[to], (arrival, kind, sender, content)))

    def bring_up(self, strand):
        if self.clock > strand.since:
            strand.advance((self.clock - strand.since) / self.cost)
            strand.since = self.clock

    def plan(self, rank, strand):
        """Notes anew when a strand stops."""
        strand.number += 1
        self.number += 1
        at = self.clock + strand.until_stop() * self.cost
        heapq.heappush(self.plans, (at, self.number, rank, strand, strand.number))

    def start(self, rank, strand):
        strand.since = self.clock
        strand.turn = self.number
        rank.running_strands.append(strand)
        self.count_busy(1)
        self.plan(rank, strand)

    def stop(self, rank, strand):
        strand.number += 1
        rank.running_strands.remove(strand)
        self.count_busy(-1)

    def count_busy(self, more):
        half = len(self.ranks) * self.workers / 2
        if more > 0 and self.busy < half <= self.busy + more and self.first_half is None:
            self.first_half = self.now
        if more < 0 and self.busy >= half:
            self.last_half = self.now
        self.busy += more
        if self.cpus is not None:
            self.speed = min(1.0, self.cpus / max(1, self.busy))

    def until_on_cpu(self, strand):
        """Workers that share CPUs take turns."""
        if self.cpus is None or self.busy <= self.cpus:
            return 0.0
        groups = int(-(-self.busy // self.cpus))
        turn, passed = divmod(self.now, self.slice)
        away = (strand.turn - int(turn)) % groups
        return away * self.slice - passed if away else 0.0

    def end(self, now):
        self.result_at = now
        self.ranks[0].hand_on_end(now)
        self.ranks[0].ended(now)

    def rank_ended(self, now):
        self.end_at = max(self.end_at, now)
        self.ended_ranks += 1

    # --- the run

    def run(self):
        root = self.ranks[0]
        root.running = 1
        root.ready.append(Strand(self.tree, [self.tree.root], (0, None)))
        for rank in self.ranks:
            rank.find_work(0.0)
        while self.ended_ranks < len(self.ranks):
            self.step()
        return self

    def step(self):
        time = self.events[0][0] if self.events else None
        if self.plans:
            planned = self.now + (self.plans[0][0] - self.clock) / self.speed
            if time is None or planned <= time:
                return self.stop_one(planned)
        self.pass_to(time)
        _, _, call = heapq.heappop(self.events)
        if isinstance(call, tuple):
            rank, letter = call
            rank.come.append(letter)
            self.look_later(rank)
        elif isinstance(call, Rank):
            if call.look_at == time:
                call.look_at = None
                call.look(time)
                self.look_later(call)
        else:
            call(time)

    def look_later(self, rank):
        time = rank.next_look(rank.looks.last)
        if time is not None:
            self.wake(rank, max(time, self.now))

    def stop_one(self, time):
        at, _, rank, strand, number = heapq.heappop(self.plans)
        if number != strand.number:
            return
        self.pass_to(time)
        self.clock = max(self.clock, at)
        self.bring_up(strand)
        if self.clock + strand.until_stop() * self.cost > self.clock:
            return self.plan(rank, strand)  # what it would have waited for has come
        strand.done = strand.current.size
        rank.stopped(self.now, strand)

    def pass_to(self, time):
        passed = max(0.0, time - self.now)
        self.busy_time += passed * min(self.busy, self.cpus or self.busy)
        self.clock += passed * self.speed
        self.now = max(self.now, time)

    def figures(self):
        """What the run was like. Counts are of a rank, on an average; times are in seconds."""
        ranks = len(self.ranks)
        total = sum((rank.counts for rank in self.ranks), start=Counter())
        beats = int(self.end_at / BEAT_EVERY) * ranks if ranks > 1 else 0
        places = ranks * self.workers
        if self.cpus is not None:
            places = min(places, self.cpus)
        work = self.tree.root.size * self.cost
        return {
            "ranks": ranks,
            "workers": self.workers,
            "seconds": self.end_at,
            "efficiency": work / (self.end_at * places),
            "messages": (total["messages"] + beats) / ranks,
            "bytes": total["bytes"] / ranks,
            "pieces": total["pieces"] / ranks,
            "requests": total["requests"] / ranks,
            "denials": total["denials"] / ranks,
            "search": 1 - self.busy_time / (self.end_at * places),
            # Until half of all workers have work, and from when half of them have none any more.
            "start": self.first_half if self.first_half is not None else self.end_at,
            "final": self.end_at - self.last_half,
            # From when rank 0 has the result.
            "telling": self.end_at - self.result_at,
        }
