"""What a catalogue offers for each kind of word in a query: names, versions, variants, values, hashes, keys.

The rest of the query narrows what is offered: versions and variants of its package, values that its other parts leave.
Input: an index, the query without the word, and the word, of which `completion` says the kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from pyroaring import BitMap

from cachetui.explain.host_names import is_host, mended_hosts
from cachetui.explain.second_name import is_beginning_of_name
from cachetui.model.facets import VALUE_KEYS, facet_of
from cachetui.model.host import platform_of_os
from cachetui.model.likeness import nearest_names
from cachetui.model.spec import NO_COMPILER, ROOT
from cachetui.model.version import sort_key
from cachetui.query.keys import ARCH, KEYS
from cachetui.query.parts.dependencies import COMPLETE_WORDS
from cachetui.query.parts.facets import CompilerPart, ValuePart
from cachetui.query.parts.variants import VariantPart
from cachetui.query.query import Query
from cachetui.query.values import compiler_name, read_variant, spelled
from cachetui.search.dependencies import dependency_names, nodes_named
from cachetui.search.hashes import prefixed
from cachetui.search.index import Index
from cachetui.search.row_values import variant_counts, versions_of

LEAST_KEY = 3
"""Letters from which on keys that begin so are offered where a package name may stand; a whole key always is."""

LEAST_HASH = 3
"""Letters of a hash that must be typed before hashes are offered."""

MOST_LIKE = 5
"""Most values that are offered where none begins as typed."""


class Rest:
    """The query without the word at the cursor: what it names, and the rows that it takes."""

    def __init__(self, index: Index, query: Query, dependency: re.Match[str] | None) -> None:
        self.index = index
        self.dependency = nodes_named(index, dependency["name"]) if dependency and index.graph else None
        """The nodes of the dependency that is being written, if one is."""
        self.query = query
        self.package_rows = index.part_rows(query.package) if query.package else None

    @cached_property
    def rows(self) -> BitMap:
        """The rows that the rest of the query takes; where it takes none those of its package, or all."""
        if not self.query:
            return self.index.all_rows
        return self.index.rows(self.query) or self.package_rows or self.index.all_rows

    def left(self, key: str) -> list[str]:
        """The values of a facet that the rest of the query leaves, in their order."""
        rows = self.rows
        return [value for value in self.index.values(key) if rows.intersect(self.index.value_rows(key, value))]

    def frequent(self, key: str) -> list[str]:
        """The same, the most frequent first, `root` last; tags from the newest."""
        if key == "tag":
            return self.left(key)
        rows, index = self.rows, self.index
        counts = {value: rows.intersection_cardinality(index.value_rows(key, value)) for value in self.left(key)}
        return sorted(counts, key=lambda value: (value == ROOT, -counts[value]))

    @cached_property
    def compiler_names(self) -> list[str]:
        """The names of the compilers that the rest of the query leaves, the most frequent first, `none` last."""
        counts = Counter[str]()
        for compiler in self.left("compiler"):
            rows = self.index.value_rows("compiler", compiler)
            counts[compiler.partition("@")[0]] += self.rows.intersection_cardinality(rows)
        return sorted(counts, key=lambda name: (name == NO_COMPILER, -counts[name]))

    @cached_property
    def variants(self) -> Counter[str]:
        """The variants of the rows that the rest of the query takes, as pages write them, and how often."""
        if self.dependency is not None:
            return Counter(variant for node in self.dependency for variant in node.variants)
        return variant_counts(self.index, self.rows)

    @cached_property
    def known_variants(self) -> Counter[str]:
        """The same of its package, or of all: of what the rest of the query leaves or not."""
        if self.dependency is not None:
            return self.variants
        return variant_counts(self.index, self.package_rows or self.index.all_rows)


def _beginning(typed: str, values: Iterable[str]) -> list[str]:
    return [value for value in values if value.startswith(typed)]


def _like(typed: str, values: Iterable[str], known: Callable[[], Iterable[str]]) -> list[str]:
    """The values that begin as typed, in their order.

    Where no known value begins so, those that contain it, else what is spelled like it: of all that is known, as the
    rest of the query may be what is wrong; of those that are as near to it first the values.
    """
    values = list(values)
    if beginning := _beginning(typed, values):
        return beginning
    others = list(known())  # last, as this may look at every row there is
    if any(value.startswith(typed) for value in others):
        return []
    lower = typed.lower()
    inside = [value for value in values if lower in value.lower()]
    return inside or list(nearest_names(typed, list(dict.fromkeys([*values, *others])), MOST_LIKE))


def _names(rest: Rest, match: re.Match[str]) -> Iterator[str]:
    names, typed = rest.index.packages, match["typed"]
    if typed in KEYS or (len(typed) >= LEAST_KEY and not is_beginning_of_name(rest.index, typed)):
        yield from _keys(rest, match)
    rows = rest.rows
    found = (each.number for each in rest.index.named_like(typed))
    if len(rows) < len(rest.index):
        found = (number for number in found if rows.intersect(rest.index.package_rows(number)))
    yield from map(names.__getitem__, found)


def _versions(rest: Rest, match: re.Match[str]) -> list[str]:
    if rest.dependency is not None:
        versions = {node.version for node in rest.dependency if node.version}
        return _beginning(match["typed"], sorted(versions, key=sort_key, reverse=True))
    if rest.package_rows is None:
        return []
    return _beginning(match["typed"], versions_of(rest.index, rest.rows))


def _compilers(rest: Rest, match: re.Match[str]) -> list[str]:
    """Names first, the most frequent at the head, then each with its versions; only versions once there is an `@`."""
    compilers, names = rest.left("compiler"), rest.compiler_names
    name, at, version = match["typed"].partition("@")
    if at:
        return _beginning(f"{compiler_name(name)}@{version.removeprefix('=')}", reversed(compilers))
    typed = name if any(other.startswith(name) for other in names) else compiler_name(name)
    values = [*names, *(compiler for compiler in compilers if "@" in compiler)]
    return _like(typed, values, lambda: rest.index.values("compiler"))


def _dependencies(rest: Rest, match: re.Match[str]) -> list[str]:
    """The names of what the rows depend on; none where no dependencies are recorded."""
    if not rest.index.graph:
        return []
    return _like(match["typed"], dependency_names(rest.index, rest.rows), lambda: dependency_names(rest.index))


def dependencies_instead(rest: Rest, typed: str) -> list[str]:
    """Dependencies that begin as typed behind a `%`, where no compiler does: `%gmake`, or `^gmake` where `%` has none.

    At most `MOST_LIKE` of them; none where no dependencies are recorded.
    """
    beginnings = (typed, compiler_name(typed))
    has_compiler = any(compiler.startswith(beginnings) for compiler in rest.index.values("compiler"))
    if not typed or has_compiler:
        return []
    names = _beginning(typed, dependency_names(rest.index, rest.rows))[:MOST_LIKE]
    has_direct = (rest.rows.intersect(rest.index.part_rows(CompilerPart(name))) for name in names)
    found = (f"{'%' if direct else '^'}{name}" for name, direct in zip(names, has_direct, strict=True))
    return [each for each in found if each != f"%{typed}"]


def _switches(rest: Rest, match: re.Match[str]) -> list[str]:
    """Variants that are on (or off) somewhere and not named yet; without a package the most frequent first."""
    given = [part for part in rest.query.parts if part.column == "variants"]
    counts: Counter[str] = Counter()
    for variant, count in rest.variants.items():
        name, value = read_variant(variant)
        if value is (match["sign"][0] == "+") and not any(part.clashes(VariantPart(name, value)) for part in given):
            counts[name] += count
    names = [name for name, _ in counts.most_common()] if rest.package_rows is None else sorted(counts)

    def known() -> Iterator[str]:
        return (read_variant(variant)[0] for variant in rest.known_variants)

    return _like(match["typed"], names, known)


def _values(rest: Rest, match: re.Match[str]) -> list[str]:
    key, typed = match["key"], match["typed"]
    if key == "fits" and rest.query.fits:
        return []  # one host is all that a query may name
    if key == "fits":
        targets = rest.frequent("target")
        oses = rest.index.values("os")
        hosts = list(dict.fromkeys(["here", *targets, *_triples(rest), *_named_so_far(rest, typed, targets)]))
        found = _like(typed, hosts, lambda: (*rest.index.values("target"), *hosts))
        goes_on = found and found[0].startswith(typed)
        return found if goes_on else [*dict.fromkeys([*mended_hosts(typed, oses), *found])]
    if key in ARCH:
        triples = _triples(rest)
        found = _like(typed, triples, lambda: (*triples, *_triples(Rest(rest.index, Query(), None))))
        goes_on = found and found[0].startswith(typed)
        return found if goes_on else [*dict.fromkeys([*mended_hosts(typed, rest.index.values("os")), *found])]
    if key == "complete":
        return _like(typed, COMPLETE_WORDS, lambda: COMPLETE_WORDS)
    facet = facet_of(key)
    if facet is not None:
        values = [spelled_value(facet.name, value) for value in rest.frequent(facet.name)]
        return _like(typed, values, lambda: [spelled_value(facet.name, each) for each in rest.index.values(facet.name)])

    def words(variants: Counter[str]) -> Iterator[str]:
        counts: Counter[str] = Counter()
        for variant, count in variants.items():
            name, value = read_variant(variant)
            if name == key and not isinstance(value, bool):
                counts.update(dict.fromkeys(value, count))
        return (spelled([word]) for word, _ in counts.most_common())

    return _like(typed, words(rest.variants), lambda: words(rest.known_variants))


def spelled_value(facet: str, value: str) -> str:
    """A value of a facet as a query has it behind the `=`."""
    return ValuePart.of(facet, [value]).text.partition("=")[2]


def _named_so_far(rest: Rest, typed: str, targets: Sequence[str]) -> list[str]:
    """The platform and the os that are typed with each target of the platform, where both are known."""
    named, dash, last = typed.rpartition("-")
    if platform := platform_of_os(last):
        named = typed if dash else f"{platform}-{typed}"
    if not named or not is_host(f"{named}-x86_64") or mended_hosts(f"{named}-x86_64", rest.index.values("os")):
        return []
    rows = rest.index.value_rows("platform", named.partition("-")[0])
    built = [target for target in targets if rows.intersect(rest.index.value_rows("target", target))]
    return [f"{named}-{target}" for target in built or targets]


def _triples(rest: Rest) -> list[str]:
    """The hosts that the rows are built for, the most frequent first."""
    rows, counts = rest.rows, Counter[str]()
    for number, profile in enumerate(rest.index.profiles):
        if profile.platform and profile.os and profile.target:
            specs = rows.intersection_cardinality(rest.index.profile_rows([number]))
            counts[f"{profile.platform}-{profile.os}-{profile.target}"] += specs
    return [host for host, specs in counts.most_common() if specs]


def meant_keys(rest: Rest, key: str) -> tuple[str, ...]:
    """The key, or the name of a variant, that this one is spelled like; none for one that there is."""
    keys = [*VALUE_KEYS, "fits", "complete"]
    if key in keys or key in KEYS:
        return ()
    variants = map(read_variant, rest.known_variants)
    keys += sorted({name for name, value in variants if not isinstance(value, bool)})
    return () if key in keys else nearest_names(key, keys, most=1)


def _hashes(rest: Rest, match: re.Match[str]) -> list[str]:
    typed, table = match["typed"], rest.index.columns.hashes
    if len(typed) < LEAST_HASH:
        return []
    rows, hash_rows = rest.rows, rest.index.hash_rows
    return [table[number] for number in prefixed(table, typed) if any(row in rows for row in hash_rows(number))]


def _keys(rest: Rest, match: re.Match[str]) -> list[str]:
    given = {part.key for part in rest.query.parts}
    keys = [f"{key}=" for key, facet in VALUE_KEYS.items() if facet.many or key not in given]
    keys += [] if "fits" in given else ["fits="]
    keys += ["complete="] if rest.index.graph and "complete" not in given else []
    if rest.package_rows is not None:
        valued = {read_variant(variant)[0] for variant in rest.variants if "=" in variant}
        keys += [f"{name}=" for name in sorted(valued)]
    return [key for key in keys if key.startswith(match["typed"])]


OFFERS: dict[str, Callable[[Rest, re.Match[str]], Iterable[str]]] = {
    "dependency": _dependencies,
    "compiler": _compilers,
    "version": _versions,
    "value": _values,
    "switch": _switches,
    "hash": _hashes,
    "name": _names,
    "key": _keys,
}
"""For each kind of word the values that may stand in its place, best first."""
