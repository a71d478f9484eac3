"""Contents and tags in JSON: with several contents a tag is `LABEL/TAG`; here content and tag are separate."""

from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import asdict

from cachetui.model.spec import Spec
from cachetui.search.availability import CacheName

AnyRecord = TypeVar("AnyRecord", bound=Struct)


class Place(Struct, frozen=True):
    """One build cache."""

    content: str
    """As the user named it."""
    tag: str
    stack: str
    """Empty for a cache without stacks."""


class SpecRecord(Spec, frozen=True, kw_only=True):
    """One binary in one tag of a content; of several contents `tags` are spelled as `--tag` takes them."""

    content: str
    """As the user named it."""


class Places(Struct, frozen=True):
    """The contents of a search."""

    contents: Sequence[tuple[str, str]] = ()
    """The prefix of the tags of each, and the content as the user named it; the name is empty without contents."""

    def of(self, mirror: CacheName) -> Place:
        """Return the place of a cache."""
        return Place(*self.apart(mirror.tag), mirror.stack)

    def spec(self, spec: Spec) -> SpecRecord:
        """Return a spec with its content."""
        return self.record(SpecRecord, spec)

    def record(self, kind: type[AnyRecord], item: Any, **more: object) -> AnyRecord:
        """Return a record of this kind: something with a tag, its content, and `more`."""
        fields = asdict(item)
        content, fields["tag"] = self.apart(item.tag)
        return kind(**fields, **more, content=content)

    def apart(self, tag: str) -> tuple[str, str]:
        """Return the content of a tag or path, and the rest of the tag or path."""
        for prefix, content in self.contents:
            if tag.startswith(prefix):
                return content, tag.removeprefix(prefix)
        return "", tag
