#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that an echo server echoes, and that no connection harms another.

usage: check_server.py PROGRAM [ARGUMENT...]

The program listens on a port of its choice on the loopback interface, and ends its first line with
it. Connections are reset, half-closed, slow, never read, or send garbage, while others go on and
must be answered. At the end the server must have closed every descriptor and ended every thread
that it had for them. Exit status 1, with a message, if it does not.
"""

import contextlib
import os
import random
import socket
import struct
import subprocess
import sys
import threading
import time

PATIENCE = 20  # seconds in which an answer must come, on a machine with much else to do
WITNESSES = 8


class Wrong(Exception):
    """The server does what it must not do."""


class Server:
    """The server's process."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        words = self.process.stdout.readline().split()
        if not words or not words[-1].isdigit():
            self.process.kill()
            raise Wrong(f"its first line does not end with a port: {' '.join(words)}")
        self.port = int(words[-1])

    def connect(self):
        s = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return s

    def holdings(self):
        """How many descriptors and threads it has."""
        folder = f"/proc/{self.process.pid}"
        return len(os.listdir(f"{folder}/fd")), len(os.listdir(f"{folder}/task"))

    def end(self):
        self.process.kill()
        self.process.wait()


def receive(s, count):
    """Exactly so many bytes."""
    received = bytearray()
    while len(received) < count:
        part = s.recv(count - len(received))
        if not part:
            raise Wrong(f"closed after {len(received)} of {count} bytes")
        received += part
    return bytes(received)


def expect_echo(s, message):
    s.sendall(message)
    if receive(s, len(message)) != message:
        raise Wrong("an answer is not what was sent")


class Witnesses:
    """Connections that ask all the time and must always be answered."""

    def __init__(self, server):
        self.sockets = [server.connect() for _ in range(WITNESSES)]
        self.answers, self.fault, self.enough = 0, None, False
        self.thread = threading.Thread(target=self._ask)
        self.thread.start()

    def _ask(self):
        try:
            while not self.enough:
                for number, s in enumerate(self.sockets):
                    expect_echo(s, b"witness %d, question %d" % (number, self.answers))
                    self.answers += 1
                time.sleep(0.002)
        except (OSError, Wrong) as error:
            self.fault = error

    def must_go_on(self, what):
        """After a while they must have been answered again."""
        before, until = self.answers, time.monotonic() + PATIENCE
        while self.answers < before + 2 * WITNESSES:
            if self.fault is not None:
                raise Wrong(f"{what}: harm to another connection: {self.fault}")
            if time.monotonic() > until:
                raise Wrong(f"{what}: others are not answered any more")
            time.sleep(0.01)

    def end(self):
        self.enough = True
        self.thread.join()
        for s in self.sockets:
            s.close()


def reset(s):
    """Closes so that the other side finds the connection reset."""
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()


# --- what connections do; each may ask whether others go on meanwhile ------------------------------


def sends_much(server, _):
    """More than all buffers hold, so that it must be read meanwhile."""
    data = random.Random(1).randbytes(8 << 20)
    with server.connect() as s:
        sender = threading.Thread(target=s.sendall, args=(data,))
        sender.start()
        answer = receive(s, len(data))
        sender.join()
        if answer != data:
            raise Wrong("much data come back changed")


def are_reset(server, _):
    for number in range(100):
        s = server.connect()
        if number % 3 > 0:
            s.sendall(b"x" * (100 * number))
        if number % 3 > 1:
            s.recv(1)
        reset(s)


def are_half_closed(server, _):
    """What was sent before comes back, and then the end."""
    for size in (0, 1, 300_000):
        with server.connect() as s:
            s.sendall(b"h" * size)
            s.shutdown(socket.SHUT_WR)
            if receive(s, size) != b"h" * size or s.recv(1) != b"":
                raise Wrong(f"half-closed after {size} bytes: the answer is not whole")


def are_slow(server, others_must_go_on):
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(server.connect()) for _ in range(20)]
        for number in range(20):
            for s in slow:
                s.sendall(bytes([number]))
            time.sleep(0.01)
        others_must_go_on()
        for s in slow:
            if receive(s, 20) != bytes(range(20)):
                raise Wrong("what came byte by byte does not come back")


def are_not_read(server, others_must_go_on):
    """The server must stop reading from whoever does not read, and go on when they do."""
    with contextlib.ExitStack() as stack:
        for leaves in (False, True):
            s = stack.enter_context(server.connect())
            s.setblocking(False)
            sent, until = 0, time.monotonic() + PATIENCE
            data, still = bytes(range(256)) * 256, 0
            while still < 20:
                try:
                    sent += s.send(data[sent % 256:])
                    still = 0
                except BlockingIOError:
                    still += 1
                    time.sleep(0.01)
                if sent > 256 << 20 or time.monotonic() > until:
                    raise Wrong("reads without end from a connection that does not read")
            others_must_go_on()
            s.settimeout(PATIENCE)
            if leaves:
                s.close()
            elif any(byte != index % 256 for index, byte in enumerate(receive(s, sent))):
                raise Wrong("what was read late is not what was sent")


def send_garbage(server, _):
    noise = random.Random(2)
    for size in (1, 7, 4096, 65_536, 100_000):
        with server.connect() as s:
            expect_echo(s, noise.randbytes(size))
    for _ in range(20):
        with server.connect() as s:  # leaves without reading
            s.sendall(noise.randbytes(noise.randrange(1, 50_000)))


def come_and_go(server, _):
    for _ in range(300):
        server.connect().close()


CASES = (sends_much, are_reset, are_half_closed, are_slow, are_not_read, send_garbage, come_and_go)


def wait_for_end_of_all(server, before):
    until = time.monotonic() + PATIENCE
    while any(now > then for now, then in zip(server.holdings(), before)):
        if time.monotonic() > until:
            raise Wrong("descriptors and threads before, and after all connections have ended: "
                        f"{before}, {server.holdings()}")
        time.sleep(0.05)


def check(command):
    server = Server(command)
    try:
        with server.connect() as s:  # so that whatever it starts at first is there
            expect_echo(s, b"first")
            before = server.holdings()
        witnesses = Witnesses(server)
        try:
            for case in CASES:
                what = f"connections: {case.__name__}".replace("_", " ")
                try:
                    case(server, lambda what=what: witnesses.must_go_on(what))
                except OSError as error:
                    raise Wrong(f"{what}: {error}") from None
                witnesses.must_go_on(what)
        finally:
            witnesses.end()
        wait_for_end_of_all(server, before)
    finally:
        server.end()


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        check(sys.argv[1:])
    except Wrong as error:
        print(f"{sys.argv[1]}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
