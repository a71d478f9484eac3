"""Read the JSON rows of a newer page (2023 and later).

`sound_rows` decodes a correct page in one call. Nearly all pages are correct. Rows of different tags often differ only
in the hash and the URL of the tarball. Such rows share one `Row`, whose fields are decoded only once.
`careful_rows` reads all other pages row by row, so that after an error only one field of one row is missing.
Input: the texts after `meta:` and `spec_details:`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import Annotated, Any

import msgspec
from msgspec import Raw, Struct

from cachetui.model.spec import Row, address_parts
from cachetui.sources.pages.frontmatter import FrontMatter, RowFaults, json_list
from cachetui.sources.pages.older_rows import split_architecture

MAX_SHOWN_CHARACTERS = 60
"""Maximum number of characters of a value in a message."""

MAX_CACHED_BUILDS = 1 << 12
"""Maximum number of cached `Row`s. Each uses one or two kilobytes."""

REQUIRED = ("hash", "compiler", "versions", "os", "platform", "target", "variants", "stacks")
"""The required fields of a row in a newer page."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
"""The characters of a hash."""

StatedBytes = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class WrittenRow(Struct, gc=False, kw_only=True):
    """A row whose lists are not decoded yet. Decoding raises an error if a required field is missing.

    The fields are in the same order as in pages, because this makes msgspec fastest.
    """

    compiler: str
    hash: str
    os: str
    platform: str
    size: str | StatedBytes | None = None
    stacks: Raw
    tarball: str | None = None
    target: str
    variants: Raw
    versions: Raw


class Meta(Struct, frozen=True, kw_only=True):
    """Counts and distinct values of a page's rows, read from the page's key `meta` or computed from the rows.

    A value that the page omits is None.
    """

    num_specs: int | None = None
    num_specs_by_stack: dict[str, int] | None = None
    versions: frozenset[str] | None = None
    compilers: frozenset[str | None] | None = None
    oss: frozenset[str | None] | None = None
    platforms: frozenset[str | None] | None = None
    targets: frozenset[str | None] | None = None
    stacks: frozenset[str] | None = None


_decode_rows = msgspec.json.Decoder(list[WrittenRow]).decode
_decode_meta = msgspec.json.Decoder(Meta).decode
_decode_fields = msgspec.json.Decoder(dict[str, Raw]).decode
_decode_text = msgspec.json.Decoder(str).decode
_decode_texts = msgspec.json.Decoder(tuple[str, ...]).decode
_DECODE: dict[str, Callable[[bytes], Any]] = {
    **dict.fromkeys(
        ("hash", "compiler", "os", "platform", "target", "tarball"), msgspec.json.Decoder(str | None).decode
    ),
    **dict.fromkeys(("versions", "variants", "stacks"), msgspec.json.Decoder(tuple[str, ...] | None).decode),
    "size": msgspec.json.Decoder(str | StatedBytes | None).decode,
}
"""The decoder for each field of a row."""


class StatedFields(Struct, frozen=True, eq=False, gc=False):
    """Some fields of a row: those that the page's key `meta` summarizes. Rows with equal fields share one object."""

    compiler: str
    os: str
    platform: str
    target: str
    versions: tuple[str, ...]
    stacks: tuple[str, ...]


def sound_rows(text: str, tag: str) -> tuple[tuple[str, ...], tuple[Row, ...]] | None:
    """Read the rows of a correct page: return the hash of each row, and each row as a `Row` whose hash is omitted.

    Return None for any other page. `text` is the part of the page after `meta: `. `tag` is the tag of the page.
    """
    meta, _, rest = text.partition("\nspec_details: ")
    rows, _, end = rest.rpartition("\n---")
    try:
        written = _decode_rows(rows)
        kinds = [
            _kind(row.compiler, row.os, row.platform, row.target, bytes(row.versions), bytes(row.stacks))
            for row in written
        ]
        builds = [
            _build(kind, bytes(row.variants), row.size, row.tarball and address_parts(row.tarball, row.hash, tag))
            for kind, row in zip(kinds, written, strict=True)
        ]
        agrees = _agrees(meta, tuple(sorted(kinds, key=id)))
    except (ValueError, RecursionError):
        return None
    hashes = tuple([row.hash for row in written])
    if end.strip() or not agrees or set(map(len, hashes)) - {32} or "".join(hashes).strip(_LETTERS):
        return None
    return hashes, tuple(builds)


@lru_cache(MAX_CACHED_BUILDS)
def _build(kind: StatedFields, variants: bytes, size: str | int | None, tarball: str | tuple[str, ...] | None) -> Row:
    """Return a row with these fields, but without a hash. Raises ValueError if `variants` is invalid."""
    return Row(
        compiler=kind.compiler,
        versions=kind.versions,
        os=kind.os,
        platform=kind.platform,
        target=kind.target,
        variants=_decode_texts(variants),
        stacks=kind.stacks,
        size=size,
        tarball=tarball,
    )


@lru_cache(MAX_CACHED_BUILDS)
def _kind(compiler: str, os: str, platform: str, target: str, versions: bytes, stacks: bytes) -> StatedFields:
    """Return the object that rows with these fields share.

    `versions` and `stacks` are JSON lists. Raises ValueError if a list is invalid, or if the version is missing.
    """
    if not (decoded := _decode_texts(versions)):
        raise ValueError("no version")
    return StatedFields(compiler, os, platform, target, decoded, _decode_texts(stacks))


@lru_cache(MAX_CACHED_BUILDS)
def _agrees(meta: str, kinds: Sequence[StatedFields]) -> bool:
    """Return whether the page's key `meta` agrees with the rows. Raises ValueError if the key's value is invalid."""
    return _decode_meta(meta) == _summary(kinds)


def _summary(rows: Sequence[Row | StatedFields]) -> Meta:
    """Return the values that the page's key `meta` should have for these rows."""
    by_stack = dict(Counter(chain.from_iterable([row.stacks for row in rows])))
    return Meta(
        num_specs=len(rows),
        num_specs_by_stack=by_stack,
        versions=frozenset(chain.from_iterable([row.versions for row in rows])),
        compilers=frozenset([row.compiler for row in rows]),
        oss=frozenset([row.os for row in rows]),
        platforms=frozenset([row.platform for row in rows]),
        targets=frozenset([row.target for row in rows]),
        stacks=frozenset(by_stack),
    )


def careful_rows(front: FrontMatter) -> list[Row]:
    """Return all readable rows of a newer page (2023 and later). Add the errors in rows to the problems of the page."""
    entry, faults = front.entries["spec_details"], RowFaults()
    texts, end = json_list(entry.text)
    rows = [row for number, text in enumerate(texts, 1) if (row := _row(number, text, faults))]
    is_faulty = faults.report(front, len(texts), entry.at)
    if end is not None:
        message = f"the rows of spec_details after row {len(texts)} cannot be read"
        front.add("unreadable", message, entry.at + end)
    meta = front.entries.get("meta")
    if meta is not None and not is_faulty and end is None:
        for message in _contradictions(meta.text, _summary(rows)):
            front.add("meta", message, meta.at)
    return rows


def _row(number: int, text: str, faults: RowFaults) -> Row | None:
    """Return a row with its readable fields, or None if the text is an invalid JSON object."""
    try:
        written = _decode_fields(text)
    except (ValueError, RecursionError):
        faults.add(number, "row", "the JSON cannot be read")
        return None
    with suppress(KeyError, ValueError):
        places = split_architecture(_decode_text(written["architecture"]))
        written = _decode_fields(msgspec.json.encode(places)) | written
    fields: dict[str, Any] = {}
    for field, decode in _DECODE.items():
        try:
            found = decode(written.get(field, b"null"))
        except ValueError:
            faults.add(number, "row", f"{field} cannot be read")
            continue
        if found is not None and (found or field != "versions"):
            fields[field] = found
        elif field in REQUIRED:
            faults.add(number, "missing_field", f"{field} is missing")
    faults.check_hash(number, fields.get("hash"))
    return Row(**fields)


def _contradictions(meta: str, actual: Meta) -> Iterator[str]:
    """Yield a message for each value under the page's key `meta` that contradicts the rows."""
    try:
        stated = _decode_meta(meta)
    except (ValueError, RecursionError) as error:
        yield f"meta cannot be read: {error}"
        return
    for key in Meta.__struct_fields__:
        said, found = getattr(stated, key), getattr(actual, key)
        if said is not None and said != found:
            only = "" if isinstance(said, int) else "only "
            yield f"{key}: {_shown(said, found)} {only}in meta, {_shown(found, said)} {only}in the rows"


def _shown(one: Any, other: Any) -> str:
    """Return `one` as a string for a message. For a set or a mapping, omit the elements that `other` also has."""
    if isinstance(one, int):
        return str(one)
    if isinstance(one, dict):
        only = [f"{stack} {count}" for stack, count in one.items() if other.get(stack) != count]
    else:
        only = sorted(map(str, one - other))
    return ", ".join(only)[:MAX_SHOWN_CHARACTERS] or "none"
