"""A certificate authority for TLS servers on loopback."""

import ssl
from pathlib import Path

import trustme


class Authority:
    """An authority that signs certificates. Clients that load the file `trusted` trust it."""

    def __init__(self, folder: Path) -> None:
        self._authority = trustme.CA()
        self.trusted = folder / "authority.pem"
        self._authority.cert_pem.write_to_path(str(self.trusted))

    def context(self, *names: str) -> ssl.SSLContext:
        """Return the TLS context of a server with these names."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(*names).configure_cert(context)
        return context
