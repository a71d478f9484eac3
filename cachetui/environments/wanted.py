"""What a user asks for, whatever form he gave it: each thing with a hash, perhaps of a lock, or as a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from cachetui.environments.expected import Expectation
    from cachetui.environments.lock import Lock


class Asked(Struct, frozen=True):
    """One thing that should install: just one of the fields beside `text` is given."""

    text: str
    """As the user wrote it."""
    hash: str | None = None
    """A hash or the beginning of one."""
    lock: Lock | None = None
    """The lock that has this hash as a root."""
    expectation: Expectation | None = None
    """A spec to choose a build for."""


class Wanted(Struct, frozen=True):
    asked: tuple[Asked, ...]
    """In the order in which they were named."""
    notes: tuple[str, ...] = ()
    """What was passed over, for the user."""

    @property
    def locks(self) -> tuple[Lock, ...]:
        """The locks among them, each once."""
        found: list[Lock] = []
        for each in self.asked:
            if each.lock is not None and not any(each.lock is lock for lock in found):
                found.append(each.lock)
        return tuple(found)
