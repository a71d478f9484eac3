"""What the drift screen says around its list, and in place of it: text alone, no widget."""

from __future__ import annotations

from collections.abc import Sequence

from cachetui.analysis.diff import Change
from cachetui.analysis.diff import TagDiff as Drift
from cachetui.model.tags import apart
from cachetui.query.query import Query
from cachetui.safe_text import listed, visible
from cachetui.tui.rows.drift_sections import Item, in_words, kind_of, summary, unchanged_text
from cachetui.tui.rows.layout import Cell, measure
from cachetui.tui.screens.hints import Hint, KeyOf
from cachetui.tui.screens.survey_base import COPY, EXPORT

HINTS = (
    Hint("table.choose", "Enter", "open"),
    Hint("drift.find", "/", "find"),
    Hint("drift.before drift.after", ", .", "step"),
    Hint("drift.new", "t", "newer tag"),
    Hint("drift.old", "T", "older tag"),
    Hint("drift.group", "m", "by package"),
    COPY,
    EXPORT,
)

NOTHING_TO_OPEN = HINTS[1:]
"""On builds that are only counted where there are none."""

COUNTED = (Hint("table.choose", "Enter", "their packages"), *NOTHING_TO_OPEN)
"""On builds that are only counted."""

TO_CHOOSE = tuple(hint for hint in HINTS if hint.id == "drift.old")
"""Where no older tag is chosen yet."""

ONLY_TAG = """{tag} is the only tag here. What can be compared instead:

Two contents, each with its own tags: cachetui OLDER NEWER, then {drift}.
Two specs: mark both in the list with {mark}, then {compare}.
Stacks of this tag: {coverage}, then mark two columns with {column}, then {columns}.
"""

NEWEST_WEEKS = "the two newest weeks"

MOST_STACKS = 3
"""Most stacks of a change that are named above the list."""


def heading(
    old: str, new: str, query: Query, tags: Sequence[str], width: int, dot: str, *, instead_of: str
) -> tuple[list[Cell | str], list[Cell | str]]:
    """Which tags are compared, and how far they are apart; `instead_of`: the tag for which two weeks stand, if any."""
    filters = f" {dot} {visible(str(query))}" if query else ""
    left = f"  {' -> '.join(visible(tag) for tag in (old, new) if tag)}{filters}"
    far, room = apart(old, new, tags), width - len("Drift") - measure(left) - 1
    # what has no room is left out as a whole: a distance without its unit says nothing
    texts = [far, far.partition(",")[0]]
    if instead_of:
        texts = [f"{NEWEST_WEEKS}, {far}", f"newest two, {far}", NEWEST_WEEKS]
    return [Cell("Drift", "title"), left], [next((text for text in texts if len(text) <= room), "")]


def why_these_text(instead_of: str) -> str:
    """Why two weeks are compared where another tag is looked at; the keys in the last line choose others."""
    return f"{instead_of} is no weekly tag: compared are {NEWEST_WEEKS}"


def why_nothing(tag: str, tags: int, key_of: KeyOf) -> str:
    """Why no tags are compared, of so many, where one is looked at, and what to do; `key_of`: as that of a screen."""
    if tags > 1:
        return f"There is no tag before this one in its series: {key_of('drift.old', 'T')} chooses the older tag."
    if not tags:
        return "There is no tag to compare yet."
    return ONLY_TAG.format(
        tag=visible(tag),
        drift=key_of("browse.drift", "d"),
        mark=key_of("browse.mark", "Space"),
        compare=key_of("browse.compare", "="),
        coverage=key_of("browse.coverage", "c"),
        column=key_of("coverage.mark", "Space"),
        columns=key_of("coverage.compare", "="),
    )


def only_counted(at: int, enter: str) -> str:
    """Why the last rows do not unfold, and what `enter` does: the first is of rebuilt builds, the second of unchanged
    ones. Without a key there are no such builds."""
    if not enter:
        return ("no build was rebuilt", "no build is unchanged")[at]
    what = ("rebuilt builds are only counted: nothing but their hash", "unchanged builds are only counted: nothing")
    return f"{what[at]} differs; {enter} lists their packages"


def item_text(item: Item | None, found: Drift) -> str:
    """What is under the cursor: a change in words, else how much changed in all."""
    if isinstance(item, Change):
        where = f" in {visible(listed(item.stacks, MOST_STACKS))}" if item.stacks else ""
        return f"{visible(item.package)}: {kind_of(item)}{where}: {in_words(item)}"
    return summary(found) if found else unchanged_text(found)
