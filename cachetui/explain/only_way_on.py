"""The one name that a beginning of it goes on to: of those that the rest of a query leaves, else of all that there are.

Input: an index, a value that nothing has, and the query without what nothing has.
"""

from __future__ import annotations

from collections.abc import Iterable

from cachetui.explain.named_package import NamedPackage
from cachetui.explain.offers import Rest
from cachetui.explain.unknown_values import UnknownValue
from cachetui.model.spec import split_compiler
from cachetui.model.targets import ancestors
from cachetui.query.parts.facets import CompilerPart, ValuePart
from cachetui.query.parts.names import NamePart
from cachetui.query.parts.variants import VariantPart
from cachetui.query.query import Query
from cachetui.query.values import read_variant
from cachetui.search.index import Index

LEAST_BEGINNING = 2
"""Letters with which a name begins that is put in place of them."""


def typed_name(unknown: UnknownValue) -> str:
    """What was typed of a name: of a variant its name, or its one value behind an `=`."""
    part = unknown.part
    if not isinstance(part, VariantPart):
        return unknown.value
    if isinstance(part.value, bool):
        return part.name
    return next(iter(part.value)) if len(part.value) == 1 else ""


def only_way_left(index: Index, unknown: UnknownValue, rest: Query) -> str:
    """The only name that begins with what was typed and that the rest of the query leaves; empty where there are
    several, or few letters of it. Nothing for a value of a variant with a number in it: that is another one.

    Where the rest is no more than tags, or leaves all, none where a number follows, as that may have been another one.
    """
    part, typed, left = unknown.part, typed_name(unknown), Rest(index, rest, None)
    is_numbered = any(each.key != "tag" for each in rest.parts) and len(left.rows) < len(index)
    if isinstance(part, CompilerPart):
        return _only(typed, left.compiler_names, is_numbered=is_numbered)
    if isinstance(part, ValuePart):
        return "" if _is_known(part, typed) else _only(typed, left.left(part.key), is_numbered=is_numbered)
    if not isinstance(part, VariantPart) or part.exact:
        return ""
    settings = [read_variant(variant) for variant in left.variants]
    if isinstance(part.value, bool):
        return _only(typed, (name for name, value in settings if value is part.value), is_numbered=is_numbered)
    if any(map(str.isdigit, typed)):
        return ""
    of_name = [value for name, value in settings if name == part.name and not isinstance(value, bool)]
    word = _only(typed, (word for value in of_name for word in value), is_numbered=is_numbered)
    return VariantPart(part.name, frozenset({word})).text if word else ""


def only_way_on(index: Index, unknown: UnknownValue) -> str:
    """The only name of all that there are that begins with what was typed; empty where there are several, or few
    letters of it, or where a number follows."""
    part, typed = unknown.part, typed_name(unknown)
    names: Iterable[str] = ()
    if isinstance(part, CompilerPart):
        names = (split_compiler(compiler)[0] or compiler for compiler in index.values("compiler"))
    elif isinstance(part, ValuePart) and not _is_known(part, typed):
        names = index.values(part.key)
    elif unknown.package is not None and isinstance(part, VariantPart) and isinstance(part.value, bool):
        variants = NamedPackage(index, Query((NamePart(unknown.package),))).variants
        names = (read_variant(variant)[0] for variant in variants)
    return _only(typed, names, is_numbered=False)


def _only(typed: str, names: Iterable[str], *, is_numbered: bool) -> str:
    """The only name that goes on from what was typed; `is_numbered`: also with a number."""
    found = {name for name in names if name.startswith(typed)}
    name = found.pop() if len(found) == 1 and len(typed) >= LEAST_BEGINNING else ""
    return "" if not is_numbered and name[len(typed) :][:1].isdigit() else name


def _is_known(part: ValuePart, typed: str) -> bool:
    """Whether what was typed is a target, though nothing is built for it: `zen` is no beginning of `zen3`."""
    return part.key == "target" and ancestors(typed) is not None
