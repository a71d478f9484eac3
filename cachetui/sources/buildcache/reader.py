"""Read build caches on the disk as segments (parts of an index), one segment for each tag.

If the user opens a single build cache, it is one tag without stacks. If the user opens a folder of build caches, the
first component of each path is the tag, and the rest is the stack. A build cache directly in the folder of a tag is the
stack `root`. If several build caches of a tag contain the same spec, the index has one row for the spec, which lists
all the stacks. Therefore, after a change in one build cache, all build caches of the tag are read again.

Without an index, every manifest or spec file of a build cache is read. After an error in a spec file, only its spec is
missing. After an error in an index, all specs of its layout are missing.
Input: a folder with build caches in the layouts that the module `layouts` describes.
"""

import errno
import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from cachetui.mappings import grouped
from cachetui.model.problem import BROKEN_INDEX, NEW_KEY, NEWER, UNREAD, UNREAD_CACHE, UNREAD_INDEX, Problem
from cachetui.model.spec import ROOT
from cachetui.sources.buildcache.columns import Nodes, nodes_of
from cachetui.sources.buildcache.index_document import IndexContent, IndexStream, marks_binaries, newer_key, read_index
from cachetui.sources.buildcache.layouts import (
    INDEX_MANIFESTS,
    MANIFESTS,
    SPEC_MANIFESTS,
    IndexFile,
    index_files,
    layout_of,
    spec_files,
    spec_manifests,
)
from cachetui.sources.buildcache.manifests import INDEX_TYPE, MAX_FILE_BYTES, SPEC_TYPE, read_manifest, read_spec_file
from cachetui.sources.buildcache.node import Entry, external_of
from cachetui.sources.buildcache.tag_builder import TagBuilder
from cachetui.sources.files import load
from cachetui.sources.paths import ContentPath, tag_path
from cachetui.store.columns import Segment, SegmentBuilder
from cachetui.store.mtimes import stored_mtimes
from cachetui.workers.cancelling import Cancelled, Interrupted, never

REMEDY = "to write it again, run spack buildcache update-index"

UNREADABLE = "unreadable"
"""The kind of the problem for a broken file."""

MAX_FAULTS = 100
"""Maximum number of problems to report for one file."""


class Cache(Struct, frozen=True):
    """A build cache to read."""

    root: str
    """The folder of the build cache on the disk."""
    path: ContentPath
    """The path of the build cache in the index."""
    stack: str
    """The stack. Empty if the build cache has no stack."""
    view: str = ""
    """The only view of the index to read. Empty for the whole build cache."""
    url: str = ""
    """The URL of the server if this is a local copy with only the indexes, otherwise empty."""


class CacheContent(Struct, frozen=True):
    """The data from one index of a build cache. Without an index, the data from all spec files."""

    nodes: Sequence[Nodes]
    view: str
    binaries: Collection[str] | None = None
    """The hashes with a binary. None if the index itself shows which hashes have a binary."""


class CacheReader:
    """Reads one build cache. The files that were read, and their problems, are added to `builder`."""

    def __init__(
        self,
        cache: Cache,
        builder: SegmentBuilder,
        known: Collection[str] = (),
        cancelled: Cancelled = never,
        stream: IndexStream | None = None,
    ) -> None:
        """`known` contains hashes that were already read from other build caches.

        For these hashes, read only whether there is a binary. `stream` may already have read the beginning of an index
        during its download.
        """
        self._cache, self._root = cache, cache.root
        self._name = cache.url or os.path.normpath(cache.root)
        self._layout = layout_of(cache.root)
        self._of_index = UNREAD_CACHE if cache.url else UNREAD_INDEX
        """The kind of a problem with the index. A local copy cannot be read without an index, but a folder can."""
        self._builder = builder
        self._known, self._cancelled, self._stream = known, cancelled, stream

    def read(self) -> Iterator[CacheContent]:
        """Yield the data from each layout of the build cache, in Spack's search order. Raises Interrupted."""
        layout, view = self._layout, self._cache.view
        indexes = [index for index in index_files(self._root, layout) if not view or index.view == view]
        if not layout:
            self._add_problem("", UNREAD_CACHE, f"{self._name} is not a build cache")
        elif view and not indexes:
            self._add_problem("", self._of_index, f"the build cache {self._name} has no view {view}")
        # for a view, only its index is read
        whole = {index.is_manifest for index in indexes if not index.view}
        read_v2, read_v3 = bool(view) or False in whole, bool(view) or True in whole
        if layout.v3 and not read_v3:
            yield self._spec_files_read(spec_manifests(self._root))
        is_broken = False
        for index in indexes:
            found = None if index.view and is_broken else self._index(index)
            is_broken |= found is None and not index.view
            if found is not None:
                yield found
            del found  # free the memory of the merged index
        self._add_folders(read_v2=read_v2, read_v3=read_v3)
        if layout.v2 is not None and not read_v2:
            yield self._spec_files_read(self._v2_spec_files(layout.v2))

    # An index

    def _index(self, index: IndexFile) -> CacheContent | None:
        try:
            try:
                path, content = self._read_index(index)
            except FileNotFoundError:  # perhaps somebody has just pushed a new index
                path, content = self._read_index(index)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            is_broken = isinstance(error, ValueError) and self._of_index == UNREAD_INDEX
            kind = BROKEN_INDEX if is_broken else self._of_index
            self._add_problem("", kind, f"the index of {self._name} cannot be read: {reason} ({REMEDY})")
            return None
        self._add_faults(path, content.faults, "more entries cannot be read")
        if key := newer_key(f"{self._root}/{path}", content.version):
            self._builder.problems += [Problem.of(self._cache.path + path, NEWER, NEW_KEY.format(key), "note")]
        view = "" if self._cache.view else index.view
        return CacheContent(content.nodes, view, None if marks_binaries(content.version) else self._binaries(content))

    def _read_index(self, index: IndexFile) -> tuple[str, IndexContent]:
        """Return the path and the content of an index. Raises OSError and ValueError."""
        path = self._blob_of(index.path, INDEX_TYPE) if index.is_manifest else index.path
        self._add_file(path)
        try:
            return path, read_index(f"{self._root}/{path}", self._known, self._cancelled, self._stream)
        except ValueError as error:
            if index.is_manifest:  # Spack compares the checksum first, then continues
                raise OSError(errno.EINVAL, str(error)) from None
            raise

    def _blob_of(self, manifest: str, media_type: str) -> str:
        """Return the path of the blob with this media type in a manifest. Raises OSError and ValueError."""
        blob = read_manifest(self._load(manifest)).of_type(media_type)
        if blob is None or blob.path is None:
            raise ValueError("its manifest lists no index")
        return blob.path

    def _binaries(self, content: IndexContent) -> Collection[str] | None:
        """Return the hashes that may have a binary. Return None if the build cache lacks layout v2.

        Use this method for an old index of layout v2. Such an index does not show which specs have a binary.
        """
        if self._layout.v2 is None:
            return None
        if not self._cache.url:
            return set(self._v2_spec_files(self._layout.v2))
        # the files of a server cannot be listed, so every spec except externals may have a binary
        return {
            node_hash
            for some in content.nodes
            for node_hash, extra in zip(some.hashes_in_columns, some.columns["extra"], strict=True)
            if external_of(some.tables["extra"][extra][2]) is None
        }

    # Spec files

    def _v2_spec_files(self, v2: str) -> Mapping[str, str]:
        try:
            return spec_files(self._root, v2)
        except OSError as error:
            self._add_unreadable(v2, error)
        return {}

    def _spec_files_read(self, files: Mapping[str, str]) -> CacheContent:
        """Return the data from these spec files or manifests. `files` maps each hash to a path."""
        found: dict[str, Entry] = {}
        for spec_hash, path in files.items():
            if self._cancelled():
                raise Interrupted
            try:
                where = self._blob_of(path, SPEC_TYPE) if path.startswith(SPEC_MANIFESTS) else path
                spec = read_spec_file(self._load(where), yaml=path.endswith(".yaml"))
                if spec.nodes[0].hash != spec_hash:
                    raise ValueError(
                        f"its hash ({spec.nodes[0].hash or 'none'}) differs from the hash in the file name"
                    )
            except (OSError, ValueError) as error:
                self._add_unreadable(path, error)
                continue
            self._add_faults(where, spec.faults, "other nodes cannot be read either")
            for node in spec.nodes:  # the first node has the binary, all other nodes are dependencies
                found.setdefault(node.hash, Entry(node)).in_buildcache |= node is spec.nodes[0]
        nodes = nodes_of(found, self._known)
        self._add_faults("", nodes.faults, "other dependencies cannot be read either")
        return CacheContent([nodes], "")

    # Files and problems

    def _load(self, path: str) -> bytes:
        self._add_file(path)
        return load(f"{self._root}/{path}", MAX_FILE_BYTES)

    def _add_file(self, path: str) -> None:
        """Record the size and times of a file or folder, before it is read."""
        self._builder.files[self._cache.path + path] = stored_mtimes(f"{self._root}/{path}", time.time_ns())

    def _add_folders(self, *, read_v2: bool, read_v3: bool) -> None:
        """Record the folders in which a new file would change the result of the next reading.

        `read_v2` and `read_v3` tell whether an index of layout v2 or v3 was read. If an index was read, new spec files
        in its layout do not change the result.
        """
        walked = os.walk(f"{self._root}/{INDEX_MANIFESTS if read_v3 else MANIFESTS}") if self._layout.v3 else ()
        v3 = (f"{os.path.relpath(path, self._root)}/" for path, _, _ in walked)
        v2 = [self._layout.v2] if self._layout.v2 and not read_v2 else ()
        for folder in ("", *v3, *v2):
            self._add_file(folder)

    def _add_faults(self, path: str, faults: Sequence[str], more: str) -> None:
        for fault in faults[:MAX_FAULTS]:
            self._add_problem(path, UNREADABLE, fault)
        if len(faults) > MAX_FAULTS:
            self._add_problem(path, UNREADABLE, f"{len(faults) - MAX_FAULTS} {more}")

    def _add_unreadable(self, path: str, error: Exception) -> None:
        kind = UNREAD if isinstance(error, OSError) else UNREADABLE
        self._add_problem(
            path, kind, f"cannot be read: {getattr(error, 'strerror', error)}" if kind == UNREAD else str(error)
        )

    def _add_problem(self, path: str, kind: str, message: str) -> None:
        text = message.encode(errors="backslashreplace").decode()
        self._builder.problems += [Problem(path=self._cache.path + path, kind=kind, message=text)]


# The build caches of a tag


class TagCaches(Struct, frozen=True):
    """The build caches of one tag."""

    path: ContentPath
    """The folder that contains the build caches."""
    tag: str
    stacks: Mapping[str, str]
    """The stack of each build cache, by path; an empty string for a build cache without a stack.

    If several build caches contain different data for a hash, the data in the first build cache is used.
    """


def by_tag(root_name: str, caches: Iterable[str]) -> list[TagCaches]:
    """Group these build caches by tag. If the content folder itself is a build cache, `root_name` is its tag."""
    found = sorted(set(caches))
    by_path = grouped((tag_path(cache, within_cache="" in found), cache) for cache in found)
    root = "" if found == [""] else ROOT
    return [
        TagCaches(
            path,
            path.in_content.rstrip("/") or root_name,
            {cache: cache.removeprefix(path.in_content).rstrip("/") or root for cache in own},
        )
        for path, own in by_path.items()
    ]


def read_caches(
    path: ContentPath,
    tag: str,
    caches: Iterable[Cache],
    cancelled: Cancelled = never,
    *,
    builder: SegmentBuilder | None = None,
    stream: IndexStream | None = None,
) -> Segment:
    """Read the build caches of one tag into one segment, which is a part of the index.

    `path` is the folder of the tag in the content. `builder` may already contain files and problems for the segment.
    For `stream`, see `CacheReader`. Raises Interrupted.
    """
    segment_builder, tag_builder = builder or SegmentBuilder(), TagBuilder(path, tag)
    mirrors: dict[str, str] = {}
    for cache in caches:
        where = cache.url or os.path.abspath(cache.root)
        mirrors.setdefault(cache.stack, where)
        reader = CacheReader(cache, segment_builder, tag_builder.places, cancelled, stream) if cache.root else None
        for found in reader.read() if reader else ():
            above = f"{cache.stack}/" if cache.stack not in ("", ROOT) else ""
            stack = above + found.view if found.view else cache.stack
            tag_builder.add(found.nodes, stack, found.binaries)
            mirrors.setdefault(stack, where)
            if cancelled():
                raise Interrupted
    pages, graph = tag_builder.finished(mirrors)
    return segment_builder.segment(graph, pages)
