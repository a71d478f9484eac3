"""Read the sections `packages:` and `develop:` as rules."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from cachetui.environments.rules import ExternalSpec, Rule, Rules
from cachetui.environments.specs import read_spec
from cachetui.model.budget import MAX_SPECS, Budget
from cachetui.query.parser import QueryError
from cachetui.sources.scopes.scopes import is_true

APPLIED, WISH, NO_EFFECT = "applied", "wish", "no effect"
"""How a key is treated: it applies, or it gives a note, or it has no effect on roots, builds and mirrors."""

PACKAGE_KEYS: Mapping[str, str] = {
    **dict.fromkeys(("require", "prefer", "conflict", "externals", "buildable"), APPLIED),
    **dict.fromkeys(("version", "variants", "target", "providers", "compiler"), WISH),
    **dict.fromkeys(("permissions", "package_attributes"), NO_EFFECT),
}
"""The keys of a package below `packages:`; a key that is not here could change the verdict."""


ANY_VERSION = "@:"
"""The alternative that makes a rule a wish."""


class Passed(Struct, frozen=True):
    """The parts of an environment that were not applied."""

    notes: dict[str, dict[str, None]] = {}
    """Those that change no verdict: names by reason."""
    deciding: dict[str, None] = {}
    """Those that could change the verdict."""

    def note(self, reason: str, name: str) -> None:
        self.notes.setdefault(reason, {})[name] = None


def read_rules(packages: Mapping[str, Any], develop: Iterable[str], chains: Mapping[str, Any], passed: Passed) -> Rules:
    """Return the rules of a `packages` section and the names under `develop`."""
    budget = Budget("packages", "rules", MAX_SPECS)
    required: dict[str, tuple[Rule, ...]] = {}
    preferred: dict[str, tuple[Rule, ...]] = {}
    conflicts: dict[str, tuple[Rule, ...]] = {}
    closed: set[str] = set()
    externals: dict[str, tuple[ExternalSpec, ...]] = {}
    buildable: set[str] = set()
    for name, section in packages.items():
        if not isinstance(section, dict):
            passed.deciding[f"packages: {name}"] = None
            continue
        for key in section:
            treatment = PACKAGE_KEYS.get(key)
            if treatment is None:
                passed.deciding[f"packages: {name}: {key}"] = None
            elif treatment == WISH:
                passed.note("preferences", name)
        for kind, found in (("require", required), ("prefer", preferred), ("conflict", conflicts)):
            rules = tuple(_rules(f"packages: {name}: {kind}", kind, section.get(kind), chains, budget, passed))
            found |= {name: rules} if rules else {}
        listed = section.get("externals")
        externals[name] = tuple(_externals(name, listed if isinstance(listed, list) else (), passed))
        if is_true(section.get("buildable"), default=True):
            buildable |= {name} if "buildable" in section else set()
        else:
            closed.add(name)
    return Rules(required, preferred, conflicts, frozenset(closed), frozenset(develop), frozenset(buildable), externals)


def _rules(
    where: str, kind: str, written: object, chains: Mapping[str, Any], budget: Budget, passed: Passed
) -> Iterator[Rule]:
    entries = written if isinstance(written, list) else [] if written is None else [written]
    for entry in entries:
        given = entry if isinstance(entry, dict) else {"spec": entry}
        key = next((key for key in ("one_of", "any_of", "spec") if key in given), "")
        choice = given.get(key)
        texts: list[Any] = choice if isinstance(choice, list) else [choice]
        wish = ANY_VERSION in texts[1:]
        texts += [ANY_VERSION] * (kind == "prefer")
        if wish and key == "one_of":  # exactly one holds, and any version does
            texts = [text for text in texts if text != ANY_VERSION]
        budget.spend(len(texts) + 1)
        try:
            if not key or not texts or not all(isinstance(text, str) and text for text in texts):
                raise QueryError("no spec", 0, "a spec")
            choices = tuple(read_spec([text], chains).parts for text in texts)
            when = read_spec([str(given["when"])], chains).parts if given.get("when") else ()
        except QueryError:
            shown = next((str(text) for text in texts if text), str(next(iter(given), "")))
            passed.deciding[f"{where}: {shown[:60]}"] = None
            continue
        condition = f" when {given['when']}" if when else ""
        excludes = kind == "conflict" or (wish and key == "one_of")
        count: Literal["any", "one", "none"] = "none" if excludes else "one" if key == "one_of" else "any"
        yield Rule(f"{' or '.join(texts)}{condition}", count, choices, when)


def _externals(name: str, entries: Iterable[object], passed: Passed) -> Iterator[ExternalSpec]:
    for entry in entries:
        try:
            spec = str(entry["spec"]) if isinstance(entry, dict) else ""
            prefix = str(entry.get("prefix") or "") if isinstance(entry, dict) else ""
            yield ExternalSpec(spec, read_spec([spec], {}).parts, prefix)
        except (QueryError, KeyError):
            passed.deciding[f"packages: {name}: externals: {entry}"[:80]] = None
