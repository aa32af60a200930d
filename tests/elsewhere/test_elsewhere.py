"""
Results of other harnesses, in files that the tools wrote, under the mappings that the page shows.

The judge in them prefers the longer answer: the embedded judge ``longest`` on the same pairs is the oracle.
How each file was made stands in the script beside it; its pairs are those that ``--judge-init`` writes.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from pytest_judgeaudit.stats import clopper_pearson_lower
from tests.serving import blocks, run

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = (ROOT / "docs" / "howto" / "come-from-elsewhere.md").read_text(encoding="utf-8")
PAIRS = ROOT / "pytest_judgeaudit" / "session" / "beginning" / "pairs.jsonl"
LONGEST = '[[judge]]\nname = "mine"\nfamily = "planted"\napi = "embedded"\nmodel = "longest"\n'

MAPPINGS = dict(re.findall(r"<!-- config: (\S+) -->\n```toml\n(.*?)```", PAGE, re.DOTALL))
EVAL, SCORES = (block.text for block in blocks(PAGE) if block.mark == "file")


def audited(folder: Path, configuration: str):
    """The report on the page's eval under a configuration, with the run's exit status and output."""
    for name, text in {
        "pytest.ini": "[pytest]\n",
        "judgeaudit.toml": configuration,
        "evals/test_log.py": EVAL,
        "corpora/pairs.jsonl": PAIRS.read_text(encoding="utf-8"),
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    done = run("pytest --judge-audit --judge-report=audit.json -p no:cacheprovider", folder)
    return done, json.loads((folder / "audit.json").read_text(encoding="utf-8"))


def outcome(report):
    """What the judge said of each presentation, and what the gates made of it."""
    said = {(t["cell"], t["task"], t["order"]): t["winner"] for t in report["trials"]}
    keys = ("arm", "tasks", "calls", "counts", "estimate", "upper", "lower", "patterns")
    cells = [{key: cell[key] for key in keys} for cell in report["cells"]]
    return said, cells, [(gate["kind"], gate["state"]) for gate in report["gates"]]


@pytest.fixture(scope="module")
def oracle(tmp_path_factory):
    _, report = audited(tmp_path_factory.mktemp("oracle"), LONGEST)
    return outcome(report)


def placed(folder: Path, name: str) -> None:
    (folder / name).write_bytes(gzip.decompress((HERE / f"{name}.gz").read_bytes()))


def test_the_page_maps_every_sample_and_every_sample_is_mapped():
    assert set(MAPPINGS) == {file.name.removesuffix(".gz") for file in HERE.glob("*.json.gz")}


@pytest.mark.parametrize("name", MAPPINGS)
def test_a_file_of_the_tool_gives_the_audit_of_the_judge_that_is_in_it(tmp_path, oracle, name):
    placed(tmp_path, name)
    done, report = audited(tmp_path, MAPPINGS[name])
    assert done.returncode == 1, done.stdout + done.stderr
    assert outcome(report) == oracle
    assert len(report["trials"]) == 30
    assert oracle[2] == [("clone_gate", "PASS"), ("utility_gate", "MISS")]
    assert "stray-rows" not in {finding["code"] for finding in report["findings"]}


def rated(folder, document):
    """The only gate of the page's test over scores, on a log of inspect's."""
    (folder / "inspect.json").write_text(json.dumps(document), encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (folder / "evals").mkdir()
    (folder / "evals" / "test_scores.py").write_text(SCORES, encoding="utf-8")
    run("pytest --judge-audit --judge-report=audit.json -p no:cacheprovider", folder)
    (gate,) = json.loads((folder / "audit.json").read_text(encoding="utf-8"))["gates"]
    return gate


def test_scores_of_single_answers_get_a_bound(tmp_path):
    document = json.loads(gzip.decompress((HERE / "inspect.json.gz").read_bytes()))
    right = [sample["scores"]["match"]["value"] for sample in document["samples"]].count("C")
    gate = rated(tmp_path, document)
    assert (gate["state"], gate["tasks"], right) == ("PASS", 30, 20)
    assert gate["bound"] == pytest.approx(clopper_pearson_lower(20, 30), abs=1e-12)


def test_a_sample_without_a_score_holds_the_gate(tmp_path):
    document = json.loads(gzip.decompress((HERE / "inspect.json.gz").read_bytes()))
    document["samples"][7]["scores"] = {}
    assert rated(tmp_path, document)["state"] == "HOLD"


@pytest.mark.parametrize(
    ("name", "passed"),
    [
        ("promptfoo.json", lambda file: [row["success"] for row in file["results"]["results"]]),
        ("deepeval.json", lambda file: [case["success"] for case in file["testCases"]]),
        ("pytest_evals.json", lambda file: [value["status"] == "passed" for value in file.values()]),
    ],
)
def test_the_other_files_hold_success_where_the_page_says(name, passed):
    document = json.loads(gzip.decompress((HERE / f"{name}.gz").read_bytes()))
    assert passed(document).count(True) == 20


def test_inspect_states_the_served_model(tmp_path):
    placed(tmp_path, "inspect.json")
    _, report = audited(tmp_path, MAPPINGS["inspect.json"])
    (configuration,) = report["configurations"]
    assert configuration["served"] == {"mockllm/model": 30}
    assert configuration["served_as_requested"] is True


def test_the_answer_that_a_scorer_of_inspect_read_does_as_well(tmp_path, oracle):
    placed(tmp_path, "inspect.json")
    mapping = MAPPINGS["inspect.json"].replace(
        'raw = "output.completion"', 'verdict = "scores.match.answer"'
    )
    words = """verdicts = { A = '{"winner": "A"}', B = '{"winner": "B"}', tie = '{"winner": "tie"}' }\n"""
    _, report = audited(tmp_path, mapping.replace("[judge.fields]", f"{words}[judge.fields]"))
    assert outcome(report) == oracle


def test_rows_of_promptfoo_one_a_line_need_no_rows(tmp_path, oracle):
    placed(tmp_path, "promptfoo.json")
    document = json.loads((tmp_path / "promptfoo.json").read_text(encoding="utf-8"))
    lines = "".join(json.dumps(row) + "\n" for row in document["results"]["results"])
    (tmp_path / "promptfoo.jsonl").write_text(lines, encoding="utf-8")
    mapping = MAPPINGS["promptfoo.json"].replace('rows = "results.results"\n', "")
    _, report = audited(tmp_path, mapping.replace("promptfoo.json", "promptfoo.jsonl"))
    assert outcome(report) == oracle


def test_a_path_that_leads_nowhere_is_refused_with_what_is_there(tmp_path):
    placed(tmp_path, "inspect.json")
    mapping = MAPPINGS["inspect.json"].replace("metadata.task", "metadata.tsk")
    (tmp_path / "judgeaudit.toml").write_text(mapping, encoding="utf-8")
    (tmp_path / "evals").mkdir()
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "pairs.jsonl").write_bytes(PAIRS.read_bytes())
    (tmp_path / "evals" / "test_log.py").write_text(EVAL, encoding="utf-8")
    done = run("pytest --judge-audit", tmp_path)
    assert done.returncode == 4
    assert 'no row has a field "metadata.tsk"; there are "metadata.task"' in done.stderr
    assert 'Did you mean "metadata.task"?' in done.stderr
