"""Functions that read environments with the settings of the tests, for a given host or the simulated machine."""

import os
from collections.abc import Sequence

from cachetui.environments import reader
from cachetui.environments.wanted import Expectations, Wanted
from cachetui.model.host import Host
from cachetui.settings.settings import Settings


def read_wanted(words: Sequence[str], host: Host | None = None) -> Wanted:
    return reader.read_wanted(words, Settings(os.environ, fits=host))


def parse(text: str, folder: str = "", host: Host | None = None) -> Expectations:
    return reader.parse_expected(text, folder, Settings(os.environ, fits=host))
