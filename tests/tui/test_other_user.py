"""The browser of a user who cannot write to the cache folder."""

import os

from tests.support.rows import row, write
from tests.support.screens import Terminal
from tests.support.users import needs_root, open_folder, user_command, users_folder


@needs_root
def test_browser_opens_with_cache_folder_of_root() -> None:
    with open_folder() as place:
        content = write(place / "content", [row(name) for name in ("hdf5", "mpich", "zlib")])
        cache = users_folder(place / "cache")
        os.chown(cache, 0, 0)
        environ = {"CACHETUI_CACHE_DIR": str(cache)}
        with Terminal([*user_command(), str(content)], cols=200, env=environ) as terminal:
            terminal.wait_for("3 of 3 specs")
            terminal.wait_for("Permission denied")
            terminal.send("q")
            assert terminal.exitstatus() == 0
        assert list(cache.iterdir()) == []
