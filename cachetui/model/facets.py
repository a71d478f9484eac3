"""The facets: one record for each, in one table.

A new facet is an entry in this table, a field of the same name in `Row` and `Spec` (`model.spec`) and in `Profile`
below, and a line in `RowIndex.spec` (`search.rows`); the sources fill the field of the row (of build caches
`TagBuilder`). A column of specs it is by two lines more (`settings.config`, `tui.view.rows`). The tag is asked for like
a facet, but belongs to the page and not to the row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from operator import attrgetter
from typing import Literal

from msgspec import Struct
from msgspec.json import Decoder

from cachetui.model.installed import ABSENT, HIDDEN, PRESENT
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
    """Returns the spelling that is compared: of compilers pages have several."""
    last: str = ""
    """The value to list last; empty for none."""
    spellings: tuple[str, ...] = ()
    """Other keys for it in a query."""
    in_spack: bool = True
    """Whether Spack's own queries have the key, so that no variant can have this name."""
    reserved: frozenset[str] = frozenset()
    """Words that Spack reads as something else than a value; quoted they are values."""
    has_ranges: bool = False
    """Whether `low:high` asks for a range of values."""
    has_versions: bool = False
    """Whether a value is NAME@VERSION, and the name alone asks for all its versions."""
    groups: Mapping[str, Collection[str]] = {}
    """Words that ask for several values each."""
    needs: Literal["", "graph", "tree"] = ""
    """What has to be open for it: content that records dependencies, or an installation."""
    is_least: bool = False
    """Whether a word, a day, asks for itself and all later ones."""

    def ordered(self, values: Iterable[str]) -> list[str]:
        """Return the values in natural order, `last` behind the others; tags from the newest."""
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
    Facet(name="explicit", field="explicit", in_spack=False),
)

FACETS: dict[str, Facet] = {facet.name: facet for facet in _RECORDS}
"""The facets by name, in the order of the sidebar."""

TAG = Facet(name="tag", field="tag", in_spack=False)
"""The tag of the page that a row stands on."""

COMPUTED = (
    Facet(name="namespace", field="", needs="graph"),
    Facet(name="complete", field="", in_spack=False, needs="graph"),
    Facet(
        name="installed",
        field="state",
        in_spack=False,
        groups={"yes": PRESENT, "no": (*HIDDEN, ABSENT)},
        needs="tree",
    ),
    Facet(name="incache", field="", in_spack=False, needs="tree"),
    Facet(name="unused", field="", in_spack=False, needs="tree"),
    Facet(name="env", field="", in_spack=False, many=True, needs="tree"),
    Facet(name="since", field="", in_spack=False, is_least=True, needs="tree"),
)
"""What is no field of a row, but worked out over the whole catalogue once a query asks for it (`search.computed`).

The namespace of the package; whether a binary exists for all that a spec needs, where dependencies are recorded. Where
an installation is open: the state there, whether a cache has it, whether nothing needs it, the environments that need
it, and the day of its installation.
"""

VALUE_KEYS: dict[str, Facet] = {
    facet.name: facet for facet in (*sorted(_RECORDS, key=lambda each: each.many), TAG, *COMPUTED)
}
"""The keys that a query may list values of, in canonical order: the facets (`many` last), `tag`, what is computed."""

BY_KEY = {key: facet for facet in VALUE_KEYS.values() for key in (facet.name, *facet.spellings)}
"""The same by every spelling of the key."""


class Profile(Struct, frozen=True, array_like=True):
    """One distinct combination of the values of all facets, in the spelling of the page; many rows share one."""

    stacks: tuple[str, ...]
    os: str | None
    platform: str | None
    target: str | None
    compiler: str | None
    state: str | None = None
    """Of a record of an installation; see `model.installed`."""
    explicit: str | None = None


profile_fields: Callable[[Row], tuple[object, ...]] = attrgetter(*Profile.__struct_fields__)
"""Returns the values of the fields of a row's profile."""

decode_profile = Decoder(Profile).decode
"""Reads the profile whose fields stand in a JSON array; raises msgspec.ValidationError."""
