#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles files that include cilk/cilk.h in every order and way, and looks for keywords without
effect: a program that is silently serial, or a misuse that is not diagnosed."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
HEADER = "#include <cilk/cilk.h>\n"
SPAWNS = "int f(int);\nint g(int n) { int a = cilk_spawn f(n); int b = f(n); cilk_sync; return a + b; }\n"
LOOPS = "void h(int); void l(int n) { cilk_for (int i = 0; i < n; ++i) h(i); }\n"
WRONG = "int f(int);\nint g(int n) { return 1 + cilk_spawn n; }\n"

# What stands where the header is included, and in its place.
ORDERS = {
    "a variable first": ("c c++", "int first;\n" + HEADER),
    "a header first": ("c c++", "#include <stdio.h>\n" + HEADER),
    "twice": ("c c++", HEADER + "int between;\n" + HEADER),
    "a namespace first": ("c++", "namespace n { int m(); template <class T> class c; }\n" + HEADER),
    "inside extern C": ("c++", "void first();\nextern \"C\" {\n" + HEADER + HEADER + "}\n"),
    "a function with the name of a marker first": ("c++", "namespace n { void __nopal_sync(); }\n" +
                                                   HEADER),
}

# The header inside another declaration.
INSIDE = {
    "a namespace": ("c++", "namespace n {\n" + HEADER + "}\n"),
    "a namespace in extern C": ("c++", "namespace n { extern \"C\" {\n" + HEADER + "} }\n"),
    "a class": ("c++", "struct s {\n" + HEADER + "};\n"),
    "a function": ("c c++", "int first;\nvoid g(void) {\n" + HEADER + "}\n"),
}


class checks:
    def __init__(self, arguments, folder):
        self.folder = folder
        wrappers = arguments.wrappers.resolve()
        self.wrappers = {"c": wrappers / "nopal-cc",
                         "c++": wrappers / "nopal-c++"}
        self.plugin = wrappers / "nopal_cilk.so"
        self.bare = [arguments.clangxx, "-DNOPAL_CILK_PLUGIN=1", "-isystem", arguments.include]
        self.failed = 0

    def fail(self, what, said=""):
        print(f"{what}\n{said}")
        self.failed += 1

    def run(self, what, *command, text=None, succeeds=True):
        """What the command says and prints."""
        try:
            done = subprocess.run([str(word) for word in command], input=text, capture_output=True,
                                  text=True, check=False, cwd=self.folder,
                                  env={**os.environ, "NOPAL_WORKERS": "2"})
        except FileNotFoundError as missing:
            self.fail(f"{what}: {missing}")
            return ""
        said = done.stdout + done.stderr
        if (done.returncode == 0) != succeeds:
            self.fail(f"{what}: status {done.returncode}", said[-3000:])
        return said

    def expect(self, what, said, *parts):
        for part in parts:
            if part not in said:
                self.fail(f"{what}: '{part}' was expected", said[-3000:])

    def compiled(self, what, language, text, *options):
        """The assembly of `text`."""
        return self.run(what, self.wrappers[language], "-O1", "-S", "-o", "-", "-x", language, "-",
                        *options, text=text)

    def refused(self, what, language, text, *sentences):
        said = self.run(what, self.wrappers[language], "-fsyntax-only", "-x", language, "-",
                        text=text, succeeds=False)
        self.expect(what, said, *sentences)

    def orders(self):
        for name, (languages, header) in ORDERS.items():
            for language in languages.split():
                what = f"{name}, {language}"
                assembly = self.compiled(what, language, header + SPAWNS + LOOPS)
                self.expect(what, assembly, "nopal_cilk_run_outside", "nopal_cilk_for")
                if "__nopal_" in assembly:
                    self.fail(f"{what}: a marker remains")
                self.refused(what, language, header + WRONG, "cilk_spawn must stand before the call of a function")

    def inside(self):
        for name, (languages, text) in INSIDE.items():
            for language in languages.split():
                sentence = f"cilk/cilk.h is included inside of {' '.join(name.split()[:2])}"
                self.refused(f"inside {name}, {language}", language, text, sentence)

    def without_a_header(self):
        """The names of the keywords that begin with an underscore."""
        text = re.sub(r"\bcilk_", "_Cilk_", SPAWNS + LOOPS)
        for language in "c", "c++":
            assembly = self.compiled(f"without a header, {language}", language, text)
            self.expect(f"without a header, {language}", assembly, "nopal_cilk_run_outside",
                        "nopal_cilk_for")
            text_of_own_name = "#define cilk_spawn _Cilk_spawn\n" + HEADER + SPAWNS + LOOPS
            assembly = self.compiled(f"own name, {language}", language, text_of_own_name)
            self.expect(f"own name, {language}", assembly, "nopal_cilk_run_outside")
        self.refused("without a header", "c", re.sub(r"\bcilk_", "_Cilk_", WRONG.split("\n", 1)[0] +
                     "\nint g(int n) { return 1 + cilk_spawn n; }\n"),
                     "<stdin>:2:27: error: cilk_spawn must stand before the call of a function")

    def elisions(self):
        """A program that defines the keyword to nothing is serial, and needs no plugin."""
        text = SPAWNS + LOOPS + "void s(void) { cilk_scope { cilk_spawn f(1); } }\n"
        own = "#define cilk_spawn\n" + HEADER
        some = "#define cilk_spawn\n#define cilk_sync\n#define cilk_for for\n" + HEADER
        for name, header in {"nothing": own, "nothing, with a name in it": "/* _Cilk_ */" + own,
                             "all of nothing": some,
                             "stub": "#include <cilk/cilk_stub.h>\n#include <cilk/cilk_stub.h>\n" +
                                     HEADER}.items():
            for language in "c", "c++":
                assembly = self.compiled(f"{name}, {language}", language, header + text)
                for sign in "nopal_cilk_run", "nopal_cilk_for":
                    if sign in assembly:
                        self.fail(f"{name}, {language}: is not serial", assembly)
                self.run(f"{name}, {language}, bare", self.bare[0], *self.bare[2:], "-x", language,
                         "-fsyntax-only", "-", text=header + text)
        self.refused("stub behind cilk.h", "c", HEADER + "#include <cilk/cilk_stub.h>\n",
                     "include cilk/cilk_stub.h before cilk/cilk.h")

    def cilk_plus(self):
        for language in "c", "c++":
            self.refused("a reducer's header", language, "#include <cilk/reducer_opadd.h>\n",
                         "the reducers of Cilk Plus are not there; include cilk/reducer.h")
        self.refused("a reducer's macro", "c", "#include <cilk/reducer.h>\nvoid f(void) { "
                     "CILK_C_REGISTER_REDUCER(sum); }\n", "write `long cilk_reducer(identity")

    def halves_of_the_plugin(self):
        """Without both nothing is silently serial, a file without a sync included."""
        text = HEADER + "void f(); int main() { cilk_spawn f(); f(); } void f() {}\n"
        source = self.folder / "halves.cpp"
        source.write_text(text)
        said = self.run("without the plugin", *self.bare, source, succeeds=False)
        self.expect("without the plugin", said, "__nopal_sync")
        said = self.run("only the pass", *self.bare, f"-fpass-plugin={self.plugin}", "-c", source,
                        succeeds=False)
        self.expect("only the pass", said, "were not lowered on the syntax tree")
        said = self.run("only the tree", *self.bare, f"-fplugin={self.plugin}", source,
                        succeeds=False)
        self.expect("only the tree", said, "__nopal_spawn_begin")

    def precompiled(self):
        """Used in one command that compiles and links, in C and C++."""
        cxx = [self.wrappers["c++"], "-std=c++17", "-O1", "-w"]
        self.run("precompiled", *cxx, "-x", "c++-header", HERE / "places.hpp", "-o", "places.pch")
        (self.folder / "use.cpp").write_text("int main() { return serial_places(); }\n")
        self.run("precompiled", *cxx, "-include-pch", "places.pch", "use.cpp", "-o", "use")
        self.run("what a precompiled header spawns", self.folder / "use")
        (self.folder / "all.h").write_text("static int before;\n" + HEADER + SPAWNS.replace(
            "int g", "static inline int g"))
        (self.folder / "use.c").write_text(
            "int f(int n) { return n; }\nint main(void) { return before + g(0); }\n")
        cc = [self.wrappers["c"], "-O1"]
        self.run("precompiled C", *cc, "-x", "c-header", "all.h", "-o", "all.pch")
        self.run("precompiled C", *cc, "-include-pch", "all.pch", "use.c", "-o", "use_c")
        self.run("what a precompiled header of C spawns", self.folder / "use_c")

    def modules(self):
        """Header units, of the standard library's headers too, and a module."""
        cxx = [self.wrappers["c++"], "-std=c++20", "-O1", "-w"]
        self.run("header unit", *cxx, "-xc++-system-header", "cstdio", "-o", "cstdio.pcm")
        (self.folder / "standard.cpp").write_text("import <cstdio>;\n" + HEADER + SPAWNS)
        assembly = self.run("standard header unit", *cxx, "-fmodule-file=cstdio.pcm", "-S", "-o",
                            "-", "standard.cpp")
        self.expect("standard header unit", assembly, "nopal_cilk_run_outside")
        whole = (HERE / "places.hpp").read_text()
        begin, body = whole.index("#include"), whole.index("/// Waits")
        (self.folder / "places.cppm").write_text(
            "module;\n" + whole[begin:body] + "export module places;\nexport {\n" +
            whole[body:] + "}\n")
        self.run("module", *cxx, "--precompile", "places.cppm", "-o", "places.pcm")
        # What imports it includes the header as well, and spawns.
        (self.folder / "imports.cpp").write_text(
            "import places;\n" + HEADER + "int f(int n) { return n; }\n" + SPAWNS.splitlines()[1] +
            "\nint main() { return serial_places() + g(0); }\n")
        self.run("module", *cxx, "-fmodule-file=places=places.pcm", "imports.cpp", "places.pcm",
                 "-o", "imports")
        self.run("what a module spawns", self.folder / "imports")

    def other_sanitizer(self):
        """A program for a sanitizer does not link with a library without it."""
        (self.folder / "sanitized.c").write_text(HEADER + SPAWNS +
                                                 "int f(int n) { return n; }\nint main(void) {}\n")
        for sanitizer, name in ("thread", "__tsan"), ("address", "__asan"):
            said = self.run(f"-fsanitize={sanitizer}", self.wrappers["c"],
                            f"-fsanitize={sanitizer}", "sanitized.c", succeeds=False)
            self.expect(f"-fsanitize={sanitizer}", said, "nopal_configured_for__", name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wrappers", type=pathlib.Path)
    parser.add_argument("clangxx")
    parser.add_argument("include")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        all_of_them = checks(arguments, pathlib.Path(folder))
        for check in ("orders", "inside", "without_a_header", "elisions", "cilk_plus", "halves_of_the_plugin", "precompiled", "modules",
                      "other_sanitizer"):
            getattr(all_of_them, check)()
    sys.exit(all_of_them.failed != 0)


if __name__ == "__main__":
    main()
