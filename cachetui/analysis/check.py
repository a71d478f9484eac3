"""The verdict of `check`: would the requested specs install from binaries?

A root is a requested spec. For each root, the result lists the available, installed and missing dependencies. For a
missing dependency, the result lists unselected caches that have the binary.

A hash or a root of a lock means exactly one build. For a spec, `check` chooses a build by these criteria, in order:
- The build runs on the host.
- The fewest dependencies are missing.
- The fewest additional caches are needed, that is, caches that no other root needs.
- The fewest additional binaries are needed.
- The target is nearest to the target of the host.
- The version is the newest.

`check` first chooses the builds with the most dependencies, so that other roots can share these dependencies.
Input: an index, the requested specs, the selected caches, the host, and whether a binary that does not run on the host
makes the verdict `no`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from msgspec import Struct, field
from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.environments.wanted import Asked, Broken, Expectation, ExternalSpec, Rules, Wanted
from cachetui.mappings import Once, grouped
from cachetui.model.budget import MAX_BYTES, Budget, OverBudgetError
from cachetui.model.dependency import LINK_RUN, Node, State
from cachetui.model.host import Fit, Host
from cachetui.model.libc import Libc
from cachetui.model.problem import BROKEN_INDEX, UNREAD_CACHE, UNREAD_CACHES, CheckReason, Problem, UserError, Verdict
from cachetui.model.spec import HASH, ROOT, Spec, all_signed
from cachetui.query.query import Query
from cachetui.safe_text import listed
from cachetui.search.agreement import agreeing, contested
from cachetui.search.availability import (
    Availability,
    CacheName,
    Closure,
    Closures,
    caches_of,
    fewest_mirrors,
    fits,
    mirror_name,
    total_size,
)
from cachetui.search.hashes import prefixed
from cachetui.search.index import Index, newest_first, newest_tag_order
from cachetui.store.graph import Graph, reached
from cachetui.store.graph import closure as linked
from cachetui.store.mtimes import exists

LIBCS = ("glibc", "musl")

MAX_NEEDED = MAX_BYTES // 200
"""Maximum number of dependencies of all roots together. A dependency counts once for each root that needs it."""

NO_BUILD: tuple[CheckReason, ...] = ("no_hash", "no_package", "no_build", "not_installed", "excluded_by_require")
"""The reasons why a root has no usable build."""

NOT_KNOWN: tuple[CheckReason, ...] = (
    "ambiguous",
    "unreadable",
    "not_recorded",
    "unread",
    "undecided",
    "external",
    "preferred",
)
"""The reasons that make the verdict unknown."""


class NeededSpec(Struct, frozen=True):
    """A requested spec or one of its dependencies."""

    hash: str
    name: str | None = field(name="package")
    """The package. `name` and `version` are None if only the hash is known."""
    version: str | None


class Missing(NeededSpec, frozen=True):
    """A spec without a binary in the selected tags and stacks."""

    found_in: tuple[CacheName, ...]
    """Caches outside the selected tags and stacks that have the binary."""


class External(NeededSpec, frozen=True):
    """A spec that the host must provide."""

    path: str
    fits: bool | None
    """Whether the host provides the spec, as a new enough C library or as a file at this path; None if unknown.
    """


class Root(Struct, frozen=True):
    """The result for one requested spec."""

    asked: str
    hash: str | None
    """The hash of the chosen build; None if the build is missing."""
    closure: Closure | None = None
    here: tuple[str, ...] = ()
    """The hashes of the root and its dependencies, if they have a binary in a selected cache and are not installed."""
    installed: tuple[str, ...] = ()
    """The hashes of the installed specs among the root and its dependencies."""
    missing: tuple[Missing, ...] = ()
    externals: tuple[External, ...] = ()
    reason: CheckReason | None = None
    """The reason for the verdict; None if the verdict is `yes`."""
    fault: str = ""
    """The reason as text if no build was found or the dependencies are unknown; otherwise empty."""

    @property
    def verdict(self) -> Verdict:
        """`yes` if the root and all its dependencies are installed or have binaries, else `no` or `unknown`."""
        return "yes" if self.reason is None else "unknown" if self.reason in NOT_KNOWN else "no"

    @property
    def complete(self) -> bool:
        """Whether the verdict is yes."""
        return self.verdict == "yes"

    @property
    def binaries(self) -> tuple[str, ...]:
        """The hashes of all binaries that the root needs."""
        return (*self.here, *(each.hash for each in self.missing))


class Install(Struct, frozen=True):
    """The result for all roots together."""

    roots: tuple[Root, ...]
    here: tuple[str, ...]
    """The hashes of the needed specs that have a binary in a selected cache and are not installed."""
    installed: tuple[str, ...]
    """The hashes of the installed specs among the needed specs."""
    missing: tuple[Missing, ...]
    """The missing specs, each once. The specs that most roots need come first."""
    externals: tuple[External, ...]
    unfit: tuple[tuple[NeededSpec, Fit], ...]
    """The needed specs that are available or installed but do not run on the host, each with the reason."""
    unknown: int
    """The number of needed specs for which it is unknown whether they run on the host. Missing specs do not count."""
    mirrors: tuple[CacheName, ...]
    """The smallest set of caches that together hold all available needed binaries."""
    host: Host
    """The host of the verdict."""
    host_decides: bool
    """Whether the verdict `yes` needs binaries that run on the host."""
    unread: tuple[Problem, ...]
    """The build caches that could not be read."""
    keys: tuple[str, ...]
    """The ids of keys that signed needed binaries, but are unpublished or untrusted."""
    refused: int
    """The number of missing specs that have a binary, but with a signature that Spack does not accept."""
    by_index: float | None
    """The time of the oldest server index that the verdict relies on, in seconds since the epoch.

    None if the verdict relies on files only.
    """
    unapplied: tuple[str, ...]
    """The parts of an environment that were not applied and could change the verdict."""

    @property
    def binaries(self) -> tuple[str, ...]:
        """The distinct hashes of all binaries that the roots need."""
        return (*self.here, *(each.hash for each in self.missing))

    @property
    def verdict(self) -> Verdict:
        """`yes` if all roots and dependencies are installed or have binaries, else `no` or `unknown`."""
        verdict = joint_verdict(root.verdict for root in self.roots)
        return "unknown" if verdict == "yes" and self.unapplied else verdict

    @property
    def complete(self) -> bool:
        """Whether the verdict is yes."""
        return self.verdict == "yes"


def joint_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst verdict. `no` is worse than `unknown`, and `unknown` is worse than `yes`."""
    found = set(verdicts)
    return "no" if "no" in found else "unknown" if "unknown" in found else "yes"


def install(
    index: Index,
    requested: Wanted,
    availability: Availability,
    host: Host,
    types: frozenset[str] = LINK_RUN,
    *,
    host_decides: bool = False,
) -> Install:
    """Check whether the requested specs would install from binaries."""
    return _Installer(index, availability, host, types, host_decides).install(requested)


def signed_mirrors(
    index: Index,
    found: Install,
    is_signed: Callable[[Spec, str | None], bool | None],
    availability: Availability,
) -> dict[CacheName, bool | None]:
    """For each cache that the roots need, return whether all needed binaries from this cache are signed.

    The value is None if this is unknown.
    """
    specs = [index.spec(row) for spec_hash in found.binaries for row in index.rows_of(spec_hash)]

    def signed(mirror: CacheName) -> bool | None:
        cache = index.graph.mirror(mirror.tag, (mirror.stack,))
        answers = (availability.presences(binary).get(mirror) for binary in found.here)
        if looked := [each.signed for each in answers if each and each.there]:
            return all_signed(looked)
        own = (spec for spec in specs if spec.tag == mirror.tag and mirror.stack in (spec.stacks or ("",)))
        return all_signed(is_signed(spec, cache) for spec in own)

    return {mirror: signed(mirror) for mirror in found.mirrors}


class _RootPlan(Struct, frozen=True):
    """The possible builds of one requested spec, and the rules by which `check` chooses a build."""

    asked: str
    graph: Graph
    hashes: tuple[tuple[str, int], ...]
    """The hash of each build, and the distance of its target from the host's target. The newest build is first."""
    reason: CheckReason = "no_build"
    """The reason to report if no build can be used. `fault` has the text."""
    fault: str = ""
    broken: Mapping[str, str] = {}
    """The hashes that rules forbid as dependencies, each with the text of the broken rule."""
    later: Mapping[str, str] = {}
    """The hashes that match a rule, but not its first choice, each with the text of the rule.

    Spack prefers a build that matches the first choice.
    """
    external: ExternalSpec | None = None
    """The external that Spack uses instead of a build; None if Spack may use a build."""
    unify_group: tuple[str, str] | None = None
    """The value of `unify`, and the name of the set of plans that must use the same build of each package.

    None for a plan outside these sets.
    """
    externals: Mapping[str, tuple[ExternalSpec, ...]] | None = None
    """The externals that `packages:` lists, by package; None if the build was requested by hash."""


class _ChosenBuild(Struct, frozen=True):
    """One of the best builds of one requested spec."""

    closure: Closure
    distance: int
    """The distance between the targets of the build and the host."""
    needs: frozenset[str]
    """The hashes of all binaries that the build needs."""
    packages: Mapping[str, str]
    """The hash of each package in the link and run dependencies, including the build itself."""


def _later(plan: _RootPlan, closures: Closures, closure: Closure) -> str:
    """Return the text of a rule that may make Spack prefer another build.

    Return an empty string if there is no such rule. A rule can list several alternatives, and Spack prefers a build
    that matches the first alternative. Here, the build or one of its dependencies matches only a later alternative.
    """
    needed = closures.named(closure.here | closure.installed | closure.missing) if plan.later else ()
    return next((plan.later[each] for each in needed if each in plan.later), "")


class _Installer:
    def __init__(
        self,
        index: Index,
        availability: Availability,
        host: Host,
        types: frozenset[str],
        host_decides: bool,
    ) -> None:
        self._index = index
        self._availability = availability
        self._host = host
        self._host_decides = host_decides
        self._types = types
        self._runs: Once[str, bool] = Once(
            lambda spec_hash: not any(fit.is_unfit for _, fit in fits(availability, [spec_hash], host))
        )
        self._broken = Once[Rules, Broken](lambda rules: rules.broken(index))
        """The builds that break a rule of the environment."""
        self._unread = [problem for problem in index.problems if problem.kind in UNREAD_CACHES]
        self._missing = Once(self._missing_spec)
        self._externals = Once(self._external_spec)
        self._graphs: list[Graph] = []
        """The dependency graphs of the index and of the locks."""
        self._unfitting: dict[int, tuple[CheckReason, str]] = {}
        """The reason (code and text) for each root whose build conflicts with the builds of other roots, by number."""
        self._unlisted: set[str] = set()
        """The requested hashes that no selected index lists."""
        self._spliced: dict[str, str] = {}
        """The hashes of spliced nodes, by the hash of the binary that Spack installs for the node."""

    def install(self, requested: Wanted) -> Install:
        plans = [replace(self._plan(each), unify_group=each.unify_group) for each in requested.asked]
        graphs = {id(plan.graph): plan.graph for plan in plans}
        self._graphs = list(graphs.values())
        self._spliced = {binary: each for graph in self._graphs for each, binary in graph.binaries.items()}
        closures = {key: self._closures(graph, plans) for key, graph in graphs.items()}
        plans = [self._usable(plan, closures[id(plan.graph)]) for plan in plans]
        best = self._chosen(plans, closures)
        while self._availability.look(self._needed_by(plans, closures, best)):
            for each in closures.values():
                each.update()
            best = self._chosen(plans, closures)
        roots = [
            self._fitting(k, self._root(plan, closures[id(plan.graph)], each))
            for k, (plan, each) in enumerate(zip(plans, best, strict=True))
        ]
        here = list(dict.fromkeys(each for root in roots for each in root.here))
        installed = list(dict.fromkeys(each for root in roots for each in root.installed))
        missing = {each.hash: each for root in roots for each in root.missing}
        needed_by = Counter(each.hash for root in roots for each in root.missing)
        externals = {each.hash: each for root in roots for each in root.externals}
        judged = list(fits(self._availability, [*here, *installed], self._host))
        return Install(
            tuple(roots),
            tuple(here),
            tuple(installed),
            tuple(sorted(missing.values(), key=lambda each: -needed_by[each.hash])),
            tuple(externals.values()),
            tuple((self._needed(each), fit) for each, fit in judged if fit.is_unfit),
            sum(not fit.is_unfit and not fit.is_known for _, fit in judged),
            tuple(fewest_mirrors([*here, *missing], self._availability)),
            self._host,
            self._host_decides,
            tuple(self._unread),
            tuple(sorted(self._keys([*here, *missing]))),
            sum(any(each.refused for each in self._availability.presences(binary).values()) for binary in missing),
            self._availability.oldest_index_time([*here, *missing]),
            requested.unapplied,
        )

    def _keys(self, hashes: Iterable[str]) -> set[str]:
        """Return the ids of keys that signed these binaries but are unpublished or untrusted."""
        found = (each for binary in hashes for each in self._availability.presences(binary).values())
        return {each.key for each in found if not each.published}

    def _closures(self, graph: Graph, plans: Iterable[_RootPlan]) -> Closures:
        """Return the closures (all dependencies) of the possible builds in this graph."""
        hashes = (spec_hash for plan in plans if plan.graph is graph for spec_hash, _ in plan.hashes)
        return Closures(graph, self._availability, hashes, self._types, self._availability.installed)

    def _needed_by(
        self, plans: Sequence[_RootPlan], closures: Mapping[int, Closures], best: Sequence[_ChosenBuild | None]
    ) -> dict[str, Spec]:
        """Return the specs whose binaries must be looked up in the caches, by hash.

        These are the chosen builds and their dependencies. If a chosen build has missing dependencies, also return the
        missing dependencies of all possible builds.
        """
        found: dict[str, Spec] = {}
        for plan, build in zip(plans, best, strict=True):
            own = closures[id(plan.graph)]
            needed = build.closure.here | build.closure.missing if build else BitMap()
            if build and build.closure.missing:
                needed |= BitMap.union(BitMap(), *(own.of(spec_hash).missing for spec_hash, _ in plan.hashes))
            binaries = (each for each in own.binaries_of(needed) if each not in found and each not in self._unlisted)
            found |= {binary: spec for binary in binaries if (spec := self._spec(binary))}
        return found

    def _spec(self, binary: str) -> Spec | None:
        """Return the spec with this hash from the index. If the index lacks the hash, search the dependency graphs.

        Return None if the hash is unknown.
        """
        if rows := self._index.rows_of(binary):
            return self._index.spec(rows[0])
        graph, number = self._graph_and_number(binary)
        return graph.spec(number, binary) if graph and number is not None else None

    # The possible builds of each requested spec

    def _plan(self, asked: Asked) -> _RootPlan:
        graph = asked.lock.graph if asked.lock else self._index.graph
        broken = {} if asked.lock else _unread(self._index, self._availability.query, (BROKEN_INDEX,))
        if broken:
            where = listed(list(map(mirror_name, broken)), 3)
            return _RootPlan(
                asked.text, graph, (), "unread", f"the index of {where} is broken, so Spack reads no index"
            )
        if asked.expectation is not None:
            return self._choice(asked.text, asked.expectation)
        prefix, table = asked.hash or "", self._index.columns.hashes
        is_whole = asked.lock or HASH.fullmatch(prefix)
        hashes = [prefix] if is_whole else [table[number] for number in prefixed(table, prefix)[:2]]
        if not hashes:
            other = f"; if it is a folder, write {asked.text}/" if "/" in asked.text and not is_whole else ""
            return _RootPlan(asked.text, graph, (), "no_hash", f"no index has this hash{other}")
        if len(hashes) > 1:
            return _RootPlan(asked.text, graph, (), "ambiguous", "several hashes begin with this prefix")
        rows = BitMap(self._index.rows_of(hashes[0]))
        if not asked.lock and rows.isdisjoint(self._availability.listed):  # Spack looks up a hash only in indexes
            if not rows.isdisjoint(self._availability.rows):
                return _RootPlan(
                    asked.text,
                    graph,
                    (),
                    "no_hash",
                    "no index lists this build: to update the index, run spack buildcache update-index",
                )
            self._unlisted.add(hashes[0])
        return _RootPlan(asked.text, graph, ((hashes[0], 0),))

    def _choice(self, asked: str, requested: Expectation) -> _RootPlan:
        """Return the possible builds of a spec: all builds that run on the host.

        If no build runs on the host, return all builds.
        """
        graph = self._index.graph
        if requested.query is None:
            return _RootPlan(asked, graph, (), "unreadable", requested.fault)
        if external := requested.rules.external(requested.query):
            return _RootPlan(asked, graph, (), external=external)
        broken = self._broken[requested.rules]
        rows = requested.rows(self._index, broken) & self._availability.listed
        builds = tuple(self._builds(rows))
        running = tuple(build for build in builds if self._run(build[:1]))
        reason: CheckReason = "no_build"
        reason, fault = (reason, "") if rows else self._absent(requested)
        later = broken.later
        if not requested.rules.allows_first(requested.query):
            own = {spec_hash for spec_hash, _ in builds}
            later = {spec_hash: rule for spec_hash, rule in later.items() if spec_hash not in own}
        return _RootPlan(
            asked, graph, running or builds, reason, fault, broken.hashes, later, externals=requested.rules.externals
        )

    def _absent(self, requested: Expectation) -> tuple[CheckReason, str]:
        """Return the reason why a requested spec has no build: its code, and a text for the user."""
        if rule := requested.broken_rule(self._index, self._broken[requested.rules]):
            return "excluded_by_require", f"no build meets the rule {rule}"
        query = requested.query or Query()
        hidden = self._index.hidden(query)
        if hidden and not self._index.rows(query):
            return "not_installed", f"the matching specs are not installed (state: {', '.join(hidden)})"
        from cachetui.suggest.no_match import unmatched  # late, because most requested specs have a build

        terms = query.terms
        unknown = unmatched(self._index, Query((*terms, *self._availability.query.terms)))
        first = next((each for each in unknown if each.term in terms), None)
        if first is None:
            return "no_build", "no build matches the spec"
        return "no_package" if first.term.key == "name" and not first.tags else "no_build", first.phrase

    def _builds(self, rows: BitMap) -> Iterator[tuple[str, int]]:
        """Yield the hash of each row, and the distance between the row's target and the target of the host.

        The newest version comes first. For equal versions, the newest tag comes first.
        """
        seen = set()
        for row in newest_first(self._index, rows, before_hash=newest_tag_order(self._index)):
            spec = self._index.spec(row)
            if spec.hash and spec.hash not in seen:
                seen.add(spec.hash)
                distance = self._host.distance(spec.platform, spec.target)
                yield spec.hash, 99 if distance is None else distance

    def _run(self, hashes: Iterable[str]) -> bool:
        return all(self._runs.of(hashes))

    # The choice of builds

    def _chosen(self, plans: Sequence[_RootPlan], closures: Mapping[int, Closures]) -> list[_ChosenBuild | None]:
        """Return the chosen build of each plan; None for a plan that lacks a build.

        Plans with the same `unify_group` must use the same build of each package. Choose such builds if they exist.
        """
        self._budget = Budget("the dependencies of all roots", "specs", MAX_NEEDED)
        builds = [self._best(plan, closures[id(plan.graph)]) if plan.hashes else [] for plan in plans]
        found = self._cheapest(builds)
        self._unfitting = {}
        sets = grouped((plan.unify_group, k) for k, plan in enumerate(plans) if plan.unify_group and builds[k])
        torn = [
            (unify, members, names)
            for (unify, _), members in sets.items()
            if (names := contested([build.packages for k in members if (build := found[k])]))
        ]
        for unify, members, names in torn:
            try:
                places = agreeing([[build.packages for build in builds[k]] for k in members])
            except OverBudgetError as error:
                self._unfitting |= dict.fromkeys(members, ("undecided", str(error)))
                continue
            if places is not None:
                for k, place in zip(members, places, strict=True):
                    builds[k] = [builds[k][place]]
                continue
            taken = [k for k in members if (build := found[k]) and not names.keys().isdisjoint(build.packages)]
            text = listed([f"{name}: {number:,} builds" for name, number in names.items()], 3)
            # only the recipes tell whether `when_possible` solves the roots together and builds the missing specs
            self._unfitting |= dict.fromkeys(taken, ("disagrees" if unify == "true" else "undecided", text))
        return self._cheapest(builds) if torn else found

    def _fitting(self, k: int, root: Root) -> Root:
        """Return the root. If its build conflicts with another root, add the reason. `k`: the index of the root.

        Two builds conflict if they need different builds of the same package.
        """
        if root.reason is not None or k not in self._unfitting:
            return root
        reason, fault = self._unfitting[k]
        return replace(root, reason=reason, fault=fault)

    def _cheapest(self, builds: Sequence[Sequence[_ChosenBuild]]) -> list[_ChosenBuild | None]:
        """Choose a build for each plan: the one with the fewest additional caches, then the fewest additional binaries.

        `builds`: the possible builds of each plan. The choice is None for a plan that lacks builds. Plans with only one
        build are decided first, then the plans with the most binaries.
        """
        chosen: list[_ChosenBuild | None] = [None] * len(builds)
        taken: set[str] = set()
        mirrors: set[CacheName] = set()
        sizes = [max((len(build.needs) for build in own), default=0) for own in builds]
        for k in sorted(range(len(builds)), key=lambda k: (len(builds[k]) > 1, -sizes[k])):
            found = [(self._further_mirrors(build, mirrors), len(build.needs - taken)) for build in builds[k]]
            if found:
                best = min(range(len(found)), key=lambda at: (len(found[at][0]), found[at][1], builds[k][at].distance))
                chosen[k] = builds[k][best]
                taken |= builds[k][best].needs
                mirrors |= found[best][0]
        return chosen

    def _best(self, plan: _RootPlan, closures: Closures) -> list[_ChosenBuild]:
        """Return the best builds of a plan.

        Prefer builds that run on the host, then builds with few missing dependencies.
        """
        found = [(closures.of(spec_hash), distance) for spec_hash, distance in plan.hashes]

        def lacks(closure: Closure) -> tuple[bool, bool, bool, int]:
            there = [*closures.binaries_of(closure.here), *closures.named(closure.installed)]
            later, unsure = bool(_later(plan, closures, closure)), self._on_host(plan, closures, closure) is None
            return later, not self._run(there), unsure, len(closure.missing)

        lacking = [lacks(closure) for closure, _ in found] if len(found) > 1 else [(False, False, False, 0)]
        least = min(lacking)
        return [
            _ChosenBuild(
                closure,
                distance,
                self._counted(closures.binaries_of(closure.here | closure.missing)),
                self._packages(plan.graph, closures, closure) if plan.unify_group else {},
            )
            for (closure, distance), own in zip(found, lacking, strict=True)
            if own == least
        ]

    def _counted(self, hashes: Sequence[str]) -> frozenset[str]:
        """Return the hashes as a set. Raises UserError if the roots have more than `MAX_NEEDED` hashes in total."""
        try:
            self._budget.spend(len(hashes))
        except OverBudgetError as error:
            raise UserError(f"{error}: check fewer roots at a time") from None
        return frozenset(hashes)

    def _packages(self, graph: Graph, closures: Closures, closure: Closure) -> Mapping[str, str]:
        """Map package names to hashes, for a build and its link and run dependencies."""
        if self._types == LINK_RUN:
            needed = closures.named(closure.here | closure.missing | closure.installed)
        else:
            needed = list(map(graph.hash, linked(graph, graph.numbers([closure.root]), LINK_RUN)))
        nodes = ((graph.number(each), each) for each in needed)
        return {graph.name(number): each for number, each in nodes if number is not None}

    def _usable(self, plan: _RootPlan, closures: Closures) -> _RootPlan:
        """Remove from the plan the builds that break a rule or need an external that the host lacks."""
        why = {spec_hash: self._objection(plan, closures, closures.of(spec_hash)) for spec_hash, _ in plan.hashes}
        hashes = tuple(each for each in plan.hashes if not why[each[0]])
        if hashes or not plan.hashes:
            return replace(plan, hashes=hashes)
        reason, fault = next(filter(None, why.values()))
        return replace(plan, hashes=(), reason=reason, fault=fault)

    def _objection(self, plan: _RootPlan, closures: Closures, closure: Closure) -> tuple[CheckReason, str] | None:
        """Return the reason why Spack avoids a build: a code and a text. Return None if Spack may choose the build."""
        needed = closures.named(closure.here | closure.installed | closure.missing) if plan.broken else ()
        if rule := next((plan.broken[each] for each in needed if each in plan.broken), ""):
            return "excluded_by_require", f"no build has dependencies that meet the rule {rule}"
        if self._on_host(plan, closures, closure) is False:
            return "no_build", "every build needs an external that is missing on the host"
        return None

    def _on_host(self, plan: _RootPlan, closures: Closures, closure: Closure) -> bool | None:
        """Return whether the host has all externals of a build. Return None if this is unknown.

        Return True for a build that was requested by hash.
        """
        listed = plan.externals
        if listed is None:
            return True
        answers = {self._has(listed, spec_hash) for spec_hash in closures.named(closure.externals)}
        return False if False in answers else None if None in answers else True

    def _has(self, listed: Mapping[str, tuple[ExternalSpec, ...]], spec_hash: str) -> bool | None:
        """Return whether an installation or `packages:` has this external. Return None if this is unknown.

        Return True for any C library.
        """
        node = self._node(spec_hash)
        if node is None or node.name in LIBCS or spec_hash in self._availability.installed:
            return True
        for each in listed.get(node.name, ()):
            if each.version in ("", node.version) and each.prefix.rstrip("/") == (node.external or "").rstrip("/"):
                return True
        return False if self._index.graph.trees else None

    def _further_mirrors(self, build: _ChosenBuild, mirrors: Set[CacheName]) -> set[CacheName]:
        """Return the smallest set of caches that a build needs in addition to `mirrors`."""
        held = self._availability
        lacking = [each for each in sorted(build.needs) if mirrors.isdisjoint(held.mirrors(each, everywhere=True))]
        return set(fewest_mirrors(lacking, held))

    # The results

    def _root(self, plan: _RootPlan, closures: Closures, build: _ChosenBuild | None) -> Root:
        if plan.external:
            named = plan.external
            return Root(
                plan.asked,
                None,
                externals=(External("", named.name, named.version, named.prefix, self._is_there(named.prefix)),),
            )
        if build is None:
            is_unread = self._unread and plan.reason in NO_BUILD
            return Root(plan.asked, None, reason="unread" if is_unread else plan.reason, fault=plan.fault)
        best = build.closure
        here, installed = closures.binaries_of(best.here), closures.named(best.installed)
        fault = ""
        if not best.recorded:
            fault = "its dependencies are not recorded" if here else "the content does not have this hash"
        runs = self._run([*here, *installed])
        reason: CheckReason | None = None if best.recorded else "not_recorded"
        if rule := _later(plan, closures, best):
            reason, fault = (
                "preferred",
                f"Spack may prefer another build, because it matches the first alternative in the rule {rule}",
            )
        if self._on_host(plan, closures, best) is None:
            reason = "external"
        if self._host_decides and not runs:
            reason = "unfit"
        if best.missing:
            binaries = closures.binaries_of(best.missing)
            is_unread = any(problem.kind == UNREAD_CACHE for problem in self._unread)
            is_unread = is_unread or all(map(self._availability.is_unread, binaries))
            reason = "unread" if is_unread else "missing"
        return Root(
            asked=plan.asked,
            hash=best.root,
            closure=best,
            here=tuple(here),
            installed=tuple(installed),
            missing=tuple(self._missing.of(closures.binaries_of(best.missing))),
            externals=tuple(self._externals.of(closures.named(best.externals))),
            reason=reason,
            fault=fault,
        )

    # The facts about single specs

    def _missing_spec(self, spec_hash: str) -> Missing:
        needed = self._needed(spec_hash)
        return Missing(
            spec_hash, needed.name, needed.version, tuple(self._availability.mirrors(spec_hash, everywhere=True))
        )

    def _external_spec(self, spec_hash: str) -> External:
        node = self._node(spec_hash)
        assert node is not None
        path = node.external or ""
        fits = self._is_there(path)
        if node.name in LIBCS:
            needed = Libc.exactly(node.name, node.version)
            fits = needed.runs_on(self._host.libc) if needed and self._host.libc else None
        return External(spec_hash, node.name, node.version, path, fits)

    def _is_there(self, path: str) -> bool | None:
        """Return whether this path exists on the host; None if unknown."""
        return exists(path) if self._host.is_this_machine and path.startswith("/") else None

    def _needed(self, spec_hash: str) -> NeededSpec:
        row = self._availability.row(spec_hash)
        if row is not None:
            spec = self._index.spec(row)
            return NeededSpec(spec_hash, spec.package, spec.version)
        node = self._node(spec_hash)
        return NeededSpec(spec_hash, (node and node.name) or None, (node and node.version) or None)

    def _node(self, spec_hash: str) -> Node | None:
        graph, number = self._graph_and_number(spec_hash)
        return graph.node(number) if graph and number is not None else None

    def _graph_and_number(self, spec_hash: str) -> tuple[Graph | None, int | None]:
        """Find a hash in the graphs.

        Return the graph and the number of the node, or (None, None) if the hash is unknown. If the hash is the binary
        of a spliced spec, return the node of the spliced spec.
        """
        hashes = (self._spliced.get(spec_hash, ""), spec_hash)
        numbers = ((graph, graph.number(each)) for each in hashes for graph in self._graphs if graph)
        return next((each for each in numbers if each[1] is not None), (None, None))


# The health of build caches


class Spoiler(Struct, frozen=True):
    """A missing dependency of a binary in a build cache."""

    hash: str
    name: str = field(name="package")
    version: str
    spoils: int
    """The number of binaries of the cache that need the missing spec."""


class StackHealth(Struct, frozen=True):
    mirror: CacheName
    binaries: int
    complete_binaries: int | None
    """The number of binaries whose dependencies are all in this cache; None if the dependencies are unknown."""
    missing: tuple[Spoiler, ...] | None
    """The missing specs, most needed first; None if the dependencies are unknown."""
    bytes: int | None
    """The total size of all binaries, in bytes; None if a size is unknown."""
    unread: str | None = None
    """The reason why the cache could not be read; None if it was read. An unread cache appears as empty."""

    @property
    def verdict(self) -> Verdict:
        """`yes` if the cache has all dependencies of its binaries, else `no` or `unknown`."""
        if self.missing or self.complete_binaries not in (None, self.binaries):
            return "no"
        return "unknown" if self.complete_binaries is None or self.unread else "yes"


def stack_health(index: Index, query: Query, size: Callable[[str], int | None]) -> Iterator[StackHealth]:
    """Find the missing dependencies in each cache that matches the query. The results are sorted by tag and stack.

    Caches that could not be read are last.
    """
    unread = _unread(index, query)
    for mirror, own in caches_of(index, query):
        yield replace(_health(index, mirror, Availability(index, own), size), unread=unread.pop(mirror, None))
    yield from (StackHealth(mirror, 0, None, None, None, message) for mirror, message in unread.items())


def _unread(index: Index, query: Query, kinds: Sequence[str] = UNREAD_CACHES) -> dict[CacheName, str]:
    """Return the caches that could not be read, each with the reason. `kinds`: the kinds of errors to report."""
    caches = [
        (each.path.removesuffix("#"), CacheName(each.tag, stack))
        for each in index.graph.of_tags
        for stack in each.mirrors
    ]
    named = {f"{path}{mirror.stack}/": mirror for path, mirror in caches}
    named |= {path: mirror for path, mirror in caches if mirror.stack in ("", ROOT)}
    found = {
        named.get(problem.path, CacheName(problem.path.replace("./", "").strip("/"), "")): problem.message
        for problem in index.problems
        if problem.kind in kinds and problem.path[-1:] in ("", "/")  # a problem of an installation has a file as path
    }
    return {
        mirror: message
        for mirror, message in found.items()
        if all(not query.terms_of(key) or query.selected(key, [value]) for key, value in mirror._asdict().items())
    }


def _removed(graph: Graph, mirror: CacheName) -> BitMap:
    """Return the graph nodes of the specs that were removed from a cache.

    An index lists pushed specs and their dependencies. So a listed spec without dependents was pushed. If such a spec
    has no binary now, it was removed. If the tag has several stacks, return an empty set, because the graph does not
    record the stack of a node.
    """
    found = BitMap()
    for each, base in zip(graph.of_tags, graph.bases, strict=False):
        if each.tag == mirror.tag and len(each.mirrors) == 1:
            holes = BitMap(range(base, base + len(each.nodes))) & graph.of_state(State.HOLE)
            found |= BitMap(node for node in holes if not graph.dependents(node))
    return found


def _health(
    index: Index, mirror: CacheName, availability: Availability, size: Callable[[str], int | None]
) -> StackHealth:
    graph, columns = index.graph, index.columns
    numbers = sorted(columns.hash_numbers(availability.binaries))
    total = total_size(map(columns.hashes.__getitem__, numbers), size)
    if mirror.tag not in graph.tags:
        return StackHealth(mirror, len(numbers), None, None, total)
    held = columns.nodes_of_hashes(numbers)
    roots = held
    if len(graph.parts) > 1:  # for each hash, prefer the first node with more than a name
        ordered = sorted(held, key=lambda node: (bool(graph.state(node)), -node))
        roots = BitMap({columns.hash_of_nodes[node]: node for node in ordered}.values())
    needed, users = (
        reached(graph.to_dependencies(LINK_RUN), roots | _removed(graph, mirror)),
        graph.to_dependents(LINK_RUN),
    )
    recorded = roots - reached(users, needed & graph.of_state(State.NAMED), needed)
    if numbers and not recorded:
        return StackHealth(mirror, len(numbers), None, None, total)
    lacking = needed - held - graph.of_state(State.EXTERNAL)
    spoilers, broken = list[Spoiler](), BitMap()
    for spec_hash, nodes in grouped((graph.hash(node), node) for node in lacking).items():
        spoilt, node = reached(users, nodes, needed) & roots, graph.node(nodes[0])
        broken |= spoilt
        spoilers.append(Spoiler(spec_hash, node.name, node.version, len(spoilt)))
    spoilers.sort(key=lambda each: (-each.spoils, each.name, each.hash))
    return StackHealth(mirror, len(numbers), len(recorded - broken), tuple(spoilers), total)
