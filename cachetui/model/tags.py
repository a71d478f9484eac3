"""The order of tags and the series that they belong to.

Releases follow releases and weekly snapshots follow snapshots; `develop` is the head of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from cachetui.model.version import natural_key

if TYPE_CHECKING:
    from datetime import date

UNTAGGED = "untagged"
"""The tag of a page that names none (the forms of 2021 and 2022)."""

Series = Literal["develop", "release", "snapshot", "other"]

_IN_ORDER: tuple[Series, ...] = ("develop", "release", "snapshot", "other")


def own_tag(tag: str) -> str:
    """Return TAG of `LABEL/TAG`, as tags are called where several contents are open; another tag as it is."""
    return tag.rpartition("/")[2]


def series(tag: str) -> Series:
    """Return the series of a tag."""
    tag = own_tag(tag)
    if tag == "develop":
        return "develop"
    if re.fullmatch(r"develop-\d{4}-\d{2}-\d{2}", tag):
        return "snapshot"
    return "release" if re.fullmatch(r"v\d.*", tag) else "other"


def tag_order(tags: Iterable[str]) -> list[str]:
    """Return the distinct tags in order: develop, releases and snapshots from the newest, others, untagged last."""
    newest_first = sorted(set(tags), key=natural_key, reverse=True)
    return sorted(newest_first, key=lambda tag: (own_tag(tag) == UNTAGGED, _IN_ORDER.index(series(tag))))


def first_of_tags(tags: Sequence[str]) -> str | None:
    """Return the tag to open on: develop, else the newest snapshot, else the newest release, else None for all.

    `tags`: as `tag_order` returns them.
    """
    return next((tag for prefix in ("develop", "v") for tag in tags if own_tag(tag).startswith(prefix)), None)


def weekly_tags(tags: Iterable[str]) -> list[str]:
    """Return the weekly snapshots among these tags."""
    return [tag for tag in tags if series(tag) == "snapshot"]


def snapshot_day(tag: str) -> date | None:
    """Return the day of a weekly snapshot (`develop-2025-04-20`); None for any other tag."""
    if series(tag) != "snapshot":
        return None
    from datetime import date  # late, as most commands compare no days

    try:
        return date.fromisoformat(own_tag(tag).removeprefix("develop-"))
    except ValueError:
        return None


def tag_meant(word: str, tags: Sequence[str]) -> str:
    """Return the tag that a word means: `latest` and `previous` are the newest snapshots, unless tags are called so.

    `LABEL/latest` is the newest of one content; without a label both are of the content with the newest snapshot.
    """
    name = own_tag(word)
    if name not in ("latest", "previous") or word in tags:
        return word
    newest = sorted(weekly_tags(tags), key=own_tag, reverse=True)
    weekly = [tag for tag in newest if _label(tag) == (_label(word) or _label(newest[0]))]
    place = 0 if name == "latest" else 1
    return weekly[place] if place < len(weekly) else word


def line_of(tags: Sequence[str], tag: str) -> list[str]:
    """Return the tags of the same content and series as this one, from the newest; `develop` leads the snapshots."""
    kinds = ("develop", "snapshot") if series(tag) in ("develop", "snapshot") else (series(tag),)
    return [other for other in tags if series(other) in kinds and _label(other) == _label(tag)]


def _label(tag: str) -> str:
    """Return LABEL of `LABEL/TAG`; empty where one content is open."""
    return tag.rpartition("/")[0]


def tag_before(tags: Sequence[str], tag: str) -> str:
    """Return the next older tag in the series of this one; empty for none."""
    line = line_of(tags, tag)
    return next(iter(line[line.index(tag) + 1 :]), "") if tag in line else ""


def tags_to_compare(tags: Sequence[str], tag: str) -> tuple[str, str]:
    """Return the older (empty for none) and the newer tag to compare by default where this one is looked at.

    For develop, which is no week itself, these are the two newest weekly snapshots.
    """
    weekly = weekly_tags(line_of(tags, tag))
    if series(tag) == "develop" and len(weekly) > 1:
        return weekly[1], weekly[0]
    return tag_before(tags, tag), tag
