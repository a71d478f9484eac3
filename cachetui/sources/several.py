"""Several contents as one: each keeps its own tags, and tags of the same name are told apart by their paths.

Paths of a content begin with its label. Where a change makes tags collide, or not any more, all is read again.
Input: the sources of the contents.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from queue import Empty, SimpleQueue
from threading import Thread

import msgspec

from cachetui.sources.one_of_several import KnownOfOne, OneOfSeveral, labels_of, shared_tags
from cachetui.sources.source import (
    ContentComparison,
    ContentError,
    Difference,
    Known,
    MoreTags,
    Progress,
    Source,
    Stale,
    refuse_unread,
)
from cachetui.store.merge import merge_files
from cachetui.store.segment import Encoder, Segment
from cachetui.workers.cancelling import Cancelled, never

PATIENCE = 0.3
"""Seconds between two questions whether anybody still watches."""


class _MoreTags:
    """The tags of all contents that are read when somebody asks for them."""

    def __init__(self, contents: Sequence[OneOfSeveral]) -> None:
        self._contents = contents
        self._named: dict[str, tuple[MoreTags, str]] = {}
        """By the tag among those of all contents whose it is, and what it is called there."""

    def unread_tags(self, read: Collection[str]) -> list[str]:
        """Those beside the ones that were read, one content after the other; see `MoreTags`."""
        nameless = {tag for tag in read if not any(each.has_name(tag) for each in self._contents)}
        own = {
            each.label: {each.own_tag(tag) for tag in read if each.has_name(tag)} | nameless.intersection(each.listed)
            for each in self._contents
        }
        shared = shared_tags(self._contents, own)
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
        self._contents = [OneOfSeveral(source, label) for source, label in zip(sources, labels, strict=True)]
        self.more: MoreTags | None = _MoreTags(self._contents) if any(source.more for source in sources) else None
        self.content = " ".join(source.content for source in sources)
        self.identity = "\n".join(source.identity for source in sources)
        self._shared: frozenset[str] = frozenset()
        """The tags that several contents have."""
        self._read: dict[str, list[Segment]] = {}
        """By label what was read to find out which tags there are now, until it is asked for."""
        self._tags: dict[str, set[str]] = {}
        """By label the tags of a content, as it names them; none where it has no page."""
        self._caches: set[str] = set()
        """The labels of the contents with build caches, which may be empty."""

    @property
    def notes(self) -> list[str]:
        """What the user should be told of all contents."""
        return list(chain.from_iterable(each.source.notes for each in self._contents))

    @property
    def empty(self) -> list[str]:
        """See `Source`."""
        return [
            each.source.content
            for each in self._contents
            if not (self._tags.get(each.label, True) or each.label in self._caches or each.listed)
        ]

    @property
    def stale(self) -> list[Stale]:
        """See `Source`."""
        return list(chain.from_iterable(each.source.stale for each in self._contents))

    def revision(self) -> str:
        """The revisions of all contents."""
        return "\n".join(each.source.revision() for each in self._contents)

    def read(self, cancelled: Cancelled = never) -> Iterator[tuple[Segment | None, Progress]]:
        """Reads one content after the other; which tags they share is known when all are read. See `Source`."""
        read: dict[str, list[Segment]] = {}
        total = 100 * len(self._contents)
        for place, each in enumerate(self._contents):
            found = read[each.label] = []
            for segment, progress in each.source.read(cancelled):
                if segment is not None:
                    found.append(segment)
                done = 100 * place + 100 * progress.done // (progress.total or 1)
                yield None, Progress(done, total, progress.transfer)
            _refuse_unread(found)
        self._tags = {label: _tags(segments) for label, segments in read.items()}
        self._caches = {label for label, segments in read.items() if any(each.graph for each in segments)}
        self._shared = shared_tags(self._contents, self._tags)
        for each in self._contents:
            for segment in read[each.label]:
                yield each.joint(segment, self._shared), Progress(total, total)

    def changes(self, known: Known, cancelled: Cancelled = never, *, thorough: bool = False) -> Difference | None:
        """Compares every content; see `Source`."""
        found = {
            each.label: difference
            for each, own in self._known(known)
            if (difference := each.source.changes(own, cancelled, thorough=thorough)) is not None
        }
        return self._joined(known, found, cancelled)

    def cheap_changes(self, known: Known) -> ContentComparison:
        """Compares of each content what is cheap; see `Source`."""
        compared = {each.label: each.source.cheap_changes(own) for each, own in self._known(known)}
        found = {label: each.difference for label, each in compared.items() if each.difference is not None}
        return ContentComparison(self._joined(known, found, never), all(each.whole for each in compared.values()))

    def changes_of(self, known: Known, pages: Collection[str]) -> Difference | None:
        """Compares these pages, each with its own content; see `Source`."""
        found = {
            each.label: difference
            for each, own in self._known(known)
            if (wanted := each.own_paths(pages)) and (difference := each.source.changes_of(own, wanted)) is not None
        }
        return self._joined(known, found, never)

    def read_again(self, paths: Collection[str], cancelled: Cancelled = never) -> list[Segment]:
        """Reads these paths, each with its own content; what `changes` has read is not read twice. See `Source`."""
        segments: list[Segment] = []
        for each in self._contents:
            wanted = each.own_paths(paths)
            if wanted:
                found = self._read.pop(each.label, None)
                segments += [
                    each.joint(segment, self._shared)
                    for segment in (each.source.read_again(wanted, cancelled) if found is None else found)
                ]
        return segments

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yields each time that something in one of the contents has changed; see `Source`."""
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

    def _known(self, known: Known) -> Iterator[tuple[OneOfSeveral, Known]]:
        """Each content with what an index knows of it."""
        revisions = dict(enumerate(known.revision.split("\n")))
        for place, each in enumerate(self._contents):
            yield each, KnownOfOne(known, each.prefix, revisions.get(place, ""))

    def _joined(self, known: Known, found: Mapping[str, Difference], cancelled: Cancelled) -> Difference | None:
        """The differences of these contents (by label) as one; what is different is read, for its tags."""
        self._read.clear()
        tags: dict[str, set[str]] = {}
        kept: dict[str, set[str]] = {}
        whole: dict[str, Difference] = {}
        for each, own in self._known(known):
            label, difference = each.label, found.get(each.label)
            if own.graph_paths:
                self._caches.add(label)
            if difference is None:
                kept[label] = {tag for _, tag in own.page_tags()}
            else:
                counted = dict(own.page_tags())
                left_out = set(own.pages()) - set(counted)
                dropped = difference.dropped | left_out
                kept[label] = {tag for path, tag in counted.items() if path not in dropped}
                self._read[label] = each.source.read_again({*difference.unread, *left_out}, cancelled)
                if not kept[label]:
                    _refuse_unread(self._read[label])
                unread = (*difference.unread, "")
                whole[label] = msgspec.structs.replace(difference, dropped=dropped, unread=unread)
            tags[label] = {*map(each.own_tag, kept[label]), *_tags(self._read.get(label, ()))}
        self._tags, self._shared = tags, shared_tags(self._contents, tags)
        if any(
            each.joint_tag(each.own_tag(tag), self._shared) != tag
            for each in self._contents
            for tag in kept[each.label]
        ):
            return self._all_again(known, cancelled)
        if not whole:
            return None
        differences = [
            each.joint_difference(whole[each.label], self._shared) for each in self._contents if each.label in whole
        ]
        return Difference(
            dropped=frozenset(chain.from_iterable(each.dropped for each in differences)),
            unread=tuple(chain.from_iterable(each.unread for each in differences)),
            listed=_gathered([each.listed for each in differences]),
            changed=frozenset(chain.from_iterable(each.changed for each in differences)),
        )

    def _all_again(self, known: Known, cancelled: Cancelled) -> Difference:
        """A difference in everything: the tags are named anew."""
        read = {}
        for each in self._contents:
            read[each.label] = [segment for segment, _ in each.source.read(cancelled) if segment is not None]
            _refuse_unread(read[each.label])
        self._read = read
        self._tags = {label: _tags(segments) for label, segments in read.items()}
        self._caches = {label for label, segments in read.items() if any(each.graph for each in segments)}
        self._shared = shared_tags(self._contents, self._tags)
        stamped = (path for path, _ in known.stamps())
        pages = set(known.pages())
        return Difference(
            dropped=frozenset({*stamped, *pages, *known.graph_paths, *known.refused}),
            unread=tuple(each.prefix for each in self._contents),
            listed=Encoder().segment(),
            changed=frozenset(pages),
        )


def _tags(segments: Iterable[Segment]) -> set[str]:
    return set(chain.from_iterable(segment.tags for segment in segments))


def _refuse_unread(segments: Sequence[Segment]) -> None:
    refuse_unread(_tags(segments), chain.from_iterable(segment.problems for segment in segments))


def _gathered(segments: Sequence[Segment]) -> Segment:
    """The stamps and problems of these segments, which have no pages, as one."""
    return msgspec.structs.replace(
        Encoder().segment(),
        files=merge_files([each.files for each in segments]),
        problems=tuple(chain.from_iterable(each.problems for each in segments)),
    )
