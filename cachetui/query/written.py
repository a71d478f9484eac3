"""Compare two written specs without looking at builds, by the rules of Spack's `satisfies`.

A spec is given as its terms. It neither satisfies nor contradicts a value that it does not state.
"""

from collections.abc import Sequence

from cachetui.query.parts import DependencyPart, NamePart, Part, ValuePart, VariantPart, VersionPart, direct_edge
from cachetui.query.tokens import ANY


def satisfies(spec: Sequence[Part], other: Sequence[Part]) -> bool:
    """Return whether one spec implies everything that the other spec asks for."""
    return all(_is_implied(spec, part) for part in other)


def contradict(spec: Sequence[Part], other: Sequence[Part]) -> bool:
    """Return whether no build can match both specs."""
    return any(_exclude(direct_edge(one) or one, direct_edge(two) or two) for one in spec for two in other)


def _is_implied(spec: Sequence[Part], asked: Part) -> bool:
    asked = direct_edge(asked) or asked
    if isinstance(asked, NamePart):
        return all(part.within(asked) for part in spec if isinstance(part, NamePart))
    if isinstance(asked, DependencyPart):
        edges = (direct_edge(part) or part for part in spec)
        return contradict(spec, asked.when) or any(
            isinstance(edge, DependencyPart) and _edge_implies(edge, asked) for edge in edges
        )
    if isinstance(asked, ValuePart) and asked.key == "target":
        # a range that overlaps the requested one is enough, as in Spack
        return any(isinstance(part, ValuePart) and part.key == "target" and _touch(part, asked) for part in spec)
    return any(part.within(asked) for part in spec)


def _edge_implies(edge: DependencyPart, asked: DependencyPart) -> bool:
    """Return whether an edge of one spec satisfies one of the other. In written specs `^` and `%` mean the same."""
    is_named = not asked.name or _names(edge).within(_names(asked))
    if not is_named and (asked.name not in edge.virtuals or asked.parts):
        return False  # these parts are about the virtual package, not about its provider
    given = {*edge.virtuals, edge.name}
    provided = [virtual in given for virtual in asked.virtuals] or [True]
    return (
        (any(provided) if asked.direct else all(provided))
        and set(asked.types).issubset(edge.types)
        and satisfies(asked.when, edge.when)
        and satisfies(edge.parts, asked.parts)
    )


def _names(edge: DependencyPart) -> NamePart:
    namespace, _, name = edge.name.rpartition(".")
    return NamePart(name, namespace)


def _exclude(part: Part, other: Part) -> bool:
    """Return whether two parts of one spec cannot both hold."""
    match part, other:
        case NamePart(), NamePart():
            return not (part.within(other) or other.within(part))
        case VersionPart(), VersionPart():
            return not part.versions.meets(other.versions)
        case VariantPart(), VariantPart() if part.name == other.name and ANY not in (part.value, other.value):
            if isinstance(part.value, bool) or isinstance(other.value, bool):
                return part.value is not other.value
            return (part.exact and not other.value <= part.value) or (other.exact and not part.value <= other.value)
        case ValuePart(), ValuePart() if part.key == other.key and not (part.excluded or other.excluded):
            return not _touch(part, other)
        case DependencyPart(), DependencyPart() if part.name == other.name != "" and not (part.when or other.when):
            return contradict(part.parts, other.parts)
    return False


def _touch(part: ValuePart, other: ValuePart) -> bool:
    """Return whether a value may match both. Two ranges overlap if one contains an end of the other."""

    def ends(of: ValuePart) -> list[str]:
        return [end for word in of.words for end in str(word).split(":")]

    return any(map(other.holds, ends(part))) or any(map(part.holds, ends(other)))
