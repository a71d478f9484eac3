"""Folders watched for changes, by what the system offers for that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cachetui.safe_text import visible
from cachetui.sources.source import ContentError
from cachetui.workers.cancelling import Cancelled

PATIENCE = 300
"""Milliseconds between two questions whether anybody still watches."""


def watched(content: str, paths: Sequence[str], cancelled: Cancelled) -> Iterator[None]:
    """Yield each time that something at these paths has changed, until `cancelled` says so.

    Raises ContentError, about the content as the user named it, where the system cannot tell of changes.
    """
    from watchfiles import watch

    try:
        for changes in watch(*paths, rust_timeout=PATIENCE, yield_on_timeout=True, raise_interrupt=False):
            if cancelled():
                return
            if changes:
                yield
    except (OSError, RuntimeError) as error:
        raise ContentError(f"{visible(content)} cannot be watched ({error}): r reads again") from None
