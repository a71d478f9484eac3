"""The output of a comparison of two specs: their differences, and the dependencies that make their hashes differ.

Input: a `Comparison` with text from the content. Control characters in the text are not escaped yet.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from msgspec import Struct

from cachetui.analysis.comparison import Comparison, DependencyDifference
from cachetui.mappings import grouped
from cachetui.model.signature import Signature, SignatureValue
from cachetui.model.spec import Spec, read_variant
from cachetui.report.formats import Block, FactsBlock, TableBlock, cell_text
from cachetui.safe_text import listed, plural

COLUMNS = ("field", "old", "new")

OF_BUILD = ("package", *Signature._fields[:-1], "package_hash")
"""The fields that distinguish builds, in addition to the variants and the dependencies."""


VARIANTS, DEPENDENCIES, FOLLOW, EQUAL = "Variants", "Dependencies", "Only the hash", "Equal"

FOLDED_SECTIONS = (FOLLOW, EQUAL)
"""The sections that the browser folds at first: each is a single line."""


class Side(NamedTuple):
    """One line of the comparison: section, label, and the value in each spec. Control characters are not escaped."""

    section: str
    """The name of the section; empty for a field."""
    label: str
    old: str
    new: str


class ComparisonDocument(Struct, frozen=True, tag_field="schema", tag="cachetui/diff-specs/1"):
    """The differences between two specs. In each pair, the value of the old spec is first."""

    old: str | None
    """The hash of the old spec."""
    new: str | None
    package: tuple[str, str]
    version: tuple[str | None, str | None]
    differs: Mapping[str, tuple[SignatureValue, SignatureValue]]
    dependencies: Sequence[DependencyDifference] | None
    """The dependencies that differ; None if dependencies are unrecorded."""


class ComparisonReport(Struct, frozen=True):
    """The differences between two specs in all formats."""

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
        sections = grouped((side.section, side) for side in sides(self.found))
        folded = [(section, sections.pop(section)) for section in FOLDED_SECTIONS if section in sections]
        dependencies = [side._replace(label=f"^{side.label}") for side in sections.pop(DEPENDENCIES, ())]
        named = [side[1:] for own in (*sections.values(), dependencies) for side in own]
        yield TableBlock(COLUMNS, [("spec", _name(self.found.old), _name(self.found.new)), *named], shrinking=(1, 2))
        facts = ((section.lower(), listed([side.label for side in own])) for section, own in folded)
        yield FactsBlock([*facts, ("verdict", verdict(self.found))])


def sides(found: Comparison) -> Iterator[Side]:
    """Yield lines for all differences, then dependencies that differ only in the hash, then equal fields and variants.

    If a value is a list, each side has only the entries that the other side lacks.
    """
    fields = {**found.differs}
    variants = tuple(map(_variants, cast(Sequence[Sequence[str]], fields.pop("variants", ((), ())))))
    for field, pair in fields.items():
        label, cells = ("recipe", 7) if field == "package_hash" else (field, None)
        yield Side("", label, *(_text(value)[:cells] or "-" for value in pair))
    for name in sorted({**variants[0], **variants[1]}):
        yield Side(VARIANTS, name, *(side.get(name, "-") for side in variants))
    for each in sorted(found.dependencies or (), key=lambda each: not each.by_itself):
        if each.by_itself:
            old, new = ([_text(pair[k], name) for name, pair in each.differs.items()] for k in (0, 1))
            yield Side(DEPENDENCIES, each.name, _side(each.old, old), _side(each.new, new))
        else:
            yield Side(FOLLOW, each.name, _side(each.old), _side(each.new))
    for field in OF_BUILD[1:-1]:
        if field not in fields and (text := _text(getattr(found.old, field))):
            yield Side(EQUAL, field, text, text)
    for name, text in _variants(found.old.variants).items():
        if name not in variants[0]:
            yield Side(EQUAL, name, text, text)


def verdict(found: Comparison) -> str:
    """Return text with the number of fields, variants and dependencies that differ."""
    names = grouped((side.section, side.label) for side in sides(found))
    words = {"": "field", VARIANTS: "variant", DEPENDENCIES: "dependency"}
    counts = [plural(len(names[section]), word) for section, word in words.items() if names.get(section)]
    one = [*names.get("", ()), *names.get(VARIANTS, ()), *["one dependency"] * len(names.get(DEPENDENCIES, ()))]
    if found.dependencies is None or len(one) > 1:
        only = f"{counts[0]} differs: {one[0]}" if counts else "no recorded value differs"
        return f"{', '.join(counts)} differ" if one[1:] else only
    same = "identical" if found.old.hash == found.new.hash else "only the hash differs"
    return f"only {one[0]} differs" if one else same


def _name(spec: Spec) -> str:
    return f"{spec.package}@{spec.version or '?'} /{(spec.hash or 'no hash')[:7]}"


def _variants(texts: Iterable[str]) -> dict[str, str]:
    """Return the value of each variant by name: `+`, `~`, or its values with commas between them."""
    found = dict(map(read_variant, texts))
    return {
        name: ",".join(sorted(value)) if isinstance(value, frozenset) else "+" if value else "~"
        for name, value in found.items()
    }


def _side(needed: str | None, own: Sequence[str] = ()) -> str:
    """Return text for a dependency of one of the two specs.

    If fields of the dependency differ, the text contains only these fields (`own`). Otherwise, the text is the short
    hash or the spec. `needed`: the hash or the spec; None if this spec lacks the dependency.
    """
    if needed is None or own:
        return " ".join(filter(None, own)) or "-"
    return f"/{needed[:7]}" if len(needed) == 32 else needed


def _text(value: SignatureValue, field: str = "") -> str:
    if isinstance(value, tuple):
        return " ".join(value)
    text = "" if value is None else str(value)
    if field == "package_hash":
        return f"recipe {text[:7]}"
    return f"@{text}" if field == "version" else f"%{text}" if field == "compiler" else text
