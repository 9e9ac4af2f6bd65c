#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes small programs that spawn, from seeds, and compares them with their serial elisions.

No variable is read between the spawn that writes it and the sync behind it, and none that a block
of try assigns is read behind its handler. So each program has one right result. It prints a sum
over what its functions compute; in C++ objects that are not destroyed count too. With the macro
RESULT it has no main(), and the function of this name returns the sum.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

FUNCTIONS = 5
MOST_DEPTH = 3
PRELUDE_C = """
#include <cilk/cilk.h>
#include <stdio.h>
static long work(long n) {
  volatile long sum = 0;
  for (long i = 0; i < (n & 63) * 7; ++i) sum = sum + i;
  return n * 1103515245L + 12345L;
}
typedef struct { _Alignas(64) long v[3]; } line;
typedef struct { long v[7]; } large;
static large make_large(long n) { large l = {{n, work(n), n + 2, n + 3, n + 4, n + 5, n + 6}}; return l; }
static long sum_large(large l) { return l.v[0] + l.v[1] * 3 + l.v[6] * 7; }
static void fill(long* v, long n, long from) { for (long i = 0; i < n; ++i) v[i] = work(from + i); }
static double half(double x, long n) { return x / 2 + (double)(work(n) & 1023); }
"""
PRELUDE_CPP = PRELUDE_C.replace("_Alignas", "alignas") + """
#include <vector>
static long alive = 0;
struct object {
  long value;
  explicit object(long n) : value(work(n)) { __atomic_add_fetch(&alive, 1, 5); }
  object(const object& o) : value(o.value) { __atomic_add_fetch(&alive, 1, 5); }
  object& operator=(const object& o) = default;
  ~object() { value = -1; __atomic_sub_fetch(&alive, 1, 5); }
  long plus(long n) const { return value + work(n); }
};
static object make_object(long n) { return object(n + 1); }
static long of_object(const object& o, object by_value) { return o.value * 3 + work(by_value.value); }
"""


class Function:
    """Writes the body of one function. `stable` are variables that may be read."""

    def __init__(self, rng, number, cpp):
        self.rng, self.number, self.cpp = rng, number, cpp
        self.names = 0
        self.calls = 0
        self.lines = []
        self.indent = 1

    def out(self, text):
        self.lines.append("  " * self.indent + text)

    def fresh(self, prefix="x"):
        self.names += 1
        return f"{prefix}{self.names}"

    def value(self, stable):
        r = self.rng
        kind = r.randrange(4)
        if kind == 0 or not stable:
            return str(r.randrange(1, 90))
        if kind == 1:
            return r.choice(stable)
        return f"({r.choice(stable)} {r.choice('+-^|&')} {r.choice(stable)} {r.choice('+-')} {r.randrange(9)})"

    def condition(self, stable):
        return f"({self.value(stable)} & {self.rng.choice([1, 2, 3, 7])})"

    def call(self, stable):
        """A call that returns a long."""
        r = self.rng
        choices = [f"work({self.value(stable)})"]
        if self.number + 1 < FUNCTIONS and self.calls < 4:
            self.calls += 1
            callee = r.randrange(self.number + 1, FUNCTIONS)
            choices = [f"f{callee}({self.value(stable)}, {self.value(stable)})"] * 3 + choices
        choices.append(f"sum_large(make_large({self.value(stable)}))")
        if self.cpp:
            choices.append(f"object({self.value(stable)}).plus({self.value(stable)})")
            choices.append(f"[=](long n) {{ return work(n) ^ {self.value(stable)}; }}({self.value(stable)})")
            choices.append(f"of_object(make_object({self.value(stable)}), object({self.value(stable)}))")
        return r.choice(choices)

    def block(self, stable, pending, depth, region, in_loop, in_try):
        """Statements; `stable` and `pending` are changed, names declared here are gone behind it."""
        mine_stable, mine_pending = list(stable), list(pending)
        declared = set()
        if depth == MOST_DEPTH:  # each function spawns
            self.spawn_declare(mine_stable, mine_pending, declared)
        for _ in range(self.rng.randrange(2, 6)):
            self.statement(mine_stable, mine_pending, declared, depth, in_loop, in_try)
        # In a region what is still written may be left to the implicit sync.
        if self.rng.random() < 0.4 or (not region and declared & set(mine_pending)):
            self.out("cilk_sync;")
            mine_stable += mine_pending
            mine_pending = []
        if not in_try:  # where a thief may come further than the serial program
            for name in [n for n in mine_stable if n in declared]:
                self.out(f"all = all * 31 + (unsigned long){name};")
        stable[:] = [n for n in mine_stable if n not in declared]
        pending[:] = [n for n in mine_pending if n not in declared]

    def statement(self, stable, pending, declared, depth, in_loop, in_try):
        r = self.rng
        kinds = [self.declare, self.spawn_declare, self.spawn_declare, self.spawn_assign,
                 self.spawn_block, self.assign, self.sync, self.special]
        if depth > 0:
            kinds += [self.scope, self.branch, self.loop, self.parallel_loop]
            if self.cpp and not in_try:
                kinds.append(self.try_block)
        kind = r.choice(kinds)
        kind(stable, pending, declared, depth, in_loop, in_try)

    def declare(self, stable, _pending, declared, *_):
        name = self.fresh()
        self.out(f"long {name} = {self.value(stable)};")
        stable.append(name)
        declared.add(name)

    def spawn_declare(self, stable, pending, declared, *_):
        r, name = self.rng, self.fresh()
        kind = r.randrange(6 if self.cpp else 4)
        if kind <= 1:
            self.out(f"long {name} = cilk_spawn {self.call(stable)};")
            pending.append(name)
        elif kind == 2:
            self.out(f"double {name} = cilk_spawn half({self.value(stable)}, {self.value(stable)});")
            return self.behind_sync(stable, pending, declared, f"(long){name}")
        elif kind == 3:
            self.out(f"large {name} = cilk_spawn make_large({self.value(stable)});")
            return self.behind_sync(stable, pending, declared, f"sum_large({name})")
        elif kind == 4:
            made = r.choice(["make_object", "object"])
            self.out(f"object {name} = cilk_spawn {made}({self.value(stable)});")
            return self.behind_sync(stable, pending, declared, f"{name}.value")
        else:
            self.out(f"const object& {name} = cilk_spawn make_object({self.value(stable)});")
            return self.behind_sync(stable, pending, declared, f"{name}.value")
        declared.add(name)
        return None

    def behind_sync(self, stable, pending, declared, expression):
        """Some statements, a sync, and a variable with the value of the expression."""
        for _ in range(self.rng.randrange(3)):
            self.rng.choice([self.spawn_assign, self.assign, self.declare])(stable, pending, declared)
        self.sync(stable, pending, declared)
        name = self.fresh()
        self.out(f"long {name} = {expression};")
        stable.append(name)
        declared.add(name)

    def spawn_assign(self, stable, pending, declared, *_):
        r = self.rng
        candidates = [n for n in stable if n.startswith("x") and n in declared]
        if not candidates:
            return self.declare(stable, pending, declared)
        name = r.choice(candidates)
        call = self.call([n for n in stable if n != name])
        stable.remove(name)
        self.out(f"{name} {r.choice(['=', '=', '+=', '^='])} cilk_spawn {call};")
        pending.append(name)
        return None

    def spawn_block(self, stable, pending, declared, *_):
        """A statement that is spawned as a whole, with spawns in it or not."""
        r = self.rng
        names = [n for n in stable if n.startswith("x") and n in declared][:2]
        if not names:
            return self.declare(stable, pending, declared)
        others = [n for n in stable if n not in names]
        kind = r.randrange(4)
        if kind == 0:
            self.out(f"cilk_spawn {names[0]} {r.choice(['=', '+=', '^='])} {self.call(others)};")
            names = names[:1]
        elif kind == 1:
            i = self.fresh("i")
            self.out(f"cilk_spawn for (long {i} = 0; {i} < {r.randrange(4)}; ++{i}) "
                     f"{names[0]} += {self.call([*others, i])};")
            names = names[:1]
        else:
            local = self.fresh()
            self.out("cilk_spawn " + r.choice(["{", "{", "cilk_scope {"]))
            self.indent += 1
            self.out(f"long {local} = {r.choice(['', 'cilk_spawn '])}{self.call(others)};")
            for name in names:
                self.out(f"{name} {r.choice(['=', '+='])} {r.choice(['', 'cilk_spawn '])}"
                         f"{self.call(others)};")
            self.out("cilk_sync;")
            self.out(f"if {self.condition(others)} {names[0]} ^= {local};")
            self.indent -= 1
            self.out("}")
        for name in names:
            stable.remove(name)
            pending.append(name)
        return None

    def assign(self, stable, pending, declared, *_):
        candidates = [n for n in stable if n.startswith("x") and n in declared]
        if not candidates:
            return self.declare(stable, pending, declared)
        self.out(f"{self.rng.choice(candidates)} {self.rng.choice(['=', '+=', '^='])} "
                 f"{self.rng.choice([self.value(stable), self.call(stable)])};")
        return None

    def sync(self, stable, pending, _declared, *_):
        self.out("cilk_sync;")
        stable += pending
        pending.clear()

    def special(self, stable, pending, declared, *_):
        r, name = self.rng, self.fresh()
        kind = r.randrange(3)
        if kind == 0:
            n = r.randrange(1, 6)
            size = f"({self.value(stable)} & 3) + {n}"
            length = self.fresh("n")
            self.out(f"long {length} = {size};")
            array = f"long {name}[{length}];" if not self.cpp else f"std::vector<long> {name}((unsigned long){length});"
            self.out(array)
            pointer = name if not self.cpp else f"{name}.data()"
            self.out(f"cilk_spawn fill({pointer}, {length}, {self.value(stable)});")
            self.behind_sync(stable, pending, declared, f"{name}[0] + {name}[{length} - 1] * 5")
        elif kind == 1:
            self.out(f"line {name};")
            self.out(f"cilk_spawn fill({name}.v, 3, {self.value(stable)});")
            self.behind_sync(stable, pending, declared,
                             f"{name}.v[1] + ((unsigned long)&{name} % 64 != 0)")
        else:
            self.out(f"double {name} = (double)({self.value(stable)} & 255) / 3;")
            other = self.fresh()
            self.out(f"long {other} = cilk_spawn {self.call(stable)};")
            pending.append(other)
            declared.add(other)
            self.out(f"{name} = half({name}, {self.value(stable)});")
            self.behind_sync(stable, pending, declared, f"(long)({name} * 16)")

    def nested(self, head, stable, pending, depth, region, in_loop, in_try):
        self.out(head + " {")
        self.indent += 1
        self.block(stable, pending, depth - 1, region, in_loop, in_try)
        self.indent -= 1
        self.out("}")

    def scope(self, stable, pending, _declared, depth, in_loop, in_try):
        # What is pending outside is not to be read inside, nor waited for there.
        inner_stable, inner_pending = list(stable), []
        self.out("cilk_scope {")
        self.indent += 1
        self.block(inner_stable, inner_pending, depth - 1, True, in_loop, in_try)
        # Where a turn ends early, nothing that it declares may still be written.
        if in_loop == "serial" and not pending and self.rng.random() < 0.4:
            self.out(f"if {self.condition([n for n in stable if n in inner_stable])} "
                     f"{self.rng.choice(['break', 'continue'])};")
        self.indent -= 1
        self.out("}")

    def branch(self, stable, pending, _declared, depth, in_loop, in_try):
        then_stable, then_pending = list(stable), list(pending)
        self.nested(f"if {self.condition(stable)}", then_stable, then_pending, depth, False, in_loop,
                    in_try)
        both, left = [n for n in stable if n in then_stable], set(then_pending) | set(pending)
        stable[:] = [n for n in both if n not in left]
        pending[:] = sorted(left)
        if self.rng.random() < 0.15 and not in_loop == "parallel":
            self.out(f"if {self.condition(stable)} return {self.value(stable)};")

    def loop(self, stable, pending, declared, depth, _in_loop, in_try):
        # What a turn leaves pending the next one must not read: each ends with a sync.
        self.sync(stable, pending, declared)
        i = self.fresh("i")
        self.out(f"for (long {i} = 0; {i} < {self.rng.randrange(1, 4)}; ++{i}) {{")
        self.indent += 1
        inner_stable, inner_pending = stable + [i], []
        self.block(inner_stable, inner_pending, depth - 1, False, "serial", in_try)
        if inner_pending:
            self.out("cilk_sync;")
        self.indent -= 1
        self.out("}")
        self.out("cilk_sync;")  # of turns that were ended early

    def parallel_loop(self, stable, pending, declared, *_):
        r = self.rng
        i, array = self.fresh("i"), self.fresh("a")
        n = r.randrange(1, 40)
        step = r.randrange(1, 4)
        self.out(f"long {array}[48] = {{0}};")
        kind = r.choice(["int", "long", "unsigned", "unsigned char", "short"])
        head = r.choice([
            f"{kind} {i} = 0; {i} < {n}; {i} += {step}",
            f"{kind} {i} = 0; {n} >= {i}; {i}++",
            f"{kind} {i} = 0; {i} < {n}; {i} = {i} + {step}",
            f"{kind} {i} = 0, {i}_end = {n}; {i} < {i}_end; ++{i}",
            f"{kind} {i} = {n}; {i} > 0; {i} -= {step if kind[0] != 'u' else 1}",
            f"{kind} {i} = 0; {i} != {n * step}; {i} += {step}" if n * step < 40 else f"{kind} {i} = 0; {i} != {n}; ++{i}",
        ])
        if r.random() < 0.4:
            self.out(f"#pragma cilk grainsize {r.randrange(1, 5)}")
        self.out(f"cilk_for ({head}) {{")
        self.out(f"  if ((long){i} % 5 == 4) continue;")
        self.out(f"  {array}[(long){i}] = work((long){i} + {self.value(stable)});")
        self.out("}")
        name, k = self.fresh(), self.fresh("k")
        self.out(f"long {name} = 0;")
        self.out(f"for (int {k} = 0; {k} < 48; ++{k}) {name} = {name} * 3 + {array}[{k}];")
        stable.append(name)
        declared.add(name)

    def try_block(self, stable, pending, declared, depth, in_loop, _in_try):
        caught = self.fresh()
        self.out(f"long {caught} = 0;")
        self.out("try {")
        self.indent += 1
        inner_stable, inner_pending = list(stable), []
        self.block(inner_stable, inner_pending, depth - 1, True, "try", True)
        self.out(f"if {self.condition([n for n in stable if n in inner_stable])} "
                 f"throw {self.value([n for n in stable if n in inner_stable])} + 0L;")
        self.indent -= 1
        self.out(f"}} catch (long n) {{ {caught} = n; }}")
        # The block may have assigned to anything that is declared around it.
        for name in [n for n in stable if n.startswith("x")]:
            stable.remove(name)
        for name in [n for n in pending]:
            pending.remove(name)
        self.out("cilk_sync;")
        stable.append(caught)
        declared.add(caught)

    def text(self):
        stable, pending = ["a", "b"], []
        head = f"static long f{self.number}(long a, long b) {{"
        self.out("unsigned long all = (unsigned long)(a * 3 + b);")
        self.block(stable, pending, MOST_DEPTH, True, None, False)
        result = "(long)all"
        if self.cpp and self.rng.random() < 0.3:
            self.out(f"if ((a & 15) == 3) throw {result} + 0L;")
        return "\n".join([head, *self.lines, f"  return {result};", "}"])


def program(seed):
    """(language, text)"""
    rng = random.Random(seed)
    cpp = rng.random() < 0.6
    functions = [Function(rng, i, cpp).text() for i in range(FUNCTIONS)]
    prototypes = "\n".join(f"static long f{i}(long a, long b);" for i in range(FUNCTIONS))
    call = "f0(i, i * 7)"
    if cpp:
        call = "[&]() -> long { try { return f0(i, i * 7); } catch (long n) { return n * 31; } }()"
    main = f"""
#ifndef RESULT
#define RESULT result
unsigned long result(void);
int main() {{
  printf("%lx\\n", result());
  return 0;
}}
#endif
unsigned long RESULT(void) {{
  unsigned long sum = 0;
  for (long i = 0; i < 12; ++i) sum = sum * 31 + (unsigned long){call};
  return sum{" + (unsigned long)alive" if cpp else ""};
}}
"""
    return ("cpp" if cpp else "c",
            "\n".join([PRELUDE_CPP if cpp else PRELUDE_C, prototypes, *functions, main]))


def write(folder, seed):
    language, text = program(seed)
    source = folder / f"random{seed}.{language}"
    source.write_text(text)
    return source


def run(command, **environment):
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False,
                            env={**os.environ, **environment})
    return result.returncode, result.stdout, result.stderr


def check(seed, wrappers, options, repeats, folder):
    """What is wrong with the program of a seed; None if nothing."""
    source = write(folder, seed)
    compiler = [wrappers / ("nopal-c++" if source.suffix == ".cpp" else "nopal-cc"), "-w",
                "-std=c++17" if source.suffix == ".cpp" else "-std=c11", source]
    elision, executable = folder / "elision", folder / "program"
    status, _, error = run([*compiler, "-DCILK_SERIAL", "-O1", "-fwrapv", "-o", elision])
    if status != 0:
        return f"the elision does not compile\n{error}"
    right = run([elision])
    for option in options:
        status, _, error = run([*compiler, *option.split(), "-fwrapv", "-o", executable])
        if status != 0:
            return f"{option}: not compiled\n{error}"
        for workers in (1, 2, 8):
            for _ in range(repeats if workers > 1 else 1):
                got = run([executable], NOPAL_WORKERS=str(workers))
                if got[:2] != right[:2]:
                    return (f"{option}, {workers} workers: {got[1].strip()} (status {got[0]}), not "
                            f"{right[1].strip()}\n{got[2]}")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wrappers", type=pathlib.Path, help="folder of nopal-cc and nopal-c++")
    parser.add_argument("--first", type=int, default=1, help="first seed (1)")
    parser.add_argument("--count", type=int, default=1, help="number of seeds (1)")
    parser.add_argument("--repeats", type=int, default=3, help="runs with each number of workers")
    parser.add_argument("--options", default="-O0;-O1;-O2;-O3 -march=native", help="of compilers")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for programs that are wrong")
    parser.add_argument("--write", type=pathlib.Path, help="write the programs here, and no more")
    arguments = parser.parse_args()
    seeds = range(arguments.first, arguments.first + arguments.count)
    if arguments.write:
        for seed in seeds:
            write(arguments.write, seed)
        return
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed in seeds:
            problem = check(seed, arguments.wrappers, arguments.options.split(";"),
                            arguments.repeats, folder)
            if problem is None:
                continue
            wrong += 1
            print(f"seed {seed}: {problem}", flush=True)
            if arguments.keep:
                write(arguments.keep, seed)
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
