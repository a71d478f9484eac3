"""The log of `--debug` and `CACHETUI_DEBUG`: requests, reads and index caches, without secrets."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from cachetui.safe_text import visible

NAME = "cachetui"
"""The name of the logger."""

_SECRETS = (
    (re.compile(r"//[^/\s]*@"), "//…@"),
    (re.compile(r"\?\S*"), "?…"),
    (re.compile(r"(?i)\b(basic|bearer|authorization:|aws4-hmac-sha256)(?:\s+\S+)+"), r"\1 …"),
)
"""Patterns of possible secrets in a line, with their replacements: passwords and queries of URLs, and headers."""


def log(text: str) -> None:
    """Log a line if the log is open. Only `logged` imports the logging library, because the import takes time."""
    if "logging" in sys.modules:
        import logging

        logging.getLogger(NAME).debug(text)


@contextmanager
def logged(stream: TextIO) -> Iterator[None]:
    """Write the log to a stream until the end of the `with` block."""
    import logging

    def redact(record: logging.LogRecord) -> bool:
        """Remove secrets from a line of the log, and escape the line."""
        text = record.getMessage()
        for secret, replacement in _SECRETS:
            text = secret.sub(replacement, text)
        record.msg, record.args = visible(text), ()
        return True

    handler, logger = logging.StreamHandler(stream), logging.getLogger(NAME)
    handler.setFormatter(logging.Formatter("%(asctime)s.%(msecs)03d %(message)s", "%H:%M:%S"))
    handler.addFilter(redact)
    handler.handleError = lambda record: None  # type: ignore[method-assign]  # a full disk ends no command
    logger.setLevel(logging.DEBUG)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
