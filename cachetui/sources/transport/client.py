"""The HTTP client. Each request runs in a thread, so that the caller can stop waiting at any time.

A redirect must lead to `https:`, but a redirect from `http:` to `http:` is also allowed. A password is sent only to the
host to which it belongs. URLs in messages contain no passwords. If a registry requires a token or a password, the
client sends the request a second time. The usual environment variables set proxies and certificates: `https_proxy`,
`NO_PROXY`, `SSL_CERT_FILE`.
"""

import math
import re
import ssl
import threading
import time
import urllib.request
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import count
from typing import TypeVar
from urllib.parse import urljoin, urlsplit

import urllib3
from msgspec import Struct

from cachetui import __version__
from cachetui.debug_log import log
from cachetui.safe_text import visible
from cachetui.sources.transport import credentials
from cachetui.sources.transport.address import REGISTRIES, is_loopback, shown
from cachetui.sources.transport.errors import (
    AwayError,
    FetchError,
    MissingError,
    NoRepositoryError,
    RefusedError,
    UntrustedError,
    WrongContentError,
)
from cachetui.sources.transport.registry import challenges, error_code, repository_of, token_in, token_url
from cachetui.workers.cancelling import CHECK_SECONDS, Cancelled, Interrupted, never, pause
from cachetui.workers.threads import Background

PIECE_BYTES = 256 * 1024
"""Maximum number of bytes to read from a connection at a time."""

MAX_REDIRECTS = 5

MAX_CONNECTIONS = 8
"""Maximum number of connections to one server at a time."""

MAX_RETRY_AFTER_SECONDS = 30.0

LOGIN = "docker login, podman login or a mirrors.yaml (access_pair)"
"""The ways to give the password of a registry, for messages."""

STORED_PASSWORD = "the stored user and password"

MAX_TOKEN_BYTES = 2**18

STOPPED = "cannot be downloaded: the server sends almost no data"


Answered = TypeVar("Answered")


class Patience(Struct, frozen=True):
    """The limits for waiting and for attempts. All times are in seconds."""

    connect: float = 10.0
    silence: float = 30.0
    """The length of the periods for which the speed of a transfer is measured.

    If a transfer is slower than `slowest` in any period, it is stopped.
    """
    slowest: float = 1000.0
    """The minimum speed of a transfer, in bytes per second."""
    attempts: int = 4
    backoff: float = 0.5
    """The pause before the second attempt. The pause doubles before each later attempt."""


class Reply:
    """A response of a server. The content can be read while it is being received."""

    def __init__(self, url: str, method: str, patience: Patience, cancelled: Cancelled, until: float) -> None:
        self.url, self._method = url, method
        self.status = 0
        self.headers: Mapping[str, str] = {}
        self._patience, self._cancelled, self._until = patience, cancelled, until
        self._started = time.monotonic()
        self._since, self._before = self._started, 0
        """The start of the current period (see `Patience.silence`), and the number of bytes received before it."""
        self._response: urllib3.BaseHTTPResponse | None = None
        self.first = b""
        """The first piece of the content, which `begin` reads together with the headers."""
        self._is_closed = False

    def close(self) -> None:
        """Stop the transfer if it is still running."""
        if not self._is_closed:
            took = time.monotonic() - self._started
            log(f"{self._method} {self.url} {self.status or 'no response'}, {self.received:,} bytes, {took:.3f} s")
        self._is_closed = True
        if self._response is not None:
            with suppress(Exception):  # after a complete response, the connection is already back in the pool
                self._response.shutdown()
                self._response.close()
                self._response.release_conn()

    @property
    def received(self) -> int:
        """The number of bytes of content received so far, before decoding."""
        return self._response.tell() if self._response else 0

    def begin(self, ask: Callable[[], urllib3.BaseHTTPResponse]) -> None:
        """Call `ask` to send the request. Then read the headers and the first piece of the content.

        Raises the same errors as `wait` and `pieces`.
        """

        def receive() -> None:
            with _explained(self.url):
                self._response = response = ask()
                if self._is_closed:
                    self.close()  # the caller has already stopped waiting
                self.status, self.headers = response.status, response.headers
                self.first = response.read1(PIECE_BYTES, decode_content=response.status < 300)

        self.wait(receive)

    def pieces(self) -> Iterator[bytes]:
        """Yield the decoded content in pieces. Raises AwayError if the connection is lost, and WrongContentError."""
        assert self._response is not None
        piece = self.first
        while piece and not self._is_closed:
            yield piece
            with _explained(self.url):
                piece = self._response.read1(PIECE_BYTES, decode_content=True)

    def read(self, most: int) -> bytes:
        """Return the complete decoded content. Raises the errors of `pieces`.

        Also raises WrongContentError if the content is larger than `most` bytes.
        """
        data = bytearray()

        def receive() -> None:
            for piece in self.pieces():
                data.extend(piece)
                if len(data) > most:
                    raise WrongContentError(f"{shown(self.url)} is larger than {most:,} bytes")

        self.wait(receive)
        return bytes(data)

    def wait(self, work: Callable[[], None]) -> None:
        """Run `work` in a thread, and wait for the end of the thread.

        Raises the exceptions of `work`. Raises AwayError if the transfer is too slow. Raises Interrupted if cancelled.
        After a slow or cancelled transfer, the thread continues.
        """
        background = Background(lambda _: work(), never)
        while not background.is_done(CHECK_SECONDS):
            if self._cancelled():
                raise Interrupted
            now = time.monotonic()
            if now > self._until:
                raise AwayError(f"{shown(self.url)} takes too long: to wait for it, give --fresh")
            if now - self._since >= self._patience.silence:
                if self.received - self._before < self._patience.slowest * (now - self._since):
                    raise AwayError(f"{shown(self.url)} {STOPPED}")
                self._since, self._before = now, self.received


class Client:
    """An HTTP client for all requests of the program, from any thread."""

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        insecure: bool = False,
        patience: Patience | None = None,
        credential_helpers: bool = False,
        realms: Collection[str] = (),
    ) -> None:
        """`insecure` allows invalid certificates, and `http:` to any host.

        With `insecure`, passwords are sent only to this machine. With `credential_helpers`, the client may run the
        programs in docker's `config.json` that return passwords. `realms` are token servers (HOST or HOST:PORT) that
        may receive the password for a registry on another host.
        """
        self._realms = frozenset(map(str.lower, realms))
        self._credential_helpers = credential_helpers
        self.patience = patience or Patience()
        self.insecure = insecure
        self._environ = environ
        self._pools: dict[tuple[str, bool], urllib3.PoolManager] = {}
        self._lock = threading.Lock()
        self._allowed: dict[str, credentials.Credential] = {}

    def allow(self, url: str, credential: credentials.Credential) -> None:
        """Use a credential for all requests to a URL and to the paths below this URL.

        A registry gets the credential only if it requires one.
        """
        self._allowed[url] = credential

    def ask(
        self,
        url: str,
        headers: Mapping[str, str],
        cancelled: Cancelled = never,
        until: float = math.inf,
        method: str = "GET",
        *,
        may_answer: bool = True,
    ) -> Reply:
        """Send a request, follow redirects, and return a response with a status below 400.

        If a registry requires a token or a password, repeat the request with the token or password. If `may_answer` is
        false, do not repeat the request. The client stops waiting at the time `until` (on the monotonic clock). Raises
        Interrupted, AwayError if a later attempt may succeed, and other FetchErrors, such as MissingError.
        """
        first = url
        timeout = urllib3.Timeout(connect=self.patience.connect, read=self.patience.silence)
        for _ in range(MAX_REDIRECTS + 2):
            sent = {"User-Agent": f"cachetui/{__version__}", "Accept-Encoding": "gzip, zstd", **headers}
            if urlsplit(url)[:2] != urlsplit(first)[:2]:  # another scheme or host
                sent.pop("Authorization", None)
            elif "Authorization" not in headers:
                sent |= self._authorization(method, url)
            reply = Reply(url, method, self.patience, cancelled, until)
            ask = partial(self._pool(url).request, method, url, headers=sent, timeout=timeout, preload_content=False)
            try:
                reply.begin(partial(ask, redirect=False, retries=False))
                if reply.status in (301, 302, 303, 307, 308):
                    url = self._redirected(url, reply.headers.get("Location", ""))
                    reply.close()
                    continue
                if reply.status == 401 and may_answer and (repository := repository_of(url)):
                    may_answer = False
                    asked = reply.headers.get("WWW-Authenticate", "")
                    reply.close()
                    self._allowed[repository[0]] = self._answered(url, repository[1], asked, cancelled, until)
                    continue
                if reply.status >= 400:
                    raise self._refused(reply)
            except BaseException:
                reply.close()
                raise
            return reply
        raise FetchError(f"{shown(first)} is redirected more than {MAX_REDIRECTS} times")

    def insist(self, attempt: Callable[[], Answered], cancelled: Cancelled, until: float = math.inf) -> Answered:
        """Call `attempt` and return its result. After an AwayError, call `attempt` again.

        If all attempts fail, raise the last AwayError. If `until` is finite, call `attempt` only once. `attempt` must
        then end at the time `until` (on the monotonic clock).
        """
        for failed in count():
            try:
                return attempt()
            except AwayError as error:
                if until < math.inf or failed + 1 >= self.patience.attempts:
                    raise
                pause(max(self.patience.backoff * 2**failed, error.retry_after), cancelled)
        raise AssertionError("unreachable")

    def _answered(self, url: str, name: str, header: str, cancelled: Cancelled, until: float) -> str:
        """Return the `Authorization` header with the token or password that a registry requires.

        `name` is the name of the repository. `header` is the `WWW-Authenticate` header of the registry. Raises
        FetchError if the password is unknown, or if no token can be obtained.
        """
        host = urlsplit(url).netloc
        known = self._password(url, host, name) if self._is_secure(url) else None
        for challenge in challenges(header):
            if challenge.scheme == "basic" and known:
                return known
            if challenge.scheme == "bearer":
                realm = challenge.realm
                if not re.fullmatch(r"https?://[A-Za-z0-9._:-]+(/[!-~]*)?", realm):
                    raise RefusedError(
                        f"{host} requires a token from {shown(realm) or 'an empty address'}, which is not a URL"
                    )
                is_secure = self._is_secure(realm)
                if realm.startswith("http:") and not is_secure:
                    raise RefusedError(f"{host} requires a token from {shown(realm)}, which is not encrypted")
                known = known if is_secure else None
                server = _host(realm)
                if known and server != _host(url) and server not in self._realms:
                    how = f"to allow this, give --realm {server}, or set realms in the config file"
                    raise RefusedError(f"{host} asks for its password to be sent to another host, {server}: {how}")
                return f"Bearer {self._token(token_url(challenge, name), host, known, cancelled, until)}"
        raise RefusedError(f"{host} requires a user name and a password: give a password with {LOGIN}")

    def _token(self, url: str, host: str, password: str | None, cancelled: Cancelled, until: float) -> str:
        """Request a token for the registry `host` from the token server at `url`, and return the token.

        `password` is the `Authorization` header with the password for the registry, or None.
        """
        try:
            headers = {"Authorization": password} if password else {}
            with closing(self.ask(url, headers, cancelled, until, may_answer=False)) as reply:
                token = token_in(reply.read(MAX_TOKEN_BYTES))
        except RefusedError:
            why = (
                f"does not accept {STORED_PASSWORD}"
                if password
                else f"gives no token: the repository is missing, or it is private and needs a password from {LOGIN}"
            )
            with suppress(FetchError):
                if password and self._token(url, host, None, cancelled, until):
                    why += ", but gives a token without them: log out"
            raise RefusedError(f"{host} {why}") from None
        except MissingError:
            server = shown(url.partition("?")[0])
            raise RefusedError(f"{host} requires a token from a server that does not exist: {server}") from None
        if not token:
            raise WrongContentError(f"the response from {shown(url)} contains no token")
        return token

    def _password(self, url: str, host: str, name: str) -> str | None:
        """Return the `Authorization` header with the user and the password for a registry, or None if unknown."""
        for scheme, of_requests in REGISTRIES.items():
            found = self._allowed.get(f"{scheme}://{host}/{name}")
            if url.startswith(f"{of_requests}://") and isinstance(found, str):
                return found
        return credentials.of_registry(host, name, self._environ, run_helpers=self._credential_helpers)

    def _is_secure(self, url: str) -> bool:
        """Return whether a password may be sent to a URL."""
        parts = urlsplit(url)
        return (parts.scheme == "https" and not self.insecure) or is_loopback(parts.hostname or "")

    def _authorization(self, method: str, url: str) -> dict[str, str]:
        """Return the headers that give access to a URL. If the connection is not secure, omit passwords and tokens."""
        above = [each for each in list(self._allowed) if url == each or url.startswith(f"{each}/")]
        found = self._allowed[max(above, key=len)] if above else None
        if isinstance(found, credentials.Signing):
            return {} if found.token and not self._is_secure(url) else found.headers(method, url)
        if not self._is_secure(url):
            return {}
        found = found or credentials.authorization(urlsplit(url).hostname or "", self._environ)
        return {"Authorization": found} if found else {}

    def _pool(self, url: str) -> urllib3.PoolManager:
        """Return the connection pool for a URL. If the environment names a proxy, the pool connects to the proxy."""
        parts, proxies = urlsplit(url), urllib.request.getproxies()
        proxy = proxies.get(parts.scheme) or proxies.get("all") or ""
        proxy = "" if proxy and urllib.request.proxy_bypass(parts.netloc) else proxy
        is_safe = parts.scheme == "https" or proxy.startswith("https:")
        with self._lock:
            if (proxy, is_safe) not in self._pools:
                # this takes 50 ms, and reads the certificates in SSL_CERT_FILE and SSL_CERT_DIR
                context = ssl.create_default_context() if is_safe else None
                if context and self.insecure:
                    urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
                    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                self._pools[proxy, is_safe] = self._new_pool(proxy, context)
            return self._pools[proxy, is_safe]

    def _new_pool(self, proxy: str, context: ssl.SSLContext | None) -> urllib3.PoolManager:
        if not proxy:
            return urllib3.PoolManager(ssl_context=context, maxsize=MAX_CONNECTIONS, block=True)
        proxy = proxy if "://" in proxy else f"http://{proxy}"
        try:
            parts = urlsplit(proxy)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError
            user = f"{parts.username or ''}:{parts.password or ''}" if parts.username else None
            headers = urllib3.make_headers(proxy_basic_auth=user) if user else None
            address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
            return urllib3.ProxyManager(
                address, ssl_context=context, proxy_headers=headers, maxsize=MAX_CONNECTIONS, block=True
            )
        except ValueError:  # includes the exceptions of urllib3 for an invalid URL
            name = shown(re.sub(r"//.*@", "//", proxy, flags=re.DOTALL))  # a password may contain any character
            text = f"the proxy {name} cannot be used: set https_proxy (or http_proxy, all_proxy) to http://HOST:PORT"
            raise FetchError(text) from None

    def _refused(self, reply: Reply) -> FetchError:
        status, url, host = reply.status, shown(reply.url), urlsplit(reply.url).hostname or ""
        if status in (401, 403, 404) and (repository := repository_of(reply.url)):
            name, is_known = repository[1], self._password(reply.url, urlsplit(reply.url).netloc, repository[1])
            closed = (
                f"{STORED_PASSWORD} do not give access"
                if is_known and self._is_secure(reply.url)
                else f"it is private and needs a password from {LOGIN}"
            )
            if status != 404:
                return RefusedError(
                    f"{host} refuses {name} (status {status}): the repository does not exist, or {closed}"
                )
            if error_code(reply.first) == "NAME_UNKNOWN":
                return NoRepositoryError(f"{host} has no repository {name}, or {closed}")
            return MissingError(f"{host} has no {reply.url.rpartition('/')[2]} in the repository {name}, or {closed}")
        if status in (401, 403):
            token = f"a token in {variable}, or " if (variable := credentials.variable(host)) else ""
            how = f"if it is private, give {token}a password in ~/.netrc"
            return RefusedError(f"the server refuses {url} (status {status}): {how}")
        if status in (404, 410):
            return MissingError(f"{url} does not exist (status {status})")
        if status == 429 or status >= 500:
            error = AwayError(f"{url} cannot be downloaded now: the server answers with status {status}")
            if seconds := re.fullmatch(r"[0-9]{1,9}", reply.headers.get("Retry-After", "")):
                error.retry_after = min(float(seconds[0]), MAX_RETRY_AFTER_SECONDS)
            return error
        return FetchError(f"{url} cannot be downloaded: the server answers with status {status}")

    def _redirected(self, url: str, location: str) -> str:
        """Return the target of a redirect. Raises FetchError if the redirect is not allowed."""
        target = host = ""
        with suppress(ValueError):
            host = urlsplit(target := urljoin(url, location)).hostname or ""
        parts = urlsplit(target if host else "")
        is_text = location.isascii() and location.isprintable()
        is_plain = parts.scheme == "http" and not self.insecure
        refusals = {
            "cachetui cannot follow this URL": not (
                location and host and is_text and parts.scheme in ("http", "https")
            ),
            "cachetui refuses it, because it is not encrypted": is_plain and url.startswith("https:"),
            "to follow redirects to http:, give --insecure": is_plain and not is_loopback(host),
            "cachetui does not follow a URL with a password": parts.username is not None,
        }
        for why, is_refused in refusals.items():
            if is_refused:
                raise FetchError(f"{shown(url)} is redirected to {shown(location) or 'an empty address'}: {why}")
        return target


def _host(url: str) -> str:
    """Return the host of a URL, and its port if this is not the default port."""
    parts = urlsplit(url)
    return parts.netloc.lower().removesuffix({"https": ":443", "http": ":80"}.get(parts.scheme, ""))


_FAILURES: Sequence[tuple[type[Exception], type[FetchError], str]] = (
    (urllib3.exceptions.ProxyError, AwayError, "cannot be reached: the proxy refuses the connection ({})"),
    (
        urllib3.exceptions.SSLError,
        UntrustedError,
        "is not trusted ({}): for certificates of your site, set SSL_CERT_FILE",
    ),
    (
        urllib3.exceptions.NameResolutionError,
        AwayError,
        "cannot be reached: the name of this server is unknown (or the network is down)",
    ),
    (urllib3.exceptions.NewConnectionError, AwayError, "cannot be reached: {}"),
    (urllib3.exceptions.ConnectTimeoutError, AwayError, "cannot be reached: the server does not answer in time"),
    (urllib3.exceptions.ReadTimeoutError, AwayError, STOPPED),
    (urllib3.exceptions.DecodeError, WrongContentError, "cannot be decoded"),
    (urllib3.exceptions.ProtocolError, AwayError, "was cut off before the file was complete"),
    (ConnectionError, AwayError, "was cut off before the file was complete"),
    (Exception, FetchError, "cannot be downloaded: {}"),
)
"""For each exception of the HTTP library, the error to raise instead, with its message. The first match counts."""


@contextmanager
def _explained(url: str) -> Iterator[None]:
    """Convert exceptions of the HTTP library to FetchErrors. The messages are one line each, for the user."""
    try:
        yield
    except Exception as error:
        meant, text = next((meant, text) for kind, meant, text in _FAILURES if isinstance(error, kind))
        raise meant(f"{shown(url)} {text.format(_reason(error))}") from None


def _reason(error: BaseException) -> str:
    """Return the message of the first error in a chain of exceptions, without the queries of URLs."""
    inner: BaseException | None = error
    while inner is not None:
        error, inner = inner, inner.__cause__ or inner.__context__
    reason = getattr(error, "verify_message", None) or getattr(error, "strerror", None) or str(error)
    return re.sub(r"\?\S*", "?…", visible(str(reason)))[:200]
