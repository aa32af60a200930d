"""Which names are a tree's own: by language, with what belongs to languages and libraries left alone."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.corpora.renaming import Renaming, plan_renaming, rename_tree
from pytest_judgeaudit.records.errors import Refused

COBOL = {
    "CALC.cbl": "PERFORM COMPUTE-DAILY-RATE.\n COMPUTE-DAILY-RATE.\n",
    "sub/STORE.cbl": "OPEN VSAM-MASTER.\n PERFORM WRITE-LOAN.\n",
}


@pytest.fixture
def plan(tmp_path):
    """Write files and plan their renaming."""

    def planned(files, protected=(), **rest):
        for name, text in files.items():
            path = tmp_path / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return plan_renaming(tmp_path / "tree", seed=1, protected=protected, **rest)

    return planned


def names(renaming):
    return set(renaming.words)


def test_cobol_keeps_protected_parts_and_keywords_and_loses_its_own_names(plan, tmp_path):
    renaming = plan(COBOL, ["PERFORM", "VSAM"])
    assert names(renaming) == {"calc", "store", "compute-daily-rate", "write-loan", "vsam-master"}
    report = rename_tree(tmp_path / "tree", tmp_path / "copy", renaming)
    assert report.holds
    assert (report.files, report.lines, report.changed_paths) == ((2, 2), (4, 4), 2)
    texts = "".join(path.read_text() for path in (tmp_path / "copy").rglob("*.cbl"))
    assert "PERFORM" in texts
    assert "OPEN VSAM-" in texts
    assert "COMPUTE-DAILY-RATE" not in texts
    assert "WRITE-LOAN" not in texts


FIXED = """\
000100 IDENTIFICATION DIVISION.                                         LEFTOVER
000200 PROGRAM-ID. STKPOST.
000300* OBSOLETE-NOTE stands in a comment
000400 01  WS-TOTAL PIC S9(7)V99 COMP-3 VALUE ZERO.
000500 2000-POST-MOVE.
000600     PERFORM 3000-READ
000600     MOVE SM-QTY OF STOCK-REC TO WS-TOTAL
000700     COMPUTE WS-TOTAL = FUNCTION INTEGER-OF-DATE(SM-DAY)
000800     CALL 'STKRPT' USING WS-TOTAL
000900     EXEC SQL SELECT ADD_NO INTO :WS-COUNT FROM LOAN_TAB END-EXEC
"""
PYTHON = """\
from __future__ import annotations
import os.path, depot.shelf as shelving
import numpy.linalg as solver
from dataclasses import dataclass as frozen_record
from requests import (
    Session,
    adapters,
)
from .neighbour import Helper
from depot.shelf import Board, put_away

@frozen_record(frozen=True)
class LoanBook(Exception):
    interest_rate: float
    def __init__(self, opening):
        self.closing_sum = opening
        self.ledger.flush_out()
        print(len(opening), os.path.join("a", "b"), Session, solver.eigenthing(1))
"""
JAVA = """\
package com.acme.depot;
import java.util.List;
import org.vendor.Gadget;
import com.acme.depot.shelf.ShelfBoard;
public class LoanBook extends Gadget {
    private int closingSum;
    @Override
    public String payOff(List<String> names) { System.out.println(names.size()); return this.closingSum; }
}
"""
GO = """\
package depot

import (
\t"fmt"
\t"github.com/vendor/gadget"
)

type LoanBook struct{ ClosingSum int }

func (book *LoanBook) PayOff(names []string) error {
\tfmt.Println(len(names), gadget.Spin(book.ClosingSum))
\treturn nil
}
"""
SCRIPT = """\
import { Gadget as Thing } from 'vendor-kit';
import { shelfBoard } from './shelf_board';
const tool = require('toolbox');
export class LoanBook extends Thing {
  payOff(names) {
    console.log(names.length, JSON.stringify(this), tool.turnRound());
    this.closingSum = shelfBoard;
  }
}
"""
TYPED = """\
export interface LoanBook { closingSum: number; readonly tags: Array<string> }
type Payment = LoanBook;
"""
JOB = """\
//STKNIGHT JOB (ACCT),'NIGHTLY',CLASS=A,MSGCLASS=X
//* COMMENTED out
//POSTING  EXEC PGM=STKPOST,COND=(4,LT)
//STEPLIB  DD DSN=DEPOT.LOADLIB,DISP=SHR
//REPRO    EXEC PGM=IDCAMS
//SYSIN    DD *
  DATALINE FIELDS=(1,8,CH,A)
/*
"""
TABLES = """\
CREATE TABLE stock_item (item_no CHAR(8), amount INTEGER NOT NULL);
SELECT SUM(amount) FROM stock_item;
"""


@pytest.mark.parametrize(
    ("file", "source", "own"),
    [
        (
            "STKPOST.cbl",
            FIXED,
            {
                "stkpost",
                "ws-total",
                "2000-post-move",
                "3000-read",
                "sm-qty",
                "stock-rec",
                "sm-day",
                "add_no",
                "ws-count",
                "loan_tab",
            },
        ),
        (
            "depot/shelf.py",
            PYTHON,
            {
                *(
                    "depot",
                    "shelving",
                    "solver",
                    "frozen_record",
                    "neighbour",
                    "board",
                    "put_away",
                ),
                *("loanbook", "interest_rate", "closing_sum", "opening", "helper"),
            },
        ),
        (
            "depot/LoanBook.java",
            JAVA,
            {"acme", "depot", "loanbook", "shelf", "shelfboard", "closingsum", "payoff", "names"},
        ),
        (
            "depot/loan_book.go",
            GO,
            {"depot", "loan_book", "loanbook", "closingsum", "book", "payoff", "names"},
        ),
        (
            "loan_book.mjs",
            SCRIPT,
            {"loan_book", "thing", "shelfboard", "tool", "loanbook", "payoff", "names", "closingsum"},
        ),
        ("types.ts", TYPED, {"types", "loanbook", "closingsum", "tags", "payment"}),
        ("STKNIGHT.jcl", JOB, {"stknight", "posting", "stkpost", "depot", "loadlib", "repro"}),
        ("tables.sql", TABLES, {"tables", "stock_item", "item_no", "amount"}),
    ],
)
def test_each_language_tells_its_own_names_from_those_of_others(plan, file, source, own):
    assert names(plan({file: source})) == own


@pytest.mark.parametrize("file", ["README.md", "loan_rate.csv", "loan.txt"])
def test_other_files_name_nothing_by_themselves(plan, file):
    assert names(plan({file: "LOAN_RATE = 1\n"})) == set()


def test_listed_names_are_taken_whatever_they_are_unless_protected(plan):
    renaming = plan(
        {"a.txt": "print\n"}, ["sheltered"], identifiers=["print", "SHELTERED", "Two-Part", "no"]
    )
    assert names(renaming) == {"print", "two-part"}


def test_a_word_of_one_language_is_left_alone_in_all(plan):
    assert "amount" not in names(plan({"a.py": "amount = 1\n", "b.cbl": "MOVE 1 TO X.\n"}, ["Amount"]))
    # STORAGE is a part of COBOL's WORKING-STORAGE.
    files = {"a.py": "storage = section_no = 1\n", "b.cbl": "WORKING-STORAGE SECTION.\n"}
    assert names(plan(files)) == {"section_no"}


def test_tokens_are_no_words_of_the_tree_of_its_languages_or_of_each_other(plan):
    source = "".join(f"name_{letter}{other} = 1\n" for letter in "bcdfgh" for other in "bcdfgh")
    renaming = plan({"a.py": source, "b.cbl": "MOVE A TO B.\n"})
    tokens = set(renaming.words.values())
    assert len(tokens) == len(renaming.words)
    assert tokens.isdisjoint(source.split())


def test_a_tree_without_room_for_novel_names_is_refused(plan):
    letters = "abcdefghijklmnopqrstuvwxyz"
    every = " ".join(a + b + c for a in letters for b in letters for c in letters)
    with pytest.raises(Refused, match=r"no token of 3 characters is left for 'qty'"):
        plan({"a.txt": every}, identifiers=["QTY"])


def test_a_tree_that_is_none_is_refused(tmp_path):
    with pytest.raises(Refused, match="is no folder"):
        plan_renaming(tmp_path / "none", seed=1, protected=[])


# Writing

FILES = {
    "latin.txt": "caf\xe9 loan_rate\r\n".encode("latin-1"),
    "marked.txt": b"\xef\xbb\xbfloan_rate\rloan_rate\n\n",
    "wide.txt": "loan_rate\r\n\u20ac".encode("utf-16"),
    "broad.txt": "loan_rate".encode("utf-32"),
    "odd.bin": b"loan_rate\0loan_rate",
    "loan_rate/loan_rate.dat": b"\xff\xfe\x00",
    "empty": b"",
}
RENAMING = Renaming(seed=1, words={"loan_rate": "qzxv_btrk"})


@pytest.fixture
def copied(tmp_path):
    for name, data in FILES.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    report = rename_tree(tmp_path / "tree", tmp_path / "copy", RENAMING)
    return tmp_path / "copy", report


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("latin.txt", "caf\xe9 qzxv_btrk\r\n".encode("latin-1")),
        ("marked.txt", b"\xef\xbb\xbfqzxv_btrk\rqzxv_btrk\n\n"),
        ("wide.txt", "qzxv_btrk\r\n\u20ac".encode("utf-16")),
        ("broad.txt", "qzxv_btrk".encode("utf-32")),
        ("odd.bin", FILES["odd.bin"]),
        ("qzxv_btrk/qzxv_btrk.dat", FILES["loan_rate/loan_rate.dat"]),
        ("empty", b""),
    ],
)
def test_encodings_line_ends_and_binary_files_are_kept_byte_for_byte(copied, name, data):
    assert (copied[0] / name).read_bytes() == data


def test_the_report_counts_what_was_kept(copied):
    report = copied[1]
    assert report.holds
    assert (report.files, report.binary, report.changed_paths) == ((7, 7), (2, 2), 1)
    assert str(report).startswith(
        "rename 1: 7 files (2 binary), 4 lines, 1 identifiers, 1 paths changed; all kept"
    )


def test_links_histories_and_caches_are_not_copied(tmp_path):
    tree = tmp_path / "tree"
    (tree / ".git").mkdir(parents=True)
    (tree / ".git" / "config").write_text("x")
    (tree / "a.txt").write_text("x")
    (tree / "link").symlink_to(tree / "a.txt")
    report = rename_tree(tree, tmp_path / "copy", RENAMING)
    assert [path.name for path in (tmp_path / "copy").rglob("*")] == ["a.txt"]
    assert report.files == (1, 1)


def test_modes_are_kept(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "run").write_text("x")
    (tmp_path / "tree" / "run").chmod(0o750)
    rename_tree(tmp_path / "tree", tmp_path / "copy", RENAMING)
    assert (tmp_path / "copy" / "run").stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize("into", ["tree/copy", "full"])
def test_a_target_in_the_tree_or_with_something_in_it_is_refused(tmp_path, into):
    (tmp_path / "tree").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").write_text("x")
    with pytest.raises(Refused, match="is no empty folder outside of the corpus"):
        rename_tree(tmp_path / "tree", tmp_path / into, RENAMING)
