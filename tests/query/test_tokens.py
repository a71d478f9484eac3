"""The tokens of a query: no pattern is passed over that would have fitted."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from cachetui.query.tokens import TOKENS, token
from tests.support.strategies import CHARACTERS

PIECES = [
    "hdf5",
    "os",
    "compiler",
    "!=",
    "=",
    ":=",
    "==",
    "@",
    "1.2",
    "%",
    "[",
    "]",
    "virtuals=c",
    "c,cxx=",
    "^",
    "/",
    ".",
]
PIECES += ["-", "~~", "+", "'", '"', ",", ":", "git.a/b", ".json", " ", "\N{NO-BREAK SPACE}", "\n", "\\"]


@given(st.lists(st.sampled_from(PIECES) | CHARACTERS, min_size=1, max_size=8).map("".join))
def test_the_first_pattern_that_fits_is_taken(text: str) -> None:
    for at in range(len(text)):
        matches = ((kind, re.compile(pattern, re.DOTALL).match(text, at)) for kind, _, _, pattern in TOKENS)
        expected = next(((kind, match.groupdict()) for kind, match in matches if match), None)
        found = token(text, at)
        assert (found and (found[0], found[1].groupdict())) == expected
