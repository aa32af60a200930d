"""What agents see: sandboxes by corpus and arm, made once, and removed at the end."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.session.workspaces import Workspaces
from pytest_judgeaudit.settings.models import Configuration, CorpusSettings

FILES = {
    "store.py": "def write_loan(loan):\n    return loan\n",
    "docs/key.md": "the answer\n",
    "q.toml": "[[question]]\n",
}


@pytest.fixture
def spaces(tmp_path):
    """A project whose corpus holds its question file and a key."""
    for name, text in FILES.items():
        (tmp_path / "code" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "code" / name).write_text(text, "utf-8")
    corpus = CorpusSettings(name="code", path="code", exclude=("docs",), protected=("loan",))
    configuration = Configuration(corpora=(corpus,), file=tmp_path / "judgeaudit.toml")
    made = Workspaces(configuration, root=tmp_path, hidden=(tmp_path / "snapshots",))
    made.hide(tmp_path / "code/q.toml")
    yield made
    made.pytest_unconfigure()


def shown(sandbox):
    return sorted(
        path.relative_to(sandbox.path).as_posix() for path in sandbox.path.rglob("*") if path.is_file()
    )


def test_a_sighted_arm_shows_the_corpus_but_for_what_is_hidden_or_excluded(spaces):
    assert shown(spaces.sandbox("code", "sighted")) == ["store.py"]


def test_a_blind_arm_shows_nothing(spaces, tmp_path):
    sandbox = spaces.sandbox("code", "blind")
    assert (shown(sandbox), sandbox.blind) == ([], True)
    assert not sandbox.path.is_relative_to(tmp_path)


def test_a_renamed_arm_shows_other_names_and_nothing_that_is_hidden(spaces):
    (name,) = shown(spaces.sandbox("code", "renamed-sighted"))
    text = (spaces.sandbox("code", "renamed-sighted").path / name).read_text("utf-8")
    assert "write_loan" not in text
    assert "loan" in text
    assert "def " in text


def test_an_arm_is_made_once(spaces):
    assert spaces.sandbox("code", "sighted") is spaces.sandbox("code", "sighted")
    assert spaces.sandbox("code", "blind") is not spaces.sandbox(None, "blind")


def test_everything_is_removed_at_the_end(spaces):
    paths = [spaces.sandbox("code", arm).path for arm in ("sighted", "blind", "renamed-sighted")]
    assert all(path.is_dir() for path in paths)
    spaces.pytest_unconfigure()
    assert not any(path.exists() for path in paths)


def test_an_unknown_corpus_and_an_unknown_seed_are_refused(spaces):
    with pytest.raises(Refused, match='Did you mean "code"'):
        spaces.corpus("coed")
    with pytest.raises(Refused, match="has 1 rename_seeds, found @2"):
        spaces.renaming("code", 2)


def test_without_a_corpus_every_name_is_refused(tmp_path):
    with pytest.raises(Refused, match="there are none"):
        Workspaces(Configuration(), root=tmp_path, hidden=()).corpus("code")
