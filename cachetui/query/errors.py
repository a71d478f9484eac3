"""A query that cannot be read: what is wrong, where, and what was expected there."""

from __future__ import annotations

import re

from cachetui.model.facets import VALUE_KEYS
from cachetui.model.problem import UserError
from cachetui.query.keys import KEYS, with_blank

_LONGEST = 200
"""An error quotes what was typed, which may be very long."""


class QueryError(UserError, ValueError):
    """A query that cannot be read; as text, one line that counts its column from 1."""

    def __init__(self, message: str, column: int, expected: str, *, is_near: bool = False) -> None:
        """`expected`: what to write instead; `is_near`: that is what there is that comes nearest."""
        super().__init__(message, column, expected)
        self.message = message if len(message) <= _LONGEST else f"{message[: _LONGEST - 1]}…"
        self.column = column
        """Where reading stopped, from 0."""
        self.expected = expected
        self._is_near = is_near

    @property
    def words(self) -> str:
        """What is wrong and what to write, without the column: for a line in which the place is marked."""
        return f"{self.message}; {'nearest:' if self._is_near else 'write'} {self.expected}"

    def __str__(self) -> str:
        return f"column {self.column + 1}: {self.message}; expected {self.expected}"


def unanswerable(kind: str, match: re.Match[str]) -> QueryError:
    """Why something that Spack reads here has no answer."""
    if kind == "path":
        message, expected = f"{shown(match[0])} is a file of specs", "a query, not a file"
    elif kind == "languages":
        message, expected = "no compiler or dependency behind '%'", "one such as %c,cxx=gcc or %[virtuals=c] gcc"
    else:
        message, expected = "a ']' that closes nothing", "a package name, @versions, %compiler or a variant"
    return QueryError(message, match.start(), expected)


def bad_assignment(key: str, match: re.Match[str]) -> QueryError:
    """Why the text after a word that is followed by `=` could not be read as its value."""
    at = match.end("operator")
    if match["blank"] or match["rest"].isspace():
        return QueryError("a blank beside '='", match.start("operator"), f"{key[:40]}=VALUE without blanks")
    if match["operator"] == "!=":
        *keys, last = VALUE_KEYS
        if key not in VALUE_KEYS:
            if missing := _missing_blank(match.string, match.start("operator")):
                return missing
            expected = f"'!=' only behind {', '.join(keys)} or {last}"
            return QueryError(f"{_shortened(key)} takes no '!='", match.start(), expected)
    if match["rest"] and match["rest"] in "'\"":
        return QueryError("a quote that is never closed", at, f"a closing {match['rest']}")
    if key in VALUE_KEYS and VALUE_KEYS[key].has_versions:
        return QueryError(f"{key}= wants a value", at, "a list such as gcc@11.4.0,none")
    return QueryError(f"{key[:40]}{match['operator']} wants a value", at, "one right behind it")


_TYPED_ELSEWHERE = (
    (r"@@", "a single '@', such as @1.14"),
    (r"@?\s*[<>]", "@1.14: for 1.14 and newer, @:1.14 for 1.14 and older"),
    (r"@\s*[~^*]", "versions such as @1.14, which takes 1.14.3 too, or @1.10:1.12"),
    (r"//", "a single '/' before a hash, such as /2feova4"),
    (r"%%", "a single '%', such as %gcc@11"),
    (r",", "a blank between parts, and a value behind each ',' of a list, such as os=A,B"),
    (r"!", "~mpi for a variant that is off, or KEY!=VALUE"),
    (r"[|&;]", "a blank between parts, which all hold; A,B in a list for either"),
    (r"[()\[\]{}]", "parts without brackets, with a blank between them"),
)
"""What is typed as elsewhere and not as in a query, with what is written here; the first that fits."""


def second_name(match: re.Match[str], first: str, dependency: str) -> QueryError:
    """The error for a word that can only be a package name, and stands behind other parts: what else may be meant.

    `first`: the package that is named already, `dependency`: the one that the word stands behind; empty for none.
    """
    name, at, before = match["name"], match.start(), match.string[: match.start()].split()
    short = _shortened(name)
    if before[-1].endswith(","):
        return QueryError("a blank behind ','", at, f"{_shortened(before[-1] + name)} without one")
    if name in KEYS:
        return QueryError(f"{name} wants a value", at, f"{name}=VALUE")
    if name in ("and", "or", "not"):
        expected = "a blank for and, A,B in a list such as os=A,B for or, ~ or != for not"
        return QueryError(f"a query has no word '{name}'", at, expected)
    if re.fullmatch(r"\d+(?:\.\w+)*", name):
        return QueryError(f"no '@' before {short}", at, f"@{short} for a version")
    other = f"^{short} if it is a dependency" if dependency else f"+{short} if it is a variant"
    if not first:
        return QueryError(f"{short} stands behind other parts", at, f"a package first, or {other}")
    return QueryError(f"only one package at a time: {_shortened(first)} or {short}", at, f"one of them, or {other}")


def unreadable(text: str, at: int) -> QueryError:
    """The error for a place where nothing of a query can be read: what could stand there."""
    if text.startswith(("=", "!="), at) and (missing := _missing_blank(text, at)):
        return missing
    rest = text[at:]
    known = next((expected for pattern, expected in _TYPED_ELSEWHERE if re.match(pattern, rest)), None)
    expected = known or {
        "@": "a version behind '@', such as @1.14 or @1.10:1.12",
        "%": "a compiler behind '%', such as %gcc@11",
        "+": "a variant behind '+', such as +mpi",
        "~": "a variant behind '~', such as ~mpi",
        "-": "a variant behind '-', such as -mpi",
        "/": "a hash behind '/', such as /2feova4",
        "=": "KEY=VALUE without blanks, such as build_type=Release; a variant is +mpi or mpi=true",
        ":": "no blank beside ':', and none but in @1.10:1.12, target=zen2: or %gcc@11:12",
        "*": "a whole name: only KEY=* takes a '*'",
        "?": "a whole name: '?' has no meaning",
    }.get(text[at], "a package name, @versions, %compiler, a variant, KEY=VALUE or /hash")
    return QueryError(f"cannot read {shown(text[at : at + 20])}", at, expected)


def _missing_blank(text: str, at: int) -> QueryError | None:
    """The error for a key without a blank before it, if there is one before this place."""
    if (missing := with_blank(text, at)) is None:
        return None
    place, mended = missing
    return QueryError(f"a blank is missing: {mended}", place, f"a blank before {text[place:at]}=")


def shown(text: str) -> str:
    """The text in quotes on one line, shortened."""
    return repr(_shortened(text))


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
