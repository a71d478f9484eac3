"""The saved view that a command line asks for, and the content that it is of.

Input: the files of saved views. The messages quote names from them, so escape them before they are shown.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from cachetui.cli.options import UsageError
from cachetui.model.likeness import nearest_names
from cachetui.safe_text import listed, shell_word
from cachetui.settings.views import Views, read_views, stored_views
from cachetui.settings.views_file import ViewsError


def no_view(views: Views, name: str) -> UsageError:
    """That there is no view of this name, with the nearest ones, here or of another content."""
    return UsageError(f"no view {shell_word(name)}: {_instead(views, name)}")


def contents_with(name: str) -> list[Views]:
    """The saved views of each content that has one of this name."""
    return [views for views in _all_views() if name in views.named]


def left_last() -> Views | None:
    """The saved views of the content that the browser was left on last; None where it never was."""
    left = (views for views in _all_views() if views.last is not None)
    return max(left, key=lambda views: views.left_at, default=None)


def _instead(views: Views, name: str) -> str:
    names = sorted(views.named)
    near = nearest_names(name, names)
    there = f"nearest: {_quoted(near)}" if near else ""
    if others := contents_with(name):
        return f"{there or 'none is saved of this content'}; give the content that it is saved of: {_contents(others)}"
    elsewhere = sorted({each for other in _all_views() for each in other.named})
    for other in () if near else nearest_names(name, elsewhere, 1):
        return f"nearest: {shell_word(other)} of {_contents(contents_with(other))}"
    if near or not names:
        return there or "none is saved of this content, and cachetui views lists those of all"
    return f"there {'is' if len(names) == 1 else 'are'} {_quoted(names)}"


def _contents(found: Sequence[Views]) -> str:
    """The contents as one writes them on a command line."""
    return ", ".join(" ".join(map(shell_word, views.contents)) for views in found)


def _all_views() -> Iterator[Views]:
    """The views of every content whose file can be read."""
    for path in stored_views(os.environ):
        try:
            yield read_views(path)
        except ViewsError:
            continue


def _quoted(names: Sequence[str]) -> str:
    return listed([shell_word(name) for name in names])
