"""Extract the hash from typed or pasted text: a hash, a spec, a URL, or the title of a CI job.

This module recognizes a hash by its characters and by the text around it, without any lookup.
"""

import re

from msgspec import Struct

from cachetui.model.spec import HASH
from cachetui.search.hashes import typed_hash


class HashQuery(Struct, frozen=True):
    """A hash, or the prefix of a hash, and the text next to it."""

    text: str
    """The whole argument, or only the hash if it comes from a log."""
    hash: str
    """The hash in lower case; empty if the text contains no hash."""
    label: str = ""
    """The package next to the hash, like `hdf5@1.14.3`, or a file name that ends in `hdf5-1.14.3`. May be empty."""
    rest: str = ""
    """The rest of a spec or of the title of a CI job, like `%gcc@11.4.0 arch=linux-ubuntu22.04-x86_64_v3`."""
    line: int | None = None
    """The line number in the log, from 1."""
    doubtful: bool = False
    """Whether the hash may be an ordinary word of a log, such as `/scratch`."""


_ALONE = re.compile(r"/?([A-Za-z0-9]+)")
_NAMED = re.compile(r"([^\s/]+)/([A-Za-z0-9]*)")
_WHOLE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z2-7]{32}(?![A-Za-z0-9])")
_FILE = re.compile(r"([A-Za-z0-9][^-]*-.*)-([A-Za-z2-7]{5,31})(?:\..*)?")
_VERSIONED = re.compile(r"-(?:[0-9]|develop|main|master|head|trunk|stable)")


def asked_by(text: str) -> HashQuery:
    """Return the first hash in a text that the user has pasted, or has finished typing."""
    words = list(dict.fromkeys(text.split()))
    for word in words:
        if len(words) > 1 and re.fullmatch(r"/[A-Za-z0-9]{1,32}", word):
            first, *others = [other for other in words if other != word]
            return HashQuery(
                text, word[1:].lower(), first, " ".join(other for other in others if other[0] in "%+~" or "=" in other)
            )
    return _in_word(text, words[0] if len(words) == 1 else text.strip())


def asked_while_typed(text: str) -> HashQuery:
    """Return the hash in a text that the user is still typing.

    After `-`, accept only a full hash, because names of packages contain `-` too.
    """
    asked = asked_by(text)
    is_clear = HASH.fullmatch(asked.hash) or ("/" in text.strip() and (asked.hash or asked.label))
    return asked if is_clear else HashQuery(text, typed_hash(text))


def _in_word(text: str, word: str) -> HashQuery:
    """Return the hash in a word: the whole word, the part after a package name, or a part of a path or file name."""
    if alone := _ALONE.fullmatch(word):
        return HashQuery(text, alone[1].lower())
    if named := _NAMED.fullmatch(word):
        return HashQuery(text, named[2].lower(), named[1])
    if whole := _WHOLE.search(word):
        before = re.split(r"[/\s]", word[: whole.start()])[-1]
        return HashQuery(text, whole[0].lower(), before[:-1] if before.endswith("-") else "")
    file = _FILE.fullmatch(word.rpartition("/")[2])
    if file and _VERSIONED.search(file[1]):
        return HashQuery(text, file[2].lower(), file[1])
    return HashQuery(text, "")
