"""The conditions (`when`) of a `spack.yaml`: Python expressions about a host and its environment.

Nothing is executed: the untrusted text is parsed, and comparisons, `and`, `or`, `not`, `in`, `env`, `arch.satisfies`,
`startswith` and `endswith` are evaluated; anything else is not understood.
"""

from __future__ import annotations

import ast
import operator
import os
import socket
from collections.abc import Callable, Mapping
from typing import Any

from cachetui.model.host import Host
from cachetui.query.parts.facets import ValuePart
from cachetui.query.query import Query

LONGEST = 2_000
"""Most characters of a condition; a longer one is not understood."""

_COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
}


class _UnknownError(Exception):
    """Part of a condition that is not understood, or not known of the host."""


def holds(condition: str, host: Host) -> bool | None:
    """Return whether a condition holds on a host; None where that cannot be told."""
    if len(condition) > LONGEST:
        return None
    try:
        tree = ast.parse(condition.strip(), mode="eval")
        return bool(_Condition(host).value(tree.body))
    except (_UnknownError, SyntaxError, ValueError, TypeError, KeyError, RecursionError, MemoryError):
        return None


class _Condition:
    def __init__(self, host: Host) -> None:
        self._known = {"platform": host.platform, "os": host.os, "target": host.target}

    def value(self, node: ast.expr) -> object:
        """Return the value of an expression; raises _UnknownError, and what Python raises for wrong types and keys."""
        match node:
            case ast.Constant(value=str() | bool() as value):
                return value
            case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
                return [self.value(each) for each in elements]
            case ast.Name(id=name):
                return self._named(name)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self.value(operand)
            case ast.BoolOp(op=ast.And(), values=values):
                return all(map(self.value, values))
            case ast.BoolOp(values=values):
                return any(map(self.value, values))
            case ast.Compare(left=left, ops=[operation], comparators=[right]) if type(operation) in _COMPARED:
                return _COMPARED[type(operation)](self.value(left), self.value(right))
            case ast.Subscript(value=ast.Name(id="env"), slice=key):
                return os.environ[self._text(key)]
            case ast.Call(func=ast.Attribute(value=of, attr=name), args=[first, *others], keywords=[]):
                return self._called(of, name, first, others)
        raise _UnknownError

    def _named(self, name: str) -> object:
        if name == "env":
            return os.environ
        found = socket.gethostname() if name == "hostname" else self._known.get(name)
        if found is None:
            raise _UnknownError
        return found

    def _called(self, of: ast.expr, name: str, first: ast.expr, others: list[ast.expr]) -> object:
        match of, name, others:
            case ast.Name(id="arch" | "architecture"), "satisfies", []:
                return self._satisfies(self._text(first))
            case ast.Name(id="env"), "get", [] | [_]:
                return os.environ.get(self._text(first), self.value(others[0]) if others else "")
            case _, "startswith", []:
                return self._text(of).startswith(self._text(first))
            case _, "endswith", []:
                return self._text(of).endswith(self._text(first))
        raise _UnknownError

    def _satisfies(self, spec: str) -> bool:
        parts = Query.parse(spec).parts
        if not parts or not all(isinstance(part, ValuePart) and self._known.get(part.key) for part in parts):
            raise _UnknownError
        return all(part.matches(self._known[part.key]) for part in parts)

    def _text(self, node: ast.expr) -> str:
        found = self.value(node)
        if not isinstance(found, str):
            raise _UnknownError
        return found
