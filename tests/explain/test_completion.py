"""What a half-written query may go on with."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.explain.completion import Completion, completions
from cachetui.explain.offers import Rest
from cachetui.explain.unknown_values import unknown_values
from cachetui.query.errors import QueryError
from cachetui.query.query import Query
from cachetui.search.index import Index
from tests.support.rows import VARIED, index_of, row


@pytest.fixture(scope="module")
def index() -> Index:
    return index_of(VARIED)


def offered(index: Index, text: str, limit: int | None = 50) -> list[str]:
    """The whole texts that the completions make; `|` is the cursor, at the end where there is none."""
    before, _, behind = text.partition("|")
    text = before + behind
    return [text[: each.start] + each.text + text[each.end :] for each in completions(index, text, len(before), limit)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hd", ["hdf5", "hdf5-vol"]),
        ("hdf5", ["hdf5-vol"]),
        ("mpi4", ["py-mpi4py"]),
        ("targ", ["target="]),
        ("com", ["compiler="]),  # no dependencies are recorded, so nothing is complete
        ("ta", []),
        ("os", ["os="]),
        ("tag", ["tag="]),
        ("hd| os=rhel8", ["hdf5 os=rhel8"]),
        ("hd|f %gcc", ["hdf5 %gcc", "hdf5-vol %gcc"]),
        ("hdf5@", ["hdf5@1.14.3", "hdf5@1.9.2"]),
        ("hdf5@1.1", ["hdf5@1.14.3"]),
        ("hdf5@1.9:1.1", ["hdf5@1.9:1.14.3"]),
        ("hdf5@1.14:1", ["hdf5@1.14:1.14.3"]),
        ("hdf5@1.9.2,=1", ["hdf5@1.9.2,=1.14.3", "hdf5@1.9.2,=1.9.2"]),
        ("hdf5@| os=rhel8", ["hdf5@1.9.2 os=rhel8"]),
        ("hdf5 %gcc @", ["hdf5 %gcc @1.14.3", "hdf5 %gcc @1.9.2"]),
        ("@", []),
        ("hdf5+", ["hdf5+mpi"]),
        ("hdf5~m", ["hdf5~mpi"]),
        ("hdf5 -m", ["hdf5 -mpi"]),
        ("hdf5+mpi~", ["hdf5+mpi~cuda"]),
        ("zlib +", ["zlib +shared"]),
        ("hdf5%g", ["hdf5%gcc", "hdf5%gcc@11.4.0", "hdf5%gcc@13.2.0"]),
        ("hdf5 %gcc@", ["hdf5 %gcc@13.2.0", "hdf5 %gcc@11.4.0"]),
        ("hdf5 %onea", ["hdf5 %intel-oneapi-compilers", "hdf5 %intel-oneapi-compilers@2023.0.0"]),
        ("hdf5 %oneapi@", ["hdf5 %intel-oneapi-compilers@2023.0.0"]),
        ("hdf5 os=", ["hdf5 os=ubuntu22.04", "hdf5 os=rhel8", "hdf5 os=ubuntu20.04"]),
        ("hdf5 os!=ub", ["hdf5 os!=ubuntu22.04", "hdf5 os!=ubuntu20.04"]),
        ("hdf5 os=rhel8,ub", ["hdf5 os=rhel8,ubuntu22.04", "hdf5 os=rhel8,ubuntu20.04"]),
        ("hdf5@1.9 stack=", ["hdf5@1.9 stack=e4s"]),
        ("hdf5 stack=h", ["hdf5 stack=hep"]),
        ("hdf5 tag=v", ["hdf5 tag=v0.20.0"]),
        ("hdf5 target=x86_64_v3:z", ["hdf5 target=x86_64_v3:zen4"]),
        ("hdf5 compiler=gcc@1", ["hdf5 compiler=gcc@11.4.0", "hdf5 compiler=gcc@13.2.0"]),
        ("hdf5 fits=z", ["hdf5 fits=zen4"]),
        ("hdf5 fits=rhel", ["hdf5 fits=linux-rhel8-zen4"]),
        ("zlib fits=linux-rhel8", ["zlib fits=linux-rhel8-x86_64_v3"]),
        ("hdf5 fits=zen4 fits=z", []),  # one host is all that a query may name
        ("hdf5 build_type=", ["hdf5 build_type=Release"]),
        ("hdf5 cuda_arch=70,8", ["hdf5 cuda_arch=70,80"]),
        ("hdf5 cu", ["hdf5 cuda_arch="]),
        ("hdf5 os=rhel8 ta", ["hdf5 os=rhel8 target=", "hdf5 os=rhel8 tag="]),
        ("hdf5 os=rhel8 o", []),
        ("/2feo", ["/2feova4prghd2gkebr23if6bojkyydpt"]),
        ("hdf5-vol/2feo", ["hdf5-vol/2feova4prghd2gkebr23if6bojkyydpt"]),
        ("hdf5/2feo", []),
        ("/2f", []),
        ("hdf5 ^", []),
        ("hdf5 os=nowhere %gcc@1", ["hdf5 os=nowhere %gcc@13.2.0", "hdf5 os=nowhere %gcc@11.4.0"]),
        ("hdf5 stack!= %gcc@13", ["hdf5 stack!= %gcc@13.2.0"]),
    ],
)
def test_completions(index: Index, text: str, expected: list[str]) -> None:
    assert offered(index, text) == expected


FUZZY = [
    ("hdf5 %gcc@13", ["hdf5 %gcc@13.2.0"]),
    ("hdf5 +mpi %gcc@1", ["hdf5 +mpi %gcc@13.2.0", "hdf5 +mpi %gcc@11.4.0"]),
    ("hdf5 os=rh", ["hdf5 os=rhel8"]),
]


@pytest.mark.parametrize(("text", "expected"), FUZZY)
def test_in_the_query_line_the_rest_is_read_with_its_fuzzy_name(index: Index, text: str, expected: list[str]) -> None:
    offers = completions(index, text, len(text), fuzzy_name=True)
    assert [text[: each.start] + each.text for each in offers] == expected


def test_a_whole_key_comes_before_the_names_that_hold_its_letters() -> None:
    names = index_of([row(package=name) for name in ("boost", "py-os-tools", "stack-tools")])
    assert offered(names, "os")[:2] == ["os=", "py-os-tools"]
    assert offered(names, "stack") == ["stack=", "stack-tools"]


def test_compilers_are_offered_by_how_many_specs_they_built_and_none_last() -> None:
    compilers = ["cce@15", "gcc@11", "gcc@12", "none", "none", "none", "llvm@16"]
    built = index_of([row(version=str(number), compiler=each) for number, each in enumerate(compilers)])
    assert offered(built, "%")[:4] == ["%gcc", "%cce", "%llvm", "%none"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hdf5 stak=e4s", ["hdf5 stack=e4s"]),
        ("hdf5 stak=e4|s os=rhel8", ["hdf5 stack=e4s os=rhel8"]),
        ("stak!=e4s", ["stack!=e4s"]),
        ("buildtype=Release", ["build_type=Release"]),
        ("stack=nothinglikeit", []),
        ("build_type=nothinglikeit", []),
        ("qqqqqq=e4s", []),
    ],
)
def test_a_key_that_there_is_not_is_mended(index: Index, text: str, expected: list[str]) -> None:
    assert offered(index, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "hdf5-vol %gcc@13",  # only hdf5 has it
        "hdf5 +mpi %intel-oneapi-compilers@2023",  # only the build without mpi has it
        "hdf5 %gcc@9",
        "hdf5@1.15",
        "hdf5 os=rhel8 target=x86_64_v",  # on rhel8 there is zen4 alone
        "hdf5~mpi os=ub|",
        "zlib +mp",
    ],
)
def test_what_is_typed_well_is_never_replaced_by_something_like_it(index: Index, text: str) -> None:
    typed = text.removesuffix("|")
    for whole in offered(index, typed):
        assert whole.startswith(typed)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hdf5 fits=linux-rhel8-zen3", []),
        ("hdf5 fits=linux-rhel8-z", ["hdf5 fits=linux-rhel8-zen4"]),
        ("hdf5 fits=linux-debian12-x86", ["hdf5 fits=linux-debian12-x86_64_v3"]),
        ("hdf5 fits=zen5", []),
        ("hdf5 target=:zen5", []),
        ("hdf5 mpi=true", []),
        ("hdf5 arch=linux-rhel8-zen4", []),
    ],
)
def test_what_is_whole_gets_only_what_goes_on_with_it(index: Index, text: str, expected: list[str]) -> None:
    assert [each for each in offered(index, text) if each.startswith(text)] == expected
    assert offered(index, text) == expected


def test_a_host_is_mended_in_the_part_that_is_mistyped(index: Index) -> None:
    assert offered(index, "hdf5 fits=linux-rhel8-zne3")[0] == "hdf5 fits=linux-rhel8-zen3"
    assert offered(index, "hdf5 fits=linux-rehl8-zen4")[0] == "hdf5 fits=linux-rhel8-zen4"
    assert offered(index, "hdf5 arch=linux-rehl8-zen4")[0] == "hdf5 arch=linux-rhel8-zen4"


def test_an_arch_is_offered_as_rows_have_it(index: Index) -> None:
    found = offered(index, "hdf5 arch=li")
    assert found
    assert all(index.rows(Query.parse(text)) for text in found)
    assert offered(index, "hdf5 arch=linux-")[0] == found[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hdf5@1.9 os=ubunut22.04", ["ubuntu22.04", "ubuntu20.04"]),  # it is on rhel8 alone
        ("hdf5@1.9 stack=hpe", ["hep"]),
        ("zlib os=ubuntu21.04", ["ubuntu22.04", "ubuntu20.04"]),  # as near are both
        ("hdf5 tag=v0.20.0 os=ubuntu21.04", ["ubuntu20.04", "ubuntu22.04"]),
    ],
)
def test_what_was_meant_is_offered_as_it_is_explained_though_the_rest_leaves_none(
    index: Index, text: str, expected: list[str]
) -> None:
    offers = [each.rpartition("=")[2] for each in offered(index, text)]
    assert offers[: len(expected)] == expected
    near = unknown_values(index, Query.parse(text))[0].near
    assert list(near) == offers[: len(near)]


def mended_words(text: str, limit: int | None = None) -> list[str]:
    """What is offered, in a query line, for the word at the cursor."""
    old = row(version="1.8", os="rhel8", variants=["~doca", "~docb", "api=v114", "api=v112"], stacks=["e4s", "e4 s"])
    new = row(version="1.14.3", compiler="llvm@17.0.1", variants=["~docb", "api=v114"], stacks=["e4s"])
    index = index_of([old, new, row("hf-d5x", variants=[]), row("py-hdf5", variants=[])])
    before, _, behind = text.partition("|")
    offers = completions(index, before + behind, len(before), limit, fuzzy_name=True)
    return [offer.text for offer in offers]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hdf5 os=rehl8,ubunut22.04|", ["ubuntu22.04"]),
        ("hdf5 os=ubunut22.04|,rehl8", ["ubuntu22.04"]),
        ("hdf5 stack=e4_s", ["e4s", "'e4 s'"]),
        ("hdf5@1.14 ~docx", ["~doca", "~docb"]),
        ("hdf5@1.14 api=v113", ["v114", "v112"]),  # no slip: first what 1.14 has
        ("hdf5 api=v111,v114|", []),
        ("hdf5 %clang", ["llvm", "llvm@17.0.1"]),
        ("hfd5", ["hf-d5x", "hdf5"]),
        ("hdf5", ["py-hdf5"]),  # a name that has its letters in this order is another one
    ],
)
def test_a_word_that_nothing_has_gets_the_nearest_first_and_one_that_is_there_what_goes_on(
    text: str, expected: list[str]
) -> None:
    assert mended_words(text) == expected
    assert mended_words(text, limit=1) == expected[:1]


@pytest.mark.parametrize(
    "text",
    [
        "hdf5@1@",
        "hdf5@1:1:1",
        "hdf5@@1@",
        "@@1 hdf5",
        "hdf5 complete=y",
    ],
)
def test_no_mistake_is_completed(index: Index, text: str) -> None:
    assert offered(index, text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hdf5 @@1", ["hdf5 @1", "hdf5 @1.14.3", "hdf5 @1.9.2"]),
        ("hdf5@@1.14", ["hdf5@1.14", "hdf5@1.14.3"]),
        ("hdf5 @@", ["hdf5 @1.14.3", "hdf5 @1.9.2"]),
        ("hdf5 @@99", ["hdf5 @99"]),
        ("hdf5@1,,1.14.3", ["hdf5@1,1.14.3"]),
        ("hdf5 //2fe", ["hdf5 /2fe"]),
        ("hdf5 %%g", ["hdf5 %gcc", "hdf5 %gcc@11.4.0", "hdf5 %gcc@13.2.0"]),
        ("hdf5 %%%gcc@@13", ["hdf5 %gcc@13", "hdf5 %gcc@13.2.0"]),
        ("hdf5 os==rh", ["hdf5 os=rhel8"]),
        ("hdf5 +++mpi", ["hdf5 +mpi"]),
        ("hdf5 ++mp", ["hdf5 ++mpi"]),
        ("hdf5 target=zen4::x", ["hdf5 target=zen4:x86_64_v3"]),
        ("hdf5 @@1 os=rh", ["hdf5 @@1 os=rhel8"]),
    ],
)
def test_of_a_sign_typed_twice_one_is_taken_away(index: Index, text: str, expected: list[str]) -> None:
    assert offered(index, text) == expected


def test_the_number_is_limited(index: Index) -> None:
    assert len(offered(index, "", limit=2)) == 2
    assert len(offered(index, "", limit=None)) == 4


def test_what_is_misspelt_is_offered_in_its_place(index: Index) -> None:
    assert completions(index, "hdf5 os=ubutnu22.04", 19)[0] == Completion(8, 19, "ubuntu22.04")


@given(st.text("hdf5 @%+~=,:/!'osmpi1.\x00é", max_size=14), st.integers(0, 14))
def test_any_text_is_borne_and_only_the_word_at_the_cursor_changes(text: str, cursor: int) -> None:
    cursor = min(cursor, len(text))
    for each in completions(SHARED, text, cursor):
        assert 0 <= each.start <= cursor <= each.end <= len(text)


SHARED = index_of(VARIED)


def test_a_value_of_odd_letters_is_offered_as_it_must_be_written(index: Index) -> None:
    texts = offered(index, "zlib stack=")
    assert len(texts) == 2
    for text in texts:
        assert len(index.rows(Query.parse(text))) == 1


def test_what_is_offered_can_be_read(index: Index) -> None:
    for start in ("", "hdf5@", "hdf5+", "hdf5 %", "hdf5 os=", "hdf5 cuda_arch=", "/2fe", "hdf5 target=zen4,"):
        for text in offered(index, start):
            try:
                assert index.rows(Query.parse(text)), text
            except QueryError as error:
                pytest.fail(f"{text}: {error}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("tag=develop +m", "tag=develop +mpi"), ("tag=develop cuda_arch=7", "tag=develop cuda_arch=70")],
)
def test_rows_that_the_query_does_not_take_are_not_looked_at_where_it_goes_on(
    index: Index, text: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def known_variants(rest: Rest) -> Counter[str]:
        raise AssertionError(rest)

    monkeypatch.setattr(Rest, "known_variants", property(known_variants))
    assert offered(index, text)[0] == expected
