"""Lists of specs, and templates of the user's own."""

from __future__ import annotations

import pytest

from cachetui.report.find import template
from cachetui.report.formats import FormatError
from tests.support.specs import SPEC


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{package}@{version}/{hash:7}", "hdf5@1.14.3/2feova4"),
        (r"{name}\t{stacks}\n", "hdf5\te4s,root\n"),
        ("{{{tag}}} {size}{tarball}", "{develop} -"),
    ],
)
def test_a_format_of_the_users_own(text: str, expected: str) -> None:
    assert template(text)(SPEC) == expected


@pytest.mark.parametrize("text", ["{", "{name", "}", "{nothing}", "{name:x}", "{name:99999}", "{}"])
def test_a_format_that_cannot_be_read(text: str) -> None:
    with pytest.raises(FormatError):
        template(text)
