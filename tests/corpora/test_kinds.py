import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.corpora.columns import Content
from pytest_judgeaudit.corpora.kinds import (
    KINDS,
    checked_strata,
    of_strata,
    one_per_prompt,
    repeated_prompts,
    stratum_of,
    with_third,
)
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import Pair

TEXTS = {"first": "one", "second": "two"}


def made(kind: str, **changes) -> Pair:
    return KINDS[kind](Content(**{"id": "a", "prompt": "p", **TEXTS, **changes}), "f:1")


def refusal(kind: str, **changes) -> str:
    with pytest.raises(Refused) as caught:
        made(kind, **changes)
    return str(caught.value)


def clone(name: str, *, prompt: str = "p", text: str = "x", wording: str = "text") -> Pair:
    return made("clone", id=name, prompt=prompt, first=text, wording=wording)


# Kinds


@pytest.mark.parametrize(
    ("target", "text"), [("first", "one"), ("second", "two"), ("tie", "one"), (None, "one")]
)
def test_a_clone_copies_the_better_answer_or_else_the_first(target, text):
    pair = made("clone", target=target)
    assert (pair.first, pair.second, pair.target, pair.kind) == (text, text, "tie", "clone")
    assert pair.first is pair.second


@given(st.text())
def test_the_stratum_of_a_text_follows_from_what_strip_leaves(text):
    expected = "core" if text.strip() else "whitespace" if text else "empty"
    assert stratum_of(text) == expected
    assert made("clone", first=text).stratum == expected


@pytest.mark.parametrize("target", ["first", "second"])
def test_a_signal_pair_keeps_its_texts_and_target(target):
    pair = made("signal", target=target, subset="Math", family="f", metadata={"note": 1})
    assert (pair.first, pair.second, pair.target, pair.kind) == ("one", "two", target, "signal")
    assert (pair.subset, pair.family, pair.source, pair.metadata) == ("Math", "f", "f:1", {"note": 1})
    assert (pair.order, pair.stratum) == ("AB", "core")


def test_a_signal_pair_of_equal_texts_is_a_mislabelled_clone():
    assert "mislabelled clone" in refusal("signal", target="first", second="one")


@pytest.mark.parametrize(
    "change", [{"target": "tie"}, {"target": None}, {"target": "tie", "equivalent": "certified"}]
)
def test_a_pair_without_a_better_answer_is_no_signal_pair(change):
    assert "not a signal pair" in refusal("signal", **change)


def test_a_certified_pair_is_a_tie_of_different_texts():
    pair = made("equivalent", equivalent="certified")
    assert (pair.first, pair.second, pair.target, pair.kind) == ("one", "two", "tie", "equivalent")


@pytest.mark.parametrize("change", [{}, {"target": "tie"}, {"target": "first"}])
def test_a_pair_without_a_certificate_is_not_equivalent(change):
    assert "equivalent: expected true" in refusal("equivalent", **change)


def test_a_pair_that_nobody_validated_is_shown_in_a_stratum_of_its_own():
    assert made("equivalent", equivalent="certified").stratum == "core"
    assert made("equivalent", equivalent="unvalidated").stratum == "unvalidated"
    assert 'write equivalent = "unvalidated"' in refusal("equivalent")
    assert "equivalent_pairs" in refusal("signal", equivalent="unvalidated", target="first")


def test_a_third_candidate_comes_from_the_rows_own_field():
    pair = made("signal", target="first", metadata={"third": "another"})
    assert with_third(pair, "third").third == "another"
    for name, said in (("thrid", "found nothing. Did you mean"), ("blank", "found"), ("copy", "is a copy")):
        row = made("signal", target="first", metadata={"third": "x", "blank": " ", "copy": "two"})
        with pytest.raises(Refused, match=said):
            with_third(row, name)


def test_an_exact_copy_is_not_an_equivalent():
    assert "belongs to clone_pairs" in refusal("equivalent", equivalent="certified", second="one")


# Strata


def test_strata_come_in_their_own_order():
    assert checked_strata(("whitespace", "core")) == ("core", "whitespace")


@pytest.mark.parametrize("strata", ["core", (), [], ("cor",), (3,), None, 3])
def test_strata_that_are_none_are_refused_with_the_known_ones(strata):
    with pytest.raises(Refused, match=r"^strata: expected some of core, empty, whitespace"):
        checked_strata(strata)


def test_copies_of_other_strata_are_left_out_and_counted():
    pairs = [clone("a"), clone("b", text=""), clone("c", text=" "), clone("d", text="\n")]
    kept, (finding,) = of_strata(pairs, ("core",), shown="f")
    assert [pair.id for pair in kept] == ["a"]
    assert finding.symptom == "3 of 4 copies are left out: 1 empty, 2 whitespace"


def test_nothing_is_said_when_no_copy_is_left_out():
    pairs = [clone("a"), clone("b", text="")]
    assert of_strata(pairs, ("core", "empty"), shown="f") == (pairs, [])


def test_a_source_without_any_wanted_stratum_is_refused():
    with pytest.raises(Refused, match="f: has no row of stratum core, only 2 empty"):
        of_strata([clone("a", text=""), clone("b", text="")], ("core",), shown="f")


# Copies asked once


def test_the_same_rendered_prompt_is_one_task():
    kept, (finding,) = one_per_prompt([clone("a"), clone("b", text="y"), clone("c")], shown="f")
    assert [pair.id for pair in kept] == ["a", "b"]
    assert '"c"' in finding.symptom
    assert '"a"' in finding.symptom


@pytest.mark.parametrize("other", [{"prompt": "q"}, {"text": "y"}, {"wording": "code"}])
def test_copies_that_render_differently_are_two_tasks(other):
    pairs = [clone("a"), clone("b", **other)]
    assert one_per_prompt(pairs, shown="f") == (pairs, [])


def test_many_merged_copies_are_counted():
    kept, findings = one_per_prompt([clone(str(i)) for i in range(25)], shown="f")
    assert [pair.id for pair in kept] == ["0"]
    assert len(findings) == 11
    assert findings[-1].symptom.startswith("14 more tasks")


def test_merging_a_text_with_a_hostile_id_is_said_in_printable_words():
    _, (finding,) = one_per_prompt([clone("a"), clone("\x1b[2J\ud800")], shown="f")
    assert finding.symptom.isprintable()


# Repeated prompts


def test_tasks_that_share_a_prompt_are_a_finding():
    pairs = [made("signal", id=str(i), prompt=p, target="first") for i, p in enumerate("aabbbc")]
    (finding,) = repeated_prompts(pairs, shown="f")
    assert finding.symptom == "5 of 6 tasks share 2 prompts between them"


def test_tasks_that_name_their_family_may_share_a_prompt():
    pairs = [made("signal", id=str(i), target="first", family="f") for i in range(3)]
    assert repeated_prompts(pairs, shown="f") == []
