# SPDX-License-Identifier: Apache-2.0
"""The committed results, the tables that the documents have from them, and what the documents must
not have."""

import copy
import json
import re

import pytest

import report_bench
from runner import fake, machine
from runner.committed import checks, distil, pages, results
from runner.committed.tables import TABLES
from runner.documents import Unreadable
from runner.pool.figures import FIGURES as POOL
from runner.stacks.figures import FIGURES as STACKS
from runner.stm.plan import GROUPS, MICRO, SECTIONS


@pytest.fixture
def recorded(distilled, content):
    """What is kept of a small run."""
    return distilled(content)


def tree(root, readme="", **pages_of_docs):
    """A tree with these documents."""
    (root / "docs").mkdir(parents=True, exist_ok=True)
    (root / "README.md").write_text(readme)
    for name, text in pages_of_docs.items():
        (root / "docs" / f"{name}.md").write_text(text)
    return root


def of_sections(*sections, runs=()):
    """Committed results with nothing but these sections: name, n, cases, and failures if any."""
    return results.Committed({"runs": list(runs), "libraries": [], "variants": {}, "sections": [
        {"name": name, "n": n, "runs": [], "failures": list(failures), "cases": cases}
        for name, n, cases, *failures in sections]})


# --- this tree


def test_this_tree_has_no_table_figure_or_link_that_is_wrong():
    assert report_bench.check(results.ROOT) == 0


@pytest.mark.parametrize("benchmark,option,known,needed", [
    ("stacks", "--figure", set(STACKS), set(STACKS)),
    ("pool", "--figure", set(POOL), {name for name, figure in POOL.items() if figure.published}),
    ("stm", "--workload", {*SECTIONS, *GROUPS}, set(MICRO))])
def test_the_table_of_the_papers_has_every_figure(benchmark, option, known, needed):
    prefix = f"`./run bench {benchmark} {option} "
    named = {name for _, _, command, _, _ in TABLES["papers"](None).rows
             if command.startswith(prefix)
             for name in command.removeprefix(prefix).rstrip("`").split(",")}
    assert needed <= named <= known


def test_the_results_are_small_and_as_they_would_be_written_and_every_table_is_in_a_document():
    text = results.path_in().read_text()
    assert len(text.encode()) < results.LARGEST
    assert results.as_text(results.from_text(text)) == text
    assert len((results.ROOT / "docs" / "measurements.md").read_text().splitlines()) <= 210
    written = "".join(path.read_text() for path in pages.documents())
    assert [name for name in TABLES if f"{pages.BEGIN} {name} -->" not in written] == []


# --- tables in documents


TWO = {"one": lambda committed: "| 1.5 |\n", "other": lambda committed: "text\n"}
MARKED = ("Before\n<!-- results: one -->\n<!-- end -->\nbetween\n"
          "<!-- results: other -->\nold\n<!-- end -->\n")
FILLED = ("Before\n<!-- results: one -->\n| 1.5 |\n<!-- end -->\nbetween\n"
          "<!-- results: other -->\ntext\n<!-- end -->\n")


def test_tables_are_written_between_their_markers_and_differences_are_shown(tmp_path):
    root = tree(tmp_path, MARKED, other="nothing\n")
    assert pages.write(TWO, None, root) == ["README.md"]
    assert (root / "README.md").read_text() == FILLED
    assert pages.write(TWO, None, root) == pages.differences(TWO, None, root) == []
    (root / "README.md").write_text(FILLED.replace("1.5", "1.4"))
    (difference,) = pages.differences(TWO, None, root)
    assert difference.startswith("README.md: ")
    assert "- | 1.4 |" in difference and "+ | 1.5 |" in difference


@pytest.mark.parametrize("text, said", [
    ("\n<!-- results: two -->\n<!-- end -->\n", "line 2: no table 'two'; there are: one, other"),
    ("<!-- results: one -->\n| 1.5 |\n", "line 1: '<!-- results: one -->' has no partner"),
    ("<!-- end -->\n", "line 1: '<!-- end -->' has no partner"),
    ("<!-- results: one -->\n<!-- results: other -->\n<!-- end -->\n",
     "line 1: '<!-- results: one -->' has no partner"),
])
def test_a_wrong_marker_is_named(tmp_path, text, said):
    root = tree(tmp_path, text)
    (difference,) = pages.differences(TWO, None, root)
    assert difference.startswith(f"README.md: {said}")
    with pytest.raises(pages.Wrong):
        pages.write(TWO, None, root)
    assert (root / "README.md").read_text() == text


def test_a_table_that_lacks_its_measurements_is_named(tmp_path):
    root = tree(tmp_path, "<!-- results: fork cost -->\n<!-- end -->\n")
    (difference,) = pages.differences(TABLES, of_sections(), root)
    assert difference.startswith("README.md: bench/results.json has no 'fib'")
    for name in ("idle", "joins", "caches", "victims", "strategies"):
        # A section without cases has records that show nothing.
        assert TABLES[f"stacks {name}"](of_sections((f"stacks-{name}", None, []))) == (
            f"`./run bench stacks --figure {name}` measures this.\n")
    assert "--workload locality" in TABLES["locality"](of_sections())


# --- what no document may have


@pytest.mark.parametrize("text, number", [
    *((f"A\n{line}\n", 2) for line in (
        "| fib | 2.5 |", "It takes 2.1 ns.", "It took 3 µs", "1.5 (1.4..1.6)",
        "7.4 times as long", "gives 20 % more", "344 kB")),
    *((text, None) for text in (
        MARKED.replace("old", "| 2.5 ns |"), "```\nsleep 10 s 1.5 ms\n```\n",
        "| Pfeiffer 2020, figures 5.4 and 5.5 |", "version 0.1 of clang 19", "64 KiB of 8 MiB",
        "It runs 3 times.", "| figure 1.4a |"))])
def test_a_figure_outside_the_markers_is_found(tmp_path, text, number):
    found = [line.split(": ")[0] for line in checks.stray_figures(tree(tmp_path, text), {})]
    assert found == ([f"README.md:{number}"] if number else [])


def test_an_exception_holds_for_its_document_and_must_be_needed(tmp_path):
    root = tree(tmp_path, "at most 64 µs\n", other="at most 64 µs\n")
    found = checks.stray_figures(root, {"README.md": ("64 µs", "8 MB")})
    assert found[0] == "checks.py: '8 MB' is not in README.md any more"
    assert found[1].startswith("docs/other.md:1: ") and len(found) == 2


def test_links(tmp_path):
    root = tree(tmp_path,
                "# Top\n[a](docs/other.md#two-words) [b](#top) [c](https://example.org) `[d](x)`\n",
                other="## Two `words`\n")
    assert checks.broken_links(root) == []
    (root / "README.md").write_text("[a](docs/other.md#one) [b](missing.md) [c](#top)\n")
    assert checks.broken_links(root) == [f"README.md: the link to {link} leads nowhere"
                                         for link in ("docs/other.md#one", "missing.md", "#top")]


# --- from records to what is kept


def section(content, name):
    return next(s for s in content["sections"] if s["name"] == name)


def test_of_more_workers_than_cpus_the_memory_is_kept_and_not_the_time(distilled, content):
    pytest.importorskip("scipy")
    fib = content["sections"][0]
    fib["records"] = [{**r, "workers": p, "peak_rss_bytes": int(1e6 + 1e6 * p**0.5)}
                      for r in fib["records"] if r["workers"] == 1
                      for p in ((1,) if r["label"] == "serial" else (1, 2, 4, 8))]
    found = distilled(content)
    assert {c["workers"] for c in section(found, "fib")["cases"]} == {1, 2}
    grown = section(found, "growth")
    assert grown["runs"] == [0]
    invoke = next(c for c in grown["cases"] if c["label"].endswith(" nopal-invoke"))
    assert invoke["mb"] == {"1": 2, "2": 2.41, "4": 3, "8": 3.83}
    assert invoke["n"] == pytest.approx(0.5, abs=0.01)
    table = str(TABLES["growth"](results.Committed(found)))
    assert "| fib(40) |" in table and "0.50 ± 0.00 (2.00 to 3.83 MB)" in table
    assert table.splitlines()[2].endswith("| 0.86 ± 0.08 |")


def test_what_is_kept_is_read_as_it_was_written(recorded):
    recorded["sections"].append({"name": "s", "n": None, "runs": [0], "failures": [], "cases": [
        {"label": "b", "x": [1, 1, 1], "y": {"1": 2.5, "16": [4, 4, 4], "2": [1, 2, 3, 4]}},
        {"label": "a", "workers": 1, "x": [2, 1.5, 3]}]})
    text = results.as_text(recorded)
    assert '"columns":["label","x","y","workers"],"rows":[\n["b",[1],{"1":2.5,"16":[4],' in text
    assert '\n["a",[2,1.5,3],null,1]]}' in text
    assert results.from_text(text) == recorded


def test_tables_of_several_machines_name_them():
    content = {"runs": [{"machine": {"cpu": "Intel(R) Xeon(R) Processor", "processor": "6/167",
                                     "cpus": 2}},
                        {"machine": {"cpu": "AMD EPYC", "processor": "25/97", "cpus": 2}}],
               "libraries": [], "variants": {}, "sections": [
        {"name": name, "n": None, "runs": [run], "failures": [],
         "cases": [{"label": name, "median": 1, "rounds": 1}]}
        for name, run in (("steal_latency", 0), ("idle_cpu", 1))]}
    said = str(TABLES["latencies"](results.Committed(content)))
    assert "| steal_latency | 1.00 | – | – | 1 | Intel Xeon (6/167) |" in said
    assert "| idle_cpu | 1.00 | – | – | 1 | AMD EPYC (25/97) |" in said
    content["sections"][0]["runs"] = [1]
    assert "machine" not in str(TABLES["latencies"](results.Committed(content)))


def test_ratios_are_not_formed_across_files(distilled, content):
    content["sections"] = content["sections"][:1]
    slow = copy.deepcopy(content)
    for r in slow["sections"][0]["records"]:
        r["seconds"] = [2 * s for s in r["seconds"]]
    once, twice = (section(distilled(*contents), "fib")["cases"]
                   for contents in ([content], [content, slow]))
    for a, b in zip(once, twice, strict=True):
        assert a.get("over_serial", [])[1:] == b.get("over_serial", [])[1:]
        assert b["rounds"] == 2 * a["rounds"]


@pytest.mark.parametrize("what, holder, key", [
    ("machines", "machine", "cpu"), ("machines", "machine", "processor"),
    ("machines", "machine", "cpus"), ("versions of g++", "build", "compiler"),
    ("builds of nopal", "peer", "join")])
def test_what_was_measured_on_several_is_not_one_measurement(distilled, content, what, holder, key):
    content["sections"] = content["sections"][:1]
    for r in content["sections"][0]["records"]:
        r["peer"]["join"] = "waitfree"
    other = copy.deepcopy(content)
    for of in [other, *other["sections"][0]["records"]]:
        if holder in of:
            of[holder] = {**of[holder], key: f"{of[holder][key]} (another)"}
    with pytest.raises(Unreadable, match=rf"fib\(40\) was measured on several {re.escape(what)}"):
        distilled(content, other)


def test_a_processor_is_named_by_numbers(tmp_path):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("cpu family\t: 25\nmodel\t\t: 97\nmodel name\t: AMD EPYC\n"
                       "flags\t\t: fpu hypervisor\n")
    described = machine.describe(cpuinfo)
    assert (described["cpu"], described["processor"], described["hypervisor"]) == (
        "AMD EPYC", "25/97", True)
    assert machine.describe(tmp_path / "none")["processor"] == "unknown"


def test_a_failure_is_told_by_its_reason_and_not_by_where_the_build_lies(distilled, content):
    failed = {"label": "nopal-task", "workers": 1, "round": 0,
              "failure": "[Errno 2] No such file: '/home/me/nopal/build/bench/x'"}
    content["sections"] = [{"name": "fib", "n": 40, "records": [failed]}]
    (fib,) = distilled(content)["sections"]
    assert fib["failures"] == [["nopal-task", 1, "[Errno 2] No such file: 'build/bench/x'"]]
    wrong = "FAILED: loop libfork-lazy n=7 workers={}: wrong result: {}, not 21"
    committed = of_sections(("loop", 7, [], ["libfork-lazy", 1, wrong.format(1, 20)],
                             ["libfork-lazy", 2, wrong.format(2, 19)],
                             ["tbb-for", 2, "not done within 8 s"]))
    assert TABLES["failures"](committed).rows == [
        ["wrong result", "loop(7)", "libfork-lazy, P = 1 and 2"],
        ["not done within 8 s", "loop(7)", "tbb-for, P = 2"]]


def test_kept_sections_are_replaced_and_others_stay(recorded):
    before = {**recorded,
              "runs": [{"started": started, "machine": {"cpus": 2}}
                       for started in ("old", "older", "of fib")],
              "sections": [
        {"name": "master", "n": 7, "runs": [1], "failures": [], "cases": []},
        {"name": "fib", "n": 40, "runs": [2], "failures": [], "cases": []}]}
    after = distil.replace(before, recorded)
    assert [run["started"] for run in after["runs"]] == ["older", recorded["runs"][0]["started"]]
    assert [(s["name"], s["runs"]) for s in after["sections"]] == [
        ("master", [0]), ("fib", [1]), ("loop", [1]), ("stacks-reclaim", [1]), ("idle_cpu", [1])]
    assert results.Committed(after).section("fib").case("chili", 2) is not None


# --- the program


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A tree of its own, with the committed results."""
    root = tree(tmp_path, "<!-- results: fork cost -->\n<!-- end -->\n")
    results.path_in(root).parent.mkdir()
    results.path_in(root).write_text(results.path_in().read_text())
    monkeypatch.setattr(checks, "NOT_MEASURED", {})
    return root


def test_check_tells_and_report_writes(copied, capsys):
    assert report_bench.main(["--check"], copied) == 1
    assert "README.md: its tables are not those of bench/results.json" in capsys.readouterr().out
    assert report_bench.main([], copied) == 0
    assert report_bench.main(["--check"], copied) == 0


@pytest.mark.parametrize("size, name", [("paper", "idle_cpu"), ("smoke", "fib"),
                                        ("smoke", "stacks-reclaim")])
def test_keep_takes_what_was_measured_but_no_smoke_test(copied, refused, size, name):
    content = fake.results(size=size)
    content["sections"] = [section(content, name)]
    measured = copied / "measured.json"
    measured.write_text(json.dumps(content))
    arguments = ["--keep", str(measured)], copied
    if size == "smoke":
        assert "says nothing of speed" in refused(report_bench.main, *arguments)
    else:
        assert report_bench.main(*arguments) == 0
        kept = results.read(copied)
        assert kept.run_of(kept.section(name))["started"] == content["started"]
        assert kept.section("fib").cases
