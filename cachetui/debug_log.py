"""The log of `--debug` and `CACHETUI_DEBUG`: a line for each request, read and index cache, without secrets."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from cachetui.safe_text import visible

if TYPE_CHECKING:
    import logging

NAME = "cachetui"
"""The name of the logger."""

_SECRETS = (
    (re.compile(r"//[^/\s]*@"), "//…@"),
    (re.compile(r"\?\S*"), "?…"),
    (re.compile(r"(?i)\b(basic|bearer|authorization:|aws4-hmac-sha256)(?:\s+\S+)+"), r"\1 …"),
)
"""Parts of a line that may hold a secret, and their replacements: passwords and queries of URLs, headers."""


def log(text: str) -> None:
    """Log a line if a log was asked for; the logging library is imported only then."""
    if "logging" in sys.modules:
        import logging

        logging.getLogger(NAME).debug(text)


@contextmanager
def logged(stream: TextIO) -> Iterator[None]:
    """Write the log to a stream while the block runs."""
    import logging

    handler, logger = logging.StreamHandler(stream), logging.getLogger(NAME)
    handler.setFormatter(logging.Formatter("%(asctime)s.%(msecs)03d %(message)s", "%H:%M:%S"))
    handler.addFilter(_redact)
    handler.handleError = lambda record: None  # type: ignore[method-assign]  # a full disk ends no command
    logger.setLevel(logging.DEBUG)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)


def _redact(record: "logging.LogRecord") -> bool:
    """Remove secrets from a line and escape it. Every line of the log passes this function."""
    text = record.getMessage()
    for secret, replacement in _SECRETS:
        text = secret.sub(replacement, text)
    record.msg, record.args = visible(text), ()
    return True
