"""The parts about facets and the tag: `os=`, `stack!=`, `%gcc`; and about the host: `fits=`."""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import ClassVar, Literal

from cachetui.model.host import Host
from cachetui.model.spec import NO_COMPILER, VALUE_KEYS, Facet, split_compiler
from cachetui.model.version import VersionList
from cachetui.query.parts.part import Part
from cachetui.query.tokens import COMPILERS, VALUE, Word, spelled, word_key


class FacetPart(Part, frozen=True, kw_only=True):
    """A part about one facet, the tag or `complete`."""

    excluded: bool = False
    """Whether it leaves out the values that it names."""

    @property
    def facet(self) -> Facet:
        """The facet that it is about."""
        return VALUE_KEYS[self.key]

    @abstractmethod
    def holds(self, value: str) -> bool:
        """Return whether it names this value, be it asked for or left out."""

    def matches(self, value: str | Iterable[str] | None) -> bool:
        """Return whether it matches a row with this value, or these values where the facet has many."""
        if value is None:
            return self.excluded
        return any(map(self.holds, [value] if isinstance(value, str) else value)) != self.excluded


class CompilerPart(FacetPart, frozen=True):
    """`%gcc@11`; `%none` matches the rows that have no compiler."""

    key: ClassVar[Literal["compiler"]] = "compiler"
    name: str
    """As Spack 1.x spells it."""
    versions: VersionList | None = None

    @property
    def once(self) -> str:
        return f"%{self.name}"

    @property
    def text(self) -> str:
        return f"%{self.name}" if self.versions is None else f"%{self.name}@{self.versions}"

    def holds(self, value: str) -> bool:
        name, version = split_compiler(value)
        return (name or NO_COMPILER) == self.name and (self.versions is None or self.versions.matches(version))

    def within(self, other: Part) -> bool:
        if not isinstance(other, CompilerPart) or self.name != other.name:
            return False
        if self.versions is None or other.versions is None:
            return other.versions is None
        return self.versions.within(other.versions)


class ValuePart(FacetPart, frozen=True):
    """`os=ubuntu22.04,rhel8`, `target=x86_64_v3:`, `stack!=hep`: any of the words, or none of them."""

    key: str
    """One of `VALUE_KEYS`."""
    words: tuple[Word, ...]
    """Sorted, each once: see `of`."""

    @classmethod
    def of(cls, key: str, words: Iterable[Word], *, excluded: bool = False) -> "ValuePart":
        """Return the part for words in any order and spelling."""
        normal = VALUE_KEYS[key].normal
        distinct = {normal(word) if isinstance(word, str) else word for word in words}
        return cls(key, tuple(sorted(distinct, key=word_key)), excluded=excluded)

    @property
    def place(self) -> tuple[int, bool, str]:
        return list(VALUE_KEYS).index(self.key), self.excluded, self.text

    @property
    def once(self) -> str:
        return "" if self.excluded or self.facet.many else self.key

    @property
    def text(self) -> str:
        operator = "!=" if self.excluded else "="
        if self.words == ("",):
            # `os=''` asks for nothing, `os=,` for the rows with an empty os
            return f"{self.key}{operator},"
        value = spelled(
            self.words,
            escaped=",:" if self.facet.has_ranges else ",",
            bare=COMPILERS if self.facet.has_versions else VALUE,
            quoted=any(str(word) in self.facet.reserved for word in self.words),
        )
        return f"{self.key}{operator}{value}"

    def unknown_words(self, values: Iterable[str]) -> list[str]:
        """Return its words that name none of these values; never the empty word or a range."""
        normal = set(map(self.facet.normal, values))
        own = (word for word in self.words if isinstance(word, str) and word and word not in normal)
        return [word for word in own if not any(self.holds_by(word, value) for value in normal)]

    def holds(self, value: str) -> bool:
        return any(self.holds_by(word, value) for word in self.words)

    def holds_by(self, word: Word, value: str) -> bool:
        """Return whether one of its words names this value."""
        if not isinstance(word, str):
            return word.holds(value)
        facet, normal = self.facet, self.facet.normal(value)
        if word == normal or (facet.has_versions and word == normal.partition("@")[0]):
            return True
        return value in facet.groups.get(word, ()) or (facet.is_least and word < value)

    def within(self, other: Part) -> bool:
        if not isinstance(other, ValuePart) or other.key != self.key or self.excluded or other.excluded:
            return self == other
        return self == other or all(isinstance(word, str) and other.holds(word) for word in self.words)


class FitsPart(Part, frozen=True):
    """`fits=linux-rhel9-zen3`: rows that run on this host, or may run because a libc is unknown."""

    key: ClassVar[Literal["fits"]] = "fits"
    host: Host

    @classmethod
    def of(cls, text: str, here: Callable[[], Host] | None = None) -> "FitsPart":
        """Return the part for a host as users spell it (see `Host.parse`); raises HostError."""
        return cls.named(Host.parse(text, here))

    @classmethod
    def named(cls, host: Host) -> "FitsPart":
        """Return the part as one types it; its canonical text means the same on a machine of another platform, too."""
        return cls(host, typed=f"fits={spelled([host.name])}")

    @property
    def text(self) -> str:
        return f"fits={spelled([str(self.host)])}"
