"""What is left out on the host of a query, as wide as there is room."""

from __future__ import annotations

from collections.abc import Sequence

from cachetui.safe_text import plural
from cachetui.suggest.no_match import HostFit


def fewer_reasons(found: HostFit, key: str) -> Sequence[str]:
    """What is left out, in phrases with fewer and fewer of the most frequent reasons; the last one is empty.

    `key`: it shows them all.
    """
    texts = [f"{each.reason} ({each.specs:,})" for each in found.left_out]
    if not texts:
        return [""]
    shorter = [
        f"{', '.join(texts[:most])} and {plural(len(texts) - most, 'more reason')} ({key})"
        for most in range(len(texts))[:0:-1]
    ]
    if shorter:
        shorter.append(f"{texts[0]} and {len(texts) - 1} more ({key})")
    specs = sum(each.specs for each in found.left_out)
    return [*(f"left out: {each}" for each in (", ".join(texts), *shorter, f"{specs:,}, {key} says why")), ""]
