# SPDX-License-Identifier: Apache-2.0
"""Reads what run_bench.py and its kin have written."""

import json
from dataclasses import dataclass
from pathlib import Path

SECONDS = "a list of numbers greater than 0"
# What a results.json must have, which may have more.
SCHEMA = {"machine": {}, "sections": [{"name": str, "n": (int, type(None)), "records": [
    {"label": str, "round": int, "workers": int}]}]}
KINDS = {dict: "an object", list: "a list", str: "a text", int: "a number",
         (int, type(None)): "a number or null"}


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
    a directory. Raises Unreadable for a path that has none."""
    found = {}
    for path in map(Path, paths):
        files = sorted(path.rglob("results.json")) if path.is_dir() else [path]
        if not files or not path.exists():
            raise Unreadable(f"{path}: no such file, or a directory without results.json; ./run "
                             "bench writes one and says where")
        found.update({file.resolve(): file for file in files})
    return list(found.values())


def read_document(path):
    """The records of results.json. Raises Unreadable."""
    path = Path(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Unreadable(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise Unreadable(f"{path}: is no JSON: {error}") from None
    for where, value, expected in _faults(content, SCHEMA, "all"):
        raise Unreadable(f"{path}: {where} is {json.dumps(value):.60} and must be {expected}, as "
                         "./run bench writes it")
    return Document(path, content.get("started", ""), content.get("size"), content["machine"],
                    [Section(s["name"], s["n"], s["records"]) for s in content["sections"]],
                    content.get("command", ""))


def _faults(value, schema, where):
    """(where, what is there, what must be there) of all that is otherwise than the schema."""
    kind = schema if isinstance(schema, (type, tuple)) else type(schema)
    if not isinstance(value, kind) or isinstance(value, bool):
        yield where, value, KINDS[kind]
    elif kind is dict:
        for key, of in schema.items():
            yield from _faults(value.get(key), of, f"{where}.{key}")
        if "label" in schema and not _has_times(value):
            yield f"{where}.seconds", value["seconds"], SECONDS
    elif kind is list:
        for at, one in enumerate(value, 1):
            yield from _faults(one, schema[0], f"{where}[{at}]")


def _has_times(record):
    """Whether its times, if it has such, are all greater than 0."""
    return not timed(record) or record["seconds"] and all(
        type(second) in (int, float) and 0 < second < float("inf") for second in record["seconds"])
