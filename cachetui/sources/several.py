"""A source that combines several sources. Each source has a label, which becomes the prefix of its paths and tags."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread

import msgspec

from cachetui.sources.source import (
    ContentError,
    Difference,
    Known,
    Progress,
    Source,
)
from cachetui.store.arrays import StringTable
from cachetui.store.columns import Segment
from cachetui.workers.cancelling import Cancelled, never

WATCH_SECONDS = 0.3
"""Seconds between two checks of `cancelled` while watching."""


class _Content:
    """One of the combined sources, with the prefix of its paths and tags in the joint index."""

    def __init__(self, source: Source, label: str) -> None:
        self.source = source
        self.prefix = f"{label}/"

    def own(self, names: Iterable[str]) -> list[str]:
        """Select the paths or tags that belong to this source, and return them without the prefix."""
        return [name[len(self.prefix) :] for name in names if name.startswith(self.prefix)]

    def joint(self, names: Iterable[str]) -> list[str]:
        """Return paths or tags of this source with the prefix added."""
        return [self.prefix + name for name in names]

    def joint_segment(self, segment: Segment) -> Segment:
        """Return a segment (a part of the index) of this source with the prefix added to all paths and tags."""
        replace, graph = msgspec.structs.replace, segment.graph
        if graph is not None:
            graph = graph.placed(self.prefix + graph.path, self.prefix + graph.tag)
        return replace(
            segment,
            paths=StringTable.of(self.joint(segment.paths)),
            tags=StringTable.of(self.joint(segment.tags)),
            file_path=StringTable.of(self.joint(segment.file_path)),
            upper_folders=tuple(self.joint(segment.upper_folders)),
            problems=tuple(replace(each, path=self.prefix + each.path) for each in segment.problems),
            graph=graph,
        )


class SeveralSource(Source):
    """The combination of several sources."""

    def __init__(self, sources: Sequence[Source]) -> None:
        labels = labels_of([source.identity.partition("\t")[0] for source in sources])
        self._contents = [_Content(source, label) for source, label in zip(sources, labels, strict=True)]
        self.content = " ".join(source.content for source in sources)
        self.identity = "\n".join(source.identity for source in sources)

    @property
    def parts(self) -> Sequence[tuple[str, Source]]:
        """The combined sources, each with the prefix of its paths. See `Source`."""
        return [(each.prefix, each.source) for each in self._contents]

    def unread_tags(self, read: Collection[str]) -> list[str]:
        """Return the tags that are not in `read`. The tags of the first source come first. See `Source`."""
        return [tag for each in self._contents for tag in each.joint(each.source.unread_tags(each.own(read)))]

    def ask_for(self, tag: str) -> None:
        """Include this tag in all later calls of `read` and `compare`. See `Source`."""
        for each in self._contents:
            for own_tag in each.own([tag]):
                each.source.ask_for(own_tag)

    def ask_servers(self) -> None:
        """In all later calls of `read` and `compare`, contact the servers of each `mirrors.yaml`. See `Source`."""
        for each in self._contents:
            each.source.ask_servers()

    def revision(self) -> str:
        """Return the revisions of all sources, one per line."""
        return "\n".join(each.source.revision() for each in self._contents)

    def read(self, cancelled: Cancelled = never) -> Iterator[tuple[Segment | None, Progress]]:
        """Read one source after another. See `Source`."""
        total = 100 * len(self._contents)
        for place, each in enumerate(self._contents):
            for segment, progress in each.source.read(cancelled):
                done = 100 * place + 100 * progress.done // (progress.total or 1)
                joint = None if segment is None else each.joint_segment(segment)
                yield joint, msgspec.structs.replace(progress, done=done, total=total)

    def compare(
        self,
        known: Known,
        cancelled: Cancelled = never,
        *,
        pages: Collection[str] | None = None,
        cheap: bool = False,
    ) -> Difference:
        """Compare every source. With `pages`, compare only the sources that these pages belong to. See `Source`."""
        revisions = known.revision.split("\n") + [""] * len(self._contents)
        found: list[tuple[_Content, Difference]] = []
        for each, revision in zip(self._contents, revisions, strict=False):
            own, wanted = Known(known.columns, revision, each.prefix), None if pages is None else each.own(pages)
            if wanted is None or wanted:
                found.append((each, each.source.compare(own, cancelled, pages=wanted, cheap=cheap)))
        return Difference(
            dropped=frozenset(path for each, own in found for path in each.joint(own.dropped)),
            unread=tuple(path for each, own in found for path in each.joint(own.unread)),
            listed=tuple(each.joint_segment(segment) for each, own in found if own for segment in own.listed),
            whole=pages is None and all(own.whole for _, own in found),
        )

    def read_again(self, paths: Collection[str], cancelled: Cancelled = never) -> list[Segment]:
        """Read these paths again, each in the source to which the path belongs. See `Source`."""
        wanted = ((each, own) for each in self._contents if (own := each.own(paths)))
        return [each.joint_segment(found) for each, own in wanted for found in each.source.read_again(own, cancelled)]

    def watch(self, cancelled: Cancelled) -> Iterator[None]:
        """Yield after each change in any of the sources. See `Source`."""
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
                error = changes.get(timeout=WATCH_SECONDS)
                if error is not None:
                    raise error
                yield


def labels_of(identities: Sequence[str]) -> list[str]:
    """Return a distinct label for each path or URL: its last component, or more components if labels would be equal."""
    paths = [identity.strip("/").split("/") for identity in identities]
    lengths = [1] * len(paths)
    while True:
        labels = ["/".join(path[-length:]) for path, length in zip(paths, lengths, strict=True)]
        shared = [
            k
            for k, label in enumerate(labels)
            if lengths[k] < len(paths[k])
            and any(f"{other}/".startswith(f"{label}/") for j, other in enumerate(labels) if j != k)
        ]
        if not shared:
            return labels
        for k in shared:
            lengths[k] += 1
