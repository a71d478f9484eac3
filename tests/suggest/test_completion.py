"""Completions of the word at the cursor."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.suggest.completion import completions, readable, term_at
from tests.support.caches import CACHES, index_of_folder
from tests.support.rows import VARIED, index_of, row

INDEX = index_of(VARIED)


def completed(index: Index, text: str, *, fuzzy_name: bool = False) -> list[str]:
    """Return the completed texts. `|` marks the cursor; without this mark, the cursor is at the end."""
    before, _, behind = text.partition("|")
    text = before + behind
    return [
        text[: each.start] + each.text + text[each.end :]
        for each in completions(index, text, len(before), fuzzy_name=fuzzy_name)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a name, or a key
        ("", ["hdf5", "hdf5-vol", "py-mpi4py", "zlib"]),
        ("hd", ["hdf5", "hdf5-vol"]),
        ("HD", ["hdf5", "hdf5-vol"]),
        ("hdf5", ["hdf5-vol"]),
        ("mpi4", ["py-mpi4py"]),
        ("hfd5", ["hdf5"]),
        ("targ", ["target="]),
        ("com", ["compiler="]),  # complete= needs recorded dependencies
        ("ta", ["target=", "tag=", "stack="]),
        ("os", ["os="]),
        ("tag", ["tag="]),
        ("stak", ["stack="]),
        ("hd| os=rhel8", ["hdf5 os=rhel8"]),
        ("hd|f %gcc", ["hdf5 %gcc", "hdf5-vol %gcc"]),
        ("| os=rhel8", ["hdf5 os=rhel8"]),
        ("zl| os=rhel8", []),
        # a key
        ("os=rhel8 ", [f"os=rhel8 {key}=" for key in ("platform", "target", "compiler", "stack", "tag", "fits")]),
        ("hdf5 +mpi b", ["hdf5 +mpi build_type="]),
        ("hdf5 cu", ["hdf5 cuda_arch="]),
        ("hdf5 os=rhel8 ta", ["hdf5 os=rhel8 target=", "hdf5 os=rhel8 tag=", "hdf5 os=rhel8 stack="]),
        ("hdf5 os=rhel8 o", ["hdf5 os=rhel8 platform=", "hdf5 os=rhel8 compiler="]),
        # a version
        ("hdf5@", ["hdf5@1.14.3", "hdf5@1.9.2"]),
        ("hdf5@1.1", ["hdf5@1.14.3"]),
        ("hdf5@9", ["hdf5@1.9.2"]),
        ("hdf5@1.15", ["hdf5@1.14.3", "hdf5@1.9.2"]),
        ("hdf5@1.9:1.1", ["hdf5@1.9:1.14.3"]),
        ("hdf5@1.9.2,=1", ["hdf5@1.9.2,=1.14.3", "hdf5@1.9.2,=1.9.2"]),
        ("hdf5@| os=rhel8", ["hdf5@1.9.2 os=rhel8"]),
        ("@", []),
        # a variant
        ("hdf5+", ["hdf5+mpi"]),
        ("hdf5~m", ["hdf5~mpi"]),
        ("hdf5 -m", ["hdf5 -mpi"]),
        ("hdf5 ++p", ["hdf5 ++mpi"]),
        ("hdf5+mpi~", ["hdf5+mpi~cuda"]),
        ("hdf5+mpi+", []),
        ("zlib +", ["zlib +shared"]),
        ("zlib +sharde", ["zlib +shared"]),
        ("zlib +mp", []),
        # a compiler, and its version
        ("hdf5%g", ["hdf5%gcc", "hdf5%gcc@13.2.0", "hdf5%gcc@11.4.0"]),
        ("hdf5 %gcc@", ["hdf5 %gcc@13.2.0", "hdf5 %gcc@11.4.0"]),
        ("hdf5 %gcc @", ["hdf5 %gcc @13.2.0", "hdf5 %gcc @11.4.0"]),
        ("hdf5 %gcc@12", ["hdf5 %gcc@13.2.0", "hdf5 %gcc@11.4.0"]),
        ("hdf5-vol %gcc@13", ["hdf5-vol %gcc@11.4.0"]),
        ("hdf5 %onea", ["hdf5 %intel-oneapi-compilers", "hdf5 %intel-oneapi-compilers@2023.0.0"]),
        ("hdf5 %oneapi", ["hdf5 %intel-oneapi-compilers", "hdf5 %intel-oneapi-compilers@2023.0.0"]),
        ("hdf5 %oneapi@", ["hdf5 %oneapi@2023.0.0"]),
        ("hdf5 os=nowhere %gcc@1", []),
        ("hdf5 stack!= %gcc@13", ["hdf5 stack!= %gcc@13.2.0"]),
        ("hdf5 compiler=gcc@1", ["hdf5 compiler=gcc@13.2.0", "hdf5 compiler=gcc@11.4.0"]),
        ("hdf5 compiler=oneapi@", ["hdf5 compiler=intel-oneapi-compilers@2023.0.0"]),
        ("hdf5 compiler=gcc@12", ["hdf5 compiler=gcc@13.2.0", "hdf5 compiler=gcc@11.4.0"]),
        # a value
        ("hdf5 os=", ["hdf5 os=ubuntu22.04", "hdf5 os=rhel8", "hdf5 os=ubuntu20.04"]),
        ("hdf5 os!=ub", ["hdf5 os!=ubuntu22.04", "hdf5 os!=ubuntu20.04"]),
        ("hdf5 os=rhel8,ub", ["hdf5 os=rhel8,ubuntu22.04", "hdf5 os=rhel8,ubuntu20.04"]),
        ("hdf5 os==rh", ["hdf5 os==rhel8"]),
        ("hdf5 os=ubunut22.04", ["hdf5 os=ubuntu22.04", "hdf5 os=ubuntu20.04"]),
        ("hdf5@1.9 os=ubunut22.04", []),  # this binary is only on rhel8
        ("hdf5@1.9 stack=", ["hdf5@1.9 stack=e4s"]),
        ("hdf5 stack=h", ["hdf5 stack=hep"]),
        ("zlib stack=a", ["zlib stack='a b'"]),
        ("hdf5 tag=v", ["hdf5 tag=v0.20.0", "hdf5 tag=develop"]),
        ("hdf5 target=x86_64_v3:z", ["hdf5 target=x86_64_v3:zen4"]),
        ("hdf5 fits=z", ["hdf5 fits=zen4", "hdf5 fits=linux-rhel8-zen4"]),
        ("hdf5 fits=rhel", ["hdf5 fits=linux-rhel8-zen4"]),
        ("hdf5 fits=linux-rehl8-zen4", ["hdf5 fits=linux-rhel8-zen4"]),
        ("zlib fits=linux-rhel8", []),
        ("hdf5 arch=linux-r", ["hdf5 arch=linux-rhel8-zen4"]),
        ("hdf5 complete=y", []),
        ("hdf5 build_type=", ["hdf5 build_type=Release"]),
        ("hdf5 cuda_arch=70,8", ["hdf5 cuda_arch=70,80"]),
        ("hdf5 cuda_arch:=7", ["hdf5 cuda_arch:=70"]),
        ("hdf5 stak=e4s", []),
        # a hash
        ("/2feo", ["/2feova4prghd2gkebr23if6bojkyydpt"]),
        ("hdf5-vol/2feo", ["hdf5-vol/2feova4prghd2gkebr23if6bojkyydpt"]),
        ("/2fevo", ["/2feova4prghd2gkebr23if6bojkyydpt"]),
        ("hdf5/2feo", []),
        ("/2f", []),
        # texts without completions
        ("hdf5 ^", []),
        ("hdf5 !!", []),
        ("@@1 hdf5", []),
    ],
)  # fmt: skip
def test_word_at_cursor_gets_expected_completions(text: str, expected: list[str]) -> None:
    assert completed(INDEX, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bt-app ^bt-mp", ["bt-mpich"]),
        ("bt-app ^[virtuals=mpi] bt-op", ["bt-openmpi"]),
        ("bt-app ^mp", ["mpi", "bt-mpich", "bt-openmpi", "compiler-wrapper"]),
        ("bt-app ^bt-core@2", ["2.0-rc1"]),
        ("bt-app ^bt-core +p", ["pic"]),
        ("bt-app %gc", ["gcc", "gcc@12.2.0"]),
        ("bt-app %%c=gc", ["gcc", "gcc@12.2.0"]),
        ("bt-app %[when='+mpi'] gc", ["gcc", "gcc@12.2.0"]),
        ("bt-core %clang", ["llvm", "llvm@14.0.6"]),
        ("bt-app comp", ["compiler=", "complete="]),
    ],
)
def test_dependency_terms_are_completed_if_recorded(text: str, expected: list[str]) -> None:
    index = index_of_folder(CACHES / "v3/spack-1.1.0/develop/btest")
    assert [each.text for each in completions(index, text, len(text))] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hdf %gcc@13", ["hdf %gcc@13.2.0"]),
        ("hdf os=rh", ["hdf os=rhel8"]),
        ("mpi4p stack=", ["mpi4p stack=e4s"]),
    ],
)
def test_terms_after_fuzzy_package_name_are_completed(text: str, expected: list[str]) -> None:
    assert completed(INDEX, text, fuzzy_name=True) == expected


def test_compilers_are_sorted_by_spec_count_with_value_none_last() -> None:
    compilers = ["cce@15", "gcc@11", "gcc@9", "none", "none", "none", "llvm@16"]
    built = index_of([row(version=str(number), compiler=each) for number, each in enumerate(compilers)])
    assert [each.text for each in completions(built, "%", 1)] == [
        *["gcc", "cce", "llvm", "none"],
        *["llvm@16", "gcc@11", "gcc@9", "cce@15"],
    ]


def test_number_of_completions_is_limited() -> None:
    assert len(completions(INDEX, "", 0, 2)) == 2
    assert len(completions(INDEX, "", 0, None)) == 4


@given(st.text("hdf5 @%+~=,:/!^'osmpi1.\x00é", max_size=14), st.integers(0, 14))
def test_completion_replaces_only_word_at_cursor(text: str, cursor: int) -> None:
    cursor = min(cursor, len(text))
    _, match, end = term_at(text, cursor)
    for each in completions(INDEX, text, cursor):
        assert match is not None
        assert match.start() <= each.start <= cursor <= each.end == end <= len(text)


def test_completed_query_matches_specs() -> None:
    for start in ("", "hdf5@", "hdf5+", "hdf5 %", "hdf5 os=", "zlib stack=", "hdf5 cuda_arch=", "/2fe", "hdf5 arch="):
        texts = completed(INDEX, start)
        assert texts
        for text in texts:
            assert INDEX.rows(Query.parse(text)), text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hdf5 +mpi os=rhel8", "hdf5 +mpi os=rhel8"),
        ("hdf5 @@1 os=rhel8", "hdf5"),
        ("hdf5 +mpi zlib ,rhel8", "hdf5 +mpi"),
        ("!! stack='a", ""),
        ("hdf5 " + "!! " * 1000, "hdf5"),
        ("", ""),
    ],
)
def test_completion_ignores_text_after_query_error(text: str, expected: str) -> None:
    assert str(readable(text, fuzzy_name=False, has_graph=False)) == expected


def test_equally_frequent_variant_values_are_completed_in_recorded_order() -> None:
    words = [f"sm_{number}" for number in range(10, 22)]
    index = index_of([row(variants=[f"cuda_arch={','.join(words)}"])])
    assert completed(index, "hdf5 cuda_arch=") == [f"hdf5 cuda_arch={word}" for word in words]
