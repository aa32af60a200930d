from __future__ import annotations

import gzip
import json

import pytest

from pytest_judgeaudit.judge.parsers import VerdictParser
from pytest_judgeaudit.judge.recorded import RecordedJudge
from pytest_judgeaudit.records.errors import MissingAnswer, PluginFault, Refused
from pytest_judgeaudit.records.verdicts import LENIENT
from pytest_judgeaudit.settings.models import LogFields

FIELDS = {"id": "item", "order": "swap", "verdict": "winner"}
MAPPED = {
    "api": "recorded",
    "base_url": None,
    "path": "logs/verdicts.jsonl",
    "where": {"judge": "GPT"},
    "orders": {"AB": False, "BA": True},
    "verdicts": {"first": "1", "second": "2", "tie": "tie"},
}

FENCED = f"the output stands in a Markdown fence{LENIENT}"


def row(**changes):
    return {"judge": "GPT", "item": "t1", "swap": False, "winner": "1", **changes}


@pytest.fixture
def opened(judge_of, tmp_path):
    """A recorded judge over a log of these rows."""
    (tmp_path / "logs").mkdir()

    def run(*rows, fields=FIELDS, **changes):
        settings = judge_of(**{**MAPPED, **changes, "fields": LogFields(**fields)})
        lines = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in rows)
        data = gzip.compress(lines.encode()) if settings.path.endswith(".gz") else lines.encode()
        (tmp_path / settings.path).write_bytes(data)
        return RecordedJudge.open(settings, root=tmp_path, configuration_dir=tmp_path)

    return run


def decided(judge, pair, criterion="neutral", **options):
    return judge.decide(pair, criterion=criterion, **options)


def refusal(opened, *rows, **changes):
    with pytest.raises(Refused) as refused:
        opened(*rows, **changes)
    return str(refused.value)


@pytest.mark.parametrize(
    ("winner", "ab", "ba"), [("1", "A", "B"), ("2", "B", "A"), ("tie", "tie", "tie"), (1, "A", "B")]
)
def test_a_verdict_by_content_names_the_slot_that_showed_it(opened, pair_of, winner, ab, ba):
    judge = opened(row(winner=winner), row(winner=winner, swap=True))
    verdicts = [decided(judge, pair_of(order=order)).verdict for order in ("AB", "BA")]
    assert [verdict.slot for verdict in verdicts] == [ab, ba]
    assert len({verdict.winner for verdict in verdicts}) == 1


def test_a_verdict_by_slot_names_the_content_shown_there(opened, pair_of):
    judge = opened(row(winner="a"), row(winner="a", swap=True), verdicts={"A": "a", "B": "b"})
    assert decided(judge, pair_of()).verdict.winner == "first"
    assert decided(judge, pair_of(order="BA")).verdict.winner == "second"


@pytest.mark.parametrize(
    ("winner", "said"), [("?", '"?"'), (None, "null"), (["1"], "a list of 1"), ({}, "an object"), (3, "3")]
)
def test_a_verdict_that_the_mapping_does_not_know_is_invalid(opened, pair_of, winner, said):
    verdict = decided(opened(row(winner=winner)), pair_of()).verdict
    assert (verdict.winner, verdict.slot) == ("invalid", None)
    assert verdict.reason == f"the log says {said}, which is no verdict"


def test_a_row_without_the_verdict_is_invalid_when_others_have_it(opened, pair_of):
    bare = row(item="t2")
    del bare["winner"]
    judge = opened(row(), bare)
    assert decided(judge, pair_of(id="t2")).verdict.reason == "the log says null, which is no verdict"


@pytest.mark.parametrize(("winner", "raw"), [("1", "1"), (None, "null"), ({"a": 1}, '{"a": 1}')])
def test_the_verdict_as_written_is_the_raw_text(opened, pair_of, winner, raw):
    assert decided(opened(row(winner=winner)), pair_of()).verdict.raw == raw


RAW = {"id": "item", "order": "swap", "raw": "said"}


@pytest.mark.parametrize(
    ("said", "parser", "verdict", "winner", "reason"),
    [
        ('{"winner": "A"}', "strict", None, "first", None),
        (
            '```{"winner": "A"}```',
            "strict",
            None,
            "invalid",
            FENCED,
        ),
        ('```{"winner": "A"}```', "lenient", None, "first", None),
        ("So: [[C]]", "strict", "[[A]]|[[B]]|[[C]]", "tie", None),
        (None, "strict", None, "invalid", "the log holds null where a text is expected"),
        (
            "\ud800",
            "strict",
            None,
            "invalid",
            'the output is not one JSON object; it begins with "\\ud800"',
        ),
    ],
)
def test_a_raw_text_goes_through_the_judges_parser(opened, pair_of, said, parser, verdict, winner, reason):
    judge = opened(row(said=said), fields=RAW, parser=parser, verdict=verdict)
    found = decided(judge, pair_of()).verdict
    assert (found.winner, found.reason) == (winner, reason)
    assert found.raw == ("null" if said is None else said)


def test_an_id_may_be_a_template_of_fields(opened, pair_of):
    judge = opened(
        row(subset="Natural", item=7), fields={**FIELDS, "id": "{subset}/{item}"}, path="logs/v.jsonl.gz"
    )
    assert decided(judge, pair_of(id="Natural/7")).verdict.winner == "first"


def test_a_number_is_an_id(opened, pair_of):
    assert decided(opened(row(item=7)), pair_of(id="7")).verdict.valid


def test_only_the_rows_of_the_judge_count(opened, pair_of):
    judge = opened(row(winner="2", judge="other"), row(run=1), where={"judge": "GPT", "run": "1"})
    assert decided(judge, pair_of()).verdict.winner == "first"
    assert len(judge.keys) == 1


def test_a_presentation_without_a_row_is_missing_and_names_the_log(opened, pair_of):
    with pytest.raises(MissingAnswer) as missing:
        decided(opened(row()), pair_of(id="t\n9", order="BA"))
    assert str(missing.value) == (
        'logs/verdicts.jsonl: judge mine has no row with id "t\\n9", order BA. '
        "Complete the log, or check where, fields and orders of this judge"
    )


def test_a_log_without_an_order_holds_order_ab_only(opened, pair_of):
    judge = opened(row(), fields={"id": "item", "verdict": "winner"})
    assert decided(judge, pair_of()).verdict.winner == "first"
    with pytest.raises(MissingAnswer):
        decided(judge, pair_of(order="BA"))


def test_a_log_without_a_criterion_answers_for_every_one(opened, pair_of):
    judge = opened(row())
    assert decided(judge, pair_of(), "neutral") == decided(judge, pair_of(), "strict")


def test_a_log_with_criteria_keeps_them_apart(opened, pair_of):
    fields = {**FIELDS, "criterion": "rule"}
    judge = opened(row(rule="neutral"), row(rule="strict", winner="tie"), fields=fields)
    assert decided(judge, pair_of(), "strict").verdict.tie
    assert not decided(judge, pair_of(), "neutral").verdict.tie
    with pytest.raises(MissingAnswer, match='id "t1", order AB, criterion "house"'):
        decided(judge, pair_of(), "house")


def test_arms_tell_rows_apart_that_share_an_id(opened, pair_of):
    fields = {**FIELDS, "arm": "part"}
    judge = opened(
        row(part="copy", winner="tie"),
        row(part="pair"),
        fields=fields,
        arms={"clone": "copy", "signal": "pair"},
    )
    assert decided(judge, pair_of(kind="clone")).verdict.tie
    assert decided(judge, pair_of(kind="signal")).verdict.winner == "first"


def test_a_clone_is_the_row_with_order_ab_and_the_clones_id(opened, pair_of):
    judge = opened(row(item="c1", winner="tie"))
    assert decided(judge, pair_of(id="c1", kind="clone", second="one answer")).verdict.tie


def test_a_second_replicate_is_not_in_a_log_that_does_not_count_them(opened, pair_of):
    with pytest.raises(MissingAnswer, match="replicate 2"):
        decided(opened(row()), pair_of(), replicate=2)


@pytest.mark.parametrize(
    ("served", "stated"), [("gpt-4-0613", "gpt-4-0613"), (None, None), (4, "4")], ids=str
)
def test_a_served_model_is_what_the_row_states(opened, pair_of, served, stated):
    judge = opened(row(by=served), fields={**FIELDS, "served": "by"})
    assert judge.has_served
    assert decided(judge, pair_of()).verdict.served == stated


def test_without_a_served_field_nothing_is_stated(opened, pair_of):
    judge = opened(row())
    assert not judge.has_served
    assert decided(judge, pair_of()).verdict.served is None


@pytest.mark.parametrize(
    ("second", "duplicated"),
    [
        (row(), False),
        ({"winner": "1", "swap": False, "item": "t1", "judge": "GPT"}, False),
        (row(winner="2"), True),
        (row(at="noon"), True),
        (row(winner=1), True),
    ],
    ids=["equal", "equal, other order of keys", "another verdict", "another field", "another type"],
)
def test_two_rows_for_one_presentation_are_duplicated_unless_equal(opened, pair_of, second, duplicated):
    decision = decided(opened(row(), second), pair_of())
    assert (decision.duplicated, decision.verdict.winner) == (duplicated, "first")


def test_a_contradiction_is_not_forgotten_over_a_third_row(opened, pair_of):
    assert decided(opened(row(), row(winner="2"), row()), pair_of()).duplicated


def test_rows_of_no_scheduled_presentation_are_counted(opened):
    judge = opened(row(), row(), row(swap=True), row(item="stray"), row(judge="other", item="x"))
    used = {judge.key_of(task="t1", order="AB", criterion="neutral", arm="signal")}
    assert judge.unmatched(used) == 2
    assert judge.unmatched(set()) == 4
    assert used < judge.keys


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (["{broken\n"], "logs/verdicts.jsonl:1: not JSON"),
        (["[1]\n"], "logs/verdicts.jsonl:1: "),
        ([row(), "7\n"], "logs/verdicts.jsonl:2: expected an object, found 7"),
        ([row(), '{"item": "a", "item": "b"}\n'], 'logs/verdicts.jsonl:2: key "item" occurs twice'),
        (
            [row(), row(item=None)],
            "logs/verdicts.jsonl:2: item (id): expected a text or a whole number, found",
        ),
        (
            [row(), row(item=True)],
            "logs/verdicts.jsonl:2: item (id): expected a text or a whole number, found",
        ),
        (
            [row(), row(swap="yes")],
            'logs/verdicts.jsonl:2: swap (order): found "yes", expected false (AB) or true (BA); complete',
        ),
        (
            [row(), {"judge": "GPT", "itm": "t2", "swap": True, "winner": "1"}],
            'logs/verdicts.jsonl:2: fields.id: there is no field "item" in this row',
        ),
    ],
)
def test_a_row_that_cannot_be_read_is_refused_with_its_line(opened, rows, reason):
    assert refusal(opened, *rows).startswith(reason)


def test_all_bad_rows_are_named_at_once(opened):
    lines = refusal(opened, row(item=None), row(), row(swap=3)).splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["logs/verdicts.jsonl:1", "logs/verdicts.jsonl:3"]


HELD = '"judge", "item", "swap", "winner". Did you mean '


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"fields": {**FIELDS, "verdict": "winer"}},
            'logs/verdicts.jsonl: fields.verdict: no row has a field "winer"; there are '
            + HELD
            + '"winner"?',
        ),
        (
            {"fields": {**FIELDS, "id": "{set}/{item}"}},
            'logs/verdicts.jsonl: fields.id: no row has a field "set"',
        ),
        (
            {"where": {"jugde": "GPT"}},
            'logs/verdicts.jsonl: where.jugde: no row has a field "jugde"; there are ' + HELD + '"judge"?',
        ),
        (
            {"where": {"judge": "gpt"}},
            'logs/verdicts.jsonl: where: none of 1 rows has judge = "gpt"; in this log judge is "GPT"',
        ),
    ],
)
def test_a_mapping_that_fits_no_row_is_refused(opened, changes, reason):
    assert refusal(opened, row(), **changes) == reason or refusal(opened, row(), **changes).startswith(
        reason
    )


def test_an_empty_log_is_refused(opened):
    assert refusal(opened) == "logs/verdicts.jsonl: there are no rows; expected verdicts"


def test_a_missing_log_is_refused(judge_of, tmp_path):
    judge = judge_of(**{**MAPPED, "fields": LogFields(**FIELDS)})
    with pytest.raises(Refused, match=r"^logs/verdicts\.jsonl: there is no such file"):
        RecordedJudge.open(judge, root=tmp_path, configuration_dir=tmp_path)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"path": None}, 'judge "mine": path is missing'),
        ({"fields": None}, 'judge "mine": fields: id is missing'),
        ({"fields": LogFields(id="item")}, 'judge "mine": fields: verdict is missing'),
        ({"orders": {"AB": 1, "BA": 1}}, 'judge "mine": orders: AB and BA are written alike'),
        ({"parser": "loose"}, 'judge "mine": no parser is called "loose"'),
    ],
)
def test_an_impossible_mapping_is_refused_before_the_log_is_read(judge_of, tmp_path, changes, reason):
    judge = judge_of(**{**MAPPED, "fields": LogFields(**FIELDS), **changes})
    with pytest.raises(Refused) as refused:
        RecordedJudge.open(judge, root=tmp_path, configuration_dir=tmp_path)
    assert str(refused.value).startswith(reason)


def test_a_log_outside_the_root_is_named_in_full(judge_of, tmp_path):
    judge = judge_of(**{**MAPPED, "path": "v.jsonl", "fields": LogFields(**FIELDS)})
    (tmp_path / "v.jsonl").write_text(json.dumps(row()), encoding="utf-8")
    found = RecordedJudge.open(judge, root=tmp_path / "project", configuration_dir=tmp_path)
    assert found.log == str(tmp_path / "v.jsonl")


def test_a_parser_of_a_plug_in_that_fails_is_refused_with_judge_and_log(judge_of, tmp_path):
    def read(text, finish):
        raise PluginFault("the parser failed.")

    settings = judge_of(**{**MAPPED, "path": "log.jsonl", "parser": "word", "verdicts": {}}).model_copy(
        update={"fields": LogFields(id="item", order="swap", raw="winner")}
    )
    (tmp_path / "log.jsonl").write_text(json.dumps(row(winner="first")) + "\n")
    parsers = {"word": VerdictParser(read=read, version="1")}
    with pytest.raises(Refused) as refused:
        RecordedJudge.open(settings, root=tmp_path, configuration_dir=tmp_path, parsers=parsers)
    assert str(refused.value) == 'judge "mine": log.jsonl: the parser failed.'
