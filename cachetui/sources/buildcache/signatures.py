"""Whether binaries are signed, by the files of their build cache.

This asks no server: for a cache on a server only manifests in the local copy are read.
Input: specs of an index, and its graph, which names the folders and URLs of the caches.
"""

from collections.abc import Callable

from msgspec.structs import replace

from cachetui.model.spec import Spec
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.remote_binaries import binaries_of
from cachetui.sources.transport.address import is_repository
from cachetui.store.graph import Graph


def with_signature(spec: Spec, graph: Graph, settings: Settings) -> Spec:
    """Return the spec with whether its binary is signed."""
    return replace(spec, signed=is_signed(spec, graph.mirror(spec.tag, spec.stacks), graph, settings))


def is_signed(spec: Spec, cache: str | None, graph: Graph, settings: Settings) -> bool | None:
    """Return whether a binary in the cache at this folder or URL is signed; None if that is unknown.

    This asks no server: for a cache on a server only manifests in the local copy are read. In registries nothing is
    signed.
    """
    if cache is None:
        return None
    return False if is_repository(cache) else binaries_of(cache, graph, settings).is_signed(spec)


def seems_signed(graph: Graph, settings: Settings) -> Callable[[Spec, str | None], bool | None]:
    """Return what tells whether a binary is signed; if nothing of it is kept, whether another one of its cache is."""

    def seems(spec: Spec, cache: str | None) -> bool | None:
        own = is_signed(spec, cache, graph, settings)
        return binaries_of(cache, graph, settings).has_signed if own is None and cache is not None else own

    return seems
