"""Frozen nouns: items, requests, answers, verdicts, trials, plans and audits. They know nothing else."""
