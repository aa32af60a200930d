"""Pure verbs on numbers: bounds, tests, bootstrap, decomposition, planning. No I/O."""
