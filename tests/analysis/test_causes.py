"""Root causes of missing specs in a lock, and the specs that are missing only because of them."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.analysis.causes import Cause, causes
from cachetui.model.dependency import ALL_TYPES, LINK_RUN
from cachetui.query.query import Query
from cachetui.report.check import differences_text
from cachetui.search.availability import Availability, Closures
from cachetui.search.index import Index
from cachetui.store.graph import Graph
from cachetui.suggest.nearest_build import TextDifferences
from tests.support.builds import BUILD, LINK, RUN, Build, graph_of, index_of_builds
from tests.support.cache_writer import edge, node, tag_graph
from tests.support.installs import index_of, nodes

GLIBC = Build("glibc", "2.36", external="/usr")
CMAKE = Build("cmake", "3.27", needs=((GLIBC, LINK),))
ZLIB = Build("zlib", "1.3", ("+shared", "opt=1"), needs=((GLIBC, LINK), (CMAKE, BUILD)))


def stack(zlib: Build = ZLIB, **hdf5: Any) -> list[Build]:
    """Return a small stack of builds, from a zlib up to py-h5py."""
    own = Build("hdf5", "1.14", ("+mpi",), needs=((zlib, LINK),), **hdf5)
    app = Build("py-h5py", needs=((own, LINK), (zlib, LINK)))
    return [zlib, own, app]


def found(wanted: list[Build], index: Index, types: frozenset[str] = ALL_TYPES) -> list[Cause]:
    """Return the root causes of the specs that the last build misses."""
    lock = graph_of(wanted)
    availability = Availability(index, Query())
    return causes(lock, missing_of(wanted[-1], availability), availability, types)


def missing_of(root: Build, availability: Availability) -> list[str]:
    """Return the hashes that a root of the lock misses."""
    closures = Closures(graph_of([root]), availability, [root.hash])
    return closures.named(closures.of(root.hash).missing)


def cache(*builds: Build) -> Index:
    return index_of_builds({("develop", "e4s"): builds})


@pytest.mark.parametrize(
    ("change", "differs", "requirement"),
    [
        ({"version": "1.2"}, {"version": ("1.2", "1.3")}, "zlib@=1.3"),
        ({"variants": ("opt=1", "~shared")}, {"variants": ("~shared", "+shared")}, "zlib +shared"),
        ({"variants": ("+shared",)}, {"variants": (None, "opt=1")}, "zlib opt=1"),
        ({"variants": ("+shared", "+x", "opt=1")}, {"variants": ("+x", None)}, None),
        ({"variants": ("+shared", "opt=1", "patches:=abc")}, {"patches": ("patches=abc", None)}, None),
        ({"compiler": "gcc@12.1.0"}, {"compiler": ("gcc@12.1.0", "gcc@13.2.0")}, "zlib %gcc@13.2.0"),
        ({"target": "zen4"}, {"target": ("zen4", "x86_64_v3")}, "zlib target=x86_64_v3"),
        ({"os": "rhel8"}, {"os": ("rhel8", "ubuntu24.04")}, "zlib os=ubuntu24.04"),
        ({"package_hash": "new"}, {"package_hash": ("new", "old")}, None),
    ],
)
def test_only_the_changed_dependency_is_a_root_cause(
    change: dict[str, Any], differs: object, requirement: str | None
) -> None:
    zlib = replace(ZLIB, package_hash="old")
    wanted = stack(replace(zlib, **change))
    (cause,) = found(wanted, cache(*stack(zlib)))
    assert (cause.package, cause.hash, cause.nearest) == ("zlib", wanted[0].hash, zlib.hash)
    assert cause.differs == differs
    assert set(cause.follows) == {build.hash for build in wanted[1:]}
    assert cause.requirement == requirement


def test_changed_build_dependency_is_a_root_cause() -> None:
    """A new build dependency gives its dependents new hashes, although no installation needs its binary."""
    cmake = replace(CMAKE, version="3.28")
    wanted = stack(replace(ZLIB, needs=((GLIBC, LINK), (cmake, BUILD))))
    index = cache(*stack(), CMAKE)
    (cause,) = found(wanted, index)
    assert (cause.package, cause.nearest, cause.differs) == ("cmake", CMAKE.hash, {"version": ("3.28", "3.27")})
    assert len(cause.follows) == 3
    assert [each.package for each in found(wanted, index, LINK_RUN)] == ["zlib"]


def test_changed_external_package_is_a_root_cause() -> None:
    glibc = replace(GLIBC, version="2.35")
    wanted = stack(replace(ZLIB, needs=((glibc, LINK), (CMAKE, BUILD))))
    (cause,) = found(wanted, cache(*stack()))
    assert (cause.package, cause.nearest, cause.requirement) == ("glibc", GLIBC.hash, "glibc@=2.36")
    other = replace(GLIBC, external="/opt/glibc")
    wanted = stack(replace(ZLIB, needs=((other, LINK), (CMAKE, BUILD))))
    assert found(wanted, cache(*stack()))[0].differs == {"external": ("/opt/glibc", "/usr")}


def test_nearest_build_shares_most_dependencies_with_the_missing_spec() -> None:
    one, other = Build("a"), Build("b")
    near = Build("app", "2", needs=((one, LINK), (other, LINK)))
    far = Build("app", "2", needs=((replace(one, version="0"), LINK),))
    (cause,) = found([Build("app", "3", needs=((one, LINK), (other, LINK)))], cache(near, far, one, other))
    assert cause.nearest == near.hash


VERSIONS = st.lists(st.sampled_from("12"), min_size=6, max_size=6)
NEEDS = st.lists(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from([LINK, RUN, BUILD])), max_size=3), min_size=6, max_size=6
)


def concretized(versions: list[str], needs: list[list[tuple[int, Any]]]) -> list[Build]:
    """Return six packages; each depends on some of the packages before it."""
    builds: list[Build] = []
    for number, version in enumerate(versions):
        below = {at: kind for at, kind in needs[number] if at < number}
        builds.append(Build(f"p{number}", version, needs=tuple((builds[at], kind) for at, kind in below.items())))
    return builds


@given(needs=NEEDS, wanted=VERSIONS, there=VERSIONS, held=st.sets(st.integers(0, 5)))
def test_root_causes_of_missing_specs_agree_with_naive_walk(
    needs: list[list[tuple[int, Any]]], wanted: list[str], there: list[str], held: set[int]
) -> None:
    lock, content = concretized(wanted, needs), concretized(there, needs)
    binaries = [content[number] for number in held]
    index = index_of_builds({("develop", "e4s"): binaries})
    known = {each for build in binaries for each in build.all()}
    closure = lock[-1].all(LINK_RUN)
    missing = {each for each in closure if each not in {build.hash for build in binaries}}

    def differs(build: Build) -> bool:
        alike = [other for other in binaries if other.name == build.name] or known_builds
        same = [other for other in alike if (other.name, other.version) == (build.name, build.version)]
        unknown = [needed for needed, _ in build.needs if needed.hash not in known]
        return not same or not unknown

    known_builds = [each for build in binaries for each in build.all().values()]
    relevant = {
        node_hash: build for each in missing - known for node_hash, build in without_known(closure[each], known).items()
    }
    expected: dict[str, set[str]] = {}
    for node_hash, build in relevant.items():
        if differs(build):
            follows = {
                each
                for each in missing - known
                if not differs(closure[each]) and node_hash in without_known(closure[each], known)
            }
            if follows or node_hash in missing:
                expected[node_hash] = follows
    result = found(lock, index)
    assert {cause.hash: set(cause.follows) for cause in result} == expected
    assert [len(cause.follows) for cause in result] == sorted((len(each) for each in expected.values()), reverse=True)


def without_known(build: Build, known: set[str]) -> dict[str, Build]:
    """Return the build and all unknown dependencies that a walk through unknown builds reaches."""
    result = {build.hash: build}
    for needed, _ in build.needs:
        if needed.hash not in known:
            result |= without_known(needed, known)
    return result


def test_root_causes_depend_only_on_caches_that_query_selects() -> None:
    zlib, other = ZLIB, replace(ZLIB, version="1.2")
    index = index_of_builds({("develop", "e4s"): stack(zlib), ("develop", "hep"): stack(other)})
    lock = graph_of(stack(zlib))
    for query, expected in (("", []), ("stack=e4s", []), ("stack=hep", ["zlib"])):
        availability = Availability(index, Query.parse(query))
        missing = missing_of(stack(zlib)[-1], availability)
        assert [cause.package for cause in causes(lock, missing, availability)] == expected


@pytest.mark.parametrize(
    ("name", "change", "differs", "said"),
    [
        ("hdf5@1.14.6", {"version": "1.14.5"}, {"version": ("1.14.5", "1.14.6")}, "1.14.5, installed 1.14.6"),
        ("openssl@3.0.17", {"external": None}, {"external": (None, "/usr")}, "external nothing, installed /usr"),
        ("bison@3.8.2", {"version": "3.8.1"}, {"version": ("3.8.1", "3.8.2")}, "3.8.1, available 3.8.2"),
    ],
)
def test_nearest_build_of_missing_spec_may_be_installed(
    name: str, change: dict[str, str | None], differs: TextDifferences, said: str
) -> None:
    below = node("below")  # recorded nowhere, so its dependents may be missing only because of it
    dependencies = [*nodes()[name].get("dependencies", ()), edge("below", below["hash"], ["link"], [])]
    wanted = nodes()[name] | change | {"hash": "a" * 32, "dependencies": dependencies}
    lock = Graph([tag_graph("spack.lock", "", [*nodes().values(), below, wanted], {wanted["hash"]})])
    found = causes(lock, [wanted["hash"], below["hash"]], Availability(index_of("1.1.0"), Query()))
    cause = next(each for each in found if each.hash == wanted["hash"])
    assert cause.nearest == nodes()[name]["hash"]
    assert cause.nearest_installed is (name != "bison@3.8.2"), "Spack records bison only as missing"
    assert (cause.differs, differences_text(cause)) == (differs, said)
