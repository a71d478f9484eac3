"""What a query asks of the closure of a spec: `complete=yes`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from cachetui.model.spec import Spec
from cachetui.query.part import Column, Part

WORDS = {"yes": True, "no": False}


class CompletePart(Part, frozen=True):
    """`complete=yes`: binaries that have all that they need to run in the content; `complete=no`: the others."""

    key: ClassVar[Literal["complete"]] = "complete"
    column: ClassVar[Column] = "complete"
    rank: ClassVar[int] = 9
    reluctance: ClassVar[int] = 3
    wanted: bool

    @property
    def text(self) -> str:
        return f"complete={'yes' if self.wanted else 'no'}"

    @property
    def refusal(self) -> tuple[str, str]:
        return "complete= asks about dependencies, which only build caches record", "a query without complete="

    @property
    def is_of_node(self) -> bool:
        return False

    def named_values(self) -> Iterator[tuple[str, Part]]:
        yield from ()

    def takes(self, value: bool) -> bool:
        """Whether it takes a binary that is complete, or is not."""
        return value is self.wanted

    def actual_value(self, spec: Spec) -> str:
        return "not complete" if self.wanted else "complete"
