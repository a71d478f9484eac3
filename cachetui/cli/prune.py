"""`prune`: list the removable binaries of build caches. The command deletes nothing."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Annotated

from msgspec.structs import replace

from cachetui.analysis.prune import Plan, plan
from cachetui.cli.options import ContentOptions, FormatName, Option, UsageError
from cachetui.cli.output import FOUND, NOTHING, note, print_document, print_notes
from cachetui.cli.session import answer, checked_tag, open_catalogue, sizes_of
from cachetui.environments.reader import read_wanted
from cachetui.mappings import grouped
from cachetui.model.dependency import LINK_RUN, WITH_BUILD
from cachetui.model.problem import UNREAD, UNREAD_CACHES
from cachetui.report.prune import PruneDocument, prune_document
from cachetui.safe_text import listed, visible
from cachetui.search.index import Index
from cachetui.settings.folders import replacing
from cachetui.sources.buildcache.binaries import CacheFiles, is_url
from cachetui.sources.installation.places import INDEX

HELP = """\
Give --keep, --keep-tag or both. ENV is a /hash, a spec, a spack.lock, a
spack.yaml, a file with one hash or spec per line, or - for standard input. For
a spec, prune keeps every matching build. If no build matches, it keeps all
builds of the package. prune never lists a file that a kept binary needs.
prune deletes nothing. To delete, write a list with --keeplist or --paths, and
then run the command for that list, followed by update-index:
  spack buildcache prune --keeplist keep.txt ./mirror  (Spack 1.1, layout v3)
  xargs -d '\\n' rm < paths.txt                         (folders, both layouts)
  spack buildcache update-index ./mirror
The status is 0 if a binary is removable, and otherwise 1.
"""


class PruneOptions(ContentOptions, frozen=True, kw_only=True):
    keep: Annotated[
        tuple[str, ...],
        Option("keep the specs of ENV, and their link and run dependencies; repeatable", "ENV", completed_by="file"),
    ] = ()
    keep_tag: Annotated[
        tuple[str, ...], Option("keep all specs of this tag too; repeatable", "T", completed_by="tag")
    ] = ()
    older: Annotated[int | None, Option("list only binaries that were pushed more than DAYS days ago", "DAYS")] = None
    with_build: Annotated[bool, Option("keep build dependencies too")] = False
    keeplist: Annotated[
        str | None, Option("write the hashes of the kept binaries to FILE", "FILE", "output", completed_by="file")
    ] = None
    paths: Annotated[
        str | None, Option("write the paths of the removable files to FILE", "FILE", "output", completed_by="file")
    ] = None
    format: FormatName = "table"


DOCUMENT = (PruneDocument,)


def run(options: PruneOptions) -> int:
    """Print the removable specs, and write the files that `--keeplist` and `--paths` name."""
    wanted = {word: read_wanted([word], options.settings) for word in (*options.keep, *options.words)}
    for unapplied in chain.from_iterable(each.unapplied for each in wanted.values()):
        raise UsageError(f"the needed specs cannot be determined, because {unapplied}: give --keep a spack.lock")
    since = None if options.older is None else time.time() - options.older * 24 * 60 * 60
    types = WITH_BUILD if options.with_build else LINK_RUN

    def ask(index: Index) -> tuple[tuple[Plan, Mapping[str, Sequence[str]]], Iterable[int]]:
        if catalogue.stale:
            raise UsageError(f"the needed specs cannot be determined: {catalogue.stale[0].note}")
        for each in index.problems:
            has_none = each.level == "note" and each.path.endswith(INDEX)  # without a database, a tree needs no specs
            if each.kind in (UNREAD, *UNREAD_CACHES, "unreadable") and not has_none:
                raise UsageError(
                    f"the needed specs cannot be determined, because {each.path} has an error: {each.message}"
                )
        caches = dict.fromkeys(chain.from_iterable(mirrors.values() for mirrors in index.graph.mirrors))
        folders = [CacheFiles(each) for each in caches if not is_url(each)]
        if len(folders) < len(caches) and (since is not None or options.paths is not None):
            raise UsageError("--older and --paths need a folder: leave them out for a build cache on a server")
        lately = {each for files in folders if since is not None for each in files.of if files.mtime(each) >= since}
        tags = [checked_tag(index, tag) for tag in options.keep_tag]
        found = plan(index, wanted, {files.folder: files.of for files in folders}, tags, lately, types)
        paths = grouped(chain.from_iterable(files.freed(found.going) for files in folders))
        on_servers = dict[str, Sequence[str]].fromkeys(found.going if len(folders) < len(caches) else (), ())
        return (found, on_servers | paths), ()

    # deleted files cannot be restored, so all files are compared
    catalogue = open_catalogue(options)
    index, (planned, paths) = answer(catalogue, replace(options, fresh=True), ask)
    found = prune_document(
        planned, paths, sizes_of(catalogue, index, [each for each in paths if not paths[each]], options)
    )
    for name, lines in (
        (options.keeplist, found.keep),
        (options.paths, [path for each in found.remove for path in each.paths]),
    ):
        if name is not None:
            _write(name, lines)
    print_document(found, options)
    print_notes(chain.from_iterable(each.notes for each in wanted.values()))
    if planned.absent:
        note(f"the content has no binary of {listed(planned.absent, 3)}")
    if planned.widened:
        note(f"prune keeps every binary of {listed(planned.widened)}, because no build matches the spec")
    return FOUND if found.remove else NOTHING


def _write(path: str, lines: Sequence[str]) -> None:
    """Write lines to a file. The file appears only when all lines are written.

    Raises UsageError if the path is not a regular file, or if a line has an invisible character.
    """
    if os.path.lexists(path) and not os.path.isfile(path):
        raise UsageError(f"{path} is not a regular file: give a file for the list")
    if odd := next((line for line in lines if visible(line) != line), None):
        raise UsageError(f"{path} was not written, because a list must not contain {odd}")
    with replacing(path, 0o666) as file:
        file.writelines(f"{line}\n".encode() for line in lines)
