"""Small install trees; like in Spack, `index.json` is written under another name and renamed."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ARCH = {"platform": "linux", "platform_os": "debian12", "target": "zen3"}


def key(number: int) -> str:
    """Return the hash of a record."""
    alphabet = "abcdefghijklmnop"
    return "".join(alphabet[int(digit, 16)] for digit in f"{number:032x}")


def record(name: str, needs: Iterable[tuple[str, str]] = (), *, external: str | None = None, **fields: Any) -> Any:
    """Return a record of an installed spec; `needs` are the names and hashes of its link dependencies."""
    edges = [{"name": n, "hash": h, "parameters": {"deptypes": ["link"], "virtuals": []}} for n, h in needs]
    spec = {"name": name, "version": "1.0", "arch": ARCH, "namespace": "builtin", "parameters": {}}
    if external:
        spec["external"] = {"path": external, "module": None}
    given = {"installed": True, "explicit": True, "installation_time": 1.7e9, "deprecated_for": None, "ref_count": 0}
    return {"spec": spec | {"dependencies": edges}, "path": external, **given, **fields}


def write_tree(tree: Path, records: Mapping[str, Any], version: str = "8", *, prefixes: bool = True) -> Path:
    """Write the database of a tree, and create the missing prefixes if `prefixes` is true; return the tree."""
    (tree / ".spack-db").mkdir(parents=True, exist_ok=True)
    for spec_hash, each in records.items():
        if isinstance(each, dict) and each.get("path", "") is None:
            each["path"] = f"{tree}/linux-zen3/{each['spec']['name']}-{spec_hash}"
            if prefixes:
                os.makedirs(each["path"], exist_ok=True)
    write_index(tree, json.dumps({"database": {"version": version, "installs": records}}))
    return tree


def write_index(tree: Path, text: str) -> None:
    """Replace the database of a tree by this text."""
    temporary = tree / ".spack-db" / "index.json.host.1.temp"
    temporary.write_text(text)
    temporary.rename(tree / ".spack-db" / "index.json")
