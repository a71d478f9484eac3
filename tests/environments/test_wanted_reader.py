"""The specs that a command examines, from hashes, specs, lists, locks, `spack.yaml`, environments and stdin."""

import json
import os
from pathlib import Path

import pytest

from cachetui.environments import files
from cachetui.environments.files import FileError, read_text
from tests.support.caches import CACHES
from tests.support.environments import read_wanted

LOCK = CACHES / "oracle" / "envs" / "spack-1.1" / "tools"
WHOLE = "ydyvxdbaaaaaaaaaaaaaaaaaaaaaaaaa"


def entry_texts(*words: str) -> list[tuple[str, str | None]]:
    """Return the text of each entry, with its hash or the word `spec`."""
    return [(each.text, "spec" if each.expectation else each.hash) for each in read_wanted(words).asked]


def test_arguments_are_read_as_hashes_or_specs() -> None:
    assert entry_texts("/abc", f"zlib/{WHOLE}", WHOLE) == [("/abc", "abc"), (f"zlib/{WHOLE}", WHOLE), (WHOLE, WHOLE)]
    assert entry_texts("hdf5", "+mpi") == [("hdf5 +mpi", "spec")]
    assert entry_texts("install") == [("install", "spec")]
    assert entry_texts("hdf5", "+mpi", "os=rhel8", "python@3", "/abc") == [
        *(("/abc", "abc"), ("hdf5 +mpi os=rhel8", "spec"), ("python@3", "spec")),
    ]
    for words in (("hdf5", "^", "zlib"), ("hdf5", "%", "gcc"), ("hdf5", "^[virtuals=mpi]", "mpich"), ("hdf5", "a:=b")):
        assert [text.split()[0] for text, _ in entry_texts(*words)] == ["hdf5"]


def test_roots_are_read_from_locks_and_lists(tmp_path: Path) -> None:
    asked = ["zlib@1.2.13~shared target=x86_64_v2 %gcc@13.2.0", "pigz target=x86_64_v2 %gcc@13.2.0"]
    for name in (LOCK, LOCK / "spack.lock"):
        found = read_wanted([str(name)])
        assert [each.text for each in found.asked][:2] == asked
        assert len(found.locks) == 1
    assert [each[1] for each in entry_texts(str(LOCK / "spack.yaml"))] == [each[1] for each in entry_texts(str(LOCK))]
    mixed = tmp_path / "list"
    mixed.write_text(f"# what we need\n/abc  # one\nhdf5+mpi\n\n{WHOLE}\n")
    assert entry_texts(str(mixed)) == [("/abc", "abc"), ("hdf5+mpi", "spec"), (WHOLE, WHOLE)]
    mixed.write_text("/abc\n")
    assert entry_texts(str(mixed)) == [("/abc", "abc")]


def test_spec_json_file_is_read_as_lock_with_one_root(tmp_path: Path) -> None:
    file = next((CACHES / "v2/spack-0.23.1/no-index/build_cache").glob("*-pigz-*.spec.json"))
    (tmp_path / "spec.json").write_bytes(file.read_bytes())
    found = read_wanted([str(tmp_path / "spec.json")])
    assert [(each.text, each.hash) for each in found.asked] == [("pigz@2.8", file.name[-42:-10])]
    assert found.locks[0].graph.number(file.name[-42:-10]) is not None
    spec = json.dumps(json.loads(file.read_bytes()))
    for text in (spec, file.read_text(), json.dumps(json.loads(spec), indent=2)):
        (tmp_path / "spec.json").write_text(f"{text}\n{text.replace('pigz', 'zlib')}\n")
        assert [each.text for each in read_wanted([str(tmp_path / "spec.json")]).asked] == ["pigz@2.8", "zlib@2.8"]
    (tmp_path / "spec.json").write_text('{"spec": {"nodes": [{"name": "zlib"}]}}')
    with pytest.raises(FileError, match="its spec has no hash"):
        read_wanted([str(tmp_path / "spec.json")])


def test_root_of_group_uses_locked_build_from_same_group(tmp_path: Path) -> None:
    lock = json.loads((LOCK / "spack.lock").read_text())
    hashes = [root["hash"] for root in lock["roots"]][:2]
    lock["_meta"]["lockfile-version"] = 7
    groups = ["default", "it's mine"]
    lock["roots"] = [{"hash": each, "spec": "zlib", "group": name} for each, name in zip(hashes, groups, strict=True)]
    (tmp_path / "spack.lock").write_text(json.dumps(lock))
    specs = "".join(f', {{group: "{name}", specs: [zlib, pigz]}}' for name in (groups[1], "new"))
    (tmp_path / "spack.yaml").write_text(f"spack: {{specs: [zlib{specs}]}}")
    named = [(f"zlib (group {name})", each) for name, each in zip(groups, hashes, strict=True)]
    assert entry_texts(str(tmp_path / "spack.lock")) == named
    new = [f"{name} (group {group})" for group in (groups[1], "new") for name in ("zlib", "pigz")]
    assert entry_texts(str(tmp_path / "spack.yaml")) == [*named, *((text, "spec") for text in new[1:])]


def test_unreadable_environment_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"has no spack\.lock or spack\.yaml"):
        read_wanted([str(tmp_path)])
    with pytest.raises(FileError, match="cannot be read: No such file"):
        read_wanted(["nosuch/spack.lock"])
    (tmp_path / "spack.yaml").write_text("spack: {specs: []}\n")
    with pytest.raises(FileError, match=r"spack\.yaml: the file has no spec"):
        read_wanted([str(tmp_path)])


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("lab", "spec"),
        ("lab@1.2/8", "spec"),
        ("ldflags=-L/opt", "spec"),
        ("envs/lab", "hash"),
        ("/opt", "hash"),
        ("hdf5@1.2/abc", "hash"),
        ("lab/", "path"),
        ("./lab", "path"),
        ("envs/lab/", "path"),
        ("envs/l8b", "path"),
        ("label1=gcc-13/spack.yaml", "path"),
        ("label1=gcc-13/lab", "path"),
        ("lab.lock", "path"),
        ("spec.json", "path"),
        ("~/lab", "path"),
    ],
)
def test_existing_file_does_not_change_how_argument_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    if kind == "path":
        with pytest.raises(FileError):
            read_wanted(["app", word])
        return
    for is_there in (False, word[0] != "/"):
        if is_there:
            (tmp_path / word).mkdir(parents=True)
        found = read_wanted(["app", word])
        assert ("hash" if any(each.hash for each in found.asked) else "spec") == kind
        assert bool(found.notes) == (is_there and kind == "spec")


def test_missing_or_undecodable_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read: No such file"):
        read_text(str(tmp_path / "nosuch"))
    (tmp_path / "latin").write_bytes(b"\xe9")
    with pytest.raises(FileError, match="UTF-8"):
        read_text(str(tmp_path / "latin"))
    with pytest.raises(FileError, match="null"):
        read_text("a\0b")


def test_special_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", tmp_path, tmp_path / "pipe"):
        with pytest.raises(FileError, match="is not a regular file"):
            read_text(str(path))


def test_huge_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(10 << 30)
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 1 << 20)
    with pytest.raises(FileError, match="larger than 1 MB"):
        read_text(str(tmp_path / "huge"))
