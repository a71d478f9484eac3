"""Facets and the spelling of their values, and the classes for rows, pages and specs.

Rows and specs keep the spelling of the page. Comparisons use the spelling of `normal_compiler` and `normal_variant`.

To add a facet, add an entry to the table of facets, and a field to `Profile` and `Spec`. The readers of pages
(`page_forms`) and of build caches (`TagBuilder`) must fill the field. In queries, the tag is like a facet, although the
tag is a property of the page, not of the row.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Literal

import msgspec
from msgspec import Struct

from cachetui.model.installed import ABSENT, HIDDEN, PRESENT
from cachetui.model.tags import own_tag, tag_order
from cachetui.model.version import natural_key

ROOT = "root"
"""The name of the mirror that merges all stacks. It is listed last."""

AXES = ("package", "stack")
"""The default rows and columns of a coverage table."""

NO_COMPILER = "none"
"""The compiler of a row without a compiler, in the spelling of pages."""

MIXED = " ("
"""The text between the first compiler and the others: `llvm@18.1.3 (fortran gcc@13.2.0)`."""

FLAGS = ("cflags", "cppflags", "cxxflags", "fflags", "ldflags", "ldlibs")
"""The names of compiler flags in Spack."""

BUILTIN = "builtin"
"""The namespace of Spack's own packages."""

HASH = re.compile(r"[a-z2-7]{32}")
"""A complete hash: 160 bits in lower-case base32."""

HASH_WORD = re.compile(r"(?:[A-Za-z0-9_][\w.-]*(?:@[\w.,=:-]+)?)?/([A-Za-z2-7]{1,32})")
"""A word of a command line with a hash or its beginning: `/2feova4`, `hdf5/2feova4`, `hdf5@1.14/2feova4`."""

COMPILER_ALIASES: dict[str, str] = {
    "clang": "llvm",
    "oneapi": "intel-oneapi-compilers",
    "rocmcc": "llvm-amdgpu",
    "arm": "acfl",
    "intel": "intel-oneapi-compilers-classic",
}
"""The compiler names of Spack 0.22 that differ from Spack 1.x, with the package names that Spack 1.x uses."""


def at_version(name: str, version: str | None) -> str:
    """Return `hdf5@1.14`, or only the name if the version is unknown."""
    return f"{name}@{version}" if version else name


def split_compiler(compiler: str | None) -> tuple[str, str]:
    """Return the name (as in Spack 1.x) and the version of a compiler. If there are several, use the first one.

    Both are empty if there is none.
    """
    if not compiler or compiler == NO_COMPILER:
        return "", ""
    name, _, version = compiler.partition(MIXED)[0].partition("@")
    return COMPILER_ALIASES.get(name, name), version.removeprefix("=")


@lru_cache(4096)
def normal_compiler(compiler: str | None) -> str:
    """Return the normal spelling of a compiler: `intel-oneapi-compilers@2024.2.1` for `oneapi@=2024.2.1`.

    A missing compiler becomes `none`.
    """
    name, version = split_compiler(compiler)
    _, mixed, others = (compiler or "").partition(MIXED)
    return at_version(name, version) + mixed + others or NO_COMPILER


@lru_cache(1 << 16)
def read_variant(text: str) -> tuple[str, bool | frozenset[str]]:
    """Return the name of a variant as spelled on pages, and its value: True (on), False (off) or a set of values."""
    if text[:1] in ("+", "~", "-"):
        return text.lstrip("+~-"), text[0] == "+"
    name, _, value = text.partition("=")
    if value[:1] == value[-1:] == "'" and len(value) > 1:
        value = value[1:-1]
    elif value.startswith('"'):
        try:
            value = msgspec.json.decode(value, type=str)
        except ValueError:
            value = value.strip('"')
    return name.removesuffix(":"), frozenset(value.split(","))


@lru_cache(4096)
def normal_variant(variant: str) -> str:
    """Return the normal spelling of a variant, with sorted values: `patches=a,b` for `patches:=b,a`."""
    name, value = read_variant(variant)
    return variant if isinstance(value, bool) else f"{name}={','.join(sorted(value))}"


def _yes_no(value: str | bool) -> str:
    return value if isinstance(value, str) else "yes" if value else "no"


# Facets


_MACHINE = ("fe", "be", "frontend", "backend")
"""Words that mean the machine on which Spack runs."""


class Facet(Struct, frozen=True, kw_only=True):
    """A property of rows with a limited set of values, by which queries select rows."""

    name: str
    """The heading of the facet and its key in a query: `os=rhel8`."""
    source: Literal["profile", "column", "computed"] = "profile"
    """The source of the values: the profile of a row, a column of the index, or a function of `search.computed`."""
    field: str
    """The field of a row and of a spec that contains the value; empty without such a field."""
    many: bool = False
    """Whether a row may have several values."""
    normal: Callable[[str], str] = str
    """Returns the normal spelling of a value for comparisons."""
    last: str = ""
    """The value to list last; empty without such a value."""
    spellings: tuple[str, ...] = ()
    """Other keys of the facet in a query."""
    in_spack: bool = True
    """Whether this is also a key in Spack's specs. If so, a variant cannot have this name."""
    reserved: frozenset[str] = frozenset()
    """Words that Spack reads as values only if they are quoted."""
    has_ranges: bool = False
    """Whether `low:high` in a query is a range of values."""
    has_versions: bool = False
    """Whether values have the form NAME@VERSION. If so, NAME in a query means all versions."""
    groups: Mapping[str, Collection[str]] = {}
    """The words of a query that mean several values, each with these values."""
    needs: Literal["", "graph", "tree"] = ""
    """The kind of content that the facet needs: `graph` for recorded dependencies, `tree` for an installation."""
    is_least: bool = False
    """Whether a value in a query is a date and includes all later dates."""

    def text(self, of: "Profile | Spec") -> str:
        """Return the value of the facet in a row or a spec; empty if missing. Commas separate several values."""
        held = getattr(of, self.field)
        return ",".join(held) if self.many else "" if held in (None, "") else self.normal(held)

    def ordered(self, values: Iterable[str]) -> list[str]:
        """Return the values in natural order, with `last` at the end. Return tags in the order of `tag_order`."""
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
    Facet(name="explicit", field="explicit", normal=_yes_no, in_spack=False),
    Facet(name="tag", source="column", field="tag", in_spack=False),
    Facet(name="namespace", source="computed", field="", needs="graph"),
    Facet(name="complete", source="computed", field="", in_spack=False, needs="graph"),
    Facet(
        name="installed",
        source="computed",
        field="state",
        in_spack=False,
        groups={"yes": PRESENT, "no": (*HIDDEN, ABSENT)},
        needs="tree",
    ),
    Facet(name="incache", source="computed", field="", in_spack=False, needs="tree"),
    Facet(name="unused", source="computed", field="", in_spack=False, needs="tree"),
    Facet(name="env", source="computed", field="", in_spack=False, many=True, needs="tree"),
    Facet(name="since", source="computed", field="", in_spack=False, is_least=True, needs="tree"),
)
"""All facets. `complete`: whether each recorded dependency has a binary. The last five need an installation:

`installed`: the state. `incache`: whether a cache has a binary. `unused`: whether Spack may remove the spec.
`env`: the environments that need the spec. `since`: the date of the installation.
"""

VALUE_KEYS: dict[str, Facet] = {
    facet.name: facet for facet in sorted(_RECORDS, key=lambda each: each.many or each.source != "profile")
}
"""The facets by key: first the facets of a `Profile` that have one value, then all others."""

FACETS: dict[str, Facet] = {facet.name: facet for facet in _RECORDS if facet.source == "profile"}
"""The facets of profiles by name, in the order of the sidebar."""

COLUMN_AXES: tuple[str, ...] = tuple(dict.fromkeys(("stack", "target", *FACETS, "tag")))
"""The properties that the columns of a coverage table can show."""

ROW_AXES: tuple[str, ...] = ("package", "version", *COLUMN_AXES)
"""The properties that the rows of a coverage table can show."""

BY_KEY = {key: facet for facet in VALUE_KEYS.values() for key in (facet.name, *facet.spellings)}
"""All facets by every spelling of their key."""


# Rows, pages and specs


class Profile(Struct, frozen=True, array_like=True):
    """A combination of facet values that many rows share, in the spelling of the page.

    A value that the page omits is None or empty.
    """

    stacks: tuple[str, ...] = ()
    os: str | None = None
    platform: str | None = None
    target: str | None = None
    compiler: str | None = None
    state: str | None = None
    """The state in an installation, see `model.installed`; None outside an installation."""
    explicit: str | None = None
    """Whether a user requested the spec: `yes` or `no`; None outside an installation."""


profile_fields: Callable[[Profile], tuple[object, ...]] = attrgetter(*Profile.__struct_fields__)
"""Returns the values of the facets of a row."""

decode_profile = msgspec.json.Decoder(Profile).decode
"""Reads a profile from the JSON array of its fields; raises msgspec.ValidationError."""


class Row(Profile, frozen=True, kw_only=True, array_like=False):
    """One binary as its page describes it. A value that the page omits is None."""

    hash: str | None = None
    versions: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    size: str | int | None = None
    """The number of bytes, or `-` if the page does not have the size."""
    tarball: str | tuple[str, ...] | None = None
    """The address of the tarball, or its `address_parts`."""
    dependencies: tuple[str, ...] = ()
    """The spec strings of all dependencies, without the `^`."""


class Page(Struct, frozen=True, kw_only=True):
    """One package in one tag."""

    path: str
    """The path relative to the content folder, with `/` between folders."""
    package: str
    tag: str
    hashes: tuple[str | None, ...]
    builds: tuple[Row, ...]
    """The rows, with None as hash and `address_parts` as tarball, so that equal rows can be one object."""

    @classmethod
    def of(cls, path: str, package: str, tag: str, rows: Iterable[Row]) -> "Page":
        """Return a page of these rows."""
        rows = tuple(rows)
        builds = tuple(
            msgspec.structs.replace(row, hash=None, tarball=address_parts(row.tarball, row.hash, tag)) for row in rows
        )
        return cls(path=path, package=package, tag=tag, hashes=tuple(row.hash for row in rows), builds=builds)


def address_parts(
    tarball: str | tuple[str, ...] | None, spec_hash: str | None, tag: str
) -> str | tuple[str, ...] | None:
    """Split the address of a tarball at the hash, so that many rows share the parts.

    If the address contains a folder with the name of the tag, also split the address there. If the address does not
    contain the hash, return the address unchanged.
    """
    if not isinstance(tarball, str) or not spec_hash:
        return tarball
    before, within, after = tarball.partition(spec_hash)
    if not within:
        return tarball
    above, folder, below = before.partition(f"/{tag}/")
    return (f"{above}/", f"/{below}", after) if folder and "/" not in tag else (before, after)


def address(tarball: str | tuple[str, ...] | None, spec_hash: str | None, tag: str) -> str | None:
    """Return the address of a tarball. `tarball`: the address, or its parts as returned by `address_parts`."""
    if not isinstance(tarball, tuple):
        return tarball
    *above, before, after = tarball
    return "".join([*above, own_tag(tag) if above else "", before, spec_hash or "", after])


class Spec(Struct, frozen=True, kw_only=True):
    """One binary in one tag, spelled as in the content. The fields are the keys of the JSON output, in this order."""

    package: str
    version: str | None
    hash: str | None
    tag: str
    tags: tuple[str, ...]
    """All tags with this hash, including `tag`."""
    compiler: str | None
    os: str | None
    platform: str | None
    target: str | None
    variants: tuple[str, ...]
    stacks: tuple[str, ...]
    bytes: int | None
    signed: bool | None = None
    """Whether the binary is signed; None if unknown or unread."""
    tarball: str | None
    state: str | None = None
    """The state in an installation. This field and all fields below come from its database, see `model.installed`."""
    explicit: bool | None = None
    installed: str | None = None
    """The time of the installation in UTC: `2026-11-23T21:50:00Z`."""
    prefix: str | None = None


def all_signed(signatures: Iterable[bool | None]) -> bool | None:
    """Return whether all binaries are signed: False if one is unsigned, else None if one is unknown, else True.

    Return None for an empty list.
    """
    return min(signatures, key=(False, None, True).index, default=None)
