"""What plug-ins register is taken as they say it, and whatever cannot be used is refused in one line."""

from __future__ import annotations

from collections import UserDict
from dataclasses import fields
from types import SimpleNamespace

import pluggy
import pytest

from pytest_judgeaudit import hookspecs
from pytest_judgeaudit.hookspecs import (
    FactMatcher,
    PromptTemplate,
    Reading,
    Reply,
    Stream,
    TraceFormat,
    VerdictParser,
    Wire,
    WireCall,
)
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.session.registering import KINDS
from pytest_judgeaudit.session.registry import PREFIX, Registry
from pytest_judgeaudit.settings.declared import Api

BRIEF = """{criterion} {prompt}
<candidate_A_{fence}>
{candidate_A}
</candidate_A_{fence}>
<candidate_B_{fence}>
{candidate_B}
</candidate_B_{fence}>
"""

WIRE = Wire(
    build=lambda *_: WireCall(path="/", headers={}, body={}),
    read=lambda _: Reply(text=""),
    version="1",
    base_url="https://models.example",
)
PARSER = VerdictParser(read=lambda *_: Reading("A"), version="2")
MATCHER = FactMatcher(compile=lambda _: lambda _: None, version="3")
FORMAT = TraceFormat(read=lambda output: Stream(text=output), version="4")
NO_VERSION = (
    "version: found \"\", expected a text such as '1': another one says that what this does has changed."
)
NEEDED = "{criterion}, {prompt}, {candidate_A}, {candidate_B}, {fence}."
EVERYTHING = {
    "providers": {"house": WIRE},
    "parsers": {"house": PARSER},
    "matchers": {"house": MATCHER},
    "trace_formats": {"house": FORMAT},
    "templates": {"house/1": PromptTemplate(text=BRIEF)},
    "report_writers": {".csv": lambda _: "gates"},
}


def plugin(**hooks):
    """A plug-in whose hooks return these values; a function is the hook itself."""
    return SimpleNamespace(
        **{
            f"{PREFIX}{name}": pytest.hookimpl(value if callable(value) else lambda value=value: value)
            for name, value in hooks.items()
        }
    )


def registry(tmp_path, **plugins):
    """What these plug-ins register together."""
    manager = pluggy.PluginManager("pytest")
    manager.add_hookspecs(hookspecs)
    for name, one in plugins.items():
        manager.register(one, name)
    return Registry.of(SimpleNamespace(pluginmanager=manager, hook=manager.hook, rootpath=tmp_path))


def refusal(tmp_path, **plugins):
    with pytest.raises(Refused) as refused:
        registry(tmp_path, **plugins)
    return str(refused.value).splitlines()


def test_there_is_a_hook_for_each_field_of_the_registry_and_no_other():
    hooks = {name for name in vars(hookspecs) if name.startswith(PREFIX)}
    assert hooks == {f"{PREFIX}{one.name}" for one in fields(Registry)} == {PREFIX + name for name in KINDS}


def test_without_plug_ins_nothing_is_registered(tmp_path):
    assert registry(tmp_path, idle=plugin()) == Registry()


def test_everything_that_plug_ins_register_has_its_place(tmp_path):
    found = registry(tmp_path, one=plugin(**EVERYTHING))
    assert {one.name: list(getattr(found, one.name)) for one in fields(found)} == {
        name: list(value) for name, value in EVERYTHING.items()
    }
    told = found.contributed
    assert (told.apis, told.parsers, told.traces, told.templates) == (
        {"house": Api("1", "https://models.example")},
        {"house": "2"},
        {"house": "4"},
        {"house/1": BRIEF},
    )


def test_two_plug_ins_register_beside_each_other_whatever_their_order(tmp_path):
    one, two = plugin(parsers={"b": PARSER}), plugin(parsers={"a": PARSER})
    assert list(registry(tmp_path, one=one, two=two).parsers) == ["a", "b"]
    assert list(registry(tmp_path, two=two, one=one).parsers) == ["a", "b"]


def test_a_misspelt_hook_is_refused_with_the_nearest_name(tmp_path):
    lazy = SimpleNamespace(pytest_judgeaudit_parser=pytest.hookimpl(lambda: None, optionalhook=True))
    (told,) = refusal(tmp_path, house=lazy)
    assert told == (
        'plug-in "house": no hook is called pytest_judgeaudit_parser. Did you mean '
        '"pytest_judgeaudit_parsers"? Rename it.'
    )


def test_a_hook_may_have_another_name_that_it_declares(tmp_path):
    hook = pytest.hookimpl(lambda: {"house": PARSER}, specname="pytest_judgeaudit_parsers")
    assert list(registry(tmp_path, house=SimpleNamespace(pytest_judgeaudit_mine=hook)).parsers) == ["house"]


def test_a_module_that_a_plug_in_has_imported_is_no_hook(tmp_path):
    assert registry(tmp_path, house=SimpleNamespace(pytest_judgeaudit_house=pluggy)) == Registry()


def test_a_hook_that_returns_none_registers_nothing(tmp_path):
    assert registry(tmp_path, one=plugin(parsers=lambda: None)) == Registry()


def test_a_hook_may_look_at_the_configuration_of_pytest(tmp_path):
    found = registry(
        tmp_path, one=plugin(report_writers=lambda config: {f".{config.rootpath.name[:3]}": str})
    )
    assert list(found.report_writers) == [".tes"]


def fails(config):
    raise ValueError("two\nlines \x1b[2J")


def asserts(config):
    assert config is None, "never"


def skips(config):
    pytest.skip("not today")


@pytest.mark.parametrize(
    ("hook", "told"),
    [
        (fails, r"ValueError: two lines \x1b[2J"),
        (asserts, "AssertionError: never"),
        (skips, "Skipped: not today"),
    ],
)
def test_a_hook_that_raises_is_refused_in_one_printable_line(tmp_path, hook, told):
    (line,) = refusal(tmp_path, one=plugin(parsers=hook))
    assert line.startswith(f'plug-in "one": pytest_judgeaudit_parsers failed: {told}')
    assert line.endswith(". Mend the plug-in, or do without what it registers.")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([PARSER], "found a list of 1, expected a mapping of names. Return a dict."),
        ("house", 'found "house", expected a mapping of names. Return a dict.'),
        (
            {"a b": PARSER},
            "found the name \"a b\", expected a name of at most 64 letters, digits, '.', '_' and '-'.",
        ),
        (
            {3: PARSER},
            "found the name 3, expected a name of at most 64 letters, digits, '.', '_' and '-'.",
        ),
        ({"strict": PARSER}, '"strict" is a parser of pytest-judgeaudit. Choose another name.'),
        ({"house": WIRE}, '"house": found a value of type Wire, expected a VerdictParser.'),
        (
            {"house": VerdictParser(read="x", version="1")},
            '"house": read: found "x", expected a function.',
        ),
        (
            {"house": VerdictParser(read=PARSER.read, version="")},
            f'"house": {NO_VERSION}',
        ),
        (
            {"house": VerdictParser(read=PARSER.read, version="1", reply=" ")},
            '"house": reply: found " ", expected what to tell the judge, or None.',
        ),
    ],
)
def test_what_is_no_parser_is_refused(tmp_path, value, told):
    assert refusal(tmp_path, one=plugin(parsers=lambda: value)) == [
        f'plug-in "one": pytest_judgeaudit_parsers: {told}'
    ]


@pytest.mark.parametrize(
    ("hook", "value", "told"),
    [
        (
            "providers",
            {"openai": WIRE},
            '"openai" is a provider of pytest-judgeaudit. Choose another name.',
        ),
        ("providers", {"x": Wire(build=1, read=2)}, '"x": build: found 1, expected a function.'),
        (
            "providers",
            {"x": Wire(build=WIRE.build, read=WIRE.read, version="1", base_url="ftp://x")},
            '"x": base_url: found "ftp://x", expected an address such as \'http://127.0.0.1:8080\'.',
        ),
        ("matchers", {"path": MATCHER}, '"path" is a matcher of pytest-judgeaudit. Choose another name.'),
        (
            "matchers",
            {"x": FactMatcher(compile=None, version="1")},
            '"x": compile: found null, expected a function.',
        ),
        (
            "trace_formats",
            {"codex": FORMAT},
            '"codex" is a trace format of pytest-judgeaudit. Choose another name.',
        ),
        (
            "trace_formats",
            {"x": TraceFormat(read=FORMAT.read)},
            f'"x": {NO_VERSION}',
        ),
        (
            "templates",
            {"house": PromptTemplate(text=BRIEF)},
            "found the name \"house\", expected a name and a version such as 'house/1'.",
        ),
        (
            "templates",
            {"pairwise/1": PromptTemplate(text=BRIEF)},
            '"pairwise/1" is a template of pytest-judgeaudit. Choose another name.',
        ),
        (
            "templates",
            {"x/1": PromptTemplate(text=BRIEF.replace("{prompt}", ""))},
            '"x/1": x/1:1: the template has no {prompt}; it needs ' + NEEDED,
        ),
        (
            "templates",
            {"x/1": PromptTemplate(text=BRIEF, form="triple")},
            '"x/1": found no text, or the form "triple"; expected one of pairwise, rubric.',
        ),
        (
            "templates",
            {"x/1": PromptTemplate(text=BRIEF, form=["pairwise"])},
            '"x/1": found no text, or the form a list of 1; expected one of pairwise, rubric.',
        ),
        (
            "report_writers",
            {".md": str},
            '".md" is a report writer of pytest-judgeaudit. Choose another name.',
        ),
        ("report_writers", {"csv": str}, "found the name \"csv\", expected a suffix such as '.csv'."),
        ("report_writers", {".csv": "text"}, '".csv": found "text", expected a function of the report.'),
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path, hook, value, told):
    lines = refusal(tmp_path, one=plugin(**{hook: lambda: value}))
    assert lines[0] == f'plug-in "one": pytest_judgeaudit_{hook}: {told}'


class Lazy(UserDict):
    """A mapping that fails when somebody looks at what it holds."""

    def keys(self):
        raise OSError("nothing there")


def test_a_hook_that_ends_the_process_or_whose_names_cannot_be_read_is_refused(tmp_path):
    def ends():
        raise SystemExit(0)

    for hook, told in ((ends, "SystemExit: 0"), (Lazy(), "OSError: nothing there")):
        (line,) = refusal(tmp_path, one=plugin(matchers=hook))
        assert line.startswith(f'plug-in "one": pytest_judgeaudit_matchers failed: {told}. ')


def test_a_name_of_two_plug_ins_is_refused_naming_both(tmp_path):
    one, two = plugin(matchers={"a": MATCHER}), plugin(matchers={"a": MATCHER})
    (line,) = refusal(tmp_path, two=two, one=one)
    assert line == (
        'plug-in "two": pytest_judgeaudit_matchers: the plug-in "one" registers "a" too. '
        "Leave one of them out."
    )


def test_a_wrapper_around_a_hook_is_refused(tmp_path):
    def around():
        yield

    own = SimpleNamespace(pytest_judgeaudit_parsers=pytest.hookimpl(wrapper=True)(around))
    told = "found a wrapper, expected a plain hook. Return what it registers."
    assert refusal(tmp_path, one=own) == [f'plug-in "one": pytest_judgeaudit_parsers: {told}']


def test_every_fault_of_every_plug_in_is_said_at_once(tmp_path):
    lines = refusal(
        tmp_path, a=plugin(parsers=fails, matchers={"path": MATCHER}), b=plugin(templates=lambda: 3)
    )
    assert [line.partition(": ")[0] for line in lines] == ['plug-in "a"', 'plug-in "a"', 'plug-in "b"']


def test_a_conftest_is_named_by_its_path_below_the_root(tmp_path):
    (line,) = refusal(tmp_path, **{str(tmp_path / "evals" / "conftest.py"): plugin(parsers=fails)})
    assert line.startswith('plug-in "evals/conftest.py": ')
