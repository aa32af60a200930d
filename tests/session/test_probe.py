"""What a probe says of a service that answers well, badly, or not at all."""

from __future__ import annotations

from itertools import cycle
from types import SimpleNamespace

import pytest

from pytest_judgeaudit.records.answers import Reply
from pytest_judgeaudit.records.errors import Refused, Unanswered
from pytest_judgeaudit.session.probe import probe

JUDGE = SimpleNamespace(
    name="qwen", requested="qwen-2", endpoint="openai host", decoding={"temperature": 0}
)


class Asker:
    """Declares these models in turn; an error is raised instead."""

    def __init__(self, *served):
        self.served, self.asked = cycle(served), []

    def ask(self, request):
        self.asked.append(request)
        found = next(self.served)
        if isinstance(found, Exception):
            raise found
        return Reply(text="I am a model.", served=found)

    def close(self):
        """Hold nothing."""


def probed(*served, calls=4):
    asker = Asker(*served)
    same = lambda requested, name: name in {requested, "qwen-2-0901", "qwen-2-0902"}  # noqa: E731
    return probe(JUDGE, lambda _: asker, calls=calls, same_model=same), asker


@pytest.mark.parametrize(
    ("served", "state", "counts"),
    [
        (["qwen-2"], "STABLE", (("qwen-2", 4),)),
        (["qwen-2-0901"], "RESOLVED", (("qwen-2-0901", 4),)),
        (["qwen-2-0901", "qwen-2-0902"], "UNSTABLE", (("qwen-2-0901", 2), ("qwen-2-0902", 2))),
        (["qwen-2", "gpt"], "UNSTABLE", (("qwen-2", 2), ("gpt", 2))),
        (["gpt"], "SUBSTITUTED", (("gpt", 4),)),
        ([None], "REJECTED", (("(not stated)", 4),)),
        (["qwen-2", None], "REJECTED", (("qwen-2", 2), ("(not stated)", 2))),
    ],
)
def test_a_state_says_what_the_service_declared(served, state, counts):
    found, _ = probed(*served)
    assert (found.state, found.served, found.requested, found.reason) == (state, counts, "qwen-2", "")


def test_every_call_is_made_under_the_conditions_of_the_judge():
    _, asker = probed("qwen-2", calls=3)
    (request, *others) = asker.asked
    assert others == [request, request]
    assert (request.model, request.endpoint, request.decoder) == (
        "qwen-2",
        "openai host",
        {"temperature": 0},
    )


def test_the_first_error_ends_a_probe_and_is_its_reason():
    found, asker = probed("qwen-2", Unanswered("qwen: no answer"), "qwen-2")
    assert (found.state, found.reason, found.served) == ("REJECTED", "qwen: no answer", (("qwen-2", 1),))
    assert len(asker.asked) == 2


def test_a_model_that_cannot_be_reached_at_all_is_rejected_too():
    def unreachable(_):
        raise Refused("the environment variable KEY is not set")

    found = probe(JUDGE, unreachable, calls=2, same_model=lambda *_: True)
    assert (found.state, found.served) == ("REJECTED", ())
    assert found.reason == "the environment variable KEY is not set"
