"""The command that pulls a spec from a registry as an image.

Input: a spec of an index, and its graph, which names the URLs of the registries.
"""

from cachetui.model.dependency import State
from cachetui.model.spec import Spec
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.binaries import file_name
from cachetui.sources.buildcache.remote_binaries import binaries_of
from cachetui.sources.transport.address import is_repository
from cachetui.sources.transport.registry import tag_of
from cachetui.store.graph import Graph, closure


def pull_command(spec: Spec, graph: Graph, settings: Settings) -> str:
    """Return the command that pulls a spec from a registry as an image.

    Empty if no base image is among its layers, or that is unknown.
    """
    cache, number = graph.mirror(spec.tag, spec.stacks), graph.number(spec.hash or "")
    if cache is None or number is None or not is_repository(cache):
        return ""
    own = [needed for needed in closure(graph, [number]) if graph.state(needed) != State.EXTERNAL]
    if binaries_of(cache, graph, settings).layers(spec) <= len(own):
        return ""
    tag = tag_of(file_name(f"{spec.package}-{spec.version}-{spec.hash}"))
    return f"docker pull {cache.partition('://')[2]}:{tag}"
