"""
The configuration as frozen nouns: one model a table of ``judgeaudit.toml``, exactly the documented keys.

The description of a field is what an error says is expected there. What needs more than one field, or
another table, is checked in :mod:`pytest_judgeaudit.settings.checking`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field

from pytest_judgeaudit.settings.declared import Declared
from pytest_judgeaudit.settings.fields import (
    NAMED,
    TEMPLATE,
    Line,
    Name,
    Scalar,
    Table,
    Texts,
    Variable,
    variables,
)
from pytest_judgeaudit.settings.studies import (
    AuditSettings,
    ClaimSettings,
    CriterionSettings,
    ExclusionSettings,
    PredictionSettings,
    RiskSettings,
)
from pytest_judgeaudit.settings.tables import ACCEPTERS, EMBEDDED, HTTP_APIS, ONLY_ACCEPT, SCORERS


class Limits(Table):
    """
    How a model may be asked.

    ``timeout`` is in seconds and belongs to one whole answer; ``in_flight``, ``per_minute`` and the budgets
    hold for the whole run, whatever the number of workers; ``attempts`` counts the first one too.
    No minute holds more than ``per_minute`` calls. ``budget`` is in the currency of ``price``.
    """

    timeout: float = Field(default=300.0, gt=0, le=86400, description="seconds: above 0, at most 86400")
    in_flight: int = Field(default=1, ge=1, le=1024, description="a whole number from 1 to 1024")
    per_minute: int | None = Field(
        default=None, ge=1, le=1_000_000, description="a whole number of calls, at least 1"
    )
    attempts: int = Field(default=3, ge=1, le=100, description="a whole number from 1 to 100")
    budget_tokens: int | None = Field(
        default=None, ge=1, le=10**12, description="a whole number of tokens, at least 1"
    )
    budget: float | None = Field(default=None, gt=0, description="an amount of money, above 0")

    @property
    def has_budget(self) -> bool:
        """Whether the run may spend only so much."""
        return self.budget_tokens is not None or self.budget is not None


class Price(Table):
    """What a million tokens cost, in any currency. What is not given is unknown, not 0."""

    prompt: float | None = Field(default=None, ge=0, description="a price per million tokens, at least 0")
    completion: float | None = Field(
        default=None, ge=0, description="a price per million tokens, at least 0"
    )


class LogFields(Table):
    """
    Where a foreign log keeps what we need: a field's name, or a template of field names in braces;
    ``verdict`` is the verdict itself, ``raw`` a text that the judge's parser reads.
    """

    id: Line = Field(description="a field of the log, or a template such as '{subset}/{item}'")
    order: Line | None = Field(default=None, description="a field of the log, or a template")
    verdict: Line | None = Field(default=None, description="a field of the log, or a template")
    raw: Line | None = Field(default=None, description="a field of the log, or a template")
    served: Line | None = Field(default=None, description="a field of the log, or a template")
    criterion: Line | None = Field(default=None, description="a field of the log, or a template")
    arm: Line | None = Field(default=None, description="a field of the log, or a template")
    context: Line | None = Field(default=None, description="a field of the log, or a template")
    replicate: Line | None = Field(default=None, description="a field of the log, or a template")


class Endpoint(Declared):
    """What a judge and an agent have in common: how a model is reached."""

    name: Name = Field(description=NAMED)
    api: Line | None = Field(default=None, description="the name of an interface to models")
    model: Line | None = Field(
        default=None, max_length=500, description="the model's name as the service knows it"
    )
    base_url: Line | None = Field(
        default=None, description="an address such as 'http://127.0.0.1:11434/v1'"
    )
    api_key_env: Variable | None = Field(
        default=None,
        description="the name of an environment variable that holds the key, such as QWEN_API_KEY",
    )
    decoder: Mapping[str, Any] = Field(default={}, description="a table, passed to the service as written")
    headers: Mapping[str, str] = Field(
        default={}, description="a table of texts; '$NAME' is taken from the environment"
    )
    query: Mapping[str, Scalar] = Field(default={}, description="a table of texts, numbers and booleans")
    body: Mapping[str, Any] = Field(
        default={}, description="a table, added to the request's body as written"
    )
    proxy: Line | None = Field(
        default=None, description="an address such as 'http://proxy:3128', or '$NAME'"
    )
    ca_file: Line | None = Field(default=None, description="the path of a file of certificates in PEM form")
    callable: Line | None = Field(default=None, description="a function, written 'module:function'")
    price: Price = Field(
        default=Price(), description="a table with prompt and completion, per million tokens"
    )
    limits: Limits = Field(
        default=Limits(), description="a table, such as { timeout = 300, in_flight = 1 }"
    )

    @property
    def url(self) -> str:
        """The service's address without a slash at its end; empty for an API without one."""
        return (self.base_url or HTTP_APIS.get(self.api or "", "")).rstrip("/")

    @property
    def host(self) -> str:
        """The service's host, without user, port and path; empty for an API without one."""
        return urlsplit(self.url).hostname or ""

    @property
    def endpoint(self) -> str:
        """
        The API's name and the host, as a request's fingerprint holds them: ``openai 127.0.0.1``.

        An API of a plug-in has its version there too: ``house/2 127.0.0.1``.
        """
        return f"{self.versioned('api')} {self.host}".rstrip()

    @property
    def requested(self) -> str:
        """The model's name in requests and reports: of local weights the file's name, wherever it lies."""
        name = self.model or ""
        return re.split(r"[\\/]", name)[-1] if self.api == "local" else name

    @property
    def decoding(self) -> dict[str, Any]:
        """
        Everything that shapes the answer beside messages and model, for a request's ``decoder``.

        The decoder table; with a ``body`` table, that too, under the key ``body``. An asker sends both
        whether or not a request repeats the second; in the fingerprint they have to be.
        """
        return {**self.decoder, "body": dict(self.body)} if self.body else dict(self.decoder)

    @property
    def secret_names(self) -> tuple[str, ...]:
        """The environment variables whose values must reach neither disk nor terminal."""
        values = [*self.headers.values(), *map(str, self.query.values()), self.proxy or ""]
        named = [name for value in values for name in variables(value)]
        return tuple(dict.fromkeys([*([self.api_key_env] if self.api_key_env else []), *named]))


class JudgeSettings(Endpoint):
    """
    One ``[[judge]]``: the whole instrument, but for the criterion's text.

    ``family`` is for the two-family rule; ``template`` a versioned name or a file of one's own, with
    ``verdict`` as the form of its verdicts, ``pointwise`` and ``acceptance`` the same for single answers,
    ``rubric`` for scores of answers; ``expect = "uncertified"`` marks a known-bad judge; ``self_judging``
    declares that the model is that of an agent, whose answers it would grade. ``path`` (relative to the
    configuration file) and the tables after it belong to ``api = "recorded"``. ``model`` is always there
    after reading: a recorded or Python judge without one has its own name.
    """

    family: Line = Field(max_length=200, description="the model's family, such as 'qwen'")
    api: Line = Field(description="the name of an interface to models")
    model: Line = Field(max_length=500, description="the model's name as the service knows it")
    criteria: Texts = Field(default=("neutral",), min_length=1, description="an array of criteria's names")
    template: Line = Field(default="pairwise/1", description=TEMPLATE)
    pointwise: Line = Field(default="pointwise/1", description=TEMPLATE)
    acceptance: Line | None = Field(default=None, description="the words of a ruling: 'PASS|FAIL'")
    rubric: Line = Field(default="rubric/1", description="a rubric's name and version, or a file of yours")
    parser: Line = Field(default="strict", description="the name of a parser")
    verdict: Line | None = Field(default=None, description="the form of a verdict, such as '[[A]]'")
    expect: Literal["certified", "uncertified"] = Field(
        default="certified", description='"certified" or "uncertified"'
    )
    self_judging: bool = Field(default=False, description="true or false")
    path: Line | None = Field(default=None, description="the path of a log, relative to this file")
    rows: Line | None = Field(
        default=None, description="where a JSON log keeps its rows, such as 'results.results'"
    )
    where: Mapping[str, Scalar] = Field(
        default={}, description="a table of fields and the values they must have"
    )
    fields: LogFields | None = Field(
        default=None, description="a table such as { id = 'item', verdict = 'winner' }"
    )
    orders: Mapping[str, Scalar] = Field(
        default={}, description="a table such as { AB = false, BA = true }"
    )
    verdicts: Mapping[str, Scalar] = Field(
        default={}, description="a table such as { first = '1', second = '2' }"
    )
    arms: Mapping[str, Scalar] = Field(
        default={}, description="a table such as { clone = 'copy', signal = 'pair' }"
    )

    @property
    def compares(self) -> bool:
        """Whether it compares pairs: not a log of single answers, nor an embedded judge of them."""
        return not self.logs_answers and self._embeds(set(EMBEDDED) - {*SCORERS, *ONLY_ACCEPT})

    @property
    def accepts(self) -> bool:
        """Whether it accepts or rejects single answers: not a log, nor an embedded judge, of pairs."""
        return self.logs_answers if self.api == "recorded" else self._embeds(ACCEPTERS)

    @property
    def logs_answers(self) -> bool:
        """Whether its log holds rulings on single answers, and no verdicts on pairs."""
        return self.api == "recorded" and bool(self.acceptance or {*self.verdicts} & {"accept", "reject"})

    @property
    def scores(self) -> bool:
        """Whether it scores single answers: not a log, nor an embedded judge of pairs."""
        return self.api != "recorded" and self._embeds(SCORERS)

    def _embeds(self, models: Collection[str]) -> bool:
        return self.api != "embedded" or self.model in models


class AgentSettings(Endpoint):
    """
    One ``[[agent]]``: what answers questions.

    ``tools`` agents speak a chat API and use the sandbox's tools, ``command`` agents are programs
    (``{prompt}`` in an argument is replaced), ``python`` agents functions. ``env`` names variables that
    are handed to a command, ``binds`` absolute paths that it may read.
    """

    kind: Literal["tools", "command", "python"] = Field(description='"tools", "command" or "python"')
    family: Line | None = Field(
        default=None, max_length=200, description="the model's family, such as 'qwen'"
    )
    tools: Texts = Field(default=(), description="an array of 'list', 'read' and 'grep'")
    command: Texts = Field(default=(), description="an array of texts: a program and its arguments")
    trace: Line | None = Field(default=None, description="the name of a trace format")
    network: bool = Field(default=False, description="true or false")
    env: Annotated[tuple[Variable, ...], Field(strict=False)] = Field(
        default=(), description="an array of names of environment variables"
    )
    binds: Texts = Field(default=(), description="an array of absolute paths")


class CorpusSettings(Table):
    """One ``[[corpus]]``: a folder that agents may see, and what a rename must leave alone."""

    name: Name = Field(description=NAMED)
    path: Line = Field(description="the path of a folder, relative to this file")
    protected: Texts = Field(default=(), description="an array of words that a rename leaves alone")
    exclude: Texts = Field(default=(), description="an array of paths and globs that agents are not shown")
    rename_seeds: Annotated[tuple[int, ...], Field(strict=False)] = Field(
        default=(1,), min_length=1, description="an array of whole numbers, one renamed arm each"
    )


class Configuration(Table):
    """
    Everything that a configuration file says; empty where there is none.

    ``aliases`` maps names of models to names that mean the same one. ``file`` is where it was read.
    """

    judges: tuple[JudgeSettings, ...] = ()
    agents: tuple[AgentSettings, ...] = ()
    corpora: tuple[CorpusSettings, ...] = ()
    predictions: tuple[PredictionSettings, ...] = ()
    audit: AuditSettings = AuditSettings()
    aliases: Mapping[str, Line] = {}
    risks: tuple[RiskSettings, ...] = ()
    claims: tuple[ClaimSettings, ...] = ()
    exclusions: tuple[ExclusionSettings, ...] = ()
    criteria: tuple[CriterionSettings, ...] = ()
    file: Path | None = None

    def resolve(self, path: str) -> Path:
        """Return where a path of the configuration leads: relative ones start at the file's folder."""
        return Path(path) if self.file is None else self.file.parent / path
