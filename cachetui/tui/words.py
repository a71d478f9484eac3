"""The words of the screens that look at a catalogue as a whole: numbers of things, and the command for a view."""

from __future__ import annotations

from collections.abc import Sequence

from cachetui.query import Query
from cachetui.text import shell_word


def command(name: str, content: str | None, words: Sequence[str], query: Query) -> str:
    """A command line that asks for the same; the words stand before the query."""
    spelled = query.spelled_for(fuzzy_name=False)
    fuzzy = ["--fuzzy"] if spelled.fuzzy_name else []
    asked = [shell_word(str(spelled))] if spelled else []
    quoted = map(shell_word, (name, content or "CONTENT", *words))
    return " ".join(("cachetui", *quoted, *fuzzy, *asked))


def plural(number: int, name: str) -> str:
    """`1 stack`, `44 stacks`, `2 oses`, `3 hashes`."""
    return f"{number:,} {name}{'' if number == 1 else 'es' if name.endswith(('s', 'sh')) else 's'}"
