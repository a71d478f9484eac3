"""`example`: jobs to copy for a CI, a gate for a lock and a nightly report, as they stand in `examples/`."""

from __future__ import annotations

from importlib.resources import files

from cachetui.cli.options import Options, UsageError
from cachetui.cli.output import FOUND, print_lines

HELP = """\
To be set in it: CACHE (a build cache), LOCK (a spack.lock) and PACKAGE (what
pip installs).
"""

OPTIONS = Options

EXAMPLES = {"gitlab": "gitlab.yml", "github": "github.yml", "jenkins": "jenkins.groovy"}


def run(options: Options) -> int:
    """Print the jobs for one CI."""
    if len(options.words) != 1 or options.words[0] not in EXAMPLES:
        raise UsageError(f"example needs one of {', '.join(EXAMPLES)}: cachetui example gitlab")
    print_lines([(files("cachetui.cli") / "examples" / EXAMPLES[options.words[0]]).read_text(encoding="utf-8")])
    return FOUND
