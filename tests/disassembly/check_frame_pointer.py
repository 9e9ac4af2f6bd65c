#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that functions which fork do not address their locals from the stack pointer.

A thief goes on in the middle of such a function with the frame of the victim, and a stack pointer of its own. So what the
function keeps in its frame must be reached through the frame pointer, or another register that calls preserve; what it
addresses from the stack pointer may only be the arguments of the call that it is about to make.

A function forks where it has a statement of fork_call.hpp in it. On x86-64 that is recognized by its taking the address at
which it ends, on aarch64 by its reading FPCR into x8; no other code does that.
"""

import argparse
import re
import subprocess
import sys
import tempfile


class Architecture:
    """What the rules need to know of an instruction set. Operands are in the order in which objdump prints them."""

    def is_fork(self, i):
        return bool(self.fork.search(i.line))

    def is_call(self, i):
        return i.mnemonic in self.calls

    def ends_in_trap(self, instructions, i):
        """Whether the way from here on, which has no branches, is never gone: that of the alloca in frame_join."""
        for j in instructions[i.index + 1:i.index + 12]:
            if j.mnemonic == self.trap:
                return True
            if self.is_call(j) or j.mnemonic.startswith(("j", "b.", "cb", "ret")):
                return False
        return False


class X86(Architecture):
    names = ("x86-64",)
    # It lies in the middle of a function. Compilers take the addresses of functions alone.
    fork = re.compile(r"\tlea\s+0x[1-9a-f][0-9a-f]{0,2}\(%rip\),%r10\s+#.*\+0x[0-9a-f]+>")
    calls = ("call", "callq")
    lost = {"rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"}
    memory = re.compile(r"(?:-?0x[0-9a-f]+)?\(%rsp[,)]")
    stores = re.compile(r"^(v?mov\w*|set\w+|rep stos|vextract\w*|fi?stp?\w*)$")
    trap = "ud2"

    def faults(self, instructions):
        taken = None  # a register that holds an address made from the stack pointer for the next call
        prologue = True
        saved = False  # whether the stack pointer was saved since the last fork
        for i in instructions:
            if self.ends_in_trap(instructions, i):
                continue
            if prologue and (self.is_call(i) or self.is_fork(i)):
                prologue = False
            ops = i.operands
            if self.is_fork(i):
                saved = False
            if i.mnemonic == "mov" and ops[1] == "%rsp" and ops[0] != "%rbp" and not saved:
                yield i, "restores a stack pointer that may be of before a fork"
            if taken is not None:
                if self.is_call(i) or i.mnemonic.startswith("rep"):
                    taken = None
                elif len(ops) == 2 and ops[0] == "%" + taken and "(" in ops[1] and "%" + taken not in ops[1]:
                    if not self.restored(instructions, i) and not self.dies_at_call(instructions, i):
                        yield i, "keeps an address made from the stack pointer"
                elif ops and ops[-1] == "%" + taken and not i.mnemonic.startswith(("add", "sub", "and", "or")):
                    taken = None
            if i.mnemonic == "lea" and self.memory.search(ops[0]):
                register = ops[1].strip("%")
                if register == "rsp" or prologue:
                    continue
                if register not in self.lost:
                    yield i, "keeps an address made from the stack pointer"
                elif not self.only_copied_to(instructions, i, register):
                    yield i, "takes the address of a local from the stack pointer"
                else:
                    taken = register
            elif i.mnemonic == "mov" and ops[0] == "%rsp" and ops[1].startswith("%"):
                register = ops[1].strip("%")
                saved = True
                if register in self.lost:
                    taken = register
                elif not prologue:
                    yield i, "keeps the stack pointer"
            elif self.memory.search(i.text):
                if i.mnemonic == "nop" or i.mnemonic.startswith("nop"):
                    continue
                if i.mnemonic.startswith("or") and ops[0] == "$0x0":
                    continue  # a stack probe
                # The last operand is what is written to.
                written = self.stores.match(i.mnemonic) and self.memory.search(ops[-1]) and not any(
                    self.memory.search(o) for o in ops[:-1])
                if not (written and self.call_follows(instructions, i)):
                    yield i, "addresses memory from the stack pointer"

    def restored(self, instructions, i):
        """Whether the stack pointer comes back from where i puts it before the function forks."""
        for j, k in zip(instructions[i.index + 1:], instructions[i.index + 2:]):
            if self.is_fork(j):
                return False
            if j.mnemonic == "mov" and j.operands[0] == i.operands[1] and k.text.endswith(",%rsp"):
                return True
        return False

    def dies_at_call(self, instructions, i):
        """Whether what i stores is used for the next call's arguments only."""
        end = next((j.index for j in instructions[i.index + 1:] if self.is_call(j) or self.is_fork(j)), 0)
        return all(i.index <= j.index < end for j in instructions if i.operands[1] in j.operands)

    def call_follows(self, instructions, i):
        """Whether a call comes before the function's fork or end: the store is then of an argument."""
        for j in instructions[i.index + 1:]:
            if self.is_fork(j):
                return False
            if self.is_call(j):
                return True
        return False

    def only_copied_to(self, instructions, i, register):
        """Whether the address is where a string instruction, or the memcpy called next, puts an argument."""
        if register != "rdi":
            return False
        for j in instructions[i.index + 1:]:
            if j.mnemonic.startswith("rep"):
                return True
            if self.is_call(j):
                return "memcpy" in j.text
        return False


class Aarch64(Architecture):
    names = ("aarch64", "littleaarch64")
    fork = re.compile(r"(?:^|\t)mrs\s+x8, fpcr")
    calls = ("bl", "blr")
    preserved = {f"{k}{n}" for k in "xw" for n in range(19, 31)} | {f"d{n}" for n in range(8, 16)}
    memory = re.compile(r"\[sp[],]")
    trap = "brk"

    def faults(self, instructions):
        prologue = True
        for i in instructions:
            if self.ends_in_trap(instructions, i):
                continue
            if prologue and (self.is_call(i) or self.is_fork(i)):
                prologue = False
            registers = re.findall(r"\b[xwdqs]\d+\b", i.text.split("[")[0])
            if self.memory.search(i.text):
                if self.is_stack_probe(instructions, i):
                    continue
                if i.mnemonic in ("stp", "str", "stur", "strb", "strh"):
                    if prologue and set(registers) <= self.preserved:
                        continue
                    if self.call_follows(instructions, i):
                        continue
                elif i.mnemonic in ("ldp", "ldr") and set(registers) <= self.preserved and self.end_follows(instructions, i):
                    continue
                yield i, "addresses memory from the stack pointer"
            elif i.mnemonic in ("mov", "add") and re.match(r"\w+\s+x\d+, sp\b", i.text):
                register = registers[0]
                after = instructions[i.index + 1].text if i.index + 1 < len(instructions) else ""
                if register == "x8" and re.match(r"str\s+x8, \[x[02]\]|add\s+x8, x8, x1", after):
                    continue  # the statement that forks or joins
                if prologue and (register in self.preserved):
                    continue
                if i.mnemonic == "mov" and prologue:
                    continue
                if re.match(r"mov\s+sp, x\d+|sub\s+x\d+, x\d+, x\d+|sub\s+sp", after):
                    continue  # alloca
                yield i, "takes an address from the stack pointer"

    def call_follows(self, instructions, i):
        for j in instructions[i.index + 1:i.index + 40]:
            if self.is_fork(j):
                return False
            if self.is_call(j):
                return True
        return False

    def is_stack_probe(self, instructions, i):
        """What -fstack-clash-protection puts behind each step of the stack pointer."""
        return (re.search(r"str\s+xzr, \[sp(?:, #1024)?\]", i.line) is not None
                and any(re.match(r"sub\s+sp, sp,", j.text) for j in instructions[max(i.index - 4, 0):i.index]))

    def end_follows(self, instructions, i):
        for j in instructions[i.index + 1:]:
            if j.mnemonic in ("ret", "b"):
                return True
            if self.is_call(j):
                return False
        return False


class Instruction:
    def __init__(self, index, line):
        address, text = line.split(":", 1)
        self.index = index
        self.line = line.strip()
        self.text = re.sub(r"\s*(#|//).*|\s*<[^>]*>", "", text).strip()
        parts = self.text.split(None, 1)
        # A prefix is part of the mnemonic.
        if parts and parts[0] in ("rep", "lock", "notrack", "bnd", "data16", "repz") and len(parts) > 1:
            rest = parts[1].split(None, 1)
            parts = [parts[0] + " " + rest[0]] + rest[1:]
        self.mnemonic = parts[0] if parts else ""
        self.operands = self.split(parts[1]) if len(parts) > 1 else []

    @staticmethod
    def split(text):
        """At the commas that stand outside of parentheses."""
        return [o.strip() for o in re.split(r",(?![^(]*\))", text)]


# objdump looks through all sections for each function, which takes long where each of some thousand functions has a
# section of its own.
IN_ONE_SECTION = "SECTIONS { .text : { *(.text .text.* .gnu.linkonce.t.*) } }"


def functions_of(linker, objdump, path):
    """The listing of each function of an object file, by name."""
    with tempfile.TemporaryDirectory() as directory:
        script, merged = f"{directory}/script", f"{directory}/merged.o"
        with open(script, "w", encoding="utf-8") as file:
            file.write(IN_ONE_SECTION)
        subprocess.run([linker, "--relocatable", "--force-group-allocation", "--script", script, "-o", merged, path], check=True)
        output = subprocess.run([objdump, "-d", "--no-show-raw-insn", "-w", merged], check=True, capture_output=True,
                                text=True).stdout
    return dict(re.findall(r"^[0-9a-f]+ <(.*)>:\n((?:.+\n)*)", output, re.MULTILINE))


def architecture_of(objdump, path):
    output = subprocess.run([objdump, "-f", path], check=True, capture_output=True, text=True).stdout
    for architecture in (X86(), Aarch64()):
        if any(name in output for name in architecture.names):
            return architecture
    sys.exit(f"{path}: of an architecture that has no rules here:\n{output}")


def demangled(name):
    try:
        return subprocess.run(["c++filt", name], check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("--linker", default="ld", help="of binutils, for the objects' processor")
    parser.add_argument("--at-least", type=int, default=1, help="functions that must be found to fork")
    parser.add_argument("--expect-fault", action="store_true", help="each function that forks must have a fault")
    parser.add_argument("objects", nargs="+")
    arguments = parser.parse_args()

    forking = faulty = 0
    for path in arguments.objects:
        architecture = architecture_of(arguments.objdump, path)
        functions = functions_of(arguments.linker, arguments.objdump, path)
        forks = {name for name, listing in functions.items() if architecture.fork.search(listing)}
        # The rarely run part of a function lies elsewhere; and there may be all of its statements that join.
        forks |= {name for name in functions for f in forks if name.split(".cold")[0] == f.split(".cold")[0]}
        forking += len(forks)
        for name in sorted(forks):
            lines = [line for line in functions[name].splitlines() if ":\t" in line]
            faults = list(architecture.faults([Instruction(n, line) for n, line in enumerate(lines)]))
            faulty += bool(faults)
            if faults and not arguments.expect_fault:
                print(f"{path}: {demangled(name)}")
                for i, why in faults:
                    print(f"    {i.line}\n        {why}")
    print(f"{forking} functions that fork, {faulty} of them faulty")
    if forking < arguments.at_least:
        sys.exit(f"at least {arguments.at_least} should have been found")
    if arguments.expect_fault:
        sys.exit(0 if forking == faulty else "faults were expected in all of them")
    sys.exit(1 if faulty else 0)


if __name__ == "__main__":
    main()
