"""Which kind of source a content is: decided by what is inside, never by its name.

Input: what a user names as content.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from cachetui.sources.folder import FolderSource
from cachetui.sources.source import Source


def open_source(contents: Sequence[str], environ: Mapping[str, str]) -> Source:
    """The source of these contents; raises ContentError where there is none."""
    found = list({source.identity: source for source in map(_open_one, contents)}.values())
    if len(found) == 1:
        return found[0]
    from cachetui.sources.several import SeveralSource

    return SeveralSource(found)


def is_content(word: str, *, named_plainly: bool = True) -> bool:
    """Whether a word that follows another content is one too, and not a part of a query.

    A path with a `/` in it that leads to a folder is; one without, where `named_plainly` allows it, only if that
    folder is a build cache or holds some.
    """
    if os.path.isdir(word):
        return "/" in word or (named_plainly and _holds_caches(word))
    return _is_mirrors_file(word)


def _open_one(content: str) -> Source:
    if _is_mirrors_file(content):
        from cachetui.sources.buildcache.mirrors import MirrorsSource

        return MirrorsSource(content)
    return FolderSource(content)


def _is_mirrors_file(path: str) -> bool:
    if not path.endswith((".yaml", ".yml")) or not os.path.isfile(path):
        return False
    from cachetui.sources.buildcache.mirrors import is_mirrors_file

    return is_mirrors_file(path)


def _holds_caches(folder: str) -> bool:
    from cachetui.sources.buildcache.layouts import layout_of

    try:
        with os.scandir(folder) as entries:
            below = [entry.path for entry in entries if entry.is_dir()]
    except OSError:
        return False
    return any(map(layout_of, [folder, *below]))
