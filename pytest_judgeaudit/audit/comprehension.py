"""Everything that rubric scores of one run amount to, gathered for the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_judgeaudit.audit.designs import designs
from pytest_judgeaudit.audit.doubts import doubts
from pytest_judgeaudit.audit.floors import floors
from pytest_judgeaudit.audit.noise import noise_floor
from pytest_judgeaudit.audit.predictions import outcomes
from pytest_judgeaudit.audit.rubrics import cell_means, exclusions, is_scored
from pytest_judgeaudit.audit.spreads import spreads
from pytest_judgeaudit.records.floors import Comprehension, MeanKind, Noise, Prediction
from pytest_judgeaudit.records.grades import GradedRow


def comprehension(
    rows: Sequence[GradedRow],
    *,
    families: Mapping[str, str],
    run: str,
    noise: Noise | None = None,
    predictions: Sequence[Prediction] = (),
    kind: MeanKind = "question-balanced",
) -> Comprehension:
    """
    Analyse the rubric scores of a run.

    ``rows`` are all graded rows of it, whatever their arm; ``corpus`` names the corpus that the questions
    are about in every arm, the blind one too, and ``scores`` holds an entry for every judge that was to
    score: one without a reply is ``pending``. ``families`` maps judges to families, in the order in which
    spreads are signed. ``run`` names the run that the floors belong to. ``noise`` is measured from
    replicates where it is not given; ``kind`` is the mean that everything is made of. Without any row that
    a rubric's judge was to score, the result is empty but for predictions, which are not decided.
    """
    scored = [row for row in rows if is_scored(row)]
    if not scored:
        return Comprehension(predictions=outcomes(predictions, (), noise=noise_floor(())))
    measured = noise if noise is not None else noise_floor(scored, kind=kind)
    contrasts = designs(scored, noise=measured, kind=kind)
    found = Comprehension(
        floors=floors(rows, families=families, run=run, kind=kind),
        spreads=spreads(scored, families=families, noise=measured),
        noise=measured,
        designs=contrasts,
        means=cell_means(scored, kind=kind),
        exclusions=exclusions(scored),
        predictions=outcomes(predictions, contrasts, noise=measured),
    )
    return doubts(found)
