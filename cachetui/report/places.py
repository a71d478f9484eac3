"""Name content and tag in JSON. An index of several build caches joins both as `LABEL/TAG`."""

from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import asdict

from cachetui.model.spec import Spec
from cachetui.search.availability import CacheName

AnyRecord = TypeVar("AnyRecord", bound=Struct)


class Place(Struct, frozen=True):
    """The location of a build cache: its content, tag and stack."""

    content: str
    """The content in the words of the command line."""
    tag: str
    stack: str
    """The stack; empty if the cache has no stacks."""


class SpecRecord(Spec, frozen=True, kw_only=True):
    """A binary in one tag. If several build caches are open, `tags` are spelled as for `--tag`."""

    content: str
    """The content in the words of the command line."""


class Places(Struct, frozen=True):
    """The content that a command searches."""

    contents: Sequence[tuple[str, str]] = ()
    """For each CONTENT: the prefix of its tags, and the content as the user named it. May be empty."""

    def of(self, mirror: CacheName) -> Place:
        """Return the content, tag and stack of a build cache."""
        return Place(*self.apart(mirror.tag), mirror.stack)

    def spec(self, spec: Spec) -> SpecRecord:
        """Return the record of a spec, which includes its content."""
        return self.record(SpecRecord, spec)

    def record(self, kind: type[AnyRecord], item: Any, **more: object) -> AnyRecord:
        """Return a record of this kind: the fields of `item`, the content to which its tag belongs, and `more`."""
        fields = asdict(item)
        content, fields["tag"] = self.apart(item.tag)
        return kind(**fields, **more, content=content)

    def apart(self, tag: str) -> tuple[str, str]:
        """Split the label from a tag or path. Return the content of this label, and the rest."""
        for prefix, content in self.contents:
            if tag.startswith(prefix):
                return content, tag.removeprefix(prefix)
        return "", tag
