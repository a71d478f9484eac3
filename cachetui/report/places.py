"""CONTENT and tags in JSON. An index of more than one CONTENT names a tag `LABEL/TAG`; JSON separates the two."""

from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import asdict

from cachetui.model.spec import Spec
from cachetui.search.availability import CacheName

AnyRecord = TypeVar("AnyRecord", bound=Struct)


class Place(Struct, frozen=True):
    """The place of a build cache: its content, tag and stack."""

    content: str
    """The content in the words of the command line."""
    tag: str
    stack: str
    """The stack; empty if the cache has no stacks."""


class SpecRecord(Spec, frozen=True, kw_only=True):
    """A binary in one tag of the content. If several build caches are open, `tags` have the spelling of `--tag`."""

    content: str
    """The content in the words of the command line."""


class Places(Struct, frozen=True):
    """What a search covers: each CONTENT on the command line."""

    contents: Sequence[tuple[str, str]] = ()
    """The prefix of the tags of each CONTENT, and the content as the user named it. May be empty."""

    def of(self, mirror: CacheName) -> Place:
        """Return the place of a build cache."""
        return Place(*self.apart(mirror.tag), mirror.stack)

    def spec(self, spec: Spec) -> SpecRecord:
        """Return the record of a spec, which includes its content."""
        return self.record(SpecRecord, spec)

    def record(self, kind: type[AnyRecord], item: Any, **more: object) -> AnyRecord:
        """Return a record of this kind with the fields of `item`, the content of its tag, and `more`."""
        fields = asdict(item)
        content, fields["tag"] = self.apart(item.tag)
        return kind(**fields, **more, content=content)

    def apart(self, tag: str) -> tuple[str, str]:
        """Split a tag or path into its content and the rest."""
        for prefix, content in self.contents:
            if tag.startswith(prefix):
                return content, tag.removeprefix(prefix)
        return "", tag
