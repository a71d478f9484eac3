"""Find the files of a build cache: layout v2 (`build_cache/`), layout v3 (`v3/` and `blobs/`), or both.

A folder is recognized as a build cache by its files. From the file name of a spec, only the hash is used: the last 32
characters before the file extension. The other fields cannot be separated, because names, versions and compilers may
contain dashes.
Input: a local folder. All paths are relative to this folder, with `/` as the separator.
"""

import os
import re
from collections.abc import Iterator

from msgspec import Struct

from cachetui.mappings import grouped
from cachetui.sources.source import ContentError

V2 = "build_cache"
V3 = "v3"
BLOBS = "blobs"

NAMES = frozenset({V2, V3, BLOBS})
"""The names of the top folders of a build cache."""

SPEC_FILE_ENDS = (".spec.json.sig", ".spec.json", ".spec.yaml")
"""The file name extensions of spec files in layout v2, in Spack's search order."""

_MARKS = frozenset({"index.json", "index.json.hash", "_pgp"})

INDEX = "index.json"
INDEX_MANIFEST = "index.manifest.json"
MANIFESTS = "v3/manifests"
INDEX_MANIFESTS = f"{MANIFESTS}/index"
SPEC_MANIFESTS = f"{MANIFESTS}/spec"

V3_INDEX = f"{INDEX_MANIFESTS}/{INDEX_MANIFEST}"
V2_INDEX = f"{V2}/{INDEX}"

SPEC_FILE = re.compile(r"(?:.*-)?([a-z2-7]{32})(\.spec\.(?:json\.sig|json|yaml))", re.DOTALL)
SPEC_MANIFEST = re.compile(r".*-([a-z2-7]{32})\.spec\.manifest\.json", re.DOTALL)


def is_cache_folder(path: str) -> bool:
    """Return whether a folder is a top folder of a build cache. Its name (see `NAMES`) and its files are checked."""
    name = os.path.basename(path.rstrip("/"))
    if name == V3:
        return any(os.path.isdir(f"{path}/manifests/{kind}") for kind in ("index", "spec"))
    return os.path.isdir(f"{path}/sha256") if name == BLOBS else name == V2 and is_v2_folder(path)


def is_v2_folder(path: str, *, any_name: bool = False) -> bool:
    """Return whether a folder has files of layout v2.

    `any_name` means that the folder may have any name. In this case only spec files are searched. An `index.json` is
    not enough, because unrelated folders may also contain a file with this name.
    """
    try:
        with os.scandir(path) as entries:
            return any(each.name.endswith(SPEC_FILE_ENDS) or (not any_name and each.name in _MARKS) for each in entries)
    except OSError:
        return False


class Layout(Struct, frozen=True):
    """The layouts of the build cache in a folder. The object is false if the folder is not a build cache."""

    v2: str | None
    """The folder with the spec files of layout v2, with `/` at its end. None if layout v2 is missing.

    Empty if the spec files are in the folder of the build cache itself.
    """
    v3: bool

    def __bool__(self) -> bool:
        return self.v2 is not None or self.v3


class IndexFile(Struct, frozen=True):
    """An index of layout v2, or the manifest of an index of layout v3."""

    path: str
    view: str
    """The name of the view. Empty for the index of the whole build cache."""
    is_manifest: bool


def layout_of(root: str) -> Layout:
    """Return the layouts of the build cache in a folder."""
    v3, v2 = (is_cache_folder(f"{root}/{name}") for name in (V3, V2))
    return Layout(f"{V2}/" if v2 else "" if not v3 and is_v2_folder(root, any_name=True) else None, v3)


def index_files(root: str, layout: Layout) -> list[IndexFile]:
    """Return the indexes of a build cache in Spack's order.

    Layout v3 comes first. The indexes of views follow the index of the whole build cache.
    """
    below = files_below(root, INDEX_MANIFESTS) if layout.v3 else ()
    found = [
        IndexFile(path, path[len(INDEX_MANIFESTS) + 1 : -len(INDEX_MANIFEST)].rstrip("/"), is_manifest=True)
        for path in sorted(below, key=lambda path: (path.count("/"), path))
        if path.rpartition("/")[2] == INDEX_MANIFEST
    ]
    if layout.v2 is not None and os.path.lexists(f"{root}/{layout.v2}{INDEX}"):
        found.append(IndexFile(f"{layout.v2}{INDEX}", "", is_manifest=False))
    return found


def every_spec_file(root: str, v2: str) -> dict[str, list[str]]:
    """Return all spec files of layout v2 for each hash, in Spack's search order. Raises OSError."""
    matches = filter(None, map(SPEC_FILE.fullmatch, os.listdir(f"{root}/{v2}" if v2 else root)))
    found = grouped((match[1], (SPEC_FILE_ENDS.index(match[2]), f"{v2}{match[0]}")) for match in matches)
    return {spec_hash: [path for _, path in sorted(found[spec_hash])] for spec_hash in sorted(found)}


def spec_files(root: str, v2: str) -> dict[str, str]:
    """Return one spec file of layout v2 for each hash: the first in Spack's search order. Raises OSError."""
    return {spec_hash: paths[0] for spec_hash, paths in every_spec_file(root, v2).items()}


def spec_manifests(root: str, *, strict: bool = False) -> dict[str, str]:
    """Return the path of the manifest for each hash in layout v3. For `strict`, see `files_below`."""
    below = sorted(files_below(root, SPEC_MANIFESTS, strict=strict))
    return {match[1]: path for path in below if (match := SPEC_MANIFEST.fullmatch(path))}


def public_keys(root: str, layout: Layout, *, strict: bool = False) -> list[str]:
    """Return the paths of the public keys in layout v2, and of the manifests of keys in layout v3.

    For `strict`, see `files_below`.
    """
    found = [*files_below(root, f"{MANIFESTS}/key", strict=strict)] if layout.v3 else []
    found += [] if layout.v2 is None else files_below(root, f"{layout.v2}_pgp", strict=strict)
    return sorted(path for path in found if path.endswith((".pub", ".key.manifest.json")))


def files_below(root: str, folder: str, *, strict: bool = False) -> Iterator[str]:
    """Yield the path of every file in `folder` and in its subfolders. All paths are relative to `root`.

    Links to folders are not followed. With `strict`, raise ContentError for such a link, and for a folder that cannot
    be listed.
    """
    for path, folders, names in os.walk(f"{root}/{folder}", onerror=_refuse if strict else None):
        where = os.path.relpath(path, root)
        for name in folders if strict else ():
            if os.path.islink(f"{path}/{name}"):
                raise ContentError(f"{path}/{name} is a link to a folder, which cachetui does not follow")
        for name in names:
            yield name if where == "." else f"{where}/{name}"


def _refuse(error: OSError) -> None:
    """Raise ContentError for a folder that cannot be listed; ignore a folder that does not exist."""
    if not isinstance(error, FileNotFoundError):
        raise ContentError(f"{error.filename} cannot be listed: {error.strerror}") from None
