"""Queries, with methods to parse, print and edit them. Queries are immutable: an edit returns a new query.

Two queries are equal if they have the same terms in any order. After an edit, `Query.line` still has the typed text of
all unchanged terms.
"""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.host import Host
from cachetui.model.spec import VALUE_KEYS
from cachetui.model.tags import tag_meant
from cachetui.query.parser import QueryReader, in_order, refuse
from cachetui.query.terms import (
    COMPILER,
    OURS,
    CompilerTerm,
    DependencyTerm,
    FacetTerm,
    FitsTerm,
    NameTerm,
    Term,
    ValueTerm,
    VersionTerm,
)
from cachetui.settings.settings import Settings

OF_A_SPEC = frozenset(
    ("version", "variant", "flag", "compiler", "dependency", *(key for key in VALUE_KEYS if VALUE_KEYS[key].in_spack))
)
"""The keys of the terms that Spack accepts in a spec, without the name and the hash."""


class Query(Struct, frozen=True, eq=False):
    """A query matches a row if all terms match it. A query without terms matches every row."""

    terms: tuple[Term, ...] = ()
    """The terms in the typed order."""

    @classmethod
    def parse(
        cls, text: str, *, fuzzy_name: bool = False, has_graph: bool = False, settings: Settings | None = None
    ) -> "Query":
        """Parse a query. Raise QueryError if the text is invalid.

        With `fuzzy_name`, the name may follow other terms. It matches similar names if no package has exactly this
        name. `has_graph`: whether the content has a dependency graph. If not, terms that need it are an error.
        `settings`: the settings that define toolchains and the host of `fits=here`. By default, `here` means this
        machine.
        """
        terms = QueryReader(text, fuzzy_name, settings or Settings()).read()
        if not has_graph:
            refuse(terms)
        return cls(terms)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Query):
            return NotImplemented
        return frozenset(self.terms) == frozenset(other.terms)

    def __ne__(self, other: object) -> bool:
        return not self == other  # the `__ne__` of a struct compares identity

    def __hash__(self) -> int:
        return hash(frozenset(self.terms))

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __str__(self) -> str:
        """Return the canonical text. Parsing this text gives an equal query."""
        terms = in_order(dict.fromkeys(self.terms))
        return _joined(
            (term.text, before == "name" and term.key == "version")
            for before, term in zip(["", *(term.key for term in terms)], terms, strict=False)
        )

    @property
    def line(self) -> str:
        """The query with the typed text of each term. Parsing this text gives an equal query."""
        pieces: list[tuple[str, bool]] = []
        end = 0
        for term in _readable_order(self._printable()):
            pieces.append((term.typed or term.text, bool(term.typed) and 0 < term.start == end))
            end = term.end if term.typed else 0
        return _joined(pieces)

    @property
    def spelled(self) -> dict[str, tuple[Term, ...]]:
        """The words of `line`, each with its terms. A word such as `arch=` or `%TOOLCHAIN` can have several terms."""
        return {term.typed or term.text: self._sharing(term) if term.typed else (term,) for term in self._printable()}

    def terms_of(self, key: str) -> tuple[Term, ...]:
        """Return the terms with this key. The key of `%gcc` is `compiler`."""
        return tuple(term for term in self.terms if term.key == key)

    @property
    def tag(self) -> str | None:
        """The requested tag. None if the query requests several tags, or all."""
        wanted, _ = self._filters("tag")
        tags = [str(word) for term in wanted if isinstance(term, ValueTerm) for word in term.words]
        return tags[0] if len(tags) == 1 else None

    @property
    def package(self) -> NameTerm | None:
        """The term with the package name, or None if the query lacks a package."""
        return next((term for term in self.terms if isinstance(term, NameTerm)), None)

    @property
    def fits(self) -> FitsTerm | None:
        """The term `fits=`, which names the host on which specs must run, or None if the query lacks this term."""
        return next((term for term in self.terms if isinstance(term, FitsTerm)), None)

    @property
    def host(self) -> Host | None:
        """The host on which specs must run, or None if the query lacks a host."""
        return self.fits.host if self.fits else None

    def without(self, term: Term) -> "Query":
        """Return the query without this term."""
        return self._with(other for other in self.terms if other != term)

    def without_key(self, key: str) -> "Query":
        """Return the query without the terms that have this key."""
        return self._with(term for term in self.terms if term.key != key)

    def only_key(self, key: str) -> "Query":
        """Return the query with only the terms that have this key."""
        return self._with(self.terms_of(key))

    def of_package(self, name: str) -> "Query":
        """Return a query for this package. Keep the other terms that Spack accepts in a spec. Remove the hash."""
        return Query((NameTerm(name), *(term for term in self.terms if term.key in OF_A_SPEC)))

    def with_term(self, term: Term) -> "Query":
        """Return the query with this term. Remove old terms that cannot occur together with it."""
        alone = replace(term, start=0, end=0, shares=1, typed=term.typed if term.shares == 1 else "")
        gone = [
            other for other in self.terms if other == term or (term.unique_key and other.unique_key == term.unique_key)
        ]
        return self._with(sorted(self._replaced(gone, alone).terms, key=lambda each: each.key != "name"))

    def selected(self, facet: str, values: Iterable[str]) -> frozenset[str]:
        """Return the values in `values` that the query selects for this facet."""
        wanted, _ = self._filters(facet)
        if not wanted:
            return frozenset()
        # if a row can have many values, each term may select different values
        asked = any if VALUE_KEYS[facet].many else all
        chosen = frozenset(value for value in values if asked(term.holds(value) for term in wanted))
        return chosen - self.excluded(facet, chosen)

    def excluded(self, facet: str, values: Iterable[str]) -> frozenset[str]:
        """Return the values in `values` that the query excludes for this facet (`os!=`)."""
        _, unwanted = self._filters(facet)
        return frozenset(value for value in values if any(term.holds(value) for term in unwanted))

    def toggled(self, facet: str, value: str, values: Sequence[str], *, excluded: bool = False) -> "Query":
        """Select a value of a facet, or clear the value if the query already selects it. Return the new query.

        If `excluded` is true, exclude the value, or clear its exclusion. `values`: all values of the facet.
        """
        was_so = value in (self.excluded(facet, [value]) if excluded else self.selected(facet, [value]))
        if was_so is excluded:
            free = self._reduced(facet, value, values, excluded=True)
        else:
            whole = self._one_list(facet, values) if self.selected(facet, values) else self
            free = whole._reduced(facet, value, values, excluded=False)
        if was_so or (not excluded and value in free.selected(facet, [value])):
            return free
        if not excluded:
            free = free._one_list(facet, values)
        own = free._filters(facet)[excluded][-1:]
        words = [word for term in own if isinstance(term, ValueTerm) for word in term.words]
        return free._replaced(own, ValueTerm.of(facet, [*words, value], excluded=excluded))

    @property
    def named_tags(self) -> tuple[str, ...]:
        """The values of the terms `tag=` and `tag!=`."""
        return tuple(str(word) for term in self.terms_of("tag") for word in getattr(term, "words", ()))

    def with_tags_meant(self, tags: Sequence[str]) -> "Query":
        """Replace words such as `latest` by the tags that they mean. Keep the typed text. Return the new query."""
        return self._with(_with_tags_meant(term, tags) if isinstance(term, ValueTerm) else term for term in self.terms)

    def _filters(self, facet: str) -> tuple[list[FacetTerm], list[ValueTerm]]:
        """Return the terms that select values of a facet, and the terms that exclude values of the facet."""
        own = [term for term in self.terms if isinstance(term, FacetTerm) and term.key == facet]
        unwanted = [term for term in own if isinstance(term, ValueTerm) and term.excluded]
        return [term for term in own if not term.excluded], unwanted

    def _one_list(self, facet: str, values: Iterable[str]) -> "Query":
        """Replace the terms that select values of a facet, such as `%gcc`, by one term that lists these values.

        If a row can have several values of the facet, return the query unchanged, because a row must match each term.
        """
        wanted, _ = self._filters(facet)
        if VALUE_KEYS[facet].many or not wanted or (len(wanted) == 1 and isinstance(wanted[0], ValueTerm)):
            return self
        return self._replaced(wanted, ValueTerm.of(facet, self.selected(facet, values)))

    def _reduced(self, facet: str, value: str, values: Sequence[str], *, excluded: bool) -> "Query":
        """Remove a value from the terms that list values of a facet. Return the new query.

        If `excluded` is true, change only the terms that exclude values. Otherwise change only the terms that request
        values. If a word such as `gcc` means several values, replace the word with the other values. `values`: all
        values of the facet.
        """
        lists = [term for term in self._filters(facet)[excluded] if isinstance(term, ValueTerm) and term.holds(value)]
        shorter: dict[Term, Term | None] = {term: term.without(value, values) for term in lists}
        return self._with(filter(None, (shorter.get(term, term) for term in self.terms)))

    def _replaced(self, old: Sequence[Term], new: Term) -> "Query":
        """Replace the old terms by a new term. If `old` is empty, add the new term at the end. Return the new query."""
        at = next((at for at, term in enumerate(self.terms) if term in old), len(self.terms))
        return self._with([*self.terms[:at], new, *(term for term in self.terms[at:] if term not in old)])

    def _with(self, terms: Iterable[Term]) -> "Query":
        return Query(tuple(terms))

    def _sharing(self, term: Term) -> tuple[Term, ...]:
        """Return all terms of the typed word that contains this term. A word such as `arch=` can have several terms."""
        return (
            (term,)
            if term.shares == 1
            else tuple(each for each in self.terms if each.shares > 1 and each.start == term.start)
        )

    def _printable(self) -> list[Term]:
        """Return the terms to print.

        If a word has several terms and the query still has all of them, print the word only once.
        """
        whole = [(term, self._sharing(term)) for term in self.terms]
        return [
            term if len(own) == term.shares else replace(term, typed="")
            for term, own in whole
            if term is own[0] or len(own) < term.shares
        ]


def _with_tags_meant(term: ValueTerm, tags: Sequence[str]) -> ValueTerm:
    if term.key != "tag":
        return term
    return replace(term, words=ValueTerm.of("tag", [tag_meant(str(word), tags) for word in term.words]).words)


def _readable_order(terms: Sequence[Term]) -> list[Term]:
    """Sort the terms so that parsing their text gives the same terms.

    Dependencies with `%`, and then dependencies with `^`, are last, because a term after a dependency would belong to
    this dependency. A version never follows `%gcc` directly, because it would become the version of the compiler.
    """

    def rank(term: Term) -> int:
        return isinstance(term, DependencyTerm) and 2 - term.direct

    # keys of cachetui apply to the spec itself in every position
    ranks = [rank(term) for term in terms if isinstance(term, CompilerTerm) or term.key not in OURS]
    ordered: list[Term] = []
    for term in terms if ranks == sorted(ranks) else sorted(terms, key=rank):
        at = len(ordered)
        while isinstance(term, VersionTerm) and at and _takes_version(ordered[at - 1]):
            at -= 1
        ordered.insert(at, term)
    return ordered


def _takes_version(term: Term) -> bool:
    """Return whether a following version would become part of this term, like `@12` in `%gcc @12`."""
    return bool(re.fullmatch(COMPILER, term.typed or term.text))


def _joined(pieces: Iterable[tuple[str, bool]]) -> str:
    """Join strings. Insert a space before a string if it is paired with False."""
    return "".join(text if touches else f" {text}" for text, touches in pieces).removeprefix(" ")
