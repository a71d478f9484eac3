"""The series that tags belong to, and which tag of several is the newest.

Releases follow releases and weekly snapshots follow snapshots; `develop` is the head of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from cachetui.model.spec import snapshot_day

_RELEASE = re.compile(r"v\d.*")

Series = Literal["develop", "release", "snapshot", "other"]

_BY_RECENCY: tuple[Series, ...] = ("develop", "snapshot", "release", "other")


def series(tag: str) -> Series:
    """Which tags this one belongs to."""
    if tag == "develop":
        return "develop"
    if snapshot_day(tag):
        return "snapshot"
    return "release" if _RELEASE.fullmatch(tag) else "other"


def by_recency(tags: Iterable[str]) -> Sequence[str]:
    """Tags in their true order sorted anew: `develop`, then snapshots, then releases, each from the newest."""
    return sorted(tags, key=lambda tag: _BY_RECENCY.index(series(tag)))
