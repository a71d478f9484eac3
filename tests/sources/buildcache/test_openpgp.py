"""The ids of keys, equal to those that gpg prints."""

from base64 import b64decode, b64encode
from contextlib import suppress
from random import Random

import pytest

from cachetui.sources.buildcache.openpgp import issuer, key_ids
from tests.support.caches import CACHES

KEY = """\
mDMEawUJBhYJKwYBBAHaRw8BAQdAg6xWbITWLC+e+nCjiNVIv1odwxOTyD9qh3mG
DUxemve0Bm1pcnJvcoiQBBMWCAA4FiEEFs6hcDgcKUKSWYBUCssBxp97/psFAmsF
CQYCGwEFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQCssBxp97/psMqAD/e+B7
zxkQJ2mWmXmvXpk0UQJvh5uq8ZgnJskZqHW6yzwA/3F2smnyog8QrXl8nZ8SvhT1
G928f+49xR9T7Z/YfLYIuDMEawUJBxYJKwYBBAHaRw8BAQdAU6k7/60SMwCSOyrF
fZnWGTVoOQbhpV6iU9vvfX/dEz6I7wQYFggAIBYhBBbOoXA4HClCklmAVArLAcaf
e/6bBQJrBQkHAhsCAIEJEArLAcafe/6bdiAEGRYIAB0WIQS9Lvm78kwbfwQ0IqOT
wrf0bO807QUCawUJBwAKCRCTwrf0bO807cfXAP9FyiI5soKcevwMVhg7DqHV6Di/
qtp7tFOEwFbRERdwOwD+O18WC3sR4qZMmjVocgSfVuOCrUUVxtmF2k9ABnUSXgyQ
ggD6A+DY9a+NPWOZUiLfKmWTz9Ui8FFp/2z1FCm3ceazAQsBANA670v5W4x9jAbl
pAVE6kU/RVM1oyEiouNvB2Hol8kF
"""
"""A key of gpg 2.2 that only certifies, with a subkey that signs."""

SIGNATURE = """\
iHUEARYIAB0WIQS9Lvm78kwbfwQ0IqOTwrf0bO807QUCawUJBwAKCRCTwrf0bO80
7WMgAQD8K13Tb/8scr7sfflndNxDGQPztiscatVuCBpFabrRSgD/X+LDvc/2uFtl
I+Ijejofrpu7Ij3SnqatCaV+WPxPWA8=
"""

PRIMARY, SUBKEY = "0ACB01C69F7BFE9B", "93C2B7F46CEF34ED"


def armour(body: str, what: str = "SIGNATURE", end: str = "\n") -> bytes:
    text = f"-----BEGIN PGP {what}-----\nComment: by hand\n\n{body}=jNo2\n-----END PGP {what}-----\n"
    return text.replace("\n", end).encode()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_signature_gives_id_of_the_signing_subkey(end: str) -> None:
    assert issuer(armour(SIGNATURE, end=end)) == SUBKEY
    assert key_ids(armour(KEY, "PUBLIC KEY BLOCK", end)) == {PRIMARY, SUBKEY}


def test_key_ids_equal_names_of_published_key_files() -> None:
    keys = [*CACHES.rglob("*.pub")]
    assert keys
    for path in keys:
        assert key_ids(path.read_bytes()) == {path.stem[-16:]}


def test_repeated_signature_headers_are_parsed_in_linear_time() -> None:
    with pytest.raises(ValueError, match="no signature"):
        issuer(b"-----BEGIN PGP SIGNATURE-----\n" * 100_000)


@pytest.mark.parametrize("body", [KEY, SIGNATURE])
def test_damaged_key_raises_only_value_errors(body: str) -> None:
    random = Random(7)
    for _ in range(3000):
        data = bytearray(b64decode(body))
        for _ in range(random.randrange(1, 5)):
            data[random.randrange(len(data))] = random.randrange(256)
        text = armour(b64encode(data[: random.randrange(len(data))]).decode() + "\n")
        for ask in (issuer, key_ids):
            with suppress(ValueError):
                ask(text)
