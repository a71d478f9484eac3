"""Whether what is typed behind a query of before begins a part of its own."""

from __future__ import annotations

import pytest

from cachetui.explain.next_part import begins_part


@pytest.mark.parametrize(
    ("old", "typed", "is_part"),
    [
        ("hdf5", "%", True),
        ("hdf5 +mpi", "~", True),
        ("hdf5@1.14", "+", True),
        ("hdf5", "@", False),
        ("hdf5 cxxstd=c", "+", False),
        ("hdf5 cxxstd=c %gcc", "+", True),
        ("hdf5", "os=", True),
        ("hdf5 os", "=", False),
    ],
)
def test_a_sign_begins_a_part_but_within_a_value(old: str, typed: str, is_part: bool) -> None:
    assert begins_part(None, old, typed) is is_part
