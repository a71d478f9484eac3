"""Parse the text of a query into terms. If the text is invalid, raise an error that gives the column.

As in Spack, the parser uses the first pattern in `terms.TOKENS` that matches at an offset.
"""

import re
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.dependency import ALL_TYPES
from cachetui.model.problem import UserError
from cachetui.model.spec import BY_KEY, FLAGS, NO_COMPILER, VALUE_KEYS
from cachetui.model.targets import ancestors, nearest_targets
from cachetui.model.version import VersionError, VersionList
from cachetui.query.terms import (
    ANY,
    ARCH,
    COMPILERS,
    OURS,
    QUOTED,
    RESERVED,
    AnyValue,
    CompilerTerm,
    DependencyTerm,
    FitsTerm,
    FlagTerm,
    HashTerm,
    NameTerm,
    TargetRange,
    Term,
    ValueTerm,
    VariantTerm,
    VersionTerm,
    Word,
    compiler_name,
    contradict,
    direct_edge,
    token,
)
from cachetui.safe_text import cut, visible
from cachetui.settings.settings import Settings

_ASSIGNMENT = re.compile(r"(?P<space>\s*)(?P<operator>!=|:?==?)(?P<rest>.?)", re.DOTALL)

_PROPERTY = re.compile(rf"(?P<key>\w+):?=(?P<value>{QUOTED}|[^\s'\"]\S*)|\S+", re.DOTALL)

_ESCAPE = r"\\([\\'\",:])"

_ARCH_SLOTS = ("platform", "os", "target")

_REFUSED = {
    "path": "a query, not a file of specs",
    "languages": "a compiler or dependency after '%', such as %c,cxx=gcc or %[virtuals=c] gcc",
    "anonymous": "a package name, or '*' in front of all other terms",
    "closing": "a '[' before this ']'",
}
"""Kinds of tokens that only Spack supports, each with the text to write instead."""

MOST_TERMS = 300
"""Maximum number of terms in a query. The limit keeps searches fast."""

MOST_VALUES = 2_000
"""Maximum number of values in all lists of a query together. The limit keeps searches fast."""

_MAX_CHARACTERS = 200
"""Maximum number of characters of an error message, because it quotes the typed text."""


class QueryError(UserError, ValueError):
    """An invalid query. `str()` returns one line, in which columns are counted from 1."""

    def __init__(self, message: str, column: int, expected: str) -> None:
        """`column`: the offset of the error, from 0. `expected`: the text that would be valid at this offset."""
        super().__init__(message, column, expected)
        self.message, self.expected = cut(visible(message), _MAX_CHARACTERS), cut(visible(expected), _MAX_CHARACTERS)
        self.column = column

    def __str__(self) -> str:
        return f"{self.message} (column {self.column + 1}); expected {self.expected}"


NEED_GRAPH = {
    "dependency": (
        "this content records neither dependencies nor a compiler for each language",
        "%COMPILER, or a query without '^'",
    ),
    "flag": ("this content does not record compiler flags", "a query without compiler flags"),
    "complete": ("complete= needs dependencies, and only build caches record them", "a query without complete="),
}
"""The keys of terms that need content with dependencies, each with the message and the text to write instead."""


def refuse(terms: Iterable[Term]) -> None:
    """Raise QueryError if these terms need content with a dependency graph."""
    compilers = 0
    for term in terms:
        compilers += isinstance(term, CompilerTerm)
        if term.key in NEED_GRAPH:
            message, expected = NEED_GRAPH[term.key]
            raise QueryError(message, term.start, expected)
        if compilers > 1:
            raise QueryError(
                "a second compiler", term.start, "one %compiler, because pages record one compiler for each spec"
            )


_KINDS = (
    *(NameTerm, VersionTerm, VariantTerm, FlagTerm),
    *(ValueTerm, FitsTerm, HashTerm, CompilerTerm, DependencyTerm),
)


def in_order(terms: Iterable[Term]) -> list[Term]:
    """Sort the terms in canonical order.

    Dependencies are last, because a term after `^NAME` belongs to this dependency.
    """
    return sorted(terms, key=lambda term: (_KINDS.index(type(term)), term.order_key))


class ListWord(Struct, frozen=True):
    """One entry of a comma-separated list."""

    pieces: list[str]
    """The parts of the entry, which colons separate."""
    start: int
    """The offset of the entry in the query."""
    quoted: bool

    @property
    def text(self) -> str:
        return ":".join(self.pieces)


class QueryReader:
    """Reads the text of a query into terms."""

    def __init__(self, text: str, fuzzy_name: bool, settings: Settings, number: int = 0) -> None:
        self.text, self.settings = text, settings
        self.fuzzy_name = fuzzy_name
        self.terms: list[Term] = []
        self.number, self.values = number, 0
        """How many terms and listed values were read. Terms of conditions and toolchains count, too."""

    def read(self) -> tuple[Term, ...]:
        at = 0
        while at < len(self.text):
            found = token(self.text, at)
            if found is None:
                raise _unreadable(self.text, at)
            self.number += found[0] != "space"
            if self.number > MOST_TERMS:
                raise QueryError(f"more than {MOST_TERMS} terms", at, "a shorter query")
            self._take(*found)
            at = found[1].end()
        return tuple(self.terms)

    @property
    def dependency(self) -> DependencyTerm | None:
        """The `^dependency` to which the next term belongs, or None if the next term belongs to the spec itself."""
        last = self.terms[-1] if self.terms else None
        return last if isinstance(last, DependencyTerm) and not last.direct else None

    def _take(self, kind: str, match: re.Match[str]) -> None:
        match kind:
            case "space":
                pass
            case "version":
                self._add(match, VersionTerm(version_list(match)))
            case "switch":
                self._switch(match)
            case "value":
                self._value(match)
            case "compiler":
                self._compiler(match)
            case "name":
                self._name(match)
            case "hash":
                self._add(match, HashTerm(match["prefix"]))
            case "dependency":
                self._depend(match)
            case "direct":
                groups = match.groupdict()
                own = (HashTerm(groups["prefix"]),) if groups["prefix"] else ()
                versions = (VersionTerm(version_list(match)),) if groups.get("versions") else ()
                self._add(
                    match,
                    DependencyTerm(True, compiler_name(groups.get("name") or ""), *self._edge(match), own or versions),
                )
            case "anonymous" if not self.text[: match.start()].strip():
                pass  # `* +mpi` is `+mpi`
            case _:
                raise QueryError(f"cannot read {match[0]!r}", match.start(), _REFUSED[kind])

    def _add(self, match: re.Match[str], *terms: Term) -> None:
        """Add the terms of one token to the spec or to its last dependency.

        Raise QueryError if a new term contradicts an old one.
        """
        start, end = match.span()
        # keys of cachetui apply to the spec itself, even after a dependency
        dependency = None if any(term.key in OURS for term in terms) else self.dependency
        for before in self.terms if dependency is None else dependency.terms:
            # a build can match both `%gcc` and `%gcc@12`
            if before.unique_key and any(
                term.unique_key == before.unique_key
                and (not term.unique_key.startswith("%") or contradict((before,), (term,)))
                for term in terms
            ):
                raise QueryError(
                    f"{match[0]} contradicts {before.typed or before.text}",
                    start,
                    "only one of them, because a spec must match all terms",
                )
        read = [replace(term, start=start, end=end, typed=match[0], shares=len(terms)) for term in terms]
        if dependency is None:
            self.terms += read
        else:
            own, typed = tuple(in_order((*dependency.terms, *read))), self.text[dependency.start : end]
            self.terms[-1] = replace(dependency, terms=own, end=end, typed=typed)

    def _depend(self, match: re.Match[str]) -> None:
        """Add a `^dependency`. The following terms belong to this dependency."""
        if match["name"] is None and self.text[match.end() : match.end() + 1] not in {*"/@+~"}:
            raise QueryError(
                "no dependency after '^'", match.start(), "a dependency such as ^mpich or ^[virtuals=mpi] mpich"
            )
        start, end = match.span()
        name = (match["name"] or "").removeprefix("*")
        self.terms.append(DependencyTerm(False, name, *self._edge(match), start=start, end=end, typed=match[0]))

    def _edge(self, match: re.Match[str]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Term, ...]]:
        """Return the properties of a requested dependency: virtual packages, types, and the condition (`when`).

        The query contains these properties in brackets. Virtual packages can also precede the name: `^mpi=mpich`. The
        virtual packages and the types are sorted.
        """
        groups = match.groupdict()
        named = {"virtuals": {*(groups.get("virtuals") or "").split(",")}, "deptypes": set[str]()}
        when: tuple[Term, ...] = ()
        span = match.span("properties") if groups.get("properties") else (0, 0)
        for found in _PROPERTY.finditer(self.text, *span):
            key, value = found["key"], found["value"] or ""
            values = {*value.strip("'\"").split(",")} - {""}
            if key == "when" and values and not when:
                when = self._condition(value, found.start("value"))
            elif values and key in named and (key == "virtuals" or values <= ALL_TYPES):
                named[key] |= values
            else:
                expected = "deptypes=build,link,run,test" if key == "deptypes" else "virtuals=…, deptypes=… or when=…"
                raise QueryError(f"cannot read {found[0]!r} in brackets", found.start(), expected)
        return tuple(sorted(named["virtuals"] - {""})), tuple(sorted(named["deptypes"])), when

    def _condition(self, value: str, start: int) -> tuple[Term, ...]:
        """Parse the value of `when=`. Return its terms in canonical order. `start`: the offset of the value."""
        if is_quoted(value):
            value, start = re.sub(r"\\([\\'\"])", r"\1", value[1:-1]), start + 1
        try:
            terms = self._inner(value)
            if ours := next((term for term in terms if term.key in OURS and not isinstance(term, CompilerTerm)), None):
                raise QueryError(
                    f"{ours.key}= cannot be part of a condition", ours.start, "a condition such as when=+mpi"
                )
        except QueryError as error:
            raise QueryError(error.message, start + error.column, error.expected) from None
        return tuple(in_order(terms))

    def _inner(self, text: str) -> tuple[Term, ...]:
        """Parse a string inside the query, such as a condition.

        The terms in the string also count towards `MOST_TERMS`.
        """
        reader = QueryReader(text, False, Settings(), self.number)
        terms = reader.read()
        self.number = reader.number
        return terms

    def _name(self, match: re.Match[str]) -> None:
        assignment = _ASSIGNMENT.match(self.text, match.end())
        if assignment:
            raise _bad_assignment(match["name"], assignment)
        first = next((term.name for term in self.terms if isinstance(term, NameTerm)), "")
        if first or self.dependency or (bool(self.text[: match.start()].strip()) and not self.fuzzy_name):
            raise _second_name(match, first)
        namespace, _, name = match["name"].rpartition(".")
        self._add(match, NameTerm(name, namespace, self.fuzzy_name and not namespace))

    def _switch(self, match: re.Match[str]) -> None:
        name = match["key"]
        if name in RESERVED:
            raise QueryError(f"{name!r} is not a variant", match.start("key"), f"{name}=VALUE")
        self._add(match, VariantTerm(name, match["sign"][0] == "+", propagated=len(match["sign"]) > 1))

    def _compiler(self, match: re.Match[str]) -> None:
        try:
            toolchains = self.settings.toolchains_of(self.settings)
        except UserError as error:
            raise QueryError(f"the toolchains cannot be read: {error}", match.start(), "a readable file") from None
        versions = version_list(match) if "versions" in match.re.groupindex else None
        if (name := match["key"]) in toolchains:
            if versions is not None:
                raise QueryError(f"{name} is a toolchain", match.start(), f"%{name} without a version")
            self._add(match, *self._toolchain(match, toolchains[name]))
            return
        name = compiler_name(name)
        if name == NO_COMPILER and versions is not None:
            raise QueryError("%none cannot have a version", match.start("versions"), "only %none")
        term = CompilerTerm(name, versions)
        self._add(match, term if self.dependency is None else DependencyTerm.of_compiler(term))

    def _toolchain(self, match: re.Match[str], written: object) -> list[Term]:
        """Return the terms of a toolchain: first the terms about the spec itself, then the terms about dependencies.

        `written`: the toolchain as read from Spack's configuration.
        """
        own, edges = list[Term](), list[Term]()
        for entry in written if isinstance(written, list) else [{"spec": written}]:
            spec, when = (
                (str(entry.get(key) or "") for key in ("spec", "when")) if isinstance(entry, dict) else ("", "")
            )
            try:
                terms, condition = self._inner(spec), tuple(in_order(self._inner(when)))
            except QueryError as error:
                message = f"the toolchain {match['key']}: {error.message}"
                raise QueryError(message, match.start(), error.expected) from None
            found = list(map(direct_edge, terms))
            if not spec or "^" in spec or found != sorted(found, key=bool):
                message = f"the toolchain {match['key']} must be a list of specs, each with its % terms at the end"
                raise QueryError(message, match.start(), "spec: '%c=gcc'")
            for term, edge in zip(terms, found, strict=True):
                (own if edge is None else edges).append(replace(edge, when=condition) if edge and when else term)
        return own + edges

    def _value(self, match: re.Match[str]) -> None:
        """Add the term for KEY=VALUE. The key decides the kind of the term."""
        key, operator = match["key"], match["operator"]
        words = list(list_words(match))
        self.values += len(words)
        if self.values > MOST_VALUES:
            raise QueryError(f"more than {MOST_VALUES:,} values", match.start("value"), "shorter lists")
        is_ours, exact = key in OURS, ":" in operator
        if (not is_ours and key not in RESERVED) or (is_ours and exact):
            self._valued(match, words)
        elif [word.text for word in words] == [""]:
            pass  # an empty value in quotes sets no constraint
        elif exact or (operator == "==" and key not in FLAGS):
            raise QueryError(f"cannot read {key}{operator}", match.start("operator"), f"{key}=VALUE")
        elif key in FLAGS:
            self._add(match, FlagTerm.of(key, ",".join(word.text for word in words)))
        elif key in ARCH:
            self._arch(match, words)
        elif key == "fits":
            self._fits(match, words)
        elif facet := BY_KEY.get(key):
            self._facet(match, facet.name, words)

    def _valued(self, match: re.Match[str], words: list[ListWord]) -> None:
        """Add the term for a variant with a value."""
        texts = [word.text for word in words]
        propagated = match["operator"].endswith("==")
        if len(texts) == 1 and texts[0].lower() in ("true", "false"):
            self._add(match, VariantTerm(match["key"], texts[0].lower() == "true", propagated=propagated))
            return
        for word in words:
            if word.text in ("none", "*") and len(words) > 1:
                raise QueryError(f"{word.text} cannot be combined with other values", word.start, f"only {word.text}")
        exact = ":" in match["operator"]
        if exact and frozenset(texts) == ANY:
            raise QueryError("* is not an exact value", match.start("value"), f"{match['key']}=* for any value")
        self._add(match, VariantTerm(match["key"], frozenset(texts), exact, propagated))

    def _facet(self, match: re.Match[str], key: str, words: list[ListWord]) -> None:
        value = match["value"]
        if VALUE_KEYS[key].has_versions and not is_quoted(value) and not re.fullmatch(COMPILERS, value):
            raise QueryError(
                f"{key}={value} is not a list of compilers", match.start("value"), "a list such as gcc@11.4.0,none"
            )
        self._add(
            match, ValueTerm.of(key, [facet_word(key, word) for word in words], excluded=match["operator"] == "!=")
        )

    def _arch(self, match: re.Match[str], words: list[ListWord]) -> None:
        """Add the terms for `arch=PLATFORM-OS-TARGET`. Like Spack, read any other value as a target."""
        value, start, quoted = ",".join(word.text for word in words), match.start("value"), is_quoted(match["value"])
        slots = value.split("-")
        whole = len(slots) == len(_ARCH_SLOTS)
        terms = []
        for key, slot in zip(_ARCH_SLOTS, slots, strict=True) if whole else (("target", value),):
            if slot != "None" or not whole:
                of_slot = [facet_word(key, ListWord(text.split(":"), start, quoted)) for text in slot.split(",")]
                terms.append(ValueTerm.of(key, of_slot))
        self._add(match, *terms)

    def _fits(self, match: re.Match[str], words: list[ListWord]) -> None:
        try:
            term = FitsTerm.of(",".join(word.text for word in words), self.settings.host)
        except ValueError as error:
            message, _, expected = str(error).partition(": expected ")
            raise QueryError(message, match.start("value"), expected) from None
        self._add(match, term)


# The values in tokens


def version_list(match: re.Match[str]) -> VersionList:
    try:
        return VersionList.parse(match["versions"])
    except VersionError as error:
        raise QueryError(
            str(error), match.start("versions") + error.offset, "versions such as 1.14, 1.10:1.12 or =1.14.3"
        ) from None


def list_words(match: re.Match[str]) -> Iterable[ListWord]:
    """Yield the entries of a comma-separated list. In quotes, a backslash escapes `,`, `:`, quotes and backslashes."""
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
    """Split a string at each separator. If `escapes` is true, ignore separators after a backslash."""
    if not escapes or "\\" not in text:
        return text.split(separator)
    return re.findall(rf"(?:^|{separator})((?:\\.|[^\\{separator}])*)", text, re.DOTALL)


def facet_word(key: str, word: ListWord) -> Word:
    if not word.quoted and word.text in VALUE_KEYS[key].reserved:
        if word.text == "None":
            raise QueryError(
                f"{key}=None is not a condition", word.start, f"a value after {key}=, or the query without {key}="
            )
        message = f"{key}={word.text} means the machine that runs Spack, which cachetui does not know"
        raise QueryError(message, word.start, f"the name of the {key}, or fits=here")
    if not VALUE_KEYS[key].has_ranges or len(word.pieces) == 1:
        return AnyValue() if word.text == "*" else word.text
    if len(word.pieces) > 2:
        raise QueryError(f"two colons in {word.text!r}", word.start, "a range such as x86_64_v2:zen3")
    for target in word.pieces:
        if target and ancestors(target) is None:
            raise QueryError(
                f"no target {target!r}",
                word.start,
                " or ".join(nearest_targets(target)) or "a target such as x86_64_v3",
            )
    return TargetRange(*word.pieces)


# Errors


def _bad_assignment(key: str, match: re.Match[str]) -> QueryError:
    """Return the error for `KEY=` with an invalid value or without a value."""
    at = match.end("operator")
    if match["space"] or match["rest"].isspace():
        return QueryError("a space next to '='", match.start("operator"), f"{key}=VALUE without spaces")
    if match["rest"] and match["rest"] in "'\"":
        return QueryError("a quote that is never closed", at, f"a closing {match['rest']}")
    if match["operator"] == "!=" and match["rest"]:
        return QueryError(f"{key} takes no '!='", match.start(), "'!=' only after a facet or tag, such as os!=rhel8")
    return QueryError(f"{key}{match['operator']} has no value", at, f"{key}{match['operator']}VALUE")


def _second_name(match: re.Match[str], first: str) -> QueryError:
    """Return the error for a second package name, or for a package name after other terms.

    `first`: the first package name. It is empty if the query has only one package name.
    """
    name = match["name"]
    message = f"two package names: {first}, {name}" if first else f"the package name {name} after other terms"
    return QueryError(
        message, match.start(), f"one name at the start, +{name} for a variant, or ^{name} for a dependency"
    )


_EXPECTED = (
    (r"@@", "a single '@', such as @1.14"),
    (r"@?\s*[<>]", "@1.14: for 1.14 and newer, @:1.14 for 1.14 and older"),
    (r"@\s*[~^*]", "versions such as @1.14, which includes 1.14.3, or @1.10:1.12"),
    (r"@", "a version after '@', such as @1.14 or @1.10:1.12"),
    (r"//", "a single '/' before a hash, such as /2feova4"),
    (r"/", "a hash after '/', such as /2feova4"),
    (r"%", "a compiler after '%', such as %gcc@11"),
    (r",", "a space between terms, and a value after each ',' of a list, such as os=A,B"),
    (r"!", "~mpi for a variant that is off, or KEY!=VALUE"),
    (r"[|&;]", "a space between terms that must all match, or a list such as os=A,B for one of these values"),
    (r"[()\[\]{}]", "terms without brackets, with a space between them"),
    (r"[+~-]", "a variant after '+', '~' or '-', such as +mpi"),
    (r"=", "KEY=VALUE without spaces, such as build_type=Release; a variant is +mpi or mpi=true"),
    (r":", "ranges such as @1.10:1.12, target=zen2: or %gcc@11:12, without spaces next to ':'"),
    (r"[*?]", "a whole name, because '*' is allowed only in KEY=*"),
    (r"", "a package name, @versions, %compiler, a variant, KEY=VALUE or /hash"),
)
"""Patterns of invalid text, each with the text to write instead. The first match decides."""


def _unreadable(text: str, at: int) -> QueryError:
    """Return the error for text that no token matches at this offset."""
    expected = next(expected for pattern, expected in _EXPECTED if re.compile(pattern).match(text, at))
    return QueryError(f"cannot read {text[at : at + 20]!r}", at, expected)
