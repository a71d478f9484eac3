"""What every part of a query knows of itself.

A part is frozen, equal by meaning alone, and is asked about one distinct value of a catalogue at a time: it knows no
index. None stands for a page that has nothing there.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from msgspec import Struct


class Part(Struct, frozen=True, kw_only=True, eq=False):
    """One thing that a row must meet, and where and how it was typed, which is no part of what it means."""

    start: int = 0
    end: int = 0
    """Offsets in the text that was parsed, from 0."""
    typed: str = ""
    """The text between them; empty for a part that nobody typed."""
    shares: int = 1
    """How many parts that text stands for: `arch=linux-rhel8-zen3` is three."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and type(self) is type(other) and self._meaning == other._meaning

    def __ne__(self, other: object) -> bool:
        return not self == other  # a struct has one of its own, by identity

    def __hash__(self) -> int:
        return hash((type(self), self._meaning))

    @property
    def _meaning(self) -> tuple[Any, ...]:
        """What makes it equal to another of its kind."""
        return tuple(getattr(self, name) for name in self.__struct_fields__ if name not in _TYPED)

    @property
    @abstractmethod
    def key(self) -> str:
        """What it is about; the keys of facets for what narrows a facet: `%gcc` has the key `compiler`."""

    @property
    @abstractmethod
    def text(self) -> str:
        """Its canonical text, which parses as an equal part."""

    def matches(self, value: Any) -> bool:
        """Return whether it matches a row with this value of what it is about, where values are asked about."""
        raise NotImplementedError

    @property
    def place(self) -> tuple[int, bool, str]:
        """Sort parts of one kind into the canonical order."""
        return 0, False, self.text

    @property
    def once(self) -> str:
        """What a query asks for but once; of two parts that agree in it one has to go. Empty for no such thing."""
        return self.key

    def within(self, other: Part) -> bool:
        """Return whether whatever meets this part meets the other, as far as the two alone tell."""
        return self == other


_TYPED = frozenset(Part.__struct_fields__)
"""What says where and how a part was typed."""
