"""The dependency graph of a catalogue, which has one part for each tag of build caches.

Nodes have numbers, through all parts: `number(hash)` returns that of a hash, `node(number)` all that is recorded of a
node. `edges` and `dependents` go one step, `closure` and `all_dependents` go all steps.
A spec without a node, as on pages, is one whose dependencies are not recorded; it may have some.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import accumulate, chain, compress, pairwise, repeat
from typing import Any, TypeAlias

import msgspec

from cachetui.model.dependency import ALL_TYPES, LANGUAGES, LINK_RUN, Edge, EdgeKind, Node, State
from cachetui.model.libc import Libc
from cachetui.model.spec import ROOT, Spec
from cachetui.model.version import VersionError, VersionList
from cachetui.store.arrays import Ints, Postings, numbered
from cachetui.store.string_table import decode_variants, encoded
from cachetui.store.tag_graph import RawGraph, TagGraph, profile_of

Extra: TypeAlias = tuple[str, str | None, str | None, str | None, tuple[str, ...], tuple[str, ...]]

extra_of: Callable[[str], Extra] = msgspec.json.Decoder(Extra).decode
"""What a text of the column `extra` says; see `TagGraph`."""

_decode_kind = msgspec.json.Decoder(EdgeKind).decode

REMEMBERED = 1 << 14
"""Most hashes whose numbers are cached."""

MANY = 8
"""Where more than one in so many nodes is looked up, a table of all nodes is made first."""


class Graph:
    """The parts of all tags as one graph; false without parts."""

    def __init__(self, parts: Sequence[TagGraph | RawGraph], binaries: Mapping[str, str] | None = None) -> None:
        """`binaries` has the hash of the binary that a node installs from, by the hash of the node, if they differ."""
        self.binaries = binaries or {}
        self.paths = tuple(part.path for part in parts)
        """The paths of the parts."""
        self.tags = tuple(part.tag for part in parts)
        """The tags whose dependencies are recorded."""
        self.mirrors = tuple(part.mirrors for part in parts)
        """For each of these tags its caches; see `TagGraph`."""
        self.trees = {part.tag: part.environments for part in parts if part.environments is not None}
        """The tags that are installations, each with the roots of its environments."""
        self.kept: dict[str, Any] = {}
        """What is kept of the files of each cache, by its folder or URL."""
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
        """The parts as flat storage."""
        return tuple(part.joined for part in self._parts)

    @cached_property
    def bases(self) -> list[int]:
        """The number of the first node of each part, and at the end the number of all nodes."""
        return list(accumulate(map(len, self.parts), initial=0))

    @cached_property
    def kinds(self) -> list[list[EdgeKind]]:
        """The table of edge kinds of each part."""
        return [list(map(_decode_kind, part.kinds)) for part in self.parts]

    def _followed(self, types: frozenset[str]) -> list[list[bool]]:
        """Return for each part and each kind of edge whether it has one of these types; cached as `followed`."""
        return [[not types.isdisjoint(kind[0]) for kind in kinds] for kinds in self.kinds]

    def split(self, number: int) -> tuple[TagGraph, int]:
        """Return the part of a node, and its number in that part."""
        p = bisect_right(self.bases, number) - 1
        return self.parts[p], number - self.bases[p]

    def mirror(self, tag: str, stacks: Sequence[str]) -> str | None:
        """Return the folder or URL of a cache with one of these stacks of a tag, of `root` where it is among them."""
        mirrors = dict(zip(self.tags, self.mirrors, strict=True)).get(tag, {})
        wanted = [ROOT, *stacks] if ROOT in stacks else stacks or ("",)
        return next((mirrors[stack] for stack in wanted if stack in mirrors), None)

    # Nodes

    def _number(self, node_hash: str) -> int | None:
        """Return the node of a whole hash, or None; cached as `number`.

        Of several tags the first counts that has more than its name.
        """
        named = None
        for part, base in zip(self.parts, self.bases, strict=False):
            place = part.place(node_hash)
            if place is not None:
                if part.state[place]:
                    return base + place
                named = base + place if named is None else named
        return named

    def beginning_with(self, prefix: str) -> list[int]:
        """Return the nodes whose hashes begin so, each hash once."""
        found = {part.hashes[k] for part in self.parts for k in part.hashes.beginning_with(encoded(prefix))}
        return self.numbers(sorted(found))

    def numbers(self, hashes: Sequence[str]) -> list[int]:
        """Return the nodes of these whole hashes, as far as they have one."""
        if len(self.parts) == 1 and len(hashes) * MANY > len(self):
            found = map(numbered(self.parts[0].hashes).get, hashes)
        else:
            found = map(self.number, hashes)
        return [number for number in found if number is not None]

    def node(self, number: int) -> Node:
        """Return all that is recorded of a node."""
        part, k = self.split(number)
        state = State(part.state[k])
        compiler, os, platform, target = profile_of(part.text("profile", k))
        namespace, external, package_hash, spliced_from, modules, _ = extra_of(part.text("extra", k))
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
        """Return the hash of a node."""
        part, k = self.split(number)
        return part.hashes[k]

    def has_package(self, name: str) -> bool:
        """Return whether some node is of this package."""
        return any(part.tables["name"].place(encoded(name))[1] for part in self.parts)

    def spec(self, number: int, spec_hash: str) -> Spec:
        """Return what is recorded of a node as a spec with this hash."""
        node = self.node(number)
        return Spec(
            package=node.name,
            version=node.version,
            hash=spec_hash,
            tag=node.tag,
            tags=(node.tag,),
            compiler=node.compiler,
            os=node.os,
            platform=node.platform,
            target=node.target,
            variants=node.variants,
            stacks=(),
            bytes=None,
            tarball=None,
        )

    def binary(self, node_hash: str) -> str:
        """Return the hash of the binary that a node installs from: in a lock the original of a spliced spec."""
        return self.binaries.get(node_hash, node_hash)

    def name(self, number: int) -> str:
        """Return the package of a node."""
        part, k = self.split(number)
        return part.text("name", k)

    def state(self, number: int) -> State:
        """Return whether a node is a binary, an external or missing in the caches of its tag."""
        part, k = self.split(number)
        return State(part.state[k])

    def where(self, column: str, takes: Callable[[str], bool]) -> Iterator[int]:
        """Yield the nodes whose text in a node column fulfils a condition, which is checked once for each text."""
        for part, base in zip(self.parts, self.bases, strict=False):
            taken = {value for value, text in enumerate(part.tables[column]) if takes(text)}
            if taken:
                yield from (base + k for k, value in enumerate(part.columns[column]) if value in taken)

    # One step

    @cached_property
    def reverse(self) -> list[tuple[Ints, Postings]]:
        """For each part the node that each edge begins at, and the edges that lead to each node."""
        found: list[tuple[Ints, Postings]] = []
        for part in self.parts:
            lengths = (end - start for start, end in pairwise(part.first))
            sources = array("I", chain.from_iterable(map(repeat, range(len(part)), lengths)))
            found.append((sources, Postings.of(array("I", part.target), len(part))))
        return found

    def dependents_in_tag(self, numbers: Iterable[int], fits: Callable[[EdgeKind], bool]) -> set[int]:
        """Return the nodes of the same tag with an edge to one of these nodes, of a kind that fits."""
        fitting = [list(map(fits, kinds)) for kinds in self.kinds]
        found: set[int] = set()
        for number in numbers:
            p = bisect_right(self.bases, number) - 1
            base, kind, fit = self.bases[p], self.parts[p].kind, fitting[p]
            sources, leading = self.reverse[p]
            found.update(base + sources[at] for at in leading[number - base] if fit[kind[at]])
        return found

    def steps(self, number: int) -> Iterator[tuple[int, int, EdgeKind]]:
        """Yield each edge of a node: the number of the part, the node needed by its number there, and the kind."""
        p = bisect_right(self.bases, number) - 1
        part, k, kinds = self.parts[p], number - self.bases[p], self.kinds[p]
        for at in range(part.first[k], part.first[k + 1]):
            yield p, part.target[at], kinds[part.kind[at]]

    def edges(self, number: int, types: frozenset[str] = ALL_TYPES) -> list[Edge]:
        """Return the edges of a node with one of these types, in the order of the index."""
        steps = self.steps(number)
        return [Edge(self.known(p, k), *kind) for p, k, kind in steps if not types.isdisjoint(kind[0])]

    def needs(self, number: int, types: frozenset[str] = ALL_TYPES) -> list[int]:
        """Return the nodes that these `edges` lead to."""
        p = bisect_right(self.bases, number) - 1
        part, base, follow = self.parts[p], self.bases[p], self.followed(types)[p]
        first, last = part.first[number - base], part.first[number - base + 1]
        targets = compress(part.target[first:last], map(follow.__getitem__, part.kind[first:last]))
        return [base + k for k in targets] if len(self.parts) == 1 else [self.known(p, k) for k in targets]

    def dependents(self, number: int, types: frozenset[str] = ALL_TYPES) -> list[Edge]:
        """Return the edges, of one of these types, from all nodes that need a node, in any tag; each hash once."""
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

    def below(self, numbers: Iterable[int]) -> Graph:
        """Return the graph of these nodes and all that they need, with numbers of its own."""
        found = dict.fromkeys(numbers)
        queue = list(found)
        for number in queue:
            part, k = self.split(number)
            near = [number - k + needed for needed in part.target[part.first[k] : part.first[k + 1]]]
            elsewhere = self.everywhere(part.hashes[k]) if not part.state[k] else ()
            new = [each for each in (*near, *elsewhere) if each not in found]
            found.update(dict.fromkeys(new))
            queue += dict.fromkeys(new)
        ordered = sorted(found)
        ends = [bisect_left(ordered, base) for base in self.bases]
        places = (
            [each - base for each in ordered[a:b]] for base, (a, b) in zip(self.bases, pairwise(ends), strict=False)
        )
        return Graph([part.only(nodes) for part, nodes in zip(self.parts, places, strict=True)])

    # One hash in several tags

    def known(self, p: int, k: int) -> int:
        """Return node k of part p, or a node of another part where this one knows only its name."""
        part = self.parts[p]
        if part.state[k] or len(self.parts) == 1:
            return self.bases[p] + k
        number = self.number(part.hashes[k])
        assert number is not None
        return number

    def everywhere(self, node_hash: str) -> list[int]:
        """Return the nodes of a hash in all parts."""
        places = (part.place(node_hash) for part in self.parts)
        return [base + place for base, place in zip(self.bases, places, strict=False) if place is not None]


NO_GRAPH = Graph(())
"""The graph of content that records no dependencies."""


# All steps. These are loops, not recursions, so cycles and very long chains do no harm.


def closure(
    graph: Graph, numbers: Iterable[int], types: frozenset[str] = LINK_RUN, inside: Container[int] | None = None
) -> list[int]:
    """Return these nodes and all that they need by edges of these types, nearest first, each hash once.

    With `inside`, a path may only lead through these nodes.
    """
    found = dict.fromkeys(number for number in numbers if inside is None or number in inside)
    queue = list(found)
    follows, bases, several = graph.followed(types), graph.bases, len(graph.parts) > 1
    for number in queue:
        p = bisect_right(bases, number) - 1 if several else 0
        part, base, follow = graph.parts[p], bases[p], follows[p]
        target, kind = part.target, part.kind
        for at in range(part.first[number - base], part.first[number - base + 1]):
            needed = base + target[at]
            if follow[kind[at]] and needed not in found and (inside is None or needed in inside):
                if several and (needed := graph.known(p, target[at])) in found:
                    continue
                found[needed] = None
                queue.append(needed)
    return _each_hash_once(graph, queue)


def all_dependents(
    graph: Graph, numbers: Iterable[int], types: frozenset[str] = LINK_RUN, *, in_tag: bool = False
) -> list[int]:
    """Return these nodes and all that need them by edges of these types, nearest first, each hash once.

    In any tag, or with `in_tag` only in the tags of these nodes.
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
    """Keep one node for each hash: the first of which more than the name is known."""
    if len(graph.parts) == 1:
        return numbers
    found: dict[str, int] = {}
    for number in numbers:
        node_hash = graph.hash(number)
        if node_hash not in found or not graph.state(found[node_hash]):
            found[node_hash] = number
    return list(found.values())


# Virtual packages and their providers: compilers and C libraries


def virtual_packages(graph: Graph) -> set[str]:
    """Return the virtual packages on all edges, and those that nodes themselves record."""
    on_edges = {virtual for kinds in graph.kinds for _, virtuals in kinds for virtual in virtuals}
    said = (extra_of(text)[-1] for part in graph.parts for text in part.tables["extra"] if not text.endswith("[]]"))
    return on_edges.union(text.partition("@")[0] for virtuals in said for text in virtuals)


def providers(graph: Graph, virtual: str, versions: VersionList | None = None) -> list[int]:
    """Return the nodes that provide a virtual package to some node, or say so themselves.

    `versions`: those of the virtual package that are asked for; a node that does not say its own may have any.
    """

    def provided(text: str) -> list[str]:
        return [end for name, _, end in (each.partition("@") for each in extra_of(text)[-1]) if name == virtual]

    found = set[int]()
    for part, base, kinds in zip(graph.parts, graph.bases, graph.kinds, strict=False):
        wanted = {number for number, (_, virtuals) in enumerate(kinds) if virtual in virtuals}
        if wanted:
            found.update(base + part.target[at] for at, kind in enumerate(part.kind) if kind in wanted)
    saying = {text: provided(text) for part in graph.parts for text in part.tables["extra"] if virtual in text}
    others = {text for text, ends in saying.items() if ends and not any(map(_meeting(versions), ends))}
    said = graph.where("extra", lambda text: bool(saying.get(text)) and text not in others)
    return sorted(found.difference(graph.where("extra", others.__contains__)).union(said))


def _meeting(versions: VersionList | None) -> Callable[[str], bool]:
    """Return what tells whether a node that provides these versions, as a text, may provide one that is asked for."""

    def meets(text: str) -> bool:
        try:
            return not text or versions is None or versions.meets(VersionList.parse(text))
        except VersionError:
            return True

    return meets


def compilers_of(graph: Graph, number: int) -> dict[str, int]:
    """Return the compiler of a node for each of `LANGUAGES`, where compilers are dependencies (specfile 5)."""
    by_language = {
        virtual: edge.number
        for edge in graph.edges(number, frozenset({"build"}))
        for virtual in edge.virtuals
        if virtual in LANGUAGES
    }
    return {language: by_language[language] for language in LANGUAGES if language in by_language}


def libc_of(graph: Graph, number: int) -> int | None:
    """Return the C library that a node was built with; None where it is not recorded."""
    steps = graph.steps(number)
    return next((graph.known(p, k) for p, k, (types, virtuals) in steps if types and "libc" in virtuals), None)


def as_libc(graph: Graph, number: int) -> Libc | None:
    """Return the C library that a node is; None where its version is not made of numbers."""
    node = graph.node(number)
    return Libc.exactly(node.name, node.version)


def built_with_libc(graph: Graph) -> Iterator[tuple[Libc, set[int]]]:
    """Yield each C library with the nodes that were built with it; the same library may come several times."""
    for number in providers(graph, "libc") if graph else ():
        libc = as_libc(graph, number)
        if libc is not None:
            yield libc, graph.dependents_in_tag([number], lambda kind: "libc" in kind[1])
