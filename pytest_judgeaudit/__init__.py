"""LLM evals as pytest tests, gated on confidence bounds, with the judges audited first."""
