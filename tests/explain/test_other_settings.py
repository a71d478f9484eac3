"""What is said of a variant that a package has, though never as it was asked for."""

from __future__ import annotations

import pytest

from cachetui.explain.completion import completions
from cachetui.explain.mending import mended, words_to_mend
from cachetui.explain.unknown_values import unknown_values
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.search.results import Results
from tests.support.rows import index_of, row

VARIANTS = (
    ("~threadsafe", "~hl", "build_type=Release", "cxxstd=17", "libs=shared,static", "api=default", "cuda_arch=90a"),
    ("~threadsafe", "build_type=RelWithDebInfo", "cxxstd=20", "libs=shared", "api=v110", "cuda_arch=70,80"),
    ("~threadsafe", "build_type=RelWithDebInfo", "cxxstd=11", "libs=static", "api=v110", "cuda_arch=80"),
    ("~threadsafe", "build_type=MinSizeRel", "cxxstd=14", "libs=shared,static", "api=default", "+fast"),
)


@pytest.fixture(scope="module")
def index() -> Index:
    return index_of([*(row("hdf5", variants=each) for each in VARIANTS), row("zlib", variants=("+shared",))])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hdf5 +threadsafe", "no hdf5 with +threadsafe: all have ~threadsafe"),
        ("hdf5 +hl", "no hdf5 with +hl: all that say so have ~hl"),
        ("+threadsafe", "no spec with +threadsafe: all that say so have ~threadsafe"),
        ("~shared", "no spec with ~shared: all that say so have +shared"),
        ("zlib ~shared", "no zlib with ~shared: all have +shared"),
        (
            "hdf5 build_type=Debug",
            "no hdf5 with build_type=Debug: there is build_type=RelWithDebInfo, Release, MinSizeRel",
        ),
        ("hdf5 build_type=Relase", "hdf5 has no variant build_type=Relase; nearest: build_type=Release"),
        ("hdf5 build_type=release", "hdf5 has no variant build_type=release; nearest: build_type=Release"),
        ("hdf5 cxxstd=23", "no hdf5 with cxxstd=23: there is cxxstd=17, 20, 11 and 1 more"),
        ("hdf5 cxxstd=177", "no hdf5 with cxxstd=177: there is cxxstd=17, 20, 11 and 1 more"),
        ("hdf5 cuda_arch=90", "no hdf5 with cuda_arch=90: there is cuda_arch=80, 90a, 70"),
        (
            "hdf5 cuda_arch=70,90a",
            "no hdf5 with cuda_arch=70,90a: there is cuda_arch=90a, cuda_arch=70,80, cuda_arch=80",
        ),
        ("hdf5 libs=shraed", "hdf5 has no variant libs=shraed; nearest: libs=shared"),
        ("hdf5 libs=shraed,static", "hdf5 has no variant libs=shraed,static; nearest: libs=shared,static"),
        ("hdf5 cuda_arch=70,09a", "no hdf5 with cuda_arch=09a,70: there is cuda_arch=80, 90a, 70"),  # not together
        ("hdf5 api=v101", "hdf5 has no variant api=v101; nearest: api=v110"),
        ("hdf5 +api", "no hdf5 with +api: there is api=default, api=v110"),
        ("hdf5 fast=on", "no hdf5 with fast=on: all that say so have +fast"),
    ],
)
def test_of_a_variant_that_is_there_it_is_said_what_there_is_of_it(index: Index, text: str, said: str) -> None:
    assert [value.phrase for value in unknown_values(index, Query.parse(text))] == [said]


@pytest.mark.parametrize("text", ["hdf5 +threadsafe", "+threadsafe", "hdf5 build_type=Debug", "hdf5 cuda_arch=90"])
def test_another_setting_is_another_wish_and_no_slip(index: Index, text: str) -> None:
    results = Results.of(index, Query.parse(text, fuzzy_name=True))
    assert not mended(results)[1]
    assert not words_to_mend(index, results.query)


def test_no_sign_is_offered_behind_a_sign(index: Index) -> None:
    offered = [each.put_in("hdf5 +threadsafe") for each in completions(index, "hdf5 +threadsafe", 16)]
    assert not [text for text in offered if "+~" in text]
