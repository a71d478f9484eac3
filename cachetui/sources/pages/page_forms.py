"""Read one file as a page in any of the known formats.

A page is recognized only by its front matter, not by its name or folder. `read` returns the readable values of a page,
and problems for the others. Any other file, such as a README, is ignored. But if the front matter is wrong and the file
has the rows or the file name of a page, the file is reported as a damaged page.
`sound_page` is a fast function for a correct page in the newest format. Any other page is read by a slower function.

In a newer page (2023 and later), the rows are JSON. `sound_rows` decodes a correct page in one call. Nearly all pages
are correct. Rows of different tags often differ only in the hash and the URL of the tarball. Such rows share one `Row`,
whose fields are decoded only once. `careful_rows` reads all other pages row by row, so that after an error only one
field of one row is missing.

In an older page (2021 and 2022), the rows are spec strings, each with a sidecar file in JSON. A spec string:
`name@version%compiler@version+on~off key=value arch=platform-os-target ^dependency …`. After an error, only one row is
missing. Without a sidecar file, the row has no hash, which is not an error.
Input: any file, and the other files in its folder.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, zip_longest
from typing import Annotated, Any

import msgspec
from msgspec import Raw, Struct

from cachetui.model.problem import Problem
from cachetui.model.spec import Page, Row, address_parts, normal_compiler
from cachetui.model.tags import UNTAGGED
from cachetui.sources.buildcache.manifests import read_spec_file
from cachetui.sources.buildcache.node import WrittenNode, architecture_of, compiler_of, variants_of
from cachetui.sources.files import read_file
from cachetui.sources.pages.frontmatter import OPENING, FrontMatter, RowFaults, front_matter, json_list
from cachetui.sources.pages.listing import SIDECAR, unreadable
from cachetui.store.mtimes import UNREAD_MTIMES, Mtimes

MAX_PAGE_BYTES = 8 * 2**20
"""Maximum size of a page in bytes. The largest real page is smaller than 2 MB."""

_OTHER_LAYOUT = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*?[\"']?layout[\"']?[ \t]*:[ \t]*\S")
_ROWS_KEY = re.compile(rb"\nspec_(?:details|files)[ \t]*:")
# The file names of pages on the website and in a flat folder.
_PAGE_FILE = re.compile(r"(?:.*/)?(?:specs\.md|[0-9]+_[0-9a-f]{16}\.(?:md|markdown|txt))")

_SOUND_HEAD = re.compile(
    r"\ufeff?---\r?\n"
    r'title: "([\w.+-]+)"\r?\n'
    r"layout: cache\r?\n"
    r"categories: \[package, ([\w.+-]+)\]\r?\n"
    r"meta: ",
    re.ASCII,
)


class Reading(Struct, frozen=True):
    """The result of reading one file: a page, problems, or both. Both are missing if the file is not a page."""

    page: Page | None
    problems: tuple[Problem, ...]
    files: dict[str, Mtimes]
    """The size and times of all files that were read: the file itself, then the sidecar files of a page."""


def read(root: str, path: str) -> Reading:
    """Read one file. Report errors as problems instead of raising them."""
    try:
        mtimes, data, is_too_large = read_file(f"{root}/{path}", MAX_PAGE_BYTES)
    except OSError as error:
        return Reading(None, (unreadable(path, error),), {path: UNREAD_MTIMES})
    page = None if is_too_large else sound_page(path, data)
    if page is not None:
        return Reading(page, (), {path: mtimes})
    front = front_matter(path, data)
    if front is None:
        return Reading(None, _lost_page(path, data), {path: mtimes})
    if is_too_large:
        front.add("unreadable", f"the page is larger than {MAX_PAGE_BYTES // 2**20} MB")
        return Reading(None, tuple(front.problems), {path: mtimes})
    page, sidecars = _careful_page(root, front)
    return Reading(page, tuple(front.problems), {path: mtimes, **sidecars})


def sound_page(path: str, data: bytes) -> Page | None:
    """Return the page in a file if it is a correct page in the newest format, else None."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    head = _SOUND_HEAD.match(text)
    found = head and sound_rows(text[head.end() :], head[2])
    if not (head and found):
        return None
    return Page(path=path, package=head[1], tag=head[2], hashes=found[0], builds=found[1])


def _careful_page(root: str, front: FrontMatter) -> tuple[Page | None, dict[str, Mtimes]]:
    """Return a page in any format with its readable values, and the mtimes of its sidecar files.

    The page is None if the title or the category is unreadable.
    """
    titles = front.names("title")
    categories = front.names("categories" if "categories" in front.entries else "category")
    if titles == []:
        front.add("unreadable", "no title", front.end)
    if not titles or categories is None:
        return None, {}
    package, tag = titles[0], next((name for name in categories if name != "package"), UNTAGGED)
    rows: list[Row] = []
    sidecars: dict[str, Mtimes] = {}
    if "spec_details" in front.entries:
        rows = careful_rows(front)
    elif {"spec_files", "spec_names"} & front.entries.keys():
        older = OlderRows(root, front, package)
        rows, sidecars = older.rows, older.sidecars
    else:
        front.add("unreadable", "it has no spec_details", front.end)
    if not front.closed and not front.problems:
        front.add("unreadable", "no closing `---` line", front.end)
    return Page.of(front.path, package, tag, rows), sidecars


def _lost_page(path: str, data: bytes) -> tuple[Problem, ...]:
    """Return a problem if a file that was not recognized as a page seems to be a damaged page."""
    if _OTHER_LAYOUT.match(data) or not (_PAGE_FILE.fullmatch(path) or _ROWS_KEY.search(data)):
        return ()
    is_open = OPENING.match(data) is not None
    reason = "it has no `layout: cache`" if is_open else "it does not begin with `---`" if data else "it is empty"
    return (Problem(path=path, line=1, kind="unreadable", message=f"should be a page, but {reason}"),)


# The rows of a newer page

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
    """The counts and distinct values of the rows of a page, from `meta` or computed. None for an omitted value."""

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
    """The fields of a row that also appear in `meta`. Equal rows share one object."""

    compiler: str
    os: str
    platform: str
    target: str
    versions: tuple[str, ...]
    stacks: tuple[str, ...]


def sound_rows(text: str, tag: str) -> tuple[tuple[str, ...], tuple[Row, ...]] | None:
    """Return the hash of each row of a correct page, and the rows without hashes. Return None for any other page.

    `text` is the part of the page after `meta: `. `tag` is the tag of the page.
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

    `versions` and `stacks` are JSON lists. Raises ValueError if a list is invalid, or if there is no version.
    """
    if not (decoded := _decode_texts(versions)):
        raise ValueError("no version")
    return StatedFields(compiler, os, platform, target, decoded, _decode_texts(stacks))


@lru_cache(MAX_CACHED_BUILDS)
def _agrees(meta: str, kinds: Sequence[StatedFields]) -> bool:
    """Return whether `meta` agrees with the rows. Raises ValueError if `meta` is invalid."""
    return _decode_meta(meta) == _summary(kinds)


def _summary(rows: Sequence[Row | StatedFields]) -> Meta:
    """Compute the values that `meta` should have for these rows."""
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
    """Return all readable rows of a newer page. Add the errors in these rows to the problems of the page."""
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
    """Yield a message for each value in `meta` that contradicts the rows."""
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
    """Return a value as a string for a message. For a set or mapping, include only elements missing in `other`."""
    if isinstance(one, int):
        return str(one)
    if isinstance(one, dict):
        only = [f"{stack} {count}" for stack, count in one.items() if other.get(stack) != count]
    else:
        only = sorted(map(str, one - other))
    return ", ".join(only)[:MAX_SHOWN_CHARACTERS] or "none"


# The rows of an older page

MAX_SIDECAR_BYTES = 16 * 2**20
"""Maximum size of a sidecar file in bytes."""

# The lists are not parsed as YAML, because some pages of 2021 have unescaped quotes inside quotes.
_ITEM = re.compile(r"""-[ \t]+(?=\S)(?:(["'])(?P<spec>.*?)\1)?(?:[ \t]*:[ \t]+)?(?P<file>[\w./-]+)?""")


class OlderRows:
    """The readable rows of one older page."""

    def __init__(self, root: str, front: FrontMatter, package: str) -> None:
        """Read the rows. `package` is the package name from the title of the page."""
        self.sidecars: dict[str, Mtimes] = {}
        """The mtimes of all existing sidecar files, including unreadable files."""
        self._root = root
        self._path = front.path
        self._faults = RowFaults()
        files, names = (self._items(front, key) for key in ("spec_files", "spec_names"))
        at = min(front.entries[key].at for key in ("spec_files", "spec_names") if key in front.entries)
        if names and len(names) != len(files):
            front.add("row", f"{len(files)} spec_files, but {len(names)} spec_names", at)
        listed = list(zip_longest(files, names, fillvalue=("", "")))
        self.rows = [
            self._row(number, package, name[0] or file[0], file[1])
            for number, (file, name) in enumerate(listed, 1)
            if file and name
        ]
        self._faults.report(front, len(listed), at)

    def _items(self, front: FrontMatter, key: str) -> list[tuple[str, str] | None]:
        """Return the items in the list under a key. Each item is a pair of spec string and file name.

        The spec string or the file name may be empty. An unreadable item is None.
        """
        text = front.entries[key].text if key in front.entries else ""
        if text.lstrip().startswith("["):
            return [("", each) if key == "spec_files" else (each, "") for each in front.names(key) or ()]
        items: list[tuple[str, str] | None] = []
        for number, line in enumerate(filter(None, map(str.strip, text.split("\n"))), 1):
            found = _ITEM.fullmatch(line)
            items.append(found and ((found["spec"] or "").replace('\\"', '"'), found["file"] or ""))
            if found is None:
                self._faults.add(number, "row", f"{key} cannot be read")
        return items

    def _row(self, number: int, package: str, text: str, sidecar: str) -> Row:
        """Return the row of a spec string. The sidecar file adds the hash and other missing fields."""
        spec = parse_spec(text)
        if spec.unread:
            self._faults.add(number, "row", "the spec cannot be read completely")
        found = self._sidecar(number, sidecar) if SIDECAR.fullmatch(sidecar) else None
        # In a flat folder, sidecar files of several packages may have the same name.
        if found is None or found.name != package or found.contradicts(spec):
            return spec.row
        self._faults.check_hash(number, found.row.hash)
        return spec.completed_by(found)

    def _sidecar(self, number: int, name: str) -> "WrittenSpec | None":
        """Return the spec in the sidecar file of a row, or None if the file is missing or unreadable."""
        path = self._path[: self._path.rfind("/") + 1] + name
        try:
            self.sidecars[path], data, is_too_large = read_file(f"{self._root}/{path}", MAX_SIDECAR_BYTES)
            if is_too_large:
                raise ValueError(f"larger than {MAX_SIDECAR_BYTES // 2**20} MB")
            return parse_sidecar(data)
        except FileNotFoundError:
            return None
        except OSError as error:
            self.sidecars[path] = UNREAD_MTIMES
            reason = error.strerror
        except ValueError as error:
            reason = str(error)
        self._faults.add(number, "unreadable", f"the sidecar file cannot be read ({reason})")
        return None


# Spec strings and sidecars


_NAME = re.compile(r"\s*([A-Za-z0-9_][\w.-]*)?")
_PART = re.compile(
    r"""\s+
    | @=?(?P<version>[^\s@%+~]+)
    | %\s*(?P<compiler>[^\s@%+~]+(?:@[^\s@%+~]+)?)
    | (?P<sign>[+~-])(?P<flag>\w[\w.-]*)
    | (?P<key>\w[\w.-]*):?=(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<plain>\S*))
    """,
    re.VERBOSE,
)
_PLACES = {"os": "os", "operating_system": "os", "platform": "platform", "target": "target"}


class WrittenSpec(Struct, frozen=True):
    """One spec, from a spec string or a sidecar file."""

    name: str | None
    row: Row
    unread: str = ""
    """The rest of a spec string from the first syntax error on. Empty if the spec string is correct."""

    @property
    def _identity(self) -> tuple[object, ...]:
        row = self.row
        return self.name, row.compiler and normal_compiler(row.compiler), row.os, row.platform, row.target, row.versions

    def contradicts(self, other: "WrittenSpec") -> bool:
        """Return whether any field has different values in both specs. Empty fields are not compared."""
        return any(one and two and one != two for one, two in zip(self._identity, other._identity, strict=True))

    def completed_by(self, other: "WrittenSpec") -> Row:
        """Return this spec as a row. Empty fields get the values of the other spec."""
        gaps = {field: getattr(other.row, field) for field in Row.__struct_fields__ if not getattr(self.row, field)}
        return msgspec.structs.replace(self.row, **gaps)


def split_architecture(text: str) -> dict[str, str | None]:
    """Split a string such as `linux-ubuntu22.04-zen3` into platform, os and target. Empty for any other string."""
    parts = text.split("-")
    if len(parts) < 3:
        return {}
    places = {"platform": parts[0], "os": "-".join(parts[1:-1]), "target": parts[-1]}
    return {name: None if place in ("", "None") else place for name, place in places.items()}


def parse_spec(text: str) -> WrittenSpec:
    """Parse a spec string up to the first syntax error."""
    own, *dependencies = text.split("^")
    named = _NAME.match(own)
    position = named.end() if named else 0
    fields: dict[str, Any] = {"dependencies": tuple(piece.strip() for piece in dependencies if piece.strip())}
    variants: list[str] = []
    while position < len(own) and (part := _PART.match(own, position)):
        position = part.end()
        if part["version"]:
            fields["versions"] = (part["version"],)
        elif part["compiler"]:
            fields["compiler"] = part["compiler"]
        elif part["flag"]:
            variants.append(("+" if part["sign"] == "+" else "~") + part["flag"])
        elif key := part["key"]:
            written = part["double"] or part["single"] or part["plain"] or ""
            if key in ("arch", "architecture"):
                fields.update(split_architecture(written))
            elif key in _PLACES:
                fields[_PLACES[key]] = written
            elif written:
                variants.append(f"{key}={written}")
    name = named[1].rpartition(".")[2] if named and named[1] else None
    return WrittenSpec(name, Row(variants=tuple(variants), **fields), own[position:].strip())


def parse_sidecar(data: bytes) -> WrittenSpec:
    """Return the spec in a sidecar file. This is the first node; the others are dependencies. Raises ValueError."""
    try:
        own, *others = read_spec_file(data).nodes
    except ValueError:
        raise ValueError("it is not the JSON of a spec") from None
    dependencies = tuple(_spelled(other.name, _row_of(other)) for other in others)
    return WrittenSpec(own.name, msgspec.structs.replace(_row_of(own), dependencies=dependencies))


def _row_of(node: WrittenNode) -> Row:
    os_name, platform, target = architecture_of(bytes(node.arch))
    return Row(
        hash=node.hash or None,
        compiler=compiler_of(bytes(node.compiler)),
        versions=(node.version,) if node.version else (),
        os=os_name,
        platform=platform,
        target=target,
        variants=variants_of(bytes(node.parameters)),
    )


def _spelled(name: str, row: Row) -> str:
    text = name + "".join(f"@{version}" for version in row.versions)
    text += f"%{row.compiler}" if row.compiler else ""
    text += "".join(variant for variant in row.variants if variant[0] in "+~")
    valued = [variant for variant in row.variants if variant[0] not in "+~"]
    if row.platform and row.os and row.target:
        valued.append(f"arch={row.platform}-{row.os}-{row.target}")
    return " ".join([text, *valued])
