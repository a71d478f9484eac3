"""The sizes of the binaries that a command lists, asked of servers where the content is on some."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection

from cachetui.cli.options import ContentOptions
from cachetui.cli.session import asking_of
from cachetui.search.index import Index
from cachetui.sources.buildcache.sizes import Sizes, has_urls

MANY = 200
"""More binaries than these are not asked for on servers, each by a request, unless somebody wants to know."""


def sizes_of(
    index: Index, hashes: Collection[str], options: ContentOptions, *, every: bool = False
) -> Callable[[str], int | None]:
    """Says of each of these hashes how many bytes there are to download; `every`: also where they are many."""
    if not has_urls(index.graph):
        return Sizes(index)
    from cachetui.sources.buildcache.remote_binaries import RemoteBinaries  # late: few have content on a server

    remote = RemoteBinaries(os.environ, asking_of(options)) if every or len(hashes) <= MANY else None
    return dict(Sizes(index, remote).each(hashes)).get
