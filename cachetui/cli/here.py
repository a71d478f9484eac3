"""`here`: open the browser on the trees of this machine's Spack and on the mirrors of its configuration."""

from msgspec.structs import replace

from cachetui.cli import browse
from cachetui.cli.options import UsageError
from cachetui.cli.output import note
from cachetui.model.problem import UserError
from cachetui.sources.mirrors import is_mirrors_file, mirrors_of
from cachetui.sources.scopes.scopes import Scopes, find_spack

HELP = """\
cachetui reads the Spack checkout in SPACK_ROOT, or else the first spack on the
PATH. It reads the files and never runs Spack. For mirrors on servers, it reads
the local copies. To ask the servers, use --fresh or press r. -C CONTENT opens
CONTENT as well.
"""


def run(options: browse.BrowseOptions) -> int:
    """Open the browser on the Spack of this machine."""
    if not (root := find_spack(options.settings.environ)):
        raise UsageError(
            "no Spack found in SPACK_ROOT or on the PATH: set SPACK_ROOT to the folder of a Spack checkout"
        )
    scopes = Scopes(root, options.settings)
    named = [path for path in scopes.files if path.endswith("/mirrors.yaml") and is_mirrors_file(path)]
    try:
        found = named if any(mirrors_of(scopes.mirrors, scopes.paths)) else []
    except (UserError, ValueError) as error:
        raise UsageError(f"the mirrors of {root} cannot be read: {error}") from None
    for include in scopes.unread:
        note(f"{include} was not read")
    return browse.run(replace(options, content=(root, *found[:1], *options.content), is_found=True))
