"""`schema`: print the JSON Schema of a command's `--format json`, generated from the types of its JSON output."""

from cachetui.cli.commands import documented
from cachetui.cli.options import Options, UsageError
from cachetui.cli.output import FOUND, print_lines
from cachetui.report.formats import json_text
from cachetui.workers.starting import schema_components

HELP = """\
Without COMMAND, schema lists the commands that have a schema. If the output of
a command can have several forms, the schema lists them all (anyOf). Every key
is always present.
"""


def run(options: Options) -> int:
    """Print the schema of a command, or the names of the commands that have a schema."""
    documents = documented()
    if not options.words:
        print_lines(f"{name}\n" for name in documents)
        return FOUND
    if len(options.words) > 1 or options.words[0] not in documents:
        raise UsageError(f"schema needs one of {', '.join(documents)}: cachetui schema find")
    print_lines([json_text(schema(documents[options.words[0]]))])
    return FOUND


def schema(documents: tuple[object, ...]) -> dict[str, object]:
    """Return the JSON Schema for values of these types. Every field is required."""
    kinds, parts = schema_components()(documents, ref_template="#/$defs/{name}")
    for part in parts.values():
        part["required"] = list(part["properties"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "anyOf": list(kinds), "$defs": parts}
