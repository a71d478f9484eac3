"""Targets: facts of archspec."""

from __future__ import annotations

import pytest

from cachetui.model.targets import ancestors, family, nearest_targets


@pytest.mark.parametrize(
    ("target", "ancestor", "holds"),
    [
        ("zen3", "x86_64_v3", True),
        ("zen3", "haswell", False),
        ("zen3", "x86_64_v4", False),
        ("icelake", "skylake_avx512", True),
        ("skylake_avx512", "x86_64_v4", True),
        ("neoverse_v1", "armv8.4a", True),
        ("m1", "armv8.4a", True),
        ("neoverse_v2", "neoverse_v1", False),
        ("x86_64", "x86_64", True),
    ],
)
def test_ancestry(target: str, ancestor: str, holds: bool) -> None:
    known = ancestors(target)
    assert known is not None
    assert (ancestor in known) is holds


def test_a_root_is_its_own_only_ancestor() -> None:
    assert ancestors("aarch64") == frozenset({"aarch64"})


def test_an_unknown_target_has_no_ancestry() -> None:
    assert ancestors("zen33") is None
    assert family("zen33") is None
    assert "zen3" in nearest_targets("zen33")


def test_none_is_near_that_a_nearer_one_begins_with() -> None:
    near = [nearest_targets(name) for name in ("zn3", "skylake_avx52", "skylak")]
    assert near == [["zen3"], ["skylake_avx512"], ["skylake", "skylake_avx512"]]


def test_families() -> None:
    assert [family(target) for target in ("zen3", "m1", "power9le", "i686")] == [
        "x86_64",
        "aarch64",
        "ppc64le",
        "x86",
    ]
