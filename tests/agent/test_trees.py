"""A clean copy: what is in it, what is left out, and why."""

from __future__ import annotations

import hashlib
import os

import pytest

from pytest_judgeaudit.agent.trees import copy_corpus
from pytest_judgeaudit.records.errors import Refused

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs links, pipes and arbitrary bytes in names")


@pytest.fixture
def copied(project, tmp_path):
    def copy(**more):
        target = tmp_path / "copy"
        target.mkdir()
        return target, copy_corpus(project.source, target, **{"hidden": [project.questions], **more})

    return copy


def test_files_are_copied_with_their_folders_and_sizes(copied):
    target, tree = copied()
    assert tree.files == {"CALC.cbl": 37, "sub/STORE.cbl": 18}
    assert (target / "sub" / "STORE.cbl").read_text() == "OPEN VSAM-MASTER.\n"


def test_the_digest_is_over_sorted_names_and_contents(copied):
    target, tree = copied()
    whole = hashlib.sha256()
    for name in ("CALC.cbl", "sub/STORE.cbl"):
        content = hashlib.sha256((target / name).read_bytes()).hexdigest()
        whole.update(f"{name}\0{content}\0".encode())
    assert tree.digest == whole.hexdigest()


@pytest.mark.parametrize("name", [".git", ".GIT", ".git.", ".hg", ".svn", "CVS", ".jj"])
def test_history_is_left_out_in_any_spelling(project, copied, name):
    project.write(f"corpora/lending/src/{name}/HEAD", "x")
    _, tree = copied()
    assert tree.skipped == {name: "repository's history"}


@POSIX
def test_links_pipes_and_other_names_of_hidden_files_are_left_out(project, copied):
    (project.source / "a-link").symlink_to(project.questions)
    (project.source / "inner-link").symlink_to("CALC.cbl")
    os.mkfifo(project.source / "b-pipe")
    (project.source / "c-hard").hardlink_to(project.questions)
    (project.source / "d-copy").write_bytes(project.questions.read_bytes())
    target, tree = copied()
    assert tree.skipped == {
        "a-link": "symbolic link",
        "inner-link": "symbolic link",
        "b-pipe": "no regular file",
        "c-hard": "hidden from agents",
        "d-copy": "holds the same as a hidden file",
    }
    assert sorted(path.name for path in target.iterdir()) == ["CALC.cbl", "sub"]


def test_question_files_inside_the_corpus_are_left_out(project, copied):
    inside = project.write("corpora/lending/src/questions.toml", "id = 1")
    _, tree = copied(hidden=[inside, project.source / "sub"])
    assert tree.skipped == {"questions.toml": "hidden from agents", "sub": "hidden from agents"}


@POSIX
def test_names_of_bytes_that_are_no_text_are_copied(project, copied):
    name = b"caf\xe9\n.txt"
    (project.source / os.fsdecode(name)).write_bytes(b"x")
    target, tree = copied()
    assert os.fsdecode(name) in tree.files
    assert name in [os.fsencode(path.name) for path in target.iterdir()]


def test_a_corpus_inside_what_is_hidden_is_refused(project, copied):
    with pytest.raises(Refused, match="agents must not see"):
        copied(hidden=[project.root])


def test_a_corpus_that_is_no_folder_is_refused(project, tmp_path):
    with pytest.raises(Refused, match="expected a folder"):
        copy_corpus(project.questions, tmp_path)


def test_a_corpus_of_too_many_files_is_refused(copied, monkeypatch):
    monkeypatch.setattr("pytest_judgeaudit.agent.trees.MOST_FILES", 1)
    with pytest.raises(Refused, match="more than 1 files"):
        copied()


def test_a_corpus_of_too_many_bytes_is_refused(copied, monkeypatch):
    monkeypatch.setattr("pytest_judgeaudit.agent.trees.MOST_BYTES", 40)
    with pytest.raises(Refused, match="larger than 40 bytes"):
        copied()
