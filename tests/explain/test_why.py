"""Why a query takes nothing: counts against a straight loop, what is unknown, what is near."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from pyroaring import BitMap

from cachetui.explain.mending import mended_parts
from cachetui.explain.nearest_builds import FailureCounts, NearestBuild, nearest_builds
from cachetui.explain.unknown_values import MOST_EXPLAINED, unknown_values
from cachetui.explain.why import counts_without, why_nothing
from cachetui.query.errors import QueryError
from cachetui.query.parse import MOST_PARTS, MOST_VALUES
from cachetui.query.parts.variants import VariantPart
from cachetui.query.query import Query
from cachetui.search.index import Index
from tests.support.places import QUERIES
from tests.support.rows import VARIED, index_of, row


@pytest.fixture(scope="module")
def many() -> Index:
    return index_of(json.loads((QUERIES / "rows.json").read_text()))


@pytest.fixture(scope="module")
def few() -> Index:
    return index_of(
        [
            row(compiler="gcc@11.4.0"),
            row(compiler="gcc@13.2.0"),
            row(version="1.12.2", compiler="oneapi@=2023.0.0", os="rhel8", stacks=["hep", "root"]),
            row(tag="v0.20.0", os="ubuntu20.04", target="zen4"),
            row("zlib", "1.3.1", variants=["+shared"]),
            row("py-mpi4py", "4.0.1", variants=[]),
        ]
    )


@pytest.mark.parametrize("name", ["zlbi", "hdf55"])
def test_the_nearest_name_is_the_same_for_a_value_and_for_a_build(few: Index, name: str) -> None:
    query = Query.parse(name)
    (unknown,) = unknown_values(few, query)
    why = why_nothing(few, query)
    assert few.spec(why.nearest[0].row).package == unknown.near[0] == why.without[0].instead[0]
    assert unknown.near[0] == {"zlbi": "zlib", "hdf55": "hdf5"}[name]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("hdf5zlib", ("zlib", "hdf5")),
        ("zlibhdf5", ("hdf5", "zlib")),
        ("zlibng", ("zlib-ng", "zlib")),
        ("hdf5r", ("hdf5",)),
    ],
)
def test_of_a_name_typed_behind_another_both_are_near_the_last_one_first(name: str, near: tuple[str, ...]) -> None:
    index = index_of([row("hdf5"), row("zlib"), row("zlib-ng"), row("r")])
    (unknown,) = unknown_values(index, Query.parse(name))
    assert unknown.near[: len(near)] == near


def test_the_nearest_by_name_stands_before_a_newer_version_of_another_name() -> None:
    index = index_of([row("hdf5", "1.14"), row("hdf", "4.2"), row("hdfview", "9")])
    for name in ("hdff5", "hdf55"):
        (best, *_) = nearest_builds(index, Query.parse(name))
        assert index.spec(best.row).package == unknown_values(index, Query.parse(name))[0].near[0] == "hdf5"


def test_where_only_the_tag_differs_the_newest_tag_is_the_nearest() -> None:
    tags = ["develop-2025-04-06", "develop-2025-04-20", "v0.20.0"]
    index = index_of([row(tag=tag, version=f"1.{9 - k}") for k, tag in enumerate(tags)])
    (best, *_) = nearest_builds(index, Query.parse("hdf5 tag=develop-2025-05-04"))
    assert index.spec(best.row).tag == "develop-2025-04-20"


def phrases(index: Index, text: str) -> list[str]:
    return [value.phrase for value in unknown_values(index, Query.parse(text))]


def differences(builds: list[NearestBuild]) -> list[list[str]]:
    return [[each.phrase for each in build.differences] for build in builds]


def test_counts_and_nearest_builds_agree_with_a_straight_loop(many: Index) -> None:
    compared = 0
    for text in (QUERIES / "queries.txt").read_text().splitlines():
        try:
            query = Query.parse(text)
        except QueryError:
            continue
        explanation = why_nothing(many, query, limit=50)
        for without in explanation.without:
            others = Query(tuple(part for part in query.parts if part != without.part))
            specs = {many.columns.hash[row] for row in many.rows(others)}
            assert without.specs == len(specs), (text, without)
        if not many.rows(query):
            counts = {each.part: each.specs for each in counts_without(many, query)}
            assert counts == {each.part: each.specs for each in explanation.without}
        assert [each.specs for each in explanation.without] == sorted(
            (each.specs for each in explanation.without), reverse=True
        )
        for build in explanation.nearest:
            failed = [part for part in query.parts if build.row not in many.part_rows(part)]
            assert [each.part for each in build.differences] == failed, text
        compared += len(explanation.nearest)
    assert compared > 100


def test_no_other_build_of_the_package_is_nearer(many: Index) -> None:
    query = Query.parse("hdf5 %gcc@99 os=nowhere +mpi")
    number = many.package_number("hdf5")
    assert number is not None
    fewest = min(sum(row not in many.part_rows(part) for part in query.parts) for row in many.package_rows(number))
    found = nearest_builds(many, query)
    assert found
    assert {len(build.differences) for build in found} == {fewest}


def test_a_part_says_what_is_there_instead(few: Index) -> None:
    (best, *_) = why_nothing(few, Query.parse("hdf5@1.14 %gcc@12 tag=develop")).without
    assert (best.specs, best.phrase) == (2, "%gcc@12; there are gcc@11.4.0, gcc@13.2.0")


def test_that_there_is_no_compiler_is_not_taken_for_the_word() -> None:
    index = index_of([row(compiler="none"), row(compiler="none", version="1"), row("zlib")])
    found = why_nothing(index, Query.parse("hdf5 %gcc"))
    (of_compiler,) = (each.phrase for each in found.without if each.part.key == "compiler")
    assert of_compiler == "%gcc; there is %none (no compiler)"
    assert [each.phrase for build in found.nearest for each in build.differences] == ["no compiler for %gcc"]


def test_of_builds_that_do_not_have_a_variant_it_is_said_that_it_is_one() -> None:
    index = index_of([row(variants=["+hl"]), row(variants=["+hl", "~mpi"], os="rhel8")])
    found = why_nothing(index, Query.parse("hdf5 +mpi os=ubuntu22.04"))
    assert "+mpi; there is no variant mpi" in [each.phrase for each in found.without]
    assert "no variant mpi for +mpi" in [each.phrase for build in found.nearest for each in build.differences]


def test_what_others_have_is_said_of_the_others_where_some_are_left() -> None:
    index = index_of([row("hdf5", variants=("+mpi",)), row("hdf5", variants=("~mpi",)), row("hdf5", variants=())])
    said = [each.phrase for each in why_nothing(index, Query.parse("hdf5 +mpi")).without]
    assert "+mpi; the others have ~mpi, no variant mpi" in said


@pytest.mark.parametrize(
    ("text", "is_fuzzy", "said"),
    [
        ("hdf5 os=rhel9", False, "hdf5"),
        ("hdf5 os=rhel9", True, "hdf5"),
        ("hdff5 os=rhel9", False, "hdff5; there is hdf"),
    ],
)
def test_no_other_name_is_offered_for_a_package_that_there_is(text: str, said: str, *, is_fuzzy: bool) -> None:
    index = index_of([row("hdf5", os="rhel8"), row("lhapdf", os="rhel9"), row("hdf", os="rhel9")])
    parts = why_nothing(index, Query.parse(text, fuzzy_name=is_fuzzy)).without
    assert [part.phrase for part in parts if part.part.key == "name"] == [said]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hdf5 +mpi os=ubuntu22.04", []),
        ("hdf55", ["no package hdf55; nearest: hdf5"]),
        ("builtin.hdf5 stack=e4", ["no stack e4; nearest: e4s"]),
        ("other.hdf5", ["no package other.hdf5; nearest: hdf5"]),
        ("hdf5 os=ubuntu22.4", ["no os ubuntu22.4; nearest: ubuntu22.04, ubuntu20.04"]),
        ("hdf5 os!=amzn2", ["no os amzn2 to leave out"]),
        ("hdf5 platform=linus", ["no platform linus; nearest: linux"]),
        ("hdf5 target=zen5,zen4", ["no target zen5; nearest: zen4"]),
        ("hdf5 target=icelake", ["no target icelake; nearest: x86_64_v3"]),
        ("hdf5 target=icelaek", ["no target icelaek; nearest: x86_64_v3"]),
        ("hdf5 target=qqq", ["no target qqq"]),
        ("hdf5 tag=v0.20", ["no tag v0.20; nearest: v0.20.0"]),
        ("hdf5 %gccc", ["no compiler gccc; nearest: gcc"]),
        ("hdf5 %gcc@12", ["no compiler gcc@12; nearest: gcc@11.4.0, gcc@13.2.0"]),
        ("hdf5 %gcc@1.14.3", ["no compiler gcc@1.14.3; did you mean @1.14.3 %gcc?"]),
        ("hdf5 %gcc@1", ["no compiler gcc@1; nearest: gcc@11.4.0, gcc@13.2.0"]),
        ("hdf5@1.14 %gcc@1.14.3", ["no compiler gcc@1.14.3; nearest: gcc@11.4.0, gcc@13.2.0"]),
        ("%gcc@1.14.3", ["no compiler gcc@1.14.3; nearest: gcc@11.4.0, gcc@13.2.0"]),
        ("hdf5 compiler=clang", ["no compiler llvm (clang before Spack 1.0)"]),
        ("hdf5 %llvm@15", ["no compiler llvm@15 (clang before Spack 1.0)"]),
        ("hdf5 %oneapi", []),
        ("hdf5+mpii", ["hdf5 has no variant +mpii; nearest: +mpi"]),
        ("hdf5~mpi", ["no hdf5 with ~mpi: all have +mpi"]),
        ("hdf5 build_type=Debug", ["no hdf5 with build_type=Debug: all have build_type=Release"]),
        ("mpi=on", ["no spec with mpi=on: all that say so have +mpi"]),
        ("hdf5 build_type=Relase", ["hdf5 has no variant build_type=Relase; nearest: build_type=Release"]),
        ("+mpii", ["no variant +mpii; nearest: +mpi"]),
        ("@2", ["no package has version 2"]),
        ("@1.3", []),
        ("hdf5os=rhel8", ["no variant hdf5os=rhel8; a blank is missing: hdf5 os=rhel8"]),
        ("chaos=deep", ["no variant chaos=deep"]),
        ("stak=e4s", ["no variant stak=e4s; did you mean stack=e4s?"]),
        ("hdf5 taget=zen3", ["hdf5 has no variant taget=zen3; did you mean target=zen3?"]),
        ("hdf5 compilr=gcc", ["hdf5 has no variant compilr=gcc; did you mean compiler=gcc?"]),
        ("hdf5 foo=bar", ["hdf5 has no variant foo=bar"]),
        ("e4s", ["no package e4s; did you mean stack=e4s?"]),
        ("target", ["no package target; did you mean target=?"]),
        ("sta", ["no package sta; did you mean stack=?"]),
        ("%gccc@11", ["no compiler gccc@11; did you mean %gcc@11?"]),
        ("%gccc@99", ["no compiler gccc@99; nearest: gcc@13.2.0, gcc@11.4.0"]),
        ("st", ["no package st"]),
        ("rhel9", ["no package rhel9; did you mean os=rhel9?"]),
        ("hdf5-1.14.3", ["no package hdf5-1.14.3; did you mean hdf5@1.14.3?"]),
        ("hdf5 target=linux", ["no target linux; did you mean platform=linux?"]),
        ("hdf5 arch=linux", ["no arch linux; did you mean platform=linux?"]),
        ("hdf5 os!=hep", ["no os hep to leave out; did you mean stack!=hep?"]),
        ("hdf5 stack=develop", ["no stack develop; did you mean tag=develop?"]),
        ("hdf5 version=1.14", ["hdf5 has no variant version=1.14; did you mean @1.14?"]),
        ("hdf5 hash=2feova4", ["hdf5 has no variant hash=2feova4; did you mean /2feova4?"]),
        ("hdf5==1.14", ["no variant hdf5=1.14; did you mean hdf5@1.14?"]),
        ("hdf5 compiler=gcc11", ["no compiler gcc11; nearest: gcc@11.4.0, gcc@13.2.0"]),
        ("hdf5 %gcc-13", ["no compiler gcc-13; nearest: gcc@13.2.0, gcc@11.4.0"]),
        ("hdf5 buildtype=Release", ["hdf5 has no variant buildtype=Release; nearest: build_type"]),
        ("hdf5@2", ["hdf5 has no version 2; nearest: 1.14.3, 1.12.2"]),
        ("hdf5 stack=hep tag=v0.20.0", ["stack hep is not in this tag: it is in develop"]),
        ("zlib tag=v0.20.0", ["zlib is not in this tag: it is in develop"]),
        ("hdf5@1.12 tag=v0.20.0", ["version 1.12 of hdf5 is not in this tag: it is in develop"]),
        ("hdf5 stack=hep tag=v9", ["no tag v9"]),
    ],
)
def test_unknown_values(few: Index, text: str, expected: list[str]) -> None:
    assert phrases(few, text) == expected


@pytest.mark.parametrize(("text", "said"), [("2feova4", "; did you mean /2feova4?"), ("2feova", ""), ("2feova5", "")])
def test_a_hash_that_is_typed_as_a_name_is_known_as_one(text: str, said: str) -> None:
    index = index_of([row(hash="2feova4".ljust(32, "x"))])
    assert phrases(index, text) == [f"no package {text}{said}"]


def test_of_a_name_that_surely_means_one_package_the_rest_is_explained_too(few: Index) -> None:
    query = Query.parse("hfd5 stak=e4s", fuzzy_name=True)
    assert [value.phrase for value in unknown_values(few, query) if value.kind != "package"] == [
        "hdf5 has no variant stak=e4s; did you mean stack=e4s?"
    ]


def test_the_tags_of_many_rows_are_those_of_few(few: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ("hdf5 stack=hep tag=v0.20.0", "zlib tag=v0.20.0", "hdf5@1.12 tag=v0.20.0")
    asked_each = [phrases(few, text) for text in texts]
    monkeypatch.setattr("cachetui.explain.unknown_values.FEW", 0)
    assert [phrases(few, text) for text in texts] == asked_each


def test_of_a_fuzzy_name_the_package_that_is_called_so_says_what_is_near(few: Index) -> None:
    query = Query.parse("hdf5 +mpii", fuzzy_name=True)
    assert [value.phrase for value in unknown_values(few, query)] == ["hdf5 has no variant +mpii; nearest: +mpi"]


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("hdf5 %gcc@11.5", ("gcc@11.4.0", "gcc@11.1.0", "gcc@13.2.0")),
        ("hdf5 %gcc@14", ("gcc@13.2.0", "gcc@11.4.0", "gcc@11.1.0")),
        ("compiler=gc@11.4.0", ("gcc@11.4.0", "gcc@11.1.0", "gcc@13.2.0")),
        ("hdf5 %cgc@31.2.0", ("gcc@13.2.0", "gcc@11.4.0", "gcc@11.1.0")),
        ("hdf5@1.41.3", ("1.14.3", "1.14.5", "1.12.2")),
        ("hdf5@1.14.4", ("1.14.3", "1.14.5", "1.12.2")),
        ("hdf5@develpo", ("develop", "1.12.2", "1.14.3")),
        ("os=ubunut22", ("ubuntu22.04", "ubuntu20.04")),
        ("target=zen9", ("zen4", "zen3")),
    ],
)
def test_the_nearest_values_stand_best_first(text: str, near: tuple[str, ...]) -> None:
    index = index_of(
        [
            *(row(version=version) for version in ("1.12.2", "1.14.3", "1.14.5", "develop")),
            *(row(compiler=compiler) for compiler in ("gcc@11.1.0", "gcc@11.4.0", "gcc@13.2.0")),
            *(row(os=name) for name in ("rhel8", "ubuntu20.04", "ubuntu22.04")),
            *(row(target=name) for name in ("zen3", "zen4")),
        ]
    )
    (unknown,) = unknown_values(index, Query.parse(text))
    assert unknown.near == near


def test_the_nearest_build_has_what_was_misspelt_and_not_the_newest_of_all() -> None:
    index = index_of([row(version=version, os=name) for version, name in (("1", "ubuntu22.04"), ("2", "rhel9"))])
    (best, *_) = nearest_builds(index, Query.parse("hdf5 os=ubunut22"))
    assert index.spec(best.row).os == "ubuntu22.04"
    (best, *_) = nearest_builds(index, Query.parse("hdf5 os=rhel9,fedora40 /zzz"))
    assert index.spec(best.row).os == "rhel9"


def test_a_misspelt_hash_gets_its_nearest(few: Index) -> None:
    own = few.columns.hashes[0]
    (unknown,) = unknown_values(few, Query.parse(f"/{own[:5]}{'a' if own[5] != 'a' else 'b'}{own[6:12]}"))
    assert unknown.near == (own,)


def test_nearest_builds_have_only_the_differing_fields(few: Index) -> None:
    found = differences(nearest_builds(few, Query.parse("hdf5@1.14 %gcc@12 os=ubuntu22.04")))
    assert sorted(found) == [["gcc@11.4.0 for %gcc@12"], ["gcc@13.2.0 for %gcc@12"]]


def test_a_build_in_another_tag_comes_before_one_for_another_os(few: Index) -> None:
    found = differences(nearest_builds(few, Query.parse("hdf5@1.14 target=zen4 tag=develop os=ubuntu20.04")))
    assert found == [["v0.20.0 for tag=develop"]]


def test_a_misspelt_package_is_near_in_name(few: Index) -> None:
    found = nearest_builds(few, Query.parse("hdf55 %gcc@13"))
    assert differences(found) == [["hdf5 for hdf55"]]
    assert few.spec(found[0].row).compiler == "gcc@13.2.0"


def test_what_the_query_takes_comes_first_and_differs_in_nothing(few: Index) -> None:
    assert differences(nearest_builds(few, Query.parse("zlib"))) == [[]]


@pytest.mark.parametrize("text", ["", "stack=nobody", "nothing-like-it"])
def test_nothing_in_common_is_not_near(few: Index, text: str) -> None:
    assert nearest_builds(few, Query.parse(text)) == []


def test_an_empty_catalogue_has_no_explanation_but_says_what_is_unknown() -> None:
    explanation = why_nothing(index_of([]), Query.parse("hdf5 os=rhel8"))
    assert [each.specs for each in explanation.without] == [0, 0]
    assert [value.value for value in explanation.unknown] == ["hdf5", "rhel8"]
    assert explanation.nearest == ()


def test_the_counts_of_failures_agree_with_a_straight_loop() -> None:
    rows = BitMap(range(60))
    masks = [BitMap(row for row in rows if row % divisor) for divisor in (2, 3, 5, 7, 1, 1, 2)]
    failures = FailureCounts(rows, masks)
    counts = [sum(row not in mask for mask in masks) for row in rows]
    for number in range(len(masks) + 2):
        assert list(failures.exactly(number)) == [row for row in rows if counts[row] == number]
    assert failures.fewest() == (min(counts), BitMap(row for row in rows if counts[row] == min(counts)))
    assert FailureCounts(rows, []).fewest() == (0, rows)
    assert FailureCounts(BitMap(), masks).fewest()[1] == BitMap()


def test_the_work_of_an_explanation_grows_as_its_parts_do(many: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    takes = VariantPart.takes

    def counted(self: VariantPart, value: Iterable[str]) -> bool:
        nonlocal asked
        asked += 1
        return takes(self, value)

    monkeypatch.setattr(VariantPart, "takes", counted)
    lists = len(many.columns.tables["variants"])
    for number in (30, MOST_PARTS - 1):
        asked = 0
        query = Query.parse("hdf5 " + " ".join(f"+mpi{k}" for k in range(number)))
        why = why_nothing(many, query)
        assert len(why.without) == number + 1
        assert why.nearest
        assert asked <= number * lists


@pytest.mark.parametrize("text", ["+x{}", "stack=s{}", "stack!=s{}"])
def test_a_query_of_too_many_parts_is_refused(text: str) -> None:
    parts = [text.format(k) for k in range(MOST_PARTS + 1)]
    assert len(Query.parse(" ".join(parts[1:])).parts) == MOST_PARTS
    with pytest.raises(QueryError, match="more than 300 parts"):
        Query.parse(" ".join(parts))


def test_a_query_of_too_many_values_is_refused() -> None:
    values = [f"s{k}" for k in range(MOST_VALUES + 1)]
    assert Query.parse(f"stack={','.join(values[1:])}")
    with pytest.raises(QueryError, match="more than 2,000 values"):
        Query.parse(f"stack={','.join(values)}")


def test_only_the_first_of_many_unknown_values_come_with_what_is_near(few: Index) -> None:
    found = unknown_values(few, Query.parse("stack=" + ",".join(f"e4s{k}" for k in range(1000))))
    assert len(found) == 1000
    assert [bool(value.near) for value in found].count(True) == MOST_EXPLAINED


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("hdf5 +mpii", "+mpi"),
        ("hdf5 ~mpii", "~mpi"),
        ("hdf5 stak=e4s", "stack=e4s"),
        ("hdf5 os=rhel8,ubunut22.04", "os=rhel8,ubuntu22.04"),
        ("hdf5 build_type=Relase", "build_type=Release"),
        ("hfd5", "hdf5"),
        ("e4s", "stack=e4s"),
        ("hdf5os=rhel8", "hdf5 os=rhel8"),
        ("hdf5 fits=linux-rehl8-zen3", "fits=linux-rhel8-zen3"),
        ("hdf5 version=1.14", "@1.14"),
        ("hdf5 target=linux", "platform=linux"),
        ("hdf5 os=rhel8,e4s", None),
        ("hdf5=1.14", None),
        ("hdf5 +nothinglikeit", None),
        ("hdf5 stack=nothinglikeit", None),
    ],
)
def test_a_typing_error_is_mended(text: str, mended: str | None) -> None:
    (unknown,) = unknown_values(index_of(VARIED), Query.parse(text))
    assert " ".join(part.text for part in mended_parts(unknown)) == (mended or "")
