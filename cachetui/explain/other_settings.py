"""What there is of a variant where nothing has it with the value that was asked for: `all have ~threadsafe`.

Input: an index, the part that asks for the variant, and the package that the query names, or all of them.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from msgspec.structs import replace

from cachetui.explain.named_package import NamedPackage
from cachetui.model.likeness import NEAREST, nearest_names
from cachetui.query.parts.variants import VariantPart
from cachetui.query.values import ANY, read_variant, spelled
from cachetui.safe_text import listed
from cachetui.search.index import Index
from cachetui.search.row_values import variant_counts


class OtherSettings:
    """What a package, or the whole catalogue, has of the variant of a part that takes nothing of it."""

    def __init__(self, index: Index, part: VariantPart, package: NamedPackage) -> None:
        self._part = part
        self._package = package
        self._written: Counter[str] = Counter()
        """The settings of the variant as pages write them, and how often."""
        for variant, count in variant_counts(index, package.rows).items():
            if read_variant(variant)[0] == part.name:
                self._written[variant] += count

    def __bool__(self) -> bool:
        return bool(self._written)

    @cached_property
    def _words(self) -> list[str]:
        """The single values of the variant, the most frequent first; none of one that is on or off."""
        counts: Counter[str] = Counter()
        for variant, count in self._written.items():
            value = read_variant(variant)[1]
            if not isinstance(value, bool):
                counts.update(dict.fromkeys(sorted(value), count))
        return [word for word, _ in counts.most_common()]

    @cached_property
    def _unknown(self) -> list[str]:
        """The values that are asked for and that there are not."""
        value = self._part.value
        return [] if isinstance(value, bool) else sorted(value.difference(self._words))

    @cached_property
    def mistyped(self) -> tuple[str, ...]:
        """The part with the one value that there is not as it was probably meant, best first.

        A value with a number in it is mistyped only where its signs stand in another order: else it is another one.
        """
        part, unknown = self._part, self._unknown
        if isinstance(part.value, bool) or len(unknown) != 1:
            return ()
        typed = unknown[0]
        near = nearest_names(typed, self._words, len(self._words), only_errors=True)
        if any(map(str.isdigit, typed)):
            near = tuple(word for word in near if sorted(word.lower()) == sorted(typed.lower()))
        meant = (replace(part, value=part.value - {typed} | {word}) for word in near)
        return tuple(each.text for each in meant if self._package.rows_with(each))[:NEAREST]

    @property
    def phrase(self) -> str:
        """What there is instead, the most frequent first; that some do not record the variant is said."""
        if len(self._written) > 1:
            if self._unknown and self._words:
                first, *others = map(spelled, ([word] for word in self._words))
                return f"there is {listed([f'{self._part.name}={first}', *others], NEAREST)}"
            return f"there is {listed([variant for variant, _ in self._written.most_common()], NEAREST)}"
        records_it = self._package.rows_with(VariantPart(self._part.name, ANY))
        all_have = "all have" if records_it == self._package.rows else "all that say so have"
        return f"{all_have} {next(iter(self._written))}"
