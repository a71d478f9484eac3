"""The series of tags, and the order of tags.

A series contains tags that follow each other in time: releases, weekly tags or snapshots. `develop` counts as the
newest weekly tag. The default tag of the content counts as the newest snapshot. The tag of a snapshot is its date, such
as `2026-11-23`. The second snapshot of this day has the tag `2026-11-23.2`.
"""

import re
import time
from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta
from functools import lru_cache
from itertools import groupby
from typing import Literal

from cachetui.model.version import natural_key

UNTAGGED = "untagged"
"""The tag of pages that do not name a tag, which is possible in the page formats of 2021 and 2022."""

Series = Literal["develop", "release", "weekly", "other", "snapshot"]

_IN_ORDER: tuple[Series, ...] = ("develop", "release", "weekly", "other", "snapshot")

NOW = "now"
"""The word that means the tag that opens first."""


def own_tag(tag: str) -> str:
    """Return a tag without its label: `TAG` for `LABEL/TAG`. Tags have labels if several contents are open."""
    return tag.rpartition("/")[2]


@lru_cache(4096)
def series(tag: str) -> Series:
    """Return the series of a tag."""
    tag = own_tag(tag)
    if re.fullmatch(r"develop-\d{4}-\d{2}-\d{2}", tag):
        return "weekly"
    if re.fullmatch(r"[1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(\.[0-9]+)?", tag):
        return "snapshot"
    return "develop" if tag == "develop" else "release" if re.fullmatch(r"v\d.*", tag) else "other"


def tag_order(tags: Iterable[str]) -> list[str]:
    """Return the distinct tags in this order: develop, releases, weekly tags, other tags, `untagged`, snapshots.

    Each series begins with its newest tag. Snapshots with a future date come last, because the clock was wrong then.
    """
    newest_first, today = sorted(set(tags), key=natural_key, reverse=True), time.strftime("%Y-%m-%d")

    def place(tag: str) -> tuple[bool, bool, bool, int]:
        name = own_tag(tag)
        return is_snapshot(tag), is_snapshot(tag) and name[:10] > today, name == UNTAGGED, _IN_ORDER.index(series(tag))

    return sorted(newest_first, key=place)


def first_of_tags(tags: Sequence[str]) -> str | None:
    """Return the tag to open first: develop, else the newest weekly tag, else the newest release, else None (all tags).

    If there are snapshots and only one other tag, return the other tag. `tags` must be in the order of `tag_order`.
    """
    named = next((tag for prefix in ("develop", "v") for tag in tags if own_tag(tag).startswith(prefix)), None)
    present = [tag for tag in tags if not is_snapshot(tag)]
    return present[0] if named is None and len(present) == 1 < len(tags) else named


def is_snapshot(tag: str) -> bool:
    """Return whether a tag is the tag of a snapshot."""
    return series(tag) == "snapshot"


def weekly_tags(tags: Iterable[str]) -> list[str]:
    """Return only the weekly tags."""
    return [tag for tag in tags if series(tag) == "weekly"]


def weekly_date(tag: str) -> date | None:
    """Return the date of a weekly tag (`develop-2025-04-20`); None for any other tag."""
    if series(tag) != "weekly":
        return None
    try:
        return date.fromisoformat(own_tag(tag).removeprefix("develop-"))
    except ValueError:
        return None


def tag_meant(word: str, tags: Sequence[str]) -> str:
    """Return the tag that a word means. If the word is a tag or has no meaning, return the word.

    `latest` and `previous` are the two newest weekly tags. `now` is the default tag of the content. A date, `yesterday`
    or `7d` means the latest snapshot on or before that day. `LABEL/latest` is a tag of the content with this label.
    Without a label, `latest` and `previous` are from the content with the newest weekly tag.
    """
    name = own_tag(word)
    if word in tags:
        return word
    own = [tag for tag in tags if label_of(tag) == label_of(word)] if label_of(word) else tags
    if name == NOW:
        present = [tag for tag in own if not is_snapshot(tag)]
        return first_of_tags(own) or (present[0] if len(present) == 1 else word)
    day = day_of(name)
    place, found = 0, [tag for tag in own if day is not None and is_snapshot(tag) and own_tag(tag)[:10] <= day]
    found.sort(key=lambda tag: natural_key(own_tag(tag)), reverse=True)
    if name in ("latest", "previous"):
        newest = sorted(weekly_tags(own), key=own_tag, reverse=True)
        place, found = name == "previous", [tag for tag in newest if label_of(tag) == label_of(newest[0])]
    return found[place] if place < len(found) else word


def gone_since(tags: Sequence[str], snapshots: Sequence[str]) -> str | None:
    """Return the tag of the first snapshot after a spec was removed.

    If the newest snapshot still has the spec, return `now`. If the content still has the spec, return None.

    `tags`: the tags of the spec. `snapshots`: all snapshots of each CONTENT, newest first.
    """
    if not tags or not set(tags) <= set(snapshots):
        return None
    last = snapshots.index(next(filter(set(tags).__contains__, snapshots)))
    same_content = last and label_of(snapshots[last - 1]) == label_of(snapshots[last])
    return snapshots[last - 1] if same_content else NOW


def spans(tags: Collection[str], snapshots: Sequence[str]) -> list[str]:
    """Summarize the snapshots in `tags` as spans `FIRST..LAST`, oldest first. Each span has no missing snapshots.

    `snapshots`: all snapshots of each CONTENT, newest first.
    """
    runs = groupby(reversed(snapshots), lambda tag: (label_of(tag), tag in tags))
    found = [list(run) for (_, is_present), run in runs if is_present]
    return ["..".join(dict.fromkeys((span[0], span[-1]))) for span in found]


def day_of(word: str) -> str | None:
    """Return the date that `yesterday`, `7d` or a date means, such as `2026-11-23`; None for any other word."""
    word = own_tag(word)
    ago = re.fullmatch(r"(\d{1,5})d", "1d" if word == "yesterday" else word)
    if ago:
        return (date.today() - timedelta(days=int(ago[1]))).isoformat()
    return word[:10] if is_snapshot(word) else None


def line_of(tags: Sequence[str], tag: str) -> list[str]:
    """Return the series that contains a tag, newest tag first. Omit the tags of other contents.

    `develop` comes before the weekly tags. The default tag of the content comes before the snapshots.
    """
    own = [other for other in tags if label_of(other) == label_of(tag)]
    snapshots = list(filter(is_snapshot, own))
    if snapshots and tag in (first_of_tags(own), *snapshots):
        return [*filter(None, [first_of_tags(own)]), *snapshots]
    kinds = ("develop", "weekly") if series(tag) in ("develop", "weekly") else (series(tag),)
    return [other for other in own if series(other) in kinds]


def label_of(tag: str) -> str:
    """Return the LABEL of `LABEL/TAG`; empty for a tag without a label."""
    return tag.rpartition("/")[0]


def tag_before(tags: Sequence[str], tag: str) -> str:
    """Return the next older tag of the same series; empty if there is none."""
    line = line_of(tags, tag)
    return next(iter(line[line.index(tag) + 1 :]), "") if tag in line else ""


def tags_to_compare(tags: Sequence[str], tag: str) -> tuple[str, str]:
    """Return the older and the newer tag of the default comparison for this tag.

    For develop, return the two newest weekly tags. For any other tag, return the previous tag and the tag itself. For
    the first tag, the older tag is empty.
    """
    weekly = weekly_tags(line_of(tags, tag))
    if series(tag) == "develop" and len(weekly) > 1:
        return weekly[1], weekly[0]
    return tag_before(tags, tag), tag
