"""Build caches on nginx, which many sites use.

Unlike Python's server it has weak ETags, compression, ranges, kept connections, and listings of folders.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cachetui.catalogue import Catalogue
from cachetui.settings.settings import Settings
from cachetui.sources.source import Asking, ContentError
from tests.support.caches import CACHES, index_of_folder, specs_of

NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")

pytestmark = [pytest.mark.soak, pytest.mark.skipif(NGINX is None, reason="needs nginx")]

CONFIGURATION = """
daemon off;
pid {place}/pid;
error_log {place}/errors;
events {{}}
http {{
    access_log {place}/requests;
    default_type application/octet-stream;
    types {{ application/json json; }}
    client_body_temp_path {place}/body;
    proxy_temp_path {place}/proxy;
    fastcgi_temp_path {place}/fastcgi;
    uwsgi_temp_path {place}/uwsgi;
    scgi_temp_path {place}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root {root};
        {options}
    }}
}}
"""

CACHE_NAMES = [
    "v3/spack-1.1.0/develop/btest",
    "v3/migrated-by-1.1.0/tools-v2-and-v3",
    "v2/spack-0.23.1/develop/btest",
    "v2/spack-0.18/signed",
]


class Nginx:
    """A server of a folder."""

    def __init__(self, place: Path, root: Path, options: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._requests = place / "requests"
        self.url = f"http://localhost:{port}"
        text = CONFIGURATION.format(place=place, port=port, root=root, options=options)
        (place / "nginx.conf").write_text(text)
        # if root starts nginx, its workers run as another user
        command = [str(NGINX), "-p", str(place), "-e", str(place / "errors"), "-c", str(place / "nginx.conf")]
        self.process = subprocess.Popen([*command, "-g", "user root;"] if os.getuid() == 0 else command)
        while not self._is_up(port):
            assert self.process.poll() is None, (place / "errors").read_text()

    def _is_up(self, port: int) -> bool:
        with socket.socket() as asked:
            return asked.connect_ex(("127.0.0.1", port)) == 0

    def statuses(self) -> list[int]:
        """Return the status of each answer so far."""
        return [int(line.split('"')[2].split()[0]) for line in self._requests.read_text().splitlines()]


@pytest.fixture(params=["", "gzip on; gzip_types *; gzip_min_length 1;", "autoindex on; etag off;"])
def nginx(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Nginx]:
    root = tmp_path / "served"
    shutil.copytree(CACHES, root)
    place = tmp_path / "nginx"
    place.mkdir()
    server = Nginx(place, root, request.param)
    yield server
    server.process.terminate()
    server.process.wait(10)


@pytest.mark.parametrize("cache", CACHE_NAMES)
def test_cache_on_nginx_gives_same_specs_as_local_folder(nginx: Nginx, cache: str) -> None:
    url = f"{nginx.url}/{cache}"
    wanted = sorted((spec.hash, spec.variants) for spec in specs_of(index_of_folder(CACHES / cache)))
    assert (
        sorted((spec.hash, spec.variants) for spec in specs_of(Catalogue(url, Settings(os.environ)).current()))
        == wanted
    )
    before = len(nginx.statuses())
    again = Catalogue(url, Settings(os.environ))
    assert sorted((spec.hash, spec.variants) for spec in specs_of(again.current())) == wanted
    until = time.monotonic() + 10
    while len(nginx.statuses()) == before and time.monotonic() < until:
        pass
    asked = nginx.statuses()[before:]
    assert asked
    assert set(asked) <= {304, 404}, asked
    offline = Catalogue(url, Settings(os.environ), asking=Asking(offline=True))
    assert sorted((spec.hash, spec.variants) for spec in specs_of(offline.current())) == wanted


def test_url_without_cache_on_nginx_is_refused_in_one_line(nginx: Nginx) -> None:
    for path in ("", "v3", "nowhere"):
        with pytest.raises(ContentError, match="is not a build cache"):
            Catalogue(f"{nginx.url}/{path}".rstrip("/"), Settings(os.environ)).current()
