"""What the sandbox's tools answer."""

from __future__ import annotations

import os
import time

import pytest

from pytest_judgeaudit.agent import tools as module
from pytest_judgeaudit.agent.searching import NotSearched, search
from pytest_judgeaudit.agent.tools import SPECS, Toolbox
from pytest_judgeaudit.records.tools import ToolUse


@pytest.fixture
def call(sandboxes, use):
    """Call a tool on the sighted sandbox, made at the first call."""
    made = []

    def run(tool, **arguments):
        if not made:
            made.append(sandboxes())
        return Toolbox(made[0], tuple(SPECS)).call(use(tool, **arguments))

    return run


def test_list_names_every_file_with_its_size(call):
    assert call("list") == "CALC.cbl (37 bytes)\nsub/STORE.cbl (18 bytes)"
    assert call("list", path="./sub/") == "sub/STORE.cbl (18 bytes)"


def test_read_numbers_lines_from_a_start(call):
    assert call("read", path="CALC.cbl") == "1\tPERFORM COMPUTE-RATE.\n2\t COMPUTE-RATE."
    assert call("read", path="sub/../CALC.cbl", start=2) == "2\t COMPUTE-RATE."


def test_grep_names_file_and_line(call):
    assert call("grep", pattern="RATE") == ("CALC.cbl:1:PERFORM COMPUTE-RATE.\nCALC.cbl:2: COMPUTE-RATE.")
    assert call("grep", pattern=".", path="sub") == "sub/STORE.cbl:1:OPEN VSAM-MASTER."
    assert call("grep", pattern="nowhere") == "(no line matches)"


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("read", {"path": "none.txt"}, "error: there is no none.txt"),
        ("read", {"path": "sub"}, "error: sub is a folder"),
        ("read", {}, "error: . is a folder"),
        ("read", {"path": 3}, "error: path: expected a text"),
        ("read", {"path": "CALC.cbl", "start": 0}, "error: start: expected a whole number from 1 on"),
        ("read", {"path": "CALC.cbl", "start": True}, "error: start: expected a whole number from 1 on"),
        ("read", {"path": "CALC.cbl", "start": 9}, "error: CALC.cbl has only 2 lines"),
        ("list", {"path": "none"}, "error: there is no none"),
        ("grep", {}, "error: pattern: expected a text"),
        ("grep", {"pattern": ""}, "error: pattern: expected a pattern of 1 to 1000 characters"),
    ],
)
def test_a_wrong_argument_is_answered_in_words(call, tool, arguments, said):
    assert call(tool, **arguments) == said


def test_arguments_that_are_no_object_are_answered_in_words(sandboxes):
    box = Toolbox(sandboxes(), ("read",))
    broken = ToolUse(id="1", name="read", arguments=None, raw='{"path": "CALC')
    assert box.call(broken) == "error: the arguments are no JSON object"
    assert box.calls[0].arguments == '{"path": "CALC'


def test_a_binary_file_is_listed_and_not_shown(project, call):
    (project.source / "a.bin").write_bytes(b"RATE\0\1\2")
    assert "a.bin (7 bytes)" in call("list")
    assert call("read", path="a.bin") == "error: a.bin is a binary file of 7 bytes and is not shown"
    assert "a.bin" not in call("grep", pattern="RATE")


def test_a_huge_file_is_neither_read_nor_searched(project, call, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    project.write("corpora/lending/src/huge.txt", "RATE\n" * 100)
    assert "is not read" in call("read", path="huge.txt")
    assert "huge.txt" not in call("grep", pattern="RATE")


def test_long_files_are_read_in_parts(project, call):
    project.write("corpora/lending/src/long.txt", "".join(f"line {n}\n" for n in range(1, 701)))
    shown = call("read", path="long.txt").splitlines()
    assert shown[-2:] == ["500\tline 500", "[200 more lines: start = 501]"]
    assert call("read", path="long.txt", start=501).splitlines()[-1] == "700\tline 700"


def test_a_long_result_is_cut_and_says_so(project, call):
    project.write("corpora/lending/src/wide.txt", ("x" * 5000 + "\n") * 100)
    result = call("read", path="wide.txt")
    assert result.endswith(f"[cut after {module.MOST_CHARACTERS} characters]")


@pytest.mark.skipif(os.name != "posix", reason="needs arbitrary bytes in names")
def test_hostile_names_are_shown_in_one_line_and_can_be_read_as_shown(project, call):
    name = os.fsdecode(b"a\n\x1b[31m\xff.txt")
    (project.source / name).write_text("hostile")
    shown = r"a\n\x1b[31m\udcff.txt"
    assert f"{shown} (7 bytes)" in call("list").splitlines()
    assert call("read", path=shown) == call("read", path=name) == "1\thostile"


def test_text_that_is_no_utf_8_is_read_with_replacements(project, call):
    (project.source / "latin.txt").write_bytes(b"caf\xe9")
    assert call("read", path="latin.txt") == "1\tcaf\ufffd"


def test_a_pattern_that_would_take_for_ever_is_ended():
    began = time.monotonic()
    with pytest.raises(NotSearched, match=r"longer than 0\.5 s"):
        search("(a+)+$", [["a" * 60 + "b"]], most=9, limit_s=0.5)
    assert time.monotonic() - began < 20


def test_a_pattern_of_several_repetitions_finds_the_same_lines():
    texts = [["ab", "abab", "x"], ["aab"]]
    assert search("(ab)+|a*b", texts, most=9) == [(0, 0), (0, 1), (1, 0)]


def test_a_broken_pattern_is_said():
    with pytest.raises(NotSearched, match="no regular expression"):
        search("(", [], most=9)


def test_a_blind_sandbox_grants_nothing(sandboxes, use):
    box = Toolbox(sandboxes("blind"), tuple(SPECS))
    assert box.specs == ()
    assert box.call(use("list")) == 'denied: no tool "list" was granted; there are: none'
    assert [event.code for event in box.events] == ["denied-tool"]
