"""Where a worker stands is seen, not guessed."""

from __future__ import annotations

import shutil

import pytest

from pytest_judgeaudit.session import station
from pytest_judgeaudit.session.station import (
    LIMITS,
    RUN,
    WHERE,
    HostLimits,
    Station,
    folder_away,
    leave_word,
    whereabouts,
)


@pytest.fixture
def told(tmp_path):
    """What a controller tells its workers."""
    root, limits = tmp_path / "project", tmp_path / "limits"
    root.mkdir()
    limits.mkdir()
    leave_word(limits, "run1")
    return {RUN: "run1", LIMITS: str(limits), WHERE: whereabouts(root, root / "snapshots")}


def stand(told, root):
    return Station.of(told, root=root, snapshots=root / "snapshots")


def test_a_worker_in_the_same_folder_shares_everything(told, tmp_path):
    assert stand(told, tmp_path / "project") == Station(limits=tmp_path / "limits", away=False)


def test_a_worker_in_a_copy_shares_the_limits_only(told, tmp_path):
    shutil.copytree(tmp_path / "project", tmp_path / "w/project")
    assert stand(told, tmp_path / "w/project") == Station(limits=tmp_path / "limits", away=True)


@pytest.mark.parametrize("word", [None, "run2", "\xff"])
def test_a_worker_that_does_not_see_the_word_shares_nothing(told, tmp_path, word):
    (tmp_path / "limits/run").unlink()
    if word:
        (tmp_path / "limits/run").write_text(word, "latin-1")
    assert stand(told, tmp_path / "project") == Station(limits=None, away=True)


@pytest.mark.parametrize("worker", [None, {}, {"workerid": "gw0"}])
def test_the_controller_and_the_workers_of_a_replay_are_at_home(worker, tmp_path):
    assert stand(worker, tmp_path) == Station()


def test_a_worker_keeps_its_journal_beside_its_copy_and_not_in_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert folder_away(tmp_path / "project") == tmp_path / ".judgeaudit/project"
    assert folder_away(tmp_path / "repository/deep/project").name == "repository_deep_project"


def test_the_last_worker_of_a_host_removes_its_folder_of_limits(tmp_path, monkeypatch):
    monkeypatch.setattr(station.tempfile, "gettempdir", lambda: str(tmp_path))
    one, two = HostLimits("run1", "gw0"), HostLimits("run1", "gw1")
    assert one.enter() == two.enter() == tmp_path / "judgeaudit-run1"
    one.leave()
    assert two.folder.is_dir()
    two.leave()
    assert not two.folder.exists()
