"""YAML as plain data, within bounds.

Anchors and aliases, by which a small file becomes a huge one, are refused, and so are tags and deep nesting.
Input: text of any origin.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

MAX_VALUES = 1_000_000
"""Scalars, lists and maps: some seconds of reading."""

MAX_DEPTH = 32
"""Lists and maps within each other."""


class YamlError(ValueError):
    """YAML that cannot be read, or must not be."""

    def __init__(self, reason: str, line: int) -> None:
        """`line` is counted from 1."""
        super().__init__(f"{reason} in line {line}")
        self.reason = reason
        self.line = line


def read_yaml(text: str | bytes, *, texts_only: bool = False) -> Any:
    """Return the data of the first document; with `texts_only` each scalar but null is the text that was written.

    Raises YamlError.
    """
    import yaml  # late: most content is read without it

    line = 1
    try:
        depth = 0
        for count, event in enumerate(yaml.parse(text, Loader=_loader(False))):
            line = event.start_mark.line + 1 if event.start_mark else line
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise YamlError("YAML anchors and aliases are not read", line)
            if getattr(event, "tag", None):
                raise YamlError("YAML tags are not read", line)
            if depth > MAX_DEPTH:
                raise YamlError(f"nested more than {MAX_DEPTH} deep", line)
            if count > MAX_VALUES:
                raise YamlError(f"more than {MAX_VALUES:,} YAML values", line)
        return yaml.load(text, Loader=_loader(texts_only))
    except (yaml.YAMLError, RecursionError, UnicodeError, OverflowError) as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "no valid YAML"
        raise YamlError(str(reason), mark.line + 1 if mark else line) from None


@cache
def _loader(texts_only: bool) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    if not texts_only:
        return loader
    texts: Any = type("TextLoader", (loader,), {"yaml_implicit_resolvers": {}})
    texts.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
    return texts
