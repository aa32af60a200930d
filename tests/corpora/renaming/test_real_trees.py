"""Renames of real trees: this repository's corpora, and packages of the standard library that still run."""

from __future__ import annotations

import ast
import builtins
import re
import shutil
import sqlite3
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import tomli

from pytest_judgeaudit.corpora.question_lint import evidence_faults
from pytest_judgeaudit.corpora.questions import load_questions
from pytest_judgeaudit.corpora.renaming import plan_renaming, rename_tree, verified
from pytest_judgeaudit.grade import grade

ROOT = Path(__file__).parents[3]
CORPORA = sorted(path.parent for path in (ROOT / "corpora").glob("*/src"))
DEPOT = ROOT / "corpora" / "depot"
PROTECTED = ["VSAM", "KSDS", "PERFORM", "stock", "depot"]

# Corpora


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("corpus", CORPORA, ids=lambda path: path.name)
def test_a_renamed_corpus_keeps_every_invariant(corpus, seed, tmp_path):
    renaming = plan_renaming(corpus / "src", seed=seed, protected=PROTECTED)
    report = rename_tree(corpus / "src", tmp_path / "copy", renaming)
    assert list(report.faults()) == []
    assert report.identifiers > 50
    assert report.changed_paths > report.files[0] / 2
    rename_tree(tmp_path / "copy", tmp_path / "back", renaming.inverse)
    assert contents(tmp_path / "back") == contents(corpus / "src")


def contents(root):
    files = (path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def greps(root, word):
    """The files in which a word stands, by a search that shares nothing with the rename."""
    pattern = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])".encode(), re.IGNORECASE)
    return [
        name
        for name, data in contents(root).items()
        if pattern.search(data) or pattern.search(name.encode())
    ]


@pytest.fixture(scope="module")
def renamed_depot(tmp_path_factory):
    renaming = plan_renaming(DEPOT / "src", seed=7, protected=["VSAM"])
    copy = tmp_path_factory.mktemp("renamed") / "src"
    rename_tree(DEPOT / "src", copy, renaming)
    return renaming, copy


def test_no_search_finds_an_original_name_in_the_copy(renamed_depot):
    renaming, copy = renamed_depot
    assert {word: found for word in renaming.words if (found := greps(copy, word))} == {}
    assert len(greps(copy, "VSAM")) == len(greps(DEPOT / "src", "VSAM")) == 1


def test_the_questions_of_a_renamed_corpus_are_as_good_as_the_original_ones(renamed_depot):
    renaming, copy = renamed_depot
    answers = tomli.loads((ROOT / "tests/corpora/depot_answers.toml").read_text(encoding="utf-8"))
    for question in load_questions("corpora/depot/questions.toml", root=ROOT).questions:
        renamed = renaming.question(question)
        assert [str(fault) for fault in evidence_faults(renamed, copy)] == []
        assert grade(renamed, renaming.text(answers[question.id]["right"])).score == 1.0, question.id
        assert grade(renamed, renaming.text(answers[question.id]["wrong"])).score < 0.5, question.id


def test_an_answer_about_the_original_is_wrong_about_the_copy(renamed_depot):
    renaming, _ = renamed_depot
    answers = tomli.loads((ROOT / "tests/corpora/depot_answers.toml").read_text(encoding="utf-8"))
    questions = load_questions("corpora/depot/questions.toml", root=ROOT).questions
    named = [
        question
        for question in questions
        if renaming.question(question).key_digest() != question.key_digest()
    ]
    scores = [grade(renaming.question(one), answers[one.id]["right"]).score for one in named]
    assert len(named) >= 18
    assert sum(scores) / len(scores) < 0.6


def test_the_python_of_a_renamed_corpus_runs(renamed_depot):
    renaming, copy = renamed_depot
    schema = (copy / renaming.path("sql/schema.sql")).read_text(encoding="utf-8")
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(schema)
    script = renaming.text(
        "import sqlite3, sys\n"
        "from depot.proposal_file import parse_line\n"
        "from depot.order_store import OrderStore\n"
        "from depot.nightly_load import load_proposals\n"
        "connection = sqlite3.connect(':memory:')\n"
        "connection.executescript(sys.stdin.read())\n"
        "store = OrderStore(connection)\n"
        "load_proposals([parse_line('BOLT0001ACME  00001000000250  ')], store)\n"
        "print(store.commitments())\n"
    )
    assert run(script, copy / "python", text=schema) == "{'ACME': 25000}\n"


def run(script, folder, text=""):
    done = subprocess.run(
        [sys.executable, "-B", "-c", script],
        cwd=folder,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# The standard library

LIBRARY = Path(sysconfig.get_path("stdlib"))
NOT_ITSELF = {
    "test",
    "tests",
    "site-packages",
    "idlelib",
    "lib2to3",
    "turtledemo",
    "tkinter",
    "__pycache__",
}
TYPES = (str, bytes, bytearray, memoryview, list, dict, set, tuple, int, float, type, object)
FIELDS = ("id", "attr", "arg", "name", "asname", "module")


def names_of(path):
    """All names of a source, by the interpreter's own parser, and literals that could be names."""
    found = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        texts = [value for field in FIELDS if isinstance(value := getattr(node, field, None), str)]
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.fullmatch(r"[\w.]+", node.value)
        ):
            texts.append(node.value)
        found.update(name for text in texts for name in text.split("."))
    return found


@pytest.fixture(scope="module")
def library():
    """The names of each top-level module and package of the standard library, and those of builtins."""
    names = {"": set(dir(builtins)).union(*map(dir, TYPES))}
    for path in LIBRARY.rglob("*.py"):
        parts = path.relative_to(LIBRARY).parts
        if not NOT_ITSELF & set(parts):
            names.setdefault(parts[0], set()).update(names_of(path))
    return names


@pytest.fixture
def renamed(library, tmp_path):
    """Rename a package: each of its names that does not also occur outside of it, and its own."""

    def rename(package):
        outside = {name for home, names in library.items() if home != package for name in names}
        protected = sorted(name for name in outside if name.lower() != package)
        own = sorted(name for name in library[package] - outside if not name.startswith("__"))
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(LIBRARY / package, tmp_path / "tree" / package, ignore=ignored)
        renaming = plan_renaming(
            tmp_path / "tree", seed=1, protected=protected, identifiers=[package, *own]
        )
        return renaming, rename_tree(tmp_path / "tree", tmp_path / "copy", renaming), tmp_path / "copy"

    return rename


JSON = """\
import sys
sys.modules['_json'] = None  # its C half calls back by the original names
import json, json.decoder
value = json.loads('{"a": [1, 2.5e3, null, true, "x\\\\u00e9\\\\n"], "b": {}}')
text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, separators=(',', ': '))
assert json.loads(text) == value
try:
    json.loads('[1,')
except json.decoder.JSONDecodeError as error:
    print(type(error).__mro__[1].__name__, error.pos, error)
sys.stdout.reconfigure(encoding='utf-8')
print(text, json.JSONEncoder(default=str).encode({'k': (1, {2}.pop())}))
"""
EMAIL = """\
import sys
sys.stdout.reconfigure(encoding='utf-8')
import email, email.policy, email.message, email.utils, email.header, email.headerregistry
message = email.message.EmailMessage(policy=email.policy.SMTP)
message['Subject'] = 'gr\\u00fc\\u00dfe ' * 12
message['To'] = email.headerregistry.Address('Ann \\u00c9', 'ann', 'example.org')
date = email.utils.parsedate_to_datetime('Mon, 20 Nov 1995 19:12:08 -0500')
message['Date'] = email.utils.format_datetime(date)
message.set_content('h\\u00e9llo\\n' * 30)
message.add_attachment(b'\\x00\\x01', maintype='image', subtype='png', filename='p.png')
message.set_boundary('BOUNDARY')
parsed = email.message_from_bytes(message.as_bytes(), policy=email.policy.default)
assert parsed['to'].addresses[0].username == 'ann'
assert [part.get_content_type() for part in parsed.walk()][1:] == ['text/plain', 'image/png']
assert parsed.get_body().get_content().splitlines() == ['h\\u00e9llo'] * 30
assert str(email.header.make_header(email.header.decode_header('=?utf-8?q?gr=C3=BC?='))) == 'gr\\u00fc'
defects = email.message_from_string('a\\n\\nb').defects
print(message.as_string(), [type(defect).__name__ for defect in defects])
"""


@pytest.mark.parametrize(("package", "script", "least"), [("json", JSON, 20), ("email", EMAIL, 300)])
def test_a_renamed_package_of_the_standard_library_imports_and_works(
    renamed, tmp_path, package, script, least
):
    renaming, report, copy = renamed(package)
    assert list(report.faults()) == []
    assert report.identifiers >= least
    assert package in renaming.words
    assert not (copy / package).exists()
    original = run(script, tmp_path)
    assert renaming.inverse.text(run(renaming.text(script), copy)) == original
    rename_tree(copy, tmp_path / "back", renaming.inverse)
    assert contents(tmp_path / "back") == contents(tmp_path / "tree")


def test_a_report_that_does_not_hold_says_what_was_lost(renamed_depot, tmp_path):
    renaming, copy = renamed_depot
    spoilt = tmp_path / "spoilt"
    shutil.copytree(copy, spoilt)
    (spoilt / "CHANGES.txt").write_text("STKPOST\n", encoding="utf-8")
    (spoilt / "more.txt").write_text("VSAM\n", encoding="utf-8")
    faults = list(verified(DEPOT / "src", spoilt, renaming).faults())
    assert faults == [
        "files: expected 20, found 21",
        "lines: expected 601, found 598",
        "the lines a file are others",
        "the identifier 'stkpost' is still in 1 files",
        "the protected word 'vsam' was in 1 files and is in 2",
    ]
