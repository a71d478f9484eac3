"""Comparison of two specs: the differences, and the dependencies that cause them."""

from pathlib import Path

import pytest

from cachetui.analysis.comparison import Comparison, compare
from cachetui.model.dependency import ALL_TYPES
from cachetui.model.signature import Differences, Signature, differences
from cachetui.search.index import Index
from cachetui.store.graph import closure
from tests.support.caches import CACHES, index_of_folder
from tests.support.places import SAMPLE_MIRROR
from tests.support.rows import index_of, row


@pytest.fixture(scope="module")
def index() -> Index:
    return index_of_folder(CACHES / "v3/spack-1.1.0/develop/btest")


def of(index: Index, *hashes: str) -> Comparison:
    first, second = (index.hash_rows(index.columns.hashes.bisect(each.encode()))[0] for each in hashes)
    return compare(index, first, second)


def test_comparison_shows_both_values_of_each_differing_field() -> None:
    index = index_of(
        [
            row(hash="a" * 32, versions=["1.14"], compiler="oneapi@2024", variants=["+mpi", "patches=a,b", "~cuda"]),
            row(
                hash="b" * 32,
                versions=["1.12"],
                compiler="intel-oneapi-compilers@=2024",
                variants=["~cuda", "~mpi", "patches:=b,a"],
                target="zen3",
            ),
        ]
    )
    found = compare(index, *sorted(range(2), key=lambda at: index.spec(at).hash or ""))
    assert found.differs == {
        "version": ("1.14", "1.12"),
        "target": ("x86_64_v3", "zen3"),
        "variants": (("+mpi",), ("~mpi",)),
    }
    assert found.dependencies is None


def test_dependency_that_differs_only_in_hash_is_marked_as_consequence(index: Index) -> None:
    """The differences are compared with the nodes of the graph, for all pairs of specs of a package."""
    graph = index.graph
    follows = 0
    for number in range(len(index.packages)):
        rows = list(index.package_rows(number))
        for other in rows[1:]:
            found = compare(index, rows[0], other)
            nodes = [graph.number(spec.hash or "") for spec in (found.old, found.new)]
            needed = [
                {graph.hash(n) for n in closure(graph, [node], ALL_TYPES)[1:]} for node in nodes if node is not None
            ]
            named = [{each.old for each in found.dependencies or ()}, {each.new for each in found.dependencies or ()}]
            assert needed[0] - needed[1] <= named[0] - {None} <= needed[0]
            assert needed[1] - needed[0] <= named[1] - {None} <= needed[1]
            names = [{graph.node(n).name for each in side if (n := graph.number(each)) is not None} for side in needed]
            for each in found.dependencies or ():
                assert [each.old is not None, each.new is not None] == [each.name in side for side in names]
                if not each.by_itself:
                    follows += 1
                    below = [graph.number(each.old or ""), graph.number(each.new or "")]
                    one, two = (graph.node(n) for n in below if n is not None)
                    assert (one.version, one.variants, one.package_hash) == (
                        two.version,
                        two.variants,
                        two.package_hash,
                    )
    assert follows


def test_dependencies_of_specs_on_pages_are_compared_as_text() -> None:
    index = index_of(
        [
            row(hash="a" * 32, dependencies=["zlib@1.2.11", "mpich@4.0"]),
            row(hash="b" * 32, dependencies=["zlib@1.2.13", "mpich@4.0", "cmake@3.20"]),
        ]
    )
    found = compare(index, *sorted(range(2), key=lambda at: index.spec(at).hash or ""))
    assert found.dependencies is not None
    assert [(each.name, each.old, each.new) for each in found.dependencies] == [
        ("cmake", None, "cmake@3.20"),
        ("zlib", "zlib@1.2.11", "zlib@1.2.13"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "differ"),
    [
        (("+mpi", "patches:=a,b"), ("patches='b,a'", "+mpi"), {}),
        (("cuda_arch=80",), ("cuda_arch=80,90",), {"variants": (("cuda_arch=80",), ("cuda_arch=80,90",))}),
    ],
)
def test_comparison_ignores_spelling_and_order_of_variants(
    old: tuple[str, ...], new: tuple[str, ...], differ: Differences
) -> None:
    one, two = (Signature("1", "gcc@12", "os", "linux", "zen3", variants) for variants in (old, new))
    assert differences(one, two, Signature._fields) == differ


def test_comparison_pairs_different_builds_of_same_dependency() -> None:
    index = index_of_folder(Path(SAMPLE_MIRROR))
    found = {each.name: each.differs for each in of(index, "6ngip4b", "rwqit2u").dependencies or ()}
    assert found["zlib-ng"] == {"version": ("2.2.4", "2.2.1")}
