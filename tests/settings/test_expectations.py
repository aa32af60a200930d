"""What a prediction expects: what can be read, and what is refused before anything is collected."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.settings.expectations import (
    CONTRASTS,
    contrast_of,
    expectation_of,
    predictions_of,
)
from pytest_judgeaudit.settings.reading import read_configuration


@pytest.mark.parametrize(
    ("text", "contrast", "read"),
    [
        (
            "blind score on the renamed corpus falls by at least 3",
            "rename",
            ("blind", "total", "falls", "at least", 3.0),
        ),
        (
            "The blind score falls by at most 2.5 points.",
            "rename",
            ("blind", "total", "falls", "at most", 2.5),
        ),
        ("score rises", "rename", ("blind", "total", "rises", "", None)),
        ("sighted score moves by at most 1 point", "rename", ("sighted", "total", "moves", "at most", 1.0)),
        (
            "blind accuracy stays within noise",
            "rename",
            ("blind", "accuracy", "moves", "within noise", None),
        ),
        ("blind accuracy does not move", "rename", ("blind", "accuracy", "moves", "within noise", None)),
        ("blind  score\nstays within 4", "genre", ("blind", "total", "moves", "at most", 4.0)),
        ("interaction is at least 3", "corpus x genre", ("", "total", "is", "at least", 3.0)),
        ("the gap is at most 3 points", "corpus", ("", "total", "is", "at most", 3.0)),
        ("gap is within noise", "corpus", ("", "total", "is", "within noise", None)),
        ("interaction stays within noise", "corpus x genre", ("", "total", "moves", "within noise", None)),
        ("differential is at least 3", "corpus x rename", ("", "total", "is", "at least", 3.0)),
        ("share is at least 50 %", "premium removed", ("", "total", "is", "at least", 0.5)),
        ("the share is at most 42%", "gap closed against sighted", ("", "total", "is", "at most", 0.42)),
    ],
)
def test_a_sentence_of_the_grammar_is_read(text, contrast, read):
    found = expectation_of(text, contrast=contrast)
    assert (found.arm, found.dimension, found.verb, found.bound, found.amount) == read


@pytest.mark.parametrize(
    ("text", "contrast", "reason"),
    [
        ("the premium is recall", "rename", "which cannot be decided. Write it like"),
        ("blind score falls by 3", "rename", "which cannot be decided"),
        ("blind score falls by at least three", "rename", "which cannot be decided"),
        ("blind score falls by at least -3", "rename", "which cannot be decided"),
        ("", "rename", "which cannot be decided"),
        ("blind acuracy falls", "rename", 'has no "acuracy"; it has score, accuracy'),
        ("blind acuracy falls", "rename", 'Did you mean "accuracy"?'),
        ("gap falls", "rename", '"rename" has no "gap"'),
        ("sighted score falls", "genre", '"genre" is not told apart by "sighted": it has blind scores'),
        ("blind gap is at least 3", "corpus", "it is one number"),
        ("gap falls", "corpus", "is one number: write that it is at least or at most so much"),
        ("gap stays within 3", "corpus", "is one number"),
        ("gap is at least 3 %", "corpus", '"corpus" is in points'),
        ("share is at least 0.5", "gap closed", '"gap closed" is in per cent of a gap'),
        ("share is within noise", "gap closed", "in per cent of a gap"),
    ],
)
def test_what_nobody_could_decide_is_refused_in_one_line(text, contrast, reason):
    with pytest.raises(Refused) as refused:
        expectation_of(text, contrast=contrast)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "found"),
    [("rename", "rename"), ("Corpus × Genre", "corpus x genre"), ("corpus×rename", "corpus x rename")],
)
def test_a_contrast_is_known_by_its_name(name, found):
    assert contrast_of(name) == found


def test_an_unknown_contrast_is_refused_with_the_near_one():
    with pytest.raises(
        Refused, match=r'no contrast is called "renames"; there are .*Did you mean "rename"'
    ):
        contrast_of("renames")


@given(st.text(max_size=200), st.sampled_from(sorted(CONTRASTS)))
def test_any_text_is_read_or_refused(text, contrast):
    with suppress(Refused):
        assert expectation_of(text, contrast=contrast).amount is None


CORPUS = '[[corpus]]\nname = "lending"\npath = "src"\n'
AGENT = '[[agent]]\nname = "reader"\nkind = "python"\ncallable = "readers:answer"\n'


def configured(tmp_path, **keys):
    table = {"id": "p", "contrast": "rename", "expects": "blind score falls", **keys}
    lines = "".join(f"{key} = {value!r}\n" for key, value in table.items())
    (tmp_path / "judgeaudit.toml").write_text(f"{CORPUS}{AGENT}[[prediction]]\n{lines}", encoding="utf-8")
    return read_configuration(None, root=tmp_path)


def test_the_predictions_of_a_configuration_are_read(tmp_path):
    keys = {"corpus": "lending", "agent": "reader", "arms": ["renamed-blind@2"]}
    (found,) = predictions_of(configured(tmp_path, **keys))
    assert (found.id, found.contrast, found.text) == ("p", "rename", "blind score falls")
    assert (found.corpus, found.agent, found.arms) == ("lending", "reader", ("renamed-blind@2",))
    assert found.expects.verb == "falls"


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"contrast": "renames"}, 'contrast: no contrast is called "renames"'),
        ({"expects": "it is recall"}, "expects: found"),
        ({"corpus": "lendin"}, 'no corpus is called "lendin"; there are lending. Did you mean "lending"?'),
        ({"agent": "raeder"}, 'no agent is called "raeder"; there are reader. Did you mean "reader"?'),
        ({"arms": ["blinded"]}, 'no arm is called "blinded"'),
        ({"arms": ["blind@2"]}, 'no arm is called "blind@2"'),
    ],
)
def test_a_prediction_that_cannot_be_decided_is_refused_with_its_place(tmp_path, keys, reason):
    with pytest.raises(Refused) as refused:
        configured(tmp_path, **keys)
    (line,) = str(refused.value).splitlines()
    assert "judgeaudit.toml" in line
    assert reason in line


def test_two_predictions_have_two_ids(tmp_path):
    one = '[[prediction]]\nid = "p"\ncontrast = "rename"\nexpects = "blind score falls"\n'
    (tmp_path / "judgeaudit.toml").write_text(one + one, encoding="utf-8")
    with pytest.raises(Refused, match=r'found "p", the name of prediction\[1\] already'):
        read_configuration(None, root=tmp_path)
