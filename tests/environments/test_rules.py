"""The rules of `packages:` and `develop:`: the builds that violate them, and the keys that cachetui ignores."""

from pathlib import Path

import pytest

from cachetui.environments.files import FileError
from cachetui.environments.wanted import Expectations
from cachetui.model.host import Host
from tests.support.environments import parse, read_wanted
from tests.support.installs import index_of
from tests.support.places import QUERIES

INDEX = index_of(str(QUERIES / "tree"))
"""Builds of a few packages with gcc 12, gcc 13 and llvm, as real Spack concretized them."""


def found(sections: str, root: str = "xz") -> Expectations:
    return parse(f"spack:\n  specs: ['{root}']\n  {sections}\n")


@pytest.mark.parametrize(
    ("sections", "package", "rest"),
    [
        ("packages: {xz: {require: libs=static}}", "xz", "xz libs=static"),
        ("packages: {all: {require: libs=static}, xz: {require: []}}", "xz", "xz libs=static"),
        ("packages: {all: {require: libs=static}, xz: {require: '@5:'}}", "xz", "xz"),
        ("packages: {all: {require: +nothere}}", "xz", "xz"),
        ("packages: {xz: {require: +nothere}}", "xz", "xz +nothere"),
        ("packages: {xz: {require: [{one_of: [libs=static, '@:']}]}}", "xz", "xz libs:=shared"),
        ("packages: {xz: {require: [{any_of: [libs=static, '@:']}]}}", "xz", "xz"),
        ("packages: {xz: {conflict: [libs=static]}}", "xz", "xz libs:=shared"),
        ("packages: {xz: {conflict: [{spec: '@:', when: libs=static}]}}", "xz", "xz libs:=shared"),
        ("packages: {bzip2: {require: [{spec: '@9', when: '%gcc@13'}]}}", "bzip2", "bzip2 %gcc@12"),
        ("packages: {c: {require: gcc@13}}", "bzip2", "bzip2 %gcc@13"),
        ("packages: {all: {require: '%gcc@13'}}", "bzip2", "bzip2 %gcc@13"),
        ("packages: {all: {require: '%gcc@13'}}", "gcc-runtime", "gcc-runtime"),
        ("packages: {mpi: {require: openmpi}}", "hdf5", "hdf5 ~mpi"),
        ("packages: {mpi: {buildable: false}}", "mpich", "mpich"),
        ("packages: {bzip2: {buildable: false}}", "bzip2", "bzip2"),
        ("develop: {bzip2: {spec: bzip2@1}}", "bzip2", "bzip2 +nothere"),
        ("toolchains: {new: '%c=gcc@13'}\n  packages: {all: {require: '%new'}}", "bzip2", "bzip2 %gcc@13"),
    ],
)
def test_builds_that_violate_package_rules_of_environment_are_excluded(sections: str, package: str, rest: str) -> None:
    (entry,) = found(sections, package).entries
    (wanted,) = parse(rest).entries
    assert wanted.query is not None
    assert entry.rows(INDEX, entry.rules.broken(INDEX)) == INDEX.rows(wanted.query)


@pytest.mark.parametrize(
    ("sections", "deciding", "note"),
    [
        ("packages: {xz: {require: '@1:@2'}}", "packages: xz: require: @1:@2", ""),
        ("packages: {xz: {require: [{all_of: []}]}}", "packages: xz: require: all_of", ""),
        ("packages: {xz: {requires: '@1'}}", "packages: xz: requires", ""),
        ("packages: {xz: 7}", "packages: xz", ""),
        ("packges: {xz: {}}", "packges: in spack.yaml", ""),
        ("concretizer: {unfy: true}", "concretizer: unfy", ""),
        ("include: [https://example.org/a.yaml]", "the include https://example.org/a.yaml", ""),
        ("include: [{path: a, when: undefined}]", "the include a when undefined", ""),
        (
            "packages: {all: {compiler: [gcc]}, xz: {version: [1]}}",
            "",
            "preferences for packages are not applied: all, xz",
        ),
        ("concretizer: {reuse: false}", "", "keys of the environment are not applied: concretizer: reuse"),
        ("mirrors: {a: /a}", "", "keys of the environment are not applied: mirrors"),
        ("view: false", "", ""),
        ("specs: [{group: g, specs: [xz], override: {include: [a]}}]", "include: in the group g", ""),
        ("specs: [{group: g, specs: [xz], override: {concretizer: {unfy: true}}}]", "concretizer: unfy", ""),
        (
            *("specs: [{group: g, specs: [xz], override: {concretizer: {reuse: false}}}]", ""),
            "keys of the environment are not applied: concretizer: reuse",
        ),
    ],
)
def test_manifest_keys_that_cachetui_ignores_are_reported(
    tmp_path: Path, sections: str, deciding: str, note: str
) -> None:
    specs = "" if sections.startswith("specs") else "specs: [xz]\n  "
    (tmp_path / "spack.yaml").write_text(f"spack:\n  {specs}{sections}\n")
    wanted = read_wanted([f"{tmp_path}/spack.yaml"], Host.parse("linux-rhel9-zen3"))
    assert wanted.unapplied == ((f"{deciding} is not applied",) if deciding else ())
    assert wanted.notes == ((f"these {note}",) if note else ())


def test_external_that_matches_root_spec_is_used() -> None:
    sections = "packages: {xz: {buildable: false, externals: [{spec: xz@5.4 libs=static, prefix: /usr}]}}"
    for root, takes in (("xz", True), ("xz@5:", True), ("xz@6", False), ("xz libs:=shared", False), ("bzip2", False)):
        (entry,) = found(sections, root).entries
        assert entry.query is not None
        external = entry.rules.external(entry.query)
        assert (external is not None) is takes
        assert external is None or (external.name, external.version, external.prefix) == ("xz", "5.4", "/usr")


def test_rules_of_manifest_override_rules_of_included_files(tmp_path: Path) -> None:
    (tmp_path / "configs").mkdir()
    (tmp_path / "packages.yaml").write_text("packages: {all: {require: ['%gcc']}, zlib: {require: '@1.2'}}\n")
    (tmp_path / "configs" / "more.yaml").write_text("include: [last.yaml]\npackages: {all: {require: [os=rhel8]}}\n")
    (tmp_path / "configs" / "last.yaml").write_text("packages: {zlib: {require: '@2'}}\n")
    text = """\
spack:
  include: [packages.yaml, {path: configs/more.yaml}, {path: broken, when: os == "none"}]
  packages: {all: {require: [target=zen4]}}
  specs: [hdf5, zlib]
"""
    found = parse(text, str(tmp_path), Host.parse("linux-rhel9-zen3"))
    assert [entry.required for entry in found.entries] == [("target=zen4", "%gcc", "os=rhel8"), ("@1.2",)]
    assert not found.notes
    (tmp_path / "configs" / "last.yaml").write_text("a: [")
    with pytest.raises(FileError, match=r"last\.yaml cannot be read"):
        parse(text, str(tmp_path))
