"""Claims against small corpora: what supports them, where, and what cannot be decided."""

from __future__ import annotations

import random
import time

import pytest

from pytest_judgeaudit.corpora.grounding import SearchedCorpus, ground, grounding_text, read_corpus
from pytest_judgeaudit.corpora.grounding import searched as bounds
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.grounding import AnswerClaim, GroundedClaim, Grounding

CORPUS = SearchedCorpus(
    lines={
        "src/rates.py": (
            "# Rates of a loan, in two lines of",
            "# comment.",
            "MAX_RATE = 0.125",
            "class RateTable:",
            "    def lookup(self, days):",
            "        return days * MAX_RATE",
            "",
        ),
        "src/old/rates.py": ("MIN_RATE = 3",),
        "job.jcl": ("//NIGHT EXEC PGM=LOADER,COND=(8,LT)",),
    },
    binary=("logo.png",),
)
PARTIAL = SearchedCorpus(lines=CORPUS.lines, unsearched=("dump.sql",))


def states(text, corpus=CORPUS):
    return {one.claim.text: (one.state, one.where) for one in ground(text, corpus).claims}


@pytest.mark.parametrize(
    ("text", "claim", "state", "where"),
    [
        ("See src/rates.py.", "src/rates.py", "SUPPORTED", "src/rates.py"),
        (r"See .\src\rates.py.", r".\src\rates.py", "SUPPORTED", "src/rates.py"),
        ("See /home/x/src/rates.py.", "/home/x/src/rates.py", "PARTIALLY_SUPPORTED", "src/old/rates.py"),
        ("See lib/rates.py.", "lib/rates.py", "PARTIALLY_SUPPORTED", "src/old/rates.py"),
        ("See src/rates.py:6.", "src/rates.py:6", "SUPPORTED", "src/rates.py:6"),
        ("See src/rates.py:7.", "src/rates.py:7", "PARTIALLY_SUPPORTED", "src/rates.py"),
        ("See src/rates.py:5-9.", "src/rates.py:5-9", "PARTIALLY_SUPPORTED", "src/rates.py"),
        ("See src/rates.py#L3-L4.", "src/rates.py#L3-L4", "SUPPORTED", "src/rates.py:3"),
        ("See logo.png.", "logo.png", "SUPPORTED", "logo.png"),
        ("See logo.png:3.", "logo.png:3", "UNABLE_TO_VERIFY", "logo.png"),
        ("See ~/notes.txt.", "~/notes.txt", "UNABLE_TO_VERIFY", ""),
        ("`MAX_RATE` is the limit.", "MAX_RATE", "SUPPORTED", "src/rates.py:3"),
        ("`MAX_RATE` of src/old/rates.py.", "MAX_RATE", "PARTIALLY_SUPPORTED", "src/rates.py:3"),
        ("`max_rate` is the limit.", "max_rate", "PARTIALLY_SUPPORTED", "src/rates.py:3"),
        ("The program `loader` runs.", "loader", "SUPPORTED", "job.jcl:1"),
        ("RateTable.lookup finds it.", "RateTable.lookup", "SUPPORTED", "src/rates.py:5"),
        ("RateTable.refresh finds it.", "RateTable.refresh", "UNSUPPORTED", ""),
        ("MIN_RATE.lookup finds it.", "MIN_RATE.lookup", "PARTIALLY_SUPPORTED", "src/rates.py:5"),
        ("MAX_RATE is 0.125.", "0.125", "SUPPORTED", "src/rates.py:3"),
        ("MAX_RATE is .125.", ".125", "SUPPORTED", "src/rates.py:3"),
        ("MAX_RATE is 12.5 %.", "12.5 %", "SUPPORTED", "src/rates.py:3"),
        ("MAX_RATE is 12.5 per cent.", "12.5 per cent", "SUPPORTED", "src/rates.py:3"),
        ("MAX_RATE is 12.5.", "12.5", "UNSUPPORTED", "src/rates.py:3"),
        ("BASE_RATE is 0.125.", "0.125", "UNSUPPORTED", ""),
        ("It says `days * MAX_RATE`.", "days * MAX_RATE", "SUPPORTED", "src/rates.py:6"),
        (
            'It says "a loan, in two lines of comment".',
            "a loan, in two lines of comment",
            "SUPPORTED",
            "src/rates.py:1",
        ),
        ("It says `Days * Max_Rate`.", "Days * Max_Rate", "PARTIALLY_SUPPORTED", "src/rates.py:6"),
        (
            "src/old/rates.py: `days * MAX_RATE`.",
            "days * MAX_RATE",
            "PARTIALLY_SUPPORTED",
            "src/rates.py:6",
        ),
        (
            "`class RateTable: ... days * MAX_RATE`",
            "class RateTable: ... days * MAX_RATE",
            "PARTIALLY_SUPPORTED",
            "src/rates.py:4",
        ),
        ("There is no MID_RATE here.", "MID_RATE", "SUPPORTED", ""),
        ("There is no MAX_RATE here.", "MAX_RATE", "UNABLE_TO_VERIFY", "src/rates.py:3"),
        ("There is no file src/cap.py here.", "src/cap.py", "SUPPORTED", ""),
    ],
)
def test_a_claim_is_verified_at_its_place(text, claim, state, where):
    assert states(text)[claim] == (state, where)


@pytest.mark.parametrize(
    ("line", "text", "state"),
    [
        ("LIMIT_A,100,5", "LIMIT_A is 100.", "SUPPORTED"),
        ("LIMIT_A,100,5", "LIMIT_A is 5.", "SUPPORTED"),
        ("LIMIT_A,100,5", "LIMIT_A is 1005.", "UNSUPPORTED"),
        ("LIMIT_A = 250,000", "LIMIT_A is 250000.", "SUPPORTED"),
        ("LIMIT_A,250,000", "LIMIT_A is 250000.", "UNSUPPORTED"),
        ("LIMIT_A = (10,200)", "LIMIT_A is 200.", "SUPPORTED"),
        ("LIMIT_A DECIMAL(10,2)", "LIMIT_A has 10 digits.", "SUPPORTED"),
        ("LIMIT_A DECIMAL(10,2)", "LIMIT_A has 102 digits.", "UNSUPPORTED"),
        ("long LIMIT_A = 500L;", "LIMIT_A is 500.", "SUPPORTED"),
        ("LIMIT_A = 30s", "LIMIT_A is 30 seconds.", "SUPPORTED"),
        ("LIMIT_A = 10MB", "LIMIT_A is 10 MB.", "SUPPORTED"),
        ("LIMIT_A = 16k", "LIMIT_A is 16.", "UNSUPPORTED"),
        ("LIMIT_A = 0x30", "LIMIT_A is 30.", "UNSUPPORTED"),
        ("LIMIT_A = '10:30:45'", "LIMIT_A is 10:30:45.", "SUPPORTED"),
        ("LIMIT_A = '10:30:45'", "LIMIT_A is 10:30.", "UNSUPPORTED"),
    ],
)
def test_a_number_of_a_line_is_read_as_it_is_meant(line, text, state):
    corpus = SearchedCorpus(lines={"a.c": (line,)})
    (found,) = (one.state for one in ground(text, corpus).claims if one.claim.sort == "number")
    assert found == state


MANY = tuple("       05 FILLER PIC X(10)." for _ in range(300))


@pytest.mark.parametrize(
    ("text", "sort", "state"),
    [
        ("WS-LIMIT is 10 long.", "number", "SUPPORTED"),
        ("WS-LIMIT is 11 long.", "number", "UNSUPPORTED"),
        ("WS-LAST is 10 long.", "number", "SUPPORTED"),
        ("`FILLER` is used.", "identifier", "SUPPORTED"),
        ("`FILLER` is 77 long.", "number", "UNABLE_TO_VERIFY"),
    ],
)
def test_what_stands_in_more_places_than_are_kept_is_not_refuted(text, sort, state):
    corpus = SearchedCorpus(lines={"a.cbl": (*MANY, "       05 WS-LIMIT PIC X(10).", "WS-LAST PIC X(10).")})
    found = {one.claim.sort: one.state for one in ground(text, corpus).claims}
    assert found[sort] == state


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("See lines 6 and 2 of src/rates.py.", "SUPPORTED"),
        ("See lines 60 and 2 of src/rates.py.", "PARTIALLY_SUPPORTED"),
    ],
)
def test_two_lines_may_be_cited_in_any_order(text, state):
    assert {one.state for one in ground(text, CORPUS).claims if one.claim.line} == {state}


@pytest.mark.parametrize(
    "text",
    ["MID_RATE is used.", "It says `days / MAX_RATE`.", "MAX_RATE is 99.", "There is no MID_RATE here."],
)
def test_where_files_were_not_searched_nothing_is_refuted(text):
    found = {
        one.state
        for one in ground(text, PARTIAL).claims
        if "days" in one.claim.text or one.claim.text in {"MID_RATE", "99"}
    }
    assert found == {"UNABLE_TO_VERIFY"}
    assert ground(text, PARTIAL).unsearched == ("dump.sql",)


def test_a_file_that_was_not_searched_is_there():
    assert states("See dump.sql.", PARTIAL) == {"dump.sql": ("SUPPORTED", "dump.sql")}


def test_the_snippet_is_the_line_clipped_and_printable():
    corpus = SearchedCorpus(lines={"a.py": ("\tLIMIT_ONE = 1  \x1b[2J" + "x" * 500,)})
    (one,) = ground("LIMIT_ONE holds.", corpus).claims
    assert one.snippet.startswith("LIMIT_ONE = 1  \\x1b[2J")
    assert len(one.snippet) < 180


# Reading


def test_a_corpus_is_read_as_agents_are_shown_it(tmp_path):
    (tmp_path / "key").mkdir()
    (tmp_path / "key" / "secret.py").write_text("HIDDEN_NAME = 1\n")
    (tmp_path / "a.py").write_bytes("caf\xe9 OPEN_NAME\r\n".encode("latin-1"))
    (tmp_path / "b.bin").write_bytes(b"OPEN_NAME\0")
    (tmp_path / "link.py").symlink_to(tmp_path / "key" / "secret.py")
    corpus = read_corpus(tmp_path, exclude=["key"])
    assert corpus.lines == {"a.py": ("caf\xe9 OPEN_NAME", "")}
    assert corpus.binary == ("b.bin",)
    assert states("HIDDEN_NAME and OPEN_NAME", corpus) == {
        "HIDDEN_NAME": ("UNSUPPORTED", ""),
        "OPEN_NAME": ("SUPPORTED", "a.py:1"),
    }


def test_a_huge_file_is_there_and_not_searched(tmp_path, monkeypatch):
    monkeypatch.setattr(bounds, "MOST_BYTES", 100)
    (tmp_path / "big.py").write_text("BIG_NAME = 1\n" * 10)
    (tmp_path / "small.py").write_text("SMALL_NAME = 1\n")
    corpus = read_corpus(tmp_path)
    assert corpus.unsearched == ("big.py",)
    assert states("BIG_NAME, SMALL_NAME in big.py:3", corpus) == {
        "BIG_NAME": ("UNABLE_TO_VERIFY", ""),
        "SMALL_NAME": ("PARTIALLY_SUPPORTED", "small.py:1"),
        "big.py:3": ("UNABLE_TO_VERIFY", "big.py"),
    }


def test_what_is_searched_of_all_files_together_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(bounds, "MOST_IN_ALL", 20)
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("x" * 15)
    assert read_corpus(tmp_path).unsearched == ("b.py",)


def test_a_corpus_that_is_no_folder_is_refused(tmp_path):
    with pytest.raises(Refused, match="expected a folder"):
        read_corpus(tmp_path / "none")


# The report


def test_the_report_counts_and_lists_each_claim_in_one_line():
    line = "MAX_RATE = 0.125"
    text = grounding_text(
        ground("MAX_RATE is 0.125, MID_RATE is in src/rates.py: `MAX_RATE = 0.125`.", CORPUS)
    )
    assert text.splitlines() == [
        "5 checkable claims: 4 SUPPORTED, 0 PARTIALLY_SUPPORTED, 1 UNSUPPORTED, 0 UNABLE_TO_VERIFY.",
        "1. SUPPORTED identifier <MAX_RATE> at src/rates.py:3 (the name is there): MAX_RATE = 0.125",
        "2. SUPPORTED number <0.125> at src/rates.py:3 (stands with MAX_RATE): MAX_RATE = 0.125",
        "3. UNSUPPORTED identifier <MID_RATE> (the name is nowhere in the corpus)",
        "4. SUPPORTED path <src/rates.py> at src/rates.py (the file is there)",
        f"5. SUPPORTED quote <{line}> at src/rates.py:3 (stands there as quoted): {line}",
    ]


@pytest.mark.parametrize(("count", "few"), [(0, True), (3, True), (4, False)])
def test_three_claims_or_fewer_say_nearly_nothing(count, few):
    grounding = ground(" ".join(f"NAME_{number}" for number in range(count)), CORPUS)
    assert grounding.few is few
    assert ("nearly nothing" in grounding_text(grounding)) is few


def test_a_long_report_is_cut_and_says_so():
    claim = AnswerClaim(sort="path", text="a\n\x1b]0;x\x07" + "y" * 500)
    many = (GroundedClaim(claim=claim, state="UNSUPPORTED", reason="no"),) * 61
    lines = grounding_text(Grounding(claims=many, cut=True, unsearched=("a",))).splitlines()
    assert len(lines) == 1 + 60 + 3
    assert lines[-3:] == [
        "1 more claims are not shown.",
        "The answer was longer than what was looked at.",
        "1 files were too large to be searched.",
    ]
    assert max(map(len, lines)) < 250
    assert all(line.isprintable() for line in lines)


# Hostile answers

DRAW = random.Random(1)  # noqa: S311 - noise
HOSTILE = {
    "letters": "a" * 200_000,
    "ticks": "`a" * 100_000,
    "quotation marks": '"' * 200_000,
    "brackets": "(" * 200_000,
    "denials": "there is no X_Y in " * 10_000,
    "names": " ".join(f"AB_{number}" for number in range(20_000)),
    "numbers": " ".join(map(str, range(20_000))),
    "thousands": "1,234" * 40_000,
    "fences": "```\n" * 50_000,
    "blocks": "```\nabc defg hij\n```\n" * 10_000,
    "one block": "```\n" + "MOVE WS-A TO WS-B\n" * 10_000,
    "quotes": " ".join(f'"PERFORM {number} UNTIL x"' for number in range(10_000)),
    "dashes": " - " * 66_000,
    "hyphens": "A-" * 100_000,
    "lines": "a.py lines 1 to 2 " * 10_000,
    "places": "a.py:1:2:3 " * 20_000,
    "noise": "".join(DRAW.choice("ab_-. `\"'/1,:()\n") for _ in range(200_000)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_answer_takes_little_time(name):
    begun = time.process_time()
    grounding = ground(HOSTILE[name], CORPUS)
    assert time.process_time() - begun < 15  # below 3 s on a quiet machine
    assert grounding.cut
    assert len(grounding.claims) <= 200
