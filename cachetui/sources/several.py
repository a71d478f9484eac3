"""Several contents as one: each keeps its own tags, and tags of one name are distinguished by the contents' paths.

Paths of a content begin with its label, the shortest end of its path that no other content has. Where a change makes
tags collide, or not any more, all is read again.
Input: the sources of the contents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from queue import Empty, SimpleQueue
from threading import Thread

import msgspec

from cachetui.sources.source import (
    ContentComparison,
    ContentError,
    Difference,
    Effort,
    Known,
    MoreTags,
    Progress,
    Source,
    Stale,
    refuse_unread,
)
from cachetui.store.merge import merge_files
from cachetui.store.segment import Encoder, Segment
from cachetui.store.strings import Strings
from cachetui.workers.cancelling import Cancelled, never

PATIENCE = 0.3
"""Seconds between two questions whether anybody still watches."""


class _Content:
    """One of the contents: its source, and how its paths and tags are named among those of all."""

    def __init__(self, source: Source, label: str) -> None:
        self.source = source
        self.label = label
        self.prefix = f"{label}/"
        self.tags: set[str] | None = None
        """The tags that were read, as the content names them; None before that."""
        self.has_caches = False
        self.read_already: list[Segment] | None = None
        """What a comparison read to find out which tags there are now, until it is asked for."""

    @property
    def listed(self) -> list[str]:
        """All tags that its server lists, read or not; none where no server does."""
        return self.source.more.unread_tags(()) if self.source.more is not None else []

    def take(self, segments: Sequence[Segment], kept: Iterable[str] = ()) -> None:
        """Take up what was read of the content, beside tags that are kept; raises ContentError for an unread cache."""
        read = set(chain.from_iterable(segment.tags for segment in segments))
        self.tags = read.union(kept)
        self.has_caches |= any(segment.graph for segment in segments)
        refuse_unread(self.tags, chain.from_iterable(segment.problems for segment in segments))

    def joint_tag(self, tag: str, shared: Collection[str]) -> str:
        """Name the tag among those of all contents; `shared` are the ones that several contents have."""
        if tag not in shared:
            return tag
        return self.label if tag == self.label.rpartition("/")[2] else f"{self.label}/{tag}"

    def own_tag(self, tag: str) -> str | None:
        """Name the tag as the content itself does; None for one that is not named as one of it."""
        if tag == self.label:
            return tag.rpartition("/")[2]
        return tag.removeprefix(self.prefix) if tag.startswith(self.prefix) else None

    def own_paths(self, paths: Iterable[str]) -> list[str]:
        """Return those of these paths that are of this content, as it names them itself."""
        return [path[len(self.prefix) :] for path in paths if path.startswith(self.prefix)]

    def joint_paths(self, paths: Iterable[str]) -> list[str]:
        """Return these paths as they are among those of all contents."""
        return [self.prefix + path for path in paths]

    def joint(self, segment: Segment, shared: Collection[str]) -> Segment:
        """Return a segment of the content as one among all contents."""
        replace, graph, files = msgspec.structs.replace, segment.graph, segment.files
        if graph is not None:
            graph = replace(graph, path=self.prefix + graph.path, tag=self.joint_tag(graph.tag, shared))
        return replace(
            segment,
            paths=Strings.of(self.joint_paths(segment.paths)),
            tags=Strings.of([self.joint_tag(tag, shared) for tag in segment.tags]),
            files=replace(files, paths=Strings.of(self.joint_paths(files.paths))),
            problems=tuple(replace(each, path=self.prefix + each.path) for each in segment.problems),
            graph=graph,
        )


class _MoreTags:
    """The tags of all contents that are read when somebody asks for them."""

    def __init__(self, contents: Sequence[_Content]) -> None:
        self._contents = contents
        self._named: dict[str, tuple[MoreTags, str]] = {}
        """By the tag among those of all contents whose it is, and what it is called there."""

    def unread_tags(self, read: Collection[str]) -> list[str]:
        """Return those beside the ones that were read, one content after the other; see `MoreTags`."""
        own = {each.label: {each.own_tag(tag) for tag in read} - {None} for each in self._contents}
        nameless = {tag for tag in read if not any(each.own_tag(tag) for each in self._contents)}
        for each in self._contents:
            own[each.label] |= nameless.intersection(each.listed)
        shared = _shared_tags((each.listed, own[each.label]) for each in self._contents)
        self._named = {
            each.joint_tag(tag, shared): (more, tag)
            for each in self._contents
            if (more := each.source.more) is not None
            for tag in each.listed
            if tag not in own[each.label]
        }
        return list(self._named)

    def ask_for(self, tag: str) -> None:
        """From the next comparison on this tag of one content is read too."""
        if tag in self._named:
            more, own_tag = self._named[tag]
            more.ask_for(own_tag)

    @property
    def transfer(self) -> str:
        """How far it is with what is on its way to one of the contents."""
        return next(filter(None, (each.source.more.transfer for each in self._contents if each.source.more)), "")


class SeveralSource:
    """Several contents."""

    is_one_page = False
    remedy = "give folders of pages or of build caches"

    def __init__(self, sources: Sequence[Source]) -> None:
        labels = labels_of([source.identity for source in sources])
        self._contents = [_Content(source, label) for source, label in zip(sources, labels, strict=True)]
        self.more: MoreTags | None = _MoreTags(self._contents) if any(source.more for source in sources) else None
        self.content = " ".join(source.content for source in sources)
        self.identity = "\n".join(source.identity for source in sources)
        self._shared: frozenset[str] = frozenset()
        """The tags that several contents have."""

    @property
    def notes(self) -> list[str]:
        """What the user should be told of all contents."""
        return list(chain.from_iterable(each.source.notes for each in self._contents))

    @property
    def empty(self) -> list[str]:
        """See `Source`."""
        empty = (each for each in self._contents if each.tags == set() and not (each.has_caches or each.listed))
        return [each.source.content for each in empty]

    @property
    def stale(self) -> list[Stale]:
        """See `Source`."""
        return list(chain.from_iterable(each.source.stale for each in self._contents))

    def revision(self) -> str:
        """Return the revisions of all contents."""
        return "\n".join(each.source.revision() for each in self._contents)

    def read(self, cancelled: Cancelled = never) -> Iterator[tuple[Segment | None, Progress]]:
        """Read one content after the other; which tags they share is known when all are read. See `Source`."""
        read: list[tuple[_Content, list[Segment]]] = []
        total = 100 * len(self._contents)
        for place, each in enumerate(self._contents):
            found: list[Segment] = []
            for segment, progress in each.source.read(cancelled):
                if segment is not None:
                    found.append(segment)
                done = 100 * place + 100 * progress.done // (progress.total or 1)
                yield None, Progress(done, total, progress.transfer)
            each.take(found)
            read.append((each, found))
        self._share_tags()
        for each, found in read:
            for segment in found:
                yield each.joint(segment, self._shared), Progress(total, total)

    def compare(
        self,
        known: Known,
        cancelled: Cancelled = never,
        *,
        pages: Collection[str] | None = None,
        effort: Effort = "full",
    ) -> ContentComparison:
        """Compare every content, or these pages, each with its own content; see `Source`."""
        known_of_each = self._known(known)
        found: list[ContentComparison] = []
        for each, own in known_of_each:
            wanted = None if pages is None else each.own_paths(pages)
            is_meant = wanted is None or wanted
            nothing = ContentComparison(None, whole=False)
            found.append(each.source.compare(own, cancelled, pages=wanted, effort=effort) if is_meant else nothing)
        difference = self._merged(known_of_each, [each.difference for each in found], cancelled)
        return ContentComparison(difference, all(each.whole for each in found))

    def read_again(self, paths: Collection[str], cancelled: Cancelled = never) -> list[Segment]:
        """Read these paths, each with its own content; what `changes` has read is not read twice. See `Source`."""
        segments: list[Segment] = []
        for each in self._contents:
            if wanted := each.own_paths(paths):
                found, each.read_already = each.read_already, None
                read = each.source.read_again(wanted, cancelled) if found is None else found
                segments += [each.joint(segment, self._shared) for segment in read]
        return segments

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yield each time that something in one of the contents has changed; see `Source`."""
        changes: SimpleQueue[ContentError | None] = SimpleQueue()

        def watch_one(source: Source) -> None:
            try:
                for _ in source.watch(cancelled):
                    changes.put(None)
            except ContentError as error:
                changes.put(error)

        for each in self._contents:
            Thread(target=watch_one, args=(each.source,), daemon=True).start()
        while not cancelled():
            with suppress(Empty):
                error = changes.get(timeout=PATIENCE)
                if error is not None:
                    raise error
                yield

    def _known(self, known: Known) -> list[tuple[_Content, Known]]:
        """Return each content with what an index knows of it."""
        revisions = known.revision.split("\n") + [""] * len(self._contents)
        return [(each, known.of(each.prefix, revisions[place])) for place, each in enumerate(self._contents)]

    def _share_tags(self) -> None:
        self._shared = _shared_tags((each.listed, each.tags or ()) for each in self._contents)

    def _merged(
        self, known: Sequence[tuple[_Content, Known]], found: Sequence[Difference | None], cancelled: Cancelled
    ) -> Difference | None:
        """Return the differences of all contents as one; what is different is read, for its tags."""
        before: dict[_Content, dict[str, str]] = {}
        differences: list[tuple[_Content, Difference]] = []
        for (each, own), difference in zip(known, found, strict=True):
            tags, each.read_already = dict(own.page_tags()), None
            each.has_caches |= bool(own.graph_paths)
            if difference is not None:
                left_out = set(own.pages()).difference(tags)  # a duplicate that may have to come in again
                difference = msgspec.structs.replace(difference, dropped=difference.dropped | left_out)
                differences.append((each, difference))
                each.read_already = each.source.read_again({*difference.unread, *left_out}, cancelled)
                tags = {path: tag for path, tag in tags.items() if path not in difference.dropped}
            before[each] = {tag: tag if (named := each.own_tag(tag)) is None else named for tag in tags.values()}
            each.take(each.read_already or (), before[each].values())
        self._share_tags()
        for each, names in before.items():
            if any(each.joint_tag(own_tag, self._shared) != tag for tag, own_tag in names.items()):
                return self._all_again(known, cancelled)
        if not differences:
            return None
        listed = [each.joint(difference.listed, self._shared) for each, difference in differences]
        return Difference(
            dropped=frozenset(path for each, found in differences for path in each.joint_paths(found.dropped)),
            unread=tuple(path for each, found in differences for path in each.joint_paths((*found.unread, ""))),
            listed=msgspec.structs.replace(
                Encoder().segment(),
                files=merge_files([segment.files for segment in listed]),
                problems=tuple(chain.from_iterable(segment.problems for segment in listed)),
            ),
            changed=frozenset(path for each, found in differences for path in each.joint_paths(found.changed)),
        )

    def _all_again(self, known: Sequence[tuple[_Content, Known]], cancelled: Cancelled) -> Difference:
        """Return a difference in everything: the tags are named anew."""
        dropped: set[str] = set()
        changed: set[str] = set()
        for each, own in known:
            each.read_already = [segment for segment, _ in each.source.read(cancelled) if segment is not None]
            each.take(each.read_already)
            pages = each.joint_paths(own.pages())
            changed.update(pages)
            stamped = (path for path, _ in own.stamps())
            dropped.update(pages, each.joint_paths(chain(stamped, own.graph_paths, own.refused)))
        self._share_tags()
        unread = tuple(each.prefix for each in self._contents)
        return Difference(frozenset(dropped), unread, Encoder().segment(), frozenset(changed))


def _shared_tags(tags: Iterable[tuple[Iterable[str], Iterable[str | None]]]) -> frozenset[str]:
    """Return the tags that several contents have, of each those that its server lists and those that were read."""
    counts = Counter(chain.from_iterable({*listed, *read} for listed, read in tags))
    return frozenset(tag for tag, count in counts.items() if count > 1 and tag is not None)


def labels_of(identities: Sequence[str]) -> list[str]:
    """Return for each content the shortest end of its path that no other one has."""
    paths = [identity.rstrip("/").split("/") for identity in identities]
    labels = []
    for place, path in enumerate(paths):
        others = [other for k, other in enumerate(paths) if k != place]
        length = 1
        while length < len(path) and any(other[-length:] == path[-length:] for other in others):
            length += 1
        labels.append("/".join(path[-length:]).lstrip("/"))
    return labels
