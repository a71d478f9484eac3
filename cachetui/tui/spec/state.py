"""One spec, frozen, and what is known of what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Self

from msgspec import Struct
from msgspec.structs import replace

from cachetui.report.comparison import twins_field
from cachetui.report.deps import closure_text, dependency_fields, needed_binaries
from cachetui.report.detail import TWINS, Field, detail
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.sources.buildcache.signatures import is_signed
from cachetui.sources.buildcache.sizes import Sizes
from cachetui.tui.view.list_state import ListState
from cachetui.tui.view.spec_rows import SpecKey, row_of
from cachetui.tui.view.view import View
from cachetui.workers.cancelling import Cancelled


class Question(Struct, frozen=True):
    """What takes long: to find a spec in the graph, then to ask what all that it needs takes."""

    index: Index
    hash: str
    root: int | None = None
    """Its node, for the second question."""


class Needs(NamedTuple):
    """What is known of what a spec needs."""

    root: int | None
    """Its node in the graph; None where no dependencies are recorded."""
    sizes: Mapping[str, int] | None = None
    """The bytes of binaries by their hashes, as far as something tells; None until that was asked."""

    def total(self, index: Index) -> int | None:
        """Bytes of the spec and of all that it needs; None where those of one are not known."""
        if self.root is None or self.sizes is None:
            return None
        wanted = set(needed_binaries(index, self.root))
        return sum(self.sizes[each] for each in wanted) if wanted <= self.sizes.keys() else None


def answer(question: Question, sizes_of: Callable[[Index, Cancelled], Sizes], cancelled: Cancelled) -> Needs:
    """Answer a question."""
    index, root = question.index, question.root
    if root is None:
        return Needs(index.graph.number(question.hash))
    sizes = sizes_of(index, cancelled).each(needed_binaries(index, root))
    return Needs(root, {each: size for each, size in sizes if size is not None})


class SpecState(ListState, frozen=True, kw_only=True):
    """A spec that stays the one that is looked at, whatever the filters are."""

    key: SpecKey | None
    needs: Needs | None = None

    @classmethod
    def of(cls, view: View) -> Self:
        """The spec under the cursor of a view."""
        return cls(view=view, key=view.spec_here)

    @property
    def row(self) -> int | None:
        """The spec as a row of the index; None where it is gone."""
        return row_of(self.view.index, self.key)

    @property
    def question(self) -> Question | None:
        """What is to be worked out."""
        index, row, needs = self.view.index, self.row, self.needs
        spec_hash = None if row is None else index.spec(row).hash
        if not spec_hash or not index.graph:
            return None
        if needs is None:
            return Question(index, spec_hash)
        return None if needs.root is None or needs.sizes is not None else Question(index, spec_hash, needs.root)

    def answered(self, question: Question, answer: Needs) -> Self:
        """The same with an answer, if it is still asked."""
        return replace(self, needs=answer) if question == self.question else self

    def on_view(self, view: View) -> Self:
        """The same spec in a newer index, on another host."""
        return replace(self, view=view, needs=self.needs if view.index is self.view.index else None)

    def fields(self, mirror: str | None) -> Sequence[Field]:
        """All that there is to know of it; `mirror`: the URL pattern of the user's own."""
        row, index = self.row, self.view.index
        if row is None:
            return ()
        fields = detail(index, row, self.view.host, mirror, is_signed)
        if self.needs is not None and (twins := twins_field(index, row)):
            fields = [twins if field.label == TWINS else field for field in fields]
        size = (self.needs.sizes or {}).get(index.spec(row).hash or "") if self.needs else None
        if size is not None and not isinstance(index.spec(row).size, int):
            at = next(k for k, field in enumerate(fields) if field.is_command)
            fields.insert(at, Field("size", (f"{size:,} bytes",)))
        word = self.word.lower()
        return [field for field in fields if any(word in text.lower() for text in (field.label, *field.lines))]

    @property
    def needs_fields(self) -> Sequence[Field]:
        """What it needs and what needs it; nothing where that is not recorded."""
        if self.needs is None or self.needs.root is None:
            return ()
        return dependency_fields(self.view.index, self.needs.root, self.needs.total(self.view.index))

    @property
    def closure(self) -> str:
        """What it needs to be installed and to run, in one line."""
        if self.needs is None or self.needs.root is None:
            return ""
        return visible(closure_text(self.view.index, self.needs.root, self.needs.total(self.view.index)))
