"""The verdict of `check`: concrete roots, builds selected for specs, other caches that have a binary, the host."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cachetui.analysis import check
from cachetui.analysis.check import Install, install
from cachetui.environments.wanted import Asked, Lock, Wanted
from cachetui.model.dependency import LockRoot
from cachetui.model.host import Host
from cachetui.model.problem import UserError
from cachetui.query.query import Query
from cachetui.report.check import verdict
from cachetui.search.availability import Availability, CacheName
from cachetui.search.index import Index
from cachetui.search.results import Results
from tests.support.builds import LINK, Build, graph_of, index_of_builds
from tests.support.environments import read_wanted

HOST = Host.parse("linux-ubuntu24.04-zen3")
GLIBC = Build("glibc", "2.39", external="/usr")
SSL = Build("openssl", "3", external="/opt/ssl")
ZLIB = Build("zlib", "1.3", needs=((GLIBC, LINK),))
SECURE = Build("curl", "8", needs=((SSL, LINK), (ZLIB, LINK)))
NG = Build("zlib-ng", "2.1")
WITH_NG = Build("hdf5", "2", needs=((NG, LINK),))
HDF5 = Build("hdf5", "1.14", ("+mpi",), needs=((ZLIB, LINK),))
OLDER = Build("hdf5", "1.12", ("+mpi",), needs=((ZLIB, LINK),))


def found(index: Index, *words: str, query: str = "", host: Host = HOST, **options: Any) -> Install:
    wanted = options.pop("wanted", None) or read_wanted(words)
    return install(index, wanted, Availability(index, Query.parse(query)), host, **options)


def two_stacks() -> Index:
    return index_of_builds({("develop", "e4s"): [HDF5], ("develop", "hep"): [ZLIB], ("v1", "e4s"): [OLDER, ZLIB]})


def test_check_lists_other_caches_that_contain_the_missing_binary() -> None:
    result = found(two_stacks(), HDF5.hash, query="tag=develop stack=e4s")
    (missing,) = result.missing
    assert (missing.name, missing.version) == ("zlib", "1.3")
    assert missing.found_in == (CacheName("develop", "hep"), CacheName("v1", "e4s"))
    assert not result.complete


def test_check_reports_unknown_and_ambiguous_hashes() -> None:
    result = found(two_stacks(), "/" + "a" * 32)
    assert (result.complete, result.missing[0].hash, result.missing[0].name) == (False, "a" * 32, None)
    index = index_of_builds({("develop", "e4s"): [Build(f"b{k}") for k in range(99)]})
    (root,) = found(index, "/" + Build("b1").hash[:1]).roots
    assert (root.closure, root.reason, root.fault) == (
        None,
        "ambiguous",
        "several hashes begin with this prefix",
    )
    (root,) = found(index, "/zzzz").roots
    assert (root.reason, root.fault) == ("no_hash", "no index has this hash; if it is a folder, write /zzzz/")


def test_check_prefers_complete_build_of_spec() -> None:
    index = two_stacks()
    result = found(index, "hdf5", query="tag=v1")
    assert result.roots[0].hash == OLDER.hash
    result = found(index, "hdf5", query="stack=e4s")
    (root,) = result.roots
    assert root.hash == OLDER.hash, "one mirror has the build and all its dependencies"
    alone = index_of_builds({("develop", "e4s"): [HDF5, OLDER, replace(OLDER, needs=()), Build("cmake")]})
    (root,) = found(alone, "hdf5").roots
    assert root.hash == replace(OLDER, needs=()).hash


def test_check_prefers_runnable_build_with_target_nearest_to_host() -> None:
    near = Build("app", "1", target="zen2")
    builds = [Build("app", "3", target="zen4"), Build("app", "2"), near, Build("app", "1")]
    index = index_of_builds({("develop", "e4s"): builds})
    (root,) = found(index, "app").roots
    assert root.hash == near.hash
    (root,) = found(index, "app@3", host_decides=True).roots
    assert (root.hash, root.reason, root.fault) == (builds[0].hash, "unfit", "")
    (root,) = found(index, "nosuch").roots
    assert (root.complete, root.fault) == (False, "nosuch matches nothing")


@pytest.mark.parametrize("asked", [["hdf5", "zlib-ng"], ["zlib-ng", "hdf5"], ["zlib-ng", f"/{WITH_NG.hash}"]])
def test_check_selects_one_build_for_dependency_shared_by_roots(asked: list[str]) -> None:
    index = index_of_builds({("develop", "e4s"): [WITH_NG, NG], ("develop", "hep"): [Build("zlib-ng", "2.2"), NG]})
    result = found(index, *asked)
    assert (len(result.binaries), result.mirrors) == (2, (CacheName("develop", "e4s"),))
    assert {root.hash for root in result.roots} == {WITH_NG.hash, NG.hash}


OLD_HOST = Host.parse("linux-rhel8-zen3")


@pytest.mark.parametrize("form", ["hash", "lock", "spec", "spack.yaml"])
def test_verdict_depends_on_host_for_hash_lock_spec_and_environment(form: str, tmp_path: Path) -> None:
    manifest = tmp_path / "spack.yaml"
    manifest.write_text("spack:\n  specs: [hdf5@1.14]\n")
    words = {"hash": f"/{HDF5.hash}", "spec": "hdf5@1.14", "spack.yaml": str(manifest)}
    lock = Lock(6, (LockRoot(HDF5.hash, "hdf5"),), graph_of([HDF5]))
    wanted = Wanted((Asked("hdf5", hash=HDF5.hash, lock=lock),)) if form == "lock" else read_wanted([words[form]])
    for host, decides, complete in ((HOST, True, True), (OLD_HOST, False, True), (OLD_HOST, True, False)):
        result = found(two_stacks(), wanted=wanted, host=host, host_decides=decides)
        (root,) = result.roots
        assert (root.hash, result.complete, root.complete) == (HDF5.hash, complete, complete)


@pytest.mark.parametrize(
    ("packages", "said"),
    [
        ("{all: {require: '%clang'}}", "no build meets the rule packages: all: require: %clang"),
        ("{zlib: {require: '@2'}}", "no build meets the rule packages: zlib: require: @2"),
        ("{all: {require: '@1.3'}}", ""),
        ("{all: {require: '+mpi'}}", ""),
        ("{zlib: {require: '+mpi'}}", "no build meets the rule packages: zlib: require: +mpi"),
    ],
)
def test_check_reports_requirement_that_excludes_every_build(tmp_path: Path, packages: str, said: str) -> None:
    manifest = tmp_path / "spack.yaml"
    manifest.write_text(f"spack:\n  packages: {packages}\n  specs: [zlib %gcc]\n")
    (root,) = found(two_stacks(), str(manifest)).roots
    assert (root.reason, root.fault) == ("excluded_by_require" if said else None, said)


def test_check_prefers_build_from_newest_tag_if_builds_are_equal() -> None:
    builds = [Build("app", variants=(f"b={k}",)) for k in range(3)]
    for newest in builds:
        others = [build for build in builds if build is not newest]
        stacks = {"develop": builds, "develop-2025-04-06": others, "develop-2025-04-20": [newest]}
        index = index_of_builds({(tag, "e4s"): some for tag, some in stacks.items()})
        for query in ("", "tag=develop"):
            (root,) = found(index, "app", query=query).roots
            assert root.hash == newest.hash
            listed = Results.of(index, Query.parse(f"app fits={HOST} {query}"))
            assert index.spec(next(listed.in_order())).hash == newest.hash, "`find --fits` lists the same build first"


def test_check_uses_dependencies_of_lock_if_content_lacks_dependencies() -> None:
    lock = Lock(6, (LockRoot(HDF5.hash, "hdf5"),), graph_of([HDF5]))
    wanted = Wanted((Asked("hdf5", hash=HDF5.hash, lock=lock),))
    index = index_of_builds({("develop", "e4s"): [HDF5, ZLIB]}, graph=False)
    assert found(index, wanted=wanted).complete
    (root,) = found(index, HDF5.hash).roots
    assert (root.complete, root.fault) == (False, "its dependencies are not recorded")


def test_path_of_external_is_verified_only_on_this_machine(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").touch()
    paths = {
        str(tmp_path): True,
        str(tmp_path / "file"): True,
        str(tmp_path / "gone"): False,
        str(tmp_path / "file/below"): False,
        str(tmp_path / "loop"): False,
        f"{tmp_path}/\0": False,
        "/" + "x" * 300: None,
        ".": None,
        "": None,
    }
    builds = [Build(f"b{k}", external=path) for k, path in enumerate(paths)]
    here = Host.parse("here")
    app = Build("app", needs=tuple((build, LINK) for build in [*builds, GLIBC]))
    index = index_of_builds({("develop", "e4s"): [app]})
    for host in (here, Host(here.platform, here.os, "zen2" if here.target == "zen3" else "zen3")):
        result = found(index, app.hash, host=host)
        (root,) = result.roots
        absent = "; missing on this machine: b2@1, b3@1, b4@1 and 1 more"
        assert verdict(result, None)[1] == f"1 of 1 binary{absent if host == here else ''}"
        there = {each.path: each.fits for each in root.externals if each.name != "glibc"}
        assert there == (paths if host == here else dict.fromkeys(paths))
        assert root.closure is not None
        assert root.closure.complete, "a missing external path does not change the verdict"


@pytest.mark.parametrize("version", ["2.36-site1", "site", "", "2..36", "9" * 5000, "٣"])
def test_external_libc_without_numeric_version_gives_unknown_verdict(version: str) -> None:
    app = Build("app", needs=((Build("glibc", version=version, external="/usr"), LINK),))
    index = index_of_builds({("develop", "e4s"): [app]})
    (root,) = found(index, app.hash, host=Host("linux", "ubuntu24.04", "zen3")).roots
    assert [each.fits for each in root.externals] == [None]


def test_external_dependency_missing_from_configuration_makes_verdict_unknown(tmp_path: Path) -> None:
    index = index_of_builds({("develop", "e4s"): [SECURE, ZLIB]})
    manifest = tmp_path / "spack.yaml"
    for packages, asked, verdict_of_root in (
        ("{}", f"/{SECURE.hash}", "yes"),
        ("{}", "curl", "unknown"),
        ("{openssl: {externals: [{spec: openssl@3, prefix: /opt/ssl}]}}", str(manifest), "yes"),
        ("{openssl: {externals: [{spec: openssl@3, prefix: /usr}]}}", str(manifest), "unknown"),
        ("{openssl: {externals: [{spec: openssl@1, prefix: /opt/ssl}]}}", str(manifest), "unknown"),
    ):
        manifest.write_text(f"spack:\n  packages: {packages}\n  specs: [curl]\n")
        (root,) = found(index, asked).roots
        assert (root.hash, root.verdict) == (SECURE.hash, verdict_of_root)


def test_binary_needed_by_two_roots_is_listed_once() -> None:
    result = found(two_stacks(), HDF5.hash, ZLIB.hash)
    assert sorted(result.binaries) == sorted([HDF5.hash, ZLIB.hash])
    assert [set(root.binaries) for root in result.roots] == [{HDF5.hash, ZLIB.hash}, {ZLIB.hash}]


def test_check_stops_above_maximum_number_of_dependencies(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["/" + Build("b1").hash, "/" + Build("b2").hash]
    index = index_of_builds({("develop", "e4s"): [Build(f"b{k}") for k in range(9)]})
    monkeypatch.setattr(check, "MAX_NEEDED", 2)
    assert len(found(index, *words).roots) == 2
    monkeypatch.setattr(check, "MAX_NEEDED", 1)
    with pytest.raises(UserError, match=r"too many specs in the dependencies of all roots \(limit: 1\)"):
        found(index, *words)
