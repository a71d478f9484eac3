"""YAML of a build cache (the spec files of Spack 0.16, `mirrors.yaml`) as plain data.

Anchors and aliases, by which a small file becomes a huge one, are refused, and so is deep nesting.
Input: bytes of any origin.
"""

from __future__ import annotations

from typing import Any

import msgspec
import yaml

MAX_EVENTS = 1_000_000
"""Scalars, lists and maps of a file: some seconds of reading."""

MAX_DEPTH = 64


def plain_data(text: bytes) -> Any:
    """The data of the first document; raises ValueError."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        depth = 0
        for count, event in enumerate(yaml.parse(text, Loader=loader)):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent) or count > MAX_EVENTS or depth > MAX_DEPTH:
                raise ValueError("it is too large, nested too deeply, or has aliases")
        return yaml.load(text, Loader=loader)
    except (yaml.YAMLError, RecursionError, UnicodeError) as error:
        problem = getattr(error, "problem", None) or error
        mark = getattr(error, "problem_mark", None)
        raise ValueError(f"{problem} in line {mark.line + 1}" if mark else str(problem)) from None


def as_json(text: bytes) -> bytes:
    """The same document as JSON; raises ValueError."""
    try:
        return msgspec.json.encode(plain_data(text))
    except (TypeError, OverflowError) as error:
        raise ValueError(str(error)) from None
