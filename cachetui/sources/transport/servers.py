"""What all that a program asks servers for has in common: connections, and where the copies are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from cachetui.sources.source import Asking
from cachetui.sources.transport.cache import keep_within
from cachetui.store.files import snapshot_folder

if TYPE_CHECKING:
    from cachetui.sources.transport.client import Client


class Servers:
    """How servers are asked; one for all that a program asks, from any thread."""

    def __init__(self, environ: Mapping[str, str], asking: Asking) -> None:
        self.environ = environ
        self.asking = asking
        self.cache_folder = Path(snapshot_folder(environ))

    @cached_property
    def client(self) -> Client | None:
        """What asks them; None where nothing is to be asked."""
        if self.asking.offline:
            return None
        from cachetui.sources.transport.client import Client  # late: it brings the HTTP library

        keep_within(self.cache_folder)
        return Client(self.environ, insecure=self.asking.insecure)
