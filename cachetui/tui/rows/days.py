"""The newest tags of rows as they are said: a weekly snapshot by its day alone."""

from __future__ import annotations

from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.search.newest_tags import NewestTags
from cachetui.store.arrays import Once

NO_OTHER = "no other"
"""What is said of a row that no other tag has."""

WEEKLY = "develop-"
"""What the tag of a weekly snapshot begins with; its day alone is said."""


class Days:
    """What is said of the rows of one index."""

    def __init__(self, index: Index) -> None:
        self._tags = NewestTags(index)
        self._texts = Once(self._text)
        self._texts[len(self._tags.tags)] = NO_OTHER

    def of(self, row: int) -> str:
        """The newest tag that has the spec of a row; that it is the only one, of a tag that is no snapshot."""
        place, none = self._tags.newest(row), len(self._tags.tags)
        return self._texts[place if place < none else none + 1 + self._tags.own(row)]

    def of_other(self, row: int) -> str:
        """The newest other tag that has it; else that there is none."""
        return self._texts[self._tags.newest_other(row)]

    def _text(self, place: int) -> str:
        tags = self._tags.tags
        text = tags[place].removeprefix(WEEKLY) if place < len(tags) else f"only {tags[place - len(tags) - 1]}"
        return visible(text)
