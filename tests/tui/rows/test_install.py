"""What the screen of an installation says: the verdict, the bars, text of hostile caches."""

from __future__ import annotations

import pytest

from cachetui.analysis.check import Install, install
from cachetui.environments.reader import wanted_specs
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.search.holdings import Holdings
from cachetui.search.index import Index
from cachetui.tui.rows.install import InstallRows, verdict
from tests.support.builds import LINK, Build, index_of_builds

HOST = Host.parse("linux-ubuntu24.04-zen3")
ZLIB = Build("zlib", "1.3")
GONE = Build("gone", "2")
HDF5 = Build("hdf5", "1.14", needs=((ZLIB, LINK),))
APP = Build("app", "1", needs=((HDF5, LINK), (GONE, LINK)))
OLD = Build("old", "1", os="rhel8")
MIXED = Build("mixed", "1", needs=((OLD, LINK),))


def found(index: Index, text: str, query: str = "") -> Install:
    return install(index, wanted_specs(text), Holdings(index, Query.parse(query)), HOST, lambda _: None)


@pytest.mark.parametrize(
    ("text", "query", "said"),
    [
        (f"/{HDF5.hash}", "", "all 2 from binaries, 3.0 kB to download; needs the mirrors develop/e4s and develop/hep"),
        (
            f"/{HDF5.hash}",
            "stack=e4s",
            "1 of 2 from binaries, 1 missing, 3.0 kB to download; needs the mirrors develop/e4s and develop/hep",
        ),
        (f"/{ZLIB.hash}", "", "yes: one binary, and it is here, 3.0 kB to download"),
        (
            f"/{APP.hash}",
            "",
            "3 of 4 from binaries, 1 missing, 3.0 kB to download; "
            "what is here is in the mirrors develop/e4s and develop/hep",
        ),
        (f"/{ZLIB.hash}\nnone-such", "", "yes: one binary, and it is here, no build of 1 root, 3.0 kB to download"),
        ("none-such", "", "no build of 1 root, 3.0 kB to download"),
    ],
)
def test_the_verdict(text: str, query: str, said: str) -> None:
    index = index_of_builds({("develop", "e4s"): [HDF5, APP], ("develop", "hep"): [ZLIB]})
    assert "".join(verdict(found(index, text, query), {"any": 3000}, all_sizes=True)) == said
    assert "download" not in "".join(verdict(found(index, text, query), {"any": 3000}, all_sizes=False))


@pytest.mark.parametrize(
    ("text", "query", "host", "said"),
    [
        (f"/{HDF5.hash}", "", "linux-ubuntu24.04-zen3", "all 2 from binaries; "),
        (f"/{HDF5.hash}", "", "linux-rhel8-zen3", "all 2 from binaries (none of them runs on the host); "),
        (f"/{APP.hash}", "", "linux-rhel8-zen3", "3 of 4 from binaries (none of them runs on the host), 1 missing; "),
        (f"/{MIXED.hash}", "", "linux-rhel8-zen3", "all 2 from binaries (1 of them does not run on the host)"),
        (f"/{ZLIB.hash}", "", "linux-rhel8-zen3", "one binary: it is here, but does not run on the host"),
        (f"/{APP.hash}", "stack=hep", "linux-ubuntu24.04-zen3", "with the mirrors develop/e4s and develop/hep 1 would"),
    ],
)
def test_the_verdict_says_of_which_binaries_it_is_that_they_do_not_run(
    text: str, query: str, host: str, said: str
) -> None:
    index = index_of_builds({("develop", "e4s"): [HDF5, APP], ("develop", "hep"): [ZLIB, MIXED, OLD]})
    answer = install(index, wanted_specs(text), Holdings(index, Query.parse(query)), Host.parse(host), lambda _: None)
    assert said in "".join(verdict(answer, {}, all_sizes=False))


def test_the_largest_binaries_stand_last_and_largest_first() -> None:
    index = index_of_builds({("develop", "e4s"): [HDF5, ZLIB]})
    sizes = {HDF5.hash: 500, ZLIB.hash: 2000, "else": 9000}
    rows = InstallRows(found(index, f"/{HDF5.hash}"), (), "#", lambda each: each[:3], sizes)
    lines = [[cell if isinstance(cell, str) else cell.text for cell in rows.row(k).cells] for k in range(len(rows))]
    assert [line[2].split() for line in lines[-2:]] == [["2.0", "kB", "#" * 24], ["500", "B", "#" * 6]]
    assert rows.find(rows.key(len(rows) - 1)) == len(rows) - 1
    assert rows.subject(len(rows) - 1).hash == HDF5.hash


def test_nothing_of_a_cache_acts_on_the_terminal() -> None:
    evil = Build("e\x1b[2Jvil", "1\n2", needs=((Build("lib\u202e", "\x07", external="/\x1b]0;x\x07"), LINK),))
    index = index_of_builds({("de\x1bv", "st\x07ack"): [evil]})
    answer = found(index, f"/{evil.hash}", "stack=other")
    rows = InstallRows(answer, (), "#", lambda each: "\x1b", {evil.hash: 1})
    cells = [cell if isinstance(cell, str) else cell.text for k in range(len(rows)) for cell in rows.row(k).cells]
    assert all(cell.isprintable() for cell in [*cells, *verdict(answer, {}, all_sizes=True)])
    assert any("\\x1b" in cell for cell in cells)
