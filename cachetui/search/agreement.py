"""Choose builds that agree: together they need one build of each package (`unify: true`).

Input: for each root its builds, each as the hashes of the packages that it links and runs.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from cachetui.model.budget import Budget

MOST_STEPS = 100_000
"""Maximum number of comparisons of builds while a set is searched."""

Packages = Mapping[str, str]
"""The hash of each package that a build links and runs, itself included."""


def contested(builds: Sequence[Packages]) -> dict[str, int]:
    """Return how many builds of each package are among these, for packages with more than one."""
    hashes: dict[str, set[str]] = defaultdict(set)
    for build in builds:
        for name, spec_hash in build.items():
            hashes[name].add(spec_hash)
    return {name: len(each) for name, each in sorted(hashes.items()) if len(each) > 1}


def agreeing(roots: Sequence[Sequence[Packages]]) -> list[int] | None:
    """Return the place of the chosen build for each root, so that all agree; None if they cannot.

    The first builds are preferred. The roots with the fewest builds left choose first. Raises OverBudgetError.
    """
    budget = Budget("unify", "comparisons of builds", MOST_STEPS)
    matters = contested([build for builds in roots for build in builds]).keys()
    short = [[{name: build[name] for name in matters & build.keys()} for build in builds] for builds in roots]
    left = [dict.fromkeys(range(len(builds))) for builds in short]
    undo: list[tuple[int, list[int], list[dict[int, None]]]] = []
    """For each root that has chosen: its place, the builds that it may still try, and the builds before its choice."""
    chosen: dict[int, int] = {}

    def next_root() -> tuple[int, list[int]]:
        k = min((k for k in range(len(short)) if k not in chosen), key=lambda k: len(left[k]))
        return k, list(left[k])

    k, tries = next_root() if short else (-1, [])
    while len(chosen) < len(short):
        while not tries:
            if not undo:
                return None
            k, tries, left = undo.pop()
            del chosen[k]
        at = tries.pop(0)
        own, before = short[k][at], left
        budget.spend(sum(map(len, left)))
        left = [
            {n: None for n in each if all(short[j][n].get(name, value) == value for name, value in own.items())}
            for j, each in enumerate(left)
        ]
        left[k] = {at: None}
        undo.append((k, tries, before))
        chosen[k] = at
        if all(left):
            if len(chosen) < len(short):
                k, tries = next_root()
        else:
            k, tries, left = undo.pop()
            del chosen[k]
    return [chosen[k] for k in range(len(short))]
