# SPDX-License-Identifier: Apache-2.0
"""Tests of nopal-treehash. The program's path is in the environment variable NOPAL_TEST_TREEHASH; the arguments are those of
unittest: test_treehash.py [-v] [test_digest ...]."""

import fcntl
import hashlib
import json
import os
import pty
import random
import resource
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

PROGRAM = os.environ.get("NOPAL_TEST_TREEHASH", "nopal-treehash")
PATIENCE = 120  # seconds until a run counts as hung; sanitizers are slow
MIB = 1 << 20
NOBODY = 65534

BY_STANDARD_TOOLS = "find . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum"


class tree_case(unittest.TestCase):
    """A fresh directory `top` for each test, with the tree in `tree`."""

    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="treehash-").encode()
        self.tree = os.path.join(self.top, b"tree")
        os.mkdir(self.tree)

    def tearDown(self):
        # rm, because shutil.rmtree recurses, and some of these trees are deep.
        if subprocess.run(["rm", "-rf", self.top], capture_output=True).returncode != 0:
            subprocess.run(["chmod", "-R", "u+rwX", self.top], check=True)
            subprocess.run(["rm", "-rf", self.top], check=True)

    def path(self, name):
        return os.path.join(self.tree, name if isinstance(name, bytes) else name.encode())

    def make(self, name, content=b""):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def make_sparse(self, name, size):
        path = self.make(name)
        os.truncate(path, size)
        return path

    def run_program(self, *arguments, where=None, **keywords):
        keywords.setdefault("timeout", PATIENCE)
        return subprocess.run([PROGRAM, *arguments, "--", where or self.tree], capture_output=True, **keywords)

    def expect(self, status, *arguments, **keywords):
        done = self.run_program(*arguments, **keywords)
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        return done

    def listing(self, *arguments, status=0, **keywords):
        return self.expect(status, "--list", "--quiet", *arguments, **keywords).stdout

    def digest(self, *arguments, status=0, **keywords):
        text = self.expect(status, "--quiet", *arguments, **keywords).stdout
        self.assertRegex(text, rb"^[0-9a-f]{64}\n$")
        return text.decode().strip()

    def parsed(self, *arguments, status=0, **keywords):
        return json.loads(self.expect(status, "--json", *arguments, **keywords).stdout.decode("utf-8"))

    def standard_listing(self):
        return subprocess.run(BY_STANDARD_TOOLS, shell=True, cwd=self.tree, capture_output=True, check=True).stdout

    def unprivileged(self):
        """What makes a run of the program one of an ordinary user, for whom modes count."""
        if os.geteuid() != 0:
            return {}
        copy = os.path.join(self.top, b"program")
        shutil.copy(PROGRAM, copy)
        for folder in [self.top, self.tree]:
            os.chmod(folder, 0o755)
        os.chmod(copy, 0o755)
        keywords = {"user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/"}
        try:
            usable = subprocess.run([copy, "--version"], capture_output=True, **keywords).returncode == 0
        except OSError:
            usable = False
        if not usable:
            self.skipTest("root, for whom modes do not count, and the program does not start as another user")
        return {"executable": copy, **keywords}

    def start(self, *arguments):
        return subprocess.Popen(
            [PROGRAM, *arguments, "--", self.tree], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def has_open(self, pid, path):
        folder = f"/proc/{pid}/fd"
        try:
            return any(os.readlink(f"{folder}/{each}") == os.fsdecode(path) for each in os.listdir(folder))
        except OSError:  # it has ended, or closed one
            return False

    def wait_until_open(self, process, path):
        """Waits until the process has the file open."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and process.poll() is None:
            if self.has_open(process.pid, path):
                return
            time.sleep(0.001)
        self.fail("the program never had the file open")


def sha256(content):
    return hashlib.sha256(content).hexdigest()


class test_digest(tree_case):
    """The listing and the digest are those of the standard tools, for any number of workers."""

    def check_against_standard_tools(self):
        expected = self.standard_listing()
        self.assertEqual(self.listing(), expected)
        self.assertEqual(self.digest(), sha256(expected))

    def test_odd_names(self):
        for number, name in enumerate([
                b"plain", b"with space", b" leading", b"trailing ", b"-dash", b"--list", b"new\nline", b"back\\slash",
                b"carriage\rreturn", b"all\\\n\r", b"\\n", b"tab\t", b"\xff\xfe", b"caf\xe9", "größe".encode(), b"*",
                b"'quote\"", b"$(x)", b"\x01\x7f", b"dir\n/in\\side", b"dir \xff/file", b"..hidden", b".x/.y"]):
            self.make(name, b"content %d" % number)
        self.check_against_standard_tools()

    def test_order_is_that_of_whole_paths(self):
        for name in ["a/b", "a-b", "a.b", "a b", "a0", "a/b.c", "a/b0", "A", "aa", "a-/z", "\u00e9", "z"]:
            self.make(name, name.encode())
        self.check_against_standard_tools()

    def test_sizes_around_pieces_and_windows(self):
        piece, window = 256 << 10, 1 << 20
        pattern = random.Random(1).randbytes(4 * window + 10)
        for size in [0, 1, 63, 64, 65, piece - 1, piece, piece + 1, 3 * piece, window - 1, window, window + 1,
                     window + piece, 2 * window - 1, 2 * window, 2 * window + 1, 4 * window + 7]:
            self.make(f"size-{size}", pattern[:size])
        self.check_against_standard_tools()

    def test_hard_links_empty_files_and_directories(self):
        first = self.make("first", b"x")
        os.link(first, self.path("second"))
        os.makedirs(self.path("empty/er"))
        self.make("empty file")
        self.check_against_standard_tools()

    def test_nothing_at_all(self):
        self.assertEqual(self.listing(), b"")
        self.assertEqual(self.digest(), sha256(b""))

    def test_same_for_any_number_of_workers(self):
        some = random.Random(2)
        for number in range(1500):
            folder = "/".join(f"d{some.randrange(4)}" for _ in range(some.randrange(6)))
            self.make(f"{folder or '.'}/f{number}", some.randbytes(some.randrange(2000)))
        for number in range(3):
            self.make(f"large{number}", some.randbytes(3 * MIB + number))
        expected = self.standard_listing()
        for workers in [1, 2, 4, 8]:
            for _ in range(3):
                self.assertEqual(self.listing("--workers", str(workers)), expected, workers)

    def test_large_file_of_many_pieces(self):
        path = self.make_sparse("large", 100 * MIB)
        with open(path, "r+b") as file:
            for at in range(0, 100 * MIB, 7 * MIB + 12345):
                file.seek(at)
                file.write(b"at %d" % at)
        expected = self.standard_listing()
        for workers in ["1", "2", "4"]:
            self.assertEqual(self.listing("--workers", workers), expected)

    def test_directory_given_through_link_and_relative(self):
        self.make("file", b"x")
        link = os.path.join(self.top, b"link")
        os.symlink(b"tree", link)
        self.assertEqual(self.digest(where=link), self.digest())
        self.assertEqual(self.digest(where=b".", cwd=self.tree), self.digest())
        self.assertEqual(self.digest(where=self.tree + b"//"), self.digest())

    def test_directory_that_begins_with_a_dash(self):
        os.mkdir(os.path.join(self.top, b"-x"))
        self.assertEqual(self.digest(where=b"-x", cwd=self.top), sha256(b""))


class test_problems(tree_case):
    """What cannot be hashed is reported, gives status 1 and stops nothing."""

    def problems(self, *arguments, status=1, **keywords):
        return [(each["kind"], each["path"]) for each in self.parsed(*arguments, status=status, **keywords)["problems"]]

    def test_symbolic_links(self):
        self.make("file", b"x")
        os.mkdir(self.path("dir"))
        for name, target in [("to-file", "file"), ("to-dir", "dir"), ("dangling", "nowhere"), ("up", "..")]:
            os.symlink(target, self.path(name))
        self.assertEqual(self.problems(), [("symbolic link", f"./{name}")
                                           for name in ["dangling", "to-dir", "to-file", "up"]])
        done = self.expect(1, "--list", "--quiet")
        self.assertEqual(done.stdout, self.standard_listing())
        self.assertIn(b"nopal-treehash: symbolic link: ./up: not followed\n", done.stderr)

    def test_ignored_links(self):
        self.make("file", b"x")
        for number in range(3):
            os.symlink("file", self.path(f"link{number}"))
        parsed = self.parsed("--ignore-links", status=0)
        self.assertEqual((parsed["ignored_links"], parsed["problems"]), (3, []))
        done = self.expect(0, "--ignore-links")
        self.assertIn(b"3 symbolic links ignored", done.stdout)
        self.assertEqual(done.stderr, b"")

    def test_compact_unless_verbose(self):
        for number in range(12):
            os.symlink("x", self.path(f"link{number:02}"))
        os.mkfifo(self.path("pipe"))
        lines = self.expect(1).stderr.decode().splitlines()
        self.assertEqual(len(lines), 7)
        self.assertEqual(lines[5], "nopal-treehash: symbolic link: 7 more, 12 in all (--verbose shows each)")
        self.assertEqual(len(self.expect(1, "--verbose").stderr.splitlines()), 13)

    def test_special_files_are_never_opened(self):
        self.make("file", b"x")
        os.mkfifo(self.path("pipe"))
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        folder = os.open(self.tree, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        listener.bind(f"/proc/self/fd/{folder}/socket")
        expected = [("special file", "./pipe"), ("special file", "./socket")]
        if os.geteuid() == 0:
            try:
                os.mknod(self.path("null"), stat.S_IFCHR | 0o600, os.makedev(1, 3))
                expected.insert(0, ("special file", "./null"))
            except PermissionError:
                pass
        self.assertEqual(self.problems(), expected)
        self.assertEqual(self.listing(status=1), self.standard_listing())

    def test_unreadable(self):
        self.make("open/file", b"x")
        self.make("closed/file", b"x")
        self.make("secret", b"x")
        self.make("no entry/file", b"x")
        os.chmod(self.path("secret"), 0)
        os.chmod(self.path("closed"), 0)
        os.chmod(self.path("no entry"), 0o444)  # may be listed, but nothing in it opened
        ordinary = self.unprivileged()
        self.assertEqual(self.problems(**ordinary), [
            ("unreadable", "./closed"), ("unreadable", "./no entry/file"), ("unreadable", "./secret")])
        done = self.expect(1, "--list", **ordinary)
        self.assertEqual(done.stdout, f"{sha256(b'x')}  ./open/file\n".encode())
        self.assertIn(b"nopal-treehash: unreadable: ./secret: Permission denied\n", done.stderr)

    def test_check_does_not_call_unreadable_files_missing(self):
        self.make("closed/deep/file", b"x")
        self.make("secret", b"x")
        self.make("gone", b"x")
        earlier = self.standard_listing()
        os.remove(self.path("gone"))
        os.chmod(self.path("secret"), 0)
        os.chmod(self.path("closed"), 0)
        found = self.parsed("--check", "-", status=1, input=earlier, **self.unprivileged())["check"]
        self.assertEqual([each["path"] for each in found["unchecked"]], ["./closed/deep/file", "./secret"])
        self.assertEqual([each["path"] for each in found["missing"]], ["./gone"])

    def test_unreadable_root(self):
        ordinary = self.unprivileged()
        os.chmod(self.tree, 0)
        done = self.expect(2, **ordinary)
        self.assertIn(b"Permission denied", done.stderr)

    def names_after(self, name):
        names = os.listdir(self.tree)
        return names[names.index(name) + 1:]

    def test_vanishing_files(self):
        # One worker takes the names in the order of the directory, which it reads before it opens the first file. So
        # whatever stands behind the large file is read by name and not yet opened while the large file is.
        large = self.make_sparse("large", 1024 * MIB)
        for number in range(20):
            self.make(f"small{number}", b"x")
        os.mkdir(self.path("directory"))
        later = [each.decode() for each in self.names_after(b"large") if each.startswith(b"small")]
        process = self.start("--workers", "1", "--json")
        self.wait_until_open(process, large)
        for name in later:
            os.remove(self.path(name))
        os.rmdir(self.path("directory"))
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 1, err)
        found = json.loads(out)
        self.assertEqual({(each["kind"], each["path"]) for each in found["problems"]},
                         {("vanished", f"./{name}") for name in later + ["directory"]})
        self.assertEqual(found["files"], 21 - len(later))

    def test_directory_replaced_by_a_link_is_not_followed(self):
        large = self.make_sparse("large", 1024 * MIB)
        outside = os.path.join(self.top, b"outside")
        os.mkdir(outside)
        with open(os.path.join(outside, b"file"), "wb") as file:
            file.write(b"x")
        os.mkdir(self.path("directory"))
        process = self.start("--workers", "1", "--json")
        self.wait_until_open(process, large)
        os.rmdir(self.path("directory"))
        os.symlink(outside, self.path("directory"))
        out, _ = process.communicate(timeout=PATIENCE)
        found = json.loads(out)
        self.assertEqual(found["files"], 1)
        self.assertEqual([(each["kind"], each["path"]) for each in found["problems"]], [("vanished", "./directory")])

    def start_and_stop_with_open(self, path):
        """Starts the program and stops it while it has the file open, however long this test had to wait for a CPU."""
        for _ in range(20):
            process = self.start("--json")
            self.wait_until_open(process, path)
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            if self.has_open(process.pid, path):
                return process
            process.send_signal(signal.SIGCONT)
            process.communicate(timeout=PATIENCE)
        self.fail("the program was always done with the file before it could be stopped")

    def change_while_read(self, change):
        large = self.make_sparse("large", 1024 * MIB)
        self.make("small", b"x")
        process = self.start_and_stop_with_open(large)
        change(large)
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 1, err)
        found = json.loads(out)
        self.assertEqual([(each["kind"], each["path"]) for each in found["problems"]], [("changed", "./large")])
        self.assertEqual(found["files"], 2)
        return found

    def test_shrinking_file(self):
        found = self.change_while_read(lambda path: os.truncate(path, 5))
        self.assertLess(found["bytes"], 1024 * MIB)

    def test_growing_file(self):
        found = self.change_while_read(lambda path: os.truncate(path, 1025 * MIB))
        self.assertEqual(found["bytes"], 1024 * MIB + 1)

    def test_tree_in_turmoil(self):
        """Files and directories come and go; any outcome but a crash, a hang or a wrong digest is right."""
        for number in range(100):
            self.make(f"fixed/{number}", b"fixed")
        stop = threading.Event()
        thread = threading.Thread(target=self.make_turmoil, args=(stop,))
        thread.start()
        try:
            for round_number in range(10):
                done = self.run_program("--list", "--quiet", "--workers", str(1 + round_number % 4))
                self.assertIn(done.returncode, [0, 1])
                lines = [line for line in done.stdout.splitlines() if b"./fixed/" in line]
                self.assertEqual(len(lines), 100)
                self.assertEqual({line[:64].decode() for line in lines}, {sha256(b"fixed")})
        finally:
            stop.set()
            thread.join()

    def make_turmoil(self, stop):
        some = random.Random(3)
        while not stop.is_set():
            folder = f"moving/{some.randrange(5)}"
            self.make(f"{folder}/{some.randrange(50)}", some.randbytes(some.randrange(5000)))
            if some.random() < 0.1:
                shutil.rmtree(self.path(folder))


class test_check(tree_case):
    """--check against an earlier listing."""

    def setUp(self):
        super().setUp()
        for name in ["same", "other", "gone", "dir/gone\ntoo", "dir/kept"]:
            self.make(name, name.encode())
        self.earlier = os.path.join(self.top, b"earlier")
        self.expect(0, "--output", self.earlier)

    def test_no_difference(self):
        done = self.expect(0, "--check", self.earlier)
        self.assertIn(b"0 changed, 0 missing, 0 new, 0 unchecked\n", done.stdout)
        self.assertEqual(self.expect(0, "--check", self.earlier, "--quiet").stdout, b"")

    def make_differences(self):
        self.make("other", b"another content")
        self.make("brand\\new", b"x")
        os.remove(self.path("gone"))
        os.remove(self.path("dir/gone\ntoo"))

    def test_differences(self):
        self.make_differences()
        done = self.expect(1, "--check", self.earlier, "--quiet")
        self.assertEqual(done.stdout.decode().splitlines(), [
            "changed ./other", r"missing ./dir/gone\ntoo", "missing ./gone", r"new ./brand\\new"])

    def test_differences_in_json(self):
        self.make_differences()
        found = self.parsed("--check", self.earlier, status=1)["check"]
        self.assertEqual({kind: [each["path"] for each in found[kind]] for kind in found}, {
            "changed": ["./other"], "missing": ["./dir/gone\ntoo", "./gone"], "new": ["./brand\\new"], "unchecked": []})

    def test_file_replaced_by_a_link_is_missing_even_with_ignored_links(self):
        os.remove(self.path("same"))
        os.symlink("other", self.path("same"))
        done = self.expect(1, "--check", self.earlier, "--quiet", "--ignore-links")
        self.assertEqual(done.stdout, b"missing ./same\n")

    def test_listing_of_sha256sum_in_any_order(self):
        lines = self.standard_listing().splitlines(keepends=True)
        random.Random(4).shuffle(lines)
        text = b"".join(lines).replace(b"  ./", b" *")  # binary mode, and paths without "./"
        self.expect(0, "--check", "-", input=text)
        self.expect(0, "--check", "-", input=text.rstrip(b"\n"))

    def test_what_is_no_listing(self):
        good = self.standard_listing()
        for text, complaint in [
                (good + b"nonsense\n", b"line 6: not a line of a listing"),
                (b"\n" + good, b"line 1: not a line of a listing"),
                (good.replace(b"  ./same", b"  /same"), b"not a line of a listing"),
                (b"g" * 64 + b"  ./x\n", b"line 1"),
                (b"\\" + b"0" * 64 + b"  ./x\\y\n", b"line 1"),
                (b"\\" + b"0" * 64 + b"  ./x\\\n", b"line 1"),
                (good + good, b"twice")]:
            done = self.expect(2, "--check", "-", input=text)
            self.assertIn(complaint, done.stderr)
        done = self.expect(2, "--check", "/nowhere/listing")
        self.assertIn(b"/nowhere/listing", done.stderr)
        self.expect(2, "--check", self.tree)

    def test_sha256sum_accepts_our_listing(self):
        subprocess.run(["sha256sum", "--check", "--strict", "--quiet", self.earlier], cwd=self.tree, check=True)


class test_output(tree_case):
    """What is written where."""

    def setUp(self):
        super().setUp()
        self.make("a", b"1")
        self.make("b/c", b"22")

    def test_summary(self):
        done = self.expect(0, "--workers", "1")
        self.assertRegex(done.stdout.decode(), r"^2 files, 3 B in [0-9.]+ s \([0-9.]+ [KMG]?i?B/s\), 1 worker\n"
                         rf"digest {sha256(self.standard_listing())}\n$")
        self.assertEqual(done.stderr, b"")

    def test_list_leaves_only_the_listing_on_standard_output(self):
        done = self.expect(0, "--list")
        self.assertEqual(done.stdout, self.standard_listing())
        self.assertIn(sha256(done.stdout).encode(), done.stderr)

    def test_json(self):
        found = self.parsed()
        self.assertEqual(found["digest"], sha256(self.standard_listing()))
        self.assertEqual((found["files"], found["bytes"], found["problems"]), (2, 3, []))
        self.assertEqual(found["directory"], self.tree.decode())
        self.assertGreaterEqual(found["workers"], 1)
        self.assertGreaterEqual(found["seconds"], 0)
        version = subprocess.run([PROGRAM, "--version"], capture_output=True, check=True).stdout.decode()
        self.assertEqual(version, f"nopal-treehash {found['version']}\n")

    def test_json_with_paths_that_are_not_utf_8(self):
        os.symlink("x", self.path(b"caf\xe9 \"quoted\""))
        [problem] = self.parsed(status=1)["problems"]
        self.assertEqual(problem["path"], './caf\ufffd "quoted"')
        self.assertEqual(bytes.fromhex(problem["path_hex"]), b"./caf\xe9 \"quoted\"")

    def test_output_file(self):
        target = os.path.join(self.top, b"listing")
        with open(target, "wb") as file:
            file.write(b"old and long" * 1000)
        os.umask(0o022)
        self.expect(0, "--output", target)
        with open(target, "rb") as file:
            self.assertEqual(file.read(), self.standard_listing())
        self.assertEqual(stat.S_IMODE(os.stat(target).st_mode), 0o644)
        self.assertEqual(sorted(os.listdir(self.top)), [b"listing", b"tree"])

    def test_output_through_a_link_and_relative(self):
        target = os.path.join(self.top, b"listing")
        with open(target, "wb"):
            pass
        os.symlink(b"listing", os.path.join(self.top, b"link"))
        self.expect(0, "--output", "link", cwd=self.top)
        self.assertTrue(os.path.islink(os.path.join(self.top, b"link")))
        with open(target, "rb") as file:
            self.assertEqual(file.read(), self.standard_listing())

    def test_output_that_cannot_be(self):
        for name, complaint in [("/nowhere/x", b"No such file"), ("/dev/null", b"not a regular file"),
                                (self.tree, b"not a regular file"), ("", b"empty")]:
            done = self.expect(2, "--output", name)
            self.assertIn(complaint, done.stderr)
            self.assertEqual(done.stdout, b"")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_output_file_and_problems(self):
        os.mkfifo(self.path("pipe"))
        target = os.path.join(self.top, b"listing")
        self.expect(1, "--output", target)
        with open(target, "rb") as file:
            self.assertEqual(file.read(), self.standard_listing())

    def test_full_device(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "--list", self.tree], stdout=full, stderr=subprocess.PIPE, timeout=PATIENCE)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"No space left on device", done.stderr)

    def test_mistakes_in_the_command_line(self):
        for arguments, complaint in [
                ([], "DIR"), (["--workers", "-1", "x"], "--workers"), (["--workers", "1025", "x"], "1024"),
                (["--workers", "many", "x"], "many"), (["--nonsense", "x"], "--nonsense"), (["x", "y"], "y"),
                (["--list", "--json", "x"], "--json"), (["--list", "--check", "f", "x"], "--check"),
                (["--check", "", "x"], "--check"), (["/nowhere/at/all"], "'/nowhere/at/all'"),
                (["/dev/null"], "Not a directory"), ([""], "cannot open")]:
            done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(done.stdout, "")
            self.assertIn(complaint, done.stderr, arguments)
            self.assertTrue(done.stderr.startswith("nopal-treehash: "), done.stderr)

    def test_help(self):
        done = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ["--list", "--output", "--json", "--check", "--workers", "--quiet", "--ignore-links", "--verbose",
                     "--mpi", "Exit status", "Mount points"]:
            self.assertIn(word, done.stdout)


class test_terminal(tree_case):
    """Progress, and Ctrl-C."""

    def run_on_terminal(self, *arguments):
        """Status, standard output, and what the terminal received on standard error."""
        try:
            ours, theirs = pty.openpty()
        except OSError as error:  # a container without /dev/pts, say
            self.skipTest(f"there is no pseudo-terminal here: {error}")
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
        with subprocess.Popen([PROGRAM, *arguments, self.tree], stdout=subprocess.PIPE, stderr=theirs) as process:
            os.close(theirs)
            seen = b""
            try:
                while block := os.read(ours, 65536):
                    seen += block
            except OSError:  # how a terminal ends
                pass
            out = process.stdout.read()
            process.wait(PATIENCE)
        os.close(ours)
        return process.returncode, out, seen

    def test_progress_on_a_terminal(self):
        self.make_sparse("large", 1024 * MIB)
        started = time.monotonic()
        status, out, seen = self.run_on_terminal()
        seconds = time.monotonic() - started
        self.assertEqual(status, 0)
        self.assertIn(b"digest ", out)
        steps = seen.split(b"\r")
        self.assertRegex(steps[1], rb"^0 files, [0-9.]+ [KMG]?i?B, [0-9.]+ [KMG]?i?B/s *$")
        self.assertNotIn(b"\n", seen)
        self.assertLessEqual(max(map(len, steps)), 39)
        self.assertEqual(steps[-2].strip(), b"", "the line is wiped at the end")
        # Each line blanks what the one before it had more, so only the last one is left to wipe.
        self.assertEqual(len(steps[-2]), len(steps[-3].rstrip()))
        self.assertLess(len(steps) - 3, 10 * seconds + 2)

    def test_no_progress_when_quiet(self):
        self.make_sparse("large", 300 * MIB)
        status, _, seen = self.run_on_terminal("--quiet")
        self.assertEqual((status, seen), (0, b""))

    def test_no_progress_in_a_pipe(self):
        self.make_sparse("large", 300 * MIB)
        self.assertEqual(self.expect(0).stderr, b"")

    def interrupt(self, number, expected):
        if os.environ.get("NOPAL_TEST_SANITIZE") == "thread":
            self.skipTest("ThreadSanitizer keeps signals back from a thread that waits in syscall(2), as in a futex")
        large = self.make_sparse("large", 64 << 30)
        for each in range(100):
            self.make(f"small{each}", b"x")
        target = os.path.join(self.top, b"listing")
        process = self.start("--output", target)
        self.wait_until_open(process, large)
        process.send_signal(number)
        started = time.monotonic()
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, expected)
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual(out, b"")
        self.assertIn(b"interrupted", err)
        self.assertEqual(os.listdir(self.top), [b"tree"])

    def test_interrupt(self):
        self.interrupt(signal.SIGINT, 130)

    def test_termination(self):
        self.interrupt(signal.SIGTERM, 143)


class test_mpi(tree_case):
    """--mpi, for several numbers of ranks on this machine: what a run without it prints."""

    def setUp(self):
        super().setUp()
        some = random.Random(5)
        for number in range(40):
            self.make(f"d{number % 7}/f{number}", some.randbytes(some.randrange(3000)))
        self.make("empty")
        self.make("new\nline", b"x")
        self.make("large", some.randbytes(5 * MIB + 17))

    def command(self, ranks, *arguments, program=PROGRAM):
        return [*os.environ["NOPAL_TEST_MPIEXEC"].split(), str(ranks), program, "--mpi", *arguments]

    def among(self, ranks, *arguments, executable=PROGRAM, **keywords):
        """Status, standard output, and lines on standard error without those of mpiexec."""
        done = subprocess.run(self.command(ranks, *arguments, program=executable), capture_output=True,
                              timeout=PATIENCE, **keywords)
        return done.returncode, done.stdout, [each for each in done.stderr.splitlines() if b"nopal-treehash" in each]

    def expect_same(self, ranks, status, *arguments, **keywords):
        alone = self.expect(status, *arguments, **keywords)
        where = keywords.pop("where", self.tree)
        self.assertEqual(self.among(ranks, *arguments, "--", where, **keywords),
                         (status, alone.stdout, alone.stderr.splitlines()), ranks)

    def test_digest_and_problems(self):
        os.symlink("empty", self.path("link"))
        os.mkfifo(self.path("pipe"))
        self.make("secret", b"x")
        os.chmod(self.path("secret"), 0)
        ordinary = self.unprivileged()
        for ranks in [1, 2, 3, 8]:
            self.expect_same(ranks, 1, "--quiet", **ordinary)
            self.expect_same(ranks, 1, "--quiet", "--list", **ordinary)

    def test_all_is_well(self):
        os.symlink("empty", self.path("link"))
        self.expect_same(3, 0, "--quiet", "--ignore-links", "--workers", "3")

    def test_no_file_at_all(self):
        empty = os.path.join(self.top, b"none")
        os.mkdir(empty)
        self.expect_same(3, 0, "--quiet", where=empty)

    def test_summary_and_json(self):
        status, out, _ = self.among(3, self.tree)
        self.assertEqual(status, 0)
        self.assertRegex(out, rb"^43 files, .*, 3 ranks\ndigest [0-9a-f]{64}\n$")
        found = json.loads(self.among(3, "--json", self.tree)[1])
        alone = self.parsed()
        self.assertEqual(found.pop("ranks"), 3)
        for each in [found, alone]:
            del each["seconds"], each["workers"]
        self.assertEqual(found, alone)

    def test_output_and_check(self):
        target = os.path.join(self.top, b"listing")
        self.assertEqual(self.among(3, "--output", target, self.tree)[0], 0)
        with open(target, "rb") as file:
            listing = file.read()
        self.assertEqual(listing, self.standard_listing())
        self.make("empty", b"no more")
        os.remove(self.path("new\nline"))
        self.expect_same(2, 1, "--quiet", "--check", target)
        self.expect_same(2, 1, "--quiet", "--check", "-", input=listing)

    def test_mistakes(self):
        for arguments in [["--nonsense"], ["--check", "/nowhere/listing"]]:
            self.expect_same(3, 2, *arguments)
        self.expect_same(3, 2, where=b"/nowhere/at/all")

    def test_help_comes_once(self):
        status, out, _ = self.among(3, "--help")
        self.assertEqual((status, out.count(b"Exit status")), (0, 1))

    def test_directory_that_other_ranks_do_not_see(self):
        for number in range(2000):
            self.make(f"many/{number}", b"x" * 50000)
        # Rank 0 is in the root, and the others are where this path names nothing.
        script = 'if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ]; then cd /; fi; exec "$@"'
        [*mpiexec, program, mpi] = self.command(3)
        done = subprocess.run([*mpiexec, "sh", "-c", script, "sh", program, mpi, self.tree.lstrip(b"/")], cwd=self.top,
                              capture_output=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
        self.assertRegex(done.stderr, rb"nopal-treehash: rank [12]: cannot open the directory ")

    def wait_until_any_process_has_open(self, path):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if any(each.isdigit() and self.has_open(int(each), path) for each in os.listdir("/proc")):
                return
            time.sleep(0.001)
        self.fail("no rank ever had the file open")

    def test_interrupt(self):
        large = self.make_sparse("very large", 64 << 30)
        command = self.command(3, "--output", os.path.join(self.top, b"listing"), self.tree)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.wait_until_any_process_has_open(large)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(out, b"")
        self.assertEqual(os.listdir(self.top), [b"tree"])


class test_without_mpi(tree_case):
    """A program that was built without MPI."""

    def test_mpi_is_refused(self):
        done = self.expect(2, "--mpi")
        self.assertIn(b"-DNOPAL_BUILD_MPI=ON", done.stderr)
        self.assertEqual(done.stdout, b"")


class test_limits(tree_case):
    """Deep and wide trees, few descriptors, little memory."""

    def make_deep(self, depth, name, step):
        """Directories `name` in one another, with a file at every `step` levels; returns the listing."""
        lines = []
        path = b"./"
        folder = os.open(self.tree, os.O_RDONLY)
        for level in range(depth):
            os.mkdir(name, dir_fd=folder)
            below = os.open(name, os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = below
            path += name + b"/"
            if level % step == 0 or level == depth - 1:
                content = b"%d" % level
                file = os.open(b"~file", os.O_WRONLY | os.O_CREAT, dir_fd=folder)
                os.write(file, content)
                os.close(file)
                lines.append((path + b"~file", content))
        os.close(folder)
        return b"".join(f"{sha256(content)}  ".encode() + path + b"\n" for path, content in sorted(lines))

    def test_paths_longer_than_path_max(self):
        expected = self.make_deep(60, b"n" * 255, 1)
        self.assertEqual(self.listing(), expected)
        self.assertEqual(self.listing("--workers", "4"), expected)

    def test_very_deep(self):
        expected = self.make_deep(2500, b"d", 50)
        for workers in ["1", "2", "4"]:
            self.assertEqual(self.listing("--workers", workers), expected)

    def few_descriptors(self):
        resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))

    def test_few_descriptors(self):
        self.make_deep(300, b"deep", 1)
        for number in range(2000):
            self.make(f"wide/{number % 50}/{number}", b"%d" % number)
        for number in range(30):
            self.make_sparse(f"large/{number}", 2 * MIB + number)
        expected = self.standard_listing()
        for workers in ["1", "4", "8"]:
            self.assertEqual(self.listing("--workers", workers, preexec_fn=self.few_descriptors), expected)

    def peak_memory(self):
        """Peak resident bytes of a run, with four workers."""
        process = subprocess.Popen([PROGRAM, "--quiet", "--workers", "4", self.tree], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss << 10

    @unittest.skipIf(os.environ.get("NOPAL_TEST_SANITIZE"), "a sanitizer keeps freed memory")
    def test_bounded_memory(self):
        self.make("small", b"x")
        least = self.peak_memory()
        for number in range(24):
            self.make_sparse(f"large/{number}", 16 * MIB)
        # Two windows of 1 MiB for each of four workers, and room for what the allocator keeps.
        self.assertLess(self.peak_memory() - least, 40 * MIB)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
