"""What Textual works out anew for each app, worked out once for all of a test run.

A style sheet is parsed once for each theme. Which of its rules hold for a widget depends on nothing but the types, ids,
classes and pseudo-classes of the widget and of those around it, so that is asked once for each kind of widget in each
kind of place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import pytest
from textual import _callback
from textual.css.model import CombinatorType, RuleSet, Selector
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

NOTED = ("_has_hover_style", "_has_focus_within", "_has_order_style", "_has_odd_or_even")
"""What Textual notes of a widget when it looks for the rules."""


SEARCH, REPLACE = Stylesheet.apply, Stylesheet.replace_rules
"""Textual's own."""


class Found(NamedTuple):
    """What Textual found for a widget."""

    values: Any
    """Values by the names of styles, which Textual only reads; None if no rule holds."""
    noted: tuple[bool, ...]


class Candidates(NamedTuple):
    """The rules that may hold for widgets of the same names, and what decides whether they do."""

    own: tuple[str, ...]
    """The pseudo-classes of the widget itself."""
    around: tuple[str, ...] | None
    """The pseudo-classes of those around it; None if it is all the same where it stands."""
    found: dict[object, Found]


Table = dict[frozenset[str], Candidates | None]


class KnownStyles:
    """Styles that were found before, in the place of Textual's search for them."""

    def __init__(self) -> None:
        self._parse = Stylesheet._parse_rules
        self._parsed: dict[object, list[RuleSet]] = {}
        self._tables: dict[tuple[int, ...], Table] = {}
        """What is known of the widgets of style sheets that have these rules, which stay to the end as parsed."""
        self._in_use: WeakKeyDictionary[Stylesheet, tuple[object, Table]] = WeakKeyDictionary()
        self._searching: list[tuple[DOMNode, list[Any]]] = []
        """The widgets that Textual searches rules for, and the values that it gave them."""

    def parse(self, sheet: Stylesheet, css: str, *args: Any, **kwargs: Any) -> list[RuleSet]:
        """Parses a style sheet, or has its rules already; no app changes them."""
        key = (css, args, tuple(kwargs.items()), tuple(sheet._variables.items()))
        if key not in self._parsed:
            self._parsed[key] = self._parse(sheet, css, *args, **kwargs)
        return self._parsed[key]

    def apply(self, sheet: Stylesheet, node: DOMNode, *, animate: bool = False, cache: Any = None) -> None:
        """Gives a widget its styles."""
        names = frozenset(sheet.rules_map.keys() & node._selector_names)
        table = self._table(sheet)
        if names not in table:
            table[names] = candidates_of(sheet, names)
        candidates = table[names]
        if candidates is None:
            SEARCH(sheet, node, animate=animate, cache=cache)
            return
        state = state_of(node, candidates)
        found = candidates.found.get(state)
        if found is None:
            self._searching.append((node, []))
            SEARCH(sheet, node, animate=animate)
            _, given = self._searching.pop()
            noted = tuple(getattr(node, name) for name in NOTED)
            candidates.found[state] = Found(given[0] if given else None, noted)
            return
        for name, value in zip(NOTED, found.noted, strict=True):
            setattr(node, name, value)
        if found.values is not None:
            sheet.replace_rules(node, found.values, animate=animate)
        sheet._process_component_classes(node)

    def _table(self, sheet: Stylesheet) -> Table:
        rules_map, table = self._in_use.get(sheet, (None, {}))
        if rules_map is not sheet.rules_map:
            table = self._tables.setdefault(tuple(map(id, sheet.rules)), {})
            self._in_use[sheet] = (sheet.rules_map, table)
        return table

    def replace_rules(self, node: DOMNode, rules: Any, animate: bool = False) -> None:
        """Gives a widget the values that were found, one by one if they are not those that it has."""
        if self._searching and self._searching[-1][0] is node:
            self._searching[-1][1].append(rules)
        if node.styles.base._rules == rules and not animate:
            node.notify_style_update()
        else:
            REPLACE(node, rules, animate=animate)


def candidates_of(sheet: Stylesheet, names: frozenset[str]) -> Candidates | None:
    """The rules for widgets of these names; None if it matters what stands beside or in them."""
    own, around, alone = set[str](), set[str](), True
    rules = {rule for name in names for rule in sheet.rules_map[name]}
    for selectors in (each.selectors for rule in rules for each in rule.selector_set):
        last = len(selectors) - 1
        while last and selectors[last].combinator is CombinatorType.SAME:
            last -= 1
        own |= pseudo_classes(selectors[last:])
        around |= pseudo_classes(selectors[:last])
        alone = alone and not last
    if not sheet._EXCLUDE_PSEUDO_CLASSES_FROM_CACHE.isdisjoint(own | around):
        return None
    return Candidates(tuple(own), None if alone else tuple(around), {})


def pseudo_classes(selectors: Iterable[Selector]) -> set[str]:
    return set[str]().union(*(selector.pseudo_classes for selector in selectors))


def state_of(node: DOMNode, candidates: Candidates) -> object:
    """All that decides which of the candidates hold for a widget."""
    own = signs_of(node, candidates.own)
    if candidates.around is None:
        return own
    return (own, *(signs_of(each, candidates.around) for each in node.css_path_nodes[:-1]))


def signs_of(node: DOMNode, pseudo_classes: tuple[str, ...]) -> tuple[object, ...]:
    return (type(node), node._id, frozenset(node._classes), *map(node.has_pseudo_class, pseudo_classes))


class KnownCallbacks:
    """How many arguments functions take, also those that are made anew for each call."""

    def __init__(self) -> None:
        self._count = _callback._count_parameters
        self._counts: dict[object, int] = {}

    def count(self, function: Callable[..., object]) -> int:
        """As many as Textual counts, which looks at the signature."""
        plain = getattr(function, "__func__", function)
        code = getattr(plain, "__code__", None)
        if code is None or hasattr(plain, "__wrapped__"):
            return self._count(function)
        key = (code, plain is function)
        if key not in self._counts:
            self._counts[key] = self._count(function)
        return self._counts[key]


@contextmanager
def worked_out_once() -> Iterator[None]:
    """While it is open, apps find what was worked out for others."""
    styles = KnownStyles()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Stylesheet, "_parse_rules", lambda *args, **kwargs: styles.parse(*args, **kwargs))
        patched.setattr(Stylesheet, "apply", lambda *args, **kwargs: styles.apply(*args, **kwargs))
        patched.setattr(Stylesheet, "replace_rules", staticmethod(styles.replace_rules))
        patched.setattr(_callback, "_count_parameters", KnownCallbacks().count)
        yield


@contextmanager
def plain_styles() -> Iterator[None]:
    """While it is open, Textual searches styles itself."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Stylesheet, "apply", SEARCH)
        patched.setattr(Stylesheet, "replace_rules", REPLACE)
        yield
