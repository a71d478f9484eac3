"""Apply the rules of an environment (`require`, `prefer`, `conflict`, `develop`) to the builds of an index.

The rules of a package replace the rules of `all`. The rules of a virtual package or language apply to every build that
depends on a provider. A rule of `all` skips builds that do not have the variant or the compiler in the rule.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Literal

from msgspec import Struct
from pyroaring import BitMap

from cachetui.model.dependency import LANGUAGES, State
from cachetui.model.spec import NO_COMPILER
from cachetui.query.query import NEED_GRAPH, Query
from cachetui.query.terms import ANY, CompilerTerm, DependencyTerm, NameTerm, Term, VariantTerm, VersionTerm, contradict
from cachetui.search.dependencies import nodes_matching
from cachetui.search.index import Index
from cachetui.store.graph import profile_of, providers

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
        return {build for build, count in Counter(chain.from_iterable(found)).items() if count == 1}


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
    """The hashes of the builds, each with one broken rule; empty if the index lacks a graph."""
    later: Mapping[str, str]
    """The hashes of builds that match only a later choice of a rule, with this rule. Spack prefers the first choice."""
    rows: BitMap
    why: Mapping[str, str]
    """The package names of the builds that break a rule, each with one broken rule."""


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
        """Return the requirements of a package, or of `all` if the package has none."""
        return self.required.get(package, self.required.get("all", ()))

    def first_choice(self, package: str) -> Terms:
        """Return the terms of the first choice of each requirement of a package (or of `all`) and of the C compiler."""
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
            found |= dict.fromkeys(matching((NameTerm(name),)), f"develop: Spack builds {name} from its folder")
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

        def named(name: str) -> set[int]:
            return matching((NameTerm(name),)) - external

        for key, kind in (("require", self.required), ("prefer", self.preferred), ("conflict", self.conflicts)):
            own = {name: named(name) for name in kind if name != "all"}
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
    """Turn a rule about providers of a virtual package into a rule about their dependents."""

    def edge(terms: Terms) -> Terms:
        named = next((term.name for term in terms if isinstance(term, NameTerm)), "")
        rest = tuple(term for term in terms if term.key != "name")
        return (DependencyTerm(True, named, (name,), terms=rest),)

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
    """Return the rows that match these query terms. Ignore terms that only a dependency graph can answer."""
    found = BitMap(index.shown_rows)
    for term in terms:
        if isinstance(term, DependencyTerm) and term.asks_for_compiler:
            none = index.term_rows(CompilerTerm(NO_COMPILER))
            found = found & index.term_rows(term.as_compiler) if term.name and term.as_compiler else found - none
        elif term.key not in NEED_GRAPH:
            found = found & index.term_rows(term)
    return set(found)
