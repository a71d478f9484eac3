"""What makes a typed line readable that is not: a host put right, or one part in place of two that exclude each other.

Of two lists of values one list is meant, of anything else what was typed last.
Input: an index, the text of a query line, and why it cannot be read. The texts quote it: escape them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cachetui.explain.mending import SUCH_HOST, instead_text, surely_meant_host
from cachetui.explain.typed_text import can_be_read, way_to_mend
from cachetui.query.errors import QueryError
from cachetui.query.parts.facets import CompilerPart, ValuePart
from cachetui.query.parts.names import VersionPart
from cachetui.query.parts.part import Part
from cachetui.query.parts.variants import VariantPart
from cachetui.query.query import Query
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.suggest.completion import Completion

_HOST = re.compile(r"(?:^|(?<=\s))fits=(?P<host>[\w.-]+)")

_LIST = re.compile(r"(?P<key>@|%[\w.-]+@|\w+=)(?P<values>[^'\"]+)")
"""A part that lists values, none of them in quotes."""

_COLUMNS = ("version", "variants", "facet", "compiler", "complete")
"""What is asked about once: a tag, a name, a hash or a host is not put together."""

Completer = Callable[[str, int], Sequence[Completion]]
"""The ways on of a text from an offset."""


class MadeReadable(Struct, frozen=True):
    """A text that is put in place of one that cannot be read."""

    completion: Completion
    part: str
    """The part that is put in."""
    said: str
    """That it stands there instead."""
    slip: str = ""
    """The host that it stands in place of, where it is one."""


class Together(Struct, frozen=True):
    """One part in place of two that cannot stand beside each other."""

    text: str
    """The whole line with it."""
    end: int
    """Where it ends there."""
    typed: range
    """From the first of the two to the end of the second, in the line as it was typed."""
    part: str
    replaced: str
    """The part before it that it takes the place of; empty where both are in it."""
    is_known: bool
    """Whether there is all that was typed last."""

    def put_in(self, old: str, new: str) -> Completion:
        """What makes one line out of another, which differ where the two parts are."""
        behind = len(old) - self.typed.stop
        return Completion(self.typed.start, self.typed.stop, new[self.typed.start : len(new) - behind])


def surely_meant(index: Index, text: str, error: QueryError) -> MadeReadable | None:
    """What is surely meant by a text that cannot be read for one slip."""
    if host := _host_put_right(index, text, error):
        return host
    found = put_together(index, text, error)
    if found is None or not found.is_known:
        return None
    if found.replaced in ("", found.part):
        said = f"{error.message}: {found.part} instead"
    else:
        said = f"{found.part} in place of {found.replaced}"
    return MadeReadable(found.put_in(text, found.text), found.part, said)


def _host_put_right(index: Index, text: str, error: QueryError) -> MadeReadable | None:
    typed = next((each for each in _HOST.finditer(text) if each.start("host") == error.column), None)
    meant = surely_meant_host(index, typed["host"]) if typed else ""
    if not (typed and meant):
        return None
    completion, part = Completion(*typed.span("host"), meant), f"fits={meant}"
    said = instead_text(typed[0], SUCH_HOST, part)
    return MadeReadable(completion, part, said, typed["host"]) if can_be_read(index, completion.put_in(text)) else None


def ways_together(
    index: Index, text: str, cursor: int, error: QueryError, completer: Completer
) -> Iterator[Completion]:
    """What is offered for two parts that cannot stand beside each other: one part in place of them and, where the
    second ends at the cursor, how that may go on; the name of a variant to that of another one."""
    found = put_together(index, text, error)
    if found is None:
        return
    if found.is_known:
        yield found.put_in(text, found.text)
    if cursor == found.typed.stop:
        line, end = (text, cursor) if found.part[0] in "+~-" else (found.text, found.end)
        for way in completer(line, end):
            yield found.put_in(text, way.put_in(line))


def ways_on(
    index: Index, text: str, cursor: int, error: QueryError | None, completer: Completer
) -> Sequence[Completion]:
    """How a line may go on that may be one that cannot be read; behind the dot of a version, as in `@1.14.`, with those
    that go on with it."""
    ways: Sequence[Completion] = () if error is None else [*ways_together(index, text, cursor, error, completer)]
    ways = ways or completer(text, cursor)
    if ways or not text.endswith(".") or cursor < len(text):
        return ways
    before = [replace(offer, end=cursor) for offer in completer(text[:-1], cursor - 1)]
    return [offer for offer in before if offer.text.startswith(text[offer.start :])]


def way_put_in(
    index: Index, text: str, error: QueryError | None, first: Completion, problem: str, *, is_mistake: bool = True
) -> str:
    """That the first offer is put in, and in place of what where that is a part before it."""
    found = None if error is None else put_together(index, text, error)
    if found is None or not found.replaced or found.put_in(text, found.text) != first:
        return way_to_mend(index, text, first, problem, is_mistake=is_mistake)
    if found.part == found.replaced:
        return visible(f"leaves one {found.part}")
    return visible(f"puts {found.part} in place of {found.replaced}")


def put_together(index: Index, text: str, error: QueryError) -> Together | None:
    """One part in place of the one that stands where the text can no longer be read, and those before it that it
    cannot stand beside; None where that is not why."""
    try:
        before = Query.parse(text[: error.column], fuzzy_name=True, has_graph=bool(index.graph)).parts
        word = (text[error.column :].split() or [""])[0]
        new = [part for part in Query.parse(word, has_graph=bool(index.graph)).parts if part.start == 0]
    except QueryError:
        return None
    is_of_dependency = any(part.column == "dependency" for part in before)
    if not new or (is_of_dependency and new[0].is_of_node) or any(part.column not in _COLUMNS for part in new):
        return None
    clashing = [part for part in before if any(map(part.clashes, new))]
    if not clashing or any(_is_other_compiler(part, new[0]) for part in clashing):
        return None
    one_list = _as_one_list(index, clashing[0], new[0]) if len(clashing) == len(new) == 1 else ""
    put_in, typed_end = one_list or new[0].typed, error.column + new[0].end
    line, end = _with_one(text[: error.column].rstrip() + text[typed_end:], before, clashing, put_in)
    if not can_be_read(index, line):
        return None
    is_known = all(map(index.part_rows, new)) and not put_in.endswith(",")
    texts = dict.fromkeys(part.typed if part.shares == 1 else part.text for part in clashing)
    typed, replaced = range(clashing[0].start, typed_end), "" if one_list else " and ".join(texts)
    return Together(line, end, typed, put_in, replaced, is_known)


def _with_one(line: str, parts: Sequence[Part], clashing: Sequence[Part], put_in: str) -> tuple[str, int]:
    """A line with a text in place of some of its parts, and where that ends: of an `arch=` the others stay."""
    first, *others = dict.fromkeys(part.start for part in clashing)
    end = 0
    for start in (*reversed(others), first):
        group = [part for part in parts if part.start == start]
        texts = list(dict.fromkeys(put_in if part in clashing else part.text for part in group))
        end = start + len(" ".join(texts[: texts.index(put_in) + 1]))
        texts = texts if start == first else [each for each in texts if each != put_in]
        line = f"{line[:start] if texts else line[:start].rstrip()}{' '.join(texts)}{line[group[0].end :]}"
    return line, end


def _is_other_compiler(old: Part, new: Part) -> bool:
    return isinstance(old, CompilerPart) and isinstance(new, CompilerPart) and old.name != new.name


def _as_one_list(index: Index, old: Part, new: Part) -> str:
    """One part that lists the values of both; empty where a list of them asks for something else, or for nothing."""
    first, second = (_LIST.fullmatch(part.typed) for part in (old, new))
    is_list = isinstance(new, ValuePart | VersionPart | CompilerPart | VariantPart)
    if not is_list or old.shares + new.shares > 2 or old == new:
        return ""
    if isinstance(old, ValuePart) and isinstance(new, ValuePart) and (first is None or second is None):
        return ValuePart.of(old.name, [*old.words, *new.words]).text
    if first is None or second is None:
        return ""
    both = dict.fromkeys([*first["values"].split(","), *second["values"].split(",")])
    text = first["key"] + ",".join(both)
    if isinstance(new, VariantPart):  # a list of its values asks for all of them at once
        try:
            parts = Query.parse(text).parts
        except QueryError:
            return ""
        return text if all(map(index.part_rows, parts)) else ""
    return text
