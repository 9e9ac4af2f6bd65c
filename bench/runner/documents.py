# SPDX-License-Identifier: Apache-2.0
"""Reads what run_bench.py and its kin have written."""

import json
from dataclasses import dataclass
from pathlib import Path


class Unreadable(Exception):
    """A file that cannot be used. The message names it and says what is wrong."""


@dataclass(frozen=True)
class Section:
    """Records that were measured in turn. n is None where a workload has no size."""

    name: str
    n: int | None
    records: list

    @property
    def title(self):
        return titled(self.name, self.n)


@dataclass(frozen=True)
class Document:
    """One file of records, and how they came about."""

    path: Path
    started: str
    size: str | None
    machine: dict
    absent: dict  # what could not be measured -> why
    sections: list
    command: str = ""  # as people type it

    @property
    def name(self):
        """Short, for people: the folder says more than the file, which always has the same name."""
        return "/".join(self.path.parts[-2:])


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
    except OSError as error:
        raise Unreadable(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise Unreadable(f"{path}: is no JSON: {error}") from None
    try:
        return _document(path, content)
    except _Wrong as wrong:
        raise Unreadable(f"{path}: {wrong}; "
                         "expected is a results.json as ./run bench writes it") from None


class _Wrong(Exception):
    pass


def _document(path, content):
    if not isinstance(content, dict):
        raise _Wrong(f"holds {_kind(content)} and not an object")
    sections = [_section(s, index)
                for index, s in enumerate(_get(content, "sections", list, "it"))]
    return Document(path, content.get("started", ""), content.get("size"),
                    _get(content, "machine", dict, "it"),
                    content.get("absent", {}), sections,
                    content.get("command", ""))


def _section(section, index):
    where = f"section {index + 1}"
    name = _get(section, "name", str, where)
    n = section.get("n")
    if n is not None and not isinstance(n, int):
        raise _Wrong(f"section '{name}' has {_kind(n)} as n")
    return Section(name, n, _records(_get(section, "records", list, where), name, n))


def _records(records, name, n):
    for index, record in enumerate(records):
        where = f"record {index + 1} of '{name}'"
        _get(record, "label", str, where)
        _get(record, "round", int, where)
        if (workers := _get(record, "workers", int, where)) < 1:
            raise _Wrong(f"{where} has {workers} workers; there must be one at least")
        if n is not None and not timed(record) and "failure" not in record:
            raise _Wrong(f"{where} has neither a list of seconds nor a failure")
        if timed(record) and not (record["seconds"] and all(map(_is_time, record["seconds"]))):
            raise _Wrong(f"{where} has {str(record['seconds']):.60} as seconds, which must be "
                         "numbers greater than 0")
    return records


def _is_time(value):
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and 0 < value < float("inf")


def _get(holder, key, kind, where):
    if not isinstance(holder, dict) or key not in holder:
        raise _Wrong(f"{where} has no '{key}'")
    if not isinstance(holder[key], kind) or isinstance(holder[key], bool):
        raise _Wrong(f"{where} has {_kind(holder[key])} as '{key}'")
    return holder[key]


def _kind(value):
    return {type(None): "null", bool: "true or false", int: "a number", float: "a number",
            str: "a text", list: "a list", dict: "an object"}[type(value)]
