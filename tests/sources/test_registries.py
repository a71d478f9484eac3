"""Container registries, compared with Spack; tokens, redirects and errors follow the specifications."""

import base64
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cachetui.catalogue import Catalogue
from cachetui.model.dependency import State
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.settings.settings import Settings
from cachetui.sources.source import Asking, ContentError
from tests.support.registries import CASES, REGISTRY, Host, hosts_of, real_registry

RECIPES = {"zlib-api"}
"""Virtual packages, which only recipes name."""


def opened(url: str, **asking: Any) -> Catalogue:
    return Catalogue(url, Settings(os.environ), asking=Asking(**asking))


# A real registry


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with real_registry(tmp_path_factory.mktemp("registry")) as host:
        yield f"oci+http://{host}/site"


def listed(index: Index, query: str) -> list[str]:
    """Return the output of `spack buildcache list -a`: binaries, and externals, which are not rows."""
    graph = index.graph
    externals = [] if query else [number for number in range(len(graph)) if graph.state(number) == State.EXTERNAL]
    rows = index.rows(Query.parse(query, has_graph=True))
    return sorted({index.hash_of(row) for row in rows} | {graph.hash(number) for number in externals})


@pytest.mark.parametrize("repository", ["images", "mixed", "old-cache", "spack-cache", "stale"])
def test_registry_has_all_specs_that_spack_lists(registry: str, repository: str) -> None:
    index = opened(f"{registry}/{repository}").load()
    externals = set(listed(index, "")) - {index.hash_of(row) for row in index.all_rows}
    for file in sorted((REGISTRY / "oracle").glob(f"site.{repository}.*.json")):
        for each in json.loads(file.read_text())["commands"]:
            if each["argv"][2] != "-aL" or each["exit"] or each["argv"][3:] in ([], *([name] for name in RECIPES)):
                continue
            found = set(re.findall(r"^([a-z2-7]{32}) ", each["stdout"], re.MULTILINE))
            assert {*listed(index, each["argv"][3])} == found - externals, each["argv"]


def test_unchanged_registry_is_not_read_again(registry: str) -> None:
    content = f"{registry}/spack-cache"
    index = opened(content).load()
    catalogue = opened(content)
    again = catalogue.saved()
    assert again is not None
    assert catalogue.refresh(again) is again
    assert len(index) == len(opened(content, offline=True).load()) == 13


# Recorded exchanges

OLD_FORM = "answer in schema 1"

REFUSED = {
    "Basic only, no credentials": "requires a user name and a password: give a password with docker login",
    "token refused": "refuses site/cache (status 401): the repository does not exist, or it is private",
    "realm without TLS": "requires a token from http://auth.example.org/token, which is not encrypted",
    "blob does not fit its digest": "cannot be read: ",
    "no index": "has no index.spack in the repository site/cache, or it is private",
    "no such repository": "has no repository site/cache, or it is private",
    "index is a multi-architecture index": "is not the manifest of an index",
}
"""The messages of the cases that end with an error."""

LISTED = {
    "tags on three pages, relative and absolute Link, a tag twice": 6,
    "Link to another host": None,
    "tags is null": 0,
}
"""The number of specs in the cases about tags; None for an error, because the list is incomplete."""


def case(name: str) -> list[dict[str, Any]]:
    return next(each["exchanges"] for each in CASES if each["case"] == name)


def content_of(hosts: dict[str, Host], exchanges: list[dict[str, Any]]) -> str:
    _, _, name, path = exchanges[0]["request"]["url"].split("/", 3)
    return f"oci+{hosts[name].url}/{re.sub(r'^v2/|/(manifests|tags)/.*', '', path)}"


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    return tmp_path / "config.json"


@pytest.mark.parametrize("name", [each["case"] for each in CASES if each["case"] not in (*LISTED, OLD_FORM)])
def test_stored_registry_responses_give_expected_specs_or_error(name: str, docker: Path) -> None:
    exchanges = case(name)
    if name == "unchanged since last time":
        exchanges = [*case("blob redirected to storage")[-3:], *exchanges]
    with hosts_of(exchanges) as hosts:
        content = content_of(hosts, exchanges)
        if "credentials known" in name:
            login = base64.b64encode(b"user:secret").decode()
            docker.write_text(json.dumps({"auths": {content.split("/")[2]: {"auth": login}}}))
        if name in REFUSED:
            with pytest.raises(ContentError, match=re.escape(REFUSED[name])):
                opened(content).load()
        else:
            index = opened(content).load()
            assert not len(index)
            assert index.graph.tags == (content.rpartition("/")[2],)
            if name == "unchanged since last time":
                opened(content).refresh(index)
        asked = {host: requests.asked for host, requests in hosts.items()}
        for exchange in exchanges:
            _, _, host, path = exchange["request"]["url"].split("/", 3)
            wanted = exchange["request"]["headers"].get("Authorization")
            if wanted and exchanges[0]["response"]["status"] == 401:
                sent = [headers.get("Authorization") for each, headers in asked[host] if each == f"/{path}"]
                assert wanted in sent
        for path, headers in asked.get("storage.example.net", []):
            assert "Authorization" not in headers, path
        assert len(asked[next(iter(hosts))]) <= 2 * len(exchanges)


@pytest.mark.parametrize("name", list(LISTED))
def test_stored_tag_lists_of_registries_give_expected_specs(name: str) -> None:
    exchanges = case(name)
    with hosts_of(exchanges) as hosts:
        catalogue = opened(content_of(hosts, exchanges), list_tags=True)
        if LISTED[name] is None:
            with pytest.raises(ContentError, match="links to a next page on another host"):
                catalogue.load()
        else:
            assert len(catalogue.load()) == LISTED[name]
        assert not hosts["evil.example.com"].asked if "evil.example.com" in hosts else True
