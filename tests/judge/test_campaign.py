"""Recall or ask: modes, staleness, substituted models, the brake, and what is written when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_judgeaudit.ask.flights import Flight
from pytest_judgeaudit.judge.campaign import Campaign, Place
from pytest_judgeaudit.records.answers import Attempt, Reply, StoredAnswer
from pytest_judgeaudit.records.errors import (
    CampaignStopped,
    JudgeFault,
    MissingAnswer,
    StaleAnswer,
    Unanswered,
)
from pytest_judgeaudit.records.requests import Message, Request
from pytest_judgeaudit.store.brake import FileBrake
from pytest_judgeaudit.store.files import DiskFailed

SECRET = "zq9-secret"
PLACE = Place(module="evals/test_a.py", name="test_x-mine-neutral-t1-clone-AB-1")
REQUEST = Request(
    messages=(Message(role="user", content="Which?"),),
    model="qwen",
    endpoint="openai 127.0.0.1",
    decoder={"temperature": 0},
    ingredients={"prompt": "Which?"},
)
JUDGE = SimpleNamespace(name="mine", api="openai", model="qwen", requested="qwen")
INSTRUMENT = SimpleNamespace(judge=JUDGE, digest="d")


@dataclass
class World:
    """Everything that a campaign talks to, with a diary of what happened."""

    stored: StoredAnswer | None = None
    answer: Reply | Exception = field(default_factory=lambda: Reply(text="tie", served="qwen"))
    full_disk: bool = False
    diary: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    waits: Callable[[], None] = lambda: None
    lands: bool = False
    heard: list[str | None] = field(default_factory=list)

    def find(self, module: str, judge: str, name: str, *, fingerprint: str) -> StoredAnswer | None:
        return self.stored

    def intent(self, *facts: str) -> None:
        self.diary.append("intent")

    def answered(self, module: str, judge: str, stored: StoredAnswer) -> None:
        if self.full_disk:
            raise DiskFailed("snapshots: no space left on device")
        self.diary.append("answer")

    def failed(self, *facts: str) -> None:
        self.diary.append("failed")
        self.reasons.append(facts[-1])

    def ask(self, request: Request, flight: Flight) -> Reply:
        self.waits()
        flight.departs(())
        self.diary.append("ask")
        if self.lands:
            answer = self.answer
            flight.landed(getattr(answer, "attempts", ()), getattr(answer, "served", None))
            self.heard.append(self.brake.pulled("mine"))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def campaign(self, folder: Path, mode: str) -> Campaign:
        self.brake = FileBrake(lambda: folder)
        record = SimpleNamespace(intent=self.intent, answer=self.answered, failed=self.failed)
        return Campaign(
            mode=mode,
            recall=self,
            record=record,
            asker=lambda _: SimpleNamespace(ask=self.ask, stop=lambda: None, close=lambda: None),
            redact=lambda reply: replace(
                reply,
                text=reply.text.replace(SECRET, "[redacted]"),
                served=reply.served and reply.served.replace(SECRET, "[redacted]"),
            ),
            same_model=lambda requested, served: requested == served,
            brake=self.brake,
        )


def kept(*, served: str = "qwen", request: Request = REQUEST) -> StoredAnswer:
    return StoredAnswer(
        name=PLACE.name,
        fingerprint=request.fingerprint(),
        parts=request.parts(),
        instrument="d",
        reply=Reply(text="tie", served=served),
    )


@pytest.mark.parametrize("mode", ["replay", "live"])
def test_a_stored_answer_to_this_very_request_is_used(tmp_path, mode):
    world = World(stored=kept())
    assert world.campaign(tmp_path, mode).obtain(INSTRUMENT, REQUEST, PLACE).state == "hit"
    assert world.diary == []


def test_a_fresh_campaign_asks_for_what_is_stored(tmp_path):
    world = World(stored=kept())
    assert world.campaign(tmp_path, "live-all").obtain(INSTRUMENT, REQUEST, PLACE).state == "asked"


def test_a_replay_of_nothing_names_the_option(tmp_path):
    with pytest.raises(MissingAnswer, match="--judge-live"):
        World().campaign(tmp_path, "replay").obtain(INSTRUMENT, REQUEST, PLACE)


def test_a_stale_answer_names_the_parts_that_moved(tmp_path):
    other = Request(
        messages=REQUEST.messages,
        model="qwen",
        endpoint=REQUEST.endpoint,
        decoder={"temperature": 1},
        ingredients=REQUEST.ingredients,
    )
    with pytest.raises(StaleAnswer, match="stale: decoder moved"):
        World(stored=kept(request=other)).campaign(tmp_path, "replay").obtain(INSTRUMENT, REQUEST, PLACE)


def test_the_intent_is_written_before_the_request_leaves_and_the_answer_after(tmp_path):
    world = World()
    world.campaign(tmp_path, "live").obtain(INSTRUMENT, REQUEST, PLACE)
    assert world.diary == ["intent", "ask", "answer"]


@pytest.mark.parametrize("error", [Unanswered("HTTP 503"), JudgeFault("a fault of its own code")])
def test_an_intent_without_an_answer_is_ended_too(tmp_path, error):
    world = World(answer=error)
    with pytest.raises(type(error)):
        world.campaign(tmp_path, "live").obtain(INSTRUMENT, REQUEST, PLACE)
    assert world.diary == ["intent", "ask", "failed"]


def test_an_error_that_quotes_a_key_is_told_and_written_without_it(tmp_path):
    world = World(answer=JudgeFault(f"raised KeyError: {SECRET}"))
    with pytest.raises(JudgeFault) as caught:
        world.campaign(tmp_path, "live").obtain(INSTRUMENT, REQUEST, PLACE)
    assert [str(caught.value), *world.reasons] == ["raised KeyError: [redacted]"] * 2


def test_an_answer_is_kept_before_anything_is_made_of_it(tmp_path):
    world = World(answer=Reply(text="tie", served="gpt"))
    campaign = world.campaign(tmp_path / "gone", "live")  # where no brake can be pulled
    assert campaign.obtain(INSTRUMENT, REQUEST, PLACE).reply.text == "tie"
    assert world.diary == ["intent", "ask", "answer"]
    with pytest.raises(CampaignStopped, match="gpt"):
        campaign.obtain(INSTRUMENT, REQUEST, PLACE)


def test_a_substituted_model_stops_every_process_of_the_run(tmp_path):
    world = World(answer=Reply(text="tie", served="haiku"))
    assert world.campaign(tmp_path, "live").obtain(INSTRUMENT, REQUEST, PLACE).reply.served == "haiku"
    with pytest.raises(CampaignStopped, match="asked for 'qwen', was served 'haiku'"):
        World().campaign(tmp_path, "live").obtain(INSTRUMENT, REQUEST, PLACE)


def test_what_another_model_answered_is_asked_for_again_in_a_live_run(tmp_path):
    world = World(stored=kept(served="haiku"))
    assert world.campaign(tmp_path, "live").obtain(INSTRUMENT, REQUEST, PLACE).state == "asked"
    assert world.campaign(tmp_path, "replay").obtain(INSTRUMENT, REQUEST, PLACE).state == "hit"


def test_a_function_of_the_users_own_may_say_any_name(tmp_path):
    own = SimpleNamespace(judge=SimpleNamespace(name="mine", api="python", model="mine"), digest="d")
    world = World(answer=Reply(text="tie", served="gpt-5"))
    campaign = world.campaign(tmp_path, "live")
    campaign.obtain(own, REQUEST, PLACE)
    assert campaign.obtain(own, REQUEST, PLACE).state == "asked"


def test_an_answer_that_a_full_disk_refuses_is_still_good_for_the_run(tmp_path):
    attempt = Attempt(started=1.0, ended=2.0, outcome="answered", status=200)
    world = World(full_disk=True, answer=Reply(text="tie", served="qwen", attempts=(attempt,)))
    found = world.campaign(tmp_path, "live").obtain(INSTRUMENT, REQUEST, PLACE)
    assert found.reply.text == "tie"
    assert "no space left" in (found.unkept or "")


def test_a_call_that_waited_while_the_brake_was_pulled_does_not_leave(tmp_path):
    pull = FileBrake(lambda: tmp_path).pull
    world = World(waits=lambda: pull("mine", "another model was served"))
    with pytest.raises(CampaignStopped, match="another model was served"):
        world.campaign(tmp_path, "live").obtain(INSTRUMENT, REQUEST, PLACE)
    assert world.diary == []


def test_a_call_that_is_sent_home_while_it_waits_leaves_no_intent(tmp_path):
    def stop():
        raise Unanswered("the run was stopped")

    world = World(waits=stop)
    with pytest.raises(Unanswered):
        world.campaign(tmp_path, "live").obtain(INSTRUMENT, REQUEST, PLACE)
    assert world.diary == []


def test_what_an_end_means_for_others_is_known_when_it_is_told_and_is_counted_once(tmp_path):
    denied = Attempt(started=1.0, ended=2.0, outcome="refused", status=401)
    world = World(answer=Unanswered("HTTP 401", (denied,)), lands=True)
    campaign = world.campaign(tmp_path, "live")
    for _ in range(9):
        with pytest.raises(Unanswered):
            campaign.obtain(INSTRUMENT, REQUEST, PLACE)
    assert FileBrake(lambda: tmp_path).pulled("mine") is None
    with pytest.raises(Unanswered):
        campaign.obtain(INSTRUMENT, REQUEST, PLACE)
    assert world.heard == [None] * 9 + [FileBrake(lambda: tmp_path).pulled("mine")]


def test_the_name_of_another_model_is_told_without_a_key(tmp_path):
    world = World(answer=Reply(text="tie", served=f"gpt-{SECRET}"), lands=True)
    world.campaign(tmp_path, "live").obtain(INSTRUMENT, REQUEST, PLACE)
    assert "was served 'gpt-[redacted]'" in (FileBrake(lambda: tmp_path).pulled("mine") or "")


def test_an_ended_run_asks_nobody(tmp_path):
    FileBrake(lambda: tmp_path).pull_all("the run was interrupted")
    with pytest.raises(CampaignStopped, match="interrupted"):
        World().campaign(tmp_path, "live").obtain(INSTRUMENT, REQUEST, PLACE)


def test_a_refused_key_stops_that_judge_in_every_process_after_ten_calls(tmp_path):
    denied = Attempt(started=1.0, ended=2.0, outcome="refused", status=401)
    world = World(answer=Unanswered("HTTP 401", (denied,)))
    campaign = world.campaign(tmp_path, "live")
    for _ in range(10):
        with pytest.raises(Unanswered):
            campaign.obtain(INSTRUMENT, REQUEST, PLACE)
    for one in (campaign, world.campaign(tmp_path, "live")):
        with pytest.raises(CampaignStopped, match=r"mine: HTTP 401 in 10 calls in a row.*api_key_env"):
            one.obtain(INSTRUMENT, REQUEST, PLACE)
    assert world.diary.count("ask") == 10
    other = SimpleNamespace(judge=SimpleNamespace(name="other", requested="qwen"), digest="d")
    with pytest.raises(Unanswered):
        campaign.obtain(other, REQUEST, PLACE)
