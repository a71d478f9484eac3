"""Reports for CI, parsed as GitLab, Jenkins, Prometheus and a browser parse them."""

import json
from collections.abc import Mapping
from functools import cache
from html.parser import HTMLParser
from typing import Any, NamedTuple
from xml.etree import ElementTree

from jsonschema import Draft202012Validator
from prometheus_client.parser import text_string_to_metric_families
from xmlschema import XMLSchema

from tests.support.places import ROOT

TEXT = {"type": "string", "minLength": 1}

GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": TEXT,
            "check_name": TEXT,
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "additionalProperties": False,
                "properties": {
                    "path": TEXT,
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}
"""The fields of GitLab's code quality report, as its documentation has them."""


GRAFANA = {
    "type": "object",
    "required": ["title", "schemaVersion", "panels", "templating", "time"],
    "properties": {
        "schemaVersion": {"type": "integer", "minimum": 36},
        "time": {"type": "object", "required": ["from", "to"]},
        "templating": {
            "type": "object",
            "required": ["list"],
            "properties": {"list": {"items": {"required": ["name", "type", "query"]}}},
        },
        "panels": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["id", "type", "title", "gridPos", "targets", "fieldConfig", "options", "datasource"],
                "properties": {
                    "id": {"type": "integer"},
                    "type": {"enum": ["stat", "gauge", "bargauge", "timeseries", "table"]},
                    "gridPos": {
                        "required": ["x", "y", "w", "h"],
                        "properties": {"x": {"maximum": 23}, "w": {"maximum": 24}},
                    },
                    "targets": {"type": "array", "minItems": 1, "items": {"required": ["expr", "refId", "datasource"]}},
                    "fieldConfig": {"required": ["defaults", "overrides"]},
                },
            },
        },
    },
}
"""The fields without which Grafana refuses a dashboard, from the JSON model in its documentation."""


class Cases(NamedTuple):
    """The names of the cases of a JUnit report, by result."""

    passing: list[str]
    failing: list[str]
    skipped: list[str]


@cache
def _schema() -> XMLSchema:
    return XMLSchema(ROOT / "tests" / "support" / "junit.xsd")


def junit(text: str) -> Cases:
    """Check a JUnit report and its counts; return its cases."""
    _schema().validate(text)
    found = Cases([], [], [])
    (suite,) = ElementTree.fromstring(text.encode())
    for case in suite:
        kinds = {"failure": found.failing, "error": found.failing, "skipped": found.skipped}
        (kinds[case[0].tag] if len(case) else found.passing).append(case.attrib["name"])
    names = ("tests", "failures", "errors", "skipped")
    tests, failures, broken, skipped = (int(suite.attrib[name]) for name in names)
    assert (tests, failures + broken, skipped) == (sum(map(len, found)), len(found.failing), len(found.skipped))
    return found


def gitlab(text: str) -> list[dict[str, Any]]:
    """Check a code quality report and its fingerprints; return its entries."""
    found: list[dict[str, Any]] = json.loads(text)
    Draft202012Validator(GITLAB).validate(found)
    assert len({each["fingerprint"] for each in found}) == len(found)
    return found


def prometheus(text: str) -> dict[str, list[tuple[Mapping[str, str], float]]]:
    """Check that no sample is repeated, as the node exporter requires; return the samples of each metric."""
    found: dict[str, list[tuple[Mapping[str, str], float]]] = {}
    for family in text_string_to_metric_families(text):
        assert family.name.startswith("cachetui_")
        assert (family.type, bool(family.documentation)) == ("gauge", True)
        assert family.name not in found
        found[family.name] = [(sample.labels, sample.value) for sample in family.samples]
        assert len({tuple(sample.labels.items()) for sample in family.samples}) == len(family.samples)
    return found


class Page(HTMLParser):
    """The text and the elements of an HTML report. Elements that reports must not contain are errors."""

    ELEMENTS = frozenset(
        [
            *("html", "head", "meta", "title", "style", "body", "h1", "code", "ul", "li", "details", "summary"),
            *("table", "thead", "tbody", "tr", "th", "td", "span"),
        ]
    )
    ATTRIBUTES = frozenset(["lang", "charset", "name", "content", "http-equiv", "scope", "class", "open"])

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in self.ELEMENTS
        assert {name for name, _ in attrs} <= self.ATTRIBUTES
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def classes(self) -> list[str]:
        """Return the CSS class of each table cell."""
        return [attributes.get("class") or "" for tag, attributes in self.elements if tag == "td"]
