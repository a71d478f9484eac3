"""Texts for people."""

import pytest

from cachetui.safe_text import ago, joined, size_text


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        (("no os a", "press w to fix"), "no os a; press w to fix"),
        (("did you mean a?", "", "Tab puts it in", "press w to fix"), "did you mean a? Tab puts it in; press w to fix"),
        (("", "press w to fix"), "press w to fix"),
        ((), ""),
    ],
)
def test_several_hints_are_joined_into_one_line(texts: tuple[str, ...], line: str) -> None:
    assert joined(texts) == line


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(59, "less than a minute ago"), (60, "1 minute ago"), (7199, "119 minutes ago"), (7200, "2 hours ago")],
)
def test_seconds_are_shown_as_age_in_words(seconds: float, text: str) -> None:
    assert ago(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"), [(900, "900 B"), (12_340_000, "12.3 MB"), (121_800_000, "122 MB"), (2 * 10**12, "2,000 GB")]
)
def test_size_is_shown_with_about_three_digits(size: int, text: str) -> None:
    assert size_text(size) == text
