"""The dependency graph of a catalogue: what each spec needs, and what needs it.

A node is named by its number here. `number(hash)` gives it, `node(number)` all that is recorded of it,
`edges`/`dependents` one step, `closure`/`all_dependents` all steps. Nodes are numbered through all parts, one for each
tag.
A spec without a node has no dependencies *recorded* (pages), which is not "no dependencies": see `number`.
Whether a node's binary is here is said by the rows of the index, by its hash: the graph alone knows `external`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import accumulate, chain, compress, pairwise, repeat

import msgspec

from cachetui.model.dependency import ALL_TYPES, LANGUAGES, LINK_RUN, Edge, EdgeKind, Node, State
from cachetui.model.libc import Libc
from cachetui.model.spec import ROOT
from cachetui.store.arrays import Ints, Postings, numbered
from cachetui.store.string_table import decode_variants
from cachetui.store.tag_graph import RawGraph, TagGraph, profile_of

extra_of = msgspec.json.Decoder(tuple[str, str | None, str | None, str | None, tuple[str, ...]]).decode
"""Namespace, external path, package hash, what it was spliced from, and modules from a text of the column `extra`."""

_decode_kind = msgspec.json.Decoder(EdgeKind).decode

REMEMBERED = 1 << 14
"""Most hashes whose numbers are remembered."""

MANY = 8
"""Where one in so many nodes is looked up, a table of all is made first."""


class Graph:
    """All parts as one graph."""

    def __init__(self, parts: Sequence[TagGraph | RawGraph]) -> None:
        self.paths = tuple(part.path for part in parts)
        """The paths of the parts."""
        self.tags = tuple(part.tag for part in parts)
        """The tags whose dependencies are recorded."""
        self.mirrors = tuple(part.mirrors for part in parts)
        """For each tag where its caches are; see `mirror`."""
        self._parts = parts
        self.number = lru_cache(REMEMBERED)(self._number)
        self.followed = cache(self._followed)

    def __bool__(self) -> bool:
        """Whether any dependencies are recorded."""
        return bool(self.paths)

    def __len__(self) -> int:
        return self.bases[-1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graph) and self.paths == other.paths and self.parts == other.parts

    @cached_property
    def parts(self) -> tuple[TagGraph, ...]:
        """The flat storage, one part for each tag."""
        return tuple(part.joined for part in self._parts)

    @cached_property
    def bases(self) -> list[int]:
        """The number of the first node of each part, then that of all nodes."""
        return list(accumulate(map(len, self.parts), initial=0))

    @cached_property
    def kinds(self) -> list[list[EdgeKind]]:
        """For each part the kinds of its edges, by their numbers."""
        return [list(map(_decode_kind, part.kinds)) for part in self.parts]

    def _followed(self, types: frozenset[str]) -> list[list[bool]]:
        """For each part whether edges of a kind have one of these types, by the numbers of the kinds."""
        return [[not types.isdisjoint(kind[0]) for kind in kinds] for kinds in self.kinds]

    def split(self, number: int) -> tuple[TagGraph, int]:
        """The part of a node, and its number there."""
        p = bisect_right(self.bases, number) - 1
        return self.parts[p], number - self.bases[p]

    def mirror(self, tag: str, stacks: Sequence[str]) -> str | None:
        """The folder or URL of a cache of this tag that is one of these stacks, the whole tag's where it is one."""
        mirrors = dict(zip(self.tags, self.mirrors, strict=True)).get(tag, {})
        wanted = [ROOT, *stacks] if ROOT in stacks else stacks or ("",)
        return next((mirrors[stack] for stack in wanted if stack in mirrors), None)

    # Nodes

    def _number(self, node_hash: str) -> int | None:
        """The node of this whole hash, of the first part that knows more of it than its name; None for no node."""
        named = None
        for part, base in zip(self.parts, self.bases, strict=False):
            place = part.place(node_hash)
            if place is not None:
                if part.state[place]:
                    return base + place
                named = base + place if named is None else named
        return named

    def numbers(self, hashes: Sequence[str]) -> list[int]:
        """The nodes of those of these whole hashes that have one."""
        if len(self.parts) == 1 and len(hashes) * MANY > len(self):
            found = map(numbered(self.parts[0].hashes).get, hashes)
        else:
            found = map(self.number, hashes)
        return [number for number in found if number is not None]

    def node(self, number: int) -> Node:
        """All that is recorded of a node."""
        part, k = self.split(number)
        state = State(part.state[k])
        compiler, os, platform, target = profile_of(part.text("profile", k))
        namespace, external, package_hash, spliced_from, modules = extra_of(part.text("extra", k))
        return Node(
            number=number,
            hash=part.hashes[k],
            name=part.text("name", k),
            version=part.text("version", k),
            namespace=namespace,
            compiler=compiler,
            os=os,
            platform=platform,
            target=target,
            variants=decode_variants(part.text("variants", k)),
            state=state,
            external=(external or "") if state == State.EXTERNAL else None,
            modules=modules,
            package_hash=package_hash,
            spliced_from=spliced_from,
            tag=part.tag,
        )

    def hash(self, number: int) -> str:
        """The hash of a node."""
        part, k = self.split(number)
        return part.hashes[k]

    def name(self, number: int) -> str:
        """The package of a node."""
        part, k = self.split(number)
        return part.text("name", k)

    def state(self, number: int) -> State:
        """What the caches of its tag say of a node."""
        part, k = self.split(number)
        return State(part.state[k])

    def where(self, column: str, takes: Callable[[str], bool]) -> Iterator[int]:
        """The nodes whose text in this node column is taken; each distinct text is asked about once."""
        for part, base in zip(self.parts, self.bases, strict=False):
            taken = {value for value, text in enumerate(part.tables[column]) if takes(text)}
            if taken:
                yield from (base + k for k, value in enumerate(part.columns[column]) if value in taken)

    # One step

    @cached_property
    def reverse(self) -> list[tuple[Ints, Postings]]:
        """For each part the node that each edge begins at, and the edges that lead to each node, by their places."""
        found: list[tuple[Ints, Postings]] = []
        for part in self.parts:
            lengths = (end - start for start, end in pairwise(part.first))
            sources = array("I", chain.from_iterable(map(repeat, range(len(part)), lengths)))
            found.append((sources, Postings.of(array("I", part.target), len(part))))
        return found

    def dependents_in_tag(self, numbers: Iterable[int], fits: Callable[[EdgeKind], bool]) -> set[int]:
        """The nodes of the same tag that need one of these nodes by an edge of a kind that fits."""
        fitting = [list(map(fits, kinds)) for kinds in self.kinds]
        found: set[int] = set()
        for number in numbers:
            p = bisect_right(self.bases, number) - 1
            base, kind, fit = self.bases[p], self.parts[p].kind, fitting[p]
            sources, leading = self.reverse[p]
            found.update(base + sources[at] for at in leading[number - base] if fit[kind[at]])
        return found

    def steps(self, number: int) -> Iterator[tuple[int, int, EdgeKind]]:
        """The part of a node with each node that it needs, by its number there, and the kind of the edge."""
        p = bisect_right(self.bases, number) - 1
        part, k, kinds = self.parts[p], number - self.bases[p], self.kinds[p]
        for at in range(part.first[k], part.first[k + 1]):
            yield p, part.target[at], kinds[part.kind[at]]

    def edges(self, number: int, types: frozenset[str] = ALL_TYPES) -> list[Edge]:
        """What a node needs by edges of one of these types, in the order of the index."""
        steps = self.steps(number)
        return [Edge(self.known(p, k), *kind) for p, k, kind in steps if not types.isdisjoint(kind[0])]

    def needs(self, number: int, types: frozenset[str] = ALL_TYPES) -> list[int]:
        """The nodes that `edges` lead to."""
        p = bisect_right(self.bases, number) - 1
        part, base, follow = self.parts[p], self.bases[p], self.followed(types)[p]
        first, last = part.first[number - base], part.first[number - base + 1]
        targets = compress(part.target[first:last], map(follow.__getitem__, part.kind[first:last]))
        return [base + k for k in targets] if len(self.parts) == 1 else [self.known(p, k) for k in targets]

    def dependents(self, number: int, types: frozenset[str] = ALL_TYPES) -> list[Edge]:
        """What needs a node by edges of one of these types, in any tag; a hash that several tags hold once."""
        found: dict[str, Edge] = {}
        for each in self.everywhere(self.hash(number)):
            p = bisect_right(self.bases, each) - 1
            part, base = self.parts[p], self.bases[p]
            sources, leading = self.reverse[p]
            for at in leading[each - base]:
                edge_types, virtuals = self.kinds[p][part.kind[at]]
                if not types.isdisjoint(edge_types):
                    found.setdefault(part.hashes[sources[at]], Edge(base + sources[at], edge_types, virtuals))
        return list(found.values())

    # One hash in several tags

    def known(self, p: int, k: int) -> int:
        """Node k of a part, or where only its name is known there, the node of another part that has more."""
        part = self.parts[p]
        if part.state[k] or len(self.parts) == 1:
            return self.bases[p] + k
        number = self.number(part.hashes[k])
        assert number is not None
        return number

    def everywhere(self, node_hash: str) -> list[int]:
        """The nodes of a hash in all parts."""
        places = (part.place(node_hash) for part in self.parts)
        return [base + place for base, place in zip(self.bases, places, strict=False) if place is not None]


NO_GRAPH = Graph(())
"""The graph of content that records no dependencies."""


# All steps: every walk is a loop over numbers, so cycles, edges to nothing and very long chains are harmless.


def closure(graph: Graph, numbers: Iterable[int], types: frozenset[str] = LINK_RUN) -> list[int]:
    """Return these nodes and all that they need by edges of these types, nearest first, each hash once."""
    found: dict[int, None] = dict.fromkeys(numbers)
    queue = list(found)
    follows, bases, several = graph.followed(types), graph.bases, len(graph.parts) > 1
    for number in queue:
        p = bisect_right(bases, number) - 1 if several else 0
        part, base, follow = graph.parts[p], bases[p], follows[p]
        target, kind = part.target, part.kind
        for at in range(part.first[number - base], part.first[number - base + 1]):
            needed = base + target[at]
            if follow[kind[at]] and needed not in found:
                if several and (needed := graph.known(p, target[at])) in found:
                    continue
                found[needed] = None
                queue.append(needed)
    return _each_hash_once(graph, queue)


def all_dependents(
    graph: Graph, numbers: Iterable[int], types: frozenset[str] = LINK_RUN, *, in_tag: bool = False
) -> list[int]:
    """Return these nodes and all that need them by edges of these types, nearest first, each hash once.

    That is in any tag, or `in_tag` all nodes of the tags of these alone.
    """
    follows, in_tag = graph.followed(types), in_tag or len(graph.parts) == 1
    everywhere: Callable[[int], Iterable[int]] = (
        (lambda number: (number,)) if in_tag else lambda number: graph.everywhere(graph.hash(number))
    )
    queue = list(dict.fromkeys(chain.from_iterable(map(everywhere, numbers))))
    found = set(queue)
    for number in queue:
        p = bisect_right(graph.bases, number) - 1
        base, kind, follow = graph.bases[p], graph.parts[p].kind, follows[p]
        sources, leading = graph.reverse[p]
        for at in leading[number - base]:
            if follow[kind[at]] and base + sources[at] not in found:
                new = [each for each in everywhere(base + sources[at]) if each not in found]
                found.update(new)
                queue += new
    return queue if in_tag else _each_hash_once(graph, queue)


def _each_hash_once(graph: Graph, numbers: list[int]) -> list[int]:
    """Return of several nodes of one hash the first that is known by more than its name."""
    if len(graph.parts) == 1:
        return numbers
    found: dict[str, int] = {}
    for number in numbers:
        node_hash = graph.hash(number)
        if node_hash not in found or not graph.state(found[node_hash]):
            found[node_hash] = number
    return list(found.values())


# Virtual packages, and what provides them: to each node its compilers and its C library


def virtual_packages(graph: Graph) -> set[str]:
    """The virtual packages that edges provide."""
    return {virtual for kinds in graph.kinds for _, virtuals in kinds for virtual in virtuals}


def providers(graph: Graph, virtual: str) -> list[int]:
    """The nodes that an edge names as what provides a virtual package."""
    found: set[int] = set()
    for part, base, kinds in zip(graph.parts, graph.bases, graph.kinds, strict=False):
        wanted = {number for number, (_, virtuals) in enumerate(kinds) if virtual in virtuals}
        if wanted:
            found.update(base + part.target[at] for at, kind in enumerate(part.kind) if kind in wanted)
    return sorted(found)


def compilers_of(graph: Graph, number: int) -> dict[str, int]:
    """For each of `LANGUAGES` the node that compiled it, where the graph records compilers as dependencies."""
    by_language = {
        virtual: edge.number
        for edge in graph.edges(number, frozenset({"build"}))
        for virtual in edge.virtuals
        if virtual in LANGUAGES
    }
    return {language: by_language[language] for language in LANGUAGES if language in by_language}


def libc_of(graph: Graph, number: int) -> int | None:
    """The node of the C library that a node was built against; None where none is recorded."""
    steps = graph.steps(number)
    return next((graph.known(p, k) for p, k, (types, virtuals) in steps if types and "libc" in virtuals), None)


def built_with_libc(graph: Graph) -> Iterator[tuple[Libc, set[int]]]:
    """The C libraries that a graph records, each with the nodes that were built with it; a library may come again."""
    for number in providers(graph, "libc") if graph else ():
        node = graph.node(number)
        libc = Libc.exactly(node.name, node.version)
        if libc is not None:
            yield libc, graph.dependents_in_tag([number], lambda kind: "libc" in kind[1])
