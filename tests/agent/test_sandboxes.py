"""Where sandboxes lie, what they show, and that they notice changes."""

from __future__ import annotations

import hashlib

import pytest

from pytest_judgeaudit.agent import sandboxes as module
from pytest_judgeaudit.agent.sandboxes import blind, in_repository, sighted
from pytest_judgeaudit.records.errors import Refused


def test_a_blind_sandbox_is_empty_and_has_the_digest_of_nothing(sandboxes):
    sandbox = sandboxes("blind")
    assert list(sandbox.path.iterdir()) == []
    assert sandbox.digest == hashlib.sha256(b"").hexdigest()
    assert sandbox.blind


def test_sandboxes_lie_outside_the_project_and_every_repository(project, sandboxes):
    for arm in ("sighted", "blind"):
        path = sandboxes(arm).path
        assert project.root not in path.parents
        assert not in_repository(path)


def test_a_repository_around_the_temporary_folder_is_avoided(project, tmp_path, monkeypatch):
    monkeypatch.setattr(module.tempfile, "gettempdir", lambda: str(project.root))
    with blind() as sandbox:
        assert project.root not in sandbox.path.parents


def test_no_place_at_all_is_refused(project, monkeypatch):
    monkeypatch.setattr(module.tempfile, "gettempdir", lambda: str(project.root))
    monkeypatch.setattr(module, "_PLACES", ())
    with pytest.raises(Refused, match="Set TMPDIR"), blind():
        pass


def test_a_sandbox_is_removed_at_the_end(project):
    with sighted(project.source, corpus="lending") as sandbox:
        assert sandbox.path.is_dir()
    assert not sandbox.path.exists()


def test_what_is_added_removed_or_written_to_is_a_change(sandboxes):
    sandbox = sandboxes()
    assert sandbox.changed() == []
    (sandbox.path / "new.txt").write_text("x")
    (sandbox.path / "CALC.cbl").write_text("y")
    (sandbox.path / "sub" / "STORE.cbl").unlink()
    assert sandbox.changed() == ["CALC.cbl", "new.txt", "sub/STORE.cbl"]
