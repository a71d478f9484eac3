"""The base class of all terms of a query.

A term is frozen and equal to another one with the same meaning. It never sees the index: it answers for one value,
and None means that the page omits this value.
"""

from abc import abstractmethod
from typing import Any

from msgspec import Struct


class Part(Struct, frozen=True, kw_only=True, eq=False):
    """One term of a query, with the place and form in which it was typed, which do not belong to its meaning."""

    start: int = 0
    end: int = 0
    """Offsets in the text that was parsed."""
    typed: str = ""
    """The text between these offsets; empty for a part that was not typed."""
    shares: int = 1
    """How many parts that text stands for: `arch=linux-rhel8-zen3` for three."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and type(self) is type(other) and self._meaning == other._meaning

    def __ne__(self, other: object) -> bool:
        return not self == other  # a struct has one of its own, by identity

    def __hash__(self) -> int:
        return hash((type(self), self._meaning))

    @property
    def _meaning(self) -> tuple[Any, ...]:
        """The fields that make it equal to another of its kind."""
        return tuple(getattr(self, name) for name in self.__struct_fields__ if name not in _TYPED)

    @property
    @abstractmethod
    def key(self) -> str:
        """Its subject: a facet (`compiler` for `%gcc`), `tag`, `version`, `variant` …"""

    @property
    @abstractmethod
    def text(self) -> str:
        """Its canonical text, which reads back as an equal part."""

    def matches(self, value: Any) -> bool:
        """Return whether it matches a row with this value of its subject."""
        raise NotImplementedError  # by parts such as hashes and hosts, which are looked up and never compared so

    @property
    def place(self) -> tuple[int, bool, str]:
        """The key that sorts parts of one kind into the canonical order."""
        return 0, False, self.text

    @property
    def once(self) -> str:
        """A key that only one term of a query may have; empty for no limit."""
        return self.key

    def within(self, other: "Part") -> bool:
        """Return whether the matches of this term are certainly a subset of those of the other one."""
        return self == other


_TYPED = frozenset(Part.__struct_fields__)
"""The fields that say where and how a part was typed."""
