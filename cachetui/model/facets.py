"""The facets: one record for each, in one table.

Index, parser, sidebar, coverage and report read this table. A new facet is an entry here and a field of the same name
in four places: `Row` and `Spec` (`model.spec`), `Profile` below, and `spec` (`search.rows`), which fills the spec; the
sources fill that of the row. The tag is asked for like a facet, but belongs to the page and not to the row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter

from msgspec import Struct
from msgspec.json import Decoder

from cachetui.model.spec import ROOT, Row, natural_key, normal_compiler
from cachetui.model.tags import tag_order

_MACHINE = ("fe", "be", "frontend", "backend")
"""Words by which Spack means the machine that it runs on."""


class Facet(Struct, frozen=True, kw_only=True):
    """One thing that rows are told apart by, and that a query may list values of."""

    name: str
    """Its heading, and its key in a query: `os=rhel8`."""
    field: str
    """The field of a row and of a spec that holds it."""
    many: bool = False
    """Whether a row may have several values at once."""
    normal: Callable[[str], str] = str
    """The spelling in which two pages agree."""
    last: str = ""
    """The value that is listed last."""
    spellings: tuple[str, ...] = ()
    """Other keys for it in a query."""
    in_spack: bool = True
    """Whether Spack's own queries have the key, so that no variant can have this name."""
    reserved: frozenset[str] = frozenset()
    """Words that mean something else than a value unless they are quoted."""
    has_ranges: bool = False
    """Whether `low:high` asks for a range of values."""
    has_versions: bool = False
    """Whether a value is NAME@VERSION, and the name alone asks for all its versions."""

    def ordered(self, values: Iterable[str]) -> list[str]:
        """Return the values in natural order, the last one last; tags in their true order."""
        if self.name == "tag":
            return tag_order(values)
        return sorted(values, key=lambda value: (value == self.last, natural_key(value)))


_RECORDS = (
    Facet(name="stack", field="stacks", many=True, last=ROOT, in_spack=False),
    Facet(
        name="os",
        field="os",
        spellings=("operating_system",),
        reserved=frozenset({*_MACHINE, "default_os", "None"}),
    ),
    Facet(name="platform", field="platform", reserved=frozenset({"None"})),
    Facet(
        name="target",
        field="target",
        reserved=frozenset({*_MACHINE, "default_target", "None"}),
        has_ranges=True,
    ),
    Facet(name="compiler", field="compiler", normal=normal_compiler, in_spack=False, has_versions=True),
)

FACETS: dict[str, Facet] = {facet.name: facet for facet in _RECORDS}
"""The facets by name, in the order of the sidebar."""

TAG = Facet(name="tag", field="tag", in_spack=False)
"""The tag of the page that a row stands on."""

COMPLETE = Facet(name="complete", field="", in_spack=False)
"""Whether all that a binary needs is there, yes or no, where dependencies are recorded.

No row has it: it is worked out over the whole graph, once a query asks for it.
"""

VALUE_KEYS: dict[str, Facet] = {
    facet.name: facet for facet in (*sorted(_RECORDS, key=lambda each: each.many), TAG, COMPLETE)
}
"""What a query may list values of, in canonical order: the facets (`many` last), the tag, whether all is there."""

BY_KEY = {key: facet for facet in VALUE_KEYS.values() for key in (facet.name, *facet.spellings)}
"""The one of these that each key of a query asks about."""


class Profile(Struct, frozen=True, array_like=True):
    """One distinct combination of what the facets say of a row, in the spelling of the page."""

    stacks: tuple[str, ...]
    os: str | None
    platform: str | None
    target: str | None
    compiler: str | None


profile_fields: Callable[[Row], tuple[object, ...]] = attrgetter(*Profile.__struct_fields__)
"""What the facets say of a row: the fields of its profile."""

decode_profile = Decoder(Profile).decode
"""The profile of fields in JSON; raises msgspec.ValidationError where they are none."""
