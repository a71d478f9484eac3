"""A query that cannot be read: what is wrong, where, and what was expected there."""

from __future__ import annotations

import re

from cachetui.model.problem import UserError

_LONGEST = 200
"""An error quotes what was typed, which may be very long."""


class QueryError(UserError, ValueError):
    """A query that cannot be read; as text, one line that counts its column from 1."""

    def __init__(self, message: str, column: int, expected: str) -> None:
        """`column`: where reading stopped, from 0; `expected`: what to write there instead."""
        super().__init__(message, column, expected)
        self.message = message if len(message) <= _LONGEST else f"{message[: _LONGEST - 1]}…"
        self.column = column
        self.expected = expected

    def __str__(self) -> str:
        return f"column {self.column + 1}: {self.message}; expected {self.expected}"


def bad_assignment(key: str, match: re.Match[str]) -> QueryError:
    """Return the error for a word, followed by `=`, whose value could not be read."""
    at, key = match.end("operator"), _shortened(key)
    if match["blank"] or match["rest"].isspace():
        return QueryError("a blank beside '='", match.start("operator"), f"{key}=VALUE without blanks")
    if match["rest"] and match["rest"] in "'\"":
        return QueryError("a quote that is never closed", at, f"a closing {match['rest']}")
    if match["operator"] == "!=" and match["rest"]:
        return QueryError(f"{key} takes no '!='", match.start(), "'!=' behind a facet or tag, such as os!=rhel8")
    return QueryError(f"{key}{match['operator']} wants a value", at, "one right behind it")


def second_name(match: re.Match[str], first: str) -> QueryError:
    """Return the error for a word that can only be a package name and stands behind other parts.

    `first`: the package that is named already; empty for none.
    """
    name = _shortened(match["name"])
    message = f"only one package at a time: {_shortened(first)} or {name}" if first else f"{name} behind other parts"
    expected = f"one name, in front, or +{name} for a variant, ^{name} for a dependency"
    return QueryError(message, match.start(), expected)


_EXPECTED = (
    (r"@@", "a single '@', such as @1.14"),
    (r"@?\s*[<>]", "@1.14: for 1.14 and newer, @:1.14 for 1.14 and older"),
    (r"@\s*[~^*]", "versions such as @1.14, which takes 1.14.3 too, or @1.10:1.12"),
    (r"@", "a version behind '@', such as @1.14 or @1.10:1.12"),
    (r"//", "a single '/' before a hash, such as /2feova4"),
    (r"/", "a hash behind '/', such as /2feova4"),
    (r"%%", "a single '%', such as %gcc@11"),
    (r"%", "a compiler behind '%', such as %gcc@11"),
    (r",", "a blank between parts, and a value behind each ',' of a list, such as os=A,B"),
    (r"!", "~mpi for a variant that is off, or KEY!=VALUE"),
    (r"[|&;]", "a blank between parts, which all hold; A,B in a list for either"),
    (r"[()\[\]{}]", "parts without brackets, with a blank between them"),
    (r"[+~-]", "a variant behind '+', '~' or '-', such as +mpi"),
    (r"=", "KEY=VALUE without blanks, such as build_type=Release; a variant is +mpi or mpi=true"),
    (r":", "no blank beside ':', and none but in @1.10:1.12, target=zen2: or %gcc@11:12"),
    (r"[*?]", "a whole name: only KEY=* takes a '*'"),
    (r"", "a package name, @versions, %compiler, a variant, KEY=VALUE or /hash"),
)
"""What to write in place of what cannot be read; the first that fits."""


def unreadable(text: str, at: int) -> QueryError:
    """Return the error for a place where nothing of a query can be read."""
    expected = next(expected for pattern, expected in _EXPECTED if re.compile(pattern).match(text, at))
    return QueryError(f"cannot read {shown(text[at : at + 20])}", at, expected)


def shown(text: str) -> str:
    """Return the text in quotes on one line, shortened."""
    return repr(_shortened(text))


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
