"""Queries over the dependency graph, compared with real Spack and with a naive walk."""

import json
from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.model.dependency import LINK_RUN, EdgeKind
from cachetui.model.host import Host
from cachetui.query.parser import QueryError
from cachetui.query.query import Query
from cachetui.query.terms import DependencyTerm
from cachetui.search.dependencies import nodes_having
from cachetui.search.index import Index
from cachetui.store.graph import Graph
from cachetui.suggest.no_match import host_fit, without_each
from tests.support.builds import BUILD, LINK, Build, index_of_builds
from tests.support.caches import CACHES, READ_BY_SPACK, index_of_folder, satisfied
from tests.support.installs import index_of as index_of_tree
from tests.support.places import QUERIES
from tests.support.random_graphs import HASHES, Nodes, many, node_tables, part, steps, walked
from tests.support.rows import index_of, row


@cache
def index_at(path: str) -> Index:
    return index_of_folder(CACHES / path)


def hashes(index: Index, text: str) -> set[str]:
    return {index.hash_of(row) for row in index.rows(Query.parse(text, has_graph=True))}


RECORDED = json.loads((QUERIES / "recorded.json").read_text())["queries"]

OTHERWISE = {
    "gitpkg@git.feature": ["z76aylk4ejq4mi4qwidmmcjkvmohplop"],  # refs are compared as text, without the repository
    "mpi@3:": ["bxtq2ukyoji32ow2skmwq3o5lubiht4k"],  # a provider that an edge records; nothing records the version
    "mpi@5:": ["bxtq2ukyoji32ow2skmwq3o5lubiht4k"],
}
"""Queries that Spack answers from recipes or a repository, which caches do not record."""


@pytest.mark.parametrize("text", RECORDED)
def test_query_on_installation_selects_same_specs_as_spack(text: str) -> None:
    index, entry = index_of_tree(str(QUERIES / "tree")), RECORDED[text]
    if "error" in entry:
        with pytest.raises(QueryError):
            Query.parse(text, has_graph=True)
        return
    known = entry.get("by_recorded_edges")
    query = Query.parse(text, has_graph=True)
    assert sorted(hashes(index, text)) == OTHERWISE.get(text, entry["answer"] if known is None else known)
    assert query.line == ("" if text == "*" else text).removesuffix(" cflags=''")  # this term matches everything
    assert Query.parse(str(query), has_graph=True) == query


BETTER = {"%clang", "%llvm", "%c,cxx=clang"}
"""Queries that also find old names of compilers; Spack finds them only on new specs."""


@pytest.mark.parametrize("name", READ_BY_SPACK)
def test_query_on_cache_selects_same_specs_as_spack(name: str) -> None:
    index = index_at(READ_BY_SPACK[name])
    binaries = {index.spec(row).hash for row in range(len(index))}
    wrong = {}
    for text, answer in satisfied(name).items():
        if isinstance(answer, list) and not (text in BETTER and name.startswith("v2")) and "@git." not in text:
            found = hashes(index, text)
            if found != binaries & set(answer):
                wrong[text] = found
    assert not wrong


def test_queries_for_clang_and_llvm_find_same_specs() -> None:
    index = index_at("v2/spack-0.23.1/develop/btest")
    clang = {spec.hash for spec in map(index.spec, range(len(index))) if str(spec.compiler).startswith("llvm")}
    assert clang
    for text in BETTER:
        assert hashes(index, text) == clang


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("bt-app ^[deptypes=run] bt-data", True),
        ("bt-app ^[deptypes=link] bt-data", False),
        ("bt-app ^[deptypes=build virtuals=mpi] bt-mpich", True),
        ("bt-app ^[virtuals=blas] bt-mpich", False),
        ("bt-app ^mpi=bt-mpich", True),
        ("bt-app ^[virtuals=c] gcc", True),
        ("bt-app ^bt-mpich %gcc@12", True),
        ("bt-app ^bt-mpich %gcc@13", False),
        ("bt-app %gcc %bt-hdf", True),
        ("bt-app %bt-hdf@1.14", True),
        ("bt-app %bt-ssl", False),
        ("bt-app ^bt-ssl", True),
        ("bt-app ^bt-ssl os=debian12", True),
        ("bt-app ^bt-ssl os=rhel8", False),
        ("bt-app ^bt-app", False),
        ("bt-app ^btest.bt-ssl", True),
        ("bt-app ^builtin.bt-ssl", False),
        ("bt-app %[virtuals=cxx] gcc", True),
        ("bt-hdf+fortran %[virtuals=cxx] llvm", False),
        ("bt-hdf ^bt-nothing", False),
    ],
)
def test_dependency_term_matches_only_recorded_dependencies(text: str, holds: bool) -> None:
    assert bool(hashes(index_at("v3/spack-1.1.0/develop/btest"), text)) is holds


@pytest.mark.parametrize(
    ("text", "takes"),
    [
        ("^gmake", {"util-macros"}),
        ("^glibc", {"gmake", "perl"}),
        ("util-macros ^glibc", set()),
        ("^berkeley-db@18", {"perl"}),
        ("openssl ^perl", {"openssl"}),
        ("openssl ^perl ^berkeley-db", set()),
        ("openssl ^[virtuals=libc] glibc", set()),
        ("openssl ^libc", set()),
        ("openssl ^[deptypes=link] berkeley-db", set()),
        ("perl ^berkeley-db cflags='-O3'", {"perl"}),
        ("openssl ^perl cflags='-O3'", set()),
    ],
)
def test_dependency_term_does_not_follow_dependencies_of_build_dependencies(text: str, takes: set[str]) -> None:
    glibc = Build("glibc", "2.36")
    libc: EdgeKind = (("link",), ("libc",))
    gmake = Build("gmake", needs=((glibc, libc),))
    database = Build("berkeley-db", "18.1.40", ("cflags='-O3'",))
    perl = Build("perl", needs=((database, LINK), (glibc, libc)))
    roots = [gmake, perl, Build("util-macros", needs=((gmake, BUILD),)), Build("openssl", needs=((perl, BUILD),))]
    index = index_of_builds({("develop", ""): roots}, [glibc, database])
    assert {index.spec(row).package for row in index.rows(Query.parse(text, has_graph=True))} == takes


@pytest.mark.parametrize(
    ("text", "takes"),
    [
        ("mpi", "mpich openmpi intel-mpi"),
        ("mpi@3:", "openmpi intel-mpi"),
        ("mpi@:2", "mpich openmpi"),
        ("mpi@5:", "openmpi"),
        ("mpi+x", "mpich"),
        ("mpi os=nothing", ""),
        ("builtin.mpi", ""),
        ("app ^mpi@3:", "app"),
        ("app ^mpi@:2 ^mpi", "app"),
        ("app ^mpi +x", ""),
        ("tool ^mpi", "tool"),
        ("tool ^mpi@:2", ""),
        ("lapack", "openmpi"),
        ("mpich@3", ""),
    ],
)
@pytest.mark.parametrize("fuzzy_name", [False, True])
def test_virtual_package_matches_its_providers(text: str, takes: str, fuzzy_name: bool) -> None:
    mpi: EdgeKind = (("link",), ("mpi",))
    old = Build("mpich", "4.2", ("+x",), provides=("mpi@:2",))
    unsaid, new = Build("openmpi", "5"), Build("intel-mpi", provides=("mpi@3.1", "c@:x:"))
    app = Build("app", needs=((old, LINK), (unsaid, (("link",), ("lapack", "mpi")))))
    index = index_of_builds({("develop", ""): [old, unsaid, new, app, Build("tool", needs=((new, mpi),))]})
    query = Query.parse(text, fuzzy_name=fuzzy_name, has_graph=True)
    assert {index.spec(row).package for row in index.rows(query)} == set(takes.split())
    assert "fuzzy=True" not in repr(index.exact(query))
    assert {each.text for each in without_each(index, query)} == {
        term.text for term in index.with_virtual_versions(query).terms
    }


def test_dependency_is_found_by_hash_prefix() -> None:
    index = index_at("v3/spack-1.1.0/develop/btest")
    (number,) = list(index.graph.where("name", "bt-ssl".__eq__))[:1]
    text = f"^/{index.graph.hash(number)[:9]}"
    assert hashes(index, text) == hashes(index, f"^bt-ssl/{index.graph.hash(number)}")
    assert hashes(index, text)


def test_term_fits_prefers_recorded_libc_to_libc_of_os() -> None:
    index = index_at("v3/spack-1.1.0/develop/tools")  # its os is called ubuntu24.04, whose own glibc is 2.39
    ((libc, recorded),) = index.libc_rows.items()
    assert (str(libc), {index.spec(row).os for row in recorded}) == ("glibc 2.36", {"ubuntu24.04"})
    old, new = (Query.parse(f"fits=linux-{os}-icelake") for os in ("rhel9", "debian12"))
    assert recorded <= index.rows(new)
    assert recorded.isdisjoint(index.rows(old))
    assert index.fit(recorded[0], Host.parse("linux-rhel9-icelake")).reason == "needs glibc 2.36, the host has 2.34"
    found = host_fit(index, old)
    assert found is not None
    assert dict(found.counts)["glibc"]


# The language


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("^ mpich @4 hdf5=x +a stack=e4s", "stack=e4s ^mpich@4 +a hdf5=x"),
        ("hdf5 ^[ virtuals=mpi,lapack  deptypes=link] mpich%clang@15 ~b", None),
        ("hdf5 %c,cxx=gcc@12 ^zlib", "hdf5 %c,cxx=gcc@12 ^zlib"),
        ("hdf5 ^zlib ^mpi=mpich", "hdf5 ^[virtuals=mpi] mpich ^zlib"),
        ("%gcc %openssl@3", "%gcc %openssl@3"),
        ("builtin.hdf5", "builtin.hdf5"),
        ('cflags="-O3 -L /x" +a', "+a cflags='-O3 -L /x'"),
        ("^/abc", "^/abc"),
        ("^ /abc @1.2 os=a +x %gcc", "^/abc @1.2 +x os=a %[] gcc"),
        ("^/abc os=a", "^/abc os=a"),
        ("^ +a", "^* +a"),
        ("hdf5 %%gcc@12 ++a b:==x c==true", "hdf5 ++a ++c b:==x %gcc@12"),
        ("%[when='+a %c=gcc ^x'] c=llvm ^[when=@1.2] y", None),
        ("@1 %[when=\"a='b c'\"]gcc", "@1 %[when='a=\\'b c\\''] gcc"),
        ("%/abc %[virtuals=c] /abc", "%[] /abc %[virtuals=c] /abc"),
        ("arch=linux-*-zen3", "os=* platform=linux target=zen3"),
    ],
)
def test_query_with_dependencies_survives_printing_and_parsing(text: str, canonical: str | None) -> None:
    query = Query.parse(text, has_graph=True)
    assert canonical in (None, str(query))
    for printed in (str(query), query.line):
        assert Query.parse(printed, has_graph=True) == query


PIECES = [
    "hdf5",
    "@1.14",
    "+mpi",
    "%gcc@12",
    "%openssl",
    "os=rhel8",
    "stack=e4s",
    "%c=gcc",
    "^mpich",
    "^[virtuals=mpi] x",
]


@given(st.lists(st.sampled_from(PIECES), max_size=6), st.data())
def test_edited_query_with_dependencies_survives_printing_and_parsing(pieces: list[str], data: st.DataObject) -> None:
    try:
        query = Query.parse(" ".join(pieces), has_graph=True)
    except QueryError:
        return
    for _ in range(3):
        assert Query.parse(query.line, has_graph=True) == query
        assert Query.parse(str(query), has_graph=True) == query
        edits = [query.toggled("os", "amzn2", ["amzn2", "rhel8"]), *map(query.without, query.terms)]
        query = data.draw(st.sampled_from(edits))


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("^", 0, "no dependency"),
        ("hdf5 ^[deptypes=link foo=+x] zlib", 21, r"cannot read 'foo=\+x' in brackets .* expected virtuals=…, dept"),
        ("hdf5 %[when='+x stack=e4s'] gcc", 16, "stack= cannot be part of a condition"),
        ("hdf5 %[when='+x @'] gcc", 16, "a version after '@'"),
        ("hdf5 %[when='+x] gcc", 5, "after '%'"),
        ("hdf5 ^[deptypes=near] zlib", 7, "deptypes=build"),
        ("hdf5 ^zlib @1 @2", 14, "one of them"),
        ("hdf5 %gcc@12 %gcc@13", 13, "one of them"),
        ("+mpi *", 5, "cannot read"),
        ("hdf5 ^zlib mpich", 11, "two package names: hdf5, mpich"),
        ("^zlib hdf5", 6, "hdf5 after other terms"),
        ("% [", 0, "after '%'"),
    ],
)
def test_error_message_about_unreadable_query_states_the_column(text: str, column: int, says: str) -> None:
    with pytest.raises(QueryError, match=says) as caught:
        Query.parse(text, has_graph=True)
    assert caught.value.column == column


@pytest.mark.parametrize("text", ["hdf5 ^zlib", "%gcc %openssl", "%c=gcc", "hdf5 cflags=-O3", "^[virtuals=mpi] mpich"])
def test_dependency_term_without_graph_is_refused(text: str) -> None:
    with pytest.raises(
        QueryError,
        match=r"content records neither|content does not record|only build caches record|pages record one compiler",
    ):
        Query.parse(text)
    assert not index_of([row()]).rows(Query.parse(text, has_graph=True))


# Compared with a naive walk


def depends(nodes: Nodes, node_hash: str, wanted: str, virtual: str, kind: str) -> bool:
    """Return whether a node depends on the wanted node by an edge with the given virtual package and type."""
    edges = {(needed, each) for needed, each in nodes[node_hash][1] if "build" in each[0]}
    below = walked([node_hash], steps(nodes), LINK_RUN) & nodes.keys()
    edges |= {edge for here in below for edge in nodes[here][1] if LINK_RUN & set(edge[1][0])}
    return any(
        needed == wanted and (not virtual or virtual in each[1]) and (not kind or kind in each[0])
        for needed, each in edges
    )


@many
@given(node_tables())
def test_specs_found_by_dependency_agree_with_naive_walk(nodes: Nodes) -> None:
    graph = Graph([part("develop", nodes)])
    for wanted, virtual, kind in product(HASHES[:4], ("", "mpi"), ("", "build", "link")):
        virtuals, types = ((virtual,) if virtual else ()), ((kind,) if kind else ())
        found = nodes_having(graph, DependencyTerm(False, f"name-{wanted[0]}", virtuals, types))
        expected = {node_hash for node_hash in nodes if depends(nodes, node_hash, wanted, virtual, kind)}
        assert {graph.hash(number) for number in found} == expected, (wanted, virtual, kind)
