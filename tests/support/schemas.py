"""The JSON Schemas of the commands; `python -m tests.support.schemas` prints the lines of `tests/cli/schemas.txt`.

Each line has a command, the hash of its schema without descriptions, and the words in CHANGELOG about the last change.
"""

import hashlib
import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from cachetui.cli.commands import documented
from cachetui.cli.schema import schema
from tests.support.places import ROOT

FILE = ROOT / "tests" / "cli" / "schemas.txt"


def frozen() -> dict[str, tuple[str, str]]:
    """Return the schema hash and the words in CHANGELOG of each command, as `schemas.txt` has them."""
    lines = (line.split(maxsplit=2) for line in FILE.read_text().splitlines())
    return {name: (digest, words) for name, digest, words in lines}


def hashes() -> dict[str, str]:
    """Return the current hash of the schema of each command."""
    texts = {name: json.dumps(_plain(schema(kinds)), sort_keys=True) for name, kinds in documented().items()}
    return {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in texts.items()}


def _plain(value: Any) -> Any:
    """Return a schema without descriptions. Lists whose order has no meaning, such as `anyOf`, are sorted."""
    if isinstance(value, list):
        return sorted(map(_plain, value), key=json.dumps)
    if not isinstance(value, dict):
        return value
    kept = {key: each for key, each in value.items() if not (key == "description" and isinstance(each, str))}
    return {key: list(map(_plain, each)) if key == "prefixItems" else _plain(each) for key, each in kept.items()}


@cache
def validator(command: str) -> Draft202012Validator:
    """Return the validator of the JSON of a command; it refuses unknown keys."""
    found: Any = schema(documented()[command])
    for part in found["$defs"].values():
        part["additionalProperties"] = False
    Draft202012Validator.check_schema(found)
    return Draft202012Validator(found)


def faults(command: str, out: str) -> list[str]:
    """Return the errors in the JSON of a command."""
    return [f"{each.json_path}: {each.message}"[:300] for each in validator(command).iter_errors(json.loads(out))]


if __name__ == "__main__":
    known = frozen()
    for name, digest in hashes().items():
        print(name, digest, known.get(name, ("", "as first published"))[1])
