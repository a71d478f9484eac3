"""Where things are: with several contents a tag is `LABEL/TAG`, of which JSON tells content and tag apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import asdict

if TYPE_CHECKING:
    from cachetui.search.availability import CacheName


class Places(Struct, frozen=True):
    """The contents that something is looked for in."""

    contents: Sequence[tuple[str, str]] = ()
    """What the tags of each begin with, and the content as the user named it."""

    def of_tag(self, tag: str) -> dict[str, str]:
        """Return a tag as JSON has it."""
        prefix, content = next(each for each in self.contents if tag.startswith(each[0]))
        return {"content": content, "tag": tag.removeprefix(prefix)}

    def of(self, mirror: CacheName) -> dict[str, str]:
        """Return a cache as JSON has it."""
        return {**self.of_tag(mirror.tag), "stack": mirror.stack}

    def apart(self, item: Any) -> object:
        """Return something with a tag, and perhaps tags, as JSON has it: of several contents with its content."""
        if len(self.contents) < 2:
            return item
        tags = {"tags": list(map(self.of_tag, item.tags))} if hasattr(item, "tags") else {}
        return {**asdict(item), **tags, **self.of_tag(item.tag)}
