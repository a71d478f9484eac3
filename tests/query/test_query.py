"""The query language: matching, errors, printing and editing of queries."""

import json
import re
import time
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from cachetui.query.parser import QueryError
from cachetui.query.query import Query
from cachetui.query.terms import TOKENS, AnyValue, CompilerTerm, HashTerm, NameTerm, ValueTerm, token
from cachetui.settings.settings import Settings
from tests.support import naive
from tests.support.places import QUERIES
from tests.support.rows import index_of
from tests.support.strategies import CHARACTERS, one_of_each

ROWS: list[dict[str, Any]] = json.loads((QUERIES / "rows.json").read_text())
ANSWERS: dict[str, Any] = json.loads((QUERIES / "answers.json").read_text())
ASKED = (QUERIES / "queries.txt").read_text().splitlines()

VALUES: dict[str, list[str]] = {
    "os": sorted({row["os"] for row in ROWS}),
    "platform": sorted({row["platform"] for row in ROWS}),
    "target": sorted({row["target"] for row in ROWS}),
    "compiler": sorted({row["compiler"] for row in ROWS}),
    "stack": sorted({stack for row in ROWS for stack in row["stacks"]}),
    "tag": sorted({row["tag"] for row in ROWS}),
}


INDEX = index_of(ROWS)


def taken(query: Query) -> list[str]:
    return sorted(f"{spec.tag}/{spec.hash}" for spec in map(INDEX.spec, INDEX.rows(query)))


def read(text: str, *, fuzzy_name: bool = False) -> Query | QueryError:
    try:
        return Query.parse(text, fuzzy_name=fuzzy_name)
    except QueryError as error:
        return error


def error_of(text: str, *, fuzzy_name: bool = False) -> QueryError:
    with pytest.raises(QueryError) as caught:
        Query.parse(text, fuzzy_name=fuzzy_name)
    return caught.value


# Matching


def test_every_query_in_the_list_has_an_expected_result() -> None:
    assert sorted(ASKED) == sorted(ANSWERS)


@pytest.mark.parametrize("text", [text for text in ASKED if isinstance(ANSWERS[text], list)])
def test_query_selects_the_expected_specs(text: str) -> None:
    query = Query.parse(text)
    assert taken(query) == ANSWERS[text]
    assert query.line == text
    assert Query.parse(str(query)) == query


@pytest.mark.parametrize("text", [text for text in ASKED if not isinstance(ANSWERS[text], list)])
def test_error_of_invalid_query_has_a_column(text: str) -> None:
    assert 0 <= error_of(text).column <= len(text)


def test_empty_query_selects_all_specs() -> None:
    query = Query.parse("  ")
    assert not query
    assert len(taken(query)) == len(ROWS)
    assert str(query) == query.line == ""


@pytest.mark.parametrize(
    ("text", "value", "takes"),
    [
        ("%oneapi", "intel-oneapi-compilers@2025.1.0", True),
        ("%intel-oneapi-compilers@2024", "oneapi@=2024.2.1", True),
        ("%llvm", "clang@=15.0.7", True),
        ("%intel", "intel-oneapi-compilers-classic@2021.10.0", True),
        ("%oneapi", "intel-oneapi-compilers-classic@2021.10.0", False),
        ("%none", "none", True),
        ("%none", "", True),
        ("%none", None, False),
        ("%gcc", None, False),
        ("compiler=gcc", "gcc@=11.4.0", True),
        ("compiler=gcc@=11.4.0", "gcc@11.4.0", True),
        ("compiler=gcc@11", "gcc@11.4.0", False),
        ("compiler=arm,none", "none", True),
        ("compiler=arm", "acfl@24.10", True),
        ("compiler!=gcc@7.5.0", "gcc@=7.5.0", False),
        ("compiler!=gcc@7.5.0", None, True),
        ("compiler!=none", "gcc@7.5.0", True),
        ("os=a,b", "b", True),
        ("os!=a,b", "b", False),
        ("os!=a,b", "c", True),
        ("os!=a", None, True),
        ("os=a", None, False),
        ("os='a b'", "a b", True),
        ("os=a,,", "", True),
        ("target=x86_64", "x86_64_v3", False),
        ("target=x86_64_v3:", "zen3", True),
        ("target=haswell:", "zen3", False),
        ("target=:", "of-tomorrow", True),
        ("target=zen2:", "of-tomorrow", False),
        ("target=of-tomorrow,zen2:", "of-tomorrow", True),
        ("target!=x86_64_v3:", "zen3", False),
        ("target!=x86_64_v3:", None, True),
        ("target='a\\:b'", "a:b", True),
        ("target='None'", "None", True),
        ("os='default_os'", "default_os", True),
        ("tag=None", "None", True),
        ("arch=x86_64_v3", "x86_64_v3", True),
        ("stack=e4s,hep", ["hep", "root"], True),
        ("stack!=hep,e4s", ["hep", "root"], False),
        ("stack!=hep", [], True),
        ("tag=a,b", "b", True),
        ("@1.2", "1.1,1.2.3", True),
        ("@:", None, False),
        ("/2feo", "2feova4prghd2gkebr23if6bojkyydpr", True),
        ("/2feo", None, False),
        ("x:=a,b", ["x:=b,a"], True),
        ("x:=a,b", ["x=a,b,c"], False),
        ("compiler:=GCC", ["compiler=GCC"], True),
        ("x=*", ["~x"], True),
        ("x=*", ["xy=1"], False),
        ("x='*'", ["x=1"], True),
        ("x=true", ["+x"], True),
        ("x==FALSE", ["~x"], True),
        ("x=on", ["+x"], False),
        ("+x", ["x=true"], False),
        ("x='it\\'s'", ['x="it\'s"'], True),
        ("patches=*", ["patches=7a9a4f1"], True),
    ],
)
def test_query_term_matches_exactly_the_expected_values(text: str, value: Any, takes: bool) -> None:
    (term,) = Query.parse(text).terms
    assert term.matches(value) is takes


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("hdf5@1.14%gcc+mpi build_type=Release os=a /abc", "name version compiler variant variant os hash"),
        ("arch=linux-rhel8-zen3", "platform os target"),
        ("architecture=None-rhel8-None", "os"),
        ("os='' cflags='' target=\"\" fits='' arch=''", ""),
        ("os=a os!=b os!=c stack=a stack=b tag!=x", "os os os stack stack tag"),
        ("%gcc compiler!=gcc@7.5.0", "compiler compiler"),
        ("hdf5-mpi -mpi", "name variant"),
        ("@1.14:target=zen3", "version target"),
        ("@1:a-b=c", "version variant"),
    ],
)
def test_query_is_split_into_terms_with_keys(text: str, keys: str) -> None:
    query = Query.parse(text)
    assert [term.key for term in query.terms] == keys.split()
    assert all(text[term.start : term.end] == term.typed for term in query.terms)


# Errors


@pytest.mark.parametrize(
    ("text", "column", "word"),
    [
        ("hdf5 zlib", 5, "two package names: hdf5, zlib; expected one name at the start, +zlib"),
        ("hdf5 +mpi 7zip", 10, "names: hdf5, 7zip"),
        ("hdf5 1.14rc1", 5, "hdf5, 1.14rc1"),
        ("hdf5 fits", 5, "hdf5, fits"),
        ("hdf5 and zlib", 5, "hdf5, and"),
        ("cflags='' hdf5", 10, "hdf5 after other terms"),
        ("cuda_arch=70, 80", 14, "80 after other terms"),
        ("@1 @2", 3, "@2 contradicts @1; expected only one of them"),
        ("%gcc %llvm", 5, "a second compiler; expected one %compiler"),
        ("%c,cxx=gcc", 0, "language"),
        ("/a /b", 3, "/b contradicts /a; expected only one of them"),
        ("+x ~x", 3, "one of them"),
        ("+x x=1", 3, "x=1 contradicts +x"),
        ("os=a operating_system=b", 5, "operating_system=b contradicts os=a"),
        ("arch=linux-a-zen3 target=zen3", 18, "one of them"),
        ("os=a arch=linux-a-zen3", 5, "one of them"),
        ("tag=a tag=b", 6, "one of them"),
        ("fits=nonsense", 5, "nonsense"),
        ("fits=zen3 fits=zen2", 10, "one of them"),
        ("hdf5 fits=linux-debian12-fits=linux-rhel8-zen3", 10, "PLATFORM-OS-TARGET"),
        ("target==zen3", 6, "target=="),
        ("os:=a", 2, "cannot read os:=; expected os=VALUE"),
        ("stack==a", 5, "stack=="),
        ("x=a,none", 4, "none"),
        ("x=none,none", 2, "none"),
        ("x=*,a", 2, "*"),
        ("x:=*", 3, "expected x=* for any value"),
        ("^zlib", 0, "dependencies"),
        ("^", 0, "no dependency"),
        ("] hdf5", 0, "']'"),
        ("+os", 1, "'os'"),
        ("~cflags", 1, "'cflags'"),
        ("target=None", 7, "target=None is not a condition"),
        ("arch=None", 5, "None"),
        ("os=a,fe", 5, "fe"),
        ("target!=default_target", 8, "default_target"),
        ("arch=linux-backend-zen3", 5, "backend"),
        ("cflags=-O2", 0, "compiler flags"),
        ("target=zen2,zen9x:", 12, "no target 'zen9x'; expected zen"),
        ("target=zen2:zen3:zen4", 7, "two colons"),
        ("target!=zen9x:", 8, "zen9x"),
        ("@3:1", 1, "ends before it begins"),
        ("@1.14:=1.15", 6, "exact"),
        ("%gcc@3:1", 5, "ends before it begins"),
        ("%none@1", 6, "%none"),
        ("compiler=*", 9, "compiler=* is not a list of compilers; expected a list"),
        ("compiler=gcc@11:12", 15, "%gcc@11:12"),
        ("compiler==gcc", 8, "compiler=="),
        ("k = v", 2, "space"),
        ("k= v", 1, "space"),
        ("@ 1 : 2", 4, "':"),
        ("*hdf5*", 0, "'*hdf5*'"),
        ("x='a", 2, "never closed"),
        ("x=", 2, "x= has no value"),
        ("compiler=", 9, "compiler= has no value"),
        ("x!=a", 1, "x takes no '!='"),
        ("fits!=zen3", 4, "fits takes no '!='"),
        ("./hdf5.json", 0, "file"),
        ("/a/b.yaml", 0, "file"),
        ("=hdf5", 0, "KEY=VALUE"),
        ("hdf5@", 4, "version"),
        ("hdf5+", 4, "variant"),
    ],
)
def test_query_error_states_column_and_expected_term(text: str, column: int, word: str) -> None:
    error = error_of(text)
    assert error.column == column
    assert word in f"{error.message}; expected {error.expected}"
    assert str(error) == f"{error.message} (column {column + 1}); expected {error.expected}"


# Fuzzy names


@pytest.mark.parametrize("text", ["=", "= hdf5", "@1 = hdf5", "@1 =", "hdf5 =zlib", "=hdf5", "=hdf5 =zlib", "@1=hdf5"])
def test_equals_sign_before_name_is_an_error(text: str) -> None:
    error_of(text, fuzzy_name=True)


# Printing and changing


def test_query_is_printed_in_canonical_order() -> None:
    text = "builtin.hdf5 /abc stack!=x tag=t stack=b,a x='c,c++' ~mpi target=zen2,x86_64_v3: %clang@=15 @2,1"
    assert str(Query.parse(text)) == (
        "builtin.hdf5@1,2 ~mpi x=c,c++ target=zen2,x86_64_v3: stack=a,b stack!=x tag=t /abc %llvm@=15"
    )


def test_editing_a_query_keeps_typed_text_of_other_terms() -> None:
    text = "hdf5@1.14+mpi  os='a'  arch=linux-None-zen3 %  gcc@ 11"
    query = Query.parse(text)
    assert query.line == "hdf5@1.14+mpi os='a' arch=linux-None-zen3 %  gcc@ 11"
    (target,) = query.terms_of("target")
    assert query.without(target).line == "hdf5@1.14+mpi os='a' platform=linux %  gcc@ 11"
    assert query.without_key("version").line == "hdf5 +mpi os='a' arch=linux-None-zen3 %  gcc@ 11"
    behind = Query.parse("hdf5 ^mpich stack=a os=b", has_graph=True)
    assert behind.line == "hdf5 stack=a os=b ^mpich"  # after ^mpich, os= would apply to mpich
    assert behind.without_key("os").line == "hdf5 ^mpich stack=a"
    assert behind.without_key("os").with_term(CompilerTerm("gcc")).line == "hdf5 stack=a %gcc ^mpich"
    compilers = Query.parse("hdf5 %gcc@11 %clang %oneapi", has_graph=True)
    (version,) = Query.parse("@1.14").terms
    assert compilers.with_term(version).line == "hdf5 %gcc@11 @1.14 %clang %oneapi"


TOOLCHAINS = Settings(
    toolchains_of=lambda _: {
        "gnu": [{"spec": "%c=gcc@12", "when": "%c"}, {"spec": "%cxx=gcc@13"}, {"spec": "cflags=-O2"}],
        "old": "%gcc@12",
        "far": "%c=gcc ^zlib",
        "late": "%c=gcc +pic",
        "fine": "%c=",
    }
)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("hdf5 %gnu", "hdf5 cflags='-O2' %[virtuals=c when='%c'] gcc@12 %cxx=gcc@13"),
        ("hdf5 @1.2 %% old", "hdf5@1.2 %gcc@12"),
        ("hdf5 %old ^zlib %gnu", "hdf5 %gcc@12 ^zlib cflags='-O2' %[virtuals=c when='%c'] gcc@12 %cxx=gcc@13"),
        ("hdf5 %gcc %c=old", "hdf5 %gcc %c=old"),
    ],
)
def test_toolchain_is_expanded_to_its_terms(text: str, canonical: str) -> None:
    query = Query.parse(text, has_graph=True, settings=TOOLCHAINS)
    assert str(query) == canonical
    edited = query.with_term(ValueTerm.of("os", ["rhel8"])).without_key("version")
    for each in (query, edited, edited.without(edited.terms[-1])):
        assert Query.parse(each.line, has_graph=True, settings=TOOLCHAINS) == each
        assert Query.parse(str(each), has_graph=True) == each
    assert sorted(query.line.split()) == sorted(text.split())


@pytest.mark.parametrize("name", ["old@1", "far", "late", "fine"])
def test_unsupported_toolchain_is_an_error(name: str) -> None:
    with pytest.raises(QueryError, match=r"toolchain.* \(column 6\)"):
        Query.parse(f"hdf5 %{name}", has_graph=True, settings=TOOLCHAINS)


def test_narrower_term_matches_a_subset_of_the_wider_term() -> None:
    texts = ["cuda_arch:=70", "cuda_arch:=70,80", "cuda_arch=70,80", "@1", "@1:1.12", "@1.12:1", "@2:", "%gcc@11"]
    terms = {term for text in (*ASKED, *texts) if isinstance(query := read(text), Query) for term in query.terms}
    rows = {term: INDEX.term_rows(term) for term in terms}
    # on pages, `os=*` selects only an os with the name `*`
    others = [term for term in terms if not isinstance(term, ValueTerm) or AnyValue() not in term.words]
    pairs = [(one, other) for one in terms for other in others if one != other and one.implies(other)]
    assert len(pairs) > 400
    assert not [(one.text, other.text) for one, other in pairs if not rows[one] <= rows[other]]


def test_added_term_replaces_conflicting_term() -> None:
    query = Query.parse("hdf5 +mpi fits=zen3 /abc")
    for text, line in [
        ("zlib", "zlib +mpi fits=zen3 /abc"),
        ("~mpi", "hdf5 ~mpi fits=zen3 /abc"),
        ("/def", "hdf5 +mpi fits=zen3 /def"),
        ("os=a", "hdf5 +mpi fits=zen3 /abc os=a"),
        ("fits=linux-rhel9-zen2", "hdf5 +mpi fits=linux-rhel9-zen2 /abc"),
    ]:
        assert query.with_term(Query.parse(text).terms[0]).line == line
    assert Query.parse("-mpi").with_term(NameTerm("hdf5")).line == "hdf5 -mpi"
    assert Query().with_term(HashTerm("abc")).line == "/abc"


@pytest.mark.parametrize(
    ("text", "facet", "value", "line"),
    [
        ("hdf5 +mpi", "os", "rhel8", "hdf5 +mpi os=rhel8"),
        ("os=rhel8 +mpi", "os", "amzn2", "os=amzn2,rhel8 +mpi"),
        ("os=amzn2,rhel8", "os", "amzn2", "os=rhel8"),
        ("hdf5 os=rhel8 +mpi", "os", "rhel8", "hdf5 +mpi"),
        ("os!=rhel8,amzn2", "os", "rhel8", "os!=amzn2 os=rhel8"),
        ("%gcc@11: +mpi", "compiler", "gcc@13.2.0", "compiler=gcc@=11.4.0,gcc@12.1.0 +mpi"),
        ("%gcc@11", "compiler", "none", "compiler=gcc@11.4.0,none"),
        ("compiler=gcc", "compiler", "gcc@12.1.0", "compiler=gcc@11.4.0,gcc@13.2.0"),
        ("target=x86_64_v3:,aarch64", "target", "zen3", "target=aarch64,x86_64_v3"),
        ("target=x86_64_v3:", "target", "aarch64", "target=aarch64,x86_64_v3:"),
        ("target=x86_64_v3: target!=zen3", "target", "zen3", "target=x86_64_v3:"),
        ("stack=a stack=b", "stack", "c", "stack=a stack=b,c"),
        ("stack=a,b", "stack", "a", "stack=b"),
        ("tag=develop", "tag", "v1.0.0", "tag=develop,v1.0.0"),
        ("arch=linux-rhel8-zen3", "os", "rhel8", "platform=linux target=zen3"),
        ("os=rhel8", "os", "odd, one's", "os='odd\\, one\\'s,rhel8'"),
        ("os=rhel8", "os", "", "os=,rhel8"),
        ("%gcc compiler=gcc@11.4.0,gcc@12.1.0 +x", "compiler", "gcc@12.1.0", "compiler=gcc@11.4.0 +x"),
        ("+mpi", "os", "", "+mpi os=,"),
        ("os=a", "os", "None", "os='None,a'"),
    ],
)
def test_toggling_a_value_adds_or_removes_it_in_the_query(text: str, facet: str, value: str, line: str) -> None:
    values = {
        "compiler": ["gcc@=11.4.0", "gcc@12.1.0", "gcc@13.2.0", "none"],
        "target": ["aarch64", "x86_64", "x86_64_v3", "zen3"],
    }.get(facet, [value])
    query = Query.parse(text).toggled(facet, value, values)
    assert query.line == Query.parse(line.replace("gcc@=", "gcc@")).line


def test_query_lists_its_selected_and_excluded_values() -> None:
    targets = ["aarch64", "x86_64", "x86_64_v3", "zen3"]
    query = Query.parse("target=x86_64: target!=zen3 stack=a stack=b")
    assert query.selected("target", targets) == {"x86_64", "x86_64_v3"}
    assert query.excluded("target", targets) == {"zen3"}
    assert query.selected("stack", "abc") == {"a", "b"}
    assert query.selected("os", ["rhel8"]) == query.excluded("os", ["rhel8"]) == frozenset()


@pytest.mark.parametrize(
    ("text", "value", "line"),
    [
        ("+mpi", "a", "+mpi os!=a"),
        ("os!=a", "b", "os!=a,b"),
        ("os!=a,b", "a", "os!=b"),
        ("+mpi os!=a", "a", "+mpi"),
        ("os=a", "a", "os!=a"),
        ("os=a,b", "a", "os=b os!=a"),
    ],
)
def test_toggling_an_exclusion_adds_or_removes_the_excluded_value(text: str, value: str, line: str) -> None:
    assert Query.parse(text).toggled("os", value, ["a", "b", "c"], excluded=True).line == line


def test_toggling_exclusion_keeps_a_term_that_matches_nothing() -> None:
    query = Query.parse("%gcc@1").toggled("compiler", "acfl@24", ["acfl@24"], excluded=True)
    assert query.line == "%gcc@1 compiler!=acfl@24"


# Any text, any query

briefly = settings(deadline=None)

PARTS = [
    *("@1.14", "@ 1.10:1.12", "@=2.3,:1", "@git.main", "@:", "@1.14,git.main"),
    *("%gcc", "% gcc @ 11:", "%clang@=15.0.7", "%none"),
    *("+mpi", "~ shared", "-cuda", "++hl", "build_type=Release", "cuda_arch:=70,80", "languages='c,c++'"),
    *("compiler=gcc", "compiler!=gcc@=7.5.0,none", "generator=*", "api==v18", "x='a b'", 'y="it\'s"'),
    *("os=ubuntu22.04,rhel8", "os!=amzn2", "operating_system=sles15", "platform=linux", "tag=develop"),
    *(
        "target=x86_64_v3:",
        "target=zen3,:haswell",
        "target!=aarch64",
        "arch=linux-rhel8-zen3",
        "arch=None-rhel8-None",
    ),
    *("stack=e4s,hep", "stack=root", "stack!=hep", "tag!=v1", "fits=linux-rhel9-icelake", "/2f"),
]


MOST = 6
LAYOUTS = one_of_each(
    name=["", "hdf5", "builtin.gcc", "py-numpy"],
    spaces=list(product(["", " ", "  "], repeat=MOST)),
    fuzzy=[False, True],
)


@st.composite
def queries(draw: st.DrawFn) -> Query:
    """Draw a query with a name and terms that do not conflict."""
    layout = draw(LAYOUTS)
    pieces = draw(st.lists(st.sampled_from(PARTS), max_size=MOST, unique=True))
    query = read(text := layout["name"], fuzzy_name=layout["fuzzy"])
    for space, piece in zip(layout["spaces"], pieces, strict=False):
        longer = read(f"{text}{space}{piece}", fuzzy_name=layout["fuzzy"])
        if isinstance(longer, Query):
            query, text = longer, f"{text}{space}{piece}"
    assert isinstance(query, Query)
    return query


def read_back(query: Query, text: str) -> Query:
    return Query.parse(text, fuzzy_name=query.package is not None and query.package.fuzzy)


@briefly
@given(queries())
def test_random_query_survives_printing_and_parsing(query: Query) -> None:
    assert read_back(query, str(query)) == read_back(query, query.line) == query
    assert str(read_back(query, str(query))) == str(query)


@briefly
@given(queries(), st.data())
def test_removing_and_adding_a_term_again_restores_the_query(query: Query, data: st.DataObject) -> None:
    assume(query)
    term = data.draw(st.sampled_from(query.terms))
    shorter = query.without(term)
    assert frozenset(shorter.terms) == frozenset(query.terms) - {term}
    assert shorter.with_term(term) == query


@briefly
@given(queries(), st.data())
def test_query_edited_many_times_survives_printing_and_parsing(query: Query, data: st.DataObject) -> None:
    for _ in range(4):
        facet = data.draw(st.sampled_from(list(VALUES)))
        value = data.draw(st.sampled_from(VALUES[facet]))
        query = data.draw(
            st.sampled_from(
                [
                    query.toggled(facet, value, VALUES[facet]),
                    query.toggled(facet, value, VALUES[facet], excluded=True),
                    query.with_term(Query.parse("~mpi").terms[0]),
                    query.with_term(NameTerm("zlib")),
                    *map(query.without, query.terms),
                ]
            )
        )
        assert read_back(query, str(query)) == read_back(query, query.line) == query


@briefly
@given(queries())
def test_query_selects_same_specs_as_naive_search(query: Query) -> None:
    assert taken(query) == sorted(f"{row['tag']}/{row['hash']}" for row in ROWS if naive.satisfies(query, row))


@briefly
@given(queries(), st.sampled_from(list(VALUES)), st.data())
def test_toggling_a_value_twice_gives_same_query(query: Query, facet: str, data: st.DataObject) -> None:
    values = VALUES[facet]
    value = data.draw(st.sampled_from(values))
    selected = query.selected(facet, values)
    assume(value not in query.excluded(facet, values))
    assume(selected or all(isinstance(term, ValueTerm) and term.excluded for term in query.terms_of(facet)))
    assume(facet != "stack" or value not in selected or len(query.terms_of("stack")) == 1)
    once = query.toggled(facet, value, values)
    same = {other for other in values if ValueTerm.of(facet, [other]) == ValueTerm.of(facet, [value])}
    assert once.selected(facet, values) == selected ^ same
    assert once.without_key(facet) == query.without_key(facet)
    twice = once.toggled(facet, value, values)
    assert twice.selected(facet, values) == selected
    assert taken(twice) == taken(query)


@briefly
@given(st.one_of(st.text(CHARACTERS), st.text(st.sampled_from("ab1@%+~-=:,.!/^*'\"\\ []os\n"))), st.booleans())
@example("a@\n1 @\n2", False)
def test_arbitrary_text_is_a_query_or_one_line_error(text: str, fuzzy_name: bool) -> None:
    found = read(text, fuzzy_name=fuzzy_name)
    if isinstance(found, QueryError):
        assert 0 <= found.column <= len(text)
        assert len(str(found).splitlines()) == 1
    else:
        assert Query.parse(str(found), fuzzy_name=fuzzy_name) == found
        assert Query.parse(found.line, fuzzy_name=fuzzy_name) == found


LONG = [
    "a",
    ".",
    "a/",
    "/a",
    "a.",
    "1:",
    "@1,",
    "@1.",
    "@a ",
    "+a ",
    "%a",
    " ",
    "x=a,",
    "x='\\,",
    "\\",
    "stack=a ",
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hdf5 @@1.14", "a single '@', such as @1.14"),
        ("hdf5@>=1.14", "@1.14: for 1.14 and newer, @:1.14 for 1.14 and older"),
        ("hdf5>=1.14", "@1.14: for 1.14 and newer"),
        ("hdf5@~1.14", "versions such as @1.14, which includes 1.14.3"),
        ("hdf5 //2feova4", "a single '/' before a hash"),
        ("hdf5 %%", "a compiler after '%'"),
        ("hdf5@1.14,", "a value after each ',' of a list"),
        ("hdf5, zlib", "a space between terms"),
        ("hdf5 !mpi", "~mpi for a variant that is off"),
        ("hdf5 | zlib", "a list such as os=A,B for one of these values"),
        ("hdf5 (mpi)", "terms without brackets"),
        ("hdf5 +mpi=true", "a variant is +mpi or mpi=true"),
        ("hdf5 mpi", "+mpi for a variant, or ^mpi for a dependency"),
        ("hdf5 fits=zen33", "zen3 or "),
    ],
)
def test_query_syntax_of_other_tools_gets_a_hint(text: str, expected: str) -> None:
    error = error_of(text)
    assert expected in error.expected
    assert len(str(error)) < 150  # fits two lines of a small terminal


@pytest.mark.parametrize("piece", LONG)
@pytest.mark.parametrize("head", ["", "@1", "x='", "target=", "compiler="])
def test_long_query_is_parsed_in_linear_time(head: str, piece: str) -> None:
    text = head + piece * (50_000 // len(piece))
    start = time.process_time()
    found = read(text)
    if isinstance(found, QueryError):
        assert len(str(found)) < 1000
    else:
        assert Query.parse(str(found)) == found
    assert time.process_time() - start < 1


@pytest.mark.parametrize("text", ["^zlib", "+x", "^zlib +x"])
def test_query_with_too_many_terms_is_refused(text: str) -> None:
    with pytest.raises(QueryError, match="a shorter query"):
        Query.parse(" ".join(f"{text}{k}" for k in range(50_000)), fuzzy_name=True, has_graph=True)


@pytest.mark.parametrize("text", ["^mpi tag=a tag=b", "^mpi complete=yes complete=yes", "tag=a ^mpi tag=b"])
def test_query_with_dependency_term_and_several_tags_is_refused(text: str) -> None:
    with pytest.raises(QueryError, match="one of them"):
        Query.parse(text, has_graph=True)


def test_dependency_term_accepts_only_one_compiler() -> None:
    with pytest.raises(QueryError, match="%gcc@12 contradicts %gcc@13"):
        Query.parse("hdf5 ^zlib %gcc@13 +shared %gcc@12", has_graph=True)
    assert len(Query.parse("hdf5 %gcc ^zlib %gcc %clang ^mpich %gcc %c=gcc", has_graph=True).terms) == 4


PIECES = [
    *("hdf5", "os", "compiler", "!=", "=", ":=", "==", "@", "1.2", "%", "[", "]", "virtuals=c", "c,cxx=", "^", "/"),
    *(".", "-", "~~", "+", "'", '"', ",", ":", "git.a/b", ".json", " ", "\N{NO-BREAK SPACE}", "\n", "\\"),
]


@given(st.lists(st.sampled_from(PIECES) | CHARACTERS, min_size=1, max_size=8).map("".join))
def test_tokenizer_uses_first_matching_pattern(text: str) -> None:
    for at in range(len(text)):
        matches = ((kind, re.compile(pattern, re.DOTALL).match(text, at)) for kind, _, _, pattern in TOKENS)
        expected = next(((kind, match.groupdict()) for kind, match in matches if match), None)
        found = token(text, at)
        assert (found and (found[0], found[1].groupdict())) == expected
