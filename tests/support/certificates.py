"""A certificate authority of a test's own, for servers on loopback that speak TLS."""

import ssl
from pathlib import Path

import trustme


class Authority:
    """Signs certificates; whoever trusts it is given the file `trusted`."""

    def __init__(self, folder: Path) -> None:
        self._authority = trustme.CA()
        self.trusted = folder / "authority.pem"
        self._authority.cert_pem.write_to_path(str(self.trusted))

    def context(self, *names: str) -> ssl.SSLContext:
        """What a server with these names needs."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(*names).configure_cert(context)
        return context
