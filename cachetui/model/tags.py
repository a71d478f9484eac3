"""The series that tags belong to, which tag of several is the newest, and how far two of them are apart.

Releases follow releases and weekly snapshots follow snapshots; `develop` is the head of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from cachetui.model.spec import own_tag, snapshot_day
from cachetui.safe_text import plural

_RELEASE = re.compile(r"v\d.*")

Series = Literal["develop", "release", "snapshot", "other"]

_BY_RECENCY: tuple[Series, ...] = ("develop", "snapshot", "release", "other")


def series(tag: str) -> Series:
    """Which tags this one belongs to."""
    if own_tag(tag) == "develop":
        return "develop"
    if snapshot_day(tag):
        return "snapshot"
    return "release" if _RELEASE.fullmatch(own_tag(tag)) else "other"


def by_recency(tags: Iterable[str]) -> Sequence[str]:
    """Tags in their true order sorted anew: `develop`, then snapshots, then releases, each from the newest."""
    return sorted(tags, key=lambda tag: _BY_RECENCY.index(series(tag)))


def apart(old: str, new: str, tags: Sequence[str]) -> str:
    """How far two tags are apart, as far as their names tell: in time, else in tags between; empty for no idea.

    `tags`: all that there are, the newest of a series before those that are older.
    """
    days = [snapshot_day(tag) for tag in (old, new)]
    line = [] if series(new) == "other" else line_of(tags, new)
    if old not in line or new not in line or old == new:
        return ""
    steps = line.index(old) - line.index(new)
    back = "" if steps > 0 else ", back in time"
    between = abs(steps) - 1
    if days[0] and days[1]:
        count = abs((days[1] - days[0]).days)
        far = plural(count // 7, "week") if count % 7 == 0 else plural(count, "day")
        more = f", {plural(between, 'snapshot')} between" if between else ""
        return f"{far} apart{more}{back}"
    if dated := days[0] or days[1]:
        which = "the newest snapshot" if not between else f"{plural(between, 'snapshot')} before the newest"
        return f"{'since' if days[0] else 'back to'} {dated}, {which}"
    return f"{plural(abs(steps), series(old))} apart{back}"


def line_of(tags: Sequence[str], tag: str) -> list[str]:
    """The tags of its content in the series of this one, from the newest: `develop` leads the snapshots."""
    kinds = ("develop", "snapshot") if series(tag) in ("develop", "snapshot") else (series(tag),)
    return [other for other in tags if series(other) in kinds and _label(other) == _label(tag)]


def _label(tag: str) -> str:
    """The content of a tag, where there are several."""
    return tag.rpartition("/")[0]


def tag_before(tags: Sequence[str], tag: str) -> str:
    """The tag before this one in its series; empty where there is none."""
    line = line_of(tags, tag)
    return next(iter(line[line.index(tag) + 1 :]), "") if tag in line else ""


def tags_to_compare(tags: Sequence[str], tag: str) -> tuple[str, str]:
    """The older and the newer tag that are compared where this one is looked at; the older is empty for none.

    The head of the snapshots is no week: where it is looked at, the two newest weeks are compared.
    """
    weekly = [other for other in line_of(tags, tag) if series(other) == "snapshot"]
    if series(tag) == "develop" and len(weekly) > 1:
        return weekly[1], weekly[0]
    return tag_before(tags, tag), tag
