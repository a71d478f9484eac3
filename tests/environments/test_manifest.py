"""Environments, compared with real Spack: their roots, included files, and the keys that cachetui ignores."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from cachetui.environments.files import FileError
from cachetui.environments.manifest import Manifest, read_spec
from cachetui.environments.reader import unapplied
from cachetui.environments.wanted import Wanted
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.query.terms import NameTerm
from cachetui.settings.settings import Settings
from cachetui.sources.mirrors import mirrors_of
from tests.support.environments import read_wanted
from tests.support.places import ROOT

ANSWERS = ROOT / "tests" / "environments" / "spack"
"""Environments with recorded answers of real Spack."""

ORACLE = json.loads((ANSWERS / "oracle.json").read_text())

READ = [name for name, answer in ORACLE["environments"].items() if answer["roots"] is not None]
"""The environments that Spack reads."""

HOST = Host.parse("linux-rhel9-zen3")

MILDER = {
    "def-when-arch-doc": "the condition is unknown",
    "def-when-env-keyerror": "the condition is unknown",
    "def-when-syntax": "the condition is unknown",
    "inc-dollar-env": "the include is missing",
    "inc-http-true": "the include is not read",
    "inc-specs": "the key is not applied",
    "pkg-numbers": "no build meets the number",
    "pkg-plus-minus": "the key is not applied",
    "rest-unknown": "the key is not applied",
    "specs-env-key": "Spack up to 0.20 reads it",
}
"""Environments that Spack refuses but cachetui reads, with the reason."""


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate the host on which Spack gave the recorded answers."""
    monkeypatch.setattr("socket.gethostname", lambda: ORACLE["host"]["hostname"])
    for name, value in ORACLE["host"]["environ"].items():
        monkeypatch.setenv(name, value)


def manifest(name: str) -> Manifest:
    folder = ANSWERS / name
    return Manifest((folder / "spack.yaml").read_text(), str(folder), Settings(ORACLE["host"]["environ"], fits=HOST))


def parsed(texts: list[str]) -> list[Query | str]:
    """Return queries without namespaces, because Spack does not print them."""
    return [plain(read_spec([text], {})) if text else "" for text in texts]


def refuse_faults(wanted: Wanted) -> None:
    for each in wanted.asked:
        if each.expectation and each.expectation.fault:
            raise FileError(each.expectation.fault)


def plain(query: Query) -> Query:
    terms = [term for term in query.terms if term.key != "namespace"]
    return Query(tuple(NameTerm(term.name) if isinstance(term, NameTerm) else term for term in terms))


@pytest.mark.parametrize(
    "name", [name for name, answer in ORACLE["environments"].items() if answer["roots"] is not None]
)
def test_roots_of_manifest_equal_roots_in_spack(name: str) -> None:
    answer = ORACLE["environments"][name]
    found = manifest(name)
    written = [(pieces, group.toolchains) for group in found.groups for pieces in group.roots]
    roots = [plain(read_spec(pieces, chains)) if any(pieces) else "" for pieces, chains in written]
    wanted = parsed(answer["roots"])
    if name == "specs-git":  # Spack asks the git repository for the version of a ref
        roots[0] = wanted[0]
    assert sorted(map(str, roots)) == sorted(map(str, wanted))
    if not any(isinstance(root, str) for root in wanted) and len(found.groups) == 1:
        assert roots == wanted
    assert not found.not_applied.deciding


@pytest.mark.parametrize("name", sorted(ORACLE["environments"].keys() - READ))
def test_environment_that_spack_refuses_is_refused_or_gets_unknown_verdict(name: str) -> None:
    if name not in MILDER:
        with pytest.raises(FileError):
            refuse_faults(read_wanted([str(ANSWERS / name / "spack.yaml")], HOST))
        return
    found = manifest(name)
    assert any(unapplied(found)) is (name not in ("specs-env-key", "pkg-numbers"))


@pytest.mark.parametrize("name", [name for name in READ if "concrete_roots" in ORACLE["environments"][name]])
def test_roots_of_locked_environment_equal_roots_in_spack(name: str, tmp_path: Path) -> None:
    answer: dict[str, Any] = ORACLE["environments"][name]
    shutil.copytree(ANSWERS / name, tmp_path / name)
    found = read_wanted([f"{tmp_path}/{name}/spack.yaml"], HOST).asked
    own = set(map(str, parsed(answer["roots"])))
    concrete = {spec_hash: str(read_spec([text], {})) for text, spec_hash in answer["concrete_roots"]}
    if "included_roots" in answer:
        assert {each.hash for each in found if each.hash} == set(concrete)
    else:  # roots that are only in the lock are no longer roots
        assert {each.hash for each in found if each.hash} == {key for key, text in concrete.items() if text in own}
    assert {each.text for each in found if not each.hash} == own - set(concrete.values())


@pytest.mark.parametrize(
    "name", [name for name, answer in ORACLE["environments"].items() if answer["roots"] is not None]
)
def test_configuration_sections_of_all_scopes_are_merged_like_in_spack(name: str) -> None:
    answer, found = ORACLE["environments"][name], manifest(name)
    packages = found.scopes.section("packages") or {}
    for package, keys in answer.get("packages", {}).items():
        assert {key: packages[package].get(key) for key in keys} == keys
    assert (found.scopes.section("toolchains") or {}) == answer.get("toolchains", {})
    assert (found.scopes.section("upstreams") or {}) == answer.get("upstreams", {})
    assert {group.unify for group in found.groups} <= {str(answer.get("unify", "true")).lower()}
    mirrors = list(mirrors_of(found.scopes.mirrors, found.scopes.paths))
    wanted = {key: each["fetch"] for key, each in answer.get("mirrors", {}).items() if each["binary"]}
    home, here = str(Path.home()), str(ANSWERS / name)
    values = {"{user_cache_path}": f"{home}/.spack", "{home}": home, "{tempdir}": tempfile.gettempdir()}
    values |= {"{parent}": str(ANSWERS), "{env}": here, "{spack}": f"{here}/%24spack"}  # Spack is not installed
    for key, text in wanted.items():
        for variable, value in values.items():
            text = text.replace(variable, value)
        wanted[key] = text
    assert {each.name: each.url or f"file://{quote(each.folder)}" for each in mirrors} == wanted
