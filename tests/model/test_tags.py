"""Words for tags, and the order of tags."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from cachetui.model.tags import gone_since, is_snapshot, line_of, tag_meant, tag_order, tags_to_compare

TODAY = date(2026, 3, 1)


class Today(date):
    """A `date` class with a fixed date of today."""

    @classmethod
    def today(cls) -> Today:
        return cls(TODAY.year, TODAY.month, TODAY.day)


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cachetui.model.tags.date", Today)


def ago(days: int) -> str:
    return (TODAY - timedelta(days)).isoformat()


DAYS = [f"{ago(0)}.2", ago(0), ago(2), ago(9)]
WEEKS = ["develop", "v1.0", "develop-2025-04-20", "develop-2025-04-13"]
TWO = [f"site/{tag}" for tag in ("mirror", *DAYS)] + ["lab/old", f"lab/{ago(1)}"]


@pytest.mark.parametrize(
    ("word", "tags", "meant"),
    [
        ("latest", WEEKS, "develop-2025-04-20"),
        ("previous", WEEKS, "develop-2025-04-13"),
        ("now", WEEKS, "develop"),
        ("now", ["mirror"], "mirror"),
        ("now", ["mirror", *DAYS], "mirror"),
        ("now", ["prod", "test", *DAYS], "now"),
        ("now", ["now", "develop"], "now"),
        ("yesterday", ["mirror", *DAYS], ago(2)),
        ("0d", ["mirror", *DAYS], f"{ago(0)}.2"),
        ("2d", ["mirror", *DAYS], ago(2)),
        ("5d", ["mirror", *DAYS], ago(9)),
        ("10d", ["mirror", *DAYS], "10d"),
        ("99999d", ["mirror", *DAYS], "99999d"),
        (ago(0), ["mirror", *DAYS], ago(0)),
        (ago(1), ["mirror", *DAYS], ago(2)),
        (f"{ago(1)}.3", ["mirror", *DAYS], ago(2)),
        ("yesterday", ["mirror"], "yesterday"),
        ("site/yesterday", TWO, f"site/{ago(2)}"),
        ("lab/yesterday", TWO, f"lab/{ago(1)}"),
        ("yesterday", TWO, f"lab/{ago(1)}"),
        ("site/now", TWO, "site/mirror"),
        ("nosuch", WEEKS, "nosuch"),
    ],
)
def test_typed_name_of_tag_is_resolved_to_an_existing_tag(word: str, tags: Sequence[str], meant: str) -> None:
    assert tag_meant(word, tags) == meant


def test_snapshots_come_after_all_other_tags() -> None:
    assert tag_order(["2026-01-02", "untagged", *WEEKS, "2026-01-10", "2026-01-10.10", "2026-01-10.9"]) == [
        *WEEKS,
        *("untagged", "2026-01-10.10", "2026-01-10.9", "2026-01-10", "2026-01-02"),
    ]
    assert line_of([*WEEKS, *DAYS], "develop") == ["develop", *DAYS]
    assert line_of([*WEEKS, *DAYS], DAYS[1]) == ["develop", *DAYS]
    assert line_of([*WEEKS, *DAYS], WEEKS[3]) == ["develop", *WEEKS[2:]]
    assert line_of(["prod", "test", *DAYS], DAYS[0]) == DAYS
    assert tags_to_compare(["mirror", *DAYS], "mirror") == (DAYS[0], "mirror")
    assert tags_to_compare(["mirror", *DAYS], DAYS[2]) == (DAYS[3], DAYS[2])


@pytest.mark.parametrize(
    ("tags", "gone"),
    [
        (["mirror", DAYS[0]], None),
        ([DAYS[0], DAYS[1]], "now"),
        ([DAYS[2]], DAYS[1]),
        ([], None),
    ],
)
def test_removal_date_is_the_first_snapshot_without_the_spec(tags: Sequence[str], gone: str | None) -> None:
    assert gone_since(tags, DAYS) == gone


@pytest.mark.parametrize("tag", ["2026-13-01", "2026-01-32", "0000-01-01", "2026-01-01.x"])
def test_tag_with_invalid_date_is_not_a_snapshot(tag: str) -> None:
    assert not is_snapshot(tag)


def test_removal_date_uses_only_snapshots_of_same_content() -> None:
    snapshots = ["site/2026-01-02", "site/2026-01-01", "lab/2026-01-02", "lab/2026-01-01"]
    assert gone_since(["lab/2026-01-02"], snapshots) == "now"
    assert gone_since(["lab/2026-01-01"], snapshots) == "lab/2026-01-02"
