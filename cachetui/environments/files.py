"""The text of a file that a user names: a list, a `spack.yaml`, a `spack.lock`.

Only regular files up to a size are read, so that no device or pipe blocks or fills the memory.
"""

import os
import stat
import sys
from typing import BinaryIO

from cachetui.model.problem import UserError

MAX_FILE_BYTES = 256 << 20
"""Maximum number of bytes of a file; a lock of 100,000 nodes has fewer."""

STANDARD_INPUT = "-"
"""The name that stands for standard input."""

IN_A_FOLDER = ("spack.lock", "spack.yaml")
"""The file of an environment, given its folder; the first that exists."""


class FileError(UserError):
    """A file that cannot be read or makes no sense; the message is one line that says why."""


def environment_file(path: str) -> str:
    """Return the file that a path names, for a folder that in it; raises FileError for a folder without one."""
    path = path if path == STANDARD_INPUT else os.path.expanduser(path)
    if os.path.isdir(path):
        names = [name for name in IN_A_FOLDER if os.path.exists(os.path.join(path, name))]
        if not names:
            raise FileError(f"{path} is not an environment: it does not have {' or '.join(IN_A_FOLDER)}")
        return os.path.join(path, names[0])
    return path


def read_text(path: str) -> str:
    """Read the UTF-8 text of a regular file, or of standard input for `-`; raises FileError."""
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise FileError("- means standard input, and standard input is closed")
        return _text(sys.stdin.buffer, "standard input")
    try:
        # a pipe that nobody writes to would block
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise FileError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileError(f"{path} is not a regular file: to read standard input, give -")
    with open(descriptor, "rb") as file:
        return _text(file, path)


def _text(file: BinaryIO, name: str) -> str:
    try:
        content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise FileError(f"{name} cannot be read: {error.strerror}") from None
    if len(content) > MAX_FILE_BYTES:
        raise FileError(f"{name} cannot be read: it is larger than {MAX_FILE_BYTES >> 20} MB")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise FileError(f"{name} cannot be read: it is not UTF-8 text") from None
