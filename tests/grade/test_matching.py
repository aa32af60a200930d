"""Matchers: strict specifications, symbols, and what is asserted of forbidden facts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.grade import asserted, hit, match_of
from pytest_judgeaudit.records.errors import PluginFault, Refused
from pytest_judgeaudit.records.questions import Fact, FactMatcher, Question

BAD = [
    ("all-of", [], {}),
    ("any-of", [], {}),
    ("any-of", [""], {}),
    ("any-of", "x", {}),
    ("near", ["a"], {}),
    ("near", ["a", "b"], {"within": -1}),
    ("near", ["a", "(b"], {}),
    ("near", ["a", "b"], {"within": "9"}),
    ("literal", "", {}),
    ("literal", "**", {}),
    ("regex", "", {}),
    ("path", "", {}),
    ("symbol", "``", {}),
    ("regex", "a", {"flags": "q"}),
    ("regex", "a", {"flags": 3}),
    ("literal", 3, {}),
    ("any-of", [1], {}),
    ("literal", "  ", {}),
    ("regex", "[a", {}),
    ("near", ["a", "b", "c"], {}),
    ("literal", "-", {}),
    ("regex", "*a", {}),
    ("regex", ["a"], {}),
    ("literal", "x", {"asserted": "yes"}),
]


@pytest.mark.parametrize(("kind", "value", "rest"), BAD)
def test_a_specification_that_says_nothing_is_refused(kind, value, rest):
    with pytest.raises(Refused):
        match_of({"type": kind, "value": value, **rest})


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"type": "litteral", "value": "x"}, 'Did you mean "literal"'),
        ({"type": None, "value": "x"}, "unknown matcher nothing"),
        ({"value": "x"}, "unknown matcher"),
        ({"type": "near", "value": ["a", "b"], "window": 5}, "unknown key 'window'"),
        ({"type": "literal", "value": "x", "within": 5}, "belongs to near"),
        ({"type": "near", "value": ["a", "b"], "within": True}, "whole number"),
    ],
)
def test_a_refusal_says_what_was_expected(spec, words):
    with pytest.raises(Refused, match=words):
        match_of(spec)


SYMBOLS = [
    ("--opt", "use --opt now", True),
    ("--opt", "use --opt-in now", False),
    ("f()", "call f() now", True),
    ("C++", "in C++ code", True),
    ("@cache", "uses @cache here", True),
    ("foo", "foo_bar", False),
    ("foo", "self.foo(1)", True),
    ("$x", "a $x b", True),
    ("--opt", "--opt=3", True),
    ("x::y", "std::x::y", True),
]


@pytest.mark.parametrize(("symbol", "text", "found"), SYMBOLS)
def test_a_symbol_is_a_whole_identifier(symbol, text, found):
    assert hit(text, match_of({"type": "symbol", "value": symbol})) == found


CLAIMS = [
    ("The mainframe stores it.", True),
    ("The mainframe is the only store.", True),
    ("It is stored on the mainframe, not in the module.", True),
    ("It's not stored in the module, it's on the mainframe.", True),
    ("The queue was replaced by the mainframe.", True),
    ("The mainframe was replaced by this module.", False),
    ("It no longer uses the mainframe", False),
    ("The mainframe isn't used", False),
    ("The mainframe is not used", False),
    ("The legacy mainframe is mentioned in comments", False),
    ("Only a comment mentions the mainframe", False),
    ("It never touches the mainframe", False),
    ("It runs without the mainframe", False),
    ("Is the mainframe used? No.", False),
    ("No mainframe is involved", False),
    ("Mainframe: no", False),
    ("There is no doubt that the mainframe stores it.", True),
    ("Not only the module but also the mainframe stores it", True),
    ("It runs on the mainframe rather than here", True),
    ("It runs here instead of on the mainframe", False),
    ("It doesnt use the mainframe", False),
    ("| mainframe | no |", False),
    ("Although it is not documented, the mainframe stores it", True),
    ("While the docs mention the mainframe, nothing uses it", False),
    ("The mainframe can't be reached", False),
    ("This will retire the mainframe", False),
    ("mainframe support was dropped", False),
    ("It does not\nuse the mainframe", False),
    ("The module stores it (not the mainframe).", False),
    ("The module, not the mainframe, stores it", False),
    ("Neither the queue nor the mainframe stores it", False),
    ("It is false that the mainframe stores it", False),
    ("Does it use the mainframe?", False),
    ("**No** mainframe", False),
    ("Unlike the mainframe, the module stores it", False),
    ("The mainframe handles not_found.py cases", True),
    ("legacy/mainframe.py stores the date", True),
    ("However, the mainframe stores it.", True),
    ("It doesn't call the queue but rather the mainframe", True),
    ("The mainframe, however, stores it.", True),
    ("It isn\u2019t the mainframe", False),
    ("It ain't the mainframe", False),
    ("This avoids the mainframe", False),
    ("The store isn't local: the mainframe keeps it", False),
    ("It does not use a queue, instead the mainframe stores it.", True),
    ("It does not use a queue; instead, the mainframe stores it.", True),
    ("It isn't the queue that stores it but the mainframe.", True),
    ("It has never been the mainframe.", False),
    ("Renewals used to run on the mainframe.", False),
    ("The mainframe was retired in May.", False),
    ("The mainframe hits are only in the docs.", False),
    ("This has nothing to do with the mainframe.", False),
    ("None of this touches the mainframe.", False),
    ("It shouldn't call the mainframe.", False),
    ("It needn't reach the mainframe", False),
    ("We do not, however, call the mainframe.", False),
    ("The mainframe, though mentioned in docs, is unused.", False),
    ("No: the mainframe is not used.", False),
    ("The queue isn't used, yet the mainframe is.", True),
    ("On no account does it call the mainframe", False),
    ("There is no mainframe.", False),
    ("The mainframe job was superseded by this module.", False),
    ("This replaces the mainframe.", False),
    ("Not the queue; the mainframe keeps it.", True),
    ("It is kept here and not on the mainframe.", False),
    ("It is kept on the mainframe and not here.", True),
    ("It's kept in the module as opposed to the mainframe.", False),
    ("Earlier versions used the mainframe.", False),
    ("If the mainframe were used, it would be slow.", False),
    ("Example: a mainframe could store it.", False),
    ("mainframe = None", False),
    ("The mainframe stores it, and nothing else does.", True),
    ("Nothing but the mainframe stores it.", True),
    ("It is stored by the mainframe, isn't it?", False),
    ("It uses the main\xadframe.", True),
    ("- the mainframe stores it", True),
    ("1. The mainframe stores it.", True),
    ("> The mainframe stores it.", True),
    ("Yes, the mainframe stores it.", True),
    ("No, the mainframe stores it.", True),
    ("I was not able to find any use of the mainframe", False),
    ("The docs don't say so but it calls the mainframe", True),
    ("Far from calling the mainframe, it is local.", False),
    ("It stopped using the mainframe", False),
    ("It works independently of the mainframe", False),
    ("mainframe: unused", False),
    ("It no more uses the mainframe than we do", False),
]


@pytest.mark.parametrize(("text", "claimed"), CLAIMS)
def test_a_forbidden_fact_counts_on_asserting_clauses_only(text, claimed):
    found = asserted(text, match_of({"type": "regex", "value": "mainframe"}))
    assert (found is not None) == claimed


def test_the_clause_that_asserts_is_named():
    text = "It has no queue, but the mainframe keeps it. Fine."
    assert (
        asserted(text, match_of({"type": "literal", "value": "mainframe"})) == "but the mainframe keeps it."
    )


def test_a_forbidden_fact_may_itself_be_negative():
    match = match_of({"type": "regex", "value": "never retries"})
    assert asserted("The loader never retries.", match)
    assert not asserted("It is false that the loader never retries.", match)


def test_asserted_makes_a_literal_count_outside_of_denials():
    match = match_of({"type": "any-of", "value": ["catalogue feed"], "asserted": True})
    assert hit("It breaks the catalogue feed. I have not checked the kiosk.", match)
    assert not hit("The catalogue feed is not affected.", match)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_no_answer_breaks_a_matcher(text):
    for spec in (
        {"type": "path", "value": "a.py"},
        {"type": "any-of", "value": ["a", "b c"], "asserted": True},
        {"type": "near", "value": ["a", "b"]},
        {"type": "symbol", "value": "a"},
    ):
        match = match_of(spec)
        assert hit(text, match) in {True, False}
        asserted(text, match)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["the mainframe keeps it", "it is fast", "no queue is used"]), max_size=4))
def test_a_claim_is_asserted_if_one_of_its_sentences_asserts_it(parts):
    text = ". ".join(parts)
    found = asserted(text, match_of({"type": "literal", "value": "mainframe"}))
    assert (found is not None) == ("the mainframe keeps it" in parts)


def _says(values):
    if values[0] == "nothing":
        raise Refused("cannot look for nothing")

    def find(text):
        at = text.find(values[-1])
        return None if at < 0 else (at, at + len(values[-1]))

    return find


SAYS = {"says": FactMatcher(compile=_says, version="1")}


@pytest.mark.parametrize("value", ["so", ["not", "so"]])
def test_a_matcher_of_a_plug_in_takes_a_text_or_a_list_of_texts(value):
    match = match_of({"type": "says", "value": value}, contributed=SAYS)
    assert (hit("It is **so**.", match), hit("It is.", match)) == (True, False)


def test_a_matcher_of_a_plug_in_asserts_and_denies_as_ours_do():
    match = match_of({"type": "says", "value": "mast", "asserted": True}, contributed=SAYS)
    assert hit("There is a mast.", match)
    assert not hit("There is no mast.", match)
    assert asserted("There is a mast.", match) == "There is a mast."


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"type": "sais", "value": "x"}, r'near, any-of, all-of, says\. Did you mean "says"\?'),
        ({"type": "says", "value": "nothing"}, "cannot look for nothing"),
        ({"type": "says", "value": []}, "is an empty list"),
        ({"type": "says", "value": 3}, "must be a text"),
        ({"type": "says", "value": "x", "flags": "i"}, "flags must be a text and belong to regex"),
    ],
)
def test_a_match_that_a_plug_in_cannot_use_is_refused(spec, told):
    with pytest.raises(Refused, match=told):
        match_of(spec, contributed=SAYS)


def test_a_matcher_that_stayed_in_another_process_is_a_fault():
    match = replace(match_of({"type": "says", "value": "so"}, contributed=SAYS), contributed=None)
    with pytest.raises(PluginFault, match="'says' of a plug-in is not at hand here"):
        hit("so", match)


def test_another_version_of_a_matcher_is_another_key_and_matches_in_its_own_way():
    other = {"says": FactMatcher(compile=lambda _: lambda _: None, version="2")}
    first, second = (match_of({"type": "says", "value": "so"}, contributed=one) for one in (SAYS, other))
    keys = [
        Question(id="q", prompt="?", facts=(Fact(id="f", match=match),)).key_digest()
        for match in (first, second)
    ]
    assert keys[0] != keys[1]
    assert (hit("so", first), hit("so", second)) == (True, False)
