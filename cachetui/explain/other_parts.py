"""What was meant by a part of a query that nothing has, where it is a part of another kind: `stack=e4s` for `e4s`.

Input: an index, and a part that takes no row of it. The texts quote the part, so escape them before they are shown.
"""

from __future__ import annotations

import re

from cachetui.explain.named_package import NamedPackage
from cachetui.model.facets import VALUE_KEYS, facet_of
from cachetui.model.host import PLATFORMS, platform_of_os
from cachetui.model.likeness import nearest_names, slips
from cachetui.model.spec import split_compiler
from cachetui.query.keys import glued_key
from cachetui.query.parts.dependencies import DependencyPart
from cachetui.query.parts.facets import CompilerPart, ValuePart
from cachetui.query.parts.names import HashPart, NamePart, VersionPart
from cachetui.query.parts.part import Part
from cachetui.query.parts.variants import VariantPart
from cachetui.search.dependencies import dependency_names
from cachetui.search.hashes import prefixed
from cachetui.search.index import Index

_SIGNS = {"version": "@", "versions": "@", "ver": "@", "hash": "/", "variant": "+", "variants": "+"}
"""Keys that people give to what a query writes with a sign, without an `=`."""

_WORDS = (*VALUE_KEYS, "fits", "complete")
"""The keys that have values of a catalogue."""

SHORT_HASH = 7
"""Letters of a hash as Spack shows it in lists and logs."""

_LEAST_OF_KEY = 3
"""Letters from which on the beginning of a key is meant to be one."""

_NAME_VERSION = re.compile(r"(?P<name>.+?)-(?P<version>v?[0-9][\w.]*)")
"""A package with its version as the names of files have them."""


def other_part(index: Index, part: Part, value: str, *, has_variant_like_it: bool) -> str:
    """The text that was meant by a part whose value no row has; empty where it may be what it says.

    `has_variant_like_it`: there are variants that are spelled like it, which are more likely meant than a key.
    """
    if isinstance(part, NamePart):
        return _for_name(index, value)
    if isinstance(part, HashPart):
        small = value.lower()
        return f"/{small}" if small != value and prefixed(index.columns.hashes, small) else ""
    if isinstance(part, CompilerPart):
        return _for_compiler(index, part)
    if isinstance(part, ValuePart):
        key = _key_of(index, value)
        sign = "!=" if part.is_exclusion else "="
        return f"{key}{sign}{value}" if key and key != part.key else ""
    if isinstance(part, VariantPart) and not isinstance(part.value, bool):
        wanted = part.text.removeprefix(part.name).lstrip(":=")
        return _for_variant(index, part.name, wanted, has_variant_like_it=has_variant_like_it)
    return ""


def with_blank_put_in(index: Index, part: Part) -> str:
    """The word and the KEY=VALUE that a part is without the blank between them, with it; empty where it is not that.

    `hdf5os=rhel8` is, where there is a package hdf5 or an os rhel8; `hdf5 os=rhel8` is given for it.
    """
    if not isinstance(part, VariantPart) or isinstance(part.value, bool) or not (key := glued_key(part.name)):
        return ""
    word, wanted = part.name.removesuffix(key), part.text.removeprefix(part.name).lstrip(":=")
    facet = facet_of(key)
    is_known = facet is not None and (wanted in index.values(facet.name) or _key_of(index, wanted) == facet.name)
    return f"{word} {key}={wanted}" if is_known or index.package_number(word) is not None else ""


def version_put_before(index: Index, part: CompilerPart, package: NamedPackage) -> str:
    """The version of the package and the compiler alone, where the version behind it is none of its own: it was typed
    behind a filter that ends with the compiler. Empty where a version of the compiler may be meant."""
    if package.name is None or part.versions is None or not index.part_rows(CompilerPart(part.name)):
        return ""
    version = VersionPart(part.versions)
    goes_on = any(f"%{compiler}".startswith(part.text) for compiler in index.values("compiler"))
    return f"{version.text} %{part.name}" if package.rows_with(version) and not goes_on else ""


def _for_name(index: Index, name: str) -> str:
    file_name = _NAME_VERSION.fullmatch(name)
    if file_name and index.package_number(file_name["name"]) is not None:
        return f"{file_name['name']}@{file_name['version']}"
    if key := _key_of(index, name):
        return f"{key}={name}"
    if len(name) >= SHORT_HASH and prefixed(index.columns.hashes, name):
        return f"/{name}"
    return next(
        (f"{key}=" for key in _WORDS if key == name or (len(name) >= _LEAST_OF_KEY and key.startswith(name))), ""
    )


def _for_compiler(index: Index, part: CompilerPart) -> str:
    """The compiler that its name is a slip of, with the version that was typed; else the dependency of this name or,
    where no compiler has a name like it, of one that differs by a typing error."""
    compilers = sorted({split_compiler(compiler)[0] or compiler for compiler in index.values("compiler")})
    if part.name in compilers:
        return ""
    versions = part.text.removeprefix(f"%{part.name}")
    if versions and (slipped := slips(part.name, compilers)):
        meant = CompilerPart(slipped[0], part.versions)
        return meant.text if index.part_rows(meant) else ""
    if not index.graph:
        return ""
    if index.part_rows(DependencyPart(False, part.name)):
        return f"^{part.name}{versions}"
    near = () if nearest_names(part.name, compilers) else slips(part.name, dependency_names(index))
    return f"^{near[0]}{versions}" if near else ""


def _for_variant(index: Index, name: str, wanted: str, *, has_variant_like_it: bool) -> str:
    if index.package_number(name) is not None and wanted[:1].isdigit():
        return f"{name}@{wanted}"
    if name in _SIGNS:
        return f"{_SIGNS[name]}{wanted}"
    keys = () if has_variant_like_it else nearest_names(name, _WORDS, most=1)
    return f"{keys[0]}={wanted}" if keys else ""


def _key_of(index: Index, value: str) -> str:
    """The key whose value this is: one of the catalogue's, else a platform or an os that is known."""
    if not value:
        return ""
    for key in VALUE_KEYS:
        if value in index.values(key):
            return key
    if value in PLATFORMS:
        return "platform"
    return "os" if platform_of_os(value) else ""
