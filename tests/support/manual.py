"""The texts that show commands: README and the topics of the help."""

import re
from textwrap import dedent

from tests.support.places import ROOT

_TOPICS = "\n".join(path.read_text() for path in sorted((ROOT / "cachetui" / "docs").glob("*.md")))

MANUAL = (ROOT / "README.md").read_text() + re.sub(
    r"(?:^ {4}.*\n|^\n(?= {4}))+", lambda block: f"```console\n{dedent(block[0])}```\n", _TOPICS, flags=re.MULTILINE
)
"""README, and the topics with fences around indented text."""
