"""The entry of a spec in the database of an installation: its state, its prefix, and when and why it was installed."""

import time
from calendar import timegm
from typing import Any

from msgspec import Struct

from cachetui.safe_text import ago

PRESENT = ("installed", "external", "upstream", "gone")
"""The states of a spec that Spack treats as installed. `gone`: the prefix of the spec was removed."""

HIDDEN = ("missing", "deprecated")
"""The states of a spec that has an entry but is not installed.

`missing`: another spec depends on this spec. `deprecated`: `spack deprecate` replaced this spec by another spec.
"""

STATES = (*PRESENT, *HIDDEN)

ABSENT = "absent"
"""The state of a spec that has no entry in any installation."""

FORM = "%Y-%m-%dT%H:%M:%SZ"
"""The format of a time."""

LOCAL = "local"
"""The stack name of the opened tree. The stacks of its upstreams have the names in Spack's configuration."""


class Installed(Struct, frozen=True, gc=False):
    """The entry of a spec in the database of an installation."""

    state: str
    """One of `STATES`."""
    explicit: bool
    """Whether a user requested the spec, by name or as a root of an environment."""
    time: float | None
    """The time of installation or registration, in seconds since the epoch; None if unknown."""
    prefix: str | None
    """The folder of the spec; None if the spec lacks a folder, or if the path of the tree is unknown."""
    deprecated_for: str | None = None
    """The hash of the spec that replaces a deprecated spec; None for any other spec."""
    own: bool | None = None
    """Whether the opened tree itself records the spec as explicit; None if only upstreams record it."""


def recorded(record: Installed | None) -> dict[str, Any]:
    """Return the fields of a `Spec` that come from its entry in an installation; empty if the entry is missing."""
    if record is None:
        return {}
    day = None if record.time is None else time.strftime(FORM, time.gmtime(record.time))
    return {"state": record.state, "explicit": record.explicit, "installed": day, "prefix": record.prefix}


def age(written: str) -> str:
    """Return the age of a time, such as `3 days ago`. The time is in the format `FORM`.

    For a time in the future, return its date. Return any other text unchanged.
    """
    try:
        seconds = time.time() - timegm(time.strptime(written, FORM))
    except ValueError:
        return written
    return ago(seconds) if seconds >= 0 else written[:10]
