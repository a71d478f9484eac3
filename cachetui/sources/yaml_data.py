"""Read YAML as plain data, within limits.

YAML tags and deep nesting are refused. Aliases can expand a small file into a huge document. Therefore aliases are
accepted only if the caller limits the expansion.
Input: text of any origin.
"""

from typing import Any

MAX_VALUES = 1_000_000
"""Maximum number of scalars, lists and mappings in a document. Reading this many takes some seconds."""

MAX_DEPTH = 32
"""Maximum depth of nested lists and mappings."""


def read_yaml(text: str | bytes, *, texts_only: bool = False, aliases: bool = False) -> Any:
    """Return the data of a YAML document. With `texts_only`, scalars are not converted but remain strings.

    With `aliases`, an aliased value is one shared object in the result, and the caller must limit the expansion. Raises
    ValueError with the line number in the message.
    """
    import yaml  # late, because most content needs no YAML

    name = "BaseLoader" if texts_only else "SafeLoader"
    loader = getattr(yaml, f"C{name}", getattr(yaml, name))
    line = 1
    try:
        depth = 0
        for count, event in enumerate(yaml.parse(text, Loader=loader)):
            line = event.start_mark.line + 1 if event.start_mark else line
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if not aliases and (isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None)):
                raise ValueError(f"line {line} has a YAML anchor or alias, which cachetui does not read")
            if getattr(event, "tag", None):
                raise ValueError(f"line {line} has a YAML tag, which cachetui does not read")
            if depth > MAX_DEPTH:
                raise ValueError(f"nested more than {MAX_DEPTH} levels deep in line {line}")
            if count > MAX_VALUES:
                raise ValueError(f"more than {MAX_VALUES:,} YAML values up to line {line}")
        return yaml.load(text, Loader=loader)
    except (yaml.YAMLError, RecursionError, UnicodeError, OverflowError) as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "invalid YAML"
        raise ValueError(f"{reason} in line {mark.line + 1 if mark else line}") from None
