"""What every process of the program imports first, since that makes its start shorter."""

from __future__ import annotations

import sys


def import_msgspec() -> None:
    """Imports msgspec as where there is no `typing_extensions`.

    Of that it takes what Python 3.11 has too; importing it takes longer than all of msgspec.
    """
    hidden = "typing_extensions" not in sys.modules
    if hidden:
        sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # how Python marks what cannot be imported
    import msgspec  # noqa: F401  # only so that it is imported already where it is used

    if hidden:
        del sys.modules["typing_extensions"]
