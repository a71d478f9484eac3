"""What tells specs apart that look alike, as it is said of those that are listed: but for what all of them have, and
what tells them apart just as something before it does stands last; with a tag first where one is needed.

Input: what `differences` found, and rows. All text of a page goes through `visible`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from cachetui.model.spec import snapshot_day
from cachetui.query.values import read_variant
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.search.row_values import in_order
from cachetui.store.arrays import Numbering, Once
from cachetui.store.strings import decode_variants
from cachetui.tui.rows.differences import ALONE, FEWER, NOT_OWN, SHORT, Distinction, groups_alike, standing, variants_of

NEWEST = ("newest tag, differs", "tag, differs", "differs")
"""What the column is headed where the newest tag that has each spec stands first in it: the first that has room."""

OTHER = ("other tag, differs", "differs")
"""The same where it is the newest beside that of the row."""


class Wording(NamedTuple):
    """How what differs is said of some rows: in words that stand in it."""

    left_out: Container[str] = frozenset()
    """The variants and stacks that need not be said, as all rows have them."""
    behind: Container[str] = frozenset()
    """The variants that stand last: they tell the rows apart just as others do."""

    @classmethod
    def of(cls, index: Index, rows: Iterable[int], asked_for: frozenset[str] = frozenset()) -> Wording:
        """That of some rows, all of which have what was `asked_for`."""
        rows = list(rows)
        return cls(in_common(index, rows) | asked_for, going_along(index, rows))


WHOLE = Wording()
"""Nothing is left out."""


def said_of(
    index: Index,
    difference: Distinction,
    rows: Iterable[int],
    wording: Wording = WHOLE,
) -> Mapping[int, str]:
    """What differs, as it is said of some rows that no tag tells apart; nothing at all if none has any of its own."""
    texts = Once[str, str](lambda text: text if text in NOT_OWN else _told(difference, text, wording))
    found = {row: texts[difference.texts[row]] for row in rows} if difference.texts else {}
    if "" in found.values():
        for group in groups_alike(index, in_order(found)):
            nothing = FEWER if len(group) > 1 else ALONE
            found |= {row: nothing for row in group if not found[row]}
    return {} if NOT_OWN.issuperset(found.values()) else found


def said_with_tag(
    difference: Distinction,
    rows: Iterable[int],
    wording: Wording = WHOLE,
    *,
    newest: bool,
) -> Mapping[int, str]:
    """The same with a tag first: that of each row, so that none of them looks as if it were forgotten; the `newest`
    that has it, or the newest beside its own."""
    day = difference.days.of if newest else difference.days.of_other
    texts = Once[str, str](lambda text: "" if text in NOT_OWN else f" {_told(difference, text, wording)}".rstrip())
    own = difference.texts
    return {row: f"{day(row)}{texts[own.get(row, ALONE)]}" for row in rows}


def says_only_tags(difference: Distinction, rows: Iterable[int], wording: Wording) -> bool:
    """Whether that says nothing but the tag of any of the rows."""
    texts = {difference.texts.get(row, ALONE) for row in rows}
    return all(text in NOT_OWN or not _told(difference, text, wording) for text in texts)


def other_is_newest(tags: Iterable[str | None]) -> bool:
    """Whether the newest other tag that has a row is the newest of all that have it, as no row is in a snapshot: rows
    of these tags; None for all."""
    return all(tag is not None and snapshot_day(tag) is None for tag in tags)


def _told(difference: Distinction, text: str, wording: Wording) -> str:
    """What differs, but for the variants and stacks that all have; "in" before stacks, which else read as variants."""
    found = [each for each in text.split(" ") if each not in wording.left_out]
    words = [each for each in found if each not in wording.behind] + [each for each in found if each in wording.behind]
    stacks = [each for each in difference.stacks if each in words]
    if not stacks:
        return " ".join(words)
    first = next(at for at, word in enumerate(words) if word in stacks)
    return " ".join([*words[:first], "in", *stacks, *(word for word in words[first:] if word not in stacks)])


def in_common(index: Index, rows: Iterable[int]) -> frozenset[str]:
    """The variants and stacks that all of some rows have, as they are said; none of one row alone."""
    rows, columns, table = list(rows), index.columns.rows, index.columns.tables["variants"]
    if len(rows) < 2:
        return frozenset()
    variants = map(decode_variants, map(table.__getitem__, set(map(columns["variants"].__getitem__, rows))))
    stacks = (index.profiles[number].stacks for number in set(map(columns["profile"].__getitem__, rows)))
    return frozenset(map(visible, _of_all(variants) | _of_all(stacks)))


def going_along(index: Index, rows: Iterable[int]) -> frozenset[str]:
    """The variants, as they are said, that tell some rows apart just as others do which stand before them."""
    numbers = sorted(set(map(index.columns.rows["variants"].__getitem__, rows)))
    lists = [{read_variant(each)[0]: (each, text) for each, text in variants_of(index, k).items()} for k in numbers]
    long = {name for each in lists for name, (_, text) in each.items() if len(text) > SHORT}
    first: dict[tuple[int, ...], str] = {}
    names = dict.fromkeys(name for each in lists for name in each)
    for name in sorted(names, key=lambda name: (standing(name), name in long)):
        kinds = Numbering[str]()
        first.setdefault(tuple(kinds[each[name][0] if name in each else ""] for each in lists), name)
    kept = set(first.values())
    return frozenset(visible(text) for each in lists for name, (_, text) in each.items() if name not in kept)


def _of_all(sets: Iterable[Sequence[str]]) -> frozenset[str]:
    """What all of them have."""
    return frozenset.intersection(*map(frozenset, sets))
