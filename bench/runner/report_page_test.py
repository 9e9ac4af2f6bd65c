# SPDX-License-Identifier: Apache-2.0
"""The report of a recorded run as a page, and the program that makes it."""

import json
import re

import pytest

for package in ("numpy", "scipy", "matplotlib"):
    pytest.importorskip(package)

import report_bench  # noqa: E402
from runner import fake, memory  # noqa: E402
from runner.charts import Bars, Lines  # noqa: E402
from runner.committed import results  # noqa: E402
from runner.pool.figures import FIGURES as POOL  # noqa: E402
from runner.report import chapters, draw, page  # noqa: E402
from runner.stacks.figures import FIGURES  # noqa: E402


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The directory of a report of a small run."""
    out = tmp_path_factory.mktemp("report")
    measured = out / "measured.json"
    measured.write_text(json.dumps(fake.results()))
    assert report_bench.main(["--html", str(measured), "--out", str(out)]) == 0
    return out


def test_all_chapters_are_there_in_order_and_linked(made):
    text = (made / "report.html").read_text()
    ids = re.findall(r'<section id="([^"]+)">', text)
    assert ids == ["summary", "overhead", "scaling", "grain", "memory", "stacks", "pool", "stm",
                   "latencies", "facts"]
    assert re.findall(r'href="([^"]+)"', text) == [f"#{key}" for key in ids]


def test_the_page_needs_nothing_but_its_pictures_which_are_described(made):
    text = (made / "report.html").read_text()
    assert not re.search(r"<link|<script|<iframe|url\(", text)
    pictures = dict(re.findall(r'<img src="([^"]+)" alt="([^"]+)">', text))
    assert set(pictures) == {path.name for path in made.glob("*.svg")} and len(pictures) > 3
    assert text.count("<img") == text.count("<figcaption") == len(pictures)
    assert ">nopal-invoke</text>" in (made / "overhead-fib-40.svg").read_text()


def test_a_picture_of_nothing_is_left_out(tmp_path):
    empty = [Bars("a", "c", "x", {"row": {}}), Lines("b", "c", "x", "y", {})]
    names = page.write("", "", [page.Chapter("key", "title", empty)], tmp_path)
    assert names == ["report.html"] and "<img" not in (tmp_path / "report.html").read_text()


def test_names_from_records_are_escaped(content, distilled, tmp_path):
    found = distilled({**content, "sections": content["sections"][-1:]})
    found["sections"][0]["failures"] = [["<script>", 1, "a & b"]]
    page.write("title", "", chapters.chapters(results.Committed(found)), tmp_path)
    text = (tmp_path / "report.html").read_text()
    assert "&lt;script&gt;" in text and "a &amp; b" in text and "<script>" not in text


def test_what_failed_is_said_with_the_reason(made):
    text = (made / "report.html").read_text()
    assert "<td>killed by SIGSEGV</td><td>loop(7)</td><td>libfork-lazy, P = 2</td>" in text


def test_a_report_of_nearly_nothing_says_what_would_measure_the_rest(content, distilled):
    found = results.Committed(distilled({**content, "sections": content["sections"][-1:]}))
    made = {c.key: " ".join(item for item in c.items if isinstance(item, str))
            for c in chapters.chapters(found)}
    for figure in FIGURES:
        assert f"./run bench stacks --figure {figure}" in made["stacks"]
    for name in POOL:
        assert f"./run bench pool --figure {name}" in made["pool"]
    assert "no 'fib'" in made["overhead"] and "no 'stm-contention'" in made["stm"]


def test_pictures_of_the_kept_results_have_names_of_their_own_and_are_described():
    """Drawing them all takes half a minute; what each shows is there without."""
    charts = [item for c in chapters.chapters(results.read()) for item in c.items
              if isinstance(item, (Bars, Lines))]
    assert len({chart.name for chart in charts}) == len(charts) > 90
    assert all(chart.alt for chart in charts)


@pytest.mark.parametrize("chart, scale, said", [
    (Bars("a", "c", "ratio", {"x": {"P = 1": [2, 1, 3]}, "y": {"P = 1": 1.5}}, 1), "linear",
     "Bars: ratio. x: P = 1 2.00; y: P = 1 1.50"),
    (Bars("a", "c", "ratio", {"x": {"a": 100, "b": 1}}, 1), "log", "Bars: ratio. x: a 100, b 1.00"),
    (Bars("a", "c", "swaps", {"x": {"a": 100, "b": 0}}), "linear", "Bars: swaps. x: a 100, b 0"),
    (Lines("a", "c", "n", "time", {"x": {1: [2, 1, 3], 4: 2.0, 16: 1.0}}, cpus=(2, 2), line=1,
           fits={"x": lambda at: at}), "linear",
     "Lines: time against n. x: 1 2.00, 4 2.00, 16 1.00"),
    (Lines("a", "c", "p/c", "rate", {"x": {"1/2": 100, "2/1": 1}}), "log",
     "Lines: rate against p/c. x: 1/2 100, 2/1 1.00"),
])
def test_a_picture_says_what_it_shows_and_takes_a_logarithm_where_it_needs_one(chart, scale, said):
    ax = draw.drawn(chart).axes[0]
    assert chart.alt == said
    assert (ax.get_xscale() if isinstance(chart, Bars) else ax.get_yscale()) == scale
    assert ["2 CPUs" in [text.get_text() for text in ax.texts]] == [
        isinstance(chart, Lines) and chart.cpus is not None]


# --- the fit of memory to workers


def test_the_fit_finds_the_exponent():
    curve, n, error = memory.fit({p: 3 + 0.5 * 4 * p**0.8 for p in (1, 2, 4, 8, 16)})
    assert n == pytest.approx(0.8, abs=0.01) and error < 0.05
    assert curve(32) == pytest.approx(3 + 2 * 32**0.8, rel=0.01)


@pytest.mark.parametrize("sizes, fitted", [
    ({1: 5, 2: 6, 4: 8}, False), ({2: 5, 4: 6, 8: 8, 16: 12}, False),  # too few, not of one
    ({1: 5, 2: 5, 4: 5, 8: 5}, True), ({1: 5.2, 2: 5.1, 4: 5, 8: 4.9}, True)])  # no growth
def test_where_there_is_nothing_to_fit_there_is_no_exponent(sizes, fitted):
    found = memory.fit(sizes)
    assert found[1:] == (None, None) if fitted else found is None


def test_an_output_that_cannot_be_written_is_named(tmp_path, refused):
    (tmp_path / "file").write_text(json.dumps(fake.results()))
    said = refused(report_bench.main, ["--html", str(tmp_path / "file"), "--out",
                                       str(tmp_path / "file")])
    assert "cannot be written" in said
