# SPDX-License-Identifier: Apache-2.0
"""The report of a recorded run as a page, and the program that makes it."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

for package in ("numpy", "scipy", "matplotlib"):
    pytest.importorskip(package)

import report_bench  # noqa: E402
from runner.report import build  # noqa: E402
from runner.report.contents import Picture, Text  # noqa: E402
from runner.report.page import page  # noqa: E402
from runner.stacks.figures import FIGURES  # noqa: E402

RECORDED = Path(__file__).with_name("testdata") / "results.json"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The directory of a report of the recorded run."""
    out = tmp_path_factory.mktemp("report")
    assert report_bench.main(["--html", str(RECORDED), "--out", str(out)]) == 0
    return out


class Page(HTMLParser):
    """What the tests want to know of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.references, self.undescribed, self.tags = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.tags.append(tag)
        self.ids += [named["id"]] if "id" in named else []
        self.references += [value
                            for name, value in attributes if name in ("src", "href", "xlink:href")]
        if tag == "svg" and not named.get("aria-label") or tag == "img" and not named.get("alt"):
            self.undescribed.append(attributes)


# --- the page
# --------------------------------------------------------------------------------------------------


def test_all_chapters_are_there_in_order(made):
    seen = Page((made / "report.html").read_text())
    chapters = ["summary", "overhead", "scaling", "grain", "memory", "stacks", "pool", "stm",
                "facts", "everything"]
    assert [i for i in seen.ids if i in chapters] == chapters


def test_the_parts_of_a_chapter_have_headings(made):
    assert "<h3>Pages of stacks (figure 9)</h3>" in (made / "report.html").read_text()


def test_the_page_needs_nothing_beside_it(made):
    text = (made / "report.html").read_text()
    seen = Page(text)
    assert seen.references and all(r.startswith("#") for r in seen.references)
    assert not {"link", "script", "img", "iframe"} & set(seen.tags)
    assert "url(http" not in text and "@import" not in text and "@font-face" not in text


def test_ids_are_unique_and_what_refers_to_them_finds_them(made):
    seen = Page((made / "report.html").read_text())
    assert len(set(seen.ids)) == len(seen.ids)
    assert {r[1:] for r in seen.references} <= set(seen.ids)


def test_every_figure_is_described_has_a_caption_and_is_there_as_png(made):
    seen = Page((made / "report.html").read_text())
    figures = seen.tags.count("svg")
    assert figures > 5 and seen.undescribed == []
    assert seen.tags.count("figcaption") == figures == len(list(made.glob("*.png")))
    assert all(png.read_bytes().startswith(b"\x89PNG") for png in made.glob("*.png"))


def test_colours_follow_the_page_and_text_stays_text(made):
    text = (made / "report.html").read_text()
    assert "var(--lib-nopal)" in text and "var(--ink)" in text and "#010203" not in text
    assert ">nopal-invoke</text>" in text


def test_names_from_records_are_escaped(content, measured):
    content["absent"] = {"<script>": "a & b"}
    content["sections"] = content["sections"][-1:]
    m = measured(content)
    text = page("title", "", [module.part(m) for module in build.PARTS])
    assert "&lt;script&gt;" in text and "a &amp; b" in text and "<script>" not in text


def test_what_is_absent_and_what_failed_is_said_with_the_reason(made):
    text = (made / "report.html").read_text()
    assert "cargo &lt;1.80&gt; not found" in text
    assert "loop(10000000) libfork-lazy, P = 2" in text and "killed by SIGSEGV" in text


def test_a_report_of_nearly_nothing_says_what_would_measure_the_rest(content, measured):
    m = measured({**content, "sections": content["sections"][-1:]})
    parts = {part.key: part for part in (module.part(m) for module in build.PARTS)}
    for key, command in (("summary", "./run bench"), ("overhead", "./run bench --workers 1"),
                         ("scaling", "./run bench --workers 1,2"), ("grain", "--workload master"),
                         ("memory", "--workers 1,2,4,8"),
                         *(("stacks", f"./run bench stacks --figure {name}") for name in FIGURES),
                         ("stacks", "--workload space"), ("stacks", "run_variants.py"),
                         ("pool", "./run bench pool"),
                         ("stm", "./run bench stm")):
        assert command in " ".join(item.text for item in parts[key].items if isinstance(item, Text))
        assert not [item for item in parts[key].items if isinstance(item, Picture)]


# --- the command line -----------------------------------------------------------------------------


@pytest.mark.parametrize("arguments, said", [
    (["--html", "missing.json"], "missing.json: no such file"),
    (["--keep", "missing.json"], "missing.json: no such file"),
    (["some.json"], "only --keep and --html read RESULTS"),
    (["--out", "somewhere"], "--out is for --html"),
    (["--frobnicate"], "unrecognized arguments"),
])
def test_a_wrong_command_line(arguments, said, capsys):
    with pytest.raises(SystemExit) as end:
        report_bench.main(arguments)
    assert end.value.code == 2
    assert said in capsys.readouterr().err


def test_an_output_that_cannot_be_written_is_named(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit) as end:
        report_bench.main(["--html", str(RECORDED), "--out", str(tmp_path / "file")])
    assert end.value.code == 2
    assert "cannot be written" in capsys.readouterr().err
