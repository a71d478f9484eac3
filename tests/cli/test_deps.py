"""`deps`: dependencies and dependents, compared with those that Spack read from the same caches."""

import json
from typing import Any

import pytest

from tests.support.caches import CACHES, spack_read
from tests.support.commands import answered

BTEST = str(CACHES / "v3" / "spack-1.1.0" / "develop" / "btest")

Capsys = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def by_hash() -> dict[str, dict[str, Any]]:
    return {spec["hash"]: spec for spec in spack_read("v3.develop_btest.by-1.1.0")}


@pytest.fixture(scope="module")
def app(by_hash: dict[str, dict[str, Any]]) -> str:
    """The hash of an application that depends on most of the other specs."""
    return next(spec_hash for spec_hash, spec in by_hash.items() if spec["name"] == "bt-app")


def document(capsys: Capsys, *words: str) -> dict[str, Any]:
    status, out, err = answered(capsys, "deps", BTEST, *words, "--format=json")
    assert (status, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


def test_deps_shows_same_dependencies_as_spack(capsys: Capsys, app: str, by_hash: dict[str, Any]) -> None:
    found = document(capsys, f"/{app}")
    assert found["hash"] == found["nodes"][0]["hash"] == app
    nodes = {node["hash"]: node for node in found["nodes"]}
    assert len(nodes) == len(found["nodes"])
    assert {node["state"] for node in nodes.values()} == {"here", "external"}
    for node_hash in nodes.keys() & by_hash.keys():
        node, spec = nodes[node_hash], by_hash[node_hash]
        assert (node["package"], node["version"]) == (spec["name"], spec["version"])
        edges = {(each["hash"], tuple(each["types"]), tuple(each["virtuals"])) for each in node["dependencies"]}
        assert edges == {(each["hash"], tuple(each["types"]), tuple(each["virtuals"])) for each in spec["deps"]}
    for node in nodes.values():
        assert {each["hash"] for each in node["dependencies"]} <= nodes.keys()


def test_option_type_limits_the_types_of_dependencies(capsys: Capsys, app: str) -> None:
    whole, some = document(capsys, app), document(capsys, app, "--type", "link,run")
    assert len(some["nodes"]) < len(whole["nodes"])
    types = [set(edge["types"]) for node in some["nodes"] for edge in node["dependencies"]]
    assert all(each & {"link", "run"} for each in types)
    assert answered(capsys, "deps", BTEST, app, "--type=lnk")[0] == 2


def test_option_dependents_follows_the_recorded_dependencies_in_reverse(
    capsys: Capsys, app: str, by_hash: dict[str, Any]
) -> None:
    needed = document(capsys, app)["nodes"][-1]["hash"]
    found = document(capsys, needed, "--dependents")
    assert found["nodes"][0]["hash"] == needed
    assert app in {node["hash"] for node in found["nodes"]}
    turned = {(edge["hash"], node["hash"]) for node in found["nodes"] for edge in node["dependencies"]}
    wanted = {(spec["hash"], each["hash"]) for spec in by_hash.values() for each in spec["deps"]}
    assert turned <= wanted
