"""The record of a spec in an installation: whether it is installed, why, since when and where."""

import time
from calendar import timegm
from typing import Any

from msgspec import Struct

from cachetui.safe_text import ago

PRESENT = ("installed", "external", "upstream", "gone")
"""The states of a spec that Spack takes as installed; of one that is `gone` the prefix is not there any more."""

HIDDEN = ("missing", "deprecated")
"""The states of a record of a spec that is not installed, because something needs it, or another replaces it."""

STATES = (*PRESENT, *HIDDEN)

ABSENT = "absent"
"""The state of a spec that no installation has a record of."""

FORM = "%Y-%m-%dT%H:%M:%SZ"
"""How a time is written."""

LOCAL = "local"
"""The stack of the tree that was opened; those of its upstreams are called as Spack's configuration calls them."""


class Installed(Struct, frozen=True, gc=False):
    """The record of a spec in an installation."""

    state: str
    """One of `STATES`."""
    explicit: bool
    """Whether a user asked for it, by name or as a root of an environment."""
    time: float | None
    """When it was installed or registered, in seconds since the epoch."""
    prefix: str | None
    """Its folder; None for a spec without one, or if the place of the tree is unknown."""
    deprecated_for: str | None = None
    """The hash of the spec that replaces it."""
    own: bool | None = None
    """Whether the record in the opened tree itself is explicit; None if only upstreams have a record."""


def recorded(record: Installed | None) -> dict[str, Any]:
    """Return the fields of a spec from its record; an empty mapping without a record."""
    if record is None:
        return {}
    day = None if record.time is None else time.strftime(FORM, time.gmtime(record.time))
    return {"state": record.state, "explicit": record.explicit, "installed": day, "prefix": record.prefix}


def age(written: str) -> str:
    """Return `3 days ago` for a time as specs have it; the day for one to come, and any other text as it is."""
    try:
        seconds = time.time() - timegm(time.strptime(written, FORM))
    except ValueError:
        return written
    return ago(seconds) if seconds >= 0 else written[:10]
