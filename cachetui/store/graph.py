"""The dependency graph of an index. It consists of one part for each tag with recorded dependencies.

The nodes of all parts are numbered consecutively, and most functions take and return these numbers. `number(hash)`
returns the number of a node, and `node(number)` returns its data. `edges` and `dependents` return direct neighbours.
`closure` and `all_dependents` also return indirect neighbours. If a spec has no node, its dependencies are unknown.
Input: nodes from a reader of build caches. The hashes of nodes may be any strings.
"""

from _thread import LockType, allocate_lock
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import accumulate, chain, compress, count, islice, repeat
from operator import sub
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct, field
from pyroaring import BitMap

from cachetui.mappings import grouped
from cachetui.model.dependency import ALL_TYPES, LANGUAGES, LINK_RUN, Edge, EdgeKind, Node, State
from cachetui.model.libc import Libc
from cachetui.model.spec import ROOT, Spec
from cachetui.model.version import VersionError, VersionList
from cachetui.store.arrays import Ints, StringTable, decode_variants, encoded, mapped, marks, numbered, small

NODE_COLUMNS = ("name", "version", "profile", "variants", "extra")
"""The names of the node columns. A node column contains indexes in a table of distinct strings."""

NODE_FIELDS = ("hashes", "kinds", "state", "first", "target", "kind")
REVERSED = ("source_first", "source", "source_kind")
LIBCS = ("libc", "libcs")
"""The names of other columns: columns in `NodeColumns`, reversed edges, and C libraries (see `derived`)."""

_decode_kind = msgspec.json.Decoder(EdgeKind).decode


class NodeColumns(Struct, frozen=True, eq=False):
    """The nodes of all caches of one tag, and the edges between them, in flat columns that can be mapped from a file.

    The nodes are sorted by hash. Invariant: the edges from node k are the entries of `target` and `kind` from
    `first[k]` up to, but not including, `first[k + 1]`. The edges to node k are the entries of `source` and
    `source_kind` from `source_first[k]` up to, but not including, `source_first[k + 1]`.
    """

    hashes: StringTable
    """The hashes of the nodes, sorted by bytes."""
    tables: Mapping[str, StringTable]
    """The sorted distinct values of each node column.

    All values are strings. `profile` is JSON with compiler, os, platform and target. `variants` is a JSON list. `extra`
    is JSON with the namespace, the path of an external, the package hash, the hash of the spec before splicing, the
    modules of an external, and the provided virtual packages, such as `mpi@:3`.
    """
    columns: Mapping[str, Ints]
    state: Ints
    """The `State` of each node."""
    first: Ints
    """The first edge of each node, followed by the total number of edges."""
    target: Ints
    """The target node of each edge."""
    kind: Ints
    """For each edge, the index of its kind in `kinds`."""
    kinds: StringTable
    """The distinct `EdgeKind`s, as JSON."""
    stored: dict[str, Ints] = {}
    """The columns that `derived` has computed, by name."""
    keep: Callable[[], object] = bool
    """A function that saves the derived columns. It is called after they were computed."""
    lock: LockType = field(default_factory=allocate_lock)
    """The lock for the computation of derived columns."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NodeColumns):
            return NotImplemented
        fields = (name for name in self.__struct_fields__ if name not in ("stored", "keep", "lock"))
        return all(getattr(self, name) == getattr(other, name) for name in fields)

    def __len__(self) -> int:
        return len(self.hashes)

    def text(self, column: str, node: int) -> str:
        """Return the string of a node in this column, such as its version."""
        return self.tables[column][self.columns[column][node]]

    def edges(self, node: int) -> range:
        """Return the edges from a node, as indexes in `target` and `kind`."""
        return range(self.first[node], self.first[node + 1])

    def edge_kinds(self) -> list[EdgeKind]:
        """Return the distinct kinds of edges. The column `kind` contains indexes in this list."""
        return list(map(_decode_kind, self.kinds))

    def derived(self, name: str) -> Ints:
        """Return a column that is computed from the edges. The index cache saves the column after its first use.

        `source_first`, `source` and `source_kind` are the reversed edges, sorted by target node. `libcs` contains the
        nodes that are C libraries. `libc` contains the library of each node: 1 means the first library in `libcs`, and
        0 means that the library is unknown.
        """
        if name not in self.stored and name in LIBCS:
            self.stored.update(zip(LIBCS, self._libcs(), strict=True))
        elif name not in self.stored:
            with self.lock:
                if name not in self.stored:  # perhaps another thread has just computed the column
                    self.stored.update(zip(REVERSED, self._reversed(), strict=True))
                    self.keep()
        return self.stored[name]

    def _sources(self) -> chain[int]:
        """Yield the source node of each edge."""
        return chain.from_iterable(map(repeat, range(len(self)), map(sub, islice(self.first, 1, None), self.first)))

    def _reversed(self) -> tuple[Ints, Ints, Ints]:
        counts = [0] * len(self)
        for target in self.target:
            counts[target] += 1
        firsts = array("I", accumulate(counts, initial=0))
        free = firsts[:]  # for each node, the index of its next edge; an array, because a list would be slower
        sources, kinds = array("I", self.target), array("B" if self.kind.itemsize == 1 else "I", self.kind)
        for source, target, kind in zip(self._sources(), self.target, self.kind, strict=True):
            place = free[target]
            sources[place], kinds[place], free[target] = source, kind, place + 1
        return firsts, sources, kinds

    def _libcs(self) -> tuple[Ints, Ints]:
        marked = marks(self.kind, [bool(types) and "libc" in virtuals for types, virtuals in self.edge_kinds()])
        nodes, targets = (list(compress(each, marked)) for each in (self._sources(), self.target))
        libcs = sorted(set(targets))
        number = numbered(libcs)
        column = array("I", bytes(4 * len(self)))
        for node, target in zip(reversed(nodes), reversed(targets), strict=True):  # the first edge of a node wins
            column[node] = number[target] + 1
        return small(column), array("I", libcs)


class TagGraph:
    """The dependency graph of one tag, a part of a `Graph`.

    The nodes and edges are built when they are first used, because building them takes longer than reading the rows.
    The data for building is freed afterwards.
    """

    def __init__(
        self,
        path: str,
        tag: str,
        make: Callable[[], NodeColumns],
        mirrors: Mapping[str, str] = {},
        environments: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """`make` is a function that builds the nodes and edges."""
        self.path = path
        """The key of the graph. A newer graph with the same path replaces this graph."""
        self.tag = tag
        self.mirrors = mirrors
        """The folder or URL of each build cache, by stack. The key is empty for a build cache without a stack."""
        self.environments = environments
        """For an installation, the root hashes of each environment, by the name of the environment. Otherwise None."""
        self._make: Callable[[], NodeColumns] | None = make
        self._made: NodeColumns | None = None
        self._lock = allocate_lock()

    @property
    def nodes(self) -> NodeColumns:
        """The nodes and edges of the graph."""
        with self._lock:
            if self._made is None:
                assert self._make is not None
                self._made, self._make = self._make(), None
            return self._made

    def placed(self, path: str, tag: str) -> "TagGraph":
        """Return a copy of this graph with a new path and a new tag."""
        return TagGraph(path, tag, lambda: self.nodes, self.mirrors, self.environments)


def table_of(texts: Sequence[str], column: Sequence[int]) -> tuple[list[str], "array[int]"]:
    """Sort the texts, and remove repeated and unused texts. Return the new list and the new column.

    Both columns contain indexes: `column` in `texts`, and the new column in the new list.
    """
    distinct = sorted({texts[number] for number in set(column)})
    place = numbered(distinct)
    return distinct, mapped([place.get(text, 0) for text in texts].__getitem__, column)


profile_of = msgspec.json.Decoder(tuple[str | None, str | None, str | None, str | None]).decode
"""A function that returns compiler, os, platform and target from a string in the node column `profile`."""


Followed: TypeAlias = tuple[tuple[bool, ...], ...]
"""The kinds of edges to follow. For each part of the graph, there is one flag for each of its kinds of edges."""

Neighbours: TypeAlias = Callable[[int], Iterable[int]]
"""A function from a node to its neighbours. It follows only some kinds of edges."""

Extra: TypeAlias = tuple[str, str | None, str | None, str | None, tuple[str, ...], tuple[str, ...]]

extra_of: Callable[[str], Extra] = msgspec.json.Decoder(Extra).decode
"""A function that decodes a string of the column `extra` (see `NodeColumns.tables`)."""

MAX_CACHED_NODES = 1 << 14
"""Maximum number of entries in each of the caches for hashes, names and nodes."""

LOOKUP_SHARE = 8
"""If more than 1/`LOOKUP_SHARE` of the nodes are looked up, it is faster to build a dictionary of all nodes first."""


class Graph:
    """The graphs of all tags, combined into one graph. The truth value of a graph without tags is false."""

    def __init__(self, of_tags: Sequence[TagGraph], binaries: Mapping[str, str] | None = None) -> None:
        """`binaries` maps the hash of a node to the hash of its binary, if the hashes differ."""
        self.binaries = binaries or {}
        self.of_tags = of_tags
        """The graph of each tag."""
        self.paths = tuple(each.path for each in of_tags)
        """The path of each tag's graph."""
        self.tags = tuple(each.tag for each in of_tags)
        """The tags with recorded dependencies."""
        self.mirrors = tuple(each.mirrors for each in of_tags)
        """The caches of each tag; see `TagGraph`."""
        self.trees = {each.tag: each.environments for each in of_tags if each.environments is not None}
        """For each tag that is an installation, the roots of its environments."""
        self.open_readers: dict[str, Any] = {}
        """The open readers of build caches, by the folder or URL of the cache."""
        self.number = lru_cache(MAX_CACHED_NODES)(self._number)
        self.name = lru_cache(MAX_CACHED_NODES)(self._name)
        self.node = lru_cache(MAX_CACHED_NODES)(self._node)
        self.followed = cache(self._followed)
        self.forwards = cache(self._forwards)
        self.backwards = cache(self._backwards)

    def __bool__(self) -> bool:
        """Return whether any dependencies are recorded."""
        return bool(self.paths)

    def __len__(self) -> int:
        return self.bases[-1]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return _named(self) == _named(other) and self.parts == other.parts

    @cached_property
    def parts(self) -> tuple[NodeColumns, ...]:
        """The nodes and edges of each tag."""
        return tuple(each.nodes for each in self.of_tags)

    @cached_property
    def bases(self) -> list[int]:
        """The number of the first node of each part, followed by the total number of nodes."""
        return list(accumulate(map(len, self.parts), initial=0))

    @cached_property
    def kinds(self) -> list[list[EdgeKind]]:
        """For each part, its distinct kinds of edges. The number of a kind is its index."""
        return [part.edge_kinds() for part in self.parts]

    def _followed(self, types: frozenset[str]) -> Followed:
        """Select the kinds of edges that have one of these dependency types. `followed` caches the result."""
        return self.fitting(lambda kind: not types.isdisjoint(kind[0]))

    def fitting(self, fits: Callable[[EdgeKind], bool]) -> Followed:
        """Select the kinds of edges for which `fits` returns true."""
        return tuple(tuple(map(fits, kinds)) for kinds in self.kinds)

    def _forwards(self, followed: Followed) -> Neighbours:
        """Return a function that returns the direct dependencies of a node. It follows only these kinds of edges.

        `forwards` caches the function.
        """
        return self._step([(part.first, part.target, part.kind) for part in self.parts], followed)

    def _backwards(self, followed: Followed) -> Neighbours:
        """Return a function that returns the direct dependents of a node in the same tag.

        The function follows only these kinds of edges. `backwards` caches the function.
        """
        columns = ([part.derived(name) for name in ("source_first", "source", "source_kind")] for part in self.parts)
        return self._step([(first, source, kind) for first, source, kind in columns], followed)

    def _step(self, columns: Sequence[tuple[Ints, Ints, Ints]], followed: Followed) -> Neighbours:
        steps = [_step_in(*own, kinds) for own, kinds in zip(columns, followed, strict=True)]

        def step(number: int) -> Iterable[int]:
            p = bisect_right(self.bases, number) - 1
            return map(self.bases[p].__add__, steps[p](number - self.bases[p]))

        return steps[0] if len(steps) == 1 else step

    def split(self, number: int) -> tuple[NodeColumns, int]:
        """Return the part that contains a node, and the number of the node in this part."""
        p = bisect_right(self.bases, number) - 1
        return self.parts[p], number - self.bases[p]

    def mirror(self, tag: str, stacks: Sequence[str]) -> str | None:
        """Return the folder or URL of the build cache with this tag and one of these stacks.

        If the stack `root` is one of them, its build cache is preferred. Return None if this build cache is missing.
        """
        mirrors = dict(zip(self.tags, self.mirrors, strict=True)).get(tag, {})
        wanted = [ROOT, *stacks] if ROOT in stacks else stacks or ("",)
        return next((mirrors[stack] for stack in wanted if stack in mirrors), None)

    # Nodes

    def _number(self, node_hash: str) -> int | None:
        """Return the node with this full hash, or None if the hash is unknown. `number` caches the result.

        If several tags have a node with this hash, return the first node that has more data than a name.
        """
        named = None
        for part, base in zip(self.parts, self.bases, strict=False):
            place = part.hashes.number(node_hash)
            if place is not None:
                if part.state[place]:
                    return base + place
                named = base + place if named is None else named
        return named

    def beginning_with(self, prefix: str) -> list[int]:
        """Find all hashes that begin with `prefix`, and return one node for each hash."""
        found = {part.hashes[k] for part in self.parts for k in part.hashes.beginning_with(encoded(prefix))}
        return self.numbers(sorted(found))

    def numbers(self, hashes: Sequence[str]) -> list[int]:
        """Return the nodes with these full hashes. Ignore hashes without a node."""
        if len(self.parts) == 1 and len(hashes) * LOOKUP_SHARE > len(self):
            found = map(numbered(self.parts[0].hashes).get, hashes)
        else:
            found = map(self.number, hashes)
        return [number for number in found if number is not None]

    def _node(self, number: int) -> Node:
        """Return a node with all its recorded data. `node` caches the result."""
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
            tag=self.tags[bisect_right(self.bases, number) - 1],
        )

    def hash(self, number: int) -> str:
        """Return the hash of a node."""
        part, k = self.split(number)
        return part.hashes[k]

    def has_package(self, name: str) -> bool:
        """Return whether any node belongs to this package."""
        return any(part.tables["name"].number(name) is not None for part in self.parts)

    def spec(self, number: int, spec_hash: str) -> Spec:
        """Return a spec with the data of a node, but with the given hash."""
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
        """Return the hash of a node's binary.

        In a lock file, a spliced spec has the binary of the spec before splicing.
        """
        return self.binaries.get(node_hash, node_hash)

    def _name(self, number: int) -> str:
        """Return the package name of a node. `name` caches the result."""
        part, k = self.split(number)
        return part.text("name", k)

    def state(self, number: int) -> State:
        """Return the state of a node in the caches of its tag, such as `State.BINARY`."""
        part, k = self.split(number)
        return State(part.state[k])

    def of_state(self, state: State) -> BitMap:
        """Return the nodes with this state."""
        wanted, parts = [each == state for each in State], zip(self.parts, self.bases, strict=False)
        nodes = (compress(count(base), marks(part.state, wanted)) for part, base in parts)
        return BitMap(array("I", chain.from_iterable(nodes)))

    def where(self, column: str, matches: Callable[[str], bool]) -> Iterator[int]:
        """Yield the nodes whose string in a column fulfils `matches`. Call `matches` once for each distinct string."""
        for part, base in zip(self.parts, self.bases, strict=False):
            matching = list(map(matches, part.tables[column]))
            if any(matching):
                yield from compress(count(base), marks(part.columns[column], matching))

    # Direct neighbours

    def dependents_in_tag(self, numbers: Iterable[int], fits: Callable[[EdgeKind], bool]) -> BitMap:
        """Return the direct dependents of these nodes. Search each node's dependents only in the tag of the node.

        Follow only the kinds of edges for which `fits` returns true.
        """
        return BitMap(array("I", chain.from_iterable(map(self.backwards(self.fitting(fits)), numbers))))

    def edges(self, number: int, types: frozenset[str] = ALL_TYPES) -> list[Edge]:
        """Return the edges from a node, in the recorded order. Return only edges with one of these dependency types."""
        p = bisect_right(self.bases, number) - 1
        part, base, kinds = self.parts[p], self.bases[p], self.kinds[p]
        found = ((base + part.target[at], kinds[part.kind[at]]) for at in part.edges(number - base))
        return [Edge(self.with_data(needed), *kind) for needed, kind in found if not types.isdisjoint(kind[0])]

    def direct_dependencies(self, number: int, types: frozenset[str] = ALL_TYPES) -> list[int]:
        """Return the direct dependencies of a node. Follow only the edges with one of these dependency types."""
        return [self.with_data(needed) for needed in self.forwards(self.followed(types))(number)]

    def dependents(self, number: int, types: frozenset[str] = ALL_TYPES) -> list[Edge]:
        """Find the direct dependents of a node in all tags, and return the edge between each dependent and the node.

        Return only edges with one of these dependency types. If several dependents have the same hash, return only one
        edge for this hash.
        """
        found: dict[str, Edge] = {}
        for each in self.everywhere(self.hash(number)):
            p = bisect_right(self.bases, each) - 1
            part, base = self.parts[p], self.bases[p]
            first, source, kind = map(part.derived, ("source_first", "source", "source_kind"))
            for at in range(first[each - base], first[each - base + 1]):
                edge_types, virtuals = self.kinds[p][kind[at]]
                if not types.isdisjoint(edge_types):
                    found.setdefault(part.hashes[source[at]], Edge(base + source[at], edge_types, virtuals))
        return list(found.values())

    # One hash in several tags

    def with_data(self, number: int) -> int:
        """Return a node with the hash of this node and with more data than a name.

        If this node has more data than a name, return this node. Otherwise search all tags. If no tag has such a node,
        return the first node with the hash.
        """
        part, k = self.split(number)
        if part.state[k] or len(self.parts) == 1:
            return number
        known = self.number(part.hashes[k])
        assert known is not None
        return known

    def same_hash(self, number: int) -> Sequence[int]:
        """Return all nodes, in all tags, that have the same hash as this node, including this node."""
        return (number,) if len(self.parts) == 1 else self.everywhere(self.hash(number))

    def to_dependencies(self, types: frozenset[str]) -> Neighbours:
        """Return a function that returns the direct dependencies of a node. It follows only edges with these types.

        The function applies `with_data` to each dependency, so that a search can continue in another tag.
        """
        step = self.forwards(self.followed(types))
        return step if len(self.parts) == 1 else lambda number: map(self.with_data, step(number))

    def to_dependents(self, types: frozenset[str]) -> Neighbours:
        """Return a function that returns the direct dependents of a node. It follows only edges with these types.

        The function searches the tag of the node. It also searches other tags in which the node has only a name.
        """
        step, twins = self.backwards(self.followed(types)), self._twins
        if not twins:
            return step
        return lambda number: chain(step(number), *map(step, twins.get(number, ())))

    def backwards_in_all_tags(self, types: frozenset[str]) -> Neighbours:
        """Return a function that returns the direct dependents of a node. It follows only edges with these types.

        The function finds the dependents in the tag of the node. Then it returns all nodes, in all tags, that have the
        hash of a dependent.
        """
        step = self.backwards(self.followed(types))
        return step if len(self.parts) == 1 else lambda number: chain.from_iterable(map(self.same_hash, step(number)))

    @cached_property
    def _twins(self) -> Mapping[int, list[int]]:
        """For a node with data, the nodes in other tags that have the same hash but only a name."""
        unknown = self.of_state(State.UNKNOWN) if len(self.parts) > 1 else ()
        return grouped((self.with_data(number), number) for number in unknown if self.with_data(number) != number)

    def everywhere(self, node_hash: str) -> list[int]:
        """Return all nodes, in all tags, that have this hash."""
        places = (part.hashes.number(node_hash) for part in self.parts)
        return [base + place for base, place in zip(self.bases, places, strict=False) if place is not None]


def _named(graph: Graph) -> list[tuple[object, ...]]:
    return [(each.path, each.tag, each.mirrors, each.environments) for each in graph.of_tags]


def _step_in(first: Ints, ends: Ints, kind: Ints, followed: Sequence[bool]) -> Neighbours:
    """Return a function that returns the neighbours of a node in one tag.

    The edges of node k begin at index `first[k]` of the columns `ends` and `kind`. `ends` contains the neighbour to
    which an edge leads. `kind` contains the kind of the edge. The function follows an edge of kind n only if
    `followed[n]` is true.
    """
    if all(followed):
        return lambda k: ends[first[k] : first[k + 1]].tolist()
    marked = marks(kind, followed)

    def step(k: int) -> Iterable[int]:
        start, end = first[k], first[k + 1]
        return compress(ends[start:end], marked[start:end])

    return step


NO_GRAPH = Graph(())
"""The graph of content that records no dependencies."""


# Indirect neighbours. The functions use loops instead of recursion, so cycles and very long chains are harmless.


def closure(graph: Graph, numbers: Iterable[int], types: frozenset[str] = LINK_RUN) -> list[int]:
    """Return these nodes and all their direct and indirect dependencies with these types.

    Nearest nodes are first. Return each hash only once.
    """
    return _nearest_first(graph, graph.to_dependencies(types), numbers)


def all_dependents(graph: Graph, numbers: Iterable[int], types: frozenset[str] = LINK_RUN) -> list[int]:
    """Return these nodes and all their direct and indirect dependents with these types, in all tags.

    Nearest nodes are first. Return each hash only once.
    """
    return _nearest_first(graph, graph.backwards_in_all_tags(types), chain.from_iterable(map(graph.same_hash, numbers)))


def _nearest_first(graph: Graph, step: Neighbours, start: Iterable[int]) -> list[int]:
    found = dict.fromkeys(start)
    queue = list(found)
    for number in queue:
        for each in step(number):
            if each not in found:
                found[each] = None
                queue.append(each)
    if len(graph.parts) == 1:
        return queue
    once: dict[str, int] = {}  # for each hash one node, if possible the first node with more data than a name
    for number in queue:
        node_hash = graph.hash(number)
        if node_hash not in once or not graph.state(once[node_hash]):
            once[node_hash] = number
    return list(once.values())


def reached(step: Neighbours, start: Iterable[int], inside: BitMap | None = None) -> BitMap:
    """Return the start nodes, and all nodes that can be reached from them in one or more steps.

    `step` is a function that returns the next nodes after a node, such as its dependencies. If `inside` is given,
    ignore all next nodes that are not in `inside`.
    """
    new = found = BitMap(start)
    while new:
        new = BitMap(array("I", chain.from_iterable(map(step, new)))) - found
        new = new if inside is None else new & inside
        found = found | new
    return found


def needing(graph: Graph, numbers: Iterable[int], types: frozenset[str] = LINK_RUN) -> BitMap:
    """Return these nodes and all their direct and indirect dependents with these types, in all tags."""
    return reached(graph.backwards_in_all_tags(types), chain.from_iterable(map(graph.same_hash, numbers)))


# Virtual packages and their providers: compilers and C libraries


def virtual_packages(graph: Graph) -> set[str]:
    """Return the names of all virtual packages that edges or nodes record."""
    on_edges = {virtual for kinds in graph.kinds for _, virtuals in kinds for virtual in virtuals}
    said = (extra_of(text)[-1] for part in graph.parts for text in part.tables["extra"] if not text.endswith("[]]"))
    return on_edges.union(text.partition("@")[0] for virtuals in said for text in virtuals)


def providers(graph: Graph, virtual: str, versions: VersionList | None = None) -> list[int]:
    """Return the nodes that provide a virtual package. A node or its incoming edges record the provided packages.

    `versions` are the requested versions of the virtual package. A node without recorded versions may provide any
    version.
    """

    def provided(text: str) -> list[str]:
        return [end for name, _, end in (each.partition("@") for each in extra_of(text)[-1]) if name == virtual]

    def meets(text: str) -> bool:
        """Return whether a string of provided versions may contain one of the requested versions."""
        try:
            return not text or versions is None or versions.meets(VersionList.parse(text))
        except VersionError:
            return True

    found = set[int]()
    for part, base, kinds in zip(graph.parts, graph.bases, graph.kinds, strict=False):
        wanted = [virtual in virtuals for _, virtuals in kinds]
        if any(wanted):
            found.update(map(base.__add__, set(compress(part.target, marks(part.kind, wanted)))))
    saying = {text: provided(text) for part in graph.parts for text in part.tables["extra"] if virtual in text}
    others = {text for text, ends in saying.items() if ends and not any(map(meets, ends))}
    said = graph.where("extra", lambda text: bool(saying.get(text)) and text not in others)
    return sorted(found.difference(graph.where("extra", others.__contains__)).union(said))


def compilers_of(graph: Graph, number: int) -> dict[str, int]:
    """Return the compiler of a node for each language, as the number of the compiler's node.

    For specfiles before version 5, the result is empty, because they have no compiler nodes.
    """
    by_language = {
        virtual: edge.number
        for edge in graph.edges(number, frozenset({"build"}))
        for virtual in edge.virtuals
        if virtual in LANGUAGES
    }
    return {language: by_language[language] for language in LANGUAGES if language in by_language}


def libc_of(graph: Graph, number: int) -> int | None:
    """Return the node of the C library with which a node was built, or None if the library is unknown."""
    part, k = graph.split(number)
    at = part.derived("libc")[k]
    return graph.with_data(number - k + part.derived("libcs")[at - 1]) if at else None


def as_libc(graph: Graph, number: int) -> Libc | None:
    """Return the C library that a node represents. Return None if its version contains more than digits and dots."""
    node = graph.node(number)
    return Libc.exactly(node.name, node.version)


def built_with_libc(graph: Graph) -> Iterator[tuple[Libc, Iterator[int]]]:
    """Yield each C library and the nodes that were built with it.

    If several tags use the same library, yield the library once for each tag.
    """
    for part, base in zip(graph.parts, graph.bases, strict=False):
        column = part.derived("libc")
        libcs = [None, *(as_libc(graph, graph.with_data(base + k)) for k in part.derived("libcs"))]
        for libc in dict.fromkeys(filter(None, libcs)):
            yield libc, compress(count(base), marks(column, [each == libc for each in libcs]))
