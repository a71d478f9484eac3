"""Timeline: the builds of a package in each tag, and the added and removed versions and stacks."""

from cachetui.analysis.timeline import timeline
from tests.support.rows import index_of, row

WEEKS = ("develop-2025-05-04", "develop-2025-05-11", "develop-2025-05-18", "develop-2025-05-25")

INDEX = index_of(
    [
        row(version="1.12", tag=WEEKS[0], stacks=["e4s", "root"]),
        row(version="1.12", tag=WEEKS[1], stacks=["e4s", "hep", "root"]),
        row(version="1.14", tag=WEEKS[1], stacks=["e4s", "root"], os="rhel8"),
        row(version="1.14", tag=WEEKS[2], stacks=["e4s", "root"]),
        row(version="1.10", tag="v0.21.0", stacks=["e4s"]),
        row(version="1.10", tag="v0.22.0", stacks=["e4s"]),
        row(version="1.16", tag="develop", stacks=["e4s"]),
        row("zlib", tag=WEEKS[3]),
        row("zlib", tag="untagged", stacks=["tutorial"]),
    ]
)


def test_timeline_lists_tags_with_versions_and_stacks() -> None:
    found = timeline(INDEX, "hdf5")
    assert [(moment.tag, moment.specs) for moment in found.tags] == [
        ("develop", 1),
        ("v0.22.0", 1),
        ("v0.21.0", 1),
        (WEEKS[3], 0),
        (WEEKS[2], 1),
        (WEEKS[1], 2),
        (WEEKS[0], 1),
        ("untagged", 0),
    ]
    assert found.tags[5].versions == ("1.14", "1.12")
    assert found.tags[5].stacks == ("e4s", "hep")


def test_timeline_shows_added_and_removed_versions_and_stacks() -> None:
    changes = {moment.tag: (moment.appeared, moment.vanished) for moment in timeline(INDEX, "hdf5").tags}
    assert changes[WEEKS[1]] == (("1.14", "hep"), ())
    assert changes[WEEKS[2]] == ((), ("1.12", "hep"))
    assert changes[WEEKS[3]] == ((), ("1.14", "e4s"))
    assert changes["develop"] == (("1.16", "e4s"), ())
    assert changes[WEEKS[0]] == changes["v0.22.0"] == changes["untagged"] == ((), ())
