"""Which kind of source a content is: decided by what is inside, never by its name.

Input: what a user names as content.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cachetui.sources.folder import FolderSource
from cachetui.sources.source import Source


def open_source(contents: Sequence[str], environ: Mapping[str, str]) -> Source:
    """The source of this content; raises ContentError where there is none."""
    (content,) = contents
    return FolderSource(content)
