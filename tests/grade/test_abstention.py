"""Abstentions: what states an absence, and what only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.grade import absence, abstain, abstained, match_of
from pytest_judgeaudit.records.questions import Fact

TEXTS = [
    ("I couldn't find any tide module.", True),
    ("No, this isn't in the repo.", True),
    ("The repository contains no tide prediction.", True),
    ("I found no evidence of it.", True),
    ("There isn't any such feature.", True),
    ("This feature is absent from the code base.", True),
    ("Nothing in the repository implements tides.", True),
    ("It has been removed.", True),
    ("That does not appear to exist here.", True),
    ("I am not aware of such a module.", True),
    ("It is in src/a.py.", False),
    ("There is no doubt it is in src/a.py", False),
    ("No other module does this: src/a.py does", False),
    ("The function returns nothing.", False),
    ("It does not retry.", False),
    ("Without question, src/a.py", False),
    ("No lock is taken when the module starts", False),
    ("It was never implemented.", True),
    ("Tides aren't implemented", True),
    ("Zero matches.", True),
    ("A search gave no results.", True),
    ("no tide-related code", True),
    ("There are no callers of X.", True),
    ("This is not something the code does: no predictor exists", True),
    ("The codebase lacks a tide predictor", True),
    ("There is none.", True),
    ("None.", False),
    ("It is not documented where, but src/a.py does it", True),
    ("The tide predictor is not supported.", True),
    ("You won't find a tide predictor here.", True),
    ("`TidePredictor` isn't defined anywhere.", True),
    ("No `TidePredictor` in this repo.", True),
    ("No TIDE_MAX is defined", True),
    ("doesn't have a tide module", True),
    ("I don't see any tide module", True),
    ("tide_predict.py does not exist", True),
    ("I searched for it and got nothing.", True),
    ("The premise is false: tides are not predicted in this code base.", True),
    ("no retry queue anywhere", True),
    ("There is not a retry queue", True),
    ("The answer is not in this corpus", True),
    ("cannot be found", True),
    ("It can't be found in the tree", True),
    ("was not found", True),
    ("There does not exist a module", True),
    ("There seems to be no such module", True),
    ("Is there no such module? It is src/a.py.", False),
    ("There is no need to search, it is src/a.py", False),
    ("It has no effect; src/a.py computes tides", False),
    ("The module doesn't include retries; it is src/a.py", True),
    ("Tide prediction is nowhere to be found.", True),
    ("The code base knows nothing of tides.", True),
    ("I came up empty.", True),
    ("This project doesn't do tide prediction.", True),
    ("That isn't something this project does.", True),
    ("Tide prediction is out of scope for this repository.", True),
    ("I see no trace of tides.", True),
    ("It has yet to be written.", True),
    ("This has not been written.", True),
    ("Tides are not handled in this code base.", True),
    ("Tides are not covered.", True),
    ("I have found no tide code.", True),
    ("Such a module is not part of the tree.", True),
    ("My search came back empty.", True),
    ("Searching for tide yields nothing.", True),
    ("It's not here.", True),
    ("Tide prediction is not a feature of this project.", True),
    ("The term does not occur anywhere.", True),
    ("No hits for tide.", True),
    ("I can't locate it.", True),
    ("There's nothing about tides.", True),
    ("Not present.", True),
    ("Not found.", True),
    ("Nope, no tide module.", True),
    ("It doesn't seem to exist.", True),
    ("not implemented", True),
    ("The answer is that no such thing exists", True),
    ("I don't have enough information.", True),
    ("The repo does not have one.", True),
    ("This cannot be answered from the repository.", True),
    ("The question assumes a tide predictor, which does not exist.", True),
    ("There is no reason to look further: it is in gale/tide.py", False),
    ("No problem: the tide code is gale/marine/tide.py", False),
    ("It is no secret that gale/marine/predict.py does it", False),
    ("There is no way around gale/marine/predict.py", False),
    ("It does not exist in isolation; gale/marine/predict.py calls it", True),
    ("No need to search: gale/marine/predict.py", False),
    ("There is no mistaking it: gale/marine/predict.py", False),
    ("Without doubt gale/marine/predict.py", False),
    ("The predictor has no dependencies and lives in gale/p.py", False),
    ("It takes no arguments.", False),
    ("No sooner is the buffer full than it is written by gale/p.py", False),
    ("It is not only in gale/p.py", False),
    ("No fewer than three modules do it", False),
    ("The tide module never fails.", False),
    ("No matter what, gale/p.py predicts.", False),
    ("The function does not return until the table is loaded", False),
]
INVENTS = Fact(id="x", match=match_of({"type": "near", "value": ["tide", r"[\w/]+\.py"], "within": 120}))


@pytest.mark.parametrize(("text", "abstains"), TEXTS)
def test_an_abstention_says_that_it_is_not_there_or_not_known(text, abstains):
    assert abstained(text) == abstains


@pytest.mark.parametrize("between", range(10))
def test_six_words_may_stand_between_negator_and_noun(between):
    words = ["blue", "wide", "old", "tall", "new", "red", "thin", "wet", "dry"][:between]
    assert abstained(" ".join(["No", *words, "module", "ships", "it."])) == (between <= 6)


@pytest.mark.parametrize(
    ("text", "score", "hallucinated", "abstains"),
    [
        ("There is no tide module.", 1.0, False, True),
        ("There is no service. The tide is computed in a/b.py.", 0.0, True, True),
        ("It computes tides.", 0.0, True, False),
        ("", 0.0, False, False),
        (" \n", 0.0, False, False),
    ],
)
def test_an_abstention_scores_unless_something_is_invented(text, score, hallucinated, abstains):
    grade = abstain(text, forbidden=[INVENTS])
    assert (grade.score, grade.hallucinated, grade.abstained) == (score, hallucinated, abstains)


def test_markers_of_a_question_replace_the_patterns():
    assert abstain("Not-In-Corpus", markers=["NOT in corpus"]).score == 1.0
    assert abstain("There is no such module.", markers=["not-in-corpus"]).score == 0.0


@settings(deadline=None)
@given(st.sampled_from(["**", "*", "`", ""]), st.sampled_from(["no", "not"]), st.sampled_from([" ", "\n"]))
def test_decoration_and_wrapping_do_not_hide_an_abstention(mark, word, blank):
    text = {
        "no": f"There is {mark}no{mark}{blank}module for it.",
        "not": f"It does {mark}not{mark}{blank}exist.",
    }[word]
    assert absence(text) == "stated"
