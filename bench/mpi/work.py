# SPDX-License-Identifier: Apache-2.0
"""What the strands of a rank do with a tree: the frames that they are in, what is left there, and
what they give away. Work is counted in units of the tree."""


class Frame:
    """The children of a node that are run here. Those before `next` have been begun."""

    __slots__ = ("kids", "next", "outstanding", "is_remote", "waiter")

    def __init__(self, kids, begun=0):
        self.kids = kids
        self.next = begun
        self.outstanding = 0  # children that others run
        self.is_remote = False  # whether other ranks are among these
        self.waiter = None

    def left(self):
        return len(self.kids) - self.next

    def work_left(self):
        return sum(kid.size for kid in self.kids[self.next:])


class Strand:
    """Runs some nodes, one after another, and what is below them."""

    __slots__ = ("tree", "frames", "current", "done", "since", "number", "home", "turn", "inside")

    def __init__(self, tree, nodes, home, inside=False):
        self.tree = tree
        self.frames = [Frame(list(nodes), 1)]
        self.current = nodes[0]  # the node that is run, and how much of it has been
        self.done = 0.0
        self.home = home
        self.inside = inside  # a part of what is not divided between ranks
        self.since = None  # up to when `done` counts
        self.number = 0  # of its plan
        self.turn = 0  # on a CPU, if workers share them

    def advance(self, work):
        """Runs as much. Frames that are left have no child with another strand."""
        while True:
            rest = self.current.size - self.done
            if work < rest:
                self.done += work
                return
            work = max(0.0, work - rest)
            if not self.next_child():
                self.done = self.current.size
                return

    def next_child(self):
        """Leaves finished frames, and begins the next child; false if there is none to begin before
        another strand has ended."""
        while True:
            frame = self.frames[-1]
            if frame.left():
                self.current = frame.kids[frame.next]
                self.done = 0.0
                frame.next += 1
                return True
            if frame.outstanding or len(self.frames) == 1:
                return False
            self.frames.pop()

    def until_stop(self):
        """The work up to where the strand has to wait, or ends."""
        work = self.current.size - self.done
        for frame in reversed(self.frames):
            work += frame.work_left()
            if frame.outstanding:
                break
        return work

    def descend(self):
        """Makes the frames down to the leaf that is run now."""
        while True:
            inside = self.done - self.tree.own
            if inside < 0:
                return
            kids = self.tree.children(self.current)
            if not kids:
                return
            begun = 0
            while begun < len(kids) - 1 and inside >= kids[begun].size:
                inside -= kids[begun].size
                begun += 1
            self.frames.append(Frame(kids, begun + 1))
            self.current = kids[begun]
            self.done = min(inside, self.current.size)

    def begins_next(self):
        """The work until the next child begins, or None if this strand begins none before it has to
        wait. After descend()."""
        if self.inside:
            return None
        for frame in reversed(self.frames):
            if frame.left():
                return self.current.size - self.done
            if frame.outstanding:
                return None
        return None

    def give(self, most):
        """Takes half of what is left in each frame, from the root downwards, until `most` nodes."""
        gift = []
        for frame in self.frames:
            wanted = (frame.left() + 1) // 2
            while wanted > 0 and len(gift) < most:
                gift.append((frame, frame.kids.pop()))
                frame.outstanding += 1
                frame.is_remote = True
                wanted -= 1
        return gift

    def share(self, least):
        """A strand for another worker of the rank, with the oldest work that is left, or None. A
        strand counts as a child of the frame that it comes from."""
        for frame in self.frames:
            if frame.left() and frame.work_left() >= least:
                half = (frame.left() + 1) // 2
                nodes = frame.kids[-half:]
                del frame.kids[-half:]
                frame.outstanding += 1
                return Strand(self.tree, nodes, frame, self.inside)
        rest = self.current.size - self.done
        if self.current.size <= self.tree.indivisible and rest / 2 >= least:
            self.current = self.current._replace(size=self.current.size - rest / 2)
            self.frames[-1].outstanding += 1
            return Strand(self.tree, [self.current._replace(size=rest / 2)], self.frames[-1], True)
        return None
