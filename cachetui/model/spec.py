"""The vocabulary: what a page, a row and a spec are, and how what they say is spelled and ordered.

Rows and specs keep the spelling of the page; `normal_compiler` and `normal_variant` give the one that is compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec
from msgspec import Struct

UNTAGGED = "untagged"
"""The tag of a page that names none (the forms of 2021 and 2022)."""

ROOT = "root"
"""The pseudo-stack of the mirror that merges all stacks, shown last."""

NO_COMPILER = "none"
"""What a page writes where there is no compiler."""

MIXED = " ("
"""What follows the first compiler of a spec with several: `llvm@18.1.3 (fortran gcc@13.2.0)`."""

FLAGS = ("cflags", "cppflags", "cxxflags", "fflags", "ldflags", "ldlibs")
"""The names of compiler flags in Spack."""

BUILTIN = "builtin"
"""The namespace of Spack's own packages."""

HASH = re.compile(r"[a-z2-7]{32}")
"""A whole hash: 160 bits in lower-case base32."""

HASH_WORD = re.compile(r"(?:[A-Za-z0-9_][\w.-]*(?:@[\w.,=:-]+)?)?/([A-Za-z2-7]{1,32})")
"""A hash or its beginning as a word of a command line: `/2feova4`, `hdf5/2feova4`, `hdf5@1.14/2feova4`."""

COMPILER_ALIASES: dict[str, str] = {
    "clang": "llvm",
    "oneapi": "intel-oneapi-compilers",
    "rocmcc": "llvm-amdgpu",
    "arm": "acfl",
    "intel": "intel-oneapi-compilers-classic",
}
"""The compilers that Spack 0.22 calls by another name than Spack 1.x, which calls them as their package."""


class Row(Struct, frozen=True, kw_only=True):
    """One binary as its page writes it; None where the page has nothing."""

    hash: str | None = None
    compiler: str | None = None
    versions: tuple[str, ...] = ()
    os: str | None = None
    platform: str | None = None
    target: str | None = None
    variants: tuple[str, ...] = ()
    stacks: tuple[str, ...] = ()
    size: str | int | None = None
    """Bytes, or `-` where the page does not know."""
    tarball: str | tuple[str, ...] | None = None
    """Its address; see `address_parts` for one without its hash."""
    dependencies: tuple[str, ...] = ()
    """Spec strings of all dependencies, without the `^`."""
    state: str | None = None
    """Of a record of an installation; see `model.installed`."""
    explicit: str | None = None
    """Whether a user asked for it, `yes` or `no`."""


class Page(Struct, frozen=True, kw_only=True):
    """One package in one tag."""

    path: str
    """Relative to the content folder, with `/`."""
    package: str
    tag: str
    hashes: tuple[str | None, ...]
    builds: tuple[Row, ...]
    """The rows without their hashes, tarballs as `address_parts`: so rows that are else equal may be one object."""

    @classmethod
    def of(cls, path: str, package: str, tag: str, rows: Iterable[Row]) -> Page:
        """Return a page of these rows."""
        rows = tuple(rows)
        builds = tuple(
            msgspec.structs.replace(row, hash=None, tarball=address_parts(row.tarball, row.hash, tag)) for row in rows
        )
        return cls(path=path, package=package, tag=tag, hashes=tuple(row.hash for row in rows), builds=builds)


def address_parts(
    tarball: str | tuple[str, ...] | None, spec_hash: str | None, tag: str
) -> str | tuple[str, ...] | None:
    """Return the address of a tarball as the texts around its hash, which rows that are else equal share.

    Two texts, or three where a folder in front of the hash is named after the tag: the tag stands behind the first, the
    hash before the last. An address without the hash is returned as it is.
    """
    if not isinstance(tarball, str) or not spec_hash:
        return tarball
    before, within, after = tarball.partition(spec_hash)
    if not within:
        return tarball
    above, folder, below = before.partition(f"/{tag}/")
    return (f"{above}/", f"/{below}", after) if folder and "/" not in tag else (before, after)


def address(tarball: str | tuple[str, ...] | None, spec_hash: str | None, tag: str) -> str | None:
    """Return the whole address of a tarball, of its `address_parts` too."""
    if not isinstance(tarball, tuple):
        return tarball
    *above, before, after = tarball
    return "".join([*above, own_tag(tag) if above else "", before, spec_hash or "", after])


class Spec(Struct, frozen=True, kw_only=True):
    """One binary in one tag, spelled as on the page; its fields are the keys of the JSON output, in their order."""

    package: str
    version: str | None
    hash: str | None
    tag: str
    tags: tuple[str, ...]
    """Every tag that holds this hash, this one included."""
    compiler: str | None
    os: str | None
    platform: str | None
    target: str | None
    variants: tuple[str, ...]
    stacks: tuple[str, ...]
    bytes: int | None
    signed: bool | None = None
    """None where it is not known, or not read."""
    tarball: str | None
    state: str | None = None
    """Of a record of an installation, as all that follows; see `model.installed`."""
    explicit: bool | None = None
    installed: str | None = None
    """When it was installed, in UTC: `2026-11-23T21:50:00Z`."""
    prefix: str | None = None


def all_signed(signatures: Iterable[bool | None]) -> bool | None:
    """Return False where one of the binaries is not signed, else None where that is not known of one, else True.

    None for no binaries.
    """
    return min(signatures, key=(False, None, True).index, default=None)


def split_compiler(compiler: str | None) -> tuple[str, str]:
    """Return the name, as Spack 1.x spells it, and the version; two empty texts for no compiler.

    Of several, as in `llvm@18.1.3 (fortran gcc@13.2.0)`, the first.
    """
    if not compiler or compiler == NO_COMPILER:
        return "", ""
    name, _, version = compiler.partition(MIXED)[0].partition("@")
    return COMPILER_ALIASES.get(name, name), version.removeprefix("=")


def normal_compiler(compiler: str | None) -> str:
    """Return `oneapi@=2024.2.1` as `intel-oneapi-compilers@2024.2.1`, and no compiler as `none`."""
    name, version = split_compiler(compiler)
    _, mixed, others = (compiler or "").partition(MIXED)
    return (f"{name}@{version}" if version else name) + mixed + others or NO_COMPILER


@lru_cache(1 << 16)
def read_variant(text: str) -> tuple[str, bool | frozenset[str]]:
    """Read a variant as pages write it: its name, and whether it is on, or its words."""
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
    """Return `patches:=b,a`, `patches=b,a` and `patches='a,b'` all as `patches=a,b`: the order means nothing."""
    name, value = read_variant(variant)
    return variant if isinstance(value, bool) else f"{name}={','.join(sorted(value))}"


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts `gcc@9` before `gcc@11`: runs of digits by value, numbers before letters."""
    return tuple(
        (0, int(piece), piece) if piece.isdecimal() else (1, 0, piece)
        for piece in re.findall(r"[0-9]{1,18}|[^0-9]+", text)
    )


def own_tag(tag: str) -> str:
    """Return TAG of `LABEL/TAG`, as tags are called where several contents are open; another tag as it is."""
    return tag.rpartition("/")[2]
