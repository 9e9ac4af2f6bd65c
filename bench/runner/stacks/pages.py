# SPDX-License-Identifier: Apache-2.0
"""Pages of stacks for each worker, beside their bound (Lee and others 2010, figure 9)."""

from dataclasses import dataclass

from ..charts import Bars
from ..ratios import Results
from ..tables import Table, nested, number
from .figure import Figure, in_turn, whole
from .published import WORKERS, drawn, found

SPACES = {"space": "default", "space-mapped": "mapped"}  # family -> which stacks it has


@dataclass(frozen=True)
class Counted(Figure):
    """A figure of programs that count pages."""

    def refusals(self, results):
        told = showing(results)
        return [f"{label}, P = {p}: at most {stacks} stacks were in use at a time, fewer than "
                "workers, so the run shows nothing" for label, p in results.keys()
                if not told.records(label, p)
                for stacks in [max(r["runtime"]["peak_stacks_in_use"]
                                   for r in results.records(label, p))]]


def showing(results):
    """The runs in which each worker had a stack at one time: else S_P is that of fewer workers.
    What has no runtime is the serial program."""
    return Results([r for r in results.good if r.get("runtime") is None
                    or r["runtime"]["peak_stacks_in_use"] >= r["workers"]])


def of_spaces(results):
    """A case for each program: the depth of its forks, and by kind of stacks pages with one worker,
    and for each worker with several, the most of all rounds. For targets over_bound, the worst over
    S_1 + D, and over_paper, with mapped stacks."""
    found_cases = {}
    for label in results.labels:
        pages = {p: max(r["runtime"]["stack_pages"] for r in results.records(label, p)) / p
                 for of, p in sorted(results.keys()) if of == label}
        if 1 in pages and len(pages) > 1 and "@" in label:
            program, kind = label.split("@")
            case = found_cases.setdefault(program, {"label": program, "depth": max(
                r["runtime"]["fork_depth"] for r in results.records(label, 1))})
            case[kind] = {str(p): each for p, each in pages.items()}
    for case in found_cases.values():
        case["over_bound"] = {kind: max(of[p] for p in of if p != "1") / (of["1"] + case["depth"])
                              for kind, of in _kinds(case).items()}
        if (paper := found(case["label"])) and (each := case.get("mapped", {}).get(str(WORKERS))):
            case["over_paper"] = each / paper.each
    return list(found_cases.values())


def _kinds(case):
    return {kind: case[kind] for kind in SPACES.values() if kind in case}


def _bound(case):
    """S_1 + D."""
    return next(iter(_kinds(case).values()))["1"] + case["depth"]


class Pages(Counted):
    def jobs(self, asked, programs):
        """S_1, which is in the bound, is of one worker that keeps what it has touched."""
        return [asked.job(v, SPACES[v.family], p,
                          {"NOPAL_RECLAIM": "none" if p == 1 else asked.reclaim})
                for v in in_turn(v for v in programs.of(*SPACES) if asked.has(v))
                for p in sorted({1, *asked.workers_or([2, WORKERS])})]

    def cases(self, results):
        return of_spaces(showing(results))

    def table(self, section):
        """S_P/P of both kinds, and of the paper."""
        workers = sorted({int(p) for c in section.cases for of in _kinds(c).values() for p in of})
        rows = []
        for c in section.cases:
            paper = found(c["label"])
            rows.append([c["label"], c["depth"],
                         *((number if p > 1 else whole)(c.get(kind, {}).get(str(p)))
                           for kind in SPACES.values() for p in workers),
                         whole(_bound(c)), number(paper and paper.each)])
        columns = [f"S_{p}/{p}" if p > 1 else "S_1" for p in workers]
        return Table(["pages", "D", *columns, *(f"mapped: {c}" for c in columns), "S_1 + D",
                      f"Cilk-M: S_{WORKERS}/{WORKERS}"], rows)

    def charts(self, section):
        most = max(int(p) for c in section.cases for of in _kinds(c).values() for p in of)
        rows = {}
        for c in section.cases:
            paper = found(c["label"])
            rows[c["label"]] = {name: value for name, value in (
                *((kind, of.get(str(most))) for kind, of in _kinds(c).items()),
                ("Cilk-M", paper.each if paper and most == WORKERS else None),
                ("S_1 + D", _bound(c))) if value is not None}
        yield Bars("pages", f"Pages of stacks for each of {most} workers, default and mapped, "
                   "beside the bound S_1 + D and, with 16, those of Cilk-M.",
                   f"S_{most}/{most}, pages", drawn(rows))


def by_front_end(committed):
    """S_P/P over S_1 + D: for each front end the most of all programs."""
    cases = nested((*reversed(c["label"].split(" ")), c) for c in committed.section("space").cases)
    workers = sorted({int(p) for of in cases.values() for c in of.values() for p in c["default"]})
    rows = []
    for front_end, programs in cases.items():
        most = [max((c["default"].get(str(p), 0) / _bound(c), program)
                    for program, c in programs.items()) for p in workers[1:]]
        rows.append([front_end, len(programs), *(number(share) for share, _ in most),
                     max(most)[1]])
    return Table(["front end", "programs", *(f"P = {p}" for p in workers[1:]), "the most by"],
                 rows)


PAGES = Pages("pages", "pages of stacks for each worker", "Lee and others 2010, figure 9",
              tuple(SPACES),
              "Pages of 4 KiB of all stacks, in use, spare and pooled, as the kernel has them. S_1 "
              "is what one worker touches, S_P the most that was seen with P workers, D how many "
              "forks are nested in each other.")
