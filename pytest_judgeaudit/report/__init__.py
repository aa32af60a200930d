"""How an audit is shown: terminal lines, JSON."""
