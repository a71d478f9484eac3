"""Choose builds that agree, as `unify: true` requires. Builds agree if all of them use the same build of each package.

Input: the possible builds of each root. A build is given by its hash and the hashes of its link and run dependencies.
"""

from collections.abc import Mapping, Sequence

from cachetui.mappings import grouped
from cachetui.model.budget import Budget

MAX_COMPARISONS = 100_000
"""Maximum number of comparisons of builds in one search."""

Packages = Mapping[str, str]
"""The hashes of a build and of its link and run dependencies, by package name."""


def contested(builds: Sequence[Packages]) -> dict[str, int]:
    """Count the different builds of each package. Return only packages with at least two builds."""
    hashes = grouped(item for build in builds for item in build.items())
    counts = {name: len(set(hashes[name])) for name in sorted(hashes)}
    return {name: count for name, count in counts.items() if count > 1}


def agreeing(roots: Sequence[Sequence[Packages]]) -> list[int] | None:
    """Choose one build for each root so that all builds agree. Return their indexes, or None if this is impossible.

    Prefer the builds that come first in the list of a root. After each choice, ignore the builds that do not agree with
    it, and continue with the root that has the fewest remaining builds. Raise OverBudgetError after `MAX_COMPARISONS`
    comparisons.
    """
    budget = Budget("the check of unify", "comparisons of builds", MAX_COMPARISONS)
    matters = contested([build for builds in roots for build in builds]).keys()
    short = [[{name: build[name] for name in matters & build.keys()} for build in builds] for builds in roots]
    waiting = [(-1, -1, [list(range(len(builds))) for builds in roots], dict[int, int]())]
    """A stack of choices to try: a root, one of its builds, the remaining builds of all roots, and earlier choices."""
    while waiting:
        k, at, left, chosen = waiting.pop()
        if k >= 0:
            budget.spend(sum(map(len, left)))
            own, chosen = short[k][at], chosen | {k: at}
            left = [
                [n for n in each if all(short[j][n].get(name, value) == value for name, value in own.items())]
                for j, each in enumerate(left)
            ]
            left[k] = [at]
        if len(chosen) == len(roots):
            return [chosen[k] for k in range(len(roots))]
        if all(left):
            k = min((k for k in range(len(roots)) if k not in chosen), key=lambda k: len(left[k]))
            waiting += [(k, at, left, chosen) for at in reversed(left[k])]
    return None
