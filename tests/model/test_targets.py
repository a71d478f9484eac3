"""Targets: facts of archspec."""

from __future__ import annotations

import pytest

from cachetui.model.targets import ancestors, nearest_targets


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


def test_none_is_near_that_a_nearer_one_begins_with() -> None:
    near = [nearest_targets(name) for name in ("zn3", "skylake_avx52", "skylak")]
    assert near == [["zen3"], ["skylake_avx512"], ["skylake", "skylake_avx512"]]
