"""Two specs side by side: what differs, and the dependencies that are the reason.

Input: a `Comparison`, which quotes pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from cachetui.analysis.comparison import Comparison, DependencyDifference, FieldValue, compare
from cachetui.model.spec import Spec
from cachetui.report.detail import COMPARE_THEM, TWINS, Field, alike_field
from cachetui.report.formats import Block, FactsBlock, TableBlock
from cachetui.safe_text import FEW, listed, visible
from cachetui.search.index import Index
from cachetui.search.row_values import twins_of

COLUMNS = ("field", "old", "new")

LABELS = {"package_hash": "recipe"}
"""How a field is called where its name is not a person's word."""


MOST_TWINS = 3
"""The detail says what differs from at most this many specs that look alike."""


IN_BOTH = ("compiler", "os", "platform", "target")
"""Fields with one value that the names of the specs do not say."""

LISTS = ("variants", "stacks", "tags")
"""Fields with many."""


class Side(NamedTuple):
    """One line of the comparison, raw: what it is about, and what each spec has there."""

    label: str
    old: str
    new: str


class ComparisonReport(Struct, frozen=True):
    """What two specs differ in."""

    found: Comparison

    def document(self) -> object:
        found = self.found
        return {
            "old": found.old.hash,
            "new": found.new.hash,
            "differs": found.differs,
            "dependencies": found.dependencies,
        }

    def records(self) -> TableBlock:
        return TableBlock(COLUMNS, sides(self.found))

    def blocks(self, width: int | None) -> Iterator[Block]:
        yield TableBlock(COLUMNS, labelled_sides(self.found, None if width is None else FEW), shrinking=(1, 2))
        if said := remark(self.found):
            yield FactsBlock([("note", said)])


def twins_field(index: Index, row: int) -> Field | None:
    """What tells a spec apart from those that are alike in all that is recorded of them; None where there are none."""
    twins = twins_of(index, row)
    if not twins:
        return None
    found = [compare(index, row, twin) for twin in twins[:MOST_TWINS]]
    texts = [f"/{(each.new.hash or '')[:7]}: {_reasons(each.dependencies)}" for each in found if each.dependencies]
    if not texts:
        return alike_field(index, row, twins)
    more = [f"and {len(twins) - MOST_TWINS:,} more; {COMPARE_THEM}"] if len(twins) > MOST_TWINS else []
    return Field(
        TWINS,
        (
            f"{len(twins):,} {'other is' if len(twins) == 1 else 'others are'} alike but for dependencies",
            *map(visible, texts),
            *more,
        ),
    )


def _reasons(found: Sequence[DependencyDifference]) -> str:
    """The dependencies that differ by themselves, and those that follow."""
    own = ", ".join(dict.fromkeys(f"^{each.name}" for each in found if each.by_itself))
    followers = ", ".join(dict.fromkeys(each.name for each in found if not each.by_itself))
    return f"other {own}" + (f"; {followers} follow" if followers else "")


def sides(found: Comparison) -> list[Side]:
    """The comparison line by line: the specs, their fields, their dependencies; those that only follow in one line."""
    lines = [Side("spec", _name(found.old), _name(found.new))]
    lines += [Side(LABELS.get(name, name), *map(_value, pair)) for name, pair in found.differs.items()]
    return lines + _dependency_sides(found)


def labelled_sides(found: Comparison, most: int | None = None) -> list[Side]:
    """The same for people: of a list it is said that each side has only what the other has not, and what both have.

    Of what both have at most so many are named. A field that does not differ is said to be the same.
    """
    lines = [Side("spec", _name(found.old), _name(found.new))]
    single = [name for name in found.differs if name not in LISTS]
    for name in (*single, *LISTS):
        old, new = found.differs.get(name, (None, None))
        if name not in found.differs:
            lines.append(Side(name, *["all the same" if getattr(found.old, name) else "none"] * 2))
        elif isinstance(old, tuple) and isinstance(new, tuple):
            lines.append(Side(f"only its {name}", *(listed(own, len(own)) for own in (old, new))))
            if both := [each for each in getattr(found.old, name) if each not in old]:
                lines.append(Side(f"{name} of both", *[listed(both, most or len(both))] * 2))
        else:
            lines.append(Side(LABELS.get(name, name), _text(old), _text(new)))
    if same := [name for name in IN_BOTH if name not in found.differs]:
        lines.append(Side("the same", *[", ".join(same)] * 2))
    return lines + _dependency_sides(found)


def _dependency_sides(found: Comparison) -> list[Side]:
    dependencies = found.dependencies or ()
    lines = [_dependency(each) for each in dependencies if each.by_itself]
    followers = [each.name for each in dependencies if not each.by_itself]
    if followers:
        lines.append(Side("follow from it", ", ".join(followers), ", ".join(followers)))
    return lines


def remark(found: Comparison) -> str:
    """What is to be said beside what differs: that nothing does, or why nothing is said of the dependencies."""
    differs = "" if found.differs or found.dependencies else "nothing that is recorded differs"
    if len(found.unrecorded) == 1:
        recorded = f"no dependencies are recorded of {_name(found.unrecorded[0])}"
    elif found.unrecorded:
        recorded = "no dependencies are recorded of either"
    else:
        recorded = "their dependencies are the same" if found.differs and found.dependencies == () else ""
    return "; ".join(filter(None, (differs, recorded)))


def _name(spec: Spec) -> str:
    return f"{spec.package}@{spec.version or '?'} /{(spec.hash or 'no hash')[:7]}"


def _dependency(each: DependencyDifference) -> Side:
    old, new = ([_text(pair[k], name) for name, pair in each.differs.items()] for k in (0, 1))
    return Side(f"^{each.name}", _side(each.old, old), _side(each.new, new))


def _side(needed: str | None, own: Iterable[str]) -> str:
    """What one spec has of a dependency: its hash (or text), and what of its own the other one's has not."""
    if needed is None:
        return "not needed"
    return " ".join(filter(None, (f"/{needed[:7]}" if len(needed) == 32 else needed, *own)))


def _value(value: FieldValue) -> str:
    """A value of a field; lists joined by commas, as CSV has them everywhere."""
    return ",".join(value) if isinstance(value, tuple) else _text(value)


def _text(value: FieldValue, field: str = "") -> str:
    if isinstance(value, tuple):
        return " ".join(value)
    text = "" if value is None else str(value)
    if field == "package_hash":
        return f"recipe {text[:7]}"
    return f"@{text}" if field == "version" else f"%{text}" if field == "compiler" else text
