"""What a piece of text can mean. The style sheet says how each looks: `tone--<tone>`, wherever it stands.

A tone never tells alone: a word or a sign says the same where there are no colours.
"""

from __future__ import annotations

from typing import Literal, get_args

Meaning = Literal["runs", "fails", "unknown", "gain", "loss", "changed", "gap", "missing", "external"]
"""What holds of a binary or of a change: it runs on the host, does not, may; it came, went, is another; there is none
where one could be, its binary is nowhere here, it is the host's own."""

Role = Literal["title", "key", "label", "tag", "host", "match", "marked", "tick", "cross", "warn", "fault", "dim"]
"""What part a text has on screen: a heading, a key or a filter, the name of a field, the tag and the host looked at,
what was sought, marked, ticked and left out, a doubt, an error, what is told elsewhere too."""

Picture = Literal["bar", "here", "heat-1", "heat-2", "heat-3", "heat-4"]
"""Parts of pictures: a bar, the place of the cursor, and the shades behind a number from few to many."""

Tone = Literal["", Meaning, Role, Picture]

TONES: tuple[str, ...] = tuple(filter(None, get_args(Tone)))
"""All tones but the one that means nothing."""

HEAT: tuple[Tone, ...] = ("heat-1", "heat-2", "heat-3", "heat-4")
"""The shades, from few to many."""
