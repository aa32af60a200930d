"""What is asked of an agent, the fingerprint that makes answers stale, and the answer as evals meet it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_judgeaudit.records.answers import Attempt, Reply
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import short_digest
from pytest_judgeaudit.records.traces import (
    AgentOutcome,
    Enforcement,
    PolicyEvent,
    ToolCall,
    Trace,
)
from pytest_judgeaudit.records.verdicts import Usage

_UNTRACED = Trace(
    outcome="ok",
    arm="",
    corpus="",
    enforcement=Enforcement(mechanism="none", state="not enforced", reason="nothing was recorded"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRequest:
    """
    One question to an agent: all that its answer depends on.

    ``corpus`` is the digest of the files that the sandbox shows, that of an empty one in a blind arm.
    ``endpoint`` says what is asked (an API and its host, a program, a function), ``command`` a program's
    arguments with absolute paths reduced to their last part, so that another machine finds the same
    answers. ``instructions`` is what we say beside the prompt.
    """

    prompt: str
    corpus: str
    arm: str
    tools: tuple[str, ...]
    model: str
    endpoint: str
    decoder: Mapping[str, Any] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    instructions: str = ""
    replicate: int = 1

    def fingerprint(self) -> str:
        """SHA-256 of the canonical request, as 64 hexadecimal digits."""
        text = json.dumps(self._content(), sort_keys=True, separators=(",", ":"), default=str)
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    def parts(self) -> dict[str, str]:
        """Digest each part, so that a stale answer can say which one moved."""
        return {
            name: short_digest(
                value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
            )
            for name, value in self._content().items()
        }

    def _content(self) -> dict[str, Any]:
        return {
            "prompt": self.prompt,
            "corpus": self.corpus,
            "arm": self.arm,
            "tools": sorted(self.tools),
            "model": self.model,
            "endpoint": self.endpoint,
            "decoder": dict(self.decoder),
            "command": list(self.command),
            "instructions": self.instructions,
            "replicate": self.replicate,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """
    An agent's answer to a question.

    ``tool_calls`` counts calls by tool, denied ones too. ``attempts`` are whole tries, each with its own
    window and tokens; ``usage`` is their sum, None where no try stated any. ``served`` is the model that
    answered, as declared; None where nothing was. ``outcome`` is how it ended, as far as the run itself
    tells; what the text says (a refusal in words, contamination) is for the graders.
    """

    text: str
    tool_calls: Mapping[str, int] = field(default_factory=dict)
    policy_events: tuple[PolicyEvent, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    served: str | None = None
    usage: Usage | None = None
    outcome: AgentOutcome = "ok"
    trace: Trace = field(default=_UNTRACED, repr=False)
    grader: Callable[[Answer, Any], Any] | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        # Failed assertions show this, once a trial: not the text, which is hostile.
        return f"<answer {self.outcome}>"

    @classmethod
    def of(cls, reply: Reply, *, grader: Callable[[Answer, Any], Any] | None = None) -> Answer:
        """Read a stored or fresh reply of an agent; ``grader`` is what :meth:`grade` calls."""
        trace = reply.trace or _UNTRACED
        return cls(
            text=reply.text,
            tool_calls=trace.by_tool,
            policy_events=trace.policy_events,
            attempts=reply.attempts,
            served=reply.served,
            usage=reply.usage,
            outcome=trace.outcome,
            trace=trace,
            grader=grader,
        )

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls of tools one by one."""
        return self.trace.tool_calls

    @property
    def wall_s(self) -> float:
        """Seconds from the start of the first attempt to the end of the last; 0 without any."""
        if not self.attempts:
            return 0.0
        return max(one.ended for one in self.attempts) - min(one.started for one in self.attempts)

    def grade(self, question: Any) -> Any:
        """Return the grade of this answer to a question; Refused where nobody gave it a grader."""
        if self.grader is None:
            raise Refused(
                "an answer without a grader: expected one from the fixture agent. Use agent.answer()."
            )
        return self.grader(self, question)
