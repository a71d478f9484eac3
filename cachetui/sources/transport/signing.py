"""Sign requests for S3 (AWS signature, version 4). The secret key makes the signature, and is never sent itself."""

import hashlib
import hmac
import time
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from msgspec import Struct

REGION = "us-east-1"
"""The default region. Servers other than AWS ignore the region."""

_EMPTY = hashlib.sha256(b"").hexdigest()
"""The checksum of the empty content of a request."""


class Signing(Struct, frozen=True):
    """The key that signs requests for a bucket."""

    id: str
    secret: str
    token: str = ""
    """The session token, sent with each request. May be empty."""
    region: str = REGION

    def headers(self, method: str, url: str, seconds: float | None = None) -> dict[str, str]:
        """Return the headers that sign a request with empty content.

        `seconds` is the time of the request, in seconds since the epoch. The default is now.
        """
        parts, moment = urlsplit(url), time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(seconds))
        sent = {"host": parts.netloc, "x-amz-content-sha256": _EMPTY, "x-amz-date": moment}
        if self.token:
            sent["x-amz-security-token"] = self.token
        names, scope = ";".join(sent), f"{moment[:8]}/{self.region}/s3/aws4_request"
        path = quote(unquote(parts.path), safe="/-_.~") or "/"
        query = urlencode(sorted(parse_qsl(parts.query, keep_blank_values=True)), quote_via=quote)
        lines = (method, path, query, *(f"{name}:{value}" for name, value in sent.items()), "", names, _EMPTY)
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        key = f"AWS4{self.secret}".encode(errors="surrogateescape")
        for text in (*scope.split("/"), "\n".join(("AWS4-HMAC-SHA256", moment, scope, digest))):
            key = hmac.digest(key, text.encode(), "sha256")
        credential = f"Credential={self.id}/{scope},SignedHeaders={names},Signature={key.hex()}"
        return {**sent, "Authorization": f"AWS4-HMAC-SHA256 {credential}"}
