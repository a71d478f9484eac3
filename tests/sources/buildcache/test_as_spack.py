"""Caches that Spack wrote: every spec, edge and closure equals that of Spack."""

import re
from typing import Any

import pytest

from cachetui.model.dependency import Node, State
from cachetui.model.spec import Spec, normal_compiler
from cachetui.search.index import Index
from cachetui.store.graph import closure, compilers_of
from tests.support.caches import CACHES, READ_BY_SPACK, index_of_folder, spack_read, specs_of

INDEXES: dict[str, Index] = {}


def index_for(name: str) -> Index:
    folder = READ_BY_SPACK[name]
    if folder not in INDEXES:
        INDEXES[folder] = index_of_folder(CACHES / folder)
    return INDEXES[folder]


def spelled(told: dict[str, Any], variants: tuple[str, ...]) -> str:
    """Return the spec as Spack prints it with these variants, without spaces."""
    if "%" in told["format"]:
        # Spack 0.23 writes `=` for lists too, and the compiler and architecture in another way.
        name, version = told["compiler"].split("@=")
        variants = tuple(variant.replace(":=", "=") for variant in variants)
        where = f"arch={told['platform']}-{told['os']}-{told['target']}"
        return "".join([f"{told['name']}@{told['version']}%{name}@{version}", *variants, where])
    where = f"platform={told['platform']}os={told['os']}target={told['target']}"
    return "".join([f"{told['name']}@{told['version']}", *variants, where])


@pytest.mark.parametrize("name", READ_BY_SPACK)
def test_rows_equal_binaries_that_spack_lists(name: str) -> None:
    told = {spec["hash"]: spec for spec in spack_read(name) if spec["in_buildcache"]}
    found = {str(spec.hash): spec for spec in specs_of(index_for(name))}
    assert set(found) == set(told)
    for spec_hash, spec in found.items():
        said = told[spec_hash]
        assert (spec.package, spec.version) == (said["name"], said["version"])
        assert (spec.platform, spec.os, spec.target) == (said["platform"], said["os"], said["target"])
        assert compiler_of(spec) == compiler_told(said)
        assert spelled(said, spec.variants).replace(" ", "") == said["format"].replace(" ", "")


def compiler_of(spec: Spec | Node) -> str:
    return normal_compiler(spec.compiler)


def compiler_told(said: dict[str, Any]) -> str:
    languages = dict(said["languages"])
    if set(languages.values()) == {"llvm@14.0.6", "gcc@12.2.0"}:
        return "llvm@14.0.6 (fortran gcc@12.2.0)"
    return normal_compiler(said["compiler"] and said["compiler"].partition("/")[0])


@pytest.mark.parametrize("name", READ_BY_SPACK)
def test_graph_equals_nodes_and_edges_that_spack_reads(name: str) -> None:
    graph = index_for(name).graph
    told = spack_read(name)
    assert {graph.hash(number) for number in range(len(graph)) if graph.state(number)} == {
        said["hash"] for said in told
    }
    for said in told:
        number = graph.number(said["hash"])
        assert number is not None
        node = graph.node(number)
        assert (node.name, node.version, node.namespace) == (said["name"], said["version"], said["namespace"])
        assert (node.platform, node.os, node.target) == (said["platform"], said["os"], said["target"])
        assert compiler_of(node) == compiler_told(said)
        assert spelled(said, node.variants).replace(" ", "") == said["format"].replace(" ", "")
        assert node.external == said["external_path"]
        assert (node.state == State.BINARY) == said["in_buildcache"]
        edges = [
            {"hash": graph.hash(edge.number), "name": graph.name(edge.number)}
            | {"types": list(edge.types), "virtuals": list(edge.virtuals)}
            for edge in graph.edges(number)
        ]
        assert edges == said["deps"]
        languages = {language: graph.node(other) for language, other in compilers_of(graph, number).items()}
        assert {language: f"{each.name}@{each.version}" for language, each in languages.items()} == said["languages"]
        needed = closure(graph, [number])
        assert needed[0] == number
        assert sorted(map(graph.hash, needed[1:])) == said["link_run"]


def test_spliced_spec_refers_to_its_original_spec() -> None:
    graph = index_for("v2.spliced.by-0.23.1").graph
    spliced = {graph.node(number).name: graph.node(number).spliced_from for number in range(len(graph))}
    assert spliced["bt-hdf"] == "pvqgzfilrmygg2htodcoazbt7z5vergk"
    assert spliced["glibc"] is None


def test_compilers_of_mixed_languages_are_listed_as_values() -> None:
    index = index_for("v3.develop_btest.by-1.1.0")
    assert len(index.values("compiler")) == 4
    assert {value for value in index.values("compiler") if re.search("fortran", value)} == {
        "llvm@14.0.6 (fortran gcc@12.2.0)"
    }
