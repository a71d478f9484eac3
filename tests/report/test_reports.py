"""Reports: Markdown for a merge request, and an HTML file."""

import re
import shutil
import subprocess
import zlib
from pathlib import Path
from random import Random

import pytest

from cachetui.analysis.coverage import coverage
from cachetui.analysis.diff import diff
from cachetui.analysis.timeline import Moment, Timeline, timeline
from cachetui.query.query import Query
from cachetui.report.coverage import CoverageReport
from cachetui.report.diff import DiffReport
from cachetui.report.formats import written
from cachetui.report.prune import PruneDocument, Removal
from cachetui.report.timeline import TimelineReport
from tests.support.ci import Page
from tests.support.hostile import EVIL, harmless
from tests.support.rows import index_of, row

STACKS = [f"stack{k}" for k in range(6)]


def week_of_changes(packages: int) -> DiffReport:
    """Return the diff of e4s between two weeks, with every kind of change."""
    random = Random(0)
    rows = []
    for k in range(packages):
        for tag in ("old", "new"):
            builds = [row(f"p{k}", f"1.{n}", tag, stacks=["e4s"]) for n in range(random.randrange(4))]
            for build in builds:
                build["stacks"] = random.choice([["e4s"], ["e4s", random.choice(STACKS)], [random.choice(STACKS)]])
                field = random.choice(["os", "target", "compiler", "variants", ""])
                own = {"os": "rhel8", "target": "icelake", "compiler": "gcc@13.2.0", "variants": ["+x"]}
                build |= {field: own[field]} if field else {}
                build["hash"] = "".join(random.choice("abcdefghij234567") for _ in range(32))
            rows += builds * random.randrange(1, 3)
    index = index_of(rows)
    return DiffReport(diff(index, "old", "new", Query.parse("stack=e4s")), index)


def unfolded(text: str) -> list[str]:
    return re.sub(r"^<details>.*?^</details>$", "", text, flags=re.MULTILINE | re.DOTALL).splitlines()


@pytest.mark.parametrize("packages", [3, 40, 400])
def test_markdown_diff_shows_at_most_40_lines_unfolded(packages: int) -> None:
    report = week_of_changes(packages)
    kinds = {change.kind for change in report.found.changes}
    text = "".join(written(report, "markdown"))
    assert len(unfolded(text)) <= 40
    assert packages < 400 or len(kinds) > 7
    assert packages < 40 or f"<summary>{len(report):,} changes</summary>" in text
    table = text.partition("| package | kind |")[2].splitlines()
    assert sum(line.startswith("| ") for line in table) == len(report) + 1


def map_of(counts: dict[str, dict[str, int]]) -> CoverageReport:
    """Return the coverage of a catalogue with the given numbers of builds by package and stack."""
    rows = [
        row(package, f"{stack}{k}", stacks=[stack])
        for package, own in counts.items()
        for stack, number in own.items()
        for k in range(number)
    ]
    index = index_of(rows)
    return CoverageReport(coverage(index, Query()), index)


def test_heat_map_cells_have_count_and_colour_level() -> None:
    page = Page("".join(written(map_of({"zlib": {"a": 1, "b": 100}, "hdf5": {"b": 9}}), "html")))
    assert page.classes()[:8] == ["", "n", "h0", "h3", "", "n", "h1", "h5"]
    cells = " ".join(page.text).split("hdf5")[1].split()
    assert cells == ["9", "·", "9", "zlib", "101", "1", "100", "total", "110", "1", "109"]


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_hostile_content_is_escaped_in_html_and_markdown(form: str) -> None:
    index = index_of([row(EVIL, EVIL, tag, stacks=[EVIL, tag], os=EVIL) for tag in (EVIL, "other")])
    (tag,) = {*index.tags} - {"other"}
    reports = (
        CoverageReport(coverage(index, Query()), index),
        DiffReport(diff(index, "other", tag), index),
        TimelineReport(timeline(index, index.packages[0])),
        TimelineReport(Timeline("</title><script>", (Moment("<b onclick=x>", 1, ("<img src=x>",), ("&lt;",)),) * 6)),
    )
    for report in reports:
        text = "".join(written(report, form))
        harmless(text)
        if form == "html":
            body = "".join(Page(text).text).partition("</style>")[2] or "".join(Page(text).text)
            assert "touch pwned" in body or "<img src=x>" in body
            assert not re.search(r"<script|\bsrc=|\bhref=|url\(|@import", re.sub(r"&lt;.*?&gt;", "", text))


def test_html_file_has_no_urls_or_scripts() -> None:
    text = "".join(written(map_of({"zlib": {"a": 1}}), "html"))
    assert not re.search(r"script|https?:|//|src=|href=|url\(|@import", text)
    assert "default-src 'none'" in text
    for asked in ("light-dark(", "@media print"):
        assert asked in text


# In a browser

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def shown(path: Path, *words: str) -> str:
    """Show a file in Chromium without network; return its standard output."""
    apart = [f"--user-data-dir={path.parent / 'profile'}", "--host-resolver-rules=MAP * ~NOTFOUND", "--no-first-run"]
    plain = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", *apart]
    done = subprocess.run(
        [str(CHROMIUM), *plain, *words, f"file://{path}"], capture_output=True, timeout=60, check=True
    )
    return done.stdout.decode()


def pixels(png: bytes) -> tuple[tuple[int, ...], set[bytes]]:
    """Return the first pixel of a picture, and its different lines."""
    width = int.from_bytes(png[16:20], "big")
    at, data = 8, b""
    while at < len(png):
        length, kind = int.from_bytes(png[at : at + 4], "big"), png[at + 4 : at + 8]
        data += png[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    lines = zlib.decompress(data)
    size = len(lines) // int.from_bytes(png[20:24], "big")
    return tuple(lines[1:4]), {lines[k : k + size] for k in range(0, len(lines), size) if width}


@pytest.fixture
def heat_map(tmp_path: Path) -> Path:
    path = tmp_path / "map.html"
    counts = {f"p{k}": {f"s{n}": (k + 1) * n for n in range(1, 9)} for k in range(12)}
    path.write_text("".join(written(map_of(counts), "html")))
    return path


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_html_page_follows_light_and_dark_mode(heat_map: Path) -> None:
    seen = []
    for dark in (False, True):
        picture = heat_map.with_name(f"{dark}.png")
        scheme = ["--blink-settings=preferredColorScheme=0"] if dark else ["--blink-settings=preferredColorScheme=1"]
        shown(heat_map, *scheme, "--window-size=900,700", f"--screenshot={picture}")
        corner, lines = pixels(picture.read_bytes())
        assert len(lines) > 20
        seen.append(corner)
    assert seen == [(0xFF, 0xFF, 0xFF), (0x16, 0x16, 0x16)]


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_html_heat_map_shows_all_cells(heat_map: Path) -> None:
    read = shown(heat_map, "--dump-dom")
    assert (read.count("<tr>"), read.count("<td"), read.count("</td>")) == (14, 130, 130)
    printed = heat_map.with_name("map.pdf")
    shown(heat_map, f"--print-to-pdf={printed}")
    assert printed.read_bytes().startswith(b"%PDF")


def test_removable_spec_without_version_is_listed_by_name() -> None:
    known, unknown = (Removal("hdf5", version, "a" * 32, None, ()) for version in ("1.14", None))
    text = "".join(written(PruneDocument([], [known, unknown], None), "table", 80))
    assert [line.split()[1] for line in text.splitlines() if line.startswith("aaaaaaa")] == ["hdf5@1.14", "hdf5"]
