"""The document of two specs side by side: what differs, and the dependencies that make their hashes differ.

Input: a `Comparison`, which quotes pages.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from cachetui.analysis.comparison import Comparison, DependencyDifference
from cachetui.model.signature import Value
from cachetui.model.spec import Spec
from cachetui.report.formats import Block, FactsBlock, TableBlock, cell_text

COLUMNS = ("field", "old", "new")

LABELS = {"package_hash": "recipe"}
"""What people call a field that has another name in data."""


class Side(NamedTuple):
    """One line of the comparison, not yet made `visible`: its label, and what each spec has."""

    label: str
    old: str
    new: str


class ComparisonDocument(Struct, frozen=True, tag_field="schema", tag="cachetui/diff-specs/1"):
    """Two specs, the old one first in each pair."""

    old: str | None
    """The hash."""
    new: str | None
    package: tuple[str, str]
    version: tuple[str | None, str | None]
    differs: Mapping[str, tuple[Value, Value]]
    dependencies: Sequence[DependencyDifference] | None
    """None where not both have theirs recorded."""


class ComparisonReport(Struct, frozen=True):
    """What two specs differ in."""

    found: Comparison

    def document(self) -> ComparisonDocument:
        old, new = self.found.old, self.found.new
        named = (old.package, new.package), (old.version, new.version)
        return ComparisonDocument(old.hash, new.hash, *named, self.found.differs, self.found.dependencies)

    def records(self) -> TableBlock:
        found = self.found
        named = {name: (getattr(found.old, name), getattr(found.new, name)) for name in ("hash", "package", "version")}
        rows = list({**named, **found.differs}.items())
        for each in found.dependencies or ():
            rows.append((f"^{each.name}", (each.old, each.new)))
            rows += [(f"^{each.name} {field}", pair) for field, pair in each.differs.items()]
        return TableBlock(COLUMNS, ((field, *map(cell_text, pair)) for field, pair in rows))

    def blocks(self, width: int | None) -> Iterator[Block]:
        yield TableBlock(COLUMNS, sides(self.found), shrinking=(1, 2))
        if said := remark(self.found):
            yield FactsBlock([("note", said)])


def sides(found: Comparison) -> list[Side]:
    """Return the lines of the comparison: the specs, their fields, their dependencies; those that follow in one line.

    Of a list each side has only what the other one does not have.
    """
    lines = [Side("spec", _name(found.old), _name(found.new))]
    lines += [Side(LABELS.get(name, name), *map(_text, pair)) for name, pair in found.differs.items()]
    dependencies = found.dependencies or ()
    lines += [_dependency(each) for each in dependencies if each.by_itself]
    followers = [each.name for each in dependencies if not each.by_itself]
    if followers:
        lines.append(Side("follow from it", ", ".join(followers), ", ".join(followers)))
    return lines


def remark(found: Comparison) -> str:
    """Return a note: that nothing differs, or that dependencies are not recorded; empty for none."""
    differs = "" if found.differs or found.dependencies else "nothing that is recorded differs"
    recorded = "not both have their dependencies recorded" if found.dependencies is None else ""
    same = "their dependencies are the same" if found.differs and found.dependencies == () else ""
    return "; ".join(filter(None, (differs, recorded, same)))


def _name(spec: Spec) -> str:
    return f"{spec.package}@{spec.version or '?'} /{(spec.hash or 'no hash')[:7]}"


def _dependency(each: DependencyDifference) -> Side:
    old, new = ([_text(pair[k], name) for name, pair in each.differs.items()] for k in (0, 1))
    return Side(f"^{each.name}", _side(each.old, old), _side(each.new, new))


def _side(needed: str | None, own: Iterable[str]) -> str:
    """Return what one spec has of a dependency: its hash or text, and its fields that differ."""
    if needed is None:
        return "not needed"
    return " ".join(filter(None, (f"/{needed[:7]}" if len(needed) == 32 else needed, *own)))


def _text(value: Value, field: str = "") -> str:
    if isinstance(value, tuple):
        return " ".join(value)
    text = "" if value is None else str(value)
    if field == "package_hash":
        return f"recipe {text[:7]}"
    return f"@{text}" if field == "version" else f"%{text}" if field == "compiler" else text
