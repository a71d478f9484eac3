"""What `packages: require` and included files add to the specs of an environment, and what is passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from cachetui.environments.expected import parse
from cachetui.environments.wanted import Expectations


def alternatives(found: Expectations) -> list[list[list[str]]]:
    """For each expectation the texts of the parts of its alternatives."""
    return [[[part.text for part in query.parts] for query in entry.alternatives] for entry in found.entries]


def test_alternatives_are_multiplied_out() -> None:
    packages = "{all: {require: [{one_of: ['%gcc', '%clang']}, {any_of: [os=rhel8, os=rhel9]}, +pic]}}"
    found = parse(f"packages: {packages}\nspecs: [hdf5+pic]\n")
    rest = [["os=rhel8"], ["os=rhel9"]]
    assert alternatives(found) == [
        [["hdf5", "+pic", compiler, *each] for compiler in ("%gcc", "%llvm") for each in rest]
    ]
    assert found.entries[0].required == ("%gcc or %clang", "os=rhel8 or os=rhel9", "+pic")


@pytest.mark.parametrize(
    ("packages", "note"),
    [
        (
            "{hdf5: {require: [{spec: '%gcc', when: '@1:'}]}}",
            "requirements with a condition that is not known to hold (%gcc when @1:)",
        ),
        (
            "{mpi: {require: mpich}, a: {require: '@1'}, b: {require: '@1'}, c-ares: {require: '@1'}}",
            "requirements of packages that are no roots (mpi, a, b and 1 more)",
        ),
        ("{hdf5: {require: '@1:@2'}}", "requirements that are not understood (@1:@2)"),
        ("{hdf5: {require: [{all_of: []}]}}", "requirements that are not understood (hdf5: all_of)"),
        ("{all: {compiler: [gcc]}, hdf5: {version: [1]}}", "preferences (all, hdf5)"),
        (
            "{hdf5: {require: [" + ", ".join(f"{{one_of: [+a{k}, ~a{k}]}}" for k in range(7)) + "]}}",
            "requirements in more than 64 combinations (hdf5)",
        ),
    ],
)
def test_what_is_passed_over_is_noted(packages: str, note: str) -> None:
    assert parse(f"packages: {packages}\nspecs: [hdf5]\n").notes == (f"not applied: {note}",)


def test_files_beside_an_environment_are_included(tmp_path: Path) -> None:
    environment = tmp_path / "env"
    (environment / "configs").mkdir(parents=True)
    (environment / "packages.yaml").write_text("packages: {all: {require: ['%gcc']}, zlib: {require: '@1.2'}}\n")
    (environment / "configs" / "more.yaml").write_text(
        "definitions: [{more: [zfp]}]\ninclude: [more.yaml, last.yaml]\npackages: {all: {require: [os=rhel8]}}\n"
    )
    (environment / "configs" / "last.yaml").write_text("packages: {zlib: {require: '@2'}}\n")
    (environment / "broken.yaml").write_text("a: [")
    (tmp_path / "outside.yaml").write_text("packages: {all: {require: ['%clang']}}\n")
    (environment / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    text = """\
spack:
  include:
  - packages.yaml
  - path: configs/more.yaml
  - {path: configs/last.yaml, when: re.search("8", os)}
  - {path: link.yaml, when: os == "none"}
  - ../outside.yaml
  - link.yaml
  - broken.yaml
  - https://example.org/packages.yaml
  - $spack/etc/packages.yaml
  packages: {all: {require: [target=zen4]}}
  specs: [hdf5, zlib, $more]
"""
    found = parse(text, environment)
    required = [entry.required for entry in found.entries]
    assert required == [("target=zen4", "%gcc", "os=rhel8"), ("@1.2",), ("target=zen4", "%gcc", "os=rhel8")]
    note = "not applied: includes that are no files beside the environment"
    assert found.notes == (f"{note} (configs/last.yaml, ../outside.yaml, link.yaml and 3 more)",)
    assert len(parse("include: [packages.yaml]\nspecs: [hdf5]\n").notes) == 1
