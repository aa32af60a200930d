"""Reading a configuration: where it is found, and one line for every fault in it."""

from __future__ import annotations

import contextlib
import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.agent import streams
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.settings import tables
from pytest_judgeaudit.settings.declared import Api, Contributed
from pytest_judgeaudit.settings.models import AgentSettings, Configuration, JudgeSettings
from pytest_judgeaudit.settings.reading import TABLES, configuration_of, read_configuration
from pytest_judgeaudit.settings.sources import Source

# DESIGN 3, with every key that can be used in one judge.
WHOLE = """
[[judge]]
name = "qwen"
family = "qwen"
api = "openai"
model = "qwen2.5:32b"
base_url = "http://127.0.0.1:11434/v1"
api_key_env = "QWEN_API_KEY"
criteria = ["neutral", "strict", "house-style"]
template = "pairwise/1"
parser = "strict"
verdict = "[[A]]"
decoder = { temperature = 0, seed = 42, max_tokens = 2048 }
headers = { "api-key" = "$AZURE_KEY" }
query = { api-version = "2024-10-21" }
body = { reasoning_effort = "low" }
proxy = "http://proxy:3128"
ca_file = "certificates.pem"
price = { prompt = 0.15, completion = 0.60 }
limits = { timeout = 300, in_flight = 1, per_minute = 60, attempts = 3 }
expect = "certified"

[[judge]]
name = "gpt-4-cot"
family = "gpt"
api = "recorded"
path = "verdicts.jsonl.gz"
where = { judge = "GPT-4", strategy = "CoT" }
fields = { id = "{subset}/{item}", order = "swap", verdict = "winner", arm = "kind" }
orders = { AB = false, BA = true }
verdicts = { first = "1", second = "2", tie = "tie" }
arms = { clone = "copy", signal = "pair" }
expect = "uncertified"

[[judge]]
name = "own"
family = "own"
api = "python"
callable = "mine:ask"

[[judge]]
name = "longest"
family = "planted"
api = "embedded"
model = "longest"

[[agent]]
name = "reader"
kind = "tools"
api = "openai"
model = "reader-model"
tools = ["list", "read", "grep"]
network = false

[[agent]]
name = "program"
kind = "command"
command = ["reader", "{prompt}"]
env = ["HOME"]
binds = ["/usr/lib"]

[[corpus]]
name = "lending"
path = "corpora/lending"
protected = ["PERFORM", "VSAM"]
rename_seeds = [1]

[[prediction]]
id = "premium-is-recall"
contrast = "rename"
expects = "blind score on the renamed corpus falls by at least 3"

[audit]
seed = 20261129
schedule = "hash"

[aliases]
"house-gpt" = "gpt-5.1"

[[risk]]
name = "release gate"
pi_c = 0.01
lambda_c = 2
lambda_w = 1
lambda_t = 0.25
lambda_i = 5

[[claim]]
text = "mean of reader on lookup is .93"
cell = { agent = "reader", class = "lookup" }
value = 0.93

[[criterion]]
name = "house-style"
text = "Prefer the answer that follows the house style."
"""

JUDGE = '[[judge]]\nname = "q"\nfamily = "q"\napi = "openai"\nmodel = "m"\n'
LOCAL = '[[judge]]\nname = "q"\nfamily = "q"\napi = "local"\nmodel = "smollm2-135m"\n'
LOG = '[[judge]]\nname = "q"\nfamily = "q"\napi = "recorded"\npath = "log.jsonl"\n'
FIELDS = 'fields = { id = "item", verdict = "winner" }\n'


def read(tmp_path: Path, text: str, **options: Any) -> Configuration:
    (tmp_path / "judgeaudit.toml").write_text(text, encoding="utf-8")
    return read_configuration(None, root=tmp_path, **options)


def refusal(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(Refused) as caught:
        read(tmp_path, text)
    return str(caught.value).splitlines()


# Where it is found


def test_every_documented_key_is_read(tmp_path):
    found = read(tmp_path, WHOLE)
    assert [judge.name for judge in found.judges] == ["qwen", "gpt-4-cot", "own", "longest"]
    assert [agent.name for agent in found.agents] == ["reader", "program"]
    assert found.judges[0].criteria == ("neutral", "strict", "house-style")
    assert found.judges[0].limits.per_minute == 60
    assert found.judges[1].orders == {"AB": False, "BA": True}
    assert found.corpora[0].protected == ("PERFORM", "VSAM")
    assert found.predictions[0].id == "premium-is-recall"
    assert (found.audit.seed, found.aliases) == (20261129, {"house-gpt": "gpt-5.1"})
    assert (found.risks[0].lambda_i, found.claims[0].value) == (5.0, 0.93)
    assert found.criteria[0].name == "house-style"


def test_defaults_are_those_of_the_design(tmp_path):
    judge = read(tmp_path, JUDGE).judges[0]
    assert (judge.criteria, judge.template, judge.parser, judge.expect) == (
        ("neutral",),
        "pairwise/1",
        "strict",
        "certified",
    )
    limits = judge.limits
    assert (limits.timeout, limits.in_flight, limits.per_minute, limits.attempts) == (300.0, 1, None, 3)


@pytest.mark.parametrize(
    ("api", "url"),
    [
        ("openai", "https://api.openai.com/v1"),
        ("anthropic", "https://api.anthropic.com"),
        ("ollama", "http://127.0.0.1:11434"),
    ],
)
def test_a_service_has_its_own_address_by_default(tmp_path, api, url):
    assert read(tmp_path, JUDGE.replace("openai", api)).judges[0].url == url


def test_without_a_file_the_configuration_is_empty(tmp_path):
    assert read_configuration(None, root=tmp_path) == Configuration()


def test_pyproject_configures_too(tmp_path):
    text = "[tool.other]\nx = 1\n" + JUDGE.replace("[[judge]]", "[[tool.judgeaudit.judge]]")
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    assert read_configuration(None, root=tmp_path).judges[0].name == "q"


def test_pyproject_without_our_section_is_no_configuration(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.pytest]\n", encoding="utf-8")
    assert read_configuration(None, root=tmp_path) == Configuration()


def test_judgeaudit_toml_comes_before_pyproject(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.judgeaudit]\nnonsense = 1\n", encoding="utf-8")
    assert read(tmp_path, JUDGE).judges[0].name == "q"


def test_a_named_file_comes_first(tmp_path):
    (tmp_path / "judgeaudit.toml").write_text("nonsense = 1\n", encoding="utf-8")
    other = tmp_path / "other.toml"
    other.write_text(JUDGE, encoding="utf-8")
    assert read_configuration(other, root=tmp_path).file == other


def test_a_named_pyproject_must_hold_our_section(tmp_path):
    file = tmp_path / "pyproject.toml"
    file.write_text("[project]\n", encoding="utf-8")
    with pytest.raises(Refused, match=r"^pyproject\.toml: has no table \[tool\.judgeaudit\]"):
        read_configuration(file, root=tmp_path)


def test_a_named_file_that_is_missing_is_refused(tmp_path):
    with pytest.raises(Refused, match=r"^missing\.toml: cannot be read: No such file"):
        read_configuration(tmp_path / "missing.toml", root=tmp_path)


def test_a_byte_order_mark_is_no_fault(tmp_path):
    assert read(tmp_path, "\ufeff" + JUDGE).judges[0].name == "q"


def test_paths_start_at_the_file(tmp_path):
    found = read(tmp_path, LOG + FIELDS)
    assert found.resolve(found.judges[0].path) == tmp_path / "log.jsonl"


def test_a_certificate_file_starts_at_the_file_too(tmp_path):
    found = read(tmp_path, JUDGE + 'ca_file = "ca.pem"\n')
    assert found.judges[0].ca_file == str(tmp_path / "ca.pem")


def test_a_judge_without_a_model_has_its_own_name_for_one(tmp_path):
    assert read(tmp_path, LOG + FIELDS).judges[0].model == "q"


@pytest.mark.parametrize(
    ("model", "requested"),
    [
        ("smollm2-135m", "smollm2-135m"),
        ("models/a.gguf", "a.gguf"),
        ("C:\\\\models\\\\A.GGUF", "A.GGUF"),
    ],
)
def test_a_local_model_is_requested_by_its_name_wherever_the_file_lies(tmp_path, model, requested):
    judge = read(tmp_path, LOCAL.replace("smollm2-135m", model)).judges[0]
    assert (judge.requested, judge.endpoint) == (requested, "local")


HOUSE = Contributed(
    apis={"house": Api("3", "https://models.example/v1"), "bare": Api("1")},
    parsers={"own": "2.1"},
    traces={"log": "4"},
    templates={"house/1": "the text"},
)
AGENT_OF_A_PLUG_IN = (
    '[[agent]]\nname = "a"\nkind = "command"\ncommand = ["a", "{prompt}"]\ntrace = "TRACE"\n'
)


def test_names_of_plug_ins_are_known(tmp_path):
    text = JUDGE.replace('"openai"', '"house"').replace('model = "m"\n', 'parser = "own"\n')
    judge = read(tmp_path, text, contributed=HOUSE).judges[0]
    assert (judge.api, judge.parser, judge.model) == ("house", "own", "q")


def test_the_versions_that_plug_ins_declare_stand_in_endpoint_and_instrument(tmp_path):
    text = JUDGE.replace('"openai"', '"house"') + 'parser = "own"\ntemplate = "house/1"\n'
    judge = read(tmp_path, text, contributed=HOUSE).judges[0]
    assert judge.versions == {"api": "3", "parser": "2.1", "template": "the text"}
    assert judge.endpoint == "house/3 models.example"
    assert (judge.versioned("parser"), judge.versioned("rubric")) == ("own/2.1", "rubric/1")


def test_an_address_of_the_configuration_goes_before_that_of_a_plug_in(tmp_path):
    text = JUDGE.replace('"openai"', '"house"') + 'base_url = "http://here:1/v1"\n'
    assert read(tmp_path, text, contributed=HOUSE).judges[0].host == "here"


def test_what_no_plug_in_registered_has_no_versions(tmp_path):
    judge = read(tmp_path, JUDGE, contributed=HOUSE).judges[0]
    assert (judge.versions, judge.versioned("parser")) == ({}, "strict")
    assert judge == read(tmp_path, JUDGE).judges[0]


def test_an_agent_carries_the_version_of_its_trace_format(tmp_path):
    text = AGENT_OF_A_PLUG_IN.replace("TRACE", "log")
    assert read(tmp_path, text, contributed=HOUSE).agents[0].versioned("trace") == "log/4"


GONE = (
    "If a plug-in registers it, that plug-in is not loaded, or registers it in a conftest.py below the "
    "evals, which is too late: move it to the conftest.py beside the ini-file."
)
EVERY_API = "openai, anthropic, ollama, local, python, embedded, recorded, house, bare"
HOUSE_JUDGE = JUDGE.replace('"openai"', '"house"')


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        (
            JUDGE.replace('"openai"', '"hous"'),
            4,
            f'api: found "hous", expected one of {EVERY_API}. Did you mean "house"?',
        ),
        (
            JUDGE.replace('"openai"', '"telepathy"'),
            4,
            f'api: found "telepathy", expected one of {EVERY_API}. {GONE}',
        ),
        (
            JUDGE.replace('"openai"', '"bare"'),
            1,
            'base_url: missing; the plug-in that registers "bare" names no address.',
        ),
        (
            f'{HOUSE_JUDGE}path = "a.jsonl"\n',
            6,
            'path: means nothing with api = "house". Remove it.',
        ),
        (
            f'{HOUSE_JUDGE}parser = "zeta"\n',
            6,
            f'parser: no parser is called "zeta"; there are strict, lenient, own. {GONE}',
        ),
        (
            AGENT_OF_A_PLUG_IN.replace("TRACE", "zeta"),
            5,
            'trace: no trace format is called "zeta"; there are none, claude-code, codex, log. ' + GONE,
        ),
    ],
)
def test_a_name_that_no_plug_in_registered_is_refused_with_those_that_are(tmp_path, text, line, told):
    with pytest.raises(Refused) as refused:
        read(tmp_path, text, contributed=HOUSE)
    who = 'agent[1] "a"' if "agent" in text else 'judge[1] "q"'
    assert str(refused.value) == f"judgeaudit.toml:{line}: {who}: {told}"


def test_our_trace_formats_are_those_that_a_configuration_may_name():
    assert tuple(streams.TRACES) == tables.TRACES


def test_multi_line_inline_tables_of_toml_1_1_are_read(tmp_path):
    limits = "limits = {\n  timeout = 5,\n  attempts = 1,\n}\n"
    assert read(tmp_path, JUDGE + limits).judges[0].limits.timeout == 5.0


# What is refused, to the letter


def at(line: int) -> str:
    """Where a fault of the only judge begins."""
    return f'judgeaudit.toml:{line}: judge[1] "q": '


FAULTS = [
    (
        JUDGE.replace("family", "famly"),
        at(3) + 'famly: unknown key. Did you mean "family"?',
    ),
    (
        JUDGE + 'cirteria = ["neutral"]\n',
        at(6) + 'cirteria: unknown key. Did you mean "criteria"?',
    ),
    (
        JUDGE.replace('model = "m"\n', ""),
        at(1) + ("model: missing; expected the model's name as the service knows it."),
    ),
    (
        JUDGE.replace('"openai"', '"opnai"'),
        at(4)
        + (
            'api: found "opnai", expected one of openai, anthropic, ollama, '
            'local, python, embedded, recorded. Did you mean "openai"?'
        ),
    ),
    (
        LOCAL.replace("smollm2-135m", "smollm2"),
        at(5)
        + (
            'model: found "smollm2", expected smollm2-135m, or the path of a .gguf file. '
            'Did you mean "smollm2-135m"?'
        ),
    ),
    (
        LOCAL + 'base_url = "http://127.0.0.1:1"\n',
        at(6) + 'base_url: means nothing with api = "local". Remove it.',
    ),
    (
        LOCAL + "limits = { in_flight = 2 }\n",
        at(6) + "limits.in_flight: a local model answers one call at a time. Write 1.",
    ),
    (
        LOCAL + "decoder = { temperature = 0.7, seed = 1 }\n",
        at(6)
        + (
            "decoder.seed: one seed for all calls would make their draws alike. Remove it: every call gets "
            "one of its own, from audit.seed; or write temperature = 0."
        ),
    ),
    (
        JUDGE + 'criteria = ["neutrl"]\n',
        at(6)
        + (
            'criteria[1]: no criterion is called "neutrl"; there are neutral, '
            'strict. Did you mean "neutral"?'
        ),
    ),
    (
        JUDGE + 'criteria = ["strict", "strict"]\n',
        at(6) + 'criteria[2]: "strict" stands there twice.',
    ),
    (
        JUDGE + "criteria = []\n",
        at(6) + ("criteria: found an empty array, expected an array of criteria's names."),
    ),
    (
        JUDGE + 'criteria = "strict"\n',
        at(6) + 'criteria: found "strict", expected an array of criteria\'s names.',
    ),
    (
        JUDGE + 'parser = "lenent"\n',
        at(6)
        + ('parser: no parser is called "lenent"; there are strict, lenient. Did you mean "lenient"?'),
    ),
    (
        JUDGE + 'expect = "certifed"\n',
        at(6)
        + ('expect: found "certifed", expected "certified" or "uncertified". Did you mean "certified"?'),
    ),
    (
        JUDGE + "limits = { timeout = 0 }\n",
        at(6) + "limits.timeout: found 0, expected seconds: above 0, at most 86400.",
    ),
    (
        JUDGE + "limits = { timeout = inf }\n",
        at(6) + ("limits.timeout: found inf, expected seconds: above 0, at most 86400."),
    ),
    (
        JUDGE + "[judge.limits]\nattempts = 3\nin_flight = 0\n",
        at(8) + "limits.in_flight: found 0, expected a whole number from 1 to 1024.",
    ),
    (
        JUDGE + "limits = { attempts = true }\n",
        at(6) + ("limits.attempts: found true, expected a whole number from 1 to 100."),
    ),
    (
        JUDGE + "timeout = 3\n",
        at(6) + "timeout: unknown key. It belongs into limits = { timeout = … }.",
    ),
    (
        JUDGE + "temperature = 0\n",
        at(6) + "temperature: unknown key. It belongs into decoder = { temperature = … }.",
    ),
    (
        JUDGE + "decoder = 1\n",
        at(6) + ("decoder: found 1, expected a table, passed to the service as written."),
    ),
    (
        JUDGE + "decoder = { stop = 2024-01-01 }\n",
        at(6) + ("decoder.stop: found a date, which JSON does not have. Write it as a text."),
    ),
    (
        JUDGE + "decoder = { stop = [1, nan] }\n",
        at(6) + ("decoder.stop[2]: found nan, expected a finite number of at most 64 bits."),
    ),
    (
        JUDGE + "decoder = { messages = [] }\n",
        at(6) + "decoder.messages: is set by us. Remove it.",
    ),
    (
        JUDGE + 'base_url = "127.0.0.1:8000"\n',
        at(6)
        + ("base_url: found \"127.0.0.1:8000\", expected an address such as 'http://127.0.0.1:8080'."),
    ),
    (
        JUDGE + 'base_url = "http://h:99999"\n',
        at(6)
        + ("base_url: found \"http://h:99999\", expected an address such as 'http://127.0.0.1:8080'."),
    ),
    (
        JUDGE + 'callable = "a:b"\n',
        at(6) + 'callable: means nothing with api = "openai". Remove it.',
    ),
    (
        LOG,
        at(1) + 'fields: missing; api = "recorded" needs it.',
    ),
    (
        LOG + 'fields = { id = "item" }\n',
        at(6) + ("fields: expected one of verdict (the verdict itself) and raw (a text for the parser)."),
    ),
    (
        LOG + 'fields = { id = "item", vredict = "w", raw = "r" }\n',
        at(6) + 'fields.vredict: unknown key. Did you mean "verdict"?',
    ),
    (
        LOG + FIELDS + "arms = { clone = 1 }\n",
        at(7) + "arms: needs fields.arm, the field that tells the arms apart.",
    ),
    (
        LOG + 'fields = { id = "item", verdict = "w", order = "o" }\norders = { AB = 1, BA = 1 }\n',
        at(7) + "orders.BA: has the value of AB; they could not be told apart.",
    ),
    (
        LOG + FIELDS + "verdicts = { A = 1, second = 2 }\n",
        at(7) + "verdicts.second: expected one of A, B, tie.",
    ),
    (
        LOG + FIELDS + "where = { x = [1] }\n",
        at(7) + ("where.x: found an array of 1, expected a text, a number or a boolean."),
    ),
    (
        JUDGE.replace('"openai"', '"python"'),
        at(1) + 'callable: missing; api = "python" needs it.',
    ),
    (
        JUDGE.replace('"openai"', '"python"') + 'callable = "mine.ask"\n',
        at(6) + ("callable: found \"mine.ask\", expected a function, written 'module:function'."),
    ),
    (
        JUDGE.replace('"openai"', '"embedded"').replace('"m"', '"lngest"'),
        at(5)
        + (
            'model: no embedded judge is called "lngest"; there are program, '
            "first-slot, second-slot, coin, always-tie, longest, fenced, always-accept, always-reject, "
            "constant-score, prose, evidence. "
            'Did you mean "longest"?'
        ),
    ),
    (
        JUDGE.replace('name = "q"', 'name = "a/b"'),
        (
            'judgeaudit.toml:2: judge[1] "a/b": name: found "a/b", expected a name of at most 64 letters, '
            "digits, '.', '_' and '-' that begins with a letter or digit."
        ),
    ),
    (
        JUDGE.replace('name = "q"', 'name = "q.1of2"'),
        (
            'judgeaudit.toml:2: judge[1] "q.1of2": name: found "q.1of2", which is the ending of '
            "files of ours. Choose another name."
        ),
    ),
    (
        JUDGE + JUDGE.replace('"q"', '"Q"'),
        'judgeaudit.toml:7: judge[2] "Q": name: found "Q", the name of judge[1] already.',
    ),
    (
        JUDGE.replace('name = "q"', 'name = "NUL.x"'),
        (
            'judgeaudit.toml:2: judge[1] "NUL.x": name: found "NUL.x", a device on some systems. '
            "Choose another name."
        ),
    ),
    (
        JUDGE + 'headers = { "a b" = "c" }\n',
        at(6) + """headers."a b": is no name of a header: letters, digits and '-' are.""",
    ),
    (
        JUDGE + 'headers = { x = "a\\nb" }\n',
        at(6) + "headers.x: holds characters that no header may hold.",
    ),
    (
        LOG + FIELDS + "orders = { AB = 1, BA = 2 }\n",
        at(7) + "orders: needs fields.order, the field that tells the orders apart.",
    ),
    (
        LOG + 'fields = { id = "item", verdict = "w", order = "o" }\norders = { AB = 1, ABB = 2 }\n',
        at(7) + 'orders.ABB: expected one of AB, BA. Did you mean "AB"?',
    ),
    (
        '[[agent]]\nname = "a"\nkind = "python"\ncallable = "m:f"\ntools = ["raed"]\n',
        (
            'judgeaudit.toml:5: agent[1] "a": tools[1]: no tool is called "raed"; there are list, read, '
            'grep. Did you mean "read"?'
        ),
    ),
    (
        '[[risk]]\nname = "r"\npi_c = 0.6\npi_e = 0.6\nlambda_c = 1\nlambda_t = 1\nlambda_i = 1\n',
        (
            'judgeaudit.toml:4: risk[1] "r": pi_e: pi_c and pi_e are shares of the same tasks: '
            "together at most 1."
        ),
    ),
    (
        '[judge]\nname = "q"\n',
        "judgeaudit.toml:1: judge: found a table, expected an array of tables. Write [[judge]].",
    ),
    (
        "judge = [1]\n",
        "judgeaudit.toml:1: judge[1]: found 1, expected a table. Write [[judge]].",
    ),
    (
        "[judges]\n",
        'judgeaudit.toml:1: judges: unknown key. Did you mean "judge"?',
    ),
    (
        '[audit]\nschedule = "random"\n',
        (
            'judgeaudit.toml:2: audit.schedule: found "random", expected "hash", "randomized" or '
            '"independent". Did you mean "randomized"?'
        ),
    ),
    (
        "[audit]\nseed = -1\n",
        "judgeaudit.toml:2: audit.seed: found -1, expected a whole number from 0 to 2^63 - 1.",
    ),
    (
        "audit = 3\n",
        "judgeaudit.toml:1: audit: found 3, expected a table. Write [audit].",
    ),
    (
        "[aliases]\na = 3\n",
        "judgeaudit.toml:2: aliases.a: found 3, expected the name of a model on both sides.",
    ),
    (
        '[[criterion]]\nname = "strict"\ntext = "x"\n',
        'judgeaudit.toml:2: criterion[1] "strict": name: "strict" is built in. Choose another name.',
    ),
    (
        '[[criterion]]\nname = "own"\ntext = "  "\n',
        'judgeaudit.toml:3: criterion[1] "own": text: found "  ", expected a text with something in it.',
    ),
    (
        '[[agent]]\nname = "a"\nkind = "tools"\napi = "openai"\n',
        'judgeaudit.toml:1: agent[1] "a": model: missing; an agent with kind = "tools" needs it.',
    ),
    (
        '[[agent]]\nname = "a"\nkind = "command"\ncommand = ["x"]\nbinds = ["lib"]\n',
        'judgeaudit.toml:5: agent[1] "a": binds[1]: found "lib", expected an absolute path.',
    ),
    (
        JUDGE.replace('name = "q"\n', 'name = "q"\nnäme = 1\n'.replace("näme", '"n\\u0007me"')),
        at(3) + '"n\\x07me": unknown key. Did you mean "name"?',
    ),
]


@pytest.mark.parametrize(("text", "line"), FAULTS)
def test_a_fault_is_one_line(tmp_path, text, line):
    assert refusal(tmp_path, text) == [line]


def test_all_faults_are_gathered_in_the_order_of_the_file(tmp_path):
    text = (
        JUDGE.replace("family", "famly") + 'criteria = ["house"]\n\n[audit]\nsed = 1\n\n[aliases]\na = 1\n'
    )
    starts = [line.split(": ", 1)[0] for line in refusal(tmp_path, text)]
    assert starts == ["judgeaudit.toml:3", "judgeaudit.toml:6", "judgeaudit.toml:9", "judgeaudit.toml:12"]


def test_very_many_faults_are_counted(tmp_path):
    lines = refusal(tmp_path, "".join(f"x{number} = 1\n" for number in range(100)))
    assert len(lines) == 31
    assert lines[-1] == "judgeaudit.toml: and 70 more"


def test_a_fault_in_pyproject_is_addressed_there(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        "[project]\n\n[tool.judgeaudit.audit]\nsed = 1\n", encoding="utf-8"
    )
    with pytest.raises(Refused) as caught:
        read_configuration(None, root=tmp_path)
    assert str(caught.value) == (
        'pyproject.toml:4: tool.judgeaudit.audit.sed: unknown key. Did you mean "seed"?'
    )


def test_a_section_of_pyproject_that_is_no_table_is_refused(tmp_path):
    (tmp_path / "pyproject.toml").write_text("tool = { judgeaudit = 3 }\n", encoding="utf-8")
    with pytest.raises(Refused, match=r"^pyproject\.toml: tool\.judgeaudit: found 3, expected a table\.$"):
        read_configuration(None, root=tmp_path)


def test_a_file_outside_of_the_root_is_called_by_its_path(tmp_path):
    file = tmp_path / "other.toml"
    file.write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(Refused) as caught:
        read_configuration(file, root=tmp_path / "root")
    assert str(caught.value).startswith(f"{file}:1: x: unknown key")


def test_broken_toml_is_addressed(tmp_path):
    (line,) = refusal(tmp_path, '[[judge]]\nname = "q\n')
    assert line.startswith("judgeaudit.toml:2: broken TOML: ")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"name = '\xff'\n", "judgeaudit.toml: is not UTF-8 (byte 8)"),
        (
            b"x = " + b"1" * 5000 + b"\n",
            "judgeaudit.toml: holds a number or a nesting that is too large to be read",
        ),
        (
            b"x = " + b"[" * 3000 + b"]" * 3000 + b"\n",
            "judgeaudit.toml: holds a number or a nesting that is too large to be read",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path, content, line):
    (tmp_path / "judgeaudit.toml").write_bytes(content)
    with pytest.raises(Refused) as caught:
        read_configuration(None, root=tmp_path)
    assert str(caught.value) == line


def test_a_nesting_without_brackets_is_refused_too(tmp_path):
    deep = JUDGE + "[judge.decoder]\n" + ".".join(["a"] * 3000) + " = 1\n"
    with pytest.raises(Refused, match="nest"):
        read(tmp_path, deep)


# Secrets

SECRET = "sk-0123456789abcdefABCDEF"

SECRETS = [
    f'api_key = "{SECRET}"',
    f'api_key_env = "{SECRET}"',
    'api_key_env = "ghp_0123456789abcdefABCDEF"',
    f'base_url = "https://user:{SECRET}@host/v1"',
    f'base_url = "https://host/v1?key={SECRET}"',
    f'proxy = "http://user:{SECRET}@proxy:3128"',
    f'headers = {{ "x-other" = "{SECRET}" }}',
    'headers = { "api-key" = "hunter2hunter2" }',
    'headers = { Authorization = "Bearer hunter2hunter2" }',
    f'query = {{ subscription = "{SECRET}" }}',
    'query = { key = "hunter2hunter2" }',
    f'body = {{ nested = [{{ x = "{SECRET}" }}] }}',
    f'decoder = {{ user = "{SECRET}" }}',
    f'token = "{SECRET}"',
    f'"{SECRET}" = 1',
    f'expect = "{SECRET}"',
    'password = "hunter2hunter2"',
]


@pytest.mark.parametrize("line", SECRETS)
def test_a_literal_secret_is_refused_and_never_shown(tmp_path, line):
    (message,) = refusal(tmp_path, JUDGE + line + "\n")
    hidden = [SECRET, SECRET[3:], "hunter2hunter2", "ghp_0123456789abcdefABCDEF"]
    assert not [text for text in hidden if text in message]


@pytest.mark.parametrize(
    "line",
    [
        'headers = { "api-key" = "$AZURE_KEY", "X-Title" = "audit", Authorization = "Bearer $TOKEN" }',
        'query = { key = "$KEY", api-version = "2024-10-21", flag = true, n = 3 }',
        'proxy = "$HTTPS_PROXY"',
        'decoder = { max_tokens = 5, stop = ["</s>"], response_format = { type = "json_object" } }',
    ],
)
def test_values_from_the_environment_and_plain_ones_are_accepted(tmp_path, line):
    assert read(tmp_path, JUDGE + line + "\n").judges


# Whatever stands in the file

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.just(10**400),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["a", "openai", "recorded", "tools", "$X", "http://h", "http://[", "a:b"]),
    st.dates(),
    st.just(datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)),
)
WORDS = st.sampled_from(
    [
        *TABLES,
        *JudgeSettings.model_fields,
        *AgentSettings.model_fields,
        "id",
        "text",
        "cell",
        "value",
        "AB",
        "A",
    ]
)
TREES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=5), inner, max_size=6)
    ),
    max_leaves=20,
)
DOCUMENTS = st.dictionaries(
    st.sampled_from(sorted(TABLES)) | st.text(max_size=5),
    TREES | st.lists(st.dictionaries(WORDS, TREES, max_size=12), max_size=3),
    max_size=4,
)


@settings(deadline=None, max_examples=60)
@given(DOCUMENTS)
def test_any_document_is_read_or_refused(document):
    source = Source(Path("judgeaudit.toml"), "judgeaudit.toml", "", document, ())
    with contextlib.suppress(Refused):
        configuration_of(source)


@settings(deadline=None, max_examples=20)
@given(DOCUMENTS.map(lambda document: {**document, "\x1b[2J" * 50: 1}))
def test_a_refusal_is_printable_and_bounded(document):
    with pytest.raises(Refused) as caught:
        configuration_of(Source(Path("judgeaudit.toml"), "judgeaudit.toml", "", document, ()))
    assert all(line.isprintable() and len(line) < 1000 for line in str(caught.value).split("\n"))
