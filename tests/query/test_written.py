"""Pairs of spec strings, compared with `satisfies` and `intersects` of real Spack."""

import json
from typing import Any

import pytest

from cachetui.query.query import Query
from cachetui.query.terms import contradict, satisfies
from tests.support.places import QUERIES

PAIRS = json.loads((QUERIES / "written.json").read_text())["pairs"]

MEETING = ("zlib os=rhel9", "zlib os=*")
"""They conflict only in Spack, which compares the star as a name."""


def relations(one: str, other: str) -> tuple[bool, bool]:
    left, right = (Query.parse(text, has_graph=True).terms for text in (one, other))
    return satisfies(left, right), not contradict(left, right)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['left']} | {pair['right']}")
def test_spec_strings_satisfy_and_intersect_each_other_like_in_spack(pair: dict[str, Any]) -> None:
    one, other = pair["left"], pair["right"]
    assert relations(one, other) == (pair["satisfies"], pair["intersects"] or (one, other) == MEETING)


@pytest.mark.parametrize(
    ("one", "other", "implies", "meets"),
    [
        ("hdf5 ^mpich", "hdf5 ^mpi", False, True),
        ("hdf5 ^mpi=mpich@4", "hdf5 ^mpi", True, True),
        ("hdf5 ^mpi=mpich@4", "hdf5 ^mpi@3:", False, True),
        ("hdf5 ^mpich", "hdf5 ^mpi=mpich", False, True),
        ("zlib %gcc", "zlib %c=gcc", False, True),
        ("zlib %c=gcc@12", "zlib %c=gcc@13", False, False),
        ("zlib %gcc@12", "zlib %[when=%gcc@13] cmake", True, True),
        ("hdf5~mpi", "hdf5 %[when=+mpi] mpich", True, True),
        ("hdf5", "hdf5 %[when=+mpi] mpich", False, True),
        ("hdf5 %[when=+mpi] mpich", "hdf5 %mpich", False, True),
        ("hdf5 ^[deptypes=build,link] zlib", "hdf5 ^[deptypes=link] zlib", True, True),
        ("hdf5 ^zlib", "hdf5 ^[deptypes=link] zlib", False, True),
        ("hdf5 ^lab.zlib", "hdf5 ^zlib", True, True),
        ("hdf5 ^lab.zlib", "hdf5 ^builtin.zlib", False, True),
        ("+shared", "++shared", True, True),
        ("a:=70", "a=70", True, True),
        ("a=70", "a:=80", False, False),
        ("a:=70,80", "a=70", True, True),
        ("target=:zen3", "target=zen4", False, False),
        ("target=x86_64_v3:", "target=x86_64:zen4", True, True),
        ("@git.v1", "@1.2", False, True),
        ("@git.v1=1.2", "@git.v1", True, True),
        ("@git.v1", "@git.v2", False, False),
        ("@:1.2", "@1.3:", False, False),
        ("@:1.2", "@1.2.9:1.4", False, True),
        ("@1.2,1.4", "@=1.4.1", False, True),
        ("+a os=x", "os=x,y", True, True),
        ("zlib", "hdf5", False, False),
        ("/abcdef", "/abc", True, True),
        ("/abc", "/abcdef", False, True),
    ],
)
def test_spec_string_satisfies_or_intersects_another_as_expected(
    one: str, other: str, implies: bool, meets: bool
) -> None:
    assert relations(one, other) == (implies, meets)
