"""The JUnit file, as strict readers take it: gates among the tests, whatever a judge says."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

# What the schema of Jenkins and of the Ant task allow: attributes, and children.
ALLOWED = {
    "testsuites": ({"name", "tests", "failures", "errors", "time", "disabled"}, {"testsuite"}),
    "testsuite": (
        {
            "name",
            "tests",
            "failures",
            "errors",
            "skipped",
            "time",
            "timestamp",
            "hostname",
            "id",
            "package",
        },
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": (
        {"name", "classname", "time", "file", "line", "assertions", "status"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": ({"message", "type"}, set()),
    "error": ({"message", "type"}, set()),
    "skipped": ({"message", "type"}, set()),
    "system-out": (set(), set()),
    "system-err": (set(), set()),
    "properties": (set(), {"property"}),
    "property": ({"name", "value"}, set()),
}
HOSTILE = "<script>]]></testcase>&\\x1b[2J\\x00\\ud800\\uffff\\u202e"
BODIES = {
    "pass": "    verdict = judge.compare(pair)\n",
    "miss": f"    assert judge.compare(pair).tie and pair.id > 'c009', '{HOSTILE}'\n",
    "hold": f"    if pair.id == 'c007':\n        pytest.fail('{HOSTILE}')\n",
    "void": f"    print('{HOSTILE}'.encode('ascii', 'backslashreplace'))\n",
}


def strict(path):
    """Parse a file and check every element; the test cases."""
    root = ET.parse(path).getroot()  # noqa: S314 - our own file
    for element in root.iter():
        attributes, children = ALLOWED[element.tag]
        assert set(element.attrib) <= attributes, element.tag
        assert {child.tag for child in element} <= children, element.tag
    for suite in root.iter("testsuite"):
        cases = suite.findall("testcase")
        assert int(suite.get("tests")) == len(cases)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(attribute)) == sum(case.find(tag) is not None for case in cases), attribute
    return list(root.iter("testcase"))


@pytest.mark.parametrize(
    ("kind", "workers"), [*((kind, ()) for kind in BODIES), ("miss", ("-n2",))], ids=[*BODIES, "miss n2"]
)
def test_a_strict_reader_takes_it(project, kind, workers):
    project.evals(body=BODIES[kind])
    project.run("--judge-audit", "--junitxml=junit.xml", "-q", *workers)
    cases = strict(project.root / "junit.xml")
    names = [(case.get("classname"), case.get("name")) for case in cases]
    gate = ("evals.test_e.test_copies_tie", "clone_gate[longest-neutral]")
    assert names.count(gate) == 1
    assert len(cases) == 61
    assert len(set(names)) == 61


@pytest.mark.parametrize(("kind", "child"), [("pass", None), ("miss", "failure"), ("hold", "error")])
def test_a_gate_is_a_test_of_its_own_with_the_reason_as_text(project, kind, child):
    project.evals(body=BODIES[kind])
    project.run("--judge-audit", "--junitxml=junit.xml", "-q")
    cases = strict(project.root / "junit.xml")
    (gate,) = (case for case in cases if case.get("name").startswith("clone_gate"))
    assert [element.tag for element in gate] == ([child] if child else [])
    if child:
        assert gate[0].text.startswith({"failure": "MISS: ", "error": "HOLD: "}[child])
    adverse = [case for case in cases if case.get("name").startswith("test_") and len(case)]
    assert len(adverse) == (1 if kind == "hold" else 0), "an adverse trial is no failure of a test"
