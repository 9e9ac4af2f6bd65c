#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what nopal costs those who compile with it: how much code each further call is, and that
the headers of forks bring in none of the heavy standard headers."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

CALL = {
    "parallel_invoke": """long leaf{0}(long);
long both{0}(long n) {{
  if (n < 2) return leaf{0}(n);
  long a, b;
  nopal::parallel_invoke([&] {{ a = both{0}(n - 1) + {0}; }}, [&] {{ b = both{0}(n - 2); }});
  return a + b;
}}
""",
    "for_each": """void loop{0}(double* v, int n) {{
  nopal::for_each(0, n, [v](int i) {{ v[i] = v[i] * {0} + 1; }});
}}
""",
    "fold": """double sum{0}(const double* v, int n) {{
  return nopal::fold(v, v + n, 0.0, [](double a, double b) {{ return a + b; }},
                     [](double x) {{ return x * x + {0}; }});
}}
""",
}
# Bytes of code for each further call. On x86-64 g++-12 makes 703, 176 and 1905, and clang++-19 656,
# 273 and 2400. One more copy of what forks two closures is some 400, and of a loop's some 5000.
MOST = {"parallel_invoke": 1000, "for_each": 600, "fold": 3600}

# Compilers read a third of a fork's headers in each of these. detail/platform/invoke.hpp has what
# is used instead.
HEAVY = ("algorithm", "chrono", "functional", "memory", "ranges", "sstream", "stop_token")
LIGHT = ("parallel_invoke", "fork_frame", "runtime", "task")


def run(*command):
    made = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}:\n{made.stderr[:4000]}")
    return made.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--size", default="size")
    parser.add_argument("--root", type=pathlib.Path, required=True, help="of the project")
    arguments = parser.parse_args()
    compile = (arguments.compiler, "-std=c++20", "-w", f"-I{arguments.root}/include")
    failures = 0

    with tempfile.TemporaryDirectory() as name:
        source, made = pathlib.Path(name) / "calls.cpp", pathlib.Path(name) / "calls.o"

        def code_of(call, times):
            source.write_text('#include "nopal/algorithm.hpp"\n#include "nopal/parallel_invoke.hpp"\n'
                              + "".join(CALL[call].format(i) for i in range(1, times + 1)))
            run(*compile, "-O2", "-DNDEBUG", "-c", source, "-o", made)
            sections = (line.split() for line in run(arguments.size, "-A", made).splitlines())
            return sum(int(s[1]) for s in sections if s and s[0].startswith(".text"))

        for call, most in MOST.items():
            each = (code_of(call, 5) - code_of(call, 1)) // 4
            print(f"{call}: {each} bytes of code for each call; at most {most} are allowed")
            failures += each > most

        for header in LIGHT:
            source.write_text(f'#include "nopal/{header}.hpp"\n')
            read = {pathlib.Path(f).name for f in run(*compile, "-M", source).split()}
            heavy = [h for h in HEAVY if h in read]
            print(f"{header}.hpp: heavy standard headers: {', '.join(heavy) or 'none'}")
            failures += len(heavy)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
