"""What tells specs apart that look alike in the list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cachetui.search.index import Index
from cachetui.tui.rows.differences import what_differs
from cachetui.tui.rows.listed_differences import Wording, in_common, said_of, said_with_tag
from tests.support.rows import in_tags, index_of, row

NEEDS: dict[str, Any] = {"dependencies": ["zlib@1"]}


def said(index: Index, rows: Iterable[int], *, newest: bool = True) -> Mapping[int, str]:
    """What is said of some rows; with a tag where one tells any of them apart."""
    difference = what_differs(index, rows)
    return said_with_tag(difference, rows, newest=newest) if difference.by_tag else said_of(index, difference, rows)


def told(*rows: dict[str, object]) -> list[str | None]:
    """What is said of each row, in the order of these rows."""
    index = index_of([each | {"hash": letter * 32} for each, letter in zip(rows, "abcdef", strict=False)])
    found = said(index, range(len(index)))
    by_hash = {index.spec(number).hash: text for number, text in found.items()}
    return [by_hash.get(letter * 32) for letter in "abcdef"[: len(rows)]]


def letter_of(index: Index, number: int) -> str:
    return (index.spec(number).hash or "")[:1]


def told_in_develop(index: Index) -> dict[str, str]:
    """What is said of each row of develop, by the letter of its hash."""
    rows = index.value_rows("tag", "develop")
    return {letter_of(index, number): text for number, text in said(index, rows).items()}


def test_variants_that_not_all_have_tell_apart() -> None:
    assert told(
        row(variants=["+mpi", "+cuda", "cuda_arch=80"]), row(variants=["~cuda", "+mpi"]), row(variants=["+mpi"])
    ) == ["+cuda cuda_arch=80", "~cuda", "fewer variants"]


def test_where_nothing_that_is_recorded_differs_dependencies_do_where_there_are_any() -> None:
    assert told(row(**NEEDS), row(**NEEDS), row(variants=["~mpi"], **NEEDS)) == [
        "+mpi ~cuda build_type=Release dependencies",
        "+mpi ~cuda build_type=Release dependencies",
        "~mpi",
    ]
    assert told(row(**NEEDS), row(**NEEDS)) == ["dependencies", "dependencies"]
    assert told(row(), row()) == [None, None]
    assert told(row(), row(), row(variants=["~mpi"]))[:2] == ["+mpi ~cuda build_type=Release"] * 2


def test_what_another_column_tells_apart_is_not_said() -> None:
    assert told(row(), row(target="zen3"), row(tag="v1.0")) == [None, None, None]
    alike = [
        (row(compiler="gcc@=11", **NEEDS), row(compiler="gcc@11", **NEEDS)),
        (row(variants=["patches:=a,b"], **NEEDS), row(variants=["patches=b,a"], **NEEDS)),
    ]
    for one, two in alike:
        assert told(one, two) == ["dependencies", "dependencies"]


def test_stacks_that_only_one_has_tell_those_with_the_same_variants_apart() -> None:
    assert told(row(stacks=["e4s", "hep", "root"]), row(stacks=["e4s", "ml", "tools", "root"])) == [
        "in hep",
        "in ml tools",
    ]
    assert told(row(stacks=["e4s", "root"]), row(stacks=["e4s", "hep", "root"], **NEEDS)) == [
        "only develop",
        "only develop in hep",
    ]
    assert told(row(stacks=["hep"]), row(), row(variants=["~mpi"])) == [
        "+mpi ~cuda in hep build_type=Release",
        "+mpi ~cuda in e4s build_type=Release",
        "~mpi in e4s",
    ]


def test_the_newest_other_tag_tells_apart_what_stacks_do_not() -> None:
    """Of two with the same tag, the stacks that only one has; of two with the same of all, what they need."""
    both: dict[str, Any] = {"stacks": ["e4s", "hep"]}
    builds = {
        "a": (row(), ["develop-2025-04-13", "develop-2025-04-06"]),
        "b": (row(), ["develop-2025-04-06"]),
        "c": (row(**both), ["develop-2025-04-06", "v1.0"]),
        "d": (row(), ["v1.0"]),
        "e": (row(**NEEDS), []),
        "f": (row(**NEEDS), []),
    }
    assert told_in_develop(index_of(in_tags(builds))) == {
        "a": "2025-04-13",
        "b": "2025-04-06",
        "c": "2025-04-06 in hep",
        "d": "v1.0",
        "e": "only develop dependencies",
        "f": "only develop dependencies",
    }


def test_any_two_rows_can_be_compared_by_the_variants_in_which_some_that_look_alike_differ() -> None:
    with_hl: dict[str, Any] = {"variants": ["+hl", "+mpi"]}
    without_hl: dict[str, Any] = {"variants": ["~hl", "+mpi"]}
    newer: dict[str, Any] = {"compiler": "gcc@14"}
    assert told(row(**with_hl), row(**without_hl), row(**newer, **with_hl), row(**newer, **with_hl)) == [
        "+hl",
        "~hl",
        "+hl",
        "+hl",
    ]
    assert told(row(**with_hl), row(**without_hl), row(**newer, **without_hl))[2] == "~hl"


def test_what_a_page_says_is_made_visible() -> None:
    assert told(row(variants=["a=\x1b[2J"]), row(variants=[])) == ["a=\\x1b[2J", "fewer variants"]


def test_a_long_variant_is_last_as_it_may_be_cut() -> None:
    patched = row(variants=["+hl", "patches:=82088c8", "+szip"])
    assert told(patched, row(variants=[]))[0] == "+hl +szip patches:=82088c8"


def test_the_day_stands_before_the_variants_and_these_before_the_stacks() -> None:
    """The same where the variants that all have are left out."""
    both: dict[str, Any] = {"stacks": ["e4s", "hep"]}
    builds = {
        "a": (row(), ["develop-2025-04-13"]),
        "b": (row(), ["develop-2025-04-06"]),
        "c": (row(**both), ["develop-2025-04-06"]),
        "d": (row(variants=["~mpi"]), []),
    }
    index = index_of(in_tags(builds))
    found = told_in_develop(index)
    assert found == {
        "a": "2025-04-13 +mpi ~cuda build_type=Release",
        "b": "2025-04-06 +mpi ~cuda build_type=Release",
        "c": "2025-04-06 +mpi ~cuda in hep build_type=Release",
        "d": "only develop ~mpi",
    }
    rows = index.value_rows("tag", "develop")
    shared = in_common(index, [number for number in rows if letter_of(index, number) in "abc"])
    assert shared == {"+mpi", "~cuda", "build_type=Release", "e4s"}
    less = said_with_tag(what_differs(index, rows), rows, Wording(shared), newest=True)
    texts = {letter_of(index, number): text for number, text in less.items()}
    assert [texts[letter] for letter in "abc"] == ["2025-04-13", "2025-04-06", "2025-04-06 in hep"]


def test_what_all_rows_have_does_not_differ() -> None:
    builds = [row(variants=["+hl", "+mpi"], **NEEDS)] * 2 + [row(variants=["+hl"]), row(variants=["+mpi"])]
    index = index_of([each | {"hash": letter * 32} for each, letter in zip(builds, "abcd", strict=True)])
    rows = range(len(index))
    less = said_of(index, what_differs(index, rows), rows, Wording(frozenset({"+mpi"})))
    texts = {letter_of(index, number): text for number, text in less.items()}
    assert [texts[letter] for letter in "abcd"] == ["+hl dependencies", "+hl dependencies", "+hl", "fewer variants"]


def test_a_stack_that_tells_any_row_apart_is_said_of_all_that_have_it() -> None:
    """Else a reader takes it that those have it not beside which it does not stand."""
    both: dict[str, Any] = {"stacks": ["e4s", "hep", "root"]}
    builds = {
        "a": (row(**both), ["develop-2025-04-06"]),
        "b": (row(stacks=["hep", "root"]), ["develop-2025-04-06"]),
        "c": (row(**both), ["develop-2025-04-13"]),
        "d": (row(target="zen4"), []),
        "e": (row(target="zen3", stacks=["hep"]), []),
    }
    index = index_of(in_tags(builds))
    assert told_in_develop(index) == {
        "a": "2025-04-06 in e4s",
        "b": "2025-04-06",
        "c": "2025-04-13 in e4s",
        "d": "only develop in e4s",
        "e": "only develop",
    }


def test_stacks_that_few_have_stand_first_and_the_variants_that_builds_are_chosen_by() -> None:
    """There may be room for few words."""
    same: dict[str, Any] = {"variants": ["+hl", "+cuda", "+mpi"]}
    builds = [
        row(**same, stacks=["alpha", "zeta"]),
        row(**same, stacks=[]),
        row(variants=["~mpi"]),
        *(row(target="zen4", stacks=["alpha"]) for _ in range(2)),
        row(target="zen3", stacks=["zeta"]),
    ]
    assert told(*builds) == [
        "only develop +mpi +cuda +hl in zeta alpha",
        "only develop +mpi +cuda +hl",
        "only develop ~mpi",
        *["only develop +mpi ~cuda in alpha"] * 2,
        "only develop +mpi ~cuda in zeta",
    ]


def test_variants_that_tell_apart_just_as_others_do_stand_last() -> None:
    """Those of the listed rows alone count; of a long one and a short one this stands first."""
    builds = [
        row(variants=["api=long-default", "+hl", "+mpi", "~other", "zip=1"], stacks=["a", "b"]),
        row(variants=["api=long-default", "+hl", "+mpi", "~other", "zip=1"], stacks=["a"]),
        row(variants=["~hl", "~mpi", "~other", "zip=2"], stacks=["a", "b"]),
        row(variants=["~hl", "+mpi", "+other"], stacks=["a", "b"], target="zen4"),
        row(variants=["~hl", "+mpi", "~other"], stacks=["a", "b"], target="zen4"),
    ]
    index = index_of([each | {"hash": letter * 32} for each, letter in zip(builds, "abcde", strict=True)])
    found = what_differs(index, range(len(index)))

    def listed(letters: str, *asked_for: str) -> list[str]:
        rows = [number for letter in letters for number in range(len(index)) if letter_of(index, number) == letter]
        return [*said_of(index, found, rows, Wording.of(index, rows, frozenset(asked_for))).values()]

    assert listed("abc") == [
        "+mpi in b +hl zip=1 api=long-default",
        "+mpi +hl zip=1 api=long-default",
        "~mpi in b ~hl zip=2",
    ]
    assert listed("abcde") == [
        "+mpi +hl ~other zip=1 in b api=long-default",
        "+mpi +hl ~other zip=1 api=long-default",
        "~mpi ~hl ~other zip=2 in b",
        "+mpi ~hl +other in b",
        "+mpi ~hl ~other in b",
    ]
    assert listed("d", "b") == ["+mpi ~hl +other"]


def test_where_stacks_alone_differ_no_variants_are_said_to_be_fewer() -> None:
    both: dict[str, Any] = {"stacks": ["e4s", "hep"]}
    assert told(row(**both), row(), row()) == ["in hep", "hash", "hash"]
    assert told(row(variants=["+hl"], **both), row(variants=[]), row(variants=[])) == ["+hl", *["fewer variants"] * 2]


def test_what_all_listed_rows_have_is_said_of_none() -> None:
    hep: dict[str, Any] = {"stacks": ["e4s", "hep"]}
    index = index_of([row(**hep), row(stacks=["e4s", "ml"]), row(**hep, target="zen4"), row(target="zen4")])
    rows = range(len(index))
    found = what_differs(index, rows)

    def listed(*shown: int) -> list[str]:
        said = said_of(index, found, shown, Wording(in_common(index, shown)))
        return [said.get(number, "nothing") for number in shown]

    of = {(*index.spec(number).stacks, index.spec(number).target): number for number in rows}
    one, other, third = of["e4s", "hep", "x86_64_v3"], of["e4s", "ml", "x86_64_v3"], of["e4s", "hep", "zen4"]
    assert listed(one, other, third) == ["in hep", "in ml", "in hep"]
    assert listed(one, third) == ["nothing"] * 2
    assert in_common(index, [one, third]) >= {"e4s", "hep", "+mpi"}


def test_one_row_alone_has_no_variants_in_common_with_others() -> None:
    rows = [row(variants=variants, stacks=[]) for variants in (["+mpi", "~cuda"], ["+mpi", "a=\x1b"], ["a=\x1b"])]
    index = index_of(rows)
    number_of = {index.spec(number).variants: number for number in range(len(index))}
    first, both, last = (number_of[each] for each in (("+mpi", "~cuda"), ("+mpi", "a=\x1b"), ("a=\x1b",)))
    assert in_common(index, [first]) == in_common(index, []) == frozenset()
    assert in_common(index, [first, both]) == {"+mpi"}
    assert in_common(index, [both, last]) == {"a=\\x1b"}, "as the list says them"
    assert in_common(index, [first, both, last]) == frozenset()


def test_a_spec_without_anything_of_its_own_says_whether_others_look_like_it() -> None:
    others = (row(), row(variants=["~mpi"]))
    plain: dict[str, Any] = {"variants": ["+hl"]}
    assert told(*others, row(target="zen4", **plain))[2] == "-"
    assert told(*others, row(target="zen3", **plain), row(target="zen3", **plain))[2:] == ["hash", "hash"]
    assert told(row(), row(target="zen4"), row(target="zen4")) == [None, None, None]


def test_where_no_weekly_tag_has_a_spec_the_newest_release_is_named() -> None:
    one, two = {"hash": "a" * 32}, {"hash": "b" * 32}
    index = index_of([row(**one), row(**two), *(row(tag=tag, **one) for tag in ("v0.9.2", "v0.10.1", "v0.9.10"))])
    found = said(index, [k for k in range(len(index)) if index.tag_of(k) == "develop"])
    assert {index.spec(number).hash: text for number, text in found.items()} == {
        "a" * 32: "v0.10.1",
        "b" * 32: "only develop",
    }


def test_the_newest_tag_stands_before_what_differs_in_every_row() -> None:
    """The day of the tag that is looked at counts, but not where that has none."""
    builds = {
        "a": (row(), ["develop-2025-04-13", "v1.0"]),
        "b": (row(), ["v1.0"]),
        "c": (row(variants=["+hl"]), ["develop-2025-04-13", "develop-2025-04-20"]),
        "d": (row(target="zen3"), []),
        "e": (row(), ["develop-2025-04-13"]),
    }
    index = index_of(in_tags(builds))

    def said_in(tag: str) -> dict[str, str]:
        rows = index.value_rows("tag", tag)
        found = said_with_tag(what_differs(index, rows), rows, newest=True)
        return {letter_of(index, number): text for number, text in found.items()}

    shared = "+mpi ~cuda build_type=Release"
    assert said_in("develop") == {
        "a": f"2025-04-13 {shared}",
        "b": f"v1.0 {shared}",
        "c": "2025-04-20 +hl",
        "d": f"only develop {shared}",
        "e": f"2025-04-13 {shared}",
    }
    assert said_in("develop-2025-04-13") == {
        "a": f"2025-04-13 {shared}",
        "c": "2025-04-20 +hl",
        "e": f"2025-04-13 {shared}",
    }
    assert said_in("v1.0") == {"a": "2025-04-13", "b": "develop"}


def test_in_a_weekly_tag_the_newest_other_one_stands_first_or_that_there_is_none() -> None:
    builds = {"a": (row(), ["develop-2025-04-13"]), "b": (row(), []), "c": (row(variants=["+hl"]), ["v1.0"])}
    this = "develop-2025-04-20"
    index = index_of(each | {"tag": this} if each["tag"] == "develop" else each for each in in_tags(builds))
    rows = index.value_rows("tag", this)
    found = said(index, rows, newest=False)
    assert {letter_of(index, number): text.split(" +")[0] for number, text in found.items()} == {
        "a": "2025-04-13",
        "b": "no other",
        "c": "v1.0",
    }
