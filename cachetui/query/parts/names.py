"""The parts about package, version and hash."""

from typing import ClassVar, Literal

from cachetui.model.version import VersionList
from cachetui.query.parts.part import Part


class NamePart(Part, frozen=True):
    """`hdf5`, `builtin.hdf5`. A fuzzy name that no package has stands for the names like it."""

    key: ClassVar[Literal["name"]] = "name"
    name: str
    namespace: str = ""
    """Empty for any. The packages of pages are all of `builtin`."""
    fuzzy: bool = False
    versions: VersionList | None = None
    """The requested versions of a virtual package; its providers have others. See `Index.meant`."""

    @property
    def text(self) -> str:
        name = f"{self.namespace}.{self.name}" if self.namespace else self.name
        return name if self.versions is None else f"{name}@{self.versions}"

    def within(self, other: Part) -> bool:
        if not isinstance(other, NamePart) or self.name != other.name:
            return False
        return self.namespace == other.namespace or not self.namespace or not other.namespace


class VersionPart(Part, frozen=True):
    """`@1.10:1.12`."""

    key: ClassVar[Literal["version"]] = "version"
    versions: VersionList

    @property
    def text(self) -> str:
        return f"@{self.versions}"

    def matches(self, value: str | None) -> bool:
        """Return whether it matches one of the versions of a row, which are joined by commas."""
        return value is not None and any(map(self.versions.matches, value.split(",")))

    def within(self, other: Part) -> bool:
        return isinstance(other, VersionPart) and self.versions.within(other.versions)


class HashPart(Part, frozen=True):
    """`/2feova4`."""

    key: ClassVar[Literal["hash"]] = "hash"
    prefix: str

    @property
    def text(self) -> str:
        return f"/{self.prefix}"

    def matches(self, value: str | None) -> bool:
        """Return whether the hash begins with the prefix."""
        return value is not None and value.startswith(self.prefix)

    def within(self, other: Part) -> bool:
        return isinstance(other, HashPart) and other.matches(self.prefix)
