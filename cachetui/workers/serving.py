"""A process that works: it does pieces and hands over what they gave, until nobody is there to take anything.

Input: from `driver`, in another process, what makes a gatherer (see `processes`), and pieces of work.
"""

from __future__ import annotations

import gc
import pickle
import sys
from contextlib import suppress
from typing import BinaryIO

from cachetui.workers.cancelling import never
from cachetui.workers.starting import import_msgspec

RESULT = None
"""Sent instead of a piece: it asks for the results of all pieces so far."""


def serve(module: str) -> None:
    """Works through standard input and output; a driver kills the process when it has no more pieces."""
    import_msgspec()
    work(module, sys.stdin.buffer, sys.stdout.buffer)


def work(module: str, pieces: BinaryIO, results: BinaryIO) -> None:
    """Imports the module that the work is in, and works until the pieces end."""
    gc.disable()  # what is made here is handed on and gone
    __import__(module)
    with suppress(EOFError, OSError):
        gatherer = pickle.load(pieces)()
        while True:
            piece = pickle.load(pieces)
            answer = gatherer.result() if piece is RESULT else gatherer.add(piece, never)
            pickle.dump(answer, results, pickle.HIGHEST_PROTOCOL)
            results.flush()
