"""Diffs: the two tags of the sample, one change of each kind, and every build of random catalogues."""

import os
from collections import Counter
from typing import Any

import pytest
from hypothesis import given

from cachetui.analysis.diff import Change, TagDiff, diff
from cachetui.catalogue import Catalogue
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.settings.settings import Settings
from tests.support.places import SAMPLE_CONTENT
from tests.support.random_rows import CATALOGUES, build
from tests.support.rows import index_of, row

OLD, NEW = "develop-2025-04-20", "develop"
FIELDS = ("version", "compiler", "os", "platform", "target", "variants")
SPELLINGS = {"gcc@=11.4.0": "gcc@11.4.0", "oneapi@2024.1": "intel-oneapi-compilers@2024.1"}


@pytest.fixture(scope="module")
def sample() -> Index:
    return Catalogue(SAMPLE_CONTENT, Settings(os.environ), index_cache=False).load()


def between(old: list[dict[str, Any]], new: list[dict[str, Any]], query: str = "") -> TagDiff:
    """Return the diff of two tags with the given rows."""
    rows = [{**each, "tag": tag} for tag, side in ((OLD, old), (NEW, new)) for each in side]
    return diff(index_of(rows), OLD, NEW, Query.parse(query))


def brief(changes: tuple[Change, ...]) -> list[tuple[object, ...]]:
    return [(change.kind, change.old, change.new, change.specs) for change in changes]


def test_diff_of_sample_tags_lists_known_changes(sample: Index) -> None:
    found = diff(sample, OLD, NEW, Query.parse("py-ml-dtypes"))
    assert (found.unchanged, found.rebuilt) == (12, 0)
    assert brief(found.changes) == [
        ("added", None, "@0.3.1 %gcc@11.4.0 arch=linux-ubuntu22.04-neoverse_v1", 3),
        ("added", None, "@0.4.0 %gcc@11.4.0 arch=linux-ubuntu22.04-neoverse_v1", 3),
        *(("count", old, new, new - old) for old, new in ((1, 8), (1, 11), (1, 14), (3, 30), (6, 60))),
    ]
    assert found.stacks_gained == found.stacks_absent == ("e4s-neoverse_v1",)
    assert tuple(diff(sample, OLD, NEW).packages["new"]) == ("py-mpi4py", "py-pdm-backend", "py-safetensors")
    back = diff(sample, NEW, OLD)
    assert tuple(back.packages["gone"]) == ("py-mpi4py", "py-pdm-backend", "py-safetensors")
    assert back.stacks_lost == diff(sample, OLD, NEW).stacks_gained
    assert not diff(sample, NEW, NEW)


@pytest.mark.parametrize(
    ("before", "after", "kind", "old", "new"),
    [
        ({"version": "1.12"}, {"version": "1.14"}, "version", "1.12", "1.14"),
        ({"version": "1.14"}, {"version": "1.9"}, "version", "1.14", "1.9"),
        ({"target": "x86_64_v3"}, {"target": "zen4"}, "target", "x86_64_v3", "zen4"),
        ({"os": "rhel8"}, {"os": "rhel9"}, "os", "rhel8", "rhel9"),
        ({"compiler": "gcc@=11.4.0"}, {"compiler": "gcc@13.2.0"}, "compiler", "gcc@11.4.0", "gcc@13.2.0"),
        ({"variants": ["+mpi", "~cuda"]}, {"variants": ["~cuda", "~mpi"]}, "variants", "+mpi", "~mpi"),
        ({"variants": ["+mpi"]}, {"variants": ["+mpi", "api=v1"]}, "variants", None, "api=v1"),
        ({"stacks": ["e4s", "hep"]}, {"stacks": ["e4s"]}, "stacks", "hep", None),
    ],
)
def test_change_of_a_single_field_is_listed_under_this_field(
    before: dict[str, Any], after: dict[str, Any], kind: str, old: str | None, new: str | None
) -> None:
    other = row("zlib", stacks=["e4s", "hep"])
    found = between([row(**before), other], [row(**after), other])
    assert brief(found.changes) == [(kind, old, new, 1)]
    assert found.changes[0].package == "hdf5"
    assert found


ARCH = "arch=linux-ubuntu22.04-x86_64_v3"
STAYS = row("hdf5", "2", stacks=["e4s"])


@pytest.mark.parametrize(
    ("old", "new", "query", "changes"),
    [
        ([row(stacks=["e4s"])], [row(stacks=["e4s", "root"])], "", []),
        (
            [row(version="1", os="rhel8")],
            [row(version="2", os="rhel9")],
            "",
            [
                ("removed", "@1 %gcc@11.4.0 arch=linux-rhel8-x86_64_v3", None, 1),
                ("added", None, "@2 %gcc@11.4.0 arch=linux-rhel9-x86_64_v3", 1),
            ],
        ),
        (
            [row(compiler="gcc@11.4.0")],
            [row(compiler="clang@15.0.0"), row(compiler="gcc@13.2.0")],
            "",
            [("compiler", "gcc@11.4.0", "gcc@13.2.0", 1), ("added", None, f"@1.14.3 %llvm@15.0.0 {ARCH}", 1)],
        ),
        (
            [row(version="1.12", hash=letter * 32) for letter in "abc"],
            [row(version="1.14", hash=letter * 32) for letter in "defg"],
            "",
            [("version", "1.12", "1.14", 3), ("added", None, f"@1.14 %gcc@11.4.0 {ARCH}", 1)],
        ),
        (
            [row(version=version) for version in ("1.9", "1.10")],
            [row(version=version) for version in ("1.11", "1.12")],
            "",
            [("version", "1.9", "1.11", 1), ("version", "1.10", "1.12", 1)],
        ),
        (
            [row(compiler="oneapi@=2024.2.1", variants=["+mpi", "api:=v1", "languages:='c,c++'", "cuda_arch=70,80"])],
            [
                row(
                    compiler="intel-oneapi-compilers@2024.2.1",
                    variants=["languages=c++,c", "api=v1", "+mpi", "cuda_arch=80,70"],
                )
            ],
            "",
            [],
        ),
        (
            [row(hash=letter * 32) for letter in "abc"],
            [row(hash=letter * 32) for letter in "cdefg"],
            "",
            [("count", 3, 5, 2)],
        ),
        (
            [row("zlib", stacks=["hep", "e4s"]), row(version="1", stacks=["hep", "root"])],
            [row("zlib", stacks=["hep", "e4s"]), row(version="2", stacks=["e4s", "root"])],
            "",
            [("removed", f"@1 %gcc@11.4.0 {ARCH}", None, 1), ("added", None, f"@2 %gcc@11.4.0 {ARCH}", 1)],
        ),
        (
            [row(version="1", stacks=stacks) for stacks in (["e4s"], ["hep"], [])],
            [row(version="2", stacks=["hep"]), row(version="3", stacks=["e4s"]), row(version="4", stacks=["root"])],
            "",
            [("version", "1", version, 1) for version in ("2", "3", "4")],
        ),
        ([row(version="1", stacks=[])], [row(version="2", stacks=["e4s"])], "", [("version", "1", "2", 1)]),
        ([STAYS, row(stacks=["e4s"])], [STAYS, row(stacks=["hep"])], "stack=e4s", [("stacks", "e4s", "hep", 1)]),
    ],
    ids=[
        *(
            "root is not a stack",
            "two different fields",
            "most similar builds",
            "equal numbers of builds",
            "newest with newest version",
            "different spellings",
        ),
        *("number of builds", "a different stack", "shared stack first", "without stacks", "removed from a stack"),
    ],
)
def test_diff_pairs_most_similar_builds_as_one_change(
    old: list[dict[str, Any]], new: list[dict[str, Any]], query: str, changes: list[tuple[object, ...]]
) -> None:
    assert brief(between(old, new, query).changes) == changes


def test_changed_number_of_builds_is_listed_with_their_variants() -> None:
    plain, static = ["+mpi", "~shared"], ["+mpi", "+shared", "api=v1"]
    old = [row(variants=plain, hash="a" * 32), row(variants=static, hash="b" * 32)]
    more = [row(variants=plain, hash="c" * 32), row("zlib", hash="d" * 32), row("zlib", hash="e" * 32)]
    found = between([*old, row("zlib")], [*old, *more])
    arch = "@1.14.3 %gcc@11.4.0 arch=linux-ubuntu22.04-x86_64_v3"
    assert [(change.package, change.build, change.stacks) for change in found.changes] == [
        ("hdf5", f"{arch} ~shared", ("e4s",)),
        ("zlib", arch, ("e4s",)),
    ]


def test_diff_reports_removal_from_a_single_stack_separately() -> None:
    old = [row(stacks=["e4s"]), row("zlib", stacks=["e4s", "hep"]), row("zfp", stacks=["e4s"])]
    new = [row("zlib", stacks=["hep"]), row("zfp", stacks=["e4s"])]
    found = between(old, new, "stack=e4s")
    assert (found.packages["gone"], found.packages["gone_here"]) == ({"hdf5": [0]}, {"zlib": [4]})
    assert found.headings["gone_here"] == "packages removed from e4s"
    back = between(new, old, "stack=e4s")
    assert (list(back.packages["new"]), list(back.packages["new_here"])) == (["hdf5"], ["zlib"])
    assert between(old, new).packages["gone_here"] == {}
    at_hand = between([row(os="rhel8")], [row(os="rhel9")], "os=rhel8")
    assert list(at_hand.packages["gone_here"]) == ["hdf5"]
    assert at_hand.headings["gone_here"] == "packages removed from the matches of the query"


def test_diff_reports_a_new_stack_only_once() -> None:
    old = [row(stacks=["e4s"]), row("zlib", stacks=["e4s"]), row("zfp", stacks=["hep"])]
    new = [row(stacks=["e4s", "tutorial"]), row("zlib", stacks=["tutorial"]), row("zfp", stacks=["hep"])]
    found = between(old, new)
    assert brief(found.changes) == [("stacks", "e4s", None, 1)]
    assert found.stacks_gained == found.stacks_absent == ("tutorial",)
    assert between(old, new, "hdf5").changes == ()
    assert between(old, new, "zfp stack!=tutorial").stacks_absent == ("tutorial",)
    of_zlib = between(old, new, "zlib")
    assert (of_zlib.stacks_lost, of_zlib.stacks_absent) == (("e4s",), ("tutorial",))


def signature(each: dict[str, Any]) -> tuple[object, ...]:
    variants = frozenset(variant.replace(":=", "=") for variant in each["variants"])
    compiler = SPELLINGS.get(each["compiler"], each["compiler"])
    return (*each["versions"], compiler, each["os"], each["platform"], each["target"], variants)


@given(CATALOGUES)
def test_diff_counts_every_build_exactly_once(rows: list[dict[str, Any]]) -> None:
    index = index_of(rows)
    found = diff(index, OLD, NEW)
    sides: dict[str, dict[str, dict[tuple[object, ...], set[object]]]] = {OLD: {}, NEW: {}}
    for number, each in enumerate(rows):
        if each["tag"] in sides:
            builds = sides[each["tag"]].setdefault(each["package"], {})
            builds.setdefault(signature(each), set()).add(build(each, number))
    old, new = sides[OLD], sides[NEW]
    assert set(found.packages["gone"]) == old.keys() - new.keys()
    assert set(found.packages["new"]) == new.keys() - old.keys()
    unchanged = rebuilt = 0
    for package in old.keys() & new.keys():
        before, after = old[package], new[package]
        both = before.keys() & after.keys()
        same = sum(len(before[key] & after[key]) for key in both)
        again = sum(min(len(before[key]), len(after[key])) for key in both) - same
        unchanged, rebuilt = unchanged + same, rebuilt + again
        changes = [change for change in found.changes if change.package == package]
        pairs = Counter((len(before[key]), len(after[key])) for key in both)
        counts = {(change.old, change.new): change.specs for change in changes if change.kind == "count"}
        assert counts == {(was, now): abs(now - was) * times for (was, now), times in pairs.items() if was != now}
        moved = [change for change in changes if change.kind not in ("count", "stacks")]
        assert sum(len(change.old_rows) for change in moved) == sum(len(before[key]) for key in before.keys() - both)
        assert sum(len(change.new_rows) for change in moved) == sum(len(after[key]) for key in after.keys() - both)
        check_pairs(index, moved)
    assert (found.unchanged, found.rebuilt) == (unchanged, rebuilt)


def check_pairs(index: Index, moved: list[Change]) -> None:
    """Check that each pair shares a stack and differs only in its named field, and that no other such pair exists."""

    def of(number: int) -> tuple[object, ...]:
        spec = index.spec(number)
        return signature({**{name: getattr(spec, name) for name in FIELDS}, "versions": [spec.version]})

    def differing(one: int, other: int) -> list[str]:
        return [name for name, a, b in zip(FIELDS, of(one), of(other), strict=True) if a != b]

    def apart(one: int, other: int) -> bool:
        stacks, others = (set(index.spec(number).stacks) - {"root"} for number in (one, other))
        return bool(stacks and others and not stacks & others)

    for change in moved:
        if change.kind not in ("removed", "added"):
            assert len(change.old_rows) == len(change.new_rows) == change.specs
            for one, other in zip(change.old_rows, change.new_rows, strict=True):
                assert differing(one, other) == [change.kind]
                assert not apart(one, other)
    gone = [number for change in moved if change.kind == "removed" for number in change.old_rows]
    came = [number for change in moved if change.kind == "added" for number in change.new_rows]
    assert all(len(differing(one, other)) > 1 or apart(one, other) for one in gone for other in came)
