"""The part about a dependency of a spec: `^mpich@4`, `%c,cxx=gcc`; only build caches record dependencies."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from cachetui.model.dependency import LANGUAGES
from cachetui.query.parts.facets import CompilerPart
from cachetui.query.parts.names import VersionPart
from cachetui.query.parts.part import Part
from cachetui.query.tokens import spelled


class DependencyPart(Part, frozen=True):
    """`^mpich@4 +slurm`, `^[virtuals=mpi] mpich`, `%[deptypes=build] cmake`, `%c,cxx=gcc@12`.

    With `^` any dependency may match, near or far; with `%` only a direct one. `%%gcc`, which Spack prefers for all
    that it builds, asks the same as `%gcc`.
    """

    key: ClassVar[Literal["dependency"]] = "dependency"
    direct: bool
    name: str
    """The package or virtual package; empty if any may be (`^/abc`, `^*`)."""
    virtuals: tuple[str, ...] = ()
    """The virtual packages that the edge must provide; sorted."""
    types: tuple[str, ...] = ()
    """The types that the edge must have; sorted."""
    when: tuple[Part, ...] = ()
    """The conditions of the edge (`when`), in canonical order: only nodes that match them are examined."""
    parts: tuple[Part, ...] = ()
    """The terms for the dependency itself, in canonical order, with those for its own direct dependencies."""

    @classmethod
    def of_compiler(cls, compiler: CompilerPart) -> "DependencyPart":
        """Return the part that asks for this compiler as a direct dependency."""
        versions = () if compiler.versions is None else (VersionPart(compiler.versions),)
        return cls(True, compiler.name, parts=versions)

    @property
    def as_compiler(self) -> CompilerPart | None:
        """The same asked of the compiler field that specs had before Spack 1.0; None if it asks for more."""
        versions = [part.versions for part in self.parts if isinstance(part, VersionPart)]
        if len(versions) < len(self.parts) or self.when:
            return None
        return CompilerPart(self.name, versions[0] if versions else None)

    @property
    def asks_for_compiler(self) -> bool:
        """Whether it asks for the compiler of some languages, as `%c,cxx=gcc` does."""
        return self.direct and bool(self.virtuals) and set(self.virtuals) <= set(LANGUAGES)

    @property
    def place(self) -> tuple[int, bool, str]:
        return int(not self.direct), False, self.text

    @property
    def once(self) -> str:
        return f"%{self.name}" if self.direct and not (self.virtuals or self.types or self.when) else ""

    @property
    def text(self) -> str:
        # without a name the hash has to be right after the `^`
        parts = sorted(self.parts, key=lambda part: bool(self.name) or part.key != "hash")
        if self.asks_for_compiler and not self.types and not self.when and self.name:
            return f"%{','.join(self.virtuals)}={self.name}{_joined(parts)}"  # as Spack prints it
        when = [spelled([" ".join(part.text for part in self.when)], escaped="'", quoted=True)] if self.when else []
        properties = " ".join(
            f"{key}={','.join(values)}"
            for key, values in (("virtuals", self.virtuals), ("deptypes", self.types), ("when", when))
            if values
        )
        # brackets tell a direct dependency from a compiler: a bare `%gcc` asks for the compiler, too
        edge = f"[{properties}] " if properties or self.direct else ""
        name = self.name or ("" if parts and parts[0].key == "hash" else "*")
        return f"{'%' if self.direct else '^'}{edge}{name}{_joined(parts)}"


def _joined(parts: Sequence[Part]) -> str:
    """Return the text of the parts after the name of a dependency."""
    touching = parts[:1] if parts and parts[0].key in ("version", "hash") else ()
    return "".join([*(part.text for part in touching), *(f" {part.text}" for part in parts[len(touching) :])])
