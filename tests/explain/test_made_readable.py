"""What is put in place of two parts of a typed line that cannot stand beside each other."""

from __future__ import annotations

import pytest

from cachetui.explain.completion import Completion, completions
from cachetui.explain.made_readable import surely_meant, way_put_in, ways_together
from cachetui.explain.typed_text import typed_query
from cachetui.query.errors import QueryError
from cachetui.search.index import Index
from tests.support.builds import LINK, Build, index_of_builds
from tests.support.rows import index_of, row

ARCH = "arch=linux-ubuntu22.04-x86_64_v3"


@pytest.fixture(scope="module")
def index() -> Index:
    variants = ("+mpi", "cuda_arch=70,80", "build_type=Release")
    return index_of(
        [
            row("hdf5", version="1.14.3", os="ubuntu22.04", target="x86_64_v3", variants=variants),
            row(version="1.12.2", os="almalinux8", compiler="gcc@12.1.0", variants=("~mpi", "build_type=Debug")),
            row("zlib", target="zen3", variants=("+mpi", "~mpi_thread")),
        ]
    )


def refused(index: Index, text: str) -> QueryError:
    """Why a line cannot be read."""
    with pytest.raises(QueryError) as found:
        typed_query(index, text)
    return found.value


@pytest.mark.parametrize(
    ("text", "mended", "way"),
    [
        ("os=ubuntu22.04 os=almalinux8", "os=ubuntu22.04,almalinux8", "puts in os=ubuntu22.04,almalinux8"),
        ("os=ubuntu22.04 os=ubuntu22.04", "os=ubuntu22.04", "leaves one os=ubuntu22.04"),
        ("os=rhel8,almalinux8 os=almalinux8 +mpi", "os=rhel8,almalinux8 +mpi", "puts in os=rhel8,almalinux8"),
        ("os='ubuntu22.04' os=almalinux8", "os=almalinux8,ubuntu22.04", "puts in os=almalinux8,ubuntu22.04"),
        ("target=zen2: target=x86_64_v3", "target=zen2:,x86_64_v3", "puts in target=zen2:,x86_64_v3"),
        ("compiler=gcc@11 compiler=gcc@12.1.0", "compiler=gcc@11,gcc@12.1.0", "puts in compiler=gcc@11,gcc@12.1.0"),
        ("hdf5@1.14 +mpi @1.12.2", "hdf5@1.14,1.12.2 +mpi", "puts in @1.14,1.12.2 +mpi"),
        ("%gcc@11 %gcc@12", "%gcc@11,12", "puts in %gcc@11,12"),
        ("%gcc %gcc@12", "%gcc@12", "puts %gcc@12 in place of %gcc"),
        ("cuda_arch=70 cuda_arch=80", "cuda_arch=70,80", "puts in cuda_arch=70,80"),
        (
            "build_type=Release build_type=Debug",
            "build_type=Debug",
            "puts build_type=Debug in place of build_type=Release",
        ),
        ("hdf5 +mpi ~mpi", "hdf5 ~mpi", "puts ~mpi in place of +mpi"),
        ("hdf5+mpi~mpi %gcc", "hdf5~mpi %gcc", "puts ~mpi in place of +mpi"),
        ("+mpi +mpi", "+mpi", "leaves one +mpi"),
        (f"os=ubuntu22.04 {ARCH}", ARCH, f"puts {ARCH} in place of os=ubuntu22.04"),
        (f"os=rhel8 +mpi target=zen3 {ARCH}", f"{ARCH} +mpi", f"puts {ARCH} in place of os=rhel8 and target=zen3"),
        (
            f"{ARCH} os=almalinux8",
            "platform=linux os=almalinux8 target=x86_64_v3",
            "puts os=almalinux8 in place of os=ubuntu22.04",
        ),
    ],
)
def test_one_list_or_what_was_typed_last_is_meant(index: Index, text: str, mended: str, way: str) -> None:
    error = refused(index, text)
    meant = surely_meant(index, text, error)
    assert meant is not None
    assert meant.completion.put_in(text) == mended
    first = next(ways_together(index, text, len(text), error, lambda _text, _cursor: ()))
    assert first == meant.completion
    assert way_put_in(index, text, error, first, error.message) == way


@pytest.mark.parametrize(
    "text",
    [
        "os=ubuntu22.04 os=alm",  # not typed yet
        "os=ubuntu22.04 os=",
        "os=ubuntu22.04 os=almalinux8,",  # another one is to be typed
        "%gcc %llvm",
        "/abc /def",
        "hdf5 zlib",
        "os=ubuntu22.04 os=almalinux8 os=rhel8",
        "+mpi +mpi @@4",
    ],
)
def test_nothing_is_surely_meant_that_is_not_there_or_no_list(index: Index, text: str) -> None:
    assert surely_meant(index, text, refused(index, text)) is None


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("os=ubuntu22.04 os=alm", ["os=ubuntu22.04,almalinux8"]),
        ("os=ubuntu22.04 os=almalinx8", ["os=ubuntu22.04,almalinux8"]),
        ("%gcc %gcc@12", ["%gcc@12", "%gcc@12.1.0"]),
        ("hdf5 build_type=Release build_type=De", ["hdf5 build_type=Debug"]),
        ("+mpi ~mpi", ["~mpi", "+mpi ~mpi_thread"]),
    ],
)
def test_a_second_part_goes_on_as_the_first_one_would(index: Index, text: str, offered: list[str]) -> None:
    def completer(line: str, cursor: int) -> list[Completion]:
        return completions(index, line, cursor, fuzzy_name=True)

    ways = ways_together(index, text, len(text), refused(index, text), completer)
    assert [way.put_in(text) for way in ways] == offered


def test_of_two_parts_of_a_dependency_none_takes_the_place_of_one_of_the_package() -> None:
    zlib = Build("zlib", "1.3")
    index = index_of_builds({("develop", "e4s"): [zlib, Build("hdf5", "1.14", needs=((zlib, LINK),))]})
    text = "hdf5@1.14 ^zlib@1.2 @1.3"
    assert surely_meant(index, text, refused(index, text)) is None
