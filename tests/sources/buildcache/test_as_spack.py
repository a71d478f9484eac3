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


def spelled(recorded: dict[str, Any], variants: tuple[str, ...]) -> str:
    """Return the spec as Spack prints it with these variants, without spaces."""
    if "%" in recorded["format"]:
        # Spack 0.23 writes `=` for lists too, and the compiler and architecture in another way.
        name, version = recorded["compiler"].split("@=")
        variants = tuple(variant.replace(":=", "=") for variant in variants)
        where = f"arch={recorded['platform']}-{recorded['os']}-{recorded['target']}"
        return "".join([f"{recorded['name']}@{recorded['version']}%{name}@{version}", *variants, where])
    where = f"platform={recorded['platform']}os={recorded['os']}target={recorded['target']}"
    return "".join([f"{recorded['name']}@{recorded['version']}", *variants, where])


@pytest.mark.parametrize("name", READ_BY_SPACK)
def test_binaries_equal_those_that_spack_lists(name: str) -> None:
    recorded = {spec["hash"]: spec for spec in spack_read(name) if spec["in_buildcache"]}
    found = {str(spec.hash): spec for spec in specs_of(index_for(name))}
    assert set(found) == set(recorded)
    for spec_hash, spec in found.items():
        spack_spec = recorded[spec_hash]
        assert (spec.package, spec.version) == (spack_spec["name"], spack_spec["version"])
        assert (spec.platform, spec.os, spec.target) == (spack_spec["platform"], spack_spec["os"], spack_spec["target"])
        assert compiler_of(spec) == recorded_compiler(spack_spec)
        assert spelled(spack_spec, spec.variants).replace(" ", "") == spack_spec["format"].replace(" ", "")


def compiler_of(spec: Spec | Node) -> str:
    return normal_compiler(spec.compiler)


def recorded_compiler(spack_spec: dict[str, Any]) -> str:
    languages = dict(spack_spec["languages"])
    if set(languages.values()) == {"llvm@14.0.6", "gcc@12.2.0"}:
        return "llvm@14.0.6 (fortran gcc@12.2.0)"
    return normal_compiler(spack_spec["compiler"] and spack_spec["compiler"].partition("/")[0])


@pytest.mark.parametrize("name", READ_BY_SPACK)
def test_dependency_graph_is_the_same_as_in_spack(name: str) -> None:
    graph = index_for(name).graph
    recorded = spack_read(name)
    assert {graph.hash(number) for number in range(len(graph)) if graph.state(number)} == {
        spack_spec["hash"] for spack_spec in recorded
    }
    for spack_spec in recorded:
        number = graph.number(spack_spec["hash"])
        assert number is not None
        node = graph.node(number)
        assert (node.name, node.version, node.namespace) == (
            spack_spec["name"],
            spack_spec["version"],
            spack_spec["namespace"],
        )
        assert (node.platform, node.os, node.target) == (spack_spec["platform"], spack_spec["os"], spack_spec["target"])
        assert compiler_of(node) == recorded_compiler(spack_spec)
        assert spelled(spack_spec, node.variants).replace(" ", "") == spack_spec["format"].replace(" ", "")
        assert node.external == spack_spec["external_path"]
        assert (node.state == State.BINARY) == spack_spec["in_buildcache"]
        edges = [
            {"hash": graph.hash(edge.number), "name": graph.name(edge.number)}
            | {"types": list(edge.types), "virtuals": list(edge.virtuals)}
            for edge in graph.edges(number)
        ]
        assert edges == spack_spec["deps"]
        languages = {language: graph.node(other) for language, other in compilers_of(graph, number).items()}
        assert {language: f"{each.name}@{each.version}" for language, each in languages.items()} == spack_spec[
            "languages"
        ]
        needed = closure(graph, [number])
        assert needed[0] == number
        assert sorted(map(graph.hash, needed[1:])) == spack_spec["link_run"]


def test_spliced_spec_refers_to_its_original_spec() -> None:
    graph = index_for("v2.spliced.by-0.23.1").graph
    spliced = {graph.node(number).name: graph.node(number).spliced_from for number in range(len(graph))}
    assert spliced["bt-hdf"] == "pvqgzfilrmygg2htodcoazbt7z5vergk"
    assert spliced["glibc"] is None


def test_different_compilers_of_one_spec_are_one_facet_value() -> None:
    index = index_for("v3.develop_btest.by-1.1.0")
    assert len(index.values("compiler")) == 4
    assert {value for value in index.values("compiler") if re.search("fortran", value)} == {
        "llvm@14.0.6 (fortran gcc@12.2.0)"
    }
