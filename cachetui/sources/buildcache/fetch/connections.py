"""The way to a server: straight or by a proxy, and which certificates are trusted.

Proxies, certificates and their variables are those of other programs: `https_proxy`, `NO_PROXY`, `SSL_CERT_FILE`,
`CURL_CA_BUNDLE`. Connections are kept and used again.
"""

from __future__ import annotations

import ssl
import threading
import urllib.request
from collections.abc import Mapping
from urllib.parse import urlsplit

import urllib3

from cachetui.safe_text import visible
from cachetui.sources.buildcache.fetch.address import shown
from cachetui.sources.buildcache.fetch.errors import FetchError

PER_SERVER = 8
"""Connections to one server at a time."""


class Connections:
    """The connections to all servers; used from any thread."""

    def __init__(self, environ: Mapping[str, str], *, insecure: bool = False) -> None:
        """`insecure` also takes certificates that are not valid."""
        self._environ = environ
        self._insecure = insecure
        self._pools: dict[tuple[str, bool], urllib3.PoolManager] = {}
        self._lock = threading.Lock()

    def pool(self, url: str) -> urllib3.PoolManager:
        """The connections for a URL: straight, or by the proxy that the environment names for it."""
        parts = urlsplit(url)
        proxies = urllib.request.getproxies()
        proxy = proxies.get(parts.scheme) or proxies.get("all") or ""
        if proxy and urllib.request.proxy_bypass(parts.netloc):
            proxy = ""
        is_safe = parts.scheme == "https" or proxy.startswith("https:")
        with self._lock:
            if (proxy, is_safe) not in self._pools:
                context = self._context() if is_safe else None  # it takes a twentieth of a second
                self._pools[proxy, is_safe] = self._new_pool(proxy, context)
            return self._pools[proxy, is_safe]

    def _context(self) -> ssl.SSLContext:
        """Which certificates are trusted."""
        context = ssl.create_default_context()  # with what SSL_CERT_FILE and SSL_CERT_DIR name
        bundle = self._environ.get("CURL_CA_BUNDLE")
        if bundle and bundle != self._environ.get("SSL_CERT_FILE"):
            try:
                context.load_verify_locations(bundle)
            except OSError as error:
                raise FetchError(f"CURL_CA_BUNDLE {visible(bundle)} cannot be read: {error.strerror}") from None
        if self._insecure:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context

    def _new_pool(self, proxy: str, context: ssl.SSLContext | None) -> urllib3.PoolManager:
        if not proxy:
            return urllib3.PoolManager(ssl_context=context, maxsize=PER_SERVER, block=True)
        proxy = proxy if "://" in proxy else f"http://{proxy}"
        parts = urlsplit(proxy)
        if parts.scheme not in ("http", "https"):
            raise FetchError(f"the proxy {shown(proxy)} cannot be used: give one of http: or https:")
        user = f"{parts.username or ''}:{parts.password or ''}" if parts.username else None
        headers = urllib3.make_headers(proxy_basic_auth=user) if user else None
        address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        return urllib3.ProxyManager(address, ssl_context=context, proxy_headers=headers, maxsize=PER_SERVER, block=True)
