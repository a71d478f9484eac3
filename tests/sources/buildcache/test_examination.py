"""The consistency of the files of a cache, and the file of one binary."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from cachetui.sources.buildcache.binaries import Binaries
from cachetui.sources.buildcache.examination import examine_caches
from cachetui.store.graph import closure
from tests.support.cache_writer import database, external, node, write_v2, write_v3
from tests.support.caches import index_of_folder, specs_of

LINK = ["link"]
GLIBC = external("glibc", "2.39")
ZLIB = node("zlib", "1.3.1", [(GLIBC, LINK, ["libc"])])
HDF5 = node("hdf5", "1.14.3", [(ZLIB, ["build", "link"], ["zlib-api"]), (GLIBC, LINK, ["libc"])])
NODES = [GLIBC, ZLIB, HDF5]

Harm = Callable[[Path], object]


def found(folder: Path) -> set[tuple[str, str]]:
    """Return the level and kind of every problem."""
    graph = index_of_folder(folder).graph
    problems = list(examine_caches(graph, verify=True))
    assert all(problem.message.isprintable() for problem in problems)
    return {(problem.level, problem.kind) for problem in problems}


@pytest.mark.parametrize("write", [write_v2, write_v3])
@pytest.mark.parametrize("signed", [False, True])
def test_valid_cache_has_no_errors(tmp_path: Path, write: Callable[..., Path], signed: bool) -> None:
    assert found(write(tmp_path, NODES, [ZLIB, HDF5], signed=signed)) == set()


def file_with(folder: Path, pattern: str, text: bytes = b"") -> Path:
    """Return the first file with this name whose content contains this text."""
    return next(path for path in sorted(folder.rglob(pattern)) if path.is_file() and text in path.read_bytes())


def grow(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b" ")


def flip(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(bytes((data[0] ^ 1,)) + data[1:])


def change(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"zlib", b"ZLIB"))


@pytest.mark.parametrize(
    ("write", "harm", "expected"),
    [
        (write_v3, lambda folder: file_with(folder, "*", b"tarball of").unlink(), ("fault", "missing_blob")),
        (write_v3, lambda folder: grow(file_with(folder, "*", b"tarball of")), ("fault", "length")),
        (write_v3, lambda folder: flip(file_with(folder, "*", b"tarball of")), ("fault", "checksum")),
        (write_v2, lambda folder: flip(file_with(folder, "*.spack")), ("fault", "checksum")),
        (write_v3, lambda folder: (folder / "blobs/sha256/00").write_bytes(b"?"), ("note", "blob")),
        (write_v3, lambda folder: file_with(folder, "index.manifest.json").unlink(), ("note", "no_index")),
        (write_v2, lambda folder: file_with(folder, "index.json").unlink(), ("note", "no_index")),
        (write_v3, lambda folder: change(file_with(folder, "*", b'"installs"')), ("fault", "checksum")),
        (write_v3, lambda folder: file_with(folder, "*.spec.manifest.json").unlink(), ("fault", "index")),
        (write_v3, lambda folder: file_with(folder, "*.spec.manifest.json").write_text("{"), ("fault", "unreadable")),
        (
            write_v3,
            lambda folder: write_v3(folder, NODES, [ZLIB, HDF5]) and write_v3(folder, NODES, [HDF5]),
            ("note", "index"),
        ),
        (write_v3, lambda folder: write_v3(folder, NODES, [HDF5], signed=True), ("note", "signature")),
        (write_v2, lambda folder: file_with(folder, "*.spack").unlink(), ("fault", "missing_tarball")),
        (write_v2, lambda folder: file_with(folder, "index.json.hash").write_text("0" * 64), ("fault", "checksum")),
        (write_v2, lambda folder: file_with(folder, "*.spec.json").unlink(), ("fault", "index")),
        (write_v2, lambda folder: file_with(folder, "*.spec.json").write_text("[]"), ("fault", "unreadable")),
    ],
)
def test_damaged_cache_file_is_reported(
    tmp_path: Path, write: Callable[..., Path], harm: Harm, expected: tuple[str, str]
) -> None:
    write(tmp_path, NODES, [ZLIB, HDF5])
    harm(tmp_path)
    assert expected in found(tmp_path)


def test_unpushed_dependency_is_reported_as_missing(tmp_path: Path) -> None:
    write_v3(tmp_path / "a", NODES, [HDF5])
    assert ("note", "missing_dependency") in found(tmp_path / "a")
    write_v3(tmp_path / "b", NODES, [ZLIB])
    assert ("note", "missing_dependency") not in found(tmp_path)


@pytest.mark.parametrize("write", [write_v2, write_v3])
def test_pushed_dependency_is_not_reported_as_missing(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, NODES, [ZLIB])
    assert found(write(tmp_path, NODES, [HDF5])) - {("note", "blob")} == {("note", "index")}


def test_checksum_that_is_a_path_is_an_error(tmp_path: Path) -> None:
    write_v3(tmp_path, NODES, [ZLIB])
    manifest = file_with(tmp_path, "*.spec.manifest.json")
    text = manifest.read_text()
    start = text.index('"checksum": "') + len('"checksum": "')
    manifest.write_text(f"{text[:start]}../../../../etc/passwd{text[start + 64 :]}")
    assert ("fault", "manifest") in found(tmp_path)


@pytest.mark.parametrize("write", [write_v2, write_v3])
@pytest.mark.parametrize("signed", [False, True])
def test_size_and_signature_of_binary_are_read_from_its_files(
    tmp_path: Path, write: Callable[..., Path], signed: bool
) -> None:
    write(tmp_path, NODES, [ZLIB], signed=signed)
    (zlib,) = specs_of(index_of_folder(tmp_path))
    hdf5 = replace(zlib, package="hdf5", version="1.14.3", hash=HDF5["hash"])
    binaries = Binaries(str(tmp_path))
    assert (binaries.size(zlib), binaries.is_signed(zlib)) == (len(f"tarball of {ZLIB['hash']}"), signed)
    assert (binaries.size(hdf5), binaries.is_signed(hdf5)) == (None, None)


# Hostile content


def test_specs_next_to_damaged_index_entry_are_read(tmp_path: Path) -> None:
    write_v3(tmp_path, NODES, [ZLIB, HDF5])
    blob = file_with(tmp_path, "*", b'"installs"')
    text = database(NODES, [ZLIB, HDF5]).decode()
    for wrong in ('"name":7', '"version":[]', '"name":""', '"arch":5', '"dependencies":{"x":3}', '"parameters":[1]'):
        key = wrong.partition(":")[0]
        place = text.index(f'"{HDF5["hash"]}":')
        end = text.index(",", text.index(key, place))
        if key in ('"arch"', '"dependencies"', '"parameters"'):
            entry = (
                text[:place]
                + f'"{HDF5["hash"]}":{{"spec":{{"name":"hdf5","version":"1",{wrong}}},"in_buildcache":true}}'
                + "}}}"
            )
        else:
            entry = text[: text.index(key, place)] + wrong + text[end:]
        blob.write_text(entry)
        index = index_of_folder(tmp_path)
        assert "zlib" in index.packages
        assert len(index.problems) == (0 if key in ('"arch"', '"parameters"') else 1)


def test_hostile_index_is_read_safely(tmp_path: Path) -> None:
    import gzip

    evil = node("../../etc\x1b[31m\n", "1/../..", parameters={"a b": "\x07", "patches": ["../x"], "+": [None, {}]})
    ring = node("ring")
    ring["dependencies"] = [
        {"name": "ring", "hash": ring["hash"], "parameters": {"deptypes": LINK, "virtuals": []}},
        {"name": "gone", "hash": "nowhere", "parameters": {"deptypes": ["link", 3], "virtuals": "mpi"}},
        {"name": "none", "hash": "", "parameters": None},
    ]
    write_v2(tmp_path, [evil, ring], [])
    index_file = tmp_path / "build_cache" / "index.json"
    index_file.write_bytes(database([evil, ring], [evil, ring]))
    (tmp_path / "build_cache" / f"x-{'b' * 32}.spec.json").write_bytes(gzip.compress(bytes(65 * 2**20), 1))
    index = index_of_folder(tmp_path)
    assert set(index.packages) == {"../../etc\x1b[31m\n", "ring"}
    number = index.graph.number(ring["hash"])
    assert number is not None
    assert [index.graph.name(each) for each in closure(index.graph, [number])] == ["ring", "gone"]
    index_file.unlink()
    (problem,) = index_of_folder(tmp_path).problems
    assert "larger than 64 MB when decompressed" in problem.message
