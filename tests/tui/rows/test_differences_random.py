"""What tells specs apart, held against a slow way that looks at one spec after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from cachetui.model.spec import Spec, normal_compiler, normal_variant, snapshot_day
from cachetui.query.values import read_variant
from cachetui.search.index import Index
from cachetui.tui.rows.differences import NOT_OWN, SHORT, what_differs
from cachetui.tui.rows.listed_differences import other_is_newest, said_of, said_with_tag
from tests.support.rows import index_of, row
from tests.support.strategies import one_of_each

KINDS = one_of_each(
    version=["1.2", "1.10"],
    compiler=["gcc@11.4.0", "gcc@=11.4.0", "none"],
    variants=[
        (),
        ("+mpi",),
        ("~mpi",),
        ("+hl", "+mpi", "a=Release0000"),
        ("words=a,b", "+mpi"),
        ("words:=b,a", "+mpi"),
    ],
    stacks=[("e4s",), ("hep", "e4s"), ("hep",), ()],
    dependencies=[(), ("zlib@1.2",)],
)
PLACES = one_of_each(
    hash=[letter * 32 for letter in "abcde"],
    tag=["develop", "develop-2024-01-07", "develop-2024-01-14", "v0.9.0", "v0.10.0"],
)
ROWS = st.lists(KINDS, min_size=1, max_size=3).flatmap(
    lambda kinds: st.lists(
        st.builds(lambda kind, place: row(**kind, **place), st.sampled_from(kinds), PLACES), min_size=2, max_size=9
    )
)
"""Of few kinds, so that many look alike."""

Shown: TypeAlias = "dict[int, Spec]"


def look(spec: Spec) -> tuple[str | None, ...]:
    return spec.tag, spec.version, normal_compiler(spec.compiler or ""), spec.os, spec.target


def variants_of(spec: Spec) -> set[str]:
    return set(map(normal_variant, spec.variants))


def own_stacks(number: int, specs: Shown) -> str:
    """The stacks that no other of these has."""
    others = {stack for other, spec in specs.items() if other != number for stack in spec.stacks}
    return ",".join(stack for stack in specs[number].stacks if stack not in others) if len(specs) > 1 else ""


def day(index: Index, spec: Spec, *, with_own: bool = False) -> str:
    """The newest tag that has it, weekly ones first; but for its own, unless that counts and is a weekly one."""
    tags = {index.tag_of(number) for number in range(len(index)) if index.spec(number).hash == spec.hash}
    if not (with_own and snapshot_day(spec.tag)):
        tags -= {spec.tag}
    newest = sorted(tags, key=lambda tag: (snapshot_day(tag) is None, index.tags.index(tag)))
    only = f"only {spec.tag}" if with_own else "no other"
    return next((tag.removeprefix("develop-") for tag in newest), only)


def place(index: Index, number: int, same: Shown) -> tuple[str, str]:
    """The tag and the stacks that tell a spec from others that look alike and have the same variants."""
    if len(same) == 1:
        return "", ""
    texts = [own_stacks(each, same) for each in same]
    own = own_stacks(number, same)
    if len(set(texts)) == len(same):
        return "" if own else day(index, same[number]), own
    here = day(index, same[number])
    near = {other: spec for other, spec in same.items() if day(index, spec) == here}
    return ("", own) if len(near) == len(same) else (here, own_stacks(number, near))


def slowly(index: Index, numbers: Sequence[int], before: str = "") -> tuple[dict[int, str], set[int]]:
    """What is said of each row but for a tag, with this `before` stacks; and the rows that a tag tells apart.

    With it stacks are in the order of the list, else in that of the spec.
    """
    specs = {number: index.spec(number) for number in numbers}
    groups = {
        one: {other: each for other, each in specs.items() if look(spec) == look(each)} for one, spec in specs.items()
    }
    names = set[str]()
    for group in groups.values():
        sets = [variants_of(spec) for spec in group.values()]
        common = sets[0].intersection(*sets)
        names |= {read_variant(variant)[0] for own in sets for variant in own - common}
    same = {
        number: {
            other: spec for other, spec in groups[number].items() if variants_of(spec) == variants_of(specs[number])
        }
        for number in specs
    }
    places = {number: place(index, number, same[number]) for number in specs}
    telling = {stack for _, stacks in places.values() for stack in stacks.split(",")}
    said = {number: [stack for stack in spec.stacks if stack in telling] for number, spec in specs.items()}
    if before:
        times = Counter(stack for stacks in said.values() for stack in stacks)
        said = {number: sorted(stacks, key=lambda stack: (times[stack], stack)) for number, stacks in said.items()}
    keys = {number: (places[number][0], frozenset(said[number])) for number in specs}
    texts: dict[int, str] = {}
    has_named = set[int]()
    for number, spec in specs.items():
        named = [variant for variant in spec.variants if read_variant(normal_variant(variant))[0] in names]
        has_named |= {number} if named else set()
        is_alone = [keys[other] for other in same[number]].count(keys[number]) == 1
        needs = "" if is_alone or not index.dependencies(number) else "dependencies"
        first = [each for name in ("mpi", "cuda") for each in named if each in (f"+{name}", f"~{name}")]
        named = [*first, *(each for each in named if each not in first)]
        short, long = ([each for each in named if (len(each) > SHORT) is is_long] for is_long in (False, True))
        texts[number] = " ".join(filter(None, (*short, before * bool(said[number]), *said[number], *long, needs)))
    own = dict(texts)
    by_tag = {number for number in specs if places[number][0]}
    for number, group in groups.items():
        any_own = not has_named.isdisjoint(group)
        texts[number] = own[number] or ("-" if len(group) == 1 else "fewer variants" if any_own else "hash")
    return ({}, set()) if not by_tag and not any(own.values()) else (texts, by_tag)


@settings(max_examples=200)
@given(ROWS, st.sets(st.integers(0, 7), max_size=2))
def test_what_differs_is_what_a_slow_way_finds(rows: list[dict[str, Any]], left_out: set[int]) -> None:
    index = index_of(rows)
    numbers = [number for number in range(len(index)) if number not in left_out]
    texts, by_tag = slowly(index, numbers)
    found = what_differs(index, numbers)
    assert (dict(found.texts), set(found.by_tag)) == (texts, by_tag)
    texts, _ = slowly(index, numbers, "in")
    assert said_of(index, found, numbers) == ({} if NOT_OWN.issuperset(texts.values()) else texts)
    for newest in (False, True):
        own = {number: "" if texts.get(number, "-") in NOT_OWN else f" {texts[number]}" for number in numbers}
        wanted = {number: f"{day(index, index.spec(number), with_own=newest)}{own[number]}" for number in numbers}
        assert said_with_tag(found, numbers, newest=newest) == wanted
    if other_is_newest(map(index.tag_of, numbers)):
        said = said_with_tag(found, numbers, newest=False)
        assert {k: text.replace("no other", f"only {index.tag_of(k)}") for k, text in said.items()} == said_with_tag(
            found, numbers, newest=True
        )
