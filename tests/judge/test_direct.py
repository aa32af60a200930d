from __future__ import annotations

import pytest

from pytest_judgeaudit.judge.direct import build_direct
from pytest_judgeaudit.judge.embedded import EmbeddedJudge
from pytest_judgeaudit.judge.recorded import RecordedJudge
from pytest_judgeaudit.settings.models import Configuration, LogFields
from pytest_judgeaudit.settings.studies import AuditSettings


def test_an_embedded_judge_has_the_protocols_seed(judge_of, tmp_path):
    configuration = Configuration(audit=AuditSettings(seed=5))
    judge = build_direct(judge_of(api="embedded", model="coin"), configuration=configuration, root=tmp_path)
    assert isinstance(judge, EmbeddedJudge)
    assert judge.seed == 5


@pytest.mark.parametrize(("file", "folder"), [("conf/judgeaudit.toml", "conf"), (None, "")])
def test_a_log_is_looked_for_beside_the_configuration_or_in_the_root(
    judge_of, pair_of, tmp_path, file, folder
):
    (tmp_path / "conf").mkdir()
    (tmp_path / folder / "v.jsonl").write_text('{"item": "t1", "winner": "tie"}', encoding="utf-8")
    configuration = Configuration(file=tmp_path / file if file else None)
    settings = judge_of(api="recorded", path="v.jsonl", fields=LogFields(id="item", verdict="winner"))
    judge = build_direct(settings, configuration=configuration, root=tmp_path)
    assert isinstance(judge, RecordedJudge)
    assert judge.decide(pair_of(), criterion="neutral").verdict.tie
