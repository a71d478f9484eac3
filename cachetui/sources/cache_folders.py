"""Tell folders that are parts of a build cache from folders of pages.

A folder of pages may have any name, so its contents decide.
"""

import os

V2 = "build_cache"
V3 = "v3"
BLOBS = "blobs"

NAMES = frozenset({V2, V3, BLOBS})
"""The names that the parts of a cache have."""

SPEC_FILE_ENDS = (".spec.json.sig", ".spec.json", ".spec.yaml")
"""Endings of the spec files of layout v2, in the order in which Spack looks for them."""

_MARKS = frozenset({"index.json", "index.json.hash", "_pgp"})


def is_cache_folder(path: str) -> bool:
    """Return whether a folder with one of `NAMES` is a part of a build cache."""
    name = os.path.basename(path.rstrip("/"))
    if name == V3:
        return any(os.path.isdir(f"{path}/manifests/{kind}") for kind in ("index", "spec"))
    if name == BLOBS:
        return os.path.isdir(f"{path}/sha256")
    return name == V2 and is_v2_folder(path)


def is_v2_folder(path: str, *, any_name: bool = False) -> bool:
    """Return whether a folder holds files of layout v2; with `any_name` only spec files count, as `index.json` may be
    anything elsewhere."""
    try:
        with os.scandir(path) as entries:
            return any(each.name.endswith(SPEC_FILE_ENDS) or (not any_name and each.name in _MARKS) for each in entries)
    except OSError:
        return False
