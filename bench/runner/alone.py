# SPDX-License-Identifier: Apache-2.0
"""Two measurements at once measure each other."""

import contextlib
import fcntl
import os
import tempfile
from pathlib import Path


class NotAlone(Exception):
    """Somebody else measures."""


@contextlib.contextmanager
def alone(folder=None):
    """Holds the lock that all measurements of this user on this machine share; raises NotAlone if
    another holds it."""
    path = Path(folder or tempfile.gettempdir()) / f"nopal-bench-{os.getuid()}.lock"
    with path.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise NotAlone("another measurement is running (process "
                           f"{lock.read().strip() or 'unknown'}); "
                           "the two would measure each other: wait for its end") from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield
