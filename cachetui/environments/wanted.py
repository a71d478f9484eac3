"""The input of a user: specs, hashes, and roots of a `spack.lock` to install, with the rules for their builds.

The rules of an environment (`require`, `prefer`, `conflict`, `develop`) apply to the builds of an index. The rules of a
package replace the rules of `all`. The rules of a virtual package or language apply to every build that depends on a
provider. A rule of `all` skips builds that do not have the variant or the compiler in the rule.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.mappings import grouped
from cachetui.model.dependency import ALL_TYPES, HASHES_OVER_BUILD, LANGUAGES, LINK_RUN, LockRoot, State
from cachetui.model.spec import NO_COMPILER
from cachetui.query.parser import NEED_GRAPH
from cachetui.query.query import Query
from cachetui.query.terms import ANY, CompilerTerm, DependencyTerm, NameTerm, Term, VariantTerm, VersionTerm, contradict
from cachetui.safe_text import plural
from cachetui.search.dependencies import nodes_matching
from cachetui.search.index import Index
from cachetui.store.graph import Graph, profile_of, providers

# Rules

Terms = tuple[Term, ...]

Matching = Callable[[Terms], set[int]]
"""Returns the nodes that match all query terms. If the index has no graph, returns rows instead of nodes."""


class Rule(Struct, frozen=True):
    """One entry of `require`, `prefer` or `conflict`."""

    text: str
    """The rule as text in messages."""
    kind: Literal["any", "one", "none"]
    """Whether a build must match at least one choice (`any`), exactly one (`one`), or none of the choices."""
    choices: tuple[Terms, ...]
    when: Terms = ()
    """The condition: the rule applies to builds that match these terms."""

    def met(self, matching: Matching) -> set[int]:
        """Return the builds that match at least one choice, or exactly one choice if `kind` is "one"."""
        found = list(map(matching, self.choices))
        if self.kind != "one":
            return set().union(*found)
        return {build for build, count in Counter(build for some in found for build in some).items() if count == 1}


class ExternalSpec(Struct, frozen=True):
    """A package that exists outside of Spack, listed below `packages:`."""

    text: str
    terms: Terms
    prefix: str

    @property
    def name(self) -> str:
        """The name of the package."""
        return next((term.name for term in self.terms if isinstance(term, NameTerm)), "")

    @property
    def version(self) -> str:
        """The version in the spec; empty if the spec has none."""
        return next((str(term.versions).lstrip("=") for term in self.terms if isinstance(term, VersionTerm)), "")


class Broken(Struct, frozen=True):
    """The builds of an index that break a rule."""

    hashes: Mapping[str, str]
    """The hashes of the builds, each with one broken rule; empty if the index has no dependency graph."""
    later: Mapping[str, str]
    """The hashes of builds that do not match the first choice of a rule but match a later one, each with the rule."""
    rows: BitMap
    why: Mapping[str, str]
    """One broken rule for each package that has builds in `rows`, by package name."""


class Rules(Struct, frozen=True, eq=False):
    """The rules of one set of roots."""

    required: Mapping[str, tuple[Rule, ...]] = {}
    preferred: Mapping[str, tuple[Rule, ...]] = {}
    conflicts: Mapping[str, tuple[Rule, ...]] = {}
    buildable: Mapping[str, bool] = {}
    """The value of `buildable` for each package and for `all`. If False, Spack never builds the package from source."""
    developed: frozenset[str] = frozenset()
    """The packages under `develop`. Spack builds them from a source folder and cannot use a binary."""
    externals: Mapping[str, tuple[ExternalSpec, ...]] = {}

    def external(self, query: Query) -> ExternalSpec | None:
        """Return the external that Spack must use for this spec. None if Spack may use a build."""
        name = query.package.name if query.package else ""
        if self.buildable.get(name, self.buildable.get("all", True)):
            return None
        return next((each for each in self.externals.get(name, ()) if not contradict(query.terms, each.terms)), None)

    def required_of(self, package: str) -> tuple[Rule, ...]:
        """Return the requirements for a package. If it has none, return the requirements for `all`."""
        return self.required.get(package, self.required.get("all", ()))

    def first_choice(self, package: str) -> Terms:
        """Return query terms that describe the builds that Spack prefers for a package.

        The terms are the first choices in the requirements for the package and for the C compiler. If the package has
        no requirements, use the requirements for `all`.
        """
        compilers = map(partial(_of_virtual, "c"), self.required.get("c", ()))
        asked = [
            term for rule in (*self.required_of(package), *compilers) for term in rule.choices[0] if term.key != "name"
        ]
        return tuple(
            term.as_compiler or term if isinstance(term, DependencyTerm) and term.asks_for_compiler else term
            for term in asked
        )

    def allows_first(self, query: Query) -> bool:
        """Return whether a spec can match the first choice of each rule of its package."""
        name = query.package.name if query.package else ""
        rules = (*self.required_of(name), *self.preferred.get(name, ()))
        return not any(contradict(query.terms, rule.choices[0]) for rule in rules)

    def broken(self, index: Index) -> Broken:
        """Return the builds of an index that break a rule."""
        graph = index.graph
        if not (self.required or self.preferred or self.conflicts or self.developed):
            return Broken({}, {}, BitMap(), {})
        matching = partial(nodes_matching, graph) if graph else partial(_rows_matching, index)
        found: dict[int, str] = {}
        later: dict[int, str] = {}
        for rule, text, concerned in self._applied(index, matching):
            met = rule.met(matching)
            found |= dict.fromkeys(concerned & met if rule.kind == "none" else concerned - met, text)
            if rule.kind != "none" and len(rule.choices) > 1:
                later |= dict.fromkeys((concerned & met) - matching(rule.choices[0]), text)
        for name in self.developed:
            found |= dict.fromkeys(matching((NameTerm(name),)), f"develop: {name} (Spack builds it from a folder)")
        rows = index.columns.rows_of_nodes(found) if graph else BitMap(found)
        names = map(graph.name, found) if graph else (index.spec(row).package for row in found)
        why = dict(zip(names, found.values(), strict=True))
        hashes, others = ({graph.hash(k): text for k, text in each.items()} if graph else {} for each in (found, later))
        return Broken(hashes, others, rows, why)

    def _applied(self, index: Index, matching: Matching) -> Iterator[tuple[Rule, str, set[int]]]:
        """Yield each rule, its text for messages, and the builds to which it applies."""
        graph = index.graph
        external = {n for n in range(len(graph)) if graph.state(n) == State.EXTERNAL} if graph else set()
        everything = matching(()) - external
        for key, kind in (("require", self.required), ("prefer", self.preferred), ("conflict", self.conflicts)):
            own = {name: matching((NameTerm(name),)) - external for name in kind if name != "all"}
            others = everything.difference(*own.values())
            for name, rules in kind.items():
                is_virtual = name != "all" and not own[name]
                for rule in map(partial(_of_virtual, name), rules) if is_virtual else rules:
                    concerned = everything if is_virtual else others if name == "all" else own[name]
                    concerned = concerned & matching(rule.when) if rule.when else concerned
                    if name == "all" and concerned:
                        concerned = concerned - _foreign(rule, index, matching, everything)
                    yield rule, f"packages: {name}: {key}: {rule.text}", concerned


NO_RULES = Rules()


def _of_virtual(name: str, rule: Rule) -> Rule:
    """Take a rule for the providers of a virtual package. Return the same rule for packages that need a provider."""

    def edge(terms: Terms) -> Terms:
        named = next((term.name for term in terms if isinstance(term, NameTerm)), "")
        return (DependencyTerm(True, named, (name,), terms=tuple(term for term in terms if term.key != "name")),)

    return Rule(rule.text, rule.kind, tuple(map(edge, rule.choices)), edge(rule.when))


def _foreign(rule: Rule, index: Index, matching: Matching, everything: set[int]) -> set[int]:
    """Return the builds that a rule of `all` skips: builds that lack the variant or the compiler in the rule."""
    found: set[int] = set()
    terms = [term for choice in rule.choices for term in choice]
    for name in {term.name for term in terms if isinstance(term, VariantTerm)}:
        found |= everything - matching((VariantTerm(name, ANY),))
    if any(isinstance(term, CompilerTerm | DependencyTerm) for term in terms):
        graph = index.graph
        if not graph:
            return found | set(index.term_rows(CompilerTerm(NO_COMPILER)))
        compiled = set(graph.where("profile", lambda text: profile_of(text)[0] is not None))
        compiled = compiled.union(*(matching((DependencyTerm(True, "", (each,)),)) for each in LANGUAGES))
        found |= (everything - compiled).union(*(providers(graph, each) for each in LANGUAGES))
    return found


def _rows_matching(index: Index, terms: Terms) -> set[int]:
    """Return the rows that match these query terms. Ignore terms that can be evaluated only with a dependency graph."""
    found = BitMap(index.shown_rows)
    for term in terms:
        if isinstance(term, DependencyTerm) and term.asks_for_compiler:
            none = index.term_rows(CompilerTerm(NO_COMPILER))
            found = found & index.term_rows(term.as_compiler) if term.name and term.as_compiler else found - none
        elif term.key not in NEED_GRAPH:
            found = found & index.term_rows(term)
    return set(found)


# Specs, hashes and roots


class Expectation(Struct, frozen=True):
    """One spec that the content should have."""

    text: str
    """The written text of the spec, or one combination of a matrix."""
    query: Query | None
    fault: str = ""
    """The reason why the spec is invalid; empty for a valid spec. `query` of an invalid spec is None."""
    group: str = ""
    """The name of the group of roots that Spack concretizes together."""
    rules: Rules = NO_RULES
    """The rules for the build and all dependencies of the spec."""

    @property
    def package(self) -> str | None:
        """The package name in the spec; None if the spec has only a hash or is invalid."""
        named = self.query.package if self.query else None
        return named.name if named else None

    def rows(self, index: Index, broken: Broken) -> BitMap:
        """Return the builds that match the spec and are not in `broken`."""
        return index.rows(self.query) - broken.rows if self.query else BitMap()

    def broken_rule(self, index: Index, broken: Broken) -> str:
        """Return one rule that a matching build breaks; empty if all matching builds satisfy the rules."""
        rows = index.rows(self.query) & broken.rows if self.query else BitMap()
        return broken.why.get(index.spec(rows[0]).package, "") if rows else ""

    @property
    def required(self) -> tuple[str, ...]:
        """The environment's requirements for the package, as text. They apply in addition to the spec."""
        return tuple(rule.text for rule in self.rules.required_of(self.package or ""))

    @property
    def of_rows(self) -> "Expectation":
        """The expectation without the terms that can be evaluated only with a dependency graph."""
        if self.query is None or NEED_GRAPH.keys().isdisjoint(term.key for term in self.query.terms):
            return self
        plain = Query(tuple(term for term in self.query.terms if term.key not in NEED_GRAPH))
        return replace(self, text=plain.line, query=plain)


class Expectations(Struct, frozen=True):
    entries: tuple[Expectation, ...]
    """The distinct specs of each group, in the order of the file."""
    notes: tuple[str, ...] = ()
    """Notes for the user about parts of the input that are not applied."""

    def answerable(self, *, has_graph: bool) -> "Expectations":
        """Return the expectations without the terms that cannot be evaluated on the content.

        Without a dependency graph, these are the terms about dependencies and compiler flags, and `complete`. If a term
        is omitted, the result has a note for the user.
        """
        entries = self.entries if has_graph else [entry.of_rows for entry in self.entries]
        named = sum(plain is not entry for plain, entry in zip(entries, self.entries, strict=True))
        if not named:
            return self
        what = f"the dependencies (^) and compiler flags of {plural(named, 'spec')}"
        note = f"{what} are not compared, because the content does not record them"
        found = {(each.group, each.text): each for each in entries}
        return Expectations(tuple(found.values()), (*self.notes, note))

    @property
    def packages(self) -> frozenset[str]:
        return frozenset(entry.package for entry in self.entries if entry.package)


class Lock(Struct, frozen=True):
    version: int
    """The version of the lock format, 1 to 8."""
    roots: tuple[LockRoot, ...]
    """The roots in the order of the file. The roots of included environments are last."""
    graph: Graph
    notes: tuple[str, ...] = ()
    own: int = 0
    """The number of roots that do not come from included environments."""

    @property
    def hashed_types(self) -> frozenset[str]:
        """The types of dependencies that are part of a hash."""
        return ALL_TYPES if self.version >= HASHES_OVER_BUILD else LINK_RUN


class Asked(Struct, frozen=True):
    """One entry to install: a hash, a root of a lock, or a spec."""

    text: str
    """The text that the user wrote."""
    hash: str | None = None
    """The hash or its beginning; None for a spec."""
    lock: Lock | None = None
    """The lock that has the hash as a root; None for other entries."""
    group: str = ""
    """The name of the group of roots in an environment; empty for other entries."""
    expectation: Expectation | None = None
    """The spec; None for a hash."""
    unify_group: tuple[str, str] | None = None
    """The value of `unify`, and the name of the set of roots that must use the same build of each package.

    None for a root outside these sets.
    """


NamedT = TypeVar("NamedT", bound=Expectation | Asked)


def with_group_names(entries: Sequence[NamedT]) -> tuple[NamedT, ...]:
    """Return the entries. If the same text occurs in several groups, add the name of the group to each text."""
    groups = grouped((each.text, each.group) for each in entries)
    several = {text for text, own in groups.items() if len({*own}) > 1}
    return tuple(
        replace(each, text=f"{each.text} (group {each.group})") if each.group and each.text in several else each
        for each in entries
    )


class Wanted(Struct, frozen=True):
    asked: tuple[Asked, ...]
    """The entries in the given order."""
    notes: tuple[str, ...] = ()
    """Notes for the user about parts of the input that are not applied."""
    unapplied: tuple[str, ...] = ()
    """Notes for the user about parts of the input that are not applied and could change the verdict."""

    @property
    def locks(self) -> tuple[Lock, ...]:
        """The distinct locks of all entries."""
        return tuple({id(each.lock): each.lock for each in self.asked if each.lock is not None}.values())
