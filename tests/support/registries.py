"""Container registries: a real one with the data that Spack pushed, and hosts with recorded answers."""

import base64
import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.support.mirror_server import Fault, Handler

REGISTRY = Path(__file__).parents[1] / "registry"

Exchange = dict[str, Any]

CASES: list[dict[str, Any]] = json.loads((REGISTRY / "by-hand.json").read_text())["cases"]


@contextmanager
def real_registry(folder: Path) -> Iterator[str]:
    """Run docker-registry with the data that Spack pushed; yield its host with the port."""
    program = shutil.which("docker-registry")
    if program is None:
        pytest.skip("docker-registry is not here")
    subprocess.run(["tar", "xzf", str(REGISTRY / "registry.tar.gz"), "-C", str(folder)], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{free.getsockname()[1]}"
    environ = {**os.environ, "REGISTRY_STORAGE_FILESYSTEM_ROOTDIRECTORY": str(folder), "REGISTRY_HTTP_ADDR": host}
    command = [program, "serve", str(REGISTRY / "registry.yml")]
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", int(host.rpartition(":")[2]))) == 0:
                    break
            time.sleep(0.05)
        yield host
    finally:
        process.terminate()
        process.wait()


class Host(ThreadingHTTPServer):
    """A host of a recorded exchange: it sends the recorded answers for each path in order, and repeats the last one."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: dict[str, list[Exchange]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        """The path and the headers of each request."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Host

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        key = self.path if self.path in self.server.answers else path
        self.server.asked.append((self.path, dict(self.headers)))
        written = self.server.answers.get(key)
        if not written:
            self.send_error(404)
            return
        answer = written.pop(0) if len(written) > 1 else written[0]
        body = answer["body"].encode()
        self.send_response(answer["status"])
        for name, value in answer["headers"].items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def hosts_of(exchanges: Sequence[Exchange]) -> Iterator[dict[str, Host]]:
    """Serve the hosts of some exchanges, each on its own port of loopback; yield the hosts by name."""
    names = dict.fromkeys(re.findall(r"https://([a-z0-9.-]+)", json.dumps(exchanges)))
    with ExitStack() as stack:
        hosts = {name: stack.enter_context(Host()) for name in names}

        def here(text: str) -> str:
            return re.sub(r"https://([a-z0-9.-]+)", lambda found: hosts[found[1]].url, text)

        for exchange in exchanges:
            _, _, name, path = exchange["request"]["url"].split("/", 3)
            answer = dict(exchange["response"])
            answer["headers"] = {key: here(value) for key, value in answer["headers"].items()}
            hosts[name].answers.setdefault(f"/{path}".partition("?…")[0], []).append(answer)
        for name, host in hosts.items():
            for path in [path for path in host.answers if "?" in path and "/token?" in path]:
                host.answers.setdefault(path.partition("?")[0], []).extend(host.answers.pop(path))
            Thread(target=host.serve_forever, args=(0.01,), name=name, daemon=True).start()
        try:
            yield hosts
        finally:
            for host in hosts.values():
                host.shutdown()


def registry_files(index: bytes, tags: Sequence[str] = (), name: str = "site/cache") -> dict[str, bytes]:
    """Return the files of a registry with one repository, for `serving`."""
    base, digest = f"v2/{name}", hashlib.sha256(index).hexdigest()
    layer = {"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": f"sha256:{digest}"}
    manifest = {"schemaVersion": 2, "config": {}, "layers": [{**layer, "size": len(index)}]}
    return {
        f"{base}/manifests/index.spack": json.dumps(manifest).encode(),
        f"{base}/blobs/sha256:{digest}": index,
        f"{base}/tags/list": json.dumps({"name": name, "tags": ["index.spack", *tags]}).encode(),
    }


def guarded(scheme: str, login: str = "user:secret", *, is_public: bool = False) -> Fault:
    """Answer only requests with a user name and a password: by `basic`, or by `bearer` with a token.

    If `is_public`, the server also gives tokens to requests without a password.
    """
    basic = "Basic " + base64.b64encode(login.encode()).decode()

    def fault(handler: Handler) -> None:
        sent = handler.headers.get("Authorization", "")
        if handler.path.startswith("/token?"):
            is_given = sent == basic or (is_public and not sent)
            handler.answer(200 if is_given else 401, b'{"token": "T9"}' if is_given else b"")
        elif sent == (basic if scheme == "basic" else "Bearer T9"):
            handler.serve()
        else:
            challenge = 'realm="r"' if scheme == "basic" else f'realm="http://{handler.headers["Host"]}/token"'
            handler.answer(401, b"", {"WWW-Authenticate": f"{scheme} {challenge}"})

    return fault
