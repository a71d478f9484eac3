"""The fast way to the rows of a newer page without any fault, as nearly all are.

Rows repeat from tag to tag in all but their hash, which the address of their tarball may hold too, beside the tag. So a
row is looked up by its text without these; it is decoded and checked the first time that it is met. The rows are the
same as those of `newer_rows`.
Input: the text behind `meta:`.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from cachetui.model.spec import Row, address, address_parts
from cachetui.sources.pages.frontmatter import is_deep, is_size
from cachetui.sources.pages.newer_rows import Meta, summary

MOST_REMEMBERED = 1 << 14
"""Most rows and summaries that are remembered; each takes a kilobyte or two."""

_LETTERS = b"abcdefghijklmnopqrstuvwxyz234567"
"""The letters of a hash."""

_ROWS_KEY, _HASH_KEY, _TARBALL_KEY = "\nspec_details: ", '"hash": "', '"tarball": "'
_KEY_LENGTH = len(_HASH_KEY)
_CUT = "\0"
"""Around what stands for a tag or a hash that was cut out; no page without a fault has this character."""
_HASH, _TAG = "\0hash\0", "\0tag\0"


class _Written(Struct, gc=False):
    """A row as it is written; one that lacks a field is refused."""

    hash: str
    compiler: str
    os: str
    platform: str
    target: str
    versions: tuple[str, ...]
    variants: tuple[str, ...]
    stacks: tuple[str, ...]
    size: str | int | None = None
    dependencies: tuple[str, ...] | None = None
    tarball: str | None = None


_ROW = msgspec.json.Decoder(_Written)
_META = msgspec.json.Decoder(Meta)


class Memory:
    """What was read before, so that rows that come again are not decoded again. Threads may share it."""

    def __init__(self) -> None:
        self._known: tuple[dict[str, Row], set[tuple[object, ...]]] = ({}, set())

    def known(self) -> tuple[dict[str, Row], set[tuple[object, ...]]]:
        """Return the rows by their texts without hash and tag, and each `meta` with the ids of rows that it is true of.

        Everything is forgotten when it has grown large.
        """
        if sum(map(len, self._known)) >= MOST_REMEMBERED:
            self._known = {}, set()
        return self._known


def sound_rows(text: str, tag: str, memory: Memory) -> tuple[tuple[str, ...], tuple[Row, ...]] | None:
    """Return the hashes and builds of a page of this tag without any fault, of all that follows its `meta:`.

    See `model.spec.Page`. None for any other page.
    """
    meta_end, rows_end = text.find("\n"), text.rfind("\n---")
    if not text.startswith(_ROWS_KEY, meta_end) or text[rows_end:].rstrip(" \t\r\n") != "\n---":
        return None
    meta, rows = text[:meta_end], text[meta_end + len(_ROWS_KEY) : rows_end]
    if not (rows.startswith("[{") and rows.endswith("}]")) or _CUT in rows:
        return None
    if _TARBALL_KEY in rows:
        rows = rows.replace(f"/{tag}/", f"/{_TAG}/")
    known, agreed = memory.known()
    hashes: list[str] = []
    builds: list[Row] = []
    try:
        for row in rows[2:-2].split("}, {"):
            start = row.find(_HASH_KEY) + _KEY_LENGTH
            spec_hash = row[start : start + 32]
            around = row.replace(spec_hash, _HASH)
            build = known.get(around)
            if build is None:
                build = known.setdefault(around, _new_build(around, spec_hash, tag))
            hashes.append(spec_hash)
            builds.append(build)
        if set(map(len, hashes)) != {32} or "".join(hashes).encode().translate(None, _LETTERS):
            return None
        key = (meta, *sorted(map(id, builds)))
        if key not in agreed:
            if is_deep(meta) or _META.decode(meta) != summary(builds):
                return None
            agreed.add(key)
    except (ValueError, RecursionError):
        return None
    return tuple(hashes), tuple(builds)


def _new_build(around: str, spec_hash: str, tag: str) -> Row:
    """Return a row without its hash, of its text without the hash and the tag; raises ValueError for any fault."""
    text = around.replace(_HASH, spec_hash).replace(_TAG, tag)
    row = _ROW.decode(f"{{{text}}}")
    if row.hash != spec_hash or is_deep(text):
        raise ValueError("another hash counts, or nested too deep")
    if not row.versions or not (row.size == "-" or is_size(row.size)):
        raise ValueError("no version, or not a size")
    tarball = row.tarball and address_parts(row.tarball, row.hash, tag)
    if not _is_cut_out(around, tarball):
        raise ValueError("hash or tag elsewhere")
    return Row(
        compiler=row.compiler,
        versions=row.versions,
        os=row.os,
        platform=row.platform,
        target=row.target,
        variants=row.variants,
        stacks=row.stacks,
        size=row.size,
        tarball=tarball,
        dependencies=row.dependencies or (),
    )


def _is_cut_out(around: str, tarball: str | tuple[str, ...] | None) -> bool:
    """Return whether a row says the same whatever the hash and the tag are that were cut out of it.

    So it does where nothing was cut out but its own hash, spelled plainly, and hash and tag in its tarball.
    """
    if "\\u" in around:
        return False
    if not isinstance(tarball, tuple):
        return around.count(_CUT) == 2
    written = address(tarball, _HASH, _TAG) or ""
    return written in around and around.count(_CUT) == 2 * len(tarball)
