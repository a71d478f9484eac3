"""The parts of a query: what each takes, and its canonical text.

A part is frozen, equal by meaning alone, and is asked about one distinct value of a catalogue at a time;
it knows no index. None stands for a page that has nothing there: only what is left out takes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, Literal, NamedTuple

import msgspec

from cachetui.model.host import Host, ancestors
from cachetui.model.spec import COMPILER_ALIASES, NO_COMPILER, natural_key, normal_compiler, split_compiler
from cachetui.model.version import VersionList

VALUE = r"[A-Za-z0-9_\-+*.,:=~/\\]++"
"""A value that needs no quotes."""

VERSION = r"(?>[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?)"
DOTTED = r"[A-Za-z0-9_][A-Za-z0-9_.-]*+"
COMPILERS = rf"{DOTTED}(?:@=?{VERSION})?(?:,{DOTTED}(?:@=?{VERSION})?)*+"
"""A list of compilers that needs no quotes."""

ANY = frozenset({"*"})
"""The words of `build_type=*`: whatever they are."""

_BARE_VALUE = re.compile(VALUE)
_BARE_COMPILERS = re.compile(COMPILERS)
_CACHED = 1 << 16


@dataclass(frozen=True, kw_only=True)
class Typed:
    """Where and how a part was typed, which is no part of what it means."""

    start: int = field(default=0, compare=False, repr=False)
    end: int = field(default=0, compare=False, repr=False)
    """Offsets in the text that was parsed, from 0."""
    typed: str = field(default="", compare=False, repr=False)
    """The text between them; empty for a part that nobody typed."""
    shares: int = field(default=1, compare=False, repr=False)
    """How many parts that text stands for: `arch=linux-rhel8-zen3` is three."""


@dataclass(frozen=True)
class NamePart(Typed):
    """The package: `hdf5`. A fuzzy name is matched by whoever knows all names."""

    key: ClassVar[Literal["name"]] = "name"
    name: str
    namespace: str = ""
    """Empty for `builtin`, the only one that has packages here."""
    fuzzy: bool = False

    @property
    def text(self) -> str:
        return f"{self.namespace}.{self.name}" if self.namespace else self.name

    def takes(self, package: str | None) -> bool:
        """Whether the package has exactly this name."""
        return not self.namespace and package == self.name


@dataclass(frozen=True)
class VersionPart(Typed):
    """`@1.10:1.12`."""

    key: ClassVar[Literal["version"]] = "version"
    versions: VersionList

    @property
    def text(self) -> str:
        return f"@{self.versions}"

    def takes(self, versions: str | None) -> bool:
        """Whether it takes one of a row's versions, which a comma joins."""
        return versions is not None and any(map(self.versions.takes, versions.split(",")))


@dataclass(frozen=True)
class CompilerPart(Typed):
    """`%gcc@11`; `%none` takes the rows without a compiler."""

    key: ClassVar[Literal["compiler"]] = "compiler"
    name: str
    """As Spack 1.x spells it."""
    versions: VersionList | None = None

    @property
    def text(self) -> str:
        return f"%{self.name}" if self.versions is None else f"%{self.name}@{self.versions}"

    def holds(self, compiler: str) -> bool:
        """Whether it asks for this compiler."""
        name, version = split_compiler(compiler)
        if (name or NO_COMPILER) != self.name:
            return False
        return self.versions is None or self.versions.takes(version)

    def takes(self, compiler: str | None) -> bool:
        """Whether it takes a row with this compiler."""
        return compiler is not None and self.holds(compiler)


@dataclass(frozen=True)
class VariantPart(Typed):
    """`+mpi`, `~mpi`, `build_type=Release`, `cuda_arch:=70,80`."""

    key: ClassVar[Literal["variant"]] = "variant"
    name: str
    value: bool | frozenset[str]
    exact: bool = False
    """Whether the row may have no further words."""

    @property
    def text(self) -> str:
        if isinstance(self.value, bool):
            return f"{'+' if self.value else '~'}{self.name}"
        return f"{self.name}{':=' if self.exact else '='}{spelled(sorted(self.value))}"

    def takes(self, variants: Iterable[str]) -> bool:
        """Whether it takes a row with these variants; the row is taken if one of them is, each by itself."""
        return any(self.name in variant and self.takes_variant(variant) for variant in variants)

    def takes_variant(self, variant: str) -> bool:
        """Whether this one variant of a row is what it asks for."""
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


class TargetRange(NamedTuple):
    """`x86_64_v3:`, by ancestry; both ends are known targets or empty for open."""

    low: str
    high: str

    def __str__(self) -> str:
        return f"{self.low}:{self.high}"

    def holds(self, target: str) -> bool:
        """Whether the target is a descendant of the low end and an ancestor of the high one."""
        if not self.low and not self.high:
            return True
        below = ancestors(target)
        if below is None:
            return False
        return (not self.low or self.low in below) and (not self.high or target in (ancestors(self.high) or ()))


Word = str | TargetRange
"""One entry of a list of values; a compiler is in its normal spelling."""


@dataclass(frozen=True)
class ValuePart(Typed):
    """`os=ubuntu22.04,rhel8`, `target=x86_64_v3:`, `stack!=hep`: any of the words, or none of them."""

    key: str
    words: tuple[Word, ...]
    """Sorted, each once: see `of`."""
    excluded: bool = False

    @classmethod
    def of(cls, key: str, words: Iterable[Word], *, excluded: bool = False) -> ValuePart:
        """The part for these words in any order and spelling."""
        normal = {normal_compiler(str(word)) if key == "compiler" else word for word in words}
        return cls(key, tuple(sorted(normal, key=_word_key)), excluded)

    @property
    def text(self) -> str:
        operator = "!=" if self.excluded else "="
        if self.key == "compiler":
            value = spelled([str(word) for word in self.words], bare=_BARE_COMPILERS)
        else:
            quoted = any(is_special(self.key, str(word)) for word in self.words)
            value = spelled(self.words, escaped=",:" if self.key == "target" else ",", quoted=quoted)
        if self.words == ("",):
            # an empty value in quotes asks for nothing, a list of empty ones for the empty value
            value = ","
        return f"{self.key}{operator}{value}"

    def holds(self, value: str) -> bool:
        """Whether one of its words names this value, wanted or left out."""
        return any(self.holds_by(word, value) for word in self.words)

    def holds_by(self, word: Word, value: str) -> bool:
        """Whether this word names this value."""
        if isinstance(word, TargetRange):
            return word.holds(value)
        if self.key == "compiler":
            normal = normal_compiler(value)
            return word in (normal, normal.partition("@")[0])
        return word == value

    def takes(self, value: str | Iterable[str] | None) -> bool:
        """Whether it takes a row with this value (`stack`: with these values)."""
        if value is None:
            return self.excluded
        return any(map(self.holds, [value] if isinstance(value, str) else value)) != self.excluded


@dataclass(frozen=True)
class HashPart(Typed):
    """`/2feova4`."""

    key: ClassVar[Literal["hash"]] = "hash"
    prefix: str

    @property
    def text(self) -> str:
        return f"/{self.prefix}"

    def takes(self, row_hash: str | None) -> bool:
        """Whether the hash begins with the prefix."""
        return row_hash is not None and row_hash.startswith(self.prefix)


@dataclass(frozen=True)
class FitsPart(Typed):
    """`fits=linux-rhel9-zen3`."""

    key: ClassVar[Literal["fits"]] = "fits"
    host: Host

    @property
    def text(self) -> str:
        return f"fits={self.host}"

    def takes_platform_and_target(self, platform: str | None, target: str | None) -> bool:
        """Whether a binary for this platform and target runs on the host."""
        return self.host.runs(platform, target)


Part = NamePart | VersionPart | CompilerPart | VariantPart | ValuePart | HashPart | FitsPart


@lru_cache(maxsize=_CACHED)
def read_variant(text: str) -> tuple[str, bool | frozenset[str]]:
    """The name of a row's variant, and on or off or its words."""
    if text[:1] in ("+", "~", "-"):
        return text.lstrip("+~-"), text[0] == "+"
    name, _, value = text.partition("=")
    if value[:1] == value[-1:] == "'" and len(value) > 1:
        value = value[1:-1]
    elif value.startswith('"'):
        try:
            value = msgspec.json.decode(value, type=str)
        except ValueError:
            value = value.strip('"')
    return name.removesuffix(":"), frozenset(value.split(","))


def compiler_name(name: str) -> str:
    """The name of a compiler as Spack 1.x spells it."""
    return COMPILER_ALIASES.get(name, name)


def is_special(key: str, word: str) -> bool:
    """Whether Spack takes this word, outside of quotes, for something else than a value of a row."""
    if key in ("os", "target") and word in ("fe", "be", "frontend", "backend", f"default_{key}"):
        return True
    return key in ("os", "platform", "target") and word == "None"


def spelled(
    words: Sequence[Word],
    *,
    escaped: str = ",",
    bare: re.Pattern[str] = _BARE_VALUE,
    quoted: bool = False,
) -> str:
    """The words as one value that reads back as these words, in quotes where it must be or is asked for."""
    names = [word for word in words if isinstance(word, str)]
    plain = ",".join(map(str, words))
    separators = re.compile(f"[{escaped}]")
    readable = bare.fullmatch(plain) and not plain.startswith("=")
    if readable and not quoted and not any(map(separators.search, names)):
        return plain
    special = re.compile(rf"[\\'{escaped}]")
    texts = [special.sub(r"\\\g<0>", word) if isinstance(word, str) else str(word) for word in words]
    return f"'{','.join(texts)}'"


def _word_key(word: Word) -> tuple[bool, tuple[tuple[int, int, str], ...], str]:
    return isinstance(word, TargetRange), natural_key(str(word)), str(word)
