"""`completion`: the script that completes command lines in a shell."""

from __future__ import annotations

import sys
from importlib.resources import files

from cachetui.cli.notes import FOUND
from cachetui.cli.options import Options, UsageError

SHELLS = ("bash", "zsh", "fish")

OPTIONS = Options


def run(options: Options) -> int:
    """Prints the completion script of a shell."""
    shell, *more = options.words or ("",)
    if more:
        raise UsageError(f"completion needs one shell, not {len(options.words)} words: cachetui completion bash")
    sys.stdout.write(script(shell))
    return FOUND


def script(shell: str) -> str:
    """The completion script of a shell; raises UsageError for one that has none."""
    if shell not in SHELLS:
        raise UsageError(f"completion needs one of {', '.join(SHELLS)}: cachetui completion bash")
    return (files("cachetui.cli") / "shells" / f"cachetui.{shell}").read_text(encoding="utf-8")
