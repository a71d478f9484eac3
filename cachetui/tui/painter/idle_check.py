"""Who has nothing to do: what Textual's screens and widgets, each with a queue of messages, are at just now.

Private to Textual and used here: the queue of a message pump, and what a screen has still to lay out; private to
asyncio: who waits for an event. There is no other way to tell without sending everyone a message.
"""

from __future__ import annotations

from asyncio import Event
from typing import Any

from textual.message_pump import MessagePump
from textual.screen import Screen


def is_idle(pump: MessagePump) -> bool:
    """Whether it waits for its next message, and has dealt with all that came of the last one."""
    has_message: Event = pump._message_queue.ready_event
    return not has_message.is_set() and bool(has_message._waiters)


def is_to_be_laid_out(screen: Screen[Any]) -> bool:
    """Whether the places of its widgets are to be worked out before it is painted again."""
    return screen._layout_required
