"""Read the text of an input file: a list of specs, a `spack.yaml` or a `spack.lock`.

Files must be regular files of at most `MAX_FILE_BYTES`, because a device or pipe might block or fill the memory.
"""

import os
import sys

from cachetui.model.problem import UserError
from cachetui.sources.files import load

MAX_FILE_BYTES = 256 << 20
"""Maximum number of bytes of an input file; a `spack.lock` of 100,000 nodes is smaller."""

STANDARD_INPUT = "-"
"""The path that means standard input."""

IN_A_FOLDER = ("spack.lock", "spack.yaml")
"""The names of an environment's files in its folder. The first existing file is read."""


class FileError(UserError):
    """An unreadable or invalid file. The message is one line with the reason."""


def environment_file(path: str) -> str:
    """Return the path of the environment file in a folder. Return any other path unchanged.

    Raises FileError if the folder has no environment file.
    """
    path = path if path == STANDARD_INPUT else os.path.expanduser(path)
    if os.path.isdir(path):
        names = [name for name in IN_A_FOLDER if os.path.exists(os.path.join(path, name))]
        if not names:
            raise FileError(f"{path} is not an environment: the folder has no {' or '.join(IN_A_FOLDER)}")
        return os.path.join(path, names[0])
    return path


def read_text(path: str) -> str:
    """Read the UTF-8 text of a regular file, or of standard input for `-`; raises FileError."""
    is_standard = path == STANDARD_INPUT
    if is_standard and sys.stdin is None:
        raise FileError("- means standard input, and standard input is closed")
    if not is_standard and os.path.exists(path) and not os.path.isfile(path):
        raise FileError(f"{path} is not a regular file: to read standard input, give -")
    name = "standard input" if is_standard else path
    try:
        content = sys.stdin.buffer.read(MAX_FILE_BYTES + 1) if is_standard else load(path, MAX_FILE_BYTES)
        if len(content) > MAX_FILE_BYTES:
            raise ValueError(f"larger than {MAX_FILE_BYTES >> 20} MB")
        return content.decode()
    except UnicodeDecodeError:
        raise FileError(f"{name} cannot be read: it is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise FileError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}") from None
