"""Texts that people read."""

from __future__ import annotations

import pytest

from cachetui.safe_text import joined


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        (("no os a", "w mend"), "no os a; w mend"),
        (("did you mean a?", "", "Tab puts it in", "w mend"), "did you mean a? Tab puts it in; w mend"),
        (("", "w mend"), "w mend"),
        ((), ""),
    ],
)
def test_texts_stand_behind_each_other_in_one_line(texts: tuple[str, ...], line: str) -> None:
    assert joined(texts) == line
