"""One of several contents: how its paths, its tags and what is known of it are told from those of the others.

Paths of a content begin with its label, the shortest end of its path that no other one has. A tag keeps its name as
long as no other content has one of that name, read or listed by its server.
Input: the source of the content, segments and differences as it names them itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

import msgspec

from cachetui.sources.source import Difference, Known, Source
from cachetui.store.segment import Segment
from cachetui.store.stamps import Stamp
from cachetui.store.strings import Strings


class OneOfSeveral:
    """One of the contents: its source, and how its paths and tags are told from the others'."""

    def __init__(self, source: Source, label: str) -> None:
        self.source = source
        self.label = label
        self.prefix = f"{label}/"

    @property
    def listed(self) -> list[str]:
        """All tags that its server lists, read or not; none where no server does."""
        return self.source.more.unread_tags(()) if self.source.more is not None else []

    def joint_tag(self, tag: str, shared: Collection[str]) -> str:
        """The tag among those of all contents; `shared` are the ones that several contents have."""
        if tag not in shared:
            return tag
        return self.label if tag == self.label.rpartition("/")[2] else f"{self.label}/{tag}"

    def has_name(self, tag: str) -> bool:
        """Whether a tag among those of all contents is named as one of this content."""
        return tag == self.label or tag.startswith(self.prefix)

    def own_tag(self, tag: str) -> str:
        """The tag as the content itself names it."""
        return tag.rpartition("/")[2] if tag == self.label else tag.removeprefix(self.prefix)

    def own_paths(self, paths: Iterable[str]) -> list[str]:
        """Those of these paths that are of this content, as it names them itself."""
        return [path[len(self.prefix) :] for path in paths if path.startswith(self.prefix)]

    def joint(self, segment: Segment, shared: Collection[str]) -> Segment:
        """A segment of the content among those of all contents."""
        prefix, graph, files = self.prefix, segment.graph, segment.files
        if graph is not None:
            tag = self.joint_tag(graph.tag, shared)
            graph = msgspec.structs.replace(graph, path=prefix + graph.path, tag=tag)
        return msgspec.structs.replace(
            segment,
            paths=Strings.of([prefix + path for path in segment.paths]),
            tags=Strings.of([self.joint_tag(tag, shared) for tag in segment.tags]),
            files=msgspec.structs.replace(files, paths=Strings.of([prefix + path for path in files.paths])),
            upper_folders=tuple(prefix + path for path in segment.upper_folders),
            problems=tuple(msgspec.structs.replace(each, path=prefix + each.path) for each in segment.problems),
            graph=graph,
        )

    def joint_difference(self, found: Difference, shared: Collection[str]) -> Difference:
        """A difference of the content among all contents."""
        return Difference(
            dropped=frozenset(self.prefix + path for path in found.dropped),
            unread=tuple(self.prefix + path for path in found.unread),
            listed=self.joint(found.listed, shared),
            changed=frozenset(self.prefix + path for path in found.changed),
        )


class KnownOfOne(Known):
    """What an index of several contents knows of one of them."""

    def __init__(self, known: Known, prefix: str, revision: str) -> None:
        self._known = known
        self._prefix = prefix
        self.revision = revision

    def _own(self, paths: Iterable[str]) -> Iterator[str]:
        return (path[len(self._prefix) :] for path in paths if path.startswith(self._prefix))

    def __len__(self) -> int:
        return sum(1 for _ in self.stamps())

    def stamps(self) -> Iterator[tuple[str, Stamp]]:
        prefix = self._prefix
        return ((path[len(prefix) :], stamp) for path, stamp in self._known.stamps() if path.startswith(prefix))

    def stamp(self, path: str) -> Stamp | None:
        return self._known.stamp(self._prefix + path)

    def below(self, folder: str) -> Iterator[str]:
        return self._own(self._known.below(self._prefix + folder))

    def pages(self) -> Iterator[str]:
        return self._own(self._known.pages())

    def page_tags(self) -> Iterator[tuple[str, str]]:
        prefix = self._prefix
        return ((path[len(prefix) :], tag) for path, tag in self._known.page_tags() if path.startswith(prefix))

    @property
    def upper_folders(self) -> Sequence[str]:
        return list({"", *self._own(self._known.upper_folders)})

    @property
    def graph_paths(self) -> Sequence[str]:
        return list(self._own(self._known.graph_paths))

    @property
    def refused(self) -> Sequence[str]:
        return list(self._own(self._known.refused))


def shared_tags(contents: Iterable[OneOfSeveral], read: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """The tags that several contents have: those that were read (by label), and those that their servers list."""
    counts = Counter(chain.from_iterable({*each.listed, *read.get(each.label, ())} for each in contents))
    return frozenset(tag for tag, count in counts.items() if count > 1)


def labels_of(identities: Sequence[str]) -> list[str]:
    """For each content the shortest end of its path that no other one has."""
    paths = [identity.rstrip("/").split("/") for identity in identities]
    labels = []
    for place, path in enumerate(paths):
        others = [other for k, other in enumerate(paths) if k != place]
        length = 1
        while length < len(path) and any(other[-length:] == path[-length:] for other in others):
            length += 1
        labels.append("/".join(path[-length:]).lstrip("/"))
    return labels
