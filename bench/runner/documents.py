# SPDX-License-Identifier: Apache-2.0
"""Reads what run_bench.py and its kin have written."""

import json
from dataclasses import dataclass
from pathlib import Path

KINDS = {type(None): "null", bool: "true or false", int: "a number", float: "a number",
         str: "a text", list: "a list", dict: "an object"}


class Unreadable(Exception):
    """A file that cannot be used. The message names it and says what is wrong."""


@dataclass(frozen=True)
class Titled:
    """A workload, or whatever else is measured in turn. n is None where it has no size."""

    name: str
    n: int | None

    @property
    def title(self):
        return titled(self.name, self.n)


@dataclass(frozen=True)
class Section(Titled):
    records: list


@dataclass(frozen=True)
class Document:
    """One file of records, and how they came about."""

    path: Path
    started: str
    size: str | None
    machine: dict
    sections: list
    command: str  # as people type it


def titled(name, n):
    """A section's name for people."""
    return name if n is None else f"{name}({n})"


def timed(record):
    """Whether a record holds the times of a workload. Micro-measurements have other figures,
    failures have none."""
    return isinstance(record.get("seconds"), list)


def find_documents(paths):
    """The files that `paths` name, each once: files themselves, and every results.json in or below
    a directory.

    Raises Unreadable for a path that has none.
    """
    found = []
    for path in map(Path, paths):
        files = sorted(path.rglob("results.json")) if path.is_dir() else [path]
        if not files:
            raise Unreadable(f"{path}: no results.json in this directory or below it; ./run bench "
                             "writes one")
        if not path.exists():
            raise Unreadable(f"{path}: no such file or directory; ./run bench writes a "
                             "results.json and says where")
        found += files
    return list({file.resolve(): file for file in found}.values())


def read_document(path):
    """The records of results.json. Raises Unreadable."""
    path = Path(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        _check(isinstance(content, dict), f"holds {KINDS[type(content)]} and not an object")
        _check_has(content, "it", machine=dict, sections=list)
        sections = [_section(s, f"section {at}") for at, s in enumerate(content["sections"], 1)]
    except OSError as error:
        raise Unreadable(f"{path}: cannot be read: {error.strerror}") from None
    except _Wrong as wrong:
        raise Unreadable(f"{path}: {wrong}; "
                         "expected is a results.json as ./run bench writes it") from None
    except ValueError as error:
        raise Unreadable(f"{path}: is no JSON: {error}") from None
    return Document(path, content.get("started", ""), content.get("size"), content["machine"],
                    sections, content.get("command", ""))


class _Wrong(Exception):
    pass


def _check(is_right, wrong):
    if not is_right:
        raise _Wrong(wrong)


def _check_has(holder, where, **kinds):
    for key, kind in kinds.items():
        _check(isinstance(holder, dict) and key in holder, f"{where} has no '{key}'")
        value = holder[key]
        _check(isinstance(value, kind) and not isinstance(value, bool),
               f"{where} has {KINDS[type(value)]} as '{key}'")


def _section(section, where):
    _check_has(section, where, name=str, records=list)
    name, n = section["name"], section.get("n")
    _check(n is None or isinstance(n, int), f"section '{name}' has {KINDS[type(n)]} as n")
    for at, record in enumerate(section["records"], 1):
        where = f"record {at} of '{name}'"
        _check_has(record, where, label=str, round=int, workers=int)
        _check(record["workers"] >= 1,
               f"{where} has {record['workers']} workers; there must be one at least")
        _check(n is None or timed(record) or "failure" in record,
               f"{where} has neither a list of seconds nor a failure")
        _check(not timed(record) or record["seconds"] and all(map(_is_time, record["seconds"])),
               f"{where} has {str(record.get('seconds')):.60} as seconds, which must be numbers "
               "greater than 0")
    return Section(name, n, section["records"])


def _is_time(value):
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and 0 < value < float("inf")
