"""The browser on what this machine's Spack has: its trees, and the mirrors of its configuration."""

from msgspec.structs import replace

from cachetui.cli import browse
from cachetui.cli.browse import BrowseOptions
from cachetui.cli.options import UsageError
from cachetui.cli.output import note
from cachetui.model.problem import UserError
from cachetui.sources.mirrors import is_mirrors_file, mirrors_of
from cachetui.sources.scopes.scopes import Scopes, find_spack

HELP = """\
Spack is the checkout in SPACK_ROOT, else the first one on the PATH; cachetui
reads its files and never runs it. Mirrors on servers are read from their local
copies until --fresh, or the key r, asks the servers. -C adds contents.
"""


def run(options: BrowseOptions) -> int:
    """Open the browser."""
    if not (root := find_spack(options.settings.environ)):
        raise UsageError("no Spack found by SPACK_ROOT or on the PATH: set SPACK_ROOT to the folder of one")
    scopes = Scopes(root, options.settings)
    named = [path for path in scopes.files if path.endswith("/mirrors.yaml") and is_mirrors_file(path)]
    try:
        found = named if any(mirrors_of(scopes.mirrors, scopes.paths)) else []
    except (UserError, ValueError) as error:
        raise UsageError(f"the mirrors of {root} cannot be read: {error}") from None
    for include in scopes.unread:
        note(f"not read: {include}")
    return browse.run(replace(options, content=(root, *found[:1], *options.content), is_found=True))
