"""The record of a spec in an installation: state, reason, time and prefix."""

import time
from calendar import timegm
from typing import Any

from msgspec import Struct

from cachetui.safe_text import ago

PRESENT = ("installed", "external", "upstream", "gone")
"""The states of a spec that Spack treats as installed. `gone`: the prefix of the spec was removed."""

HIDDEN = ("missing", "deprecated")
"""The states of a recorded spec that is not installed. The record remains because of a dependent or a replacement."""

STATES = (*PRESENT, *HIDDEN)

ABSENT = "absent"
"""The state of a spec without a record in any installation."""

FORM = "%Y-%m-%dT%H:%M:%SZ"
"""The format of a time."""

LOCAL = "local"
"""The stack name of the opened tree. The stacks of its upstreams have the names in Spack's configuration."""


class Installed(Struct, frozen=True, gc=False):
    """The record of a spec in an installation."""

    state: str
    """One of `STATES`."""
    explicit: bool
    """Whether a user requested the spec, by name or as a root of an environment."""
    time: float | None
    """The time of installation or registration, in seconds since the epoch."""
    prefix: str | None
    """The folder of the spec; None if the spec lacks a folder, or if the path of the tree is unknown."""
    deprecated_for: str | None = None
    """The hash of the spec that replaces this one."""
    own: bool | None = None
    """Whether the opened tree itself records the spec as explicit; None if only upstreams record it."""


def recorded(record: Installed | None) -> dict[str, Any]:
    """Return the values of a record as fields of a `Spec`; empty without a record."""
    if record is None:
        return {}
    day = None if record.time is None else time.strftime(FORM, time.gmtime(record.time))
    return {"state": record.state, "explicit": record.explicit, "installed": day, "prefix": record.prefix}


def age(written: str) -> str:
    """Return the age of a time in the format `FORM`, such as `3 days ago`; for a future time, its date.

    Return any other text unchanged.
    """
    try:
        seconds = time.time() - timegm(time.strptime(written, FORM))
    except ValueError:
        return written
    return ago(seconds) if seconds >= 0 else written[:10]
