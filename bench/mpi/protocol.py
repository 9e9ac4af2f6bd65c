# SPDX-License-Identifier: Apache-2.0
"""A rank as docs/mpi.md has it: whom it asks, what it answers, and when its thread looks for
letters. The constants are those of src/mpi/post.cpp and src/mpi/sharing.cpp."""

import random
from collections import Counter, deque

from work import Strand

SHORTEST_NAP, LONGEST_NAP = 20e-6, 1e-3
PROBES = 2  # that find nothing end a look
BEAT_EVERY = 0.5
LONGEST_WAIT = 2e-3
SHORTEST_PAUSE, LONGEST_PAUSE = 50e-6, 8e-3
MOST_PIECES = 1024
MOST_REPLIES = 64
CHILDREN_OF_RANK = 4
ENOUGH_BYTES = 1 << 20

SOON = 2e-6  # seconds in which nothing else happens

# What archives make of letters.
HEAD = 8
PIECES_HEAD = 16
PIECE = 4 + 8 + 8
REPLY = 8 + 1 + 8
HURRIED = {"pieces", "reply", "end"}


def longer(nap):
    return min(nap + nap / 2, LONGEST_NAP)


class Looks:
    """When the thread that calls MPI looks for letters. Looks that find nothing are not events."""

    def __init__(self, slack):
        self.slack = slack  # how late the system ends a nap
        self.last = 0.0
        self.nap = SHORTEST_NAP

    def first_from(self, time):
        """The first look at this time or later, if no letter is posted."""
        last, nap = self.last, self.nap
        while last + nap + self.slack < time:
            last += nap + self.slack
            if nap == LONGEST_NAP:
                last += (time - last) // (nap + self.slack) * (nap + self.slack)
            nap = longer(nap)
        return last + nap + self.slack, nap

    def looked(self, begun, ended, hurries):
        _, nap = self.first_from(begun)
        self.nap = SHORTEST_NAP if hurries else longer(nap)
        self.last = ended


class Rank:
    def __init__(self, number, world):
        self.number = number
        self.world = world
        self.random = random.Random(world.seed << 20 | number)
        self.looks = Looks(world.slack)
        self.look_at = None
        self.come = deque()  # letters that have arrived: time, kind, from, content
        self.noticed = deque()  # those that the engine knows of
        self.posted = deque()
        self.idle = world.workers
        self.running_strands = []
        self.ready = deque()
        self.fresh = world.workers  # feeders that no worker has run yet
        self.seekers = 0
        self.running = 0  # pieces that have been begun and have not ended
        self.stash = deque()  # home, frame, node
        self.askers = deque()
        self.requests = 0
        self.denials = 0
        self.not_before = 0.0
        self.replies = {}  # frames, by rank
        self.has_ended = False
        self.counts = Counter()

    # --- who asks whom

    def victim(self):
        if self.world.near > 1 and self.random.randrange(4):
            first = self.number // self.world.near * self.world.near
            near = min(self.world.near, len(self.world.ranks) - first)
            if near > 1:
                return first + (self.number - first + 1 + self.random.randrange(near - 1)) % near
        others = len(self.world.ranks) - 1
        return (self.number + 1 + self.random.randrange(others)) % (others + 1)

    def ask(self, now):
        if self.has_ended or len(self.world.ranks) == 1 or now < self.not_before:
            return
        while self.requests < min(self.seekers, self.world.workers):
            self.requests += 1
            self.counts["requests"] += 1
            self.post(now, "request", self.victim(), None, HEAD)

    def requested(self, now, asker):
        if self.has_ended:
            self.post(now, "denial", asker, None, HEAD)
        elif self.stash:
            gift = [self.stash.popleft() for _ in range((len(self.stash) + 1) // 2)]
            self.send_pieces(now, asker, gift)
        elif self.running == 0:
            self.post(now, "denial", asker, None, HEAD)
        elif not self.give_above_leaf(now, asker):
            self.askers.append((asker, now))
            self.answer(now)

    def give_above_leaf(self, now, asker):
        """Lets the thread that receives letters answer while a strand runs a part that is not
        divided. Says whether anything was left."""
        if self.world.tree.indivisible == 0:
            return False
        for strand in self.running_strands:
            self.world.bring_up(strand)
            strand.descend()
            if self.give(now, asker, strand):
                return True
        return False

    def give(self, now, asker, strand):
        gift = strand.give(MOST_PIECES)
        if gift:
            self.send_pieces(now, asker, [(self.number, frame, node) for frame, node in gift])
            self.world.plan(self, strand)
        return bool(gift)

    def answer(self, now):
        """Lets a strand that runs nodes answer one rank, as soon as it begins a child."""
        if not self.askers:
            return
        waits = []
        for strand in self.running_strands:
            self.world.bring_up(strand)
            strand.descend()
            work = strand.begins_next()
            if work is not None:
                waits.append((self.world.until_on_cpu(strand) + work * self.world.cost, strand))
        if not waits:
            return
        # Which of several strands is first is a matter of chance.
        soon = [strand for wait, strand in waits if wait < SOON]
        if not soon:
            soonest = self.world.now + min(wait for wait, _ in waits)
            return self.world.at(soonest - SOON / 2, self.answer)
        strand = self.random.choice(soon)
        asker, _ = self.askers.popleft()
        self.give(now, asker, strand)
        if self.askers:  # by then it has begun another child
            self.world.at(self.world.now + SOON, self.answer)

    def send_pieces(self, now, to, gift):
        size = PIECES_HEAD + len(gift) * (PIECE + self.world.tree.node_bytes)
        self.counts["pieces"] += len(gift)
        self.post(now, "pieces", to, gift, size)

    def denied(self, now):
        self.counts["denials"] += 1
        self.requests -= 1
        self.denials += 1
        others = len(self.world.ranks) - 1
        if self.denials >= others:
            rounds = min(self.denials // others - 1, 6)
            self.not_before = now + min(SHORTEST_PAUSE * (1 << rounds), LONGEST_PAUSE)
        self.ask(now)

    def got_pieces(self, now, gift):
        self.stash.extend(gift)
        self.requests -= 1
        self.denials = 0
        self.hand_out()
        self.find_work(now)
        self.ask(now)

    def hand_out(self):
        while self.seekers and self.stash:
            self.seekers -= 1
            self.running += 1
            home, frame, node = self.stash.pop()
            self.ready.append(Strand(self.world.tree, [node], (home, frame)))

    # --- workers

    def find_work(self, now):
        while self.idle:
            strand = self.ready.popleft() if self.ready else self.share()
            if strand is not None:
                self.idle -= 1
                self.world.start(self, strand)
                self.answer(now)
            elif self.fresh:
                self.fresh -= 1
                self.seekers += 1
                self.hand_out()
            else:
                return self.ask(now)

    def share(self):
        """The oldest work of another worker of this rank."""
        strands = self.running_strands
        if not strands or self.world.workers == 1:
            return None
        first = self.random.randrange(len(strands))
        for k in range(len(strands)):
            strand = strands[(first + k) % len(strands)]
            self.world.bring_up(strand)
            strand.descend()
            got = strand.share(self.world.least_share)
            if got is not None:
                self.world.plan(self, strand)
                return got
        return None

    def seek(self, now):
        self.seekers += 1
        self.hand_out()
        self.find_work(now)
        self.ask(now)

    def stopped(self, now, strand):
        """A strand has run all that it can."""
        if strand.next_child():  # next to nothing
            return self.world.plan(self, strand)
        self.world.stop(self, strand)
        self.idle += 1
        frame = strand.frames[-1]
        if frame.outstanding:
            frame.waiter = strand
            if frame.is_remote and self.seekers == 0:
                self.fresh += 1
        elif isinstance(strand.home, tuple):
            self.finished(now, *strand.home)
        else:
            self.arrived(strand.home)
        self.find_work(now)

    def arrived(self, frame):
        """A child that another strand has run has ended."""
        frame.outstanding -= 1
        if frame.outstanding == 0 and frame.waiter is not None:
            strand, frame.waiter = frame.waiter, None
            if strand.next_child():
                self.ready.append(strand)
            elif strand.frames[-1].outstanding:
                strand.frames[-1].waiter = strand
            elif isinstance(strand.home, tuple):
                self.finished(self.world.now, *strand.home)
            else:
                self.arrived(strand.home)

    def finished(self, now, home, frame):
        """A piece has ended; its feeder goes on."""
        self.running -= 1
        if frame is None:
            return self.world.end(now)
        waiting = self.replies.setdefault(home, [])
        waiting.append(frame)
        size = len(waiting) * (REPLY + self.world.tree.result_bytes)
        if len(waiting) == MOST_REPLIES or size > ENOUGH_BYTES or not self.stash:
            self.send_replies(now)
        self.seek(now)

    def send_replies(self, now):
        replies, self.replies = self.replies, {}
        for home, frames in replies.items():
            size = len(frames) * (REPLY + self.world.tree.result_bytes)
            self.post(now, "reply", home, frames, size)

    # --- the thread that calls MPI

    def post(self, now, kind, to, content, size):
        self.posted.append((kind, to, content, size))
        self.world.wake(self, now + self.world.wake_up)

    def next_look(self, now):
        """When the thread has something to do, as far as is known."""
        if self.posted:
            return now
        times = []
        if self.noticed:
            times.append(self.looks.last)
        if self.come:
            times.append(self.come[0][0])
        if self.askers:
            times.append(self.askers[0][1] + LONGEST_WAIT)
        if not self.has_ended and self.requests < min(self.seekers, self.world.workers):
            times.append(self.not_before)
        return self.looks.first_from(min(times))[0] if times else None

    def look(self, now):
        begun, world, hurries = now, self.world, False
        now += world.look_cost
        posted, self.posted = self.posted, deque()
        for kind, to, content, size in posted:
            hurries |= kind in HURRIED
            if to == self.number:
                self.deliver(now, kind, to, content)
                continue
            now += world.letter_cost
            self.counts["messages"] += 1
            self.counts["bytes"] += size
            world.carry(now, self.number, to, kind, content, size)
        in_vain = 0
        while in_vain < world.probes:
            if self.noticed:
                _, kind, sender, content = self.noticed.popleft()
                now += world.letter_cost
                hurries |= kind in HURRIED
                self.deliver(now, kind, sender, content)
                in_vain = 0
                continue
            # A probe that finds nothing lets the engine notice what has arrived, for the next one.
            in_vain += 1
            while self.come and self.come[0][0] <= now:
                self.noticed.append(self.come.popleft())
        self.tick(now)
        self.looks.looked(begun, now, hurries)

    def tick(self, now):
        self.send_replies(now)
        self.ask(now)
        while self.askers and now - self.askers[0][1] >= LONGEST_WAIT:
            self.post(now, "denial", self.askers.popleft()[0], None, HEAD)

    def deliver(self, now, kind, sender, content):
        if kind == "request":
            self.requested(now, sender)
        elif kind == "denial":
            self.denied(now)
        elif kind == "pieces":
            self.got_pieces(now, content)
        elif kind == "reply":
            for frame in content:
                self.arrived(frame)
            self.find_work(now)
        else:
            self.hand_on_end(now)
            self.ended(now)

    def hand_on_end(self, now):
        """Tells the ranks below this one in the tree of all ranks."""
        first = CHILDREN_OF_RANK * self.number + 1
        size = HEAD + REPLY - 8 + self.world.tree.result_bytes
        for other in range(first, min(first + CHILDREN_OF_RANK, len(self.world.ranks))):
            self.post(now, "end", other, None, size)

    def ended(self, now):
        self.has_ended = True
        self.askers.clear()
        self.world.rank_ended(now)
