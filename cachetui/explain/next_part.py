"""Whether what is typed right behind a query of before begins another part, for which a blank is put in before it.

Input: the text of a query that was kept, and what is typed behind it.
"""

from __future__ import annotations

import re

from cachetui.explain.completion import completions
from cachetui.explain.second_name import is_beginning_of_name
from cachetui.explain.typed_text import is_key
from cachetui.search.index import Index

_SIGNS = ("%", "+", "~")
"""With which a part begins wherever they stand behind a whole one."""

_ENDS_IN_VALUE = re.compile(r"=\S*$")
"""A value at the end, which may have such a sign in it."""

_NAME = re.compile(r"=?[\w.-]+")
"""A word that can only be the name of a package."""


def begins_part(index: Index | None, old: str, typed: str, within: str = "") -> bool:
    """Whether what is typed behind the old text can only be a part of its own.

    So are a key, a compiler or a variant behind what is no value, and a letter with which no package, compiler, variant
    or version goes on that there is. `index`: None where that has not all that the old text names; `within`: tags that
    it is looked up in.
    """
    key = typed.removesuffix("=").removesuffix("!")
    has_sign = typed.startswith(_SIGNS) and _ENDS_IN_VALUE.search(old) is None
    if has_sign or (typed.endswith("=") and is_key(key)):
        return True
    return index is not None and len(typed) == 1 and typed.isalpha() and _goes_on_with_none(index, old, typed, within)


def _goes_on_with_none(index: Index, old: str, letter: str, within: str) -> bool:
    """Whether nothing there is goes on as the last word of the old text with this letter behind it."""
    last, text = old.rpartition(" ")[2], old + letter
    if _NAME.fullmatch(last):
        return not is_beginning_of_name(index, f"{last}{letter}".removeprefix("="))
    if not last.startswith(("%", "+", "~", "@")):
        return False
    offers = completions(index, text + within, len(text), limit=1, fuzzy_name=True)
    return not any(offer.text.startswith(text[offer.start :]) for offer in offers)
