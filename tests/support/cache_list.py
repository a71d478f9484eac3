"""The files of a server with several tags, and its list of build caches in the format of the public server."""

import json

from tests.support.caches import CACHES, files_of

LISTING = "cache_spack_io_index.json"

STACKS = ("btest", "tools")


def listing(*tags: str) -> bytes:
    """Return the list of build caches; each tag has the same stacks."""
    url = "s3://spack-binaries/{}/{}/blobs/sha256/01/0123"
    return json.dumps(
        {tag: [{"label": each, "url": url.format(tag, each)} for each in STACKS] for tag in tags}
    ).encode()


def listed_files(*tags: str) -> dict[str, bytes]:
    """Return the list of build caches, and the files of the caches in each tag. Spack wrote these files."""
    files = {LISTING: listing(*tags)}
    for tag in tags:
        for stack in STACKS:
            for path, data in files_of(CACHES / "v3/spack-1.1.0/develop" / stack).items():
                files[f"{tag}/{stack}/{path}"] = data
    return files
