"""Read the roots and the rules for builds from a `spack.yaml` and its configuration scopes.

Definitions and matrices are expanded by Spack's rules. The table `KEYS` says which keys the program applies.
`NotApplied` collects the other keys, for notes to the user.
"""

import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, product
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from cachetui.environments.files import FileError
from cachetui.environments.wanted import ExternalSpec, Rule, Rules
from cachetui.model.budget import MAX_SPECS, Budget
from cachetui.model.dependency import DEFAULT_GROUP
from cachetui.model.edit_distance import nearest_names
from cachetui.query.parser import QueryError, in_order
from cachetui.query.query import Query
from cachetui.query.terms import OURS, DependencyTerm, Term, contradict, direct_edge, satisfies
from cachetui.safe_text import visible
from cachetui.settings.settings import Settings
from cachetui.sources.scopes.conditions import holds
from cachetui.sources.scopes.scopes import Scope, Scopes, is_true, merged, spack_of, written
from cachetui.sources.source import ContentError

APPLIED, WISH, NO_EFFECT = "applied", "wish", "no effect"
"""How a key is treated.

`WISH`: a preference, which is not applied but listed in a note. `NO_EFFECT`: ignored, because the key affects neither
roots nor builds.
"""

KEYS: Mapping[str, str] = {
    **dict.fromkeys(("specs", "definitions", "include", "include_concrete", "toolchains"), APPLIED),
    **dict.fromkeys(("packages", "concretizer", "develop"), APPLIED),
    **dict.fromkeys(("mirrors", "upstreams", "compilers"), WISH),
    **dict.fromkeys(("view", "modules", "env_vars", "repos", "ci", "cdash", "container", "bootstrap"), NO_EFFECT),
    "config": NO_EFFECT,
}
"""The treatment of each key of a `spack.yaml` and of its included files. Any other key could change the verdict.

To open an environment as content, `sources` also reads `mirrors` and `upstreams`.
"""

OF_INCLUDED = {key: treatment for key, treatment in KEYS.items() if key not in ("specs", "include_concrete")}
"""The treatment of each key of an included file."""

OF_OVERRIDE = {key: treatment for key, treatment in OF_INCLUDED.items() if key not in ("include", "definitions")}
"""The treatment of each key in the `override` of a group."""

CONCRETIZER: Mapping[str, str] = {
    "unify": APPLIED,
    **dict.fromkeys(("reuse", "splice", "targets", "os_compatible", "duplicates", "compiler_mixing"), WISH),
    **dict.fromkeys(("externals", "static_analysis", "timeout", "concretization_cache", "force"), WISH),
}

PACKAGE_KEYS: Mapping[str, str] = {
    **dict.fromkeys(("require", "prefer", "conflict", "externals", "buildable"), APPLIED),
    **dict.fromkeys(("version", "variants", "target", "providers", "compiler"), WISH),
    **dict.fromkeys(("permissions", "package_attributes"), NO_EFFECT),
}
"""The treatment of each key of a package below `packages:`. Any other key could change the verdict."""


ANY_VERSION = "@:"
"""A choice that every build satisfies. A rule that includes this choice is only a preference."""

GROUP_KEYS = frozenset({"group", "specs", "matrix", "exclude", "needs", "explicit", "override"})

MOST_STEPS = 10 * MAX_SPECS
"""Maximum number of specs that one environment may expand to, counted over all definitions, matrices and references.

Each comparison of a spec with an entry of `exclude` counts as one more spec.
"""

_REFERENCE = re.compile(r"\$([%^]?)(.+)")

OF_ENVIRONMENT = "keys of the environment"
"""The start of notes about keys that are only preferences: "these keys of the environment are not applied"."""

Pieces = tuple[str, ...]


class NotApplied(Struct, frozen=True):
    """The parts of an environment that the program does not apply."""

    notes: dict[str, dict[str, None]] = {}
    """The names of keys that are only preferences, by the text that describes them in the note."""
    deciding: dict[str, None] = {}
    """The descriptions of the parts that could change the verdict."""

    def record(self, key: str, table: Mapping[str, str], where: str, name: str, reason: str = OF_ENVIRONMENT) -> None:
        """Record a key of an environment if the program does not apply the key.

        `table`: how the program treats each known key. `where`: the description to record for an unknown key. `name`:
        the name to record for a key that is only a preference. `reason`: the text in the note for such keys.
        """
        treatment = table.get(key)
        if treatment is None:
            self.deciding[where] = None
        elif treatment == WISH:
            self.notes.setdefault(reason, {})[name] = None


class Group(Struct, frozen=True):
    """A set of roots that Spack concretizes together."""

    name: str
    rules: Rules
    unify: str
    """The value of `unify` in lower case, normally `true`, `false` or `when_possible`."""
    toolchains: Mapping[str, Any]
    roots: tuple[Pieces, ...]
    """The roots, each as pieces of text. A root from a matrix has one piece for each matrix row."""


class Manifest:
    """The roots and rules of a `spack.yaml`. The constructor raises FileError."""

    def __init__(self, text: str, folder: str, settings: Settings) -> None:
        try:
            document = written(text, folder)
        except ValueError as error:
            raise FileError(f"the YAML cannot be read: {error}") from None
        inner = document.get("spack", document.get("env", document))
        if not isinstance(inner, dict) or not isinstance(inner.get("specs") or [], list):
            raise FileError("the file has no list of specs: write 'specs: [...]' at the top level, or below 'spack:'")
        self.not_applied = NotApplied()
        self.included: list[str] = _list(inner, "include_concrete")
        """The included environments in the spelling of `include_concrete`."""
        self._settings = settings
        self._budget = Budget("this environment", "specs from definitions and matrices", MOST_STEPS)
        self._roots = Budget("this environment", "specs", MAX_SPECS)
        self._conditions: dict[str, str] = {}
        """The conditions that cachetui cannot evaluate, by the name of the definition with the condition."""
        self._definitions: dict[str, list[Pieces]] = {}
        try:
            self.scopes = Scopes(spack_of(folder, settings.environ), settings, folder, inner)
            self._toolchains = self._section("toolchains")
            self._note_keys()
            self._define()
            self.groups = tuple(self._groups(inner.get("specs") or []))
        except RecursionError:
            raise FileError("the file is nested too deeply") from None
        except (ValueError, ContentError) as error:
            raise FileError(str(error)) from None

    def _note_keys(self) -> None:
        """Record the keys that the program does not apply."""
        self.not_applied.deciding.update(self.scopes.unread)
        table = KEYS
        for scope in self.scopes.own:
            for key in map(_plain, scope.document or ()):
                self.not_applied.record(key, table, f"{key}: in {os.path.basename(scope.path)}", key)
            table = OF_INCLUDED

    def _section(self, name: str, over: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return one section, merged from all scopes. Entries of the document `over` take precedence."""
        found = self.scopes.section(name, defaults=False)
        stronger = Scope("", over or {}).section(name)
        found = merged(stronger, {name: found})[name] if stronger else found
        if found and not isinstance(found, dict):
            raise FileError(f"{name} is not a mapping")
        return found or {}

    # Definitions

    def _define(self) -> None:
        """Expand the definitions, in the order of their names. Skip entries whose condition is false or unknown."""
        section = self.scopes.section("definitions") or []
        if not isinstance(section, list):
            raise FileError("definitions is not a list")
        values: dict[str, list[Any]] = {}
        for definition in section:
            names = [name for name in definition if name != "when"] if isinstance(definition, dict) else []
            if len(names) != 1 or not isinstance(definition[names[0]], list):
                raise FileError(f"{_shown(definition)} is not a definition: write one name with a list")
            condition = definition.get("when")
            met = condition is None or holds(str(condition), self._settings.host(), self._settings.environ)
            values.setdefault(names[0], []).extend(definition[names[0]] if met else ())
            if met is None:
                self._conditions[names[0]] = str(condition)
        for name, own in values.items():
            self._definitions[name] = list(self._expanded(own))

    # Roots

    def _groups(self, specs: Iterable[Any]) -> Iterator[Group]:
        by_group: dict[str, list[Any]] = {DEFAULT_GROUP: []}
        overrides: dict[str, dict[str, Any]] = {}
        for item in specs:
            if not isinstance(item, dict) or "group" not in item:
                by_group[DEFAULT_GROUP].append(item)
                continue
            name = str(item["group"])
            override = item.get("override") or {}
            if not GROUP_KEYS.issuperset(item) or not isinstance(override, dict):
                raise FileError(f"the group {visible(name)} must have only the keys {', '.join(sorted(GROUP_KEYS))}")
            overrides[name] = merged(override, overrides.get(name))
            own = by_group.setdefault(name, [])
            own += _list(item, "specs")
            own += [{key: item[key] for key in ("matrix", "exclude") if key in item}] if "matrix" in item else []
        for name, items in by_group.items():
            if items:
                yield self._group(name, items, overrides.get(name, {}))

    def _group(self, name: str, items: Iterable[Any], override: Mapping[str, Any]) -> Group:
        for key in map(_plain, override):
            self.not_applied.record(key, OF_OVERRIDE, f"{key}: in the group {name}", key)
        concretizer = self._section("concretizer", override)
        for key, value in concretizer.items():
            if value != "true" or key not in CONCRETIZER:
                self.not_applied.record(key, CONCRETIZER, f"concretizer: {key}", f"concretizer: {key}")
        toolchains = self._section("toolchains", override)
        rules = read_rules(
            self._section("packages", override), self._section("develop", override), toolchains, self.not_applied
        )
        unify = str(concretizer.get("unify", "true")).lower()
        roots = []
        for pieces in self._expanded(items):
            self._roots.spend()
            roots.append(pieces)
        return Group(name, rules, unify, toolchains, tuple(roots))

    def _expanded(self, values: Iterable[object], *, in_row: bool = False) -> Iterator[Pieces]:
        """Yield the specs in a list. Each spec is one or more pieces of text, such as the values from the matrix rows.

        `in_row`: whether the list is a row of a matrix.
        """
        for value in values:
            self._budget.spend()
            if isinstance(value, dict) and isinstance(value.get("matrix"), list) and not in_row:
                yield from self._matrix(value)
            elif not isinstance(value, str):
                raise FileError(f"{_shown(value)} is not a spec or a matrix: quote specs that end in a colon")
            elif reference := _REFERENCE.fullmatch(value.strip()):
                sigil, name = reference.groups()
                for pieces in self._referred(name):
                    self._budget.spend()
                    whole = (f"{sigil}{pieces[0]}", *pieces[1:])
                    yield (" ".join(whole),) if in_row else whole
            else:
                yield (value,)

    def _referred(self, name: str) -> list[Pieces]:
        if name not in self._definitions:
            near = nearest_names(name, list(self._definitions), 1)
            hint = f"; did you mean ${near[0]}?" if near else ""
            raise FileError(f"${name} is used before its definition{hint}")
        if name in self._conditions:
            self.not_applied.deciding[f"${name} when {self._conditions[name]}"] = None
        return self._definitions[name]

    def _matrix(self, matrix: Mapping[str, Any]) -> Iterator[Pieces]:
        """Yield every combination with one entry from each row, without the excluded combinations."""
        if not matrix.keys() <= {"matrix", "exclude"}:
            raise FileError(f"a matrix must have only the keys matrix and exclude, but has {', '.join(matrix)}")
        if not all(isinstance(row, list) for row in matrix["matrix"]):
            raise FileError("a row of a matrix is not a list")
        rows = [list(self._expanded(row, in_row=True)) for row in matrix["matrix"]]
        excluded = [read_spec([str(each)], self._toolchains).terms for each in _list(matrix, "exclude")]
        for combination in product(*rows) if all(rows) else ():
            pieces = tuple(chain.from_iterable(combination))
            self._budget.spend(1 + len(excluded))
            if not excluded or not self._is_excluded(pieces, excluded):
                yield pieces

    def _is_excluded(self, pieces: Pieces, excluded: Iterable[Any]) -> bool:
        try:
            terms = read_spec(pieces, self._toolchains).terms
        except QueryError:
            return False  # `expectations` reports this invalid root
        return any(satisfies(terms, other) for other in excluded)


def read_root(pieces: Pieces, toolchains: Mapping[str, Any]) -> tuple[str, Query]:
    """Return the text and the query of a root; raises QueryError.

    The text is normally the pieces of the root, joined with spaces. If this text would mean another query, the text is
    made from the query.
    """
    query = read_spec(pieces, toolchains)
    text = " ".join(" ".join(pieces).split())
    if len(pieces) == 1:
        return text, query
    with suppress(QueryError):
        if (whole := read_spec([text], toolchains)) == query:
            return text, whole
    return str(query), query


def _list(section: Mapping[str, Any], key: str) -> list[Any]:
    found = section.get(key, section.get(f"{key}:"))
    if found and not isinstance(found, list):
        raise FileError(f"{key} is not a list")
    return found or []


def _plain(key: str) -> str:
    return key.removesuffix(":")


def _shown(value: object) -> str:
    return str(next(iter(value), "an empty mapping")) if isinstance(value, dict) else "a list"


# Rules


def read_rules(
    packages: Mapping[str, Any], develop: Iterable[str], toolchains: Mapping[str, Any], not_applied: NotApplied
) -> Rules:
    """Return the rules in the sections `packages` and `develop`. Record everything else in `not_applied`."""
    budget = Budget("packages", "rules", MAX_SPECS)
    required: dict[str, tuple[Rule, ...]] = {}
    preferred: dict[str, tuple[Rule, ...]] = {}
    conflicts: dict[str, tuple[Rule, ...]] = {}
    externals: dict[str, tuple[ExternalSpec, ...]] = {}
    buildable: dict[str, bool] = {}
    for name, section in packages.items():
        if not isinstance(section, dict):
            not_applied.deciding[f"packages: {name}"] = None
            continue
        for key in section:
            not_applied.record(key, PACKAGE_KEYS, f"packages: {name}: {key}", name, "preferences for packages")
        for kind, found in (("require", required), ("prefer", preferred), ("conflict", conflicts)):
            rules = tuple(_rules(f"packages: {name}: {kind}", kind, section.get(kind), toolchains, budget, not_applied))
            found |= {name: rules} if rules else {}
        listed = section.get("externals")
        externals[name] = tuple(_externals(name, listed if isinstance(listed, list) else (), not_applied))
        if "buildable" in section:
            buildable[name] = is_true(section["buildable"], default=True)
    return Rules(required, preferred, conflicts, buildable, frozenset(develop), externals)


def _rules(
    where: str, kind: str, written: object, toolchains: Mapping[str, Any], budget: Budget, not_applied: NotApplied
) -> Iterator[Rule]:
    for entry in written if isinstance(written, list) else [] if written is None else [written]:
        given = entry if isinstance(entry, dict) else {"spec": entry}
        key = next((key for key in ("one_of", "any_of", "spec") if key in given), "")
        choice = given.get(key)
        texts: list[Any] = choice if isinstance(choice, list) else [choice]
        wish = ANY_VERSION in texts[1:]
        texts += [ANY_VERSION] * (kind == "prefer")
        if wish and key == "one_of":  # every version satisfies `@:`, so the build must match none of the other choices
            texts = [text for text in texts if text != ANY_VERSION]
        budget.spend(len(texts) + 1)
        try:
            if not key or not texts or not all(isinstance(text, str) and text for text in texts):
                raise QueryError("no spec", 0, "a spec")
            choices = tuple(read_spec([text], toolchains).terms for text in texts)
            when = read_spec([str(given["when"])], toolchains).terms if given.get("when") else ()
        except QueryError:
            shown = next((str(text) for text in texts if text), str(next(iter(given), "")))
            not_applied.deciding[f"{where}: {shown[:60]}"] = None
            continue
        condition = f" when {given['when']}" if when else ""
        excludes = kind == "conflict" or (wish and key == "one_of")
        count: Literal["any", "one", "none"] = "none" if excludes else "one" if key == "one_of" else "any"
        yield Rule(f"{' or '.join(texts)}{condition}", count, choices, when)


def _externals(name: str, entries: Iterable[object], not_applied: NotApplied) -> Iterator[ExternalSpec]:
    for entry in entries:
        try:
            spec = str(entry["spec"]) if isinstance(entry, dict) else ""
            prefix = str(entry.get("prefix") or "") if isinstance(entry, dict) else ""
            yield ExternalSpec(spec, read_spec([spec], {}).terms, prefix)
        except (QueryError, KeyError):
            not_applied.deciding[f"packages: {name}: externals: {entry}"[:80]] = None


# Specs, with matrix rows and toolchains, by the rules of Spack 1.x


def read_spec(pieces: Sequence[str], toolchains: Mapping[str, Any]) -> Query:
    """Parse a spec that consists of several pieces. All pieces constrain the same build. Raises QueryError."""
    settings = Settings(toolchains_of=lambda _: toolchains)
    terms: list[Term] = []
    for piece in pieces:
        own = _nested(Query.parse(piece, has_graph=True, settings=settings).terms, toolchains)
        if contradict(terms, own):
            raise QueryError(f"{piece} contradicts {' '.join(pieces[: pieces.index(piece)])}", 0, "terms that agree")
        terms = _constrained(terms, own)
    terms.sort(key=lambda term: term.key != "name")
    if len(pieces) == 1 and pieces[0].strip():
        return Query(tuple(terms))
    return Query(tuple(replace(term, start=0, end=0, typed="", shares=1) for term in terms))


def _nested(terms: Iterable[Term], toolchains: Container[str] = ()) -> list[Term]:
    """Return the terms of a query. Terms after a direct dependency (`%`) become terms of this dependency.

    Spack does the same since 1.0. Raises QueryError if a term follows a toolchain.
    """
    found: list[Term] = []
    for term in sorted(terms, key=lambda term: term.start):
        before = found[-1].typed if found else ""
        if isinstance(term, DependencyTerm) and not term.direct:
            found.append(replace(term, terms=tuple(in_order(_nested(term.terms, toolchains)))))
        elif not before.startswith("%") or term.typed.startswith("%") or term.key in OURS:
            found.append(term)
        elif before.lstrip("% ") in toolchains:
            raise QueryError(f"{term.typed} must not follow a toolchain", term.start, f"only % or ^ after {before}")
        elif edge := direct_edge(found[-1]):
            own = tuple(in_order((*edge.terms, term)))
            found[-1] = replace(edge, terms=own, start=found[-1].start, end=term.end, typed=before)
    return found


def _constrained(terms: Sequence[Term], more: Iterable[Term]) -> list[Term]:
    """Merge the query terms of two pieces of a spec. If a term implies another term, keep only the stricter term.

    The two pieces must not contradict each other.
    """
    found = list(terms)
    for term in more:
        if any(other.implies(term) for other in found):
            continue
        edges = {replace(other, terms=()): other for other in found if isinstance(other, DependencyTerm)}
        found = [other for other in found if not term.implies(other)]
        if isinstance(term, DependencyTerm) and (same := edges.get(replace(term, terms=()))):
            found[found.index(same)] = replace(same, terms=tuple(in_order(_constrained(same.terms, term.terms))))
        else:
            found.append(term)
    return found
