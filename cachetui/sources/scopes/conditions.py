"""Evaluate the conditions (`when`) of definitions and includes. A condition is a Python expression about a host.

The text is untrusted and is not executed. Instead it is parsed, and the supported expressions are evaluated node by
node (see the cases of `_Condition.value`). The value of any other expression is unknown. The number of steps, including
the steps of regular expressions, is limited.
"""

import ast
import operator
import re
import socket
from collections.abc import Callable, Mapping
from typing import Any

from cachetui.model.budget import Budget
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.query.terms import ValueTerm

MAX_CONDITION_CHARACTERS = 2_000
"""Maximum number of characters of a condition. The value of a longer condition is unknown."""

MAX_CONDITION_STEPS = 10_000_000
"""Maximum number of evaluated expressions in a condition, plus the steps of regular expressions in the worst case."""

_COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
}

_FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "len": len,
    "int": int,
    "str": str,
    "bool": bool,
    "any": any,
    "all": all,
    "list": list,
    "tuple": tuple,
    "set": list,
}

_METHODS = frozenset({"startswith", "endswith", "split", "rsplit", "lower", "upper", "strip", "lstrip", "rstrip"})
"""The methods of strings that a condition may call."""

_PATTERNS = {"match": re.match, "search": re.search, "fullmatch": re.fullmatch}

_FLAGS = {"I": re.IGNORECASE, "IGNORECASE": re.IGNORECASE}

_UNKNOWN = (SyntaxError, ValueError, TypeError, KeyError, IndexError, RecursionError, MemoryError, OverflowError)
"""The exceptions that make the value of a condition unknown.

ValueError is raised for an unsupported expression, for an unknown value, and after too many steps.
"""


def holds(condition: str, host: Host, environ: Mapping[str, str]) -> bool | None:
    """Return whether a condition is true on a host.

    Return None if this is unknown, or if versions of Spack evaluate the condition differently.
    """
    if len(condition) > MAX_CONDITION_CHARACTERS:
        return None
    old, new = f"arch={host}", f"platform={host.platform} os={host.os} target={host.target}"
    try:
        tree = ast.parse(condition.strip(), mode="eval")
        found = {bool(_Condition(host, environ, arch).value(tree.body)) for arch in (new, old)}
    except (*_UNKNOWN, re.error):
        return None
    return found.pop() if len(found) == 1 else None


class _Condition:
    def __init__(self, host: Host, environ: Mapping[str, str], arch: str) -> None:
        known = {"platform": host.platform, "os": host.os, "target": host.target}
        self._host = {name: value for name, value in known.items() if value}
        self._names: dict[str, Any] = {**self._host, "env": environ}
        if len(self._host) == len(known):
            self._names["arch_str"] = arch
        self._budget = Budget("the condition", "steps", MAX_CONDITION_STEPS)

    def value(self, node: ast.expr) -> Any:
        """Return the value of an expression. If the value is unknown, raise one of the exceptions in `_UNKNOWN`."""
        self._budget.spend()
        match node:
            case ast.Constant(value=str() | int() | None as value):
                return value
            case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
                values = list(map(self.value, elements))
                return tuple(values) if isinstance(node, ast.Tuple) else values
            case ast.Name(id="hostname"):
                return socket.gethostname()
            case ast.Name(id=name) if name in self._names:
                return self._names[name]
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self.value(operand)
            case ast.BoolOp(op=operation, values=values):
                stops = isinstance(operation, ast.Or)
                found = None
                for each in values:
                    found = self.value(each)
                    if bool(found) is stops:
                        break
                return found
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                return self.value(body if self.value(test) else otherwise)
            case ast.Compare(left=left, ops=operations, comparators=others):
                return self._compared(left, operations, others)
            case ast.Subscript(value=of, slice=ast.Slice(lower=low, upper=high, step=None)):
                return self.value(of)[slice(*(each and self.value(each) for each in (low, high)))]
            case ast.Subscript(value=of, slice=key):
                return self.value(of)[self.value(key)]
            case ast.GeneratorExp(elt=each, generators=[loop]) | ast.ListComp(elt=each, generators=[loop]):
                return self._looped(each, loop)
            case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
                return _FUNCTIONS[name](self.value(argument))
            case ast.Call(func=ast.Attribute(value=of, attr=name), args=arguments, keywords=[]):
                return self._called(of, name, arguments)
        raise ValueError

    def _compared(self, left: ast.expr, operations: list[ast.cmpop], others: list[ast.expr]) -> bool:
        value = self.value(left)
        for operation, other in zip(operations, others, strict=True):
            before, value = value, self.value(other)
            if not _COMPARED[type(operation)](before, value):
                return False
        return True

    def _looped(self, each: ast.expr, loop: ast.comprehension) -> list[Any]:
        if not isinstance(loop.target, ast.Name):
            raise ValueError
        names, found = self._names, []
        for value in list(self.value(loop.iter)):
            self._names = {**names, loop.target.id: value}
            if all(map(self.value, loop.ifs)):
                found.append(self.value(each))
        self._names = names
        return found

    def _called(self, of: ast.expr, name: str, arguments: list[ast.expr]) -> Any:
        match of:
            case ast.Name(id="arch" | "architecture") if name == "satisfies" and len(arguments) == 1:
                return self._satisfies(self.value(arguments[0]))
            case ast.Name(id="re") if name in _PATTERNS:
                return self._matched(name, *arguments)
        value, given = self.value(of), list(map(self.value, arguments))
        if (isinstance(value, str) and name in _METHODS) or (value is self._names["env"] and name == "get"):
            return getattr(value, name)(*given)
        raise ValueError

    def _satisfies(self, spec: str) -> bool:
        terms = Query.parse(spec).terms
        if any(term.key == "name" for term in terms):
            return False  # a bare word is the name of a package, and an architecture is not a package
        if not terms or not all(isinstance(term, ValueTerm) and term.key in self._host for term in terms):
            raise ValueError
        return all(term.matches(self._host[term.key]) for term in terms)

    def _matched(self, name: str, pattern: ast.expr, text: ast.expr, flag: ast.expr | None = None) -> object:
        """Return the result of the function `name` of the module `re`, such as `search`.

        If the function might be too slow, raise one of the exceptions in `_UNKNOWN`.
        """
        flags = 0
        if flag is not None:
            if not isinstance(flag, ast.Attribute) or flag.attr not in _FLAGS:
                raise ValueError
            flags = _FLAGS[flag.attr]
        written, subject = self.value(pattern), self.value(text)
        signs = re.sub(r"\\.", "", written)
        if re.search(r"\)[*+{]", signs):  # a repeated group takes exponential time
            raise ValueError
        loops = len(re.findall(r"[*+{]", signs)) + (name == "search")
        choices = len(re.findall(r"[?|]", signs))
        if loops + choices > 20:
            raise ValueError
        self._budget.spend((len(subject) + 1) ** loops * 2**choices)
        return _PATTERNS[name](written, subject, flags)
