"""The terms of a query: immutable values that compare equal if they have the same meaning.

A term does not use an index. It tests one value at a time. None stands for an unknown value.

The module begins with the elements of a query: keys, tokens with their patterns, and words for values. No pattern
backtracks, so the time is proportional to the length of the query. Groups are atomic, `(?>(?:a|b)*)`, because Python
3.11.2 misreads possessive groups, `(?:a|b)*+`. A pattern is compiled when it is first needed.
"""

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, ClassVar, Literal

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.dependency import LANGUAGES
from cachetui.model.host import Host
from cachetui.model.spec import COMPILER_ALIASES, FLAGS, NO_COMPILER, VALUE_KEYS, Facet, read_variant, split_compiler
from cachetui.model.targets import ancestors
from cachetui.model.version import VersionList, natural_key

OURS = frozenset({"fits", *(name for name, facet in VALUE_KEYS.items() if not facet.in_spack)})
"""The keys of cachetui, which Spack does not accept."""

ARCH = ("arch", "architecture")
"""The keys whose value combines platform, os and target, such as `linux-rhel8-zen3`."""

_SPACKS = [key for facet in VALUE_KEYS.values() if facet.in_spack for key in (facet.name, *facet.spellings)]
RESERVED = frozenset({*_SPACKS, *ARCH, *FLAGS})
"""The keys that Spack reserves, so that no variant can have one of these names."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
"""The characters with which a name or key may begin."""

VALUE = r"[A-Za-z0-9_\-+*.,:=~/\\]++"
"""A value without quotes."""

VERSION = r"(?>[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?)"
DOTTED = r"[A-Za-z0-9_][A-Za-z0-9_.-]*+"
COMPILERS = rf"{DOTTED}(?:@=?{VERSION})?(?>(?:,{DOTTED}(?:@=?{VERSION})?)*)"
"""A list of NAME@VERSION without quotes."""

NAME = r"[A-Za-z0-9_][A-Za-z0-9_-]*+"
QUOTED = r"'(?>(?:\\.|[^\\'])*)'|\"(?>(?:\\.|[^\\\"])*)\""
_ANY_VALUE = rf"(?P<value>{VALUE}|{QUOTED})"
_REF = r"git\.[A-Za-z0-9_][A-Za-z0-9_./-]*+|[0-9A-Fa-f]{40}"
_RANGE = rf"(?>(?:=?{VERSION})?):(?:=?{VERSION}(?!\s*=))?"
_ITEM = rf"(?:{_RANGE}|=?{VERSION})"
_LIST = rf"(?P<versions>{_ITEM}(?>(?:\s*,\s*{_ITEM})*))"
_KEY = rf"(?P<key>{DOTTED})"
COMPILER = rf"%%?\s*{_KEY}"
"""A compiler of any version, or a toolchain."""
_VERSIONED = "|".join(name for name, facet in VALUE_KEYS.items() if facet.has_versions)
_PLAIN = "|".join(name for name, facet in VALUE_KEYS.items() if not facet.has_versions)

_FULL_NAME = rf"{NAME}(?>(?:\.{NAME})*)"
_BRACKETS = rf"\[(?P<properties>(?>(?:[^\]'\"]|{QUOTED})*))\]"
_PROVIDED = rf"(?P<virtuals>{NAME}(?>(?:,{NAME})*))"
_PROPERTIES = rf"(?:{_BRACKETS}\s*)?"
_VIRTUALS = rf"(?:{_PROVIDED}=)?"
_PREFIX = r"/(?P<prefix>[A-Za-z0-9_]++)"
_NODE = rf"(?:(?P<name>{NAME})(?:\s*@\s*{_LIST})?|{_PREFIX})"

_ANY = ""

TOKENS = (
    ("space", _ANY, "", r"\s+"),
    ("dependency", "^", "", rf"\^\s*{_PROPERTIES}{_VIRTUALS}(?P<name>{_FULL_NAME}|\*)?"),
    ("closing", "]", "", r"\]"),
    ("version", "@", "=", rf"@(?P<versions>(?:{_REF})={VERSION})"),
    ("version", "@", "", rf"@(?P<versions>{_REF})"),
    ("version", "@", "", rf"@\s*{_LIST}"),
    ("switch", "+~-", "", rf"(?P<sign>\+\+|~~|--|[+~-])\s*{_KEY}"),
    ("value", _LETTERS, "=", rf"(?P<key>{_VERSIONED})(?P<operator>!?=)(?P<value>{COMPILERS}|{QUOTED})"),
    ("value", _LETTERS, "!=", rf"(?P<key>{_PLAIN})(?P<operator>!=){_ANY_VALUE}"),
    ("value", _LETTERS, "=", rf"{_KEY}(?P<operator>:?==?){_ANY_VALUE}"),
    ("direct", "%", "[", rf"%%?\s*{_BRACKETS}\s*{_VIRTUALS}{_NODE}"),
    ("direct", "%", "=", rf"%%?\s*{_PROVIDED}={_NODE}"),
    ("direct", "%", "/", rf"%%?\s*{_PREFIX}"),
    ("languages", "%", "[", r"%%?\s*\["),
    ("languages", "%", "=", r"%%?\s*[A-Za-z]++(?>(?:,[A-Za-z]++)*)="),
    ("compiler", "%", "@", rf"{COMPILER}\s*@\s*{_LIST}"),
    ("compiler", "%", "", COMPILER),
    ("path", f"./-{_LETTERS}", ".", r"(?:\.|/|[A-Za-z0-9_-]++/)[A-Za-z0-9_./-]*\.(?:json|yaml)"),
    ("name", _LETTERS, ".", rf"(?P<name>{NAME}(?:\.{NAME})+)"),
    ("name", _LETTERS, "", rf"(?P<name>{NAME})"),
    ("anonymous", "*", "", r"\*(?![A-Za-z0-9_.*?-])"),
    ("hash", "/", "", _PREFIX),
)
"""For each kind of token: its first characters (`_ANY` for any), a string that the query must contain, and a pattern.

The first kind with a matching pattern is used.
"""


def token(text: str, at: int) -> tuple[str, re.Match[str]] | None:
    """Return the kind of the token at this offset, and the match of its pattern. Return None for invalid text."""
    for kind, letters, held, pattern in TOKENS:
        if (letters == _ANY or text[at] in letters) and held in text and (match := _compiled(pattern).match(text, at)):
            return kind, match
    return None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)


# Values

ANY = frozenset({"*"})
"""The word for any value: `build_type=*`."""


class AnyValue(Struct, frozen=True):
    """The `*` of `os=*`, which matches every value that is not empty."""

    def __str__(self) -> str:
        return "*"

    def holds(self, value: str) -> bool:
        """Return whether the value is not empty."""
        return bool(value)


class TargetRange(Struct, frozen=True):
    """A range of targets, such as `x86_64_v3:`. `low` and `high` are names of targets.

    An empty string means no limit.
    """

    low: str
    high: str

    def __str__(self) -> str:
        return f"{self.low}:{self.high}"

    def holds(self, target: str) -> bool:
        """Return whether a target is in the range, including its ends.

        The target must be a descendant of `low` and an ancestor of `high`, according to archspec.
        """
        below, up_to = ancestors(target) or (), ancestors(self.high) or ()
        return (not self.low or self.low in below) and (not self.high or target in up_to)


Word = str | TargetRange | AnyValue
"""One entry of a list of values."""


def word_key(word: Word) -> tuple[bool, tuple[tuple[int, int, str], ...], str]:
    """Return a key that sorts words in natural order, and ranges after words."""
    return not isinstance(word, str), natural_key(str(word)), str(word)


def compiler_name(name: str) -> str:
    """Return the name of a compiler in the spelling of Spack 1.x."""
    return COMPILER_ALIASES.get(name, name)


def spelled(
    words: Sequence[Word],
    *,
    escaped: str = ",",
    bare: str = VALUE,
    quoted: bool = False,
) -> str:
    """Join the words to one value, in quotes if necessary. Parsing the value gives the same words.

    `escaped`: the separators to escape inside a word. `bare`: the pattern of values that need no quotes. `quoted`:
    whether to always use quotes.
    """
    plain = ",".join(map(str, words))
    readable = re.fullmatch(bare, plain) and not plain.startswith("=")
    if readable and not quoted and not any(isinstance(word, str) and re.search(f"[{escaped}]", word) for word in words):
        return plain
    special = re.compile(rf"[\\'{escaped}]")
    texts = [special.sub(r"\\\g<0>", word) if isinstance(word, str) else str(word) for word in words]
    return f"'{','.join(texts)}'"


class Term(Struct, frozen=True, kw_only=True, eq=False):
    """One term of a query. Two terms can be equal even if their positions or typed texts differ."""

    start: int = 0
    end: int = 0
    """The offsets of the start and the end of the term in the parsed text."""
    typed: str = ""
    """The text from `start` to `end`; empty if the user did not type the term."""
    shares: int = 1
    """The number of terms that share the typed text, such as three for `arch=linux-rhel8-zen3`."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Term) and type(self) is type(other) and self._meaning == other._meaning

    def __ne__(self, other: object) -> bool:
        return not self == other  # the `__ne__` of a struct compares identity

    def __hash__(self) -> int:
        return hash((type(self), self._meaning))

    @property
    def _meaning(self) -> tuple[Any, ...]:
        """The values that decide whether two terms of the same kind are equal."""
        return tuple(getattr(self, name) for name in self.__struct_fields__ if name not in _TYPED)

    @property
    @abstractmethod
    def key(self) -> str:
        """The property that the term tests: a facet (`compiler` for `%gcc`), `tag`, `version`, `variant` …"""

    @property
    @abstractmethod
    def text(self) -> str:
        """The canonical text of the term. Parsing this text gives an equal term."""

    def matches(self, value: Any) -> bool:
        """Return whether the term matches a row with this value of the property `key`."""
        raise NotImplementedError  # the index finds the rows of some terms, such as hosts, without this method

    @property
    def order_key(self) -> tuple[int, bool, str]:
        """A key that sorts terms of the same kind into the canonical order."""
        return 0, False, self.text

    @property
    def unique_key(self) -> str:
        """A key for terms of which a query may have only one. A query never has two terms with the same key.

        The key is empty if a query may have several terms of this kind.
        """
        return self.key

    def implies(self, other: "Term") -> bool:
        """Return whether every build that matches this term certainly matches the other term."""
        return self == other


_TYPED = frozenset(Term.__struct_fields__)
"""The fields for the position and the typed text."""


class NameTerm(Term, frozen=True):
    """A package name: `hdf5`, `builtin.hdf5`. If no package has exactly a fuzzy name, similar names match."""

    key: ClassVar[Literal["name"]] = "name"
    name: str
    namespace: str = ""
    """The namespace; empty for any namespace."""
    fuzzy: bool = False
    versions: VersionList | None = None
    """The requested versions, if the name is a virtual package. They are not the versions of its providers."""

    @property
    def text(self) -> str:
        name = f"{self.namespace}.{self.name}" if self.namespace else self.name
        return name if self.versions is None else f"{name}@{self.versions}"

    def implies(self, other: Term) -> bool:
        if not isinstance(other, NameTerm) or self.name != other.name:
            return False
        return self.namespace == other.namespace or not self.namespace or not other.namespace


class VersionTerm(Term, frozen=True):
    """A list of versions: `@1.10:1.12`."""

    key: ClassVar[Literal["version"]] = "version"
    versions: VersionList

    @property
    def text(self) -> str:
        return f"@{self.versions}"

    def matches(self, value: str | None) -> bool:
        """Return whether the term matches one of the comma-separated versions of a row."""
        return value is not None and any(map(self.versions.matches, value.split(",")))

    def implies(self, other: Term) -> bool:
        return isinstance(other, VersionTerm) and self.versions.within(other.versions)


class HashTerm(Term, frozen=True):
    """The beginning of a hash: `/2feova4`."""

    key: ClassVar[Literal["hash"]] = "hash"
    prefix: str

    @property
    def text(self) -> str:
        return f"/{self.prefix}"

    def matches(self, value: str | None) -> bool:
        """Return whether the hash begins with the prefix."""
        return value is not None and value.startswith(self.prefix)

    def implies(self, other: Term) -> bool:
        return isinstance(other, HashTerm) and other.matches(self.prefix)


class VariantTerm(Term, frozen=True):
    """The value of a variant: `+mpi`, `~mpi`, `build_type=Release`, `cuda_arch:=70,80`, `++mpi`, `libs==static`."""

    key: ClassVar[Literal["variant"]] = "variant"
    name: str
    value: bool | frozenset[str]
    exact: bool = False
    """Whether the variant must have exactly these values (`:=`)."""
    propagated: bool = False
    """Whether the term applies to the spec and to all its dependencies that have the variant."""

    @property
    def text(self) -> str:
        if isinstance(self.value, bool):
            return ("+" if self.value else "~") * (1 + self.propagated) + self.name
        operator = (":" if self.exact else "") + "=" * (1 + self.propagated)
        return f"{self.name}{operator}{spelled(sorted(self.value))}"

    @property
    def order_key(self) -> tuple[int, bool, str]:
        return 0, not isinstance(self.value, bool), self.name

    @property
    def unique_key(self) -> str:
        return f"variant {self.name}"

    def matches(self, value: Iterable[str]) -> bool:
        """Return whether the term matches one of the variants of a row."""
        return any(self.name in variant and self.matches_variant(variant) for variant in value)

    def matches_variant(self, variant: str) -> bool:
        """Return whether a variant has the requested value."""
        name, value = read_variant(variant)
        if name != self.name:
            return False
        if isinstance(self.value, bool) or isinstance(value, bool):
            return self.value == ANY or value is self.value
        if self.exact:
            return value == self.value
        if self.value == ANY:
            return True
        if name == "patches":
            return all(any(word.startswith(prefix) for word in value) for prefix in self.value)
        return self.value <= value

    def implies(self, other: Term) -> bool:
        if not isinstance(other, VariantTerm) or (other.exact and not self.exact):
            return False
        return other.matches_variant(replace(self, propagated=False).text)


class FlagTerm(Term, frozen=True):
    """Compiler flags: `cflags="-O3 -g"` matches builds with at least these flags."""

    key: ClassVar[Literal["flag"]] = "flag"
    name: str
    """One of `FLAGS`."""
    flags: tuple[str, ...]
    """The flags, each with its argument: `-L /opt` is one flag."""

    @classmethod
    def of(cls, name: str, text: str) -> "FlagTerm":
        """Return the term for one kind of flags, such as `cflags`. `text`: the flags as a user types them."""
        return cls(name, tuple(_flags(text)))

    @property
    def unique_key(self) -> str:
        return self.name

    def implies(self, other: Term) -> bool:
        return isinstance(other, FlagTerm) and self.name == other.name and set(other.flags) <= set(self.flags)

    @property
    def text(self) -> str:
        return f"{self.name}={spelled([' '.join(self.flags)], quoted=True)}"

    def matches(self, value: Iterable[str]) -> bool:
        """Return whether one of these variants contains all flags of the term."""
        return any(variant.startswith(f"{self.name}=") and self._has_flags(variant) for variant in value)

    def _has_flags(self, variant: str) -> bool:
        own = variant.partition("=")[2]
        if own[:1] in ("'", '"') and own[:1] == own[-1:] and len(own) > 1:
            own = own[1:-1]
        return set(self.flags) <= set(_flags(own))


def _flags(text: str) -> Iterator[str]:
    """Return the flags in a string. A flag begins with a dash. Words without a dash belong to the flag before them."""
    return filter(None, (" ".join(flag.split()) for flag in re.split(r"\s(?=-)", text)))


class FacetTerm(Term, frozen=True, kw_only=True):
    """A term that requests or excludes values of one facet. The tag counts as a facet, too."""

    excluded: bool = False
    """Whether the term excludes its values."""

    @property
    def facet(self) -> Facet:
        """The facet of the term."""
        return VALUE_KEYS[self.key]

    @abstractmethod
    def holds(self, value: str) -> bool:
        """Return whether the term names this value, either to request it or to exclude it."""

    def matches(self, value: str | Iterable[str] | None) -> bool:
        """Return whether the term matches a row with this value, or with one of these values."""
        if value is None:
            return self.excluded
        return any(map(self.holds, [value] if isinstance(value, str) else value)) != self.excluded


class CompilerTerm(FacetTerm, frozen=True):
    """A compiler, such as `%gcc@11`. The term `%none` matches the rows without a compiler."""

    key: ClassVar[Literal["compiler"]] = "compiler"
    name: str
    """The name of the compiler, as Spack 1.x spells it."""
    versions: VersionList | None = None

    @property
    def unique_key(self) -> str:
        return f"%{self.name}"

    @property
    def text(self) -> str:
        return f"%{self.name}" if self.versions is None else f"%{self.name}@{self.versions}"

    def holds(self, value: str) -> bool:
        name, version = split_compiler(value)
        return (name or NO_COMPILER) == self.name and (self.versions is None or self.versions.matches(version))

    def implies(self, other: Term) -> bool:
        if not isinstance(other, CompilerTerm) or self.name != other.name:
            return False
        if self.versions is None or other.versions is None:
            return other.versions is None
        return self.versions.within(other.versions)


class ValueTerm(FacetTerm, frozen=True):
    """Values of a facet: `os=ubuntu22.04,rhel8` (any of them), `target=x86_64_v3:`, `stack!=hep` (all others)."""

    key: str
    """One of `VALUE_KEYS`."""
    words: tuple[Word, ...]
    """The values, sorted and distinct; see `of`."""

    @classmethod
    def of(cls, key: str, words: Iterable[Word], *, excluded: bool = False) -> "ValueTerm":
        """Return the term for these values. Another order or valid spelling gives an equal term."""
        normal = VALUE_KEYS[key].normal
        return cls(
            key,
            tuple(sorted({normal(word) if isinstance(word, str) else word for word in words}, key=word_key)),
            excluded=excluded,
        )

    @property
    def order_key(self) -> tuple[int, bool, str]:
        return list(VALUE_KEYS).index(self.key), self.excluded, self.text

    @property
    def unique_key(self) -> str:
        return "" if self.excluded or self.facet.many else self.key

    @property
    def text(self) -> str:
        operator = "!=" if self.excluded else "="
        if self.words == ("",):
            # `os=''` sets no constraint; `os=,` matches the rows with an empty os
            return f"{self.key}{operator},"
        value = spelled(
            self.words,
            escaped=",:" if self.facet.has_ranges else ",",
            bare=COMPILERS if self.facet.has_versions else VALUE,
            quoted=any(str(word) in self.facet.reserved for word in self.words),
        )
        return f"{self.key}{operator}{value}"

    def unknown_words(self, values: Iterable[str]) -> list[str]:
        """Return the words of the term that match none of these values. Omit the empty word and ranges."""
        normal = set(map(self.facet.normal, values))
        own = (word for word in self.words if isinstance(word, str) and word and word not in normal)
        return [word for word in own if not any(self.holds_by(word, value) for value in normal)]

    def holds(self, value: str) -> bool:
        return any(self.holds_by(word, value) for word in self.words)

    def holds_by(self, word: Word, value: str) -> bool:
        """Return whether a word of the term means this value."""
        if not isinstance(word, str):
            return word.holds(value)
        facet, normal = self.facet, self.facet.normal(value)
        if word == normal or (facet.has_versions and word == normal.partition("@")[0]):
            return True
        return value in facet.groups.get(word, ()) or (facet.is_least and word < value)

    def without(self, value: str, values: Iterable[str]) -> "ValueTerm | None":
        """Remove a value from the term. Return the new term, or None if this was its only value.

        `values`: all values of the facet. If a word such as `gcc` means several values, replace the word with the other
        values.
        """
        words = [word for word in self.words if not self.holds_by(word, value)]
        listed = ValueTerm.of(self.key, [*words, value])
        words += [other for other in values if self.holds(other) and not listed.holds(other)]
        return ValueTerm.of(self.key, words, excluded=self.excluded) if words else None

    def implies(self, other: Term) -> bool:
        if not isinstance(other, ValueTerm) or other.key != self.key or self.excluded or other.excluded:
            return self == other
        return self == other or all(isinstance(word, str) and other.holds(word) for word in self.words)


class FitsTerm(Term, frozen=True):
    """A host: `fits=linux-rhel9-zen3` matches rows that run on this host, or may run because their libc is unknown."""

    key: ClassVar[Literal["fits"]] = "fits"
    host: Host

    @classmethod
    def of(cls, text: str, here: Callable[[], Host] | None = None) -> "FitsTerm":
        """Return the term for a host as a user types it (see `Host.parse`). Raise HostError if the text is invalid."""
        return cls.named(Host.parse(text, here))

    @classmethod
    def named(cls, host: Host) -> "FitsTerm":
        """Return the term for a host. The typed text is the host's short name, which may depend on this machine."""
        return cls(host, typed=f"fits={spelled([host.name])}")

    @property
    def text(self) -> str:
        return f"fits={spelled([str(self.host)])}"


class DependencyTerm(Term, frozen=True):
    """A dependency: `^mpich@4 +slurm`, `^[virtuals=mpi] mpich`, `%[deptypes=build] cmake`, `%c,cxx=gcc@12`.

    With `^`, a direct or indirect dependency matches; with `%`, only a direct dependency. cachetui reads `%%gcc` as
    `%gcc`. In Spack, `%%gcc` also makes gcc the preferred compiler of all dependencies.
    """

    key: ClassVar[Literal["dependency"]] = "dependency"
    direct: bool
    name: str
    """The package or virtual package; empty for any package (`^/abc`, `^*`)."""
    virtuals: tuple[str, ...] = ()
    """The virtual packages that the dependency must provide, sorted."""
    types: tuple[str, ...] = ()
    """The types that the dependency must have, sorted."""
    when: tuple[Term, ...] = ()
    """The condition (`when`) under which the dependency is requested. A spec that does not meet it always matches."""
    terms: tuple[Term, ...] = ()
    """The terms that the dependency must match, in canonical order. They may include its own direct dependencies."""

    @classmethod
    def of_compiler(cls, compiler: CompilerTerm) -> "DependencyTerm":
        """Return the term for this compiler as a direct dependency."""
        return cls(True, compiler.name, terms=() if compiler.versions is None else (VersionTerm(compiler.versions),))

    @property
    def as_compiler(self) -> CompilerTerm | None:
        """This dependency as the compiler term `%NAME@VERSIONS`, for specs that record their compiler in a field.

        Spack before 1.0 recorded the compiler in this way. None if the dependency has a condition, or more than a name
        and versions.
        """
        if self.when or any(not isinstance(term, VersionTerm) for term in self.terms):
            return None
        return CompilerTerm(self.name, self.versions)

    @property
    def versions(self) -> VersionList | None:
        """The requested versions of the dependency, or None for any version."""
        return next((term.versions for term in self.terms if isinstance(term, VersionTerm)), None)

    @property
    def asks_for_compiler(self) -> bool:
        """Whether the term requests a compiler for languages, like `%c,cxx=gcc`."""
        return self.direct and bool(self.virtuals) and set(self.virtuals) <= set(LANGUAGES)

    @property
    def order_key(self) -> tuple[int, bool, str]:
        return int(not self.direct), False, self.text

    @property
    def unique_key(self) -> str:
        return f"%{self.name}" if self.direct and not (self.virtuals or self.types or self.when) else ""

    @property
    def text(self) -> str:
        # if the term has no name, the hash must directly follow the `^`
        terms = sorted(self.terms, key=lambda term: bool(self.name) or term.key != "hash")
        if self.asks_for_compiler and not self.types and not self.when and self.name:
            return f"%{','.join(self.virtuals)}={self.name}{_joined(terms)}"  # the spelling of Spack
        when = [spelled([" ".join(term.text for term in self.when)], escaped="'", quoted=True)] if self.when else []
        properties = " ".join(
            f"{key}={','.join(values)}"
            for key, values in (("virtuals", self.virtuals), ("deptypes", self.types), ("when", when))
            if values
        )
        # brackets distinguish a direct dependency from a compiler, because `%gcc` also matches the compiler field
        edge = f"[{properties}] " if properties or self.direct else ""
        name = self.name or ("" if terms and terms[0].key == "hash" else "*")
        return f"{'%' if self.direct else '^'}{edge}{name}{_joined(terms)}"


def direct_edge(term: Term) -> DependencyTerm | None:
    """Convert a compiler term or any other `%` term to a term for a direct dependency. Return None for other terms.

    Since version 1.0, Spack reads `%gcc` as a direct dependency.
    """
    if isinstance(term, CompilerTerm):
        return DependencyTerm.of_compiler(term)
    return term if isinstance(term, DependencyTerm) and term.direct else None


def _joined(terms: Sequence[Term]) -> str:
    """Return the text of a dependency's terms, to append to its name."""
    touching = terms[:1] if terms and terms[0].key in ("version", "hash") else ()
    return "".join([*(term.text for term in touching), *(f" {term.text}" for term in terms[len(touching) :])])


# Comparisons of two written specs by the rules of Spack's `satisfies`. If a spec omits a requested value, the two specs
# do not contradict each other, but the first does not satisfy the second.


def satisfies(spec: Sequence[Term], other: Sequence[Term]) -> bool:
    """Return whether one spec satisfies all terms of another spec, by Spack's rules."""
    return all(_is_implied(spec, term) for term in other)


def contradict(spec: Sequence[Term], other: Sequence[Term]) -> bool:
    """Return whether no build can match both specs."""
    return any(_conflict(direct_edge(one) or one, direct_edge(two) or two) for one in spec for two in other)


def _is_implied(spec: Sequence[Term], asked: Term) -> bool:
    asked = direct_edge(asked) or asked
    if isinstance(asked, NameTerm):
        return all(term.implies(asked) for term in spec if isinstance(term, NameTerm))
    if isinstance(asked, DependencyTerm):
        edges = (direct_edge(term) or term for term in spec)
        return contradict(spec, asked.when) or any(
            isinstance(edge, DependencyTerm) and _edge_implies(edge, asked) for edge in edges
        )
    if isinstance(asked, ValueTerm) and asked.key == "target":
        # like in Spack, two ranges that overlap satisfy each other
        return any(isinstance(term, ValueTerm) and term.key == "target" and _overlap(term, asked) for term in spec)
    return any(term.implies(asked) for term in spec)


def _edge_implies(edge: DependencyTerm, asked: DependencyTerm) -> bool:
    """Return whether a dependency of one spec satisfies a requested dependency. One may have `%`, and the other `^`."""
    is_named = not asked.name or _names(edge).implies(_names(asked))
    if not is_named and (asked.name not in edge.virtuals or asked.terms):
        return False  # the requested terms describe the virtual package, and those of the edge the provider
    given = {*edge.virtuals, edge.name}
    provided = [virtual in given for virtual in asked.virtuals] or [True]
    return (
        (any(provided) if asked.direct else all(provided))
        and set(asked.types).issubset(edge.types)
        and satisfies(asked.when, edge.when)
        and satisfies(edge.terms, asked.terms)
    )


def _names(edge: DependencyTerm) -> NameTerm:
    namespace, _, name = edge.name.rpartition(".")
    return NameTerm(name, namespace)


def _conflict(term: Term, other: Term) -> bool:
    """Return whether no build can match both terms."""
    match term, other:
        case NameTerm(), NameTerm():
            return not (term.implies(other) or other.implies(term))
        case VersionTerm(), VersionTerm():
            return not term.versions.meets(other.versions)
        case VariantTerm(), VariantTerm() if term.name == other.name and ANY not in (term.value, other.value):
            if isinstance(term.value, bool) or isinstance(other.value, bool):
                return term.value is not other.value
            return (term.exact and not other.value <= term.value) or (other.exact and not term.value <= other.value)
        case ValueTerm(), ValueTerm() if term.key == other.key and not (term.excluded or other.excluded):
            return not _overlap(term, other)
        case DependencyTerm(), DependencyTerm() if term.name == other.name != "" and not (term.when or other.when):
            return contradict(term.terms, other.terms)
    return False


def _overlap(term: ValueTerm, other: ValueTerm) -> bool:
    """Return whether any value can match both terms.

    Two ranges overlap if one of them contains an end of the other range.
    """

    def ends(of: ValueTerm) -> list[str]:
        return [end for word in of.words for end in str(word).split(":")]

    return any(map(other.holds, ends(term))) or any(map(term.holds, ends(other)))
