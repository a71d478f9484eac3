"""The parts about variants, and about compiler flags, which only build caches record."""

from collections.abc import Iterable, Iterator
from typing import ClassVar, Literal

from msgspec.structs import replace

from cachetui.model.spec import read_variant
from cachetui.query.parts.part import Part
from cachetui.query.tokens import ANY, spelled


class VariantPart(Part, frozen=True):
    """`+mpi`, `~mpi`, `build_type=Release`, `cuda_arch:=70,80`; `++mpi`, `build_type==Release` for all below, too."""

    key: ClassVar[Literal["variant"]] = "variant"
    name: str
    value: bool | frozenset[str]
    exact: bool = False
    """Whether the row may have no other words (`:=`)."""
    propagated: bool = False
    """Whether the term is about the spec and all its dependencies, each if it has the variant."""

    @property
    def text(self) -> str:
        if isinstance(self.value, bool):
            return ("+" if self.value else "~") * (1 + self.propagated) + self.name
        operator = (":" if self.exact else "") + "=" * (1 + self.propagated)
        return f"{self.name}{operator}{spelled(sorted(self.value))}"

    @property
    def alone(self) -> "VariantPart":
        """The same, asked only of the spec itself."""
        return replace(self, propagated=False)

    @property
    def place(self) -> tuple[int, bool, str]:
        return 0, not isinstance(self.value, bool), self.name

    @property
    def once(self) -> str:
        return f"variant {self.name}"

    def matches(self, value: Iterable[str]) -> bool:
        """Return whether it matches a row with these variants, because it matches one of them."""
        return any(self.name in variant and self.matches_variant(variant) for variant in value)

    def matches_variant(self, variant: str) -> bool:
        """Return whether this variant has the requested value."""
        name, value = read_variant(variant)
        if name != self.name:
            return False
        if isinstance(self.value, bool) or isinstance(value, bool):
            return self.value == ANY or value is self.value
        if self.exact:
            return value == self.value
        if self.value == ANY:
            return True
        if name == "patches":
            return all(any(word.startswith(prefix) for word in value) for prefix in self.value)
        return self.value <= value

    def within(self, other: Part) -> bool:
        if not isinstance(other, VariantPart) or (other.exact and not self.exact):
            return False
        return other.matches_variant(self.alone.text)


class FlagPart(Part, frozen=True):
    """`cflags="-O3 -g"`: specs that were compiled with at least these flags."""

    key: ClassVar[Literal["flag"]] = "flag"
    name: str
    """One of `FLAGS`."""
    flags: tuple[str, ...]
    """Each with its values: `-L /opt` is one."""

    @classmethod
    def of(cls, name: str, text: str) -> "FlagPart":
        """Return the part for flags as users type them."""
        return cls(name, tuple(_flags(text)))

    @property
    def once(self) -> str:
        return self.name

    def within(self, other: Part) -> bool:
        return isinstance(other, FlagPart) and self.name == other.name and set(other.flags) <= set(self.flags)

    @property
    def text(self) -> str:
        return f"{self.name}={spelled([' '.join(self.flags)], quoted=True)}"

    def matches(self, value: Iterable[str]) -> bool:
        """Return whether a row with these variants was compiled with all of the flags."""
        return any(variant.startswith(f"{self.name}=") and self._within(variant) for variant in value)

    def _within(self, variant: str) -> bool:
        own = variant.partition("=")[2]
        if own[:1] in ("'", '"') and own[:1] == own[-1:] and len(own) > 1:
            own = own[1:-1]
        return set(self.flags) <= set(_flags(own))


def _flags(text: str) -> Iterator[str]:
    """Yield the flags of a text: each begins with a dash, and other words belong to the flag before them."""
    flag = ""
    for word in text.split():
        if word.startswith("-") and flag:
            yield flag
            flag = word
        else:
            flag = f"{flag} {word}".lstrip()
    if flag:
        yield flag
