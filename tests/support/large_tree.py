"""A large install tree: `write_large_tree(folder, records)`, with specs of a build cache from `large_cache`.

Its prefixes do not exist, like those of a tree on an unmounted file system. Input: the number of records; the same
bytes each time.
"""

import json
from pathlib import Path
from random import Random

from tests.support.large_cache import some_nodes

DAY = 86_400.0


def write_large_tree(folder: Path, records: int, seed: int = 11) -> Path:
    """Write the database of a tree, and return its folder: a tenth is explicit, and a few records are missing."""
    random, installs = Random(seed), {}
    for number, node in enumerate(some_nodes(records)[:records]):
        is_there = random.random() > 0.02
        installs[node["hash"]] = {
            "spec": node,
            "path": node.get("external", {}).get("path")
            or f"/srv/tree/{node['name']}-{node['version']}-{node['hash']}",
            "installed": is_there,
            "ref_count": 1,
            "explicit": random.random() < 0.1,
            "installation_time": 1_790_000_000 + number * DAY / 100,
            "deprecated_for": None,
        }
    database = folder / ".spack-db"
    database.mkdir(parents=True)
    (database / "index.json").write_text(
        json.dumps({"database": {"version": "8", "installs": installs}}, separators=(",", ":"))
    )
    return folder
