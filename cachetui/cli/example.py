"""`example`: print an example file to copy, such as jobs for CI or a Spack recipe."""

from importlib.resources import files

from cachetui.cli.options import Options
from cachetui.cli.output import FOUND, print_lines

HELP = """\
In the jobs, set the variables CACHE (a build cache), LOCK (a spack.lock) and
PACKAGE (the argument of pip install). For the metrics of the jobs,
`prometheus` prints alert rules and `grafana` prints a dashboard. `spack` prints
the package.py of cachetui: set its sha256 to that of the release's .tar.gz.
"""

EXAMPLES = {
    "gitlab": "gitlab.yml",
    "github": "github.yml",
    "jenkins": "jenkins.groovy",
    "prometheus": "alerts.yml",
    "grafana": "grafana.json",
    "spack": "spack-package.txt",
}


def run(options: Options) -> int:
    """Print an example file."""
    print_lines([(files("cachetui.cli") / "examples" / EXAMPLES[options.words[0]]).read_text(encoding="utf-8")])
    return FOUND
