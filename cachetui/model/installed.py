"""The record of a spec in an installation: its state, reason, time and place."""

import time
from calendar import timegm
from typing import Any

from msgspec import Struct

from cachetui.safe_text import ago

PRESENT = ("installed", "external", "upstream", "gone")
"""The states of a spec that Spack treats as installed. `gone`: its prefix does not exist any more."""

HIDDEN = ("missing", "deprecated")
"""The states of a spec that is not installed, but recorded because a spec needs it or another spec replaces it."""

STATES = (*PRESENT, *HIDDEN)

ABSENT = "absent"
"""The state of a spec that no installation records."""

FORM = "%Y-%m-%dT%H:%M:%SZ"
"""The format of a time."""

LOCAL = "local"
"""The name of the opened tree as a stack. Its upstreams have their names from Spack's configuration."""


class Installed(Struct, frozen=True, gc=False):
    """The record of a spec in an installation."""

    state: str
    """One of `STATES`."""
    explicit: bool
    """Whether a user asked for it, by name or as a root of an environment."""
    time: float | None
    """The time of installation or registration, in seconds since the epoch."""
    prefix: str | None
    """The folder of the spec; None if it has none, or if the place of the tree is unknown."""
    deprecated_for: str | None = None
    """The hash of the spec that replaces this one."""
    own: bool | None = None
    """Whether the opened tree itself records the spec as explicit; None if only upstreams record it."""


def recorded(record: Installed | None) -> dict[str, Any]:
    """Return the fields that a spec gets from its record; empty without a record."""
    if record is None:
        return {}
    day = None if record.time is None else time.strftime(FORM, time.gmtime(record.time))
    return {"state": record.state, "explicit": record.explicit, "installed": day, "prefix": record.prefix}


def age(written: str) -> str:
    """Return `3 days ago` for the time of a spec. A future time gives its day; any other text stays as it is."""
    try:
        seconds = time.time() - timegm(time.strptime(written, FORM))
    except ValueError:
        return written
    return ago(seconds) if seconds >= 0 else written[:10]
