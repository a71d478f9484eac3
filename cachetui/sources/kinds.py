"""Create the source for the opened content: a URL, a `mirrors.yaml`, an installation, a folder, or a page.

Input: the content as the user typed it.
"""

from collections.abc import Sequence

from cachetui.settings.settings import Settings
from cachetui.sources.folder import FolderSource
from cachetui.sources.installation.places import is_environment_file, is_installation
from cachetui.sources.source import Asking, ContentError, Source
from cachetui.sources.transport.address import is_address, resolve

SAMPLES = ("sample:", "sample:mirror")
"""The names that users type for the two built-in samples, in the order of `sample_contents`."""


def open_source(contents: Sequence[str], settings: Settings, asking: Asking) -> Source:
    """Return one source that reads all these contents. Raises ContentError if one of them cannot be opened."""
    sources = (_open_one(content, settings, asking) for content in contents)
    found = list({source.identity: source for source in sources}.values())
    if len(found) == 1:
        return found[0]
    from cachetui.sources.several import SeveralSource

    return SeveralSource(found)


def sample_contents() -> list[str]:
    """Return the paths of the two built-in samples: a folder of pages, then a build cache with dependencies."""
    from importlib.resources import files

    return [str(files("cachetui") / name) for name in ("sample", "sample_mirror")]


def _open_one(content: str, settings: Settings, asking: Asking) -> Source:
    if content in SAMPLES:
        content = sample_contents()[SAMPLES.index(content)]
    if is_address(content):
        url = resolve(content, insecure=asking.insecure)
        if not is_address(url):
            return FolderSource(url)
        from cachetui.sources.remote import RemoteSource

        return RemoteSource(content, url, settings, asking)
    if content.endswith((".yaml", ".yml")):
        from cachetui.sources.mirrors import MirrorsSource, is_mirrors_file

        if is_mirrors_file(content):
            return MirrorsSource(content, settings, asking)
    if content.endswith((".yaml", ".yml", ".lock")) and is_environment_file(content):
        raise ContentError(f"{content} is an environment, not CONTENT: run cachetui check CONTENT {content}")
    if is_installation(content):
        from cachetui.sources.installation.source import InstallationSource

        return InstallationSource(content, settings, asking)
    return FolderSource(content)
