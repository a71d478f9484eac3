"""Copy text to the clipboard: on the local machine, over SSH, in tmux, and in GNU screen.

Terminals and tmux do not report whether they accepted the text. Therefore the message to the user only says where the
text was sent.
"""

import base64
import shutil
import subprocess
from collections.abc import Callable, Mapping

MAX_TEXT_BYTES = 70_000
"""Maximum size of a string for OSC 52, in bytes. Terminals ignore longer strings."""

MAX_SCREEN_BYTES = 500
"""Maximum size of a control sequence that GNU screen passes on, in bytes."""

NOT_SENT = "not sent"
"""The beginning of the message if the text could not be sent."""

_PROGRAM_SECONDS = 2.0
"""Timeout of a clipboard program, in seconds."""

_PROGRAMS = (
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("DISPLAY", ("xsel", "--clipboard", "--input")),
    ("", ("pbcopy",)),
)
"""The clipboard programs: the environment variable that must be set for the program (if any), and the command."""


def send(text: str, environ: Mapping[str, str], write: Callable[[str], object]) -> str:
    """Send the text to the clipboard, and return a message for the user. `write` writes to the terminal."""
    data = text.encode(errors="backslashreplace")
    if environ.get("TMUX") and _run(("tmux", "load-buffer", "-w", "-"), data):
        return "sent to tmux: to its buffer, and to the clipboard if tmux may set it"
    if not (environ.get("SSH_CONNECTION") or environ.get("SSH_TTY")):
        for variable, command in _PROGRAMS:
            if (not variable or environ.get(variable)) and _run(command, data):
                return f"sent to {command[0]}"
    if len(data) > MAX_TEXT_BYTES:
        return f"{NOT_SENT}: {len(data):,} bytes, but terminals accept {MAX_TEXT_BYTES:,}; select the text or export it"
    sequence = f"\x1b]52;c;{base64.b64encode(data).decode()}\x07"
    if environ.get("STY"):
        if len(sequence) > MAX_SCREEN_BYTES:
            return f"{NOT_SENT}: GNU screen passes on only {MAX_SCREEN_BYTES} bytes; select the text"
        write(f"\x1bP{sequence}\x1b\\")
        return "sent through GNU screen to the terminal (OSC 52)"
    write(sequence)
    return "sent to the terminal (OSC 52)"


def _run(command: tuple[str, ...], data: bytes) -> bool:
    """Run a program with `data` as its input. Return whether the program exists and succeeded."""
    if shutil.which(command[0]) is None:
        return False
    try:
        done = subprocess.run(
            command,
            input=data,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_PROGRAM_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
