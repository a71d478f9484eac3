"""The lock files that Spack wrote, and a lock file with a small change in a spec that most other specs depend on."""

import json
from pathlib import Path

from tests.support.caches import CACHES

ENVS = CACHES / "oracle" / "envs"

BTEST = str(ENVS / "spack-1.1" / "btest" / "spack.lock")

CORE = "4f5apt24ub7ufvjsd73opxz6sena4ys3"
"""The hash of bt-core, a dependency of most specs in the environment `btest`."""


def changed_at_the_bottom(folder: Path) -> str:
    """Write a lock file with a changed variant of bt-core; return its path. Dependents of bt-core have new hashes."""
    text = Path(BTEST).read_text()
    nodes = json.loads(text)["concrete_specs"]
    above, waiting = {CORE}, [CORE]
    for each in waiting:
        new = [
            node_hash
            for node_hash, node in nodes.items()
            if node_hash not in above and any(edge["hash"] == each for edge in node.get("dependencies", ()))
        ]
        above.update(new)
        waiting += new
    for node_hash in above:
        text = text.replace(node_hash, f"x{node_hash[1:]}" if node_hash[0] != "x" else f"y{node_hash[1:]}")
    lock = json.loads(text)
    lock["concrete_specs"][f"x{CORE[1:]}"]["parameters"]["shared"] = False
    path = folder / "spack.lock"
    path.write_text(json.dumps(lock))
    return str(path)
