"""How far tags are apart, as far as their names tell."""

from __future__ import annotations

import pytest

from cachetui.model.tags import apart

TAGS = (
    "develop",
    "v1.0.0",
    "v0.23.1",
    "v0.22.0",
    "develop-2025-04-20",
    "develop-2025-04-13",
    "develop-2025-03-20",
    "btest",
)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("develop-2025-04-13", "develop-2025-04-20", "1 week apart"),
        ("develop-2025-04-20", "develop-2025-04-13", "1 week apart, back in time"),
        ("develop-2025-03-20", "develop-2025-04-20", "31 days apart, 1 snapshot between"),
        ("develop-2025-04-20", "develop", "since 2025-04-20, the newest snapshot"),
        ("develop-2025-03-20", "develop", "since 2025-03-20, 2 snapshots before the newest"),
        ("develop", "develop-2025-04-13", "back to 2025-04-13, 1 snapshot before the newest"),
        ("v0.22.0", "v0.23.1", "1 release apart"),
        ("v1.0.0", "v0.22.0", "2 releases apart, back in time"),
        ("v1.0.0", "develop", ""),
        ("btest", "develop", ""),
        ("develop", "develop", ""),
        ("develop-2020-01-01", "develop", ""),
    ],
)
def test_how_far_two_tags_are_apart(old: str, new: str, said: str) -> None:
    assert apart(old, new, TAGS) == said
