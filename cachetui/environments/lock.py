"""Read the roots and the dependency graph of a `spack.lock`."""

import re

from cachetui.environments.files import FileError
from cachetui.environments.wanted import Lock
from cachetui.model.problem import NEW_KEY
from cachetui.sources.buildcache.columns import nodes_of
from cachetui.sources.buildcache.node import Entry, spliced_from
from cachetui.sources.buildcache.tag_builder import TagBuilder
from cachetui.sources.lock_document import read_lock
from cachetui.store.graph import Graph


def parse_locks(text: str) -> list[Lock]:
    """Read the text of one `spack.lock`, or the joined texts of several `spec.json` files; raises FileError."""
    return list(map(parse_lock, re.split(r"(?<=\})[ \t\r]*+\n\s*+(?=\{)", text)))


def parse_lock(text: str) -> Lock:
    """Read the text of a `spack.lock` or a `spec.json`; raises FileError."""
    try:
        lock = read_lock(text)
    except ValueError as error:
        raise FileError(f"the spack.lock or spec.json cannot be read: {error}") from None
    if not lock.nodes:
        raise FileError("the spack.lock has no concrete specs: run spack concretize")
    nodes = nodes_of({spec_hash: Entry(node) for spec_hash, node in lock.nodes.items()})
    if nodes.faults:
        raise FileError(f"the spack.lock or spec.json cannot be read: {nodes.faults[0]}")
    builder = TagBuilder("spack.lock", "")
    builder.add([nodes], "")
    _, graph = builder.finished({})
    origins = ((each, spliced_from(bytes(node.build_spec))) for each, node in lock.nodes.items())
    spliced = {each: origin for each, origin in origins if origin}
    notes = (f"spack.lock: {NEW_KEY.format(lock.new_key)}",) if lock.new_key else ()
    return Lock(lock.version, lock.roots, Graph([graph], spliced), notes, lock.own)
