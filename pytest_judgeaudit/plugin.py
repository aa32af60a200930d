"""The entry point: registers the options, markers and the parts of the session, nothing else."""
