"""The configuration of a project: judgeaudit.toml, read strictly into frozen values."""
