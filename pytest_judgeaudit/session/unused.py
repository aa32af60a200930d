"""A session without ``--judge-audit``: every eval test is one skipped item, and nothing is read."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.session.marking import SOURCES, is_eval, parametrized

REASON = "an eval: run it with --judge-audit"


class SkippedEvals:
    """The hooks of an unused plug-in."""

    @pytest.hookimpl(trylast=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Give every parameter that we would fill one skipped value."""
        definition = metafunc.definition
        if not is_eval(definition):
            return
        wanted = {
            name for marker in SOURCES if definition.get_closest_marker(marker) for name in SOURCES[marker]
        }
        taken = parametrized(definition)
        names = [
            name
            for name in ("judge", "judges", "agent", *sorted(wanted))
            if name in metafunc.fixturenames and name not in taken
        ]
        if names:
            skipped = pytest.param(
                *(None for _ in names), id="skipped", marks=pytest.mark.skip(reason=REASON)
            )
            metafunc.parametrize(",".join(names), [skipped])

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Skip the eval tests that have parameters of their own."""
        for item in items:
            if is_eval(item):
                item.add_marker(pytest.mark.skip(reason=REASON))
