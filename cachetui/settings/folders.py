"""Safe access to cachetui's own files and folders.

Each folder is checked when it is opened. Later access goes through its descriptor, so that no link can redirect the
access. A private folder (config, cache, data) must belong to the user, and no other user may write to it. A shared
folder of snapshots may belong to any user. To write to it, the user must be a member of its group, and the folder must
have the set-group-id bit.
"""

import errno
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

from cachetui.safe_text import visible
from cachetui.workers.cancelling import Cancelled, Interrupted, never

try:
    from _blake2 import blake2b  # importing `hashlib` loads OpenSSL, which takes as long as ten other imports
except ImportError:
    from hashlib import blake2b

NAME = "cachetui"

INDEX_ENDING = ".index"

TEMPORARY = r"\.[0-9a-f]{16}\.new"
"""A regular expression for the suffix that `replacing` adds to a name."""

INDEX_FILES = re.compile(rf"[0-9a-f]{{16}}\.index(\.checked|{TEMPORARY})?")
"""The names of index caches and of their temporary files and markers."""

UNFINISHED = ".new"
"""The ending of a file that is being written and will replace another file."""

CHECKED = ".checked"
"""The ending of an empty marker file next to an undamaged index cache. Its mtime is the ctime of the index cache."""


def file_name(identity: str) -> str:
    """Return a file name for the content. `identity`: the path or URL of the content (see `Source.identity`).

    The file name contains the last characters of the identity, so that users recognize the content.
    """
    digest = blake2b(os.fsencode(identity), digest_size=5).hexdigest()
    words = re.findall(r"[A-Za-z0-9.]+", identity)
    return f"{'-'.join(words)[-40:].strip('-.')}-{digest}"


def index_cache_path(folder: str, identity: str) -> str:
    """Return the path of the index cache of the content. `identity`: the path or URL (see `Source.identity`).

    Two contents have the same index cache with a probability of 10**-19. Then each of them overwrites the file.
    """
    text = os.fsencode(identity)
    # no cryptographic hash, because importing one takes longer than opening the file
    return os.path.join(folder, f"{crc32(text):08x}{crc32(text[::-1]):08x}{INDEX_ENDING}")


def make_private(folder: Path) -> None:
    """Create a folder and its missing parents with access only for the user; raises OSError."""
    for each in (*reversed(folder.parents), folder):
        each.mkdir(mode=0o700, exist_ok=True)


def read_at_most(descriptor: int, most: int) -> bytes:
    """Read an open file, and close it. Raises OSError, for example if the file has more than `most` bytes."""
    with open(descriptor, "rb") as file:
        raw = file.read(most + 1)
    if len(raw) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return raw


def read_bounded(path: str | os.PathLike[str], most: int) -> bytes | None:
    """Read a file; None if it is missing. Raises OSError, for example if the file has more than `most` bytes."""
    try:  # O_NONBLOCK: opening a pipe does not wait for a writer
        return read_at_most(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), most)
    except (FileNotFoundError, NotADirectoryError):
        return None


@contextmanager
def replacing(
    path: str | os.PathLike[str], mode: int = 0o600, *, settled: bool = False, folder: int | None = None
) -> Iterator[BinaryIO]:
    """Open a new file that replaces the file at `path` when the block ends. Readers see the old or the new file.

    Each writer writes to its own temporary file in the same folder. `mode`: the permissions of the new file, reduced by
    the umask. With `settled`, the data is on the disk when the block ends. A relative `path` starts in the folder with
    the descriptor `folder`. Raises OSError.
    """
    temporary = f"{os.fspath(path)}.{os.urandom(8).hex()}{UNFINISHED}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            if settled:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


# Own folders

LOCK_PAUSE_SECONDS = 0.01
"""Seconds between two attempts to lock a file."""

PRIVATE = "must belong to you, and other users must not be able to write to it: chmod go-w"

SHARED = "must have one of your groups and the mode 2775 to be shared: chgrp GROUP, chmod 2775"

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH

NOTHING = re.compile(r"(?!)")


class OwnFolder:
    """An open folder of cachetui. Its methods remove only files whose names match the pattern `created`."""

    def __init__(
        self, name: str | Path, above: "OwnFolder | None", created: re.Pattern[str], *, shared: bool, writes: bool
    ) -> None:
        """Open the folder `name` in the folder `above`. Raises OSError, for example if it is not safe (see the module).

        `shared`: whether the folder may be shared by a group. `writes`: whether the caller will write to the folder.
        """
        self.path: Path = above.path / name if above else Path(name)
        """The path of the folder, for messages."""
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            self.descriptor: int = os.open(name, flags, dir_fd=above.descriptor if above else None)
        except NotADirectoryError:
            raise PermissionError(errno.EPERM, f"{visible(str(self.path))} is a link or a file, not a folder") from None
        status, self._created = os.fstat(self.descriptor), created
        is_private = status.st_uid == os.geteuid() and not status.st_mode & OTHERS_WRITE
        is_group = status.st_mode & stat.S_ISGID and status.st_gid in (os.getegid(), *os.getgroups())
        if not is_private and not (shared and (is_group or not (writes or status.st_mode & OTHERS_WRITE))):
            self.close()
            raise PermissionError(errno.EPERM, f"{visible(str(self.path))} {SHARED if shared else PRIVATE}")
        self._mode = stat.S_IMODE(status.st_mode) if is_group and shared else 0o700
        """The permissions of new folders in this folder, and the maximum permissions of new files."""

    def close(self) -> None:
        os.close(self.descriptor)

    def names(self) -> list[str]:
        """Return the names of all entries of the folder; raises OSError."""
        return sorted(os.listdir(self.descriptor))

    def status(self, name: str) -> os.stat_result:
        """Return the status of a file. For a link, return the status of the link itself. Raises OSError."""
        return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)

    def below(self, name: str, *, make: bool = False, shared: bool = False) -> "OwnFolder":
        """Open a subfolder. With `make`, create a missing subfolder with the permissions of this folder."""
        is_new = False
        if make:
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=self.descriptor)
                is_new = True
        inner = OwnFolder(name, self, self._created, shared=shared, writes=make)
        if is_new and inner._mode != self._mode:
            os.fchmod(inner.descriptor, self._mode)
            inner._mode = self._mode
        return inner

    def open(self, name: str, flags: int, mode: int = 0o644) -> int:
        """Open a regular file. Raises OSError, for example for a link.

        A new file gets the permissions `mode`, without those that the folder lacks.
        """
        flags |= os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        if flags & os.O_CREAT and not flags & os.O_EXCL:
            with suppress(FileNotFoundError):  # Linux may refuse O_CREAT for a file of another user
                return self._opened(name, flags & ~os.O_CREAT)
        descriptor = self._opened(name, flags)
        if flags & os.O_CREAT:
            os.fchmod(descriptor, mode & self._mode)
        return descriptor

    def _opened(self, name: str, flags: int) -> int:
        descriptor = os.open(name, flags, 0o600, dir_fd=self.descriptor)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError(errno.EINVAL, "it is not a regular file", name)
        return descriptor

    def read(self, name: str, most: int) -> bytes | None:
        """Read a regular file of at most `most` bytes; None if it is missing. Raises OSError."""
        try:
            return read_at_most(self.open(name, os.O_RDONLY), most)
        except FileNotFoundError:
            return None

    @contextmanager
    def replacing(self, name: str, *, settled: bool = False) -> Iterator[BinaryIO]:
        """Replace a file of the folder, like the function `replacing`. With `settled`, also sync the folder itself."""
        with replacing(name, 0o644 & self._mode, settled=settled, folder=self.descriptor) as file:
            os.fchmod(file.fileno(), 0o644 & self._mode)
            yield file
        if settled:
            os.fsync(self.descriptor)

    def remove(self, name: str) -> bool:
        """Remove a file that cachetui created and the user owns. Return False if the file remains. Raises OSError."""
        try:
            if not self._created.fullmatch(name) or self.status(name).st_uid != os.geteuid():
                return False
            os.unlink(name, dir_fd=self.descriptor)
        except FileNotFoundError:
            pass
        return True

    def clear(self, name: str) -> None:
        """Remove a subfolder, with the files that cachetui made. Raises OSError if the subfolder has other files."""
        with closing(self.below(name)) as inner:
            for each in inner.names():
                if stat.S_ISDIR(inner.status(each).st_mode):
                    inner.clear(each)
                else:
                    inner.remove(each)
        os.rmdir(name, dir_fd=self.descriptor)

    @contextmanager
    def alone(self, name: str, patience: float, cancelled: Cancelled = never) -> Iterator[None]:
        """Lock a file so that only one process at a time runs the block. The file is created if necessary.

        Raises BlockingIOError if another process still holds the lock after `patience` seconds. Also raises Interrupted
        and other OSErrors.
        """
        descriptor = self.open(name, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            deadline = time.monotonic() + patience
            while not _has_locked(descriptor):
                if cancelled():
                    raise Interrupted
                if time.monotonic() > deadline:
                    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
                time.sleep(LOCK_PAUSE_SECONDS)
            yield
        finally:
            os.close(descriptor)


@contextmanager
def own_folder(
    root: str | Path, below: str = "", *, make: bool = False, shared: bool = False, created: re.Pattern[str] = NOTHING
) -> Iterator[OwnFolder]:
    """Open one of cachetui's own folders: `root`, or the path `below` in it. Check each folder on the way.

    With `make`, create missing folders. `shared`: whether the folder may belong to another user. The caller may write
    to a shared folder only with `make`. `created`: see `OwnFolder`. Raises OSError.
    """
    if make:
        make_private(Path(root))
    folder = OwnFolder(Path(root), None, created, shared=shared, writes=make)
    try:
        for name in filter(None, below.split("/")):
            inner = folder.below(name, make=make, shared=shared)
            folder.close()
            folder = inner
        yield folder
    finally:
        folder.close()


def _has_locked(descriptor: int) -> bool:
    """Try to lock a file. Return False if another process holds the lock, otherwise True.

    A file system without locks counts as success.
    """
    import fcntl  # late, because most commands save nothing

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
