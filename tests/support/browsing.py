"""The browser on the sample catalogue."""

from collections.abc import Sequence

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.settings.settings import Settings
from cachetui.sources.kinds import sample_contents
from cachetui.tui.app import BrowserApp
from cachetui.tui.view.view import View
from tests.support.places import SAMPLE_CONTENT

HOST = Host("linux", "ubuntu22.04", "zen3")

WIDE, SMALL, LEAST = (140, 40), (80, 24), (60, 20)


def browser(query: str = "", content: str | Sequence[str] = SAMPLE_CONTENT, host: Host = HOST) -> BrowserApp:
    """Return the browser on pages or build caches, which are read at once."""
    catalogue = Catalogue(content, Settings(), index_cache=False)
    view = View(index=catalogue.load(), host=host)
    return BrowserApp(catalogue, view.asked_for(view.parsed(query)))


def sample_browser(query: str = "", host: Host = HOST) -> BrowserApp:
    """Return the browser on the pages and the build cache of the sample."""
    return browser(query, sample_contents(), host)
