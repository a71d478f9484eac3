"""What is wrong with one page, and the words for it: what a value is, and what may stand where.

Input: values as JSON or YAML gives them.
"""

from __future__ import annotations

from typing import Literal

from cachetui.model.problem import Problem
from cachetui.model.spec import HASH

MAX_PROBLEMS = 100
"""Most problems of one page that are reported."""

MAX_SIZE = 2**63 - 1


class PageProblems:
    """The problems of one page, in the order in which they are found; at most MAX_PROBLEMS."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.found: list[Problem] = []

    def add(self, kind: str, message: str, line: int | None = None, level: Literal["fault", "note"] = "fault") -> None:
        """Note a problem; what is no text in it is written with backslashes."""
        if len(self.found) > MAX_PROBLEMS:
            return
        if len(self.found) == MAX_PROBLEMS:
            kind, message, line = "unreadable", "more problems, not listed", None
        text = message.encode(errors="backslashreplace").decode()
        self.found.append(Problem(path=self.path, line=line, level=level, kind=kind, message=text))


def check_hash(written: str | None, where: str, line: int | None, problems: PageProblems) -> None:
    """Add a problem for a malformed hash; the row keeps it as it is written."""
    if written is not None and HASH.fullmatch(written) is None:
        problems.add("hash", f"{where} has a malformed hash: {shortened(written)}", line)


def is_size(written: object) -> bool:
    """Return whether a row may have this as its size: bytes, a text such as `-`, or nothing."""
    if isinstance(written, int) and not isinstance(written, bool):
        return 0 <= written <= MAX_SIZE
    return written is None or is_text(written)


def is_text(written: object) -> bool:
    """Return whether it is a string that can be written out again: JSON may hold half of a surrogate pair."""
    if not isinstance(written, str):
        return False
    try:
        written.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_digits(written: object) -> bool:
    return isinstance(written, str) and written.isascii() and written.isdecimal() and len(written) < 19


def shortened(text: str) -> str:
    """Return at most 60 characters of a text, for a message."""
    return text if len(text) <= 60 else text[:59] + "…"


def kind_of(written: object) -> str:
    """Return what a value is, in the words of JSON."""
    if isinstance(written, str):
        return "a string" if is_text(written) else "a string that is no valid text"
    if isinstance(written, bool):
        return "a boolean"
    if isinstance(written, int | float):
        return "a huge number" if written > MAX_SIZE else "a number" if written >= 0 else "a negative number"
    return "null" if written is None else "a list" if isinstance(written, list) else "a mapping"
