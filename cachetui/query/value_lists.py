"""Lists in a query, versions and values, read from what a token matched; raises QueryError with the column."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from cachetui.model.facets import VALUE_KEYS
from cachetui.model.targets import ancestors, nearest_targets
from cachetui.model.version import VersionError, VersionList
from cachetui.query.errors import QueryError, shown
from cachetui.query.values import TargetRange, Word

_ESCAPE = r"\\([\\'\",:])"


class ListWord(Struct, frozen=True):
    """One entry of a comma list: its pieces between colons, and where it starts in the query."""

    pieces: list[str]
    start: int
    quoted: bool

    @property
    def text(self) -> str:
        return ":".join(self.pieces)


def version_list(match: re.Match[str]) -> VersionList:
    try:
        return VersionList.parse(match["versions"])
    except VersionError as error:
        column = match.start("versions") + error.offset
        raise QueryError(error.message, column, "versions such as 1.14, 1.10:1.12 or =1.14.3") from None


def list_words(match: re.Match[str]) -> Iterable[ListWord]:
    """The entries of a value; in quotes a backslash takes `,`, `:`, a quote or a backslash literally."""
    value, start = match["value"], match.start("value")
    quoted = is_quoted(value)
    if quoted:
        value, start = value[1:-1], start + 1
    for word in _split(value, ",", quoted):
        pieces = _split(word, ":", quoted)
        yield ListWord([re.sub(_ESCAPE, r"\1", piece) for piece in pieces] if quoted else pieces, start, quoted)
        start += len(word) + 1


def is_quoted(value: str) -> bool:
    return value[0] in "'\""


def _split(text: str, separator: str, escapes: bool) -> list[str]:
    """The pieces between separators, of which a backslash may make letters like any other."""
    if not escapes or "\\" not in text:
        return text.split(separator)
    piece = re.compile(rf"(?>(?:\\.|[^\\{separator}])*)", re.DOTALL)
    pieces, at = [], 0
    while at <= len(text) and (match := piece.match(text, at)):
        pieces.append(match[0])
        at = match.end() + 1
    return pieces


def facet_word(key: str, word: ListWord) -> Word:
    if not word.quoted and word.text in VALUE_KEYS[key].reserved:
        if word.text == "None":
            raise QueryError(f"{key}=None asks for nothing", word.start, f"a value, or no {key}= at all")
        message = f"{key}={word.text} means the machine that Spack runs on, which a catalogue does not know"
        raise QueryError(message, word.start, f"the name of the {key}, or fits=here")
    if not VALUE_KEYS[key].has_ranges or len(word.pieces) == 1:
        return word.text
    if len(word.pieces) > 2:
        raise QueryError(f"two colons in {shown(word.text)}", word.start, "a range such as x86_64_v2:zen3")
    for target in word.pieces:
        if target and ancestors(target) is None:
            near = nearest_targets(target)
            expected = " or ".join(near) or "a target such as x86_64_v3"
            raise QueryError(f"no target {shown(target)}", word.start, expected, is_near=bool(near))
    return TargetRange(*word.pieces)
