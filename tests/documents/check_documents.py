#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the documents say against the tree that they describe.

blocks      Every C++ block compiles. A block with a main() is a program. Before any other block a
            comment, which readers do not see, says how it compiles:
                <!-- compiles -->                           at namespace scope
                <!-- compiles in a function -->             as the body of a function
                <!-- compiles after: CODE -->               behind CODE, at namespace scope
                <!-- compiles in a function after: CODE -->
            In docs/c.md blocks of C compile at file scope, as C11.
docstrings  Every example in a public header compiles, and every docstring that says what a name is
            for in full (it has a line Source: or Thread-safety:) has one. An example that defines a
            function stands at namespace scope, any other in a function, and in a coroutine if it
            awaits something. Examples of nopal/nopal.h compile as C11.
names       Files and tests that are named exist. (./run bench report --check looks at links.)
lines       No line is longer than 100 columns, except what a command writes between markers.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "bench/README.md",
             *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("docs/*.md"))]
FOLDERS = ["apps", "bench", "cmake", "docs", "examples", "include", "plugins", "src",
           "tests", "variants"]
COLUMNS = 100

HEADERS = """algorithm alloca.h array cerrno chrono cstddef cstdint cstdio functional mutex numeric
    optional ranges span stop_token string system_error thread tuple unistd.h utility vector
    nopal/nopal.hpp nopal/algorithm.hpp nopal/mapped.hpp nopal/mpi.hpp
    nopal/pipeline.hpp""".split()
IF_BOOST = "#if __has_include(<boost/asio.hpp>)\n"  # what uses Boost is for those who have it
BLOCK = re.compile(r"(?:<!-- compiles(?P<inside> in a function)?(?: after:\n(?P<given>.*?))? ?-->\n)?"
                   r"```cpp\n(?P<code>.*?)```", re.DOTALL)
C_HEADERS = "errno.h inttypes.h stdint.h stdio.h stdlib.h string.h nopal/nopal.h".split()
C_PREAMBLE = "".join(f"#include <{h}>\n" for h in C_HEADERS)
AS_C = ("-x", "c", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
BLOCK_OF_C = re.compile(r"```c\n(?P<code>.*?)```", re.DOTALL)
GENERATED = re.compile(r"^<!-- results: .*?^<!-- end -->", re.DOTALL | re.MULTILINE)


def text_of(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def without_fences(text: str) -> str:
    """The same lines, with those of code blocks empty."""
    return re.sub(r"```.*?```", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)


# --- blocks ---------------------------------------------------------------------------------------

def fragment(document: str, text: str, match: re.Match, number: int) -> str:
    """A block in a namespace of its own; what the compiler says of it names the document's line."""
    inside = match["inside"] is not None
    return "\n".join([
        f"namespace block_{number} {{",
        match["given"] or "",
        "[[maybe_unused]] void example() {" if inside else "",
        f'#line {line_at(text, match.start("code"))} "{document}"',
        match["code"],
        "}" if inside else "",
        "}",
    ])


def blocks() -> tuple[list[str], list[str], list[str]]:
    """Programs, one source with all fragments, and what is wrong with the marks."""
    programs, fragments, problems = [], [], []
    for document in DOCUMENTS:
        text = text_of(document)
        for match in BLOCK.finditer(text):
            line = line_at(text, match.start("code"))
            if "int main(" in match["code"]:
                programs.append(f'#line {line} "{document}"\n' + match["code"])
            elif match[0].startswith("<!--"):
                fragments.append(fragment(document, text, match, len(fragments)))
            else:
                problems.append(f"{document}:{line}: nothing says how this block compiles")
    source = "\n".join(fragments)
    includes = re.findall(r"^#include .*\n", source, re.MULTILINE)
    for include in includes:
        source = source.replace(include, "\n")
    source = "".join(f"#include <{h}>\n" for h in HEADERS) + "".join(includes) + source
    return programs, [source], problems


def blocks_of_c() -> list[str]:
    """The blocks of C, each as a source of its own. Those of docs/cilk.md need another compiler."""
    document = "docs/c.md"
    text = text_of(document)
    return [f'{C_PREAMBLE}#line {line_at(text, match.start("code"))} "{document}"\n{match["code"]}'
            for match in BLOCK_OF_C.finditer(text)]


def compiled(sources: list[str], arguments: argparse.Namespace,
             language: tuple[str, ...] = ("-std=c++20",)) -> list[str]:
    """What the compiler says of those that it refuses."""
    problems = []
    with tempfile.TemporaryDirectory() as directory:
        for number, source in enumerate(sources):
            path = pathlib.Path(directory) / f"{number}.cpp"
            path.write_text(source, encoding="utf-8")
            command = [arguments.compiler, *language, "-fsyntax-only", f"-I{ROOT / 'include'}",
                       *arguments.option, str(path)]
            run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, check=False)
            if run.returncode != 0:
                problems.append(run.stdout)
    return problems


def check_blocks(arguments: argparse.Namespace) -> list[str]:
    programs, fragments, problems = blocks()
    return (problems + compiled(programs + fragments, arguments)
            + compiled(blocks_of_c(), arguments, AS_C))


# --- docstrings -----------------------------------------------------------------------------------

FUNCTION = re.compile(r"^(NOPAL_FORKS |template)|^[\w:<>]+ \w+\(.*\) \{( .*\})?$", re.MULTILINE)


def docstrings(header: pathlib.Path):
    """Every docstring of a header, as (number of its first line, its lines without slashes)."""
    first, lines = 0, []
    for number, line in enumerate(header.read_text(encoding="utf-8").split("\n") + [""], 1):
        match = re.match(r"\s*/// ?(.*)$", line)
        if match:
            first = first if lines else number
            lines.append(match[1])
        elif lines:
            yield first, lines
            lines = []


def example(name: str, line: int, code: str, number: int) -> str:
    inside = not FUNCTION.search(code)
    result = "nopal::task<>" if "co_await" in code else "void"
    return "\n".join([
        f"namespace docstring_{number} {{",
        f"[[maybe_unused]] {result} example() {{" if inside else "",
        f'#line {line} "{name}"',
        code,
        "}" if inside else "",
        "}",
    ])


def example_of_c(name: str, line: int, code: str) -> str:
    """An example of a header of C, which is a source of its own: C has no namespaces."""
    inside = not FUNCTION.search(code)
    return "\n".join([C_PREAMBLE,
                      "void example(void);\nvoid example(void) {" if inside else "",
                      f'#line {line} "{name}"', code, "}" if inside else ""])


def check_docstrings(arguments: argparse.Namespace) -> list[str]:
    examples, of_c, problems = [], [], []
    headers = [*(ROOT / "include/nopal").rglob("*.hpp"), *(ROOT / "include/nopal/c").glob("*.h")]
    for header in sorted(headers):
        name = str(header.relative_to(ROOT))
        if "/detail/" in name or "serial" in name:
            continue
        for first, lines in docstrings(header):
            if "\\code" in lines:
                begin, end = lines.index("\\code") + 1, lines.index("\\endcode")
                code = "\n".join(lines[begin:end])
                if header.suffix == ".h":
                    of_c.append(example_of_c(name, first + begin, code))
                    continue
                if name == "include/nopal/asio.hpp":
                    code = f"{IF_BOOST}{code}\n#endif"
                examples.append(example(name, first + begin, code, len(examples)))
            elif any(line.startswith(("Source:", "Thread-safety:")) for line in lines):
                problems.append(f"{name}:{first}: this docstring has no example")
    headers = "".join(f"#include <{h}>\n" for h in HEADERS)
    headers += f"{IF_BOOST}#include <boost/asio.hpp>\n#include <nopal/asio.hpp>\n#endif\n"
    source = headers + "\n".join(examples)
    return problems + compiled([source], arguments) + compiled(of_c, arguments, AS_C)


# --- names ----------------------------------------------------------------------------------------

def wrong_name(name: str, files: set[str]) -> bool:
    if "*" in name or "<" in name:
        return False
    if name.split("/")[0] in FOLDERS and re.fullmatch(r"[\w./-]*/[\w./-]*", name):
        return not (ROOT / name).exists()
    if re.fullmatch(r"[\w/-]+\.(hpp|cpp|pml|cmake|md)", name):
        return not any(f == name or f.endswith("/" + name) for f in files)
    return re.fullmatch(r"test_\w+", name) is not None and not any(
        f.endswith((f"/{name}.cpp", f"/{name}.py")) for f in files)


def check_names(_: argparse.Namespace) -> list[str]:
    files = {str(p.relative_to(ROOT)) for folder in FOLDERS for p in (ROOT / folder).rglob("*.*")}
    files |= {p.name for p in ROOT.glob("*.*")}
    problems = []
    for document in DOCUMENTS:
        text = without_fences(text_of(document))
        for match in re.finditer(r"`([^`\n]+)`", text):
            if wrong_name(match[1], files):
                problems.append(f"{document}:{line_at(text, match.start())}: no file {match[1]}")
    return problems


# --- lines ----------------------------------------------------------------------------------------

def check_lines(_: argparse.Namespace) -> list[str]:
    problems = []
    for document in DOCUMENTS:
        text = GENERATED.sub(lambda m: "\n" * m[0].count("\n"), text_of(document))
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > COLUMNS:
                problems.append(f"{document}:{number}: {len(line)} columns; {COLUMNS} are allowed")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    checks = {"blocks": check_blocks, "docstrings": check_docstrings,
              "names": check_names, "lines": check_lines}
    parser.add_argument("check", choices=checks)
    parser.add_argument("--compiler", default="g++", help="for blocks and docstrings")
    parser.add_argument("--option", action="append", default=[], help="of the compiler")
    arguments = parser.parse_args()
    problems = checks[arguments.check](arguments)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
