# SPDX-License-Identifier: Apache-2.0
"""Checks that every program and library that tests and scripts call is in a package that ./run installs.

A developer's machine has more than those packages, so that no test fails there for want of one. This reads what
CMake's files and Python's scripts call, and what `packages_of` in ./run names. What it cannot read, such as a
name that is put together, `./run test newcomer` finds.
"""

import ast
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
ESSENTIAL = "every Debian has it"

# Which package has a command, or what find_package() and pkg_check_modules() look for.
PACKAGES = {
    **dict.fromkeys(["rm", "chmod", "cp", "sha256sum", "sh", "bash", "true", "false", "timeout", "find", "sort",
                     "xargs", "sed", "env", "taskset", "setarch", "exit"], ESSENTIAL),
    "ar": "g++-12", "nm": "g++-12", "ld": "g++-12", "objdump": "g++-12", "c++filt": "g++-12", "g++-12": "g++-12", "gcc": "gcc",
    "make": "make", "gdb": "gdb", "spin": "spin", "valgrind": "valgrind", "ctest": "cmake", "cmake": "cmake", "ninja": "ninja-build",
    "pkg-config": "pkg-config", "python3": "python3", "git": ESSENTIAL,  # whoever has a clone has it
    "clang-19": "clang-19", "clang++-19": "clang-19", "llvm-nm-19": "llvm-19-dev", "opt-19": "llvm-19-dev",
    "Threads": "g++-12", "PkgConfig": "pkg-config", "hwloc": "libhwloc-dev", "liburing": "liburing-dev",
    "libhwy-contrib": "libhwy-dev", "MPI": "libopenmpi-dev",
    "GTest": "libgtest-dev", "Python3": "python3", "mimalloc": "libmimalloc-dev", "OpenSSL": "libssl-dev",
    "CLI11": "libcli11-dev", "nlohmann_json": "nlohmann-json3-dev", "fmt": "libfmt-dev",
    "nopal": ESSENTIAL,  # the one that has just been built
}

# What else than ./run test needs the packages of its preset, by folder.
PRESETS = {"apps": "release", "tests/cilk": "release", "tests/valgrind": "release", "plugins": "release",
           "cmake/nopal_options.cmake": "release"}
CALLS_OF_PYTHON = {"run", "Popen", "check_call", "check_output", "call", "which"}


def called_by_cmake(text: str):
    """Line number and name of all that a CMake file calls by its name, or looks for."""
    pattern = re.compile(
        r"find_program\(\s*\w+\s+(?:NAMES\s+)?(?P<a>[\w+.-]+)"
        r"|find_package\(\s*(?P<b>\w+)"
        r"|pkg_check_modules\(\s*\w+\s+[^)]*?IMPORTED_TARGET\s+(?P<c>[\w-]+)"
        r"|execute_process\(\s*COMMAND\s+(?P<d>[a-z][\w+.-]*)\b"
        r"|\brun\(\s*(?P<e>[a-z][\w+.-]*)\s"
        r"|\brefused\(\s*\"[^\"]*\"\s+(?P<f>[a-z][\w+.-]*)\s"
        r"|-D compiler_of_c=(?P<g>[\w+.-]+)")
    text = re.sub(r"#.*", "", text)
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, next(g for g in match.groups() if g)


def called_by_python(text: str):
    """Line number and name of all that a script calls by its name, or looks for."""
    for node in ast.walk(ast.parse(text)):
        words = []
        if (isinstance(node, ast.Call) and getattr(node.func, "attr", "") in CALLS_OF_PYTHON and node.args
                and getattr(getattr(node.func, "value", None), "id", "") != "self"):
            words = [node.args[0].elts[0]] if isinstance(node.args[0], ast.List) and node.args[0].elts else [node.args[0]]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.List) and node.value.elts and any(
                getattr(target, "id", "") == "command" for target in node.targets):
            words = [node.value.elts[0]]
        elif isinstance(node, ast.For) and getattr(node.target, "id", "") == "tool":
            words = getattr(node.iter, "elts", [])
        for word in words:
            if isinstance(word, ast.Constant) and isinstance(word.value, str) and word.value[:1].isalnum():
                yield node.lineno, word.value


def packages_of(preset: str) -> set:
    command = ["bash", "-c", 'source ./run help > /dev/null; packages_of "$1"', "bash", preset]
    return set(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split())


def main() -> None:
    named = {preset: packages_of(preset) for preset in ["test", *set(PRESETS.values())]}
    faults, calls = [], 0
    for folder in ["cmake", "tests", "apps", "plugins", "examples", "src"]:
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            is_python = path.suffix == ".py"
            if not is_python and path.name != "CMakeLists.txt" and path.suffix != ".cmake":
                continue
            preset = next((p for start, p in PRESETS.items() if name.startswith(start)), "test")
            for line, what in (called_by_python if is_python else called_by_cmake)(path.read_text()):
                calls += 1
                package = PACKAGES.get(what)
                if package is None:
                    faults.append(f"{name}:{line}: '{what}' is called, and PACKAGES in tests/packages/"
                                  "check_packages.py does not say which package has it; add it there")
                elif package != ESSENTIAL and package not in named[preset]:
                    faults.append(f"{name}:{line}: '{what}' is called, and packages_of in run does not name "
                                  f"{package} for '{preset}'; add it there")
    print("\n".join(faults) or f"{calls} calls, all of them in the packages of ./run")
    sys.exit(bool(faults) or calls < 20)


if __name__ == "__main__":
    main()
