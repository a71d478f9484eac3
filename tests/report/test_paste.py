"""Copied texts: hashes, specs, commands."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from msgspec.structs import replace

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.model.tags import UNTAGGED
from cachetui.query.query import Query
from cachetui.report import specs as paste
from cachetui.report.specs import detail
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.remote_binaries import seems_signed
from tests.support.cache_writer import node, write_v2, write_v3
from tests.support.installs import index_of
from tests.support.specs import HASH, SPEC


@pytest.mark.parametrize("hash_text", [None, "", "short", HASH.upper(), f"{HASH}; rm -rf ~"])
def test_spec_without_valid_hash_gets_no_install_command(hash_text: str | None) -> None:
    assert paste.INSTALL not in dict(paste.copies([replace(SPEC, hash=hash_text)]))


@pytest.mark.parametrize(
    ("stacks", "pattern", "expected"),
    [
        (("e4s", "root"), None, "spack mirror add spack-develop https://binaries.spack.io/develop"),
        (("e4s",), None, "spack mirror add spack-develop-e4s https://binaries.spack.io/develop/e4s"),
        ((), None, "spack mirror add spack-develop https://binaries.spack.io/develop"),
        (("e4s",), "s3://cache/{tag}/{stack}", "spack mirror add spack-develop-e4s s3://cache/develop/e4s"),
        (
            ("e4s; reboot",),
            None,
            "spack mirror add 'spack-develop-e4s; reboot' 'https://binaries.spack.io/develop/e4s; reboot'",
        ),
    ],
)
def test_mirror_command_uses_cache_that_contains_spec(
    stacks: tuple[str, ...], pattern: str | None, expected: str
) -> None:
    text = dict(paste.copies([replace(SPEC, stacks=stacks)], pattern))["mirror"]
    assert text.splitlines() == [expected, paste.TRUST]


def test_copied_spec_text_is_a_valid_query() -> None:
    text = paste.spec_text(SPEC)
    assert text == (f"hdf5@1.14.3%gcc@11.4.0~cuda+mpi build_type=Release arch=linux-ubuntu22.04-x86_64_v3 /{HASH}")
    assert {term.key for term in Query.parse(text).terms} == {
        "name", "version", "compiler", "variant", "os", "platform", "target", "hash",
    }  # fmt: skip


def test_several_specs_are_copied_into_one_command() -> None:
    texts = dict(paste.copies([SPEC, replace(SPEC, hash="3" * 32, stacks=("hep",)), replace(SPEC, hash=None)]))
    assert texts["/hash"] == f"/{HASH} /{'3' * 32}"
    assert texts["install"] == f"spack install --cache-only /{HASH} /{'3' * 32}"
    assert texts["mirror"].splitlines() == [
        "spack mirror add spack-develop https://binaries.spack.io/develop",
        "spack mirror add spack-develop-hep https://binaries.spack.io/develop/hep",
        "spack buildcache keys --install --trust",
    ]
    assert len(texts["spec"].splitlines()) == 3


def test_exported_environment_lists_the_mirrors_that_contain_its_specs() -> None:
    stack = replace(SPEC, tag="develop-2025-04-20", stacks=("hep",))
    untagged = replace(SPEC, tag=UNTAGGED)
    found = yaml.safe_load("".join(paste.environment([SPEC, stack, stack, untagged])))["spack"]
    assert found["mirrors"] == {
        "spack-develop": "https://binaries.spack.io/develop",
        "spack-develop-2025-04-20-hep": "https://binaries.spack.io/develop-2025-04-20/hep",
    }
    own = yaml.safe_load("".join(paste.environment([stack], "https://m.org/{tag}/{stack}")))["spack"]
    assert own["mirrors"] == {"spack-develop-2025-04-20-hep": "https://m.org/develop-2025-04-20/hep"}
    assert "mirrors" not in yaml.safe_load("".join(paste.environment([untagged])))["spack"]


@pytest.mark.parametrize("write", [write_v2, write_v3])
@pytest.mark.parametrize("signed", [True, False])
def test_copied_mirror_command_depends_on_signatures_of_specs(
    tmp_path: Path, write: Callable[..., Path], signed: bool
) -> None:
    nodes = [node("hdf5"), node("zlib")]
    folder = write(tmp_path / "mirror", nodes, nodes, signed=signed)
    index = Catalogue(str(folder), Settings(), index_cache=False).load()
    specs = [index.spec(row) for row in index.rows(Query())]
    option, keys = ("", [paste.TRUST]) if signed else ("--unsigned ", [])
    add = f"spack mirror add {option}spack-mirror {folder}"
    assert dict(paste.copies(specs, None, index.graph, seems_signed(index.graph, Settings())))[
        "mirror"
    ].splitlines() == [
        add,
        *keys,
    ]
    text = "".join(paste.environment(specs, None, index.graph, seems_signed(index.graph, Settings())))
    (mirror,) = yaml.safe_load(text)["spack"]["mirrors"].values()
    assert mirror == (str(folder) if signed else {"url": str(folder), "signed": False})
    assert (paste.TRUST in text) == signed
    fields = {
        field.label: field.lines
        for field in detail(index, 0, Host.parse("linux-ubuntu24.04-zen3"), None, seems_signed(index.graph, Settings()))
    }
    assert fields["signed"] == ("yes" if signed else "no",)


@pytest.mark.parametrize(
    ("content", "query", "expected"),
    [
        ("./content", "", "cachetui find ./content"),
        ("'my content' c", "hdf5 tag=develop", "cachetui find 'my content' c 'hdf5 tag=develop'"),
        ("c", "hdf5+mpi os=rhel8 stack!=hep", "cachetui find c 'hdf5 +mpi os=rhel8 stack!=hep'"),
        ("c", "tag=develop,v1.0.0", "cachetui find c tag=develop,v1.0.0"),
    ],
)
def test_query_is_copied_as_find_command(content: str, query: str, expected: str) -> None:
    assert paste.command("find", content, (), Query.parse(query)) == expected


def test_exported_environment_disables_unify_for_two_builds_of_package() -> None:
    one = "".join(paste.environment([SPEC, replace(SPEC, package="zlib", hash="3" * 32)]))
    assert "unify" not in one
    several = "".join(paste.environment([SPEC, replace(SPEC, hash="3" * 32)]))
    assert several.endswith("  concretizer:\n    unify: false\n")


def test_installed_spec_gets_load_command_without_mirror() -> None:
    index = index_of("1.1.0")
    specs = {each.package: each for each in map(index.spec, index.all_rows)}
    hdf5, openssl, bison = (specs[name] for name in ("hdf5", "openssl", "bison"))
    texts = dict(paste.copies([SPEC, hdf5, openssl, bison], None, index.graph))
    assert texts["install"] == f"spack install --cache-only /{HASH}"
    assert texts["load"] == f"spack load /{hdf5.hash} /{openssl.hash}", "bison was removed"
    assert texts["prefix"].splitlines() == [hdf5.prefix, "/usr"]
    assert texts["mirror"].splitlines()[0] == "spack mirror add spack-develop https://binaries.spack.io/develop"
    alone = dict(paste.copies([hdf5], None, index.graph))
    assert list(alone) == ["hash", "/hash", "name/hash", "spec", "load", "prefix"]
    odd = replace(hdf5, prefix="/a b\x1b;rm")
    assert dict(paste.copies([odd]))["prefix"] == "'/a b'\\\\'x1b;rm'"
    text = "".join(paste.environment([hdf5], None, index.graph))
    assert "mirrors" not in text
    assert paste.TRUST not in text


@pytest.mark.parametrize(("name", "labels"), [("hdf5", ["load"]), ("openssl", ["load"]), ("bison", [])])
def test_details_of_installed_spec_show_spack_load_command(name: str, labels: list[str]) -> None:
    index = index_of("1.1.0")
    row = next(row for row in index.all_rows if index.spec(row).package == name)
    fields = detail(index, row, Host.parse("linux-debian12-zen3"))
    assert [field.label for field in fields if field.is_command] == labels
    assert "mirror" not in {field.label for field in fields}


def test_copied_spec_is_never_a_shell_option() -> None:
    nothing = replace(SPEC, version=None, compiler=None, platform=None, os=None, target=None)
    odd = replace(nothing, package="rm", variants=("-rf", "prefix=~root"))
    assert dict(paste.copies([odd]))["spec"] == f"rm@: -rf 'prefix=~root' /{HASH}"
