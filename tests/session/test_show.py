"""``--judge-show TASK``: one task as stored, in both orders, with nothing asked and nothing run."""

from __future__ import annotations

import pytest

SIGNAL = """
import pytest

@pytest.mark.signal_pairs("corpora/rows.jsonl")
@pytest.mark.utility_gate(lower=0.75)
def test_better_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target
"""
MINE = 'def ask(messages):\n    return \'{{"winner": "{}"}}{}\'\n'


@pytest.fixture
def shown(project):
    """A project whose judge always names slot A."""
    project.evals(SIGNAL)
    project.pairs(3)
    project.judges(mine={"api": "python", "callable": "mine:ask"}, longest={})
    project.write("mine.py", MINE.format("A", "\\x1b[2J"))
    return project


def sections(out):
    """The lines of our section by the last heading of a judge."""
    found, name = {}, ""
    for line in out.splitlines():
        if line.endswith(", criterion neutral"):
            name = line.split(",")[0]
        found.setdefault(name, []).append(line)
    return found


def test_a_stored_task_is_shown_with_prompt_orders_answers_attempts_and_grades(shown):
    shown.audit("--judge-live", "-q")
    before = shown.files()
    ran = shown.run("--judge-audit", "--judge-show=c002", "-n2")
    assert (ran.code, shown.files()) == (0, before - {"report.json"})
    found = sections(ran.out)
    assert "task c002 in evals/test_e.py::test_better_wins" in found[""]
    assert "  | good 2 and more" in found[""]
    mine = found["mine"]
    assert [line for line in mine if line.startswith("order ")] == [
        "order AB: A is the first, B the second",
        "order BA: A is the second, B the first",
    ]
    assert mine.count('    | {"winner": "A"}\\x1b[2J') == 2
    assert "  attempt 1: answered, 0.0 s" in mine
    verdicts = [line for line in mine if "verdict:" in line]
    assert len(verdicts) == 2
    assert all(line.startswith("  verdict: invalid (") for line in verdicts)
    assert all(line.endswith("; the arm wants first") for line in verdicts)
    assert sum(line.endswith(" invalid adverse") for line in mine) == 2
    assert "\x1b" not in ran.out


def test_a_judge_that_answers_in_the_process_is_asked_again_there(shown):
    found = sections(shown.run("--judge-audit", "--judge-show=c001").out)["longest"]
    assert "answers in the process: nothing is asked or stored" in found
    assert [line for line in found if "verdict:" in line] == [
        "  verdict: first, slot A; as the arm wants",
        "  verdict: first, slot B; as the arm wants",
    ]


def test_without_stored_answers_nothing_is_asked(shown):
    shown.write("mine.py", "def ask(messages):\n    raise OSError('asked')\n")
    ran = shown.run("--judge-audit", "--judge-live", "--judge-show=c001")
    lines = [line for line in ran.out.splitlines() if "no verdict:" in line]
    assert (ran.code, len(lines)) == (0, 2)
    assert lines[0].startswith(
        "  no verdict: no stored answer for test_better_wins-mine-neutral-c001-signal-AB-1"
    )


def test_a_stale_answer_is_shown_and_said_to_be_one(shown):
    shown.audit("--judge-live", "-q")
    text = (shown.root / "corpora/rows.jsonl").read_text().replace("Ask 2", "Ask two")
    shown.write("corpora/rows.jsonl", text)
    out = shown.run("--judge-audit", "--judge-show=c002").out
    assert out.count("stale, an answer to another request: prompt moved") == 2


def test_an_unknown_task_is_refused_with_the_nearest(shown):
    ran = shown.run("--judge-audit", "--judge-show=c0002")
    assert ran.code == pytest.ExitCode.USAGE_ERROR
    (line,) = ran.errors
    assert line == (
        '--judge-show c0002: no collected eval holds this task. Did you mean "c002"? Give its id as the '
        "report names it."
    )


def test_alone_it_does_nothing_and_says_what_to_add(shown):
    ran = shown.run("--judge-show=c001")
    assert ran.errors == ["--judge-show does nothing by itself. Add --judge-audit."]
