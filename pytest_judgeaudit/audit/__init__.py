"""Trials to cells to gates to findings: pure functions of the plan and the trials."""
