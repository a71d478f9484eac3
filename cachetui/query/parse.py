"""Reading a query: text in, parts out, or an error that names the column where reading stopped.

At each place the first entry of `TOKENS` that fits is taken, so that a text means here what it means to Spack.
Input: whatever a user typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from cachetui.model.facets import VALUE_KEYS, facet_of
from cachetui.model.host import ancestors, nearest_targets
from cachetui.model.spec import NO_COMPILER
from cachetui.model.version import VersionError, VersionList
from cachetui.query.part import Part
from cachetui.query.parts import CompilerPart, FitsPart, HashPart, NamePart, ValuePart, VariantPart, VersionPart
from cachetui.query.tokens import NAME, TOKENS
from cachetui.query.values import (
    ANY,
    BARE_COMPILERS,
    TargetRange,
    Word,
    compiler_name,
)

_EXACT_NAME = re.compile(rf"=(?P<name>{NAME}(?:\.{NAME})*)")
_ASSIGNMENT = re.compile(r"(?P<blank>\s*)(?P<operator>[!:=]?=)(?P<rest>.?)", re.DOTALL)
_ESCAPE = re.compile(r"\\([\\'\",:])")

_OURS = frozenset({"fits", *(name for name, facet in VALUE_KEYS.items() if not facet.in_spack)})
_ARCH = ("arch", "architecture")
_ARCH_SLOTS = ("platform", "os", "target")
_FLAGS = ("cflags", "cxxflags", "fflags", "ldflags", "ldlibs", "cppflags")
_SPACKS = [key for facet in VALUE_KEYS.values() if facet.in_spack for key in (facet.name, *facet.spellings)]
_RESERVED = frozenset({*_SPACKS, *_ARCH, *_FLAGS})
_NO_VARIANTS = _RESERVED | _OURS


MOST_PARTS = 300
MOST_VALUES = 2_000
"""A query may have so many parts, and so many values in all of its lists; what is worked out for each takes time."""

_LONGEST = 200
"""An error quotes what was typed, which may be very long."""


class QueryError(ValueError):
    """A query that cannot be read; as text, one line that counts its column from 1."""

    def __init__(self, message: str, column: int, expected: str) -> None:
        super().__init__(message, column, expected)
        self.message = message if len(message) <= _LONGEST else f"{message[: _LONGEST - 1]}…"
        self.column = column
        """Where reading stopped, from 0."""
        self.expected = expected

    def __str__(self) -> str:
        return f"column {self.column + 1}: {self.message}; expected {self.expected}"


def parse(text: str, *, fuzzy_name: bool) -> tuple[Part, ...]:
    """The parts of a query in the order in which they were typed.

    Where names are fuzzy, `=hdf5` at the start asks for that name alone. Raises QueryError.
    """
    return _Reader(text, fuzzy_name).read()


class _Word(NamedTuple):
    """One entry of a comma list: its pieces between colons, and where it starts in the query."""

    pieces: list[str]
    start: int
    quoted: bool

    @property
    def text(self) -> str:
        return ":".join(self.pieces)


class _Reader:
    def __init__(self, text: str, fuzzy_name: bool) -> None:
        self.text = text
        self.fuzzy_name = fuzzy_name
        self.parts: list[Part] = []
        self.values = 0
        """How many values its lists have so far."""
        self.given: set[str] = set()
        """What may stand only once and has been read."""

    def read(self) -> tuple[Part, ...]:
        at = len(self.text) - len(self.text.lstrip())
        if self.fuzzy_name and self.text.startswith("=", at):
            at = self._exact_name(at)
        while at < len(self.text):
            at = self._token(at)
        return tuple(self.parts)

    def _exact_name(self, at: int) -> int:
        match = _EXACT_NAME.match(self.text, at)
        if not match:
            raise QueryError("no name after '='", at + 1, "a package name")
        self._name(match, fuzzy=False)
        return match.end()

    def _token(self, at: int) -> int:
        for kind, pattern in TOKENS:
            match = pattern.match(self.text, at)
            if match:
                self._take(kind, match)
                return match.end()
        raise _unreadable(self.text, at)

    def _take(self, kind: str, match: re.Match[str]) -> None:
        match kind:
            case "version":
                self._once("version", "@ twice", "one list of versions, such as @1.12,1.14", match)
                self._add(match, VersionPart(_versions(match)))
            case "switch":
                self._switch(match)
            case "value":
                self._value(match)
            case "compiler":
                self._compiler(match)
            case "name":
                self._name(match, fuzzy=self.fuzzy_name)
            case "hash":
                self._once("hash", "two hashes", "one hash", match)
                self._add(match, HashPart(match["prefix"]))
            case "blank":
                pass
            case _:
                raise _unanswerable(kind, match)

    def _add(self, match: re.Match[str], *parts: Part) -> None:
        start, end = match.span()
        if len(self.parts) + len(parts) > MOST_PARTS:
            raise QueryError(f"more than {MOST_PARTS} parts", start, "a shorter query")
        for part in parts:
            self.parts.append(replace(part, start=start, end=end, typed=self.text[start:end], shares=len(parts)))

    def _once(self, what: str, message: str, expected: str, match: re.Match[str]) -> None:
        if what in self.given:
            raise QueryError(message, match.start(), expected)
        self.given.add(what)

    def _name(self, match: re.Match[str], *, fuzzy: bool) -> None:
        assignment = _ASSIGNMENT.match(self.text, match.end())
        if assignment:
            raise _bad_assignment(match["name"], assignment)
        if self.text[: match.start()].strip():
            message = f"a package name, {_shown(match['name'])}, after something else"
            raise QueryError(message, match.start(), "one package name, at the start")
        namespace, _, name = match["name"].rpartition(".")
        self._add(
            match,
            NamePart(name, "" if namespace == "builtin" else namespace, fuzzy and not namespace),
        )

    def _switch(self, match: re.Match[str]) -> None:
        name = match["key"]
        if name in _RESERVED:
            raise QueryError(f"{_shown(name)} is no variant", match.start("key"), f"{name}=VALUE")
        self._variant(match, VariantPart(name, match["sign"][0] == "+"))

    def _variant(self, match: re.Match[str], part: VariantPart) -> None:
        self._once(f"variant {part.name}", f"variant {_shown(part.name)} twice", "each variant once", match)
        self._add(match, part)

    def _compiler(self, match: re.Match[str]) -> None:
        once = "one %compiler: a row of a catalogue names a single compiler"
        self._once("%", "a second %", once, match)
        versions = _versions(match) if "versions" in match.re.groupindex else None
        name = compiler_name(match["key"])
        if name == NO_COMPILER and versions is not None:
            raise QueryError("%none has no version", match.start("versions"), "%none alone")
        self._add(match, CompilerPart(name, versions))

    def _value(self, match: re.Match[str]) -> None:
        key, operator = match["key"], match["operator"]
        words = list(_words(match))
        self.values += len(words)
        if self.values > MOST_VALUES:
            raise QueryError(f"more than {MOST_VALUES:,} values", match.start("value"), "shorter lists")
        empty = [word.text for word in words] == [""]
        if key not in _NO_VARIANTS or (key in _OURS and operator == ":="):
            self._valued(match, words)
        elif empty:
            pass  # an empty value in quotes asks for nothing
        elif operator in ("==", ":="):
            raise QueryError(f"{key}{operator}", match.start("operator"), f"{key}= with one '='")
        elif key in _FLAGS:
            message = f"{key}: a catalogue does not record compiler flags"
            raise QueryError(message, match.start(), "a query without compiler flags")
        elif key in _ARCH:
            self._arch(match)
        elif key == "fits":
            self._fits(match)
        elif facet := facet_of(key):
            self._facet(match, facet.name, words)

    def _valued(self, match: re.Match[str], words: list[_Word]) -> None:
        texts = [word.text for word in words]
        if len(texts) == 1 and texts[0].lower() in ("true", "false"):
            self._variant(match, VariantPart(match["key"], texts[0].lower() == "true"))
            return
        for word in words:
            if word.text in ("none", "*") and len(words) > 1:
                raise QueryError(f"{word.text} beside other words", word.start, f"{word.text} alone")
        exact = match["operator"] == ":="
        if exact and frozenset(texts) == ANY:
            raise QueryError("* is no exact value", match.start("value"), "KEY=* for any value")
        self._variant(match, VariantPart(match["key"], frozenset(texts), exact))

    def _facet(self, match: re.Match[str], key: str, words: list[_Word]) -> None:
        value = match["value"]
        if VALUE_KEYS[key].has_versions and not _is_quoted(value) and not BARE_COMPILERS.fullmatch(value):
            raise QueryError(f"no list of {key}s", match.start("value"), "a list such as gcc@11.4.0,none")
        excluded = match["operator"] == "!="
        if not excluded and not VALUE_KEYS[key].many:
            self._once(key, f"{key}= twice", f"one list, such as {key}=A,B", match)
        self._add(match, ValuePart.of(key, [_word(key, word) for word in words], excluded=excluded))

    def _arch(self, match: re.Match[str]) -> None:
        value, start = ",".join(word.text for word in _words(match)), match.start("value")
        slots = value.split("-")
        keys = _ARCH_SLOTS
        whole = len(slots) == 3
        parts = []
        for key, slot in zip(keys, slots, strict=True) if whole else ((keys[2], value),):
            if slot != "None" or not whole:
                self._once(key, f"{key} is given already", "platform, os and target once each", match)
                words = [
                    _word(key, _Word(text.split(":"), start, _is_quoted(match["value"]))) for text in slot.split(",")
                ]
                parts.append(ValuePart.of(key, words))
        self._add(match, *parts)

    def _fits(self, match: re.Match[str]) -> None:
        self._once("fits", "fits= twice", "one host", match)
        try:
            part = FitsPart.of(",".join(word.text for word in _words(match)))
        except ValueError as error:
            expected = "a microarchitecture (zen3), a triple (linux-rhel9-zen3) or fits=here for this machine"
            raise QueryError(str(error).partition(": expected")[0], match.start("value"), expected) from None
        self._add(match, part)


def _versions(match: re.Match[str]) -> VersionList:
    try:
        return VersionList.parse(match["versions"])
    except VersionError as error:
        column = match.start("versions") + error.offset
        raise QueryError(error.message, column, "versions such as 1.14, 1.10:1.12 or =1.14.3") from None


def _words(match: re.Match[str]) -> Iterable[_Word]:
    """The entries of a value; in quotes a backslash takes `,`, `:`, a quote or a backslash literally."""
    value, start = match["value"], match.start("value")
    quoted = _is_quoted(value)
    if quoted:
        value, start = value[1:-1], start + 1
    for word in _split(value, ",", quoted):
        pieces = _split(word, ":", quoted)
        yield _Word([_ESCAPE.sub(r"\1", piece) for piece in pieces] if quoted else pieces, start, quoted)
        start += len(word) + 1


def _is_quoted(value: str) -> bool:
    return value[0] in "'\""


def _split(text: str, separator: str, escapes: bool) -> list[str]:
    """The pieces between separators, of which a backslash may make letters like any other."""
    if not escapes or "\\" not in text:
        return text.split(separator)
    piece = re.compile(rf"(?:\\.|[^\\{separator}])*+", re.DOTALL)
    pieces, at = [], 0
    while at <= len(text) and (match := piece.match(text, at)):
        pieces.append(match[0])
        at = match.end() + 1
    return pieces


def _word(key: str, word: _Word) -> Word:
    if not word.quoted and word.text in VALUE_KEYS[key].reserved:
        if word.text == "None":
            raise QueryError(f"{key}=None", word.start, f"a value, or no {key}= at all")
        message = f"{key}={word.text} means the machine that Spack runs on, which a catalogue does not know"
        raise QueryError(message, word.start, f"the name of the {key}, or fits=here")
    if not VALUE_KEYS[key].has_ranges or len(word.pieces) == 1:
        return word.text
    if len(word.pieces) > 2:
        raise QueryError(f"two colons in {_shown(word.text)}", word.start, "a range such as x86_64_v2:zen3")
    for target in word.pieces:
        if target and ancestors(target) is None:
            near = nearest_targets(target)
            expected = f"a known target, such as {' or '.join(near or ['x86_64_v3'])}"
            raise QueryError(f"unknown target {_shown(target)} in a range", word.start, expected)
    return TargetRange(*word.pieces)


def _unanswerable(kind: str, match: re.Match[str]) -> QueryError:
    if kind == "path":
        message, expected = f"{_shown(match[0])} is a file of specs", "a query, not a file"
    elif kind == "languages":
        message, expected = "a compiler for one language: a catalogue does not record it", "%COMPILER"
    elif match[0] == "]":
        message, expected = "a ']' that closes nothing", "a package name, @versions, %compiler or a variant"
    else:
        message = "'^' asks about dependencies, which a catalogue does not record"
        expected = "a query without '^'"
    return QueryError(message, match.start(), expected)


def _bad_assignment(key: str, match: re.Match[str]) -> QueryError:
    """Why the text behind a word that is followed by `=` could not be read as its value."""
    at = match.end("operator")
    if match["blank"] or match["rest"].isspace():
        return QueryError("a blank beside '='", match.start("operator"), f"{key[:40]}=VALUE without blanks")
    if match["operator"] == "!=":
        *keys, last = VALUE_KEYS
        if key not in VALUE_KEYS:
            expected = f"{', '.join(keys)} or {last} before '!='"
            return QueryError(f"{_shown(key)} cannot be left out", match.start(), expected)
    if match["rest"] and match["rest"] in "'\"":
        return QueryError("a quote that is never closed", at, f"a closing {match['rest']}")
    if key in VALUE_KEYS and VALUE_KEYS[key].has_versions:
        return QueryError(f"no {key} after '{key}='", at, "a list such as gcc@11.4.0,none")
    return QueryError(f"no value after {_shown(key)}", at, "a value, in quotes if it is an unusual one")


def _unreadable(text: str, at: int) -> QueryError:
    """What to write where nothing that a query is made of fits."""
    expected = {
        "@": "a version behind '@', such as @1.14 or @1.10:1.12",
        "%": "a compiler behind '%', such as %gcc@11",
        "+": "a variant behind '+', such as +mpi",
        "~": "a variant behind '~', such as ~mpi",
        "-": "a variant behind '-', such as -mpi",
        "/": "a hash behind '/', such as /2feova4",
        "=": "KEY=VALUE without blanks, such as build_type=Release",
        ":": "no blank beside ':', and none but in @1.10:1.12, target=zen2: or %gcc@11:12",
        "*": "a whole name: only KEY=* takes a '*'",
        "?": "a whole name: '?' has no meaning",
    }.get(text[at], "a package name, @versions, %compiler, a variant, KEY=VALUE or /hash")
    return QueryError(f"cannot read {_shown(text[at : at + 20])}", at, expected)


def _shown(text: str) -> str:
    """The text in quotes on one line, shortened."""
    return repr(text if len(text) <= 40 else f"{text[:39]}…")
